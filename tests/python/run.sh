#!/bin/bash
# The package for Python: a wheel is built, installed where nothing else is, and used there; then
# beside pyarrow, polars, pandas and duckdb. The wheel has the dev profile, so that it is built on what
# `make unit` has compiled.
set -euo pipefail
cd "$(dirname "$0")/../.."

skipped() { echo "SKIPPED: $1" | tee -a "${SKIPPED:-/dev/null}"; }
left_out() {
    skipped "$1"
    if [ "${CI:-}" = true ]; then
        echo "error: with CI=true the test of the package for Python must run" >&2
        exit 1
    fi
}

tools=$PWD/runs/python/tools
empty=$PWD/runs/python/empty
wheels=$PWD/runs/python/wheels
mkdir -p runs/python

if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null; then
    left_out "the package for Python: it needs Python 3.11 or newer"
    exit 0
fi
[ -x "$tools/bin/python" ] || python3 -m venv "$tools"
install() { "$tools/bin/pip" install --quiet --disable-pip-version-check "$@" > /dev/null 2>&1; }
has() { "$tools/bin/python" -c "import $1" > /dev/null 2>&1; }

[ -x "$tools/bin/maturin" ] || install 'maturin>=1.9,<2' || true
if [ ! -x "$tools/bin/maturin" ]; then
    left_out "the package for Python: pip can't fetch maturin"
    exit 0
fi

rm -rf "$wheels" "$empty"
"$tools/bin/maturin" build --quiet --locked --profile dev --compatibility linux \
    --interpreter "$tools/bin/python" --out "$wheels"

# With nothing but the standard library.
python3 -m venv --without-pip "$empty"
"$tools/bin/pip" --python "$empty/bin/python" install --quiet --disable-pip-version-check \
    --no-deps --no-index "$wheels"/*.whl
echo "in an empty environment:"
"$empty/bin/python" -I -B -m unittest discover -s tests/python -p 'test_*.py'

# What others make of it.
for library in pyarrow polars pandas duckdb xarray mypy; do
    has $library || install $library || left_out "the package for Python beside $library"
done
# What mypy knows pandas by.
compgen -G "$tools/lib/python3*/site-packages/pandas-stubs" > /dev/null || install pandas-stubs \
    || left_out "the types of the package for Python beside pandas"
install --no-deps --no-index --force-reinstall "$wheels"/*.whl
echo "beside pyarrow, polars, pandas, duckdb, xarray and mypy:"
"$tools/bin/python" -I -B -m unittest discover -s tests/python -p 'beside_*.py'
