#!/bin/bash
# Captures read by others: tshark and scapy. Installs Debian's packages where that is possible.
set -euo pipefail
cd "$(dirname "$0")/../.."

binary=${BINARY:-target/release/backwater}

# A python with scapy: the one in the path, or Debian's own.
find_python() {
    for candidate in python3 /usr/bin/python3; do
        if "$candidate" -c 'import scapy.all' > /dev/null 2>&1; then
            echo "$candidate"
            return
        fi
    done
    return 1
}

has_all() { command -v tshark > /dev/null && find_python > /dev/null; }

if ! has_all && [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
    echo "installing tshark and python3-scapy"
    apt-get update -q || true
    DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends \
        tshark python3-scapy || true
fi
if ! has_all; then
    echo "SKIPPED: the test of captures: it needs tshark and scapy;" \
        "on Debian: sudo apt-get install tshark python3-scapy" | tee -a "${SKIPPED:-/dev/null}"
    if [ "${CI:-}" = true ]; then
        echo "error: with CI=true the test of captures must run" >&2
        exit 1
    fi
    exit 0
fi
exec "$(find_python)" tests/captures/check.py "$binary"
