#!/bin/bash
# The report page in a real browser. Installs Debian's chromium where that is possible.
set -euo pipefail
cd "$(dirname "$0")/../.."

browser=${CHROMIUM:-/usr/bin/chromium}
driver=${CHROMEDRIVER:-/usr/bin/chromedriver}

has_all() { command -v "$browser" && command -v "$driver"; } > /dev/null

skip() {
    echo "SKIPPED: the browser test of the report: $1" | tee -a "${SKIPPED:-/dev/null}"
    if [ "${CI:-}" = true ]; then
        echo "error: with CI=true the browser test must run" >&2
        exit 1
    fi
    exit 0
}

if ! command -v node > /dev/null; then
    skip "it needs Node 20; on Debian: apt-get install nodejs"
fi
if ! has_all && [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
    echo "installing chromium and chromium-driver"
    apt-get update -q || true
    DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends \
        chromium chromium-driver || true
fi
if ! has_all; then
    skip "it needs a browser; on Debian: sudo apt-get install chromium chromium-driver"
fi

# What people with other eyes and hands need of a page is checked by axe-core.
axe=runs/axe/node_modules/axe-core/axe.min.js
if [ ! -f $axe ]; then
    npm install --silent --no-audit --no-fund --ignore-scripts --prefix runs/axe axe-core@4.14.1 \
        > /dev/null 2>&1 || true
fi
if [ -f $axe ]; then
    export AXE=$PWD/$axe
else
    echo "SKIPPED: axe-core on the reports: npm can't fetch it" | tee -a "${SKIPPED:-/dev/null}"
fi
exec node --test --test-reporter=spec tests/browser/*.test.mjs
