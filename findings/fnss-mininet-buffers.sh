#!/bin/bash
# fnss says that a Mininet topology takes buffers over where they are in packets; it takes none.
#
# fnss 0.9.1 with networkx 2.8.8 and mininet 2.3.0.dev6.
# Expected: links of to_mininet have max_queue_size=50, beside rate and delay.
# Seen: rate and delay alone, without a warning. What sets buffers writes the attribute "buffer",
# and what makes the Mininet topology reads "buffer_size".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check 'fnss==0.9.1' 'networkx==2.8.8' \
    'mininet==2.3.0.dev6'
seen=$(env/bin/python -c '
import fnss
tiers = fnss.two_tier_topology(1, 2, 2)
fnss.set_capacities_constant(tiers, 100, "Mbps")
fnss.set_delays_constant(tiers, 1, "ms")
fnss.set_buffer_sizes_constant(tiers, 50, "packets")
links = fnss.to_mininet(tiers, relabel_nodes=True).links(withInfo=True)
keys = {key for *_, info in links for key in info}
print(len(links), *sorted(keys & {"bw", "delay", "max_queue_size"}))')
known="6 bw delay"

if [ "$seen" = "$known" ]; then
    echo "as described: $seen"
else
    echo "changed: $seen; it was: $known" >&2
    exit 1
fi
