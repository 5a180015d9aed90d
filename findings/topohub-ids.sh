#!/bin/bash
# Nodes of topohub are numbers in one collection and text in another.
#
# topohub 1.5.1.
# Expected: node-link graphs of one package name their nodes alike.
# Seen: Abilene of the Topology Zoo has ids '0', '1', ..; germany50 of SNDlib has 0, 1, .. . Ends of
# links follow suit, demands of germany50 are keyed by numbers, which JSON turns into text.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check 'topohub==1.5.1'
cat > look.py << 'END'
import topohub

def kinds(name):
    graph = topohub.get(name)
    return type(graph["nodes"][0]["id"]).__name__, type(graph["edges"][0]["source"]).__name__

demands = topohub.get("sndlib/germany50")["graph"]["demands"]
print(*kinds("topozoo/Abilene"), *kinds("sndlib/germany50"), type(next(iter(demands))).__name__)
END
seen=$(env/bin/python look.py)
known="str str int int int"

if [ "$seen" = "$known" ]; then
    echo "as described: $seen"
else
    echo "changed: $seen; it was: $known" >&2
    exit 1
fi
