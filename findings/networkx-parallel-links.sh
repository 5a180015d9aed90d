#!/bin/bash
# networkx counts parallel links in one of two functions that Menger's theorem makes equal.
#
# networkx 3.6.1.
# Expected: of two switches joined by three links, edge connectivity is 3, there are three edge-
# disjoint paths, and node connectivity is 1, as without the two further links.
# Seen: edge connectivity 3, one edge-disjoint path, node connectivity 3. No function refuses the
# MultiGraph.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check 'networkx==3.6.1'
seen=$(env/bin/python -c '
import networkx as nx
trunk = nx.MultiGraph([("S", "T")] * 3)
paths = len(list(nx.edge_disjoint_paths(trunk, "S", "T")))
print(nx.edge_connectivity(trunk), paths, nx.node_connectivity(trunk))')
known="3 1 3"

if [ "$seen" = "$known" ]; then
    echo "as described: $seen"
else
    echo "changed: $seen; it was: $known" >&2
    exit 1
fi
