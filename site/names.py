"""The page of all names of the package for Python, from its sources."""

import ast
from pathlib import Path

BEGIN = "# Python: all names\n\n[How to use them](python.md). Read from the docstrings of the package.\n"


def definitions(package: Path) -> dict[str, tuple[ast.stmt, str]]:
    """Classes, functions and constants by name, of sources and stubs, with the text they are in."""
    found: dict[str, tuple[ast.stmt, str]] = {}
    for file in sorted([*package.glob("*.py"), *package.glob("*.pyi")]):
        text = file.read_text()
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                found.setdefault(node.name, (node, text))
            elif isinstance(node, ast.Assign | ast.AnnAssign) and told(node, text):
                target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
                for name in ast.walk(target):
                    if isinstance(name, ast.Name):
                        found.setdefault(name.id, (node, text))
    return found


def told(node: ast.stmt, text: str) -> str:
    """The comment `#:` above it."""
    lines = text.splitlines()[: node.lineno - 1]
    above = []
    while lines and lines[-1].strip().startswith("#:"):
        above.insert(0, lines.pop().strip().removeprefix("#:").strip())
    return " ".join(above)


def exported(package: Path) -> list[str]:
    """`__all__`."""
    for node in ast.parse((package / "__init__.py").read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return []


def signature(node: ast.FunctionDef) -> str:
    """As one writes the call."""
    arguments = ast.unparse(node.args).removeprefix("self, ").removeprefix("self")
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    if any(ast.unparse(one) == "property" for one in node.decorator_list):
        return f"{node.name}{result}"
    return f"{node.name}({arguments}){result}"


def entry(node: ast.FunctionDef, level: str) -> str:
    """A function, a method or a property."""
    text = ast.get_docstring(node) or ""
    return f"{level} `{node.name}`\n\n```python\n{signature(node)}\n```\n\n{text}\n"


def value(name: str, node: ast.stmt, text: str, level: str) -> str:
    """A constant or an attribute."""
    return f"{level} `{name}`\n\n```python\n{ast.unparse(node)}\n```\n\n{told(node, text)}\n"


def page(package: Path) -> str:
    """All of them, in the order of `__all__`."""
    known = definitions(package)
    parts = [BEGIN]
    for name in exported(package):
        node, text = known[name]
        if isinstance(node, ast.FunctionDef):
            parts.append(entry(node, "##"))
            continue
        if isinstance(node, ast.Assign | ast.AnnAssign):
            parts.append(value(name, node, text, "##"))
            continue
        assert isinstance(node, ast.ClassDef)
        parts.append(f"## `{name}`\n\n{ast.get_docstring(node) or ''}\n")
        for one in node.body:
            if isinstance(one, ast.AnnAssign) and told(one, text):
                parts.append(value(ast.unparse(one.target), one, text, "###"))
            is_told = isinstance(one, ast.FunctionDef) and ast.get_docstring(one)
            if is_told and not one.name.startswith("__"):
                parts.append(entry(one, "###"))
    return "\n".join(parts)
