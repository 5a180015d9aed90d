#!/bin/bash
# gopacket reads binary time stamps of a pcapng file as slightly early.
#
# github.com/google/gopacket v1.1.19, pcapgo.NgReader.
# Expected: 2560 units of 2^-10 s (`if_tsresol` 0x8a) are exactly 2.5 s: no rounding is needed in
# nanoseconds.
# Seen: 2.499999744 s, 256 ns less. Decimal resolutions are exact.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export GOFLAGS=-mod=mod GOPATH=$folder/go GOCACHE=$folder/cache
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
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

with open("binary.pcapng", "wb") as file:
    file.write(section() + interface(0x80 | 10) + packet(0, 2560))
END
python3 make.py
cat > main.go << 'END'
package main

import (
	"fmt"
	"os"

	"github.com/google/gopacket/pcapgo"
)

func main() {
	file, _ := os.Open("binary.pcapng")
	reader, err := pcapgo.NewNgReader(file, pcapgo.DefaultNgReaderOptions)
	if err != nil {
		panic(err)
	}
	_, info, _ := reader.ReadPacketData()
	fmt.Println(info.Timestamp.UnixNano())
}
END
go mod init finding > /dev/null 2>&1
go get github.com/google/gopacket@v1.1.19 > /dev/null 2>&1
seen=$(go run .)
known=2499999744

if [ "$seen" = "$known" ]; then
    echo "as described: $seen"
else
    echo "changed: $seen; it was: $known" >&2
    exit 1
fi
