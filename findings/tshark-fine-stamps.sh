#!/bin/bash
# tshark reads time stamps of a pcapng file wrongly where they are finer than 10^-10 s.
#
# tshark 4.0.17 of Debian 12; so do capinfos and editcap.
# Expected: 2.5 s is 2.5 s, whatever `if_tsresol` is: nanoseconds (9), 10^-11 s (11), picoseconds
# (12).
# Seen: whole seconds are right, the fraction is not: 2.131 s with 11, 2.0019 s with 12. Up to 10
# all is right. The option allows any exponent up to 127.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
version=4.0.17-0+deb12u3
if ! command -v tshark > /dev/null; then
    apt-get update -q > /dev/null
    DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends \
        "tshark=$version" > /dev/null
fi
echo "tshark $(dpkg-query -W -f '${Version}' tshark), tried with $version"

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

for digits in (9, 10, 11, 12):
    stamp = 25 * 10 ** (digits - 1)
    with open(f"{digits}.pcapng", "wb") as file:
        file.write(section() + interface(digits) + packet(0, stamp))
END
python3 make.py
seen=""
for digits in 9 10 11 12; do
    seen+="$digits: $(tshark -r $digits.pcapng -T fields -e frame.time_epoch 2> /dev/null) "
done
known="9: 2.500000000 10: 2.500000000 11: 2.131065118 12: 2.001937910 "

if [ "$seen" = "$known" ]; then
    echo "as described: $seen"
else
    echo "changed: $seen; it was: $known" >&2
    exit 1
fi
