#!/bin/bash
# The package for Python: a wheel is built, installed where nothing else is, and used there; then
# beside pyarrow, polars, pandas, duckdb and Dask. The wheel has the dev profile, so that it is built on what
# `make unit` has compiled.
set -euo pipefail
cd "$(dirname "$0")/../.."

. tests/python/environment.sh

# With nothing but the standard library.
rm -rf "$empty"
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
with_package
echo "beside pyarrow, polars, pandas, duckdb, xarray, matplotlib, Dask and mypy:"
"$tools/bin/python" -I -B -m unittest discover -s tests/python -p 'beside_*.py'
