#!/bin/bash
# The simulator of tsnkit sends at 1 Gbit/s whatever the links of the schedule have.
#
# tsnkit 0.3.0.
# Expected: a schedule made for links of 10 Gbit/s is simulated on such: 1,500 bytes take 1,200 ns,
# as the same package reckons when it schedules.
# Seen: 12,000 ns, before 2,000 ns in the switch: the simulator does not read the file of the
# network. Through gates open for the 1,200 ns that the schedule asks for, the frame never goes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check 'numpy==1.26.4' 'pandas==2.2.3' \
    'networkx==2.8.8' 'psutil==7.0.0' 'tqdm==4.67.1' 'matplotlib==3.9.2'
env/bin/pip install --quiet --disable-pip-version-check --no-deps 'tsnkit==0.3.0'
cat > network.csv <<'CSV'
link,q_num,rate,t_proc,t_prop
"(0, 2)",8,10,2000,0
"(2, 0)",8,10,2000,0
"(2, 1)",8,10,2000,0
"(1, 2)",8,10,2000,0
CSV
cat > streams.csv <<'CSV'
stream,src,dst,size,period,deadline,jitter
0,0,[1],1500,1000000,1000000,1000000
CSV
mkdir schedule
cat > schedule/a-GCL.csv <<'CSV'
link,queue,start,end,cycle
"(0, 2)",0,0,1000000,1000000
"(2, 1)",0,0,1000000,1000000
CSV
printf 'stream,link\n0,"(0, 2)"\n0,"(2, 1)"\n' > schedule/a-ROUTE.csv
printf 'stream,frame,offset\n0,0,0\n' > schedule/a-OFFSET.csv
printf 'stream,frame,link,queue\n0,0,"(0, 2)",0\n0,0,"(2, 1)",0\n' > schedule/a-QUEUE.csv
seen=$(env/bin/python -c '
from tsnkit.core import T_SLOT, load_network, load_stream
from tsnkit.simulation.tas import simulation
link = load_network("network.csv").links[0]
scheduled = load_stream("streams.csv").get_stream(0).get_t_trans(link) * T_SLOT
quiet = {"draw_results": False, "disable_pbar": True}
sent = lambda: simulation("streams.csv", "schedule/a-", 1, **quiet)[0][0]
print(scheduled, sent()[0] - 2000, end=" ")
gates = open("schedule/a-GCL.csv").read().replace("0,0,1000000,", "0,0,1200,")
open("schedule/a-GCL.csv", "w").write(gates)
print(sent())')
known="1200 12000 []"

if [ "$seen" = "$known" ]; then
    echo "as described: ns scheduled, ns simulated, sent through gates of the schedule: $seen"
else
    echo "changed: $seen; it was: $known" >&2
    exit 1
fi
