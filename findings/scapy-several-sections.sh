#!/bin/bash
# scapy takes the interfaces of a second section of a pcapng file for those of the first.
#
# scapy 2.8.0.
# Expected: interface 0 of the second section is the one that this section describes: numbers begin
# anew in each section. Two captures joined by `cat` are such a file. Both packets are at 2.5 s.
# Seen: the second packet is at 0.0025 s: its microseconds are read by the nanoseconds of the first
# section's interface 0.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check 'scapy==2.8.0'
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

with open("joined.pcapng", "wb") as file:
    file.write(section() + interface(9) + packet(0, 2_500_000_000))
    file.write(section() + interface() + packet(0, 2_500_000))
END
python3 make.py
seen=$(env/bin/python -c '
from scapy.utils import rdpcap
print([float(packet.time) for packet in rdpcap("joined.pcapng")])' 2> /dev/null)
known="[2.5, 0.0025]"

if [ "$seen" = "$known" ]; then
    echo "as described: $seen"
else
    echo "changed: $seen; it was: $known" >&2
    exit 1
fi
