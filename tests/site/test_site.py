"""What builds the site: it finds broken links, lists every name, and refuses what is not there."""

import base64
import json
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "site"))

import build  # noqa: E402
import links  # noqa: E402
import names  # noqa: E402
import notebooks  # noqa: E402


def tree(files: dict[str, str]) -> Path:
    """A folder with these files."""
    folder = Path(tempfile.mkdtemp())
    unittest.addModuleCleanup(shutil.rmtree, folder)
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


class Links(unittest.TestCase):
    """Both walks see what is broken, and nothing else."""

    def test_sources(self) -> None:
        """In Markdown: files, from any folder; not in code."""
        good = "[b](docs/b.md#x) [web](https://example.org) [here](#a) `[c](no.md)`\n```\n[d](no.md)\n```\n"
        src = tree({"a.md": good, "docs/b.md": "[a](../a.md)"})
        self.assertEqual(links.of_sources(src), [])
        (src / "docs/b.md").write_text("[a](a.md) [b](../a.md)")
        self.assertEqual(links.of_sources(src), ["docs/b.md: `a.md` leads nowhere"])

    def test_pages(self) -> None:
        """In HTML: files and places in them, pictures and scripts."""
        good = '<a href="d/b.html#x">b</a> <a href="#top">t</a> <h1 id="top"></h1> <img src="p.svg">'
        book = tree({"a.html": good, "d/b.html": '<p id="x"></p>', "p.svg": ""})
        self.assertEqual(links.of_pages(book), [])
        (book / "d/b.html").write_text('<p id="y"></p> <script src="no.js"></script> <a href="..">u</a>')
        self.assertEqual(
            links.of_pages(book),
            [
                "a.html: `d/b.html#x` leads nowhere",
                "d/b.html: `no.js` leads nowhere",
                "d/b.html: `..` leads nowhere",
            ],
        )


class Names(unittest.TestCase):
    """The page of Python's names."""

    def test_all_of_the_package(self) -> None:
        """Every exported name has a heading and words."""
        package = ROOT / "crates/python/python/backwater"
        page = names.page(package)
        exported = names.exported(package)
        self.assertIn("Scenario", exported)
        for name in exported:
            after = page.split(f"\n## `{name}`\n")
            self.assertEqual(len(after), 2, name)
            self.assertGreater(len(after[1].strip().splitlines()[0]), 3, name)
        self.assertIn("```python\nrun(", page)

    def test_a_small_one(self) -> None:
        """Properties without arguments, methods without self, constants, nothing private."""
        code = (
            '"""P."""\n__all__ = ["A", "f", "N"]\n#: Two of\n#: them.\nN, M = 1, 2\n'
            'class A:\n    """An A."""\n    #: Its y.\n    y: int = 3\n    z: int = 4\n    def go(self, n: int = 1) -> str:\n        """Goes."""\n'
            '    @property\n    def x(self) -> int:\n        """Its x."""\n    def quiet(self): ...\n'
            'def f(*, y: int) -> None:\n    """Does."""\n'
        )
        page = names.page(tree({"__init__.py": code}))
        for part in ["go(n: int=1) -> str", "\nx -> int\n", "f(*, y: int) -> None", "An A.",
                     "## `N`", "Two of them.", "### `y`", "Its y."]:  # fmt: skip
            self.assertIn(part, page)
        self.assertNotIn("quiet", page)
        self.assertNotIn("z: int", page)


