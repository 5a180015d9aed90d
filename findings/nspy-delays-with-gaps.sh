#!/bin/bash
# ns.py counts the time to the next arrival as delay of a packet.
#
# ns.py 0.4.3, DistPacketGenerator and PacketSink with simpy 4.1.2.
# Expected: packets of 100 bytes, one a second, through an idle port of 8,000 bit/s wait 0.1 s, the
# time to send one.
# Seen: 1.1 s. The generator stamps a packet, then waits for the time between arrivals, then sends it,
# so that the mean delay of any queue is too large by the mean time between packets.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check 'ns.py==0.4.3' 'simpy==4.1.2'
cat > look.py << 'END'
import simpy
from ns.packet.dist_generator import DistPacketGenerator
from ns.packet.sink import PacketSink
from ns.port.port import Port

env = simpy.Environment()
source = DistPacketGenerator(env, "S", lambda: 1.0, lambda: 100, finish=10)
port, sink = Port(env, 8000.0), PacketSink(env)
source.out, port.out = port, sink
env.run(until=20)
print(round(max(sink.waits[0]), 6))
END
seen=$(env/bin/python look.py)
known="1.1"

if [ "$seen" = "$known" ]; then
    echo "as described: $seen"
else
    echo "changed: $seen; it was: $known" >&2
    exit 1
fi
