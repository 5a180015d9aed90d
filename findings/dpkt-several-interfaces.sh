#!/bin/bash
# dpkt reads stamps of all interfaces of a pcapng file by the resolution of one.
#
# dpkt 1.9.8.
# Expected: stamps of an interface in microseconds and of one in nanoseconds, 2.5 s both, are 2.5 s
# both: each interface block has its own `if_tsresol`.
# Seen: the second packet is at 2500 s. Whatever resolution comes first holds for all.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check 'dpkt==1.9.8'
cat > make.py << 'END'
import struct

def block(kind, body):
    size = len(body) + 12
    return struct.pack("<II", kind, size) + body + struct.pack("<I", size)

def section():
    return block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))

def interface(resolution=None):
    """Ethernet; without a resolution microseconds."""
    options = b"" if resolution is None else struct.pack("<HHB3xHH", 9, 1, resolution, 0, 0)
    return block(1, struct.pack("<HHI", 1, 0, 0) + options)

def packet(of, stamp):
    data = bytes.fromhex("0180c2000001020000000001880800010064") + bytes(42)
    size = len(data)
    return block(6, struct.pack("<IIIII", of, stamp >> 32, stamp & 0xFFFFFFFF, size, size) + data)

with open("two.pcapng", "wb") as file:
    file.write(section() + interface() + interface(9))
    file.write(packet(0, 2_500_000) + packet(1, 2_500_000_000))
END
python3 make.py
seen=$(env/bin/python -c '
import dpkt
print([stamp for stamp, _ in dpkt.pcapng.Reader(open("two.pcapng", "rb"))])')
known="[2.5, 2500.0]"

if [ "$seen" = "$known" ]; then
    echo "as described: $seen"
else
    echo "changed: $seen; it was: $known" >&2
    exit 1
fi
