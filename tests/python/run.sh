#!/bin/bash
# The package for Python: a wheel is built, installed where nothing else is, and used there; then
# beside pyarrow, polars, pandas, duckdb and Dask. The wheel has the dev profile, so that it is built on what
# `make unit` has compiled.
set -euo pipefail
cd "$(dirname "$0")/../.."

skipped() { echo "SKIPPED: $1" | tee -a "${SKIPPED:-/dev/null}"; }
tools=$PWD/runs/python/tools
empty=$PWD/runs/python/empty
wheels=$PWD/runs/python/wheels
mkdir -p runs/python

if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null; then
    skipped "the package for Python: it needs Python 3.11 or newer"
    exit 0
fi
if [ ! -x "$tools/bin/pip" ] && ! python3 -m venv "$tools" > /dev/null 2>&1; then
    skipped "the package for Python: it needs the module venv ('apt-get install python3-venv')"
    exit 0
fi
install() { "$tools/bin/pip" install --quiet --disable-pip-version-check "$@" > /dev/null 2>&1; }
has() { "$tools/bin/python" -c "import $1" > /dev/null 2>&1; }

[ -x "$tools/bin/maturin" ] || install 'maturin>=1.9,<2' || true
if [ ! -x "$tools/bin/maturin" ]; then
    skipped "the package for Python: pip can't fetch maturin"
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
for library in pyarrow polars pandas duckdb xarray matplotlib mypy; do
    has $library || install $library || skipped "the package for Python beside $library"
done
# What mypy knows pandas by.
compgen -G "$tools/lib/python3*/site-packages/pandas-stubs" > /dev/null || install pandas-stubs \
    || skipped "the types of the package for Python beside pandas"
has distributed || install 'dask[distributed]' || skipped "the package for Python on workers of Dask"
for library in nbclient ipykernel ipywidgets; do
    has $library || install $library || skipped "the notebooks: they need $library"
done
install --no-deps --no-index --force-reinstall "$wheels"/*.whl
echo "beside pyarrow, polars, pandas, duckdb, xarray, matplotlib, Dask and mypy:"
"$tools/bin/python" -I -B -m unittest discover -s tests/python -p 'beside_*.py'
