#!/bin/bash
# Licences, sources, the promised compiler; with cargo-deny advisories too.
set -euo pipefail
cd "$(dirname "$0")/../.."

skipped() { echo "SKIPPED: $1" | tee -a "${SKIPPED:-/dev/null}"; }

python3 tests/supply/check.py

if ! command -v cargo-deny > /dev/null; then
    skipped "advisories of dependencies: they need 'cargo install cargo-deny --locked'"
elif timeout 60 cargo deny fetch db > /dev/null 2>&1; then
    cargo deny --locked check
elif ls -d "${CARGO_HOME:-$HOME/.cargo}"/advisory-dbs/*/ > /dev/null 2>&1; then
    echo "the database of advisories can't be reached; the one fetched last is used"
    cargo deny --locked --offline check
else
    cargo deny --locked --offline check bans licenses sources
    skipped "advisories of dependencies: their database can't be reached"
fi

promised=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
if [ "${CI:-}" = true ] && command -v rustup > /dev/null; then
    timeout 120 rustup toolchain install "$promised" --profile minimal > /dev/null 2>&1 || true
fi
if cargo "+$promised" --version > /dev/null 2>&1; then
    cargo "+$promised" check --locked --workspace --target-dir target/promised
else
    # What it lacks of the standard library is found by clippy (incompatible_msrv).
    skipped "a build with Rust $promised: 'rustup toolchain install $promised --profile minimal'"
fi
