"""What the program is built from, read from Cargo.lock and `cargo metadata`: known licences, a
checksum for every crate, and no crate that wants a newer compiler than Cargo.toml promises."""

import json
import re
import subprocess
import sys
import tomllib


def is_allowed(licence, allowed):
    """An SPDX expression with OR, AND and parentheses; `A/B` is an old form of OR."""
    words = re.findall(r"\(|\)|[^()\s]+", licence.replace("/", " OR "))
    terms = []
    for word in words:
        if word in ("OR", "AND"):
            terms.append(word.lower())
        elif word in "()":
            terms.append(word)
        elif terms and terms[-1] == "WITH":
            terms.pop()
            terms.append(str(f"{terms.pop()} WITH {word}" in allowed))
        elif word == "WITH":
            terms.append(word)
        else:
            terms.append(word)
    terms = [word if word in ("or", "and", "(", ")", "True", "False") else str(word in allowed)
             for word in terms]  # fmt: skip
    return bool(terms) and eval(" ".join(terms), {"__builtins__": {}})


def version(text):
    parts = [int(part) for part in text.split(".")]
    return tuple(parts + [0] * (3 - len(parts)))


def main():
    with open("deny.toml", "rb") as file:
        allowed = set(tomllib.load(file)["licenses"]["allow"])
    with open("Cargo.lock", "rb") as file:
        locked = tomllib.load(file)["package"]
    with open("Cargo.toml", "rb") as file:
        promised = tomllib.load(file)["workspace"]["package"]["rust-version"]
    told = subprocess.run(
        ["cargo", "metadata", "--locked", "--format-version", "1"],
        check=True,
        capture_output=True,
        text=True,
    )
    wrong = []
    for package in locked:
        source = package.get("source", "registry+")
        from_here = "source" not in package
        if not source.startswith("registry+") or ("checksum" not in package and not from_here):
            wrong.append(f"{package['name']}: from {source}, or without a checksum")
    packages = json.loads(told.stdout)["packages"]
    for package in packages:
        name = f"{package['name']} {package['version']}"
        licence = package["license"] or ""
        if not is_allowed(licence, allowed):
            wrong.append(f"{name}: licence `{licence}` is not among {', '.join(sorted(allowed))}")
        if version(package["rust_version"] or "0") > version(promised):
            wrong.append(f"{name}: wants Rust {package['rust_version']}, {promised} is promised")
    controls = ["GPL-3.0", "MIT AND GPL-3.0", "", "(MIT OR X) AND Y", "X WITH LLVM-exception"]
    wrong += [f"the check would let `{one}` pass" for one in controls if is_allowed(one, allowed)]
    print(f"supply: {len(packages)} crates, {len(locked)} locked; licences, checksums, Rust {promised}")
    for line in wrong:
        print(f"error: {line}", file=sys.stderr)
    sys.exit(bool(wrong))


main()
