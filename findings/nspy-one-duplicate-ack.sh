#!/bin/bash
# One duplicate acknowledgement opens ns.py's window to the slow-start threshold.
#
# ns.py 0.4.3, TCPPacketGenerator with TCPReno and simpy 4.1.2.
# Expected: two packets that changed places cost one duplicate acknowledgement, which changes no
# window: three are a loss (RFC 5681).
# Seen: in slow start at 3 segments, one duplicate and the acknowledgement after it make 128 segments
# of 512 bytes, the threshold of 65,535 bytes that no loss has set, and one more.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check 'ns.py==0.4.3' 'simpy==4.1.2'
cat > look.py << 'END'
import simpy
from ns.flow.cc import TCPReno
from ns.flow.flow import Flow
from ns.packet.packet import Packet
from ns.packet.tcp_generator import TCPPacketGenerator

mss = 512


class Nowhere:
    def put(self, packet):
        pass


def acknowledge(source, upto):
    packet = Packet(0, 40, upto, flow_id=10000)
    packet.ack = upto
    source.put(packet)
    env.run(until=env.now + 0.01)


env = simpy.Environment()
control = TCPReno(mss=mss, cwnd=mss)
flow = Flow(0, "S", "D", start_time=0.0, finish_time=100, size=1000 * mss)
source = TCPPacketGenerator(env, flow=flow, cc=control, element_id=0)
source.out = Nowhere()
env.run(until=0.01)
acknowledge(source, mss)
acknowledge(source, 2 * mss)
before = control.cwnd
acknowledge(source, 2 * mss)
acknowledge(source, 3 * mss)
print(round(before / mss), round(control.cwnd / mss))
END
seen=$(env/bin/python look.py)
known="3 129"

if [ "$seen" = "$known" ]; then
    echo "as described: $seen"
else
    echo "changed: $seen; it was: $known" >&2
    exit 1
fi
