"""Notebooks as pages: words, code, what it printed and drew."""

import base64
import json
import re
from pathlib import Path

COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def _text(lines: list[str] | str) -> str:
    return lines if isinstance(lines, str) else "".join(lines)


def _output(output: dict, drawn: list[bytes], name: str) -> str:
    data = output.get("data", {})
    if "image/png" in data:
        drawn.append(base64.b64decode(_text(data["image/png"])))
        return f"![Figure {len(drawn)}]({name}-{len(drawn)}.png)"
    if "text/html" in data:
        # A blank line would end the block.
        return re.sub(r"\n\s*\n", "\n", _text(data["text/html"]))
    if output.get("name") == "stderr":
        return ""
    shown = COLOURS.sub("", _text(output.get("text", data.get("text/plain", "")))).rstrip()
    is_object = shown.startswith(("<", "[<", "interactive(", "Text("))
    return f"```text\n{shown}\n```" if shown and not is_object else ""


def page(path: Path, folder: Path, origin: str) -> str:
    """Markdown of a notebook; its figures go to `folder`, `origin` leads to the notebook itself."""
    parts: list[str] = []
    drawn: list[bytes] = []
    for cell in json.loads(path.read_text())["cells"]:
        source = _text(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        parts += [_output(output, drawn, path.stem) for output in cell["outputs"]]
    for number, picture in enumerate(drawn, 1):
        (folder / f"{path.stem}-{number}.png").write_bytes(picture)
    parts.insert(1, f"[This notebook]({origin}) for Jupyter.")
    return "\n\n".join(part for part in parts if part) + "\n"