class Builder(unittest.TestCase):
    """Pages and figures."""

    def test_a_document_that_is_not_listed(self) -> None:
        """A new document must be put into the contents."""
        src = tree({"SUMMARY.md": "[a](docs/a.md)", "docs/a.md": "", "docs/s/b.md": ""})
        self.assertEqual(build.unlisted(src), ["site/SUMMARY.md: docs/s/b.md is not listed"])

    def test_figures(self) -> None:
        """They come from the run, with its report; one that it does not draw is named."""
        mark = "# T\n\n## Why?\n\n<!-- figure: run scenarios/a.toml NAME -->\n"
        work = tree({"run/a/figures/map.svg": "<svg/>", "run/a/report.html": "<p>"})
        src = tree({"docs/a.md": mark.replace("NAME", "map")})
        shown = build.illustrate(src, Path("unused"), work)
        self.assertEqual(shown, [("Why?", "live/run-a-map.svg", "live/run-a.html")])
        text = (src / "docs/a.md").read_text()
        self.assertIn("![map of scenarios/a.toml](live/run-a-map.svg)", text)
        self.assertTrue((src / "docs/live/run-a.html").is_file())
        self.assertIn("[![Why?](live/run-a-map.svg)](live/run-a.html)", build.gallery(shown))
        src = tree({"docs/a.md": mark.replace("NAME", "nosuch")})
        with self.assertRaisesRegex(SystemExit, "no figure `nosuch`; it has map"):
            build.illustrate(src, Path("unused"), work)

    def test_the_playground_is_linked_where_it_was_made(self) -> None:
        """And else said to be missing."""
        for made, words in [("p.html", "[Open the playground](live/playground.html)"), ("none", "make playground")]:
            src = tree({"docs/playground.md": "a <!-- playground --> b", "docs/live/x": "", "p.html": "<p>"})
            self.assertEqual(build.put_playground(src, src / made), made == "p.html")
            self.assertIn(words, (src / "docs/playground.md").read_text())
            self.assertEqual((src / "docs/live/playground.html").is_file(), made == "p.html")

    def test_a_run_that_fails(self) -> None:
        """Ends the building, with what the program said."""
        program = tree({"p": "#!/bin/sh\necho 'it is broken' >&2; exit 2\n"}) / "p"
        program.chmod(0o755)
        with self.assertRaisesRegex(SystemExit, "run scenarios/a.toml: it is broken"):
            build.result(program, tree({}), "run", "scenarios/a.toml")


class Notebooks(unittest.TestCase):
    """Cells as Markdown."""

    def test_words_code_and_outputs(self) -> None:
        """Figures become files; tables stay HTML in one block; objects and warnings are left out."""
        picture = {"data": {"image/png": base64.b64encode(b"PNG").decode(), "text/plain": "<Figure>"}}
        outputs = [
            {"name": "stdout", "text": ["a \x1b[31mred\x1b[0m\n", "word\n"]},
            {"name": "stderr", "text": "a warning"},
            picture,
            {"data": {"text/html": "<table>\n\n<tr></tr></table>", "text/plain": "t"}},
            {"data": {"text/plain": "<Axes: >"}},
        ]
        cells = [
            {"cell_type": "markdown", "source": ["# Title\n", "words"]},
            {"cell_type": "code", "source": "print()", "outputs": outputs},
        ]
        folder = tree({"n.ipynb": json.dumps({"cells": cells})})
        self.assertEqual(
            notebooks.page(folder / "n.ipynb", folder, "../n.ipynb"),
            "# Title\nwords\n\n[This notebook](../n.ipynb) for Jupyter.\n\n```python\nprint()\n```\n\n"
            "```text\na red\nword\n```\n\n![Figure 1](n-1.png)\n\n<table>\n<tr></tr></table>\n",
        )
        self.assertEqual((folder / "n-1.png").read_bytes(), b"PNG")

    def test_one_that_was_run_is_shown_as_run(self) -> None:
        """Else as it is stored."""
        def stored(source: str) -> str:
            cell = {"cell_type": "markdown", "source": source}
            return json.dumps({"cells": [cell]})

        src = tree({"notebooks/a.ipynb": stored("# A"), "notebooks/b.ipynb": stored("# B"), "docs/x": ""})
        executed = tree({"b.ipynb": stored("# B, run")})
        self.assertEqual(build.notebook_pages(src, executed), 1)
        self.assertIn("# A\n", (src / "docs/notebooks/a.md").read_text())
        self.assertIn("# B, run", (src / "docs/notebooks/b.md").read_text())


if __name__ == "__main__":
    unittest.main()
