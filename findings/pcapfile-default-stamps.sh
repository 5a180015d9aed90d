#!/bin/bash
# The crate pcap-file takes stamps of pcapng for nanoseconds, whatever their resolution is.
#
# pcap-file 2.0.0.
# Expected: 2,500,000 units of an interface that says nothing, which means microseconds, are 2.5 s, as
# are 2,500,000,000,000 of one with `if_tsresol` 12.
# Seen: 2.5 ms and 2,500 s.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > make.py << 'END'
import struct

def block(kind, body):
    size = len(body) + 12
    return struct.pack("<II", kind, size) + body + struct.pack("<I", size)

def capture(options, stamp):
    data = bytes.fromhex("0180c2000001020000000001880800010064") + bytes(42)
    size = len(data)
    head = struct.pack("<IIIII", 0, stamp >> 32, stamp & 0xFFFFFFFF, size, size)
    return (block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
            + block(1, struct.pack("<HHI", 1, 0, 0) + options) + block(6, head + data))

resolution = struct.pack("<HHB3xHH", 9, 1, 12, 0, 0)
with open("micro.pcapng", "wb") as file:
    file.write(capture(b"", 2_500_000))
with open("pico.pcapng", "wb") as file:
    file.write(capture(resolution, 2_500_000_000_000))
END
python3 make.py
cargo init --quiet --name look --vcs none .
cargo add --quiet pcap-file@=2.0.0
cat > src/main.rs << 'END'
use pcap_file::pcapng::{Block, PcapNgReader};

fn main() {
    for name in ["micro", "pico"] {
        let file = std::fs::File::open(format!("{name}.pcapng")).unwrap();
        let mut reader = PcapNgReader::new(file).unwrap();
        while let Some(block) = reader.next_block() {
            if let Block::EnhancedPacket(packet) = block.unwrap() {
                print!("{:?} ", packet.timestamp);
            }
        }
    }
}
END
seen=$(cargo run --quiet)
known="2.5ms 2500s "

if [ "$seen" = "$known" ]; then
    echo "as described: $seen"
else
    echo "changed: $seen; it was: $known" >&2
    exit 1
fi
