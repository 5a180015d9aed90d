#!/bin/bash
# scapy takes a pause at 1 Gbit/s for twice as long as it is.
#
# scapy 2.6.1, contrib.mac_control.
# Expected: a quantum of PAUSE is 512 bit times at any rate (IEEE 802.3 annex 31B): 1,000 of them are
# 51.2, 5.12 and 0.512 ms at 10, 100 and 1,000 Mbit/s.
# Seen: 1.024 ms at 1,000 Mbit/s; the others are right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check 'scapy==2.6.1'
cat > look.py << 'END'
from scapy.contrib import mac_control

pause = mac_control.MACControlPause(pause_time=1000)
print(*(f"{pause.get_pause_time(getattr(mac_control, f'ETHER_SPEED_MBIT_{rate}')) * 1e3:.3f}"
        for rate in (10, 100, 1000)))
END
seen=$(env/bin/python look.py)
known="51.200 5.120 1.024"

if [ "$seen" = "$known" ]; then
    echo "as described: $seen"
else
    echo "changed: $seen; it was: $known" >&2
    exit 1
fi
