# What builds the package for Python and where: sourced in the root of the repository by what tests the
# package and by what runs the notebooks. Ends the script where that can't be done.
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

rm -rf "$wheels"
"$tools/bin/maturin" build --quiet --locked --profile dev --compatibility linux \
    --interpreter "$tools/bin/python" --out "$wheels"

# Jupyter's part: what the notebooks and their figures need.
JUPYTER="pandas matplotlib nbclient ipykernel ipywidgets"
with_package() { install --no-deps --no-index --force-reinstall "$wheels"/*.whl; }
