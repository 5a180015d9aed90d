#!/bin/bash
# The site: what builds it, then the site itself, with every link looked up. Its pages are rendered
# where mdbook is installed; without it, the sources are built and checked.
set -euo pipefail
cd "$(dirname "$0")/../.."

if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null; then
    echo "SKIPPED: the site: it needs Python 3.11 or newer" | tee -a "${SKIPPED:-/dev/null}"
    exit 0
fi
PYTHONDONTWRITEBYTECODE=1 python3 tests/site/test_site.py
PYTHONDONTWRITEBYTECODE=1 python3 site/build.py --program "${BINARY:-target/release/backwater}"
command -v mdbook > /dev/null \
    || echo "SKIPPED: pages of the site: 'cargo install mdbook'" >> "${SKIPPED:-/dev/null}"
