#!/bin/bash
# networkx leaves out the default of a GraphML key on edges, so weighted paths are too short.
#
# networkx 3.6.1; igraph 1.0.0 reads the same file as the format has it.
# Expected: an edge without a value of its own has the `<default>` of the key: a delay of 5, so
# from a to c it is 7.
# Seen: networkx puts the default beside the graph, `graph['edge_default']`; the edge has no delay,
# and its path functions take 1 for that: 3.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check 'networkx==3.6.1' 'igraph==1.0.0'
cat > line.graphml << 'END'
<?xml version="1.0"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d0" for="edge" attr.name="delay" attr.type="double"><default>5</default></key>
  <graph edgedefault="undirected">
    <node id="a"/><node id="b"/><node id="c"/>
    <edge source="a" target="b"/>
    <edge source="b" target="c"><data key="d0">2</data></edge>
  </graph>
</graphml>
END
seen=$(env/bin/python -c '
import igraph, networkx as nx
line = nx.read_graphml("line.graphml")
print(nx.shortest_path_length(line, "a", "c", weight="delay"),
      igraph.Graph.Read_GraphML("line.graphml").distances(0, 2, weights="delay")[0][0])')
known="3.0 7.0"

if [ "$seen" = "$known" ]; then
    echo "as described: $seen"
else
    echo "changed: $seen; it was: $known" >&2
    exit 1
fi
