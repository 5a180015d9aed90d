"""Makes the site: the documents as a book, with pictures and reports of the runs they tell of.

    python3 site/build.py [--program target/release/backwater] [--out runs/site]

The sources of the book mirror the repository, so links of documents hold. A comment in a document,

    <!-- figure: run scenarios/ethernet/incast.toml fct -->

becomes the figure `fct` of what that command finds, and a link to its report. The gallery shows them
all; the page of Python's names is read from its sources. Then every link is looked up: in the sources,
and where `mdbook` is installed (`cargo install mdbook`) in the pages it makes of them.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import links
import names
import notebooks

ROOT = Path(__file__).resolve().parent.parent
PAGES = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "benches/RESULTS.md"]
FOLDERS = ["docs", "scenarios", "benches/peers", "claims", "notebooks"]
# With outputs, once `make notebooks` has run them.
EXECUTED = ROOT / "runs/python/notebooks"
FIGURE = re.compile(r"<!-- figure: (run|sweep|compare) (\S+\.toml) (\S+) -->")
# One file, once `make playground` has made it.
PLAYGROUND = ROOT / "runs/playground.html"
HEADING = re.compile(r"^## (.*)$", re.MULTILINE)


def sources(src: Path) -> None:
    """Copies what a reader may follow a link to."""
    shutil.rmtree(src, ignore_errors=True)
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, src / folder)
    for page in [*PAGES, "LICENSE-MIT", "LICENSE-APACHE", "CITATION.cff"]:
        (src / page).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / page, src / page)
    shutil.copyfile(ROOT / "site/SUMMARY.md", src / "SUMMARY.md")


def unlisted(src: Path) -> list[str]:
    """Documents that the contents do not name."""
    contents = (src / "SUMMARY.md").read_text()
    pages = sorted(page.relative_to(src).as_posix() for page in src.glob("docs/**/*.md"))
    return [f"site/SUMMARY.md: {page} is not listed" for page in pages if f"({page})" not in contents]


def result(program: Path, work: Path, command: str, scenario: str) -> Path:
    """The directory of what the command finds; a deadlock is a result."""
    out = work / command / Path(scenario).stem
    if not out.is_dir():
        ran = subprocess.run(
            [program, command, scenario, "--out", out], cwd=ROOT, capture_output=True, text=True
        )
        if ran.returncode not in (0, 1) or not (out / "report.html").is_file():
            sys.exit(f"site: backwater {command} {scenario}: {ran.stderr}")
    return out


def illustrate(src: Path, program: Path, work: Path) -> list[tuple[str, str, str]]:
    """Puts figures in place of their comments; heading, figure and report of each."""
    shown = []
    (src / "docs/live").mkdir()
    for page in sorted(src.glob("docs/*.md")):
        text = page.read_text()

        def figure(found: re.Match[str]) -> str:
            command, scenario, name = found.groups()
            out = result(program, work, command, scenario)
            drawn = out / f"figures/{name}.svg"
            if not drawn.is_file():
                known = ", ".join(sorted(one.stem for one in drawn.parent.glob("*.svg")))
                sys.exit(f"site: {scenario} has no figure `{name}`; it has {known}")
            live = f"live/{command}-{Path(scenario).stem}"
            shutil.copyfile(drawn, src / f"docs/{live}-{name}.svg")
            shutil.copyfile(out / "report.html", src / f"docs/{live}.html")
            title = HEADING.findall(text[: found.start()])[-1]
            shown.append((title, f"{live}-{name}.svg", f"{live}.html"))
            alt = f"{name} of {scenario}"
            return f"![{alt}]({live}-{name}.svg)\n\n[The whole report]({live}.html)"

        changed = FIGURE.sub(figure, text)
        if changed != text:
            page.write_text(changed)
    return shown


def put_playground(src: Path, made: Path) -> bool:
    """Puts a link to the playground in the place of its comment; is there one?"""
    page = src / "docs/playground.md"
    is_made = made.is_file()
    link = "It is not part of this copy of the site: `make playground` makes it."
    if is_made:
        shutil.copyfile(made, src / "docs/live/playground.html")
        link = "**[Open the playground](live/playground.html)**"
    page.write_text(page.read_text().replace("<!-- playground -->", link))
    return is_made


def gallery(shown: list[tuple[str, str, str]]) -> str:
    """All figures, with their reports."""
    parts = ["# Gallery\n\nEach picture leads to a report that can be played with."]
    for title, figure, report in shown:
        parts.append(f"## {title}\n\n[![{title}]({figure})]({report})")
    return "\n\n".join(parts) + "\n"


def notebook_pages(src: Path, executed: Path) -> int:
    """A page for each notebook, with what it found where it was run; how many were."""
    folder = src / "docs/notebooks"
    folder.mkdir()
    ran = 0
    for path in sorted((src / "notebooks").glob("*.ipynb")):
        found = executed / path.name
        ran += found.is_file()
        text = notebooks.page(found if found.is_file() else path, folder, f"../../notebooks/{path.name}")
        (folder / f"{path.stem}.md").write_text(text)
    return ran


def without_results(ran: int, src: Path) -> list[str]:
    """Where everything must be there, each notebook shows what it found."""
    count = len(list((src / "notebooks").glob("*.ipynb")))
    if ran == count or os.environ.get("CI") != "true":
        return []
    return [f"site: {count - ran} of {count} notebooks have no results: `make notebooks` runs them"]


def main() -> None:
    """Builds all of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=Path, default=ROOT / "target/release/backwater")
    parser.add_argument("--out", type=Path, default=ROOT / "runs/site")
    given = parser.parse_args()
    out, program = given.out.resolve(), given.program.resolve()
    src = out / "src"
    shutil.rmtree(out, ignore_errors=True)
    sources(src)
    shown = illustrate(src, program, out / "results")
    has_playground = put_playground(src, PLAYGROUND)
    (src / "docs/gallery.md").write_text(gallery(shown))
    (src / "docs/python-api.md").write_text(names.page(ROOT / "crates/python/python/backwater"))
    ran = notebook_pages(src, EXECUTED)
    complaints = unlisted(src) + links.of_sources(src) + without_results(ran, src)
    if not complaints and shutil.which("mdbook"):
        shutil.copyfile(ROOT / "site/book.toml", out / "book.toml")
        subprocess.run(["mdbook", "build", out], check=True)
        complaints = links.of_pages(out / "book")
    if complaints:
        sys.exit("\n".join(complaints))
    if shutil.which("mdbook"):
        print(f"site: {out}/book/index.html, {len(shown)} figures, {ran} notebooks with results, "
              f"{'the' if has_playground else 'no'} playground, every link leads somewhere")
    else:
        print("site: the sources are in order; no pages without `cargo install mdbook`")


if __name__ == "__main__":
    main()
