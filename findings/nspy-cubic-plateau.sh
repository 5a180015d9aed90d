#!/bin/bash
# ns.py's CUBIC does not know the window at which it lost.
#
# ns.py 0.4.3, TCPCubic.
# Expected: 100 segments at the loss, half of them after it: 5 s later CUBIC is back at 100
# segments, as (50 / 0.4)^(1/3) = 5 (RFC 9438, C = 0.4 segments / s^3).
# Seen: 52. `W_last_max` stays 0 after a loss, so that there is no concave part, and the cube counts
# bytes, not segments.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check 'ns.py==0.4.3' 'simpy==4.1.2'
cat > look.py << 'END'
from ns.flow.cubic import TCPCubic

mss, round_trip = 1448, 0.05
control = TCPCubic(mss=mss, cwnd=100 * mss, ssthresh=100 * mss)
control.consecutive_dupacks_received()
control.dupack_over()
for number in range(1, 101):
    for _ in range(int(control.cwnd / mss)):
        control.ack_received(round_trip, number * round_trip)
print(round(control.cwnd / mss), control.W_last_max)
END
seen=$(env/bin/python look.py)
known="52 0"

if [ "$seen" = "$known" ]; then
    echo "as described: $seen"
else
    echo "changed: $seen; it was: $known" >&2
    exit 1
fi
