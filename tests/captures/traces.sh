#!/bin/bash
# Traces for Perfetto and waveforms, read by others. Installs Python packages and GTKWave, whose
# vcd2fst and fst2vcd read waveforms, where that is possible.
set -euo pipefail
cd "$(dirname "$0")/../.."

binary=${BINARY:-target/release/backwater}
venv=runs/python-traces

has_all() { "$1" -c 'import perfetto.protos.perfetto.trace.perfetto_trace_pb2, vcdvcd' \
    > /dev/null 2>&1; }

has_gtkwave() { command -v vcd2fst > /dev/null && command -v fst2vcd > /dev/null; }

if ! has_gtkwave && [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
    echo "installing gtkwave"
    apt-get update -q || true
    DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends gtkwave || true
fi
if ! has_gtkwave; then
    echo "SKIPPED: waveforms as GTKWave keeps them: that needs vcd2fst and fst2vcd;" \
        "on Debian: sudo apt-get install gtkwave" | tee -a "${SKIPPED:-/dev/null}"
    if [ "${CI:-}" = true ]; then
        echo "error: with CI=true waveforms must go through GTKWave's form" >&2
        exit 1
    fi
fi

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
