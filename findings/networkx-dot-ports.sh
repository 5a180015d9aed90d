#!/bin/bash
# networkx makes a node of each port of a DOT file, so a network comes apart.
#
# networkx 3.6.1 with pydot 4.0.1.
# Expected: `a:p0 -- b:p1; b:p2 -- c:p0` joins three nodes; what is behind the colon is the port of
# the node at which a line ends, as Graphviz draws it.
# Seen: four nodes with names such as `b:p1`, in two parts that nothing joins.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check 'networkx==3.6.1' 'pydot==4.0.1'
echo 'graph { a:p0 -- b:p1; b:p2 -- c:p0; }' > line.dot
seen=$(env/bin/python -W ignore -c '
import networkx as nx
line = nx.nx_pydot.read_dot("line.dot")
print(sorted(line.nodes), nx.number_connected_components(line))')
known="['a:p0', 'b:p1', 'b:p2', 'c:p0'] 2"

if [ "$seen" = "$known" ]; then
    echo "as described: $seen"
else
    echo "changed: $seen; it was: $known" >&2
    exit 1
fi
