#!/bin/bash
# tsnkit rounds the bytes of a frame up to hundreds before it reckons their time on a link.
#
# tsnkit 0.3.0.
# Expected: at 10 Gbit/s 101 bytes take 80.8 ns, in slots of 100 ns one slot.
# Seen: two slots, as 200 bytes would. The length of a slot in ns divides sizes as it divides
# times, so that the schedule of small frames holds up to twice the time that they need.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check 'numpy==1.26.4' 'pandas==2.2.3' \
    'networkx==2.8.8' 'psutil==7.0.0' 'tqdm==4.67.1'
env/bin/pip install --quiet --disable-pip-version-check --no-deps 'tsnkit==0.3.0'
cat > network.csv <<'CSV'
link,q_num,rate,t_proc,t_prop
"(0, 2)",8,10,0,0
"(2, 0)",8,10,0,0
"(2, 1)",8,10,0,0
"(1, 2)",8,10,0,0
CSV
seen=$(env/bin/python -c '
from tsnkit.core import Stream, T_SLOT, load_network
link = load_network("network.csv").links[0]
streams = (Stream(0, 0, [1], size, 10**6, 10**6, 10**6) for size in (100, 101, 1500))
print(T_SLOT, *(stream.get_t_trans(link) for stream in streams))')
known="100 1 2 12"

if [ "$seen" = "$known" ]; then
    echo "as described: ns a slot, and slots of 100, 101 and 1,500 bytes: $seen"
else
    echo "changed: $seen; it was: $known" >&2
    exit 1
fi
