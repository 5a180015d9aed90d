#!/bin/bash
# The program is the same file from whatever folder and home of cargo it is built: builds it twice,
# or once, to compare with BINARY, which was built with such flags already.
# Compared is all but the names of symbols, which link-time optimization numbers by folder, and the
# build id, which is a digest of them too.
# usage: reproducible.sh [BINARY]
set -euo pipefail
cd "$(dirname "$0")/../.."

cargo_home=${CARGO_HOME:-$HOME/.cargo}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/homes"
ln -s "$(realpath "$cargo_home")" "$work/homes/other"

digest() { # BINARY
    objcopy --strip-all --remove-section=.note.gnu.build-id "$1" "$work/bare"
    sha256sum < "$work/bare"
}

build() { # FOLDER CARGO_HOME: the tree as it stands, without what git ignores
    mkdir -p "$1"
    git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents --no-dereference -t "$1"
    (
        cd "$1"
        export CARGO_HOME=$2
        export RUSTFLAGS="--remap-path-prefix=$2=cargo --remap-path-prefix=$1=."
        cargo build --locked --release --quiet --package backwater --target-dir "$1/target"
    )
    digest "$1/target/release/backwater"
}

if [ $# = 1 ]; then
    first=$(digest "$1")
else
    first=$(build "$work/a" "$cargo_home")
fi
second=$(build "$work/elsewhere/b" "$work/homes/other")
printf 'first  %s\nsecond %s\n' "$first" "$second"
if [ "$first" != "$second" ]; then
    echo "error: the two builds differ" >&2
    exit 1
fi
