"""Looks up every link of the site."""

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

LINK = re.compile(r"\]\(([^)\s]+)\)")
ELSEWHERE = re.compile(r"^[a-z]+:|^//")


def of_sources(src: Path) -> list[str]:
    """Links in Markdown to files that are not there."""
    complaints = []
    for page in sorted(src.glob("**/*.md")):
        text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
        text = re.sub(r"`[^`\n]*`", "", text)
        for link in LINK.findall(text):
            path = unquote(link.split("#")[0])
            if path and not ELSEWHERE.match(link) and not (page.parent / path).exists():
                complaints.append(f"{page.relative_to(src)}: `{link}` leads nowhere")
    return complaints


class Page(HTMLParser):
    """What a page links to, and where in it one can land."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Of each tag what matters."""
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.places.add(value)
            if (tag, name) in (("a", "href"), ("img", "src"), ("link", "href"), ("script", "src")):
                self.links.append(value or "")


def of_pages(book: Path) -> list[str]:
    """Links in HTML to files or places that are not there."""
    files = [page for page in book.glob("**/*.html") if "live" not in page.parts]
    pages = {page: Page(page.read_text()) for page in sorted(files)}
    complaints = []
    for page, found in pages.items():
        for link in found.links:
            if ELSEWHERE.match(link) or page.name in ("print.html", "404.html", "toc.html"):
                continue
            path, _, place = unquote(link).partition("#")
            target = (page.parent / path).resolve() if path else page
            if target.is_dir():
                target /= "index.html"
            known = pages.get(target)
            if not target.exists() or (place and known and place not in known.places):
                complaints.append(f"{page.relative_to(book)}: `{link}` leads nowhere")
    return complaints
