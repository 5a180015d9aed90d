#!/bin/bash
# The notebooks with what they find, below runs/python/notebooks/, for the site: they run in Jupyter
# with the package as it is now. Nothing is done where that has been done with the same sources.
set -euo pipefail
cd "$(dirname "$0")/../.."

found=runs/python/notebooks
is_done() {
    local one
    for one in notebooks/*.ipynb; do [ -f "$found/${one##*/}" ] || return 1; done
    [ -z "$(find notebooks crates Cargo.lock -newer "$found/pfc-headroom.ipynb" -type f -print -quit)" ]
}
if is_done; then exit 0; fi

. tests/python/environment.sh
for library in $JUPYTER; do
    if ! has $library && ! install $library; then
        skipped "the notebooks of the site have no results: they need $library"
        exit 0
    fi
done
with_package
"$tools/bin/python" -I -B tests/python/beside_notebooks.py Notebooks.test_they_run_and_draw
