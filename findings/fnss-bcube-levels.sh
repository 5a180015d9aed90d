#!/bin/bash
# fnss builds a BCube in which most hosts miss the switches of a level.
#
# fnss 0.9.1 with networkx 2.8.8.
# Expected: in bcube_topology(4, 1), 16 hosts and 8 switches of 4 ports, each host is joined to one
# switch of each of the two levels, as the documentation of the function says.
# Seen: switches of level 0 take overlapping blocks of hosts: 9 hosts have no link of level 0, and
# one host has four. All switches have 4 links, so that the count of links is right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check 'fnss==0.9.1' 'networkx==2.8.8'
seen=$(env/bin/python -c '
import fnss
from collections import Counter
bcube = fnss.bcube_topology(4, 1)
of_level = lambda host: sum(bcube.nodes[switch]["level"] == 0 for switch in bcube.adj[host])
hosts = [node for node in bcube if bcube.nodes[node]["type"] == "host"]
print(sorted(Counter(map(of_level, hosts)).items()), bcube.number_of_edges())')
known="[(0, 9), (1, 2), (2, 2), (3, 2), (4, 1)] 32"

if [ "$seen" = "$known" ]; then
    echo "as described: hosts by their links of level 0, and all links: $seen"
else
    echo "changed: $seen; it was: $known" >&2
    exit 1
fi
