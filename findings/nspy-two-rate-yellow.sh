#!/bin/bash
# ns.py's two-rate marker empties the committed bucket for a packet that is not committed.
#
# ns.py 0.4.3, TwoRateTokenBucketShaper with simpy 4.1.2.
# Expected: committed burst 1,000 bytes, peak burst 5,000: a packet of 1,500 bytes is yellow and takes
# peak tokens alone (RFC 2698), so that 900 bytes right behind it are green.
# Seen: yellow, yellow. Yellow packets set the committed tokens to 0.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check 'ns.py==0.4.3' 'simpy==4.1.2'
cat > look.py << 'END'
import simpy
from ns.packet.packet import Packet
from ns.shaper.two_rate_token_bucket import TwoRateTokenBucketShaper


class Colours(list):
    def put(self, packet):
        self.append(packet.color)


env = simpy.Environment()
shaper = TwoRateTokenBucketShaper(env, cir=8, cbs=1000, pir=8000, pbs=5000)
shaper.out = Colours()
for number, size in enumerate((1500, 900)):
    shaper.put(Packet(env.now, size, number))
env.run(until=0.1)
print(*shaper.out)
END
seen=$(env/bin/python look.py)
known="yellow yellow"

if [ "$seen" = "$known" ]; then
    echo "as described: $seen"
else
    echo "changed: $seen; it was: $known" >&2
    exit 1
fi
