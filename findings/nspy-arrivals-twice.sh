#!/bin/bash
# ns.py's sink lists each arrival twice.
#
# ns.py 0.4.3, PacketSink as it is by default, with simpy 4.1.2.
# Expected: ten packets leave ten times in `arrivals`.
# Seen: twenty, each twice, so that rates and gaps from that list are those of pairs; `waits` and
# `packets_received` have ten.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check 'ns.py==0.4.3' 'simpy==4.1.2'
cat > look.py << 'END'
import simpy
from ns.packet.packet import Packet
from ns.packet.sink import PacketSink

env = simpy.Environment()
sink = PacketSink(env)
for number in range(10):
    sink.put(Packet(env.now, 100, number))
print(sink.packets_received[0], len(sink.waits[0]), len(sink.arrivals[0]))
END
seen=$(env/bin/python look.py)
known="10 10 20"

if [ "$seen" = "$known" ]; then
    echo "as described: $seen"
else
    echo "changed: $seen; it was: $known" >&2
    exit 1
fi
