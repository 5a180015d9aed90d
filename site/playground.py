"""Makes the playground: one page that runs scenarios in a browser, without a network.

    python3 site/playground.py [--out runs/playground.html]

The program is crates/playground, compiled for WebAssembly; cargo and the target `wasm32-wasip1` are
needed. The page holds the program, all scenarios that are shipped and what they read.
"""

import argparse
import base64
import gzip
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PARTS = ROOT / "site/playground"
# Its first scenario, and folders in the order of the menu; those of benches take long in a browser.
FIRST = "scenarios/ethernet/backwater.toml"
FOLDERS = ["ethernet", "compare", "kung1993", "zhang1991", "dally1990", "nouredine1999", "kalyanaraman1998", "abr",
           "schedulers", "flit", "booksim"]  # fmt: skip
LARGEST_BYTES = 4_200_000


def compiled() -> bytes:
    """The program as WebAssembly."""
    command = [os.environ.get("CARGO", "cargo"), "build", "--locked", "--package", "backwater-playground",
               "--profile", "playground", "--target", "wasm32-wasip1"]  # fmt: skip
    subprocess.run(command, cwd=ROOT, check=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return (target / "wasm32-wasip1/playground/playground.wasm").read_bytes()


def scenarios() -> dict:
    """What the menu offers, and the files that they name, by their paths."""
    offered, files = [], {}
    for folder in FOLDERS:
        for path in sorted((ROOT / "scenarios" / folder).iterdir()):
            name, text = path.relative_to(ROOT).as_posix(), path.read_text()
            if path.suffix == ".toml":
                title = tomllib.loads(text).get("title", path.stem)
                offered.append({"name": name, "title": title, "text": text})
            else:
                files[name] = text
    offered.sort(key=lambda one: one["name"] != FIRST)
    return {"scenarios": offered, "files": files}


def page(program: bytes) -> str:
    """The whole page; colours are those of reports."""
    colours, _, _ = (ROOT / "crates/results/assets/report.css").read_text().partition("/* Type and page.")
    packed = gzip.compress(program, compresslevel=9, mtime=0)
    parts = {
        "style": colours + (PARTS / "page.css").read_text(),
        "examples": json.dumps(scenarios(), ensure_ascii=False).replace("</", "<\\/"),
        "program": base64.b64encode(packed).decode(),
        "worker": (PARTS / "worker.js").read_text(),
        "script": (PARTS / "page.js").read_text(),
    }
    text = (PARTS / "page.html").read_text()
    for name, part in parts.items():
        text = text.replace("{{" + name + "}}", part)
    return text


def main() -> None:
    """Builds it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "runs/playground.html")
    out = parser.parse_args().out.resolve()
    text = page(compiled())
    size = len(text.encode())
    if size > LARGEST_BYTES:
        sys.exit(f"playground: {size} bytes, at most {LARGEST_BYTES} are to be loaded")
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(text)
    print(f"playground: {out}, {size / 1e6:.2f} MB with all that it needs")


if __name__ == "__main__":
    main()
