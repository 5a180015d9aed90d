#!/bin/bash
# The archive that a release offers of one platform: the program, man pages, completions, licences.
#
#     packaging/archive.sh PROGRAM PLATFORM FOLDER
#
# writes FOLDER/backwater-VERSION-PLATFORM.tar.gz (.zip for a program of Windows) and its SHA-256 beside
# it. The same program gives the same bytes.
set -euo pipefail

if [ $# -ne 3 ] || [ ! -x "$1" ]; then
    echo "usage: packaging/archive.sh PROGRAM PLATFORM FOLDER" >&2
    exit 2
fi
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
platform=$2
mkdir -p "$3"
folder=$(cd "$3" && pwd)
cd "$(dirname "$0")/.."

version=$("$program" --version | cut -d' ' -f2)
name=backwater-$version-$platform
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/$name/completions"
cp "$program" README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE CITATION.cff "$work/$name/"
"$program" man --out "$work/$name/man" > /dev/null
for shell in bash elvish fish powershell zsh; do
    "$program" completions "$shell" > "$work/$name/completions/backwater.$shell"
done

case $program in
    *.exe) archive=$name.zip ;;
    *) archive=$name.tar.gz ;;
esac
python3 - "$work" "$name" "$folder/$archive" <<'PYTHON'
import gzip, os, sys, tarfile, zipfile
from pathlib import Path

work, name, archive = sys.argv[1:]
files = sorted(path for path in Path(work, name).rglob("*") if path.is_file())
if archive.endswith(".zip"):
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in files:
            entry = zipfile.ZipInfo(path.relative_to(work).as_posix())
            entry.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(entry, path.read_bytes())
else:
    with open(archive, "wb") as out, gzip.GzipFile("", "wb", 9, out, mtime=0) as squeezed:
        with tarfile.open(fileobj=squeezed, mode="w", format=tarfile.PAX_FORMAT) as packed:
            for path in files:
                entry = tarfile.TarInfo(path.relative_to(work).as_posix())
                entry.size = path.stat().st_size
                entry.mode = 0o755 if os.access(path, os.X_OK) else 0o644
                with path.open("rb") as content:
                    packed.addfile(entry, content)
PYTHON
cd "$folder"
python3 -c 'import hashlib, sys
print(hashlib.sha256(open(sys.argv[1], "rb").read()).hexdigest() + "  " + sys.argv[1])' \
    "$archive" > "$archive.sha256"
echo "$folder/$archive"
