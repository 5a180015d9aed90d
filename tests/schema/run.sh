#!/bin/bash
# docs/schema.json against shipped and wrong files, by a validator of others.
set -euo pipefail
cd "$(dirname "$0")/../.."

venv=runs/python-schema

has_all() { "$1" -c 'import jsonschema, tomllib' > /dev/null 2>&1; }

for python in python3 /usr/bin/python3 $venv/bin/python; do
    if has_all "$python"; then
        exec "$python" tests/schema/check.py
    fi
done
python3 -m venv $venv && $venv/bin/pip install --quiet 'jsonschema>=4,<5' || true
if has_all $venv/bin/python; then
    exec $venv/bin/python tests/schema/check.py
fi
echo "SKIPPED: the test of the schema: it needs Python 3.11 and jsonschema;" \
    "on Debian: sudo apt-get install python3-jsonschema" | tee -a "${SKIPPED:-/dev/null}"
if [ "${CI:-}" = true ]; then
    echo "error: with CI=true the test of the schema must run" >&2
    exit 1
fi
