#!/bin/bash
# ns.py's VirtualClock serves packets, not the bits that were reserved.
#
# ns.py 0.4.3, VirtualClockServer with simpy 4.1.2; vticks are "the inverse of the desired rates" in
# bits per second.
# Expected: two flows that reserve half of the link each and always have packets get half of the
# bytes each, with packets of 1,000 and of 100 bytes: the auxiliary clock advances by vtick times the
# size of a packet.
# Seen: 91 % and 9 %. The clock that orders packets advances by one vtick a packet; only the other
# one, which orders nothing, takes the size.
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
from ns.scheduler.virtual_clock import VirtualClockServer

env = simpy.Environment()
server = VirtualClockServer(env, 8000.0, [1 / 4000, 1 / 4000])
server.out = PacketSink(env)
for flow, size, count in ((0, 1000, 200), (1, 100, 2000)):
    for number in range(count):
        server.put(Packet(env.now, size, number, flow_id=flow))
env.run(until=100.01)
received = server.out.bytes_received
print(*(received[flow] / sum(received.values()) for flow in (0, 1)))
END
seen=$(env/bin/python look.py)
known="0.91 0.09"

if [ "$seen" = "$known" ]; then
    echo "as described: $seen"
else
    echo "changed: $seen; it was: $known" >&2
    exit 1
fi
