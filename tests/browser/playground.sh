#!/bin/bash
# Builds the page that runs scenarios in a browser, where Rust can compile for WebAssembly.
set -euo pipefail
cd "$(dirname "$0")/../.."

target=wasm32-wasip1
has_target() { [ -d "$(rustc --print sysroot)/lib/rustlib/$target" ]; }

if ! has_target && command -v rustup > /dev/null; then
    rustup target add $target > /dev/null 2>&1 || true
fi
if ! has_target; then
    rm -f runs/playground.html
    echo "SKIPPED: the playground: 'rustup target add $target'" | tee -a "${SKIPPED:-/dev/null}"
    [ "${CI:-}" != true ]
    exit
fi
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null; then
    rm -f runs/playground.html
    echo "SKIPPED: the playground: it needs Python 3.11 or newer" | tee -a "${SKIPPED:-/dev/null}"
    exit 0
fi
PYTHONDONTWRITEBYTECODE=1 python3 site/playground.py
