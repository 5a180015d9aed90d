#!/bin/bash
# Traces for Perfetto and waveforms, read by others. Installs Python packages where that is possible.
set -euo pipefail
cd "$(dirname "$0")/../.."

binary=${BINARY:-target/release/backwater}
venv=runs/python-traces

has_all() { "$1" -c 'import perfetto.protos.perfetto.trace.perfetto_trace_pb2, vcdvcd' \
    > /dev/null 2>&1; }

for python in python3 $venv/bin/python; do
    if has_all "$python"; then
        exec "$python" tests/captures/traces.py "$binary"
    fi
done
python3 -m venv $venv && $venv/bin/pip install --quiet 'perfetto<1' protobuf 'vcdvcd>=2,<3' || true
if has_all $venv/bin/python; then
    exec $venv/bin/python tests/captures/traces.py "$binary"
fi
echo "SKIPPED: traces as Perfetto and readers of waveforms see them: that needs the Python packages" \
    "perfetto, protobuf and vcdvcd" | tee -a "${SKIPPED:-/dev/null}"
