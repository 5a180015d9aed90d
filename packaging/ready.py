#!/usr/bin/env python3
"""Is the tree ready for a release?

    packaging/ready.py                      what must agree at any time: versions and addresses
    packaging/ready.py v1.2.3 ADDRESS       and the tag, the date, the public address

Prints what is wrong, a line each, with what to do; the exit status is 1 then.
"""

import datetime
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: Stands for the address while there is none.
PLACEHOLDER = "https://example.org/backwater"
#: Documents and metadata that tell the address.
TELL_THE_ADDRESS = ["Cargo.toml", "CITATION.cff", "README.md", "docs/start.md"]
#: A list of what runs elsewhere is too old for a release after so many days.
LOOKED_UP_DAYS = 180
#: An image that ends sooner after the release would end before the next one.
IMAGE_DAYS = 60


def citation(text: str) -> dict[str, str]:
    """The fields of a citation file that are one line each."""
    return dict(re.findall(r'^([a-z-]+): "?([^"\n]+)"?$', text, re.MULTILINE))


def disagreements(root: Path = ROOT) -> list[str]:
    """Where two places of the tree say different things of the release."""
    manifest = tomllib.loads((root / "Cargo.toml").read_text())["workspace"]
    package, cited = manifest["package"], citation((root / "CITATION.cff").read_text())
    version = package["version"]
    wrong = []
    for name, needed in manifest["dependencies"].items():
        if name.split("-")[0] == "backwater" and needed.get("version") != f"={version}":
            wrong.append(f'Cargo.toml: {name} needs `version = "={version}"`, as all crates do')
    for field, meant in [
        ("version", version),
        ("url", package["homepage"]),
        ("repository-code", package["repository"]),
    ]:
        if cited.get(field) != meant:
            wrong.append(f"CITATION.cff: `{field}` is {cited.get(field)}; Cargo.toml says {meant}")
    newest = re.search(r"^## \[(.*)\] - (.*)$", (root / "CHANGELOG.md").read_text(), re.MULTILINE)
    heading = f"## [{version}] - {cited.get('date-released')}"
    if newest is None or newest[0] != heading:
        wrong.append(f"CHANGELOG.md: the first heading of a version must be `{heading}`")
    return wrong


def hindrances(tag: str, address: str, root: Path = ROOT) -> list[str]:
    """What a release must not have."""
    package = tomllib.loads((root / "Cargo.toml").read_text())["workspace"]["package"]
    outside = tomllib.loads((root / "packaging/outside.toml").read_text())
    wrong = []
    if tag != f"v{package['version']}":
        wrong.append(f"the tag is {tag}; Cargo.toml has the version {package['version']}")
    for name in TELL_THE_ADDRESS:
        if PLACEHOLDER in (root / name).read_text():
            wrong.append(f"{name}: {PLACEHOLDER} is no address: docs/dev/release.md says how to set it")
    if package["repository"].removesuffix("/") != address:
        wrong.append(f"Cargo.toml: `repository` is {package['repository']}; this is {address}")
    released = datetime.date.fromisoformat(
        citation((root / "CITATION.cff").read_text()).get("date-released", "1970-01-01")
    )
    age = (released - outside["looked_up"]).days
    if age > LOOKED_UP_DAYS:
        wrong.append(f"packaging/outside.toml was looked up {age} days before: look again")
    used = "\n".join(path.read_text() for path in (root / ".github/workflows").glob("*.yml"))
    for image in outside["images"]:
        left = (image.get("until", datetime.date.max) - released).days
        if left < IMAGE_DAYS and re.search(rf"\b{image['label']}(?![\w.-])", used):
            wrong.append(f"the workflows use {image['label']}, whose jobs fail from {image['until']}")
    return wrong


def main() -> None:
    """Prints what is wrong."""
    if len(sys.argv) not in (1, 3):
        sys.exit(__doc__)
    wrong = disagreements()
    if len(sys.argv) == 3:
        wrong += hindrances(*sys.argv[1:])
    for line in wrong:
        print(f"error: {line}", file=sys.stderr)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
