"""Values and dictionaries as TOML, the language of scenarios."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def document(tables: Mapping[str, Any]) -> str:
    """A dictionary as a scenario's text: a table of it is a table there."""
    return "\n".join(_lines(tables, [])).lstrip() + "\n"


def paths(given: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Paths of a dictionary with tables in tables, each with its value."""
    for key, item in given.items():
        if not isinstance(key, str):
            raise TypeError(f"{key!r} is a key: keys of a scenario are strings")
        # A key of the whole dictionary may be a path; below, a dot is part of a name.
        path = f"{above}.{_part(key)}" if above else key
        if isinstance(item, Mapping) and item:
            yield from paths(item, path)
        else:
            yield path, item


def names(given: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """Paths of what stands in a scenario, tables and items of lists by their names too."""
    for key, item in given.items():
        path = f"{above}{_part(key)}"
        yield path
        if isinstance(item, Mapping):
            yield from names(item, f"{path}.")
        elif isinstance(item, list):
            for one in item:
                if isinstance(one, Mapping) and isinstance(one.get("name"), str):
                    yield from names(one, f"{path}.{_part(one['name'])}.")


def _part(name: str) -> str:
    return f'"{name}"' if "." in name else name


def value(given: object, where: str = "value") -> str:
    """A value as it stands behind `=`. Strings are strings, whatever they hold."""
    given = _plain(given)
    match given:
        case bool():
            return "true" if given else "false"
        case str():
            return _string(given)
        case int():
            return str(int(given))
        case float():
            return repr(float(given))
        case Mapping():
            pairs = (
                f"{_key(key)} = {value(item, f'{where}.{key}')}" for key, item in given.items()
            )
            return "{ " + ", ".join(pairs) + " }"
        case Sequence():
            return "[" + ", ".join(value(item, f"{where}[]") for item in given) + "]"
    kind = type(given).__name__
    raise TypeError(
        f"{where} is {given!r}, of type {kind}: a scenario holds bool, int, float, str, lists and "
        "dictionaries of them; leave a key out where it has no value"
    )


def _lines(table: Mapping[str, Any], path: list[str]) -> Iterator[str]:
    inner: dict[str, Any] = {key: item for key, item in table.items() if _is_inner(item)}
    for key, item in table.items():
        if key not in inner:
            yield f"{_key(key)} = {value(item, '.'.join([*path, str(key)]))}"
    for key, item in inner.items():
        below = [*path, str(key)]
        name = ".".join(_key(part) for part in below)
        if isinstance(item, Mapping):
            yield f"\n[{name}]"
            yield from _lines(item, below)
        else:
            for one in item:
                yield f"\n[[{name}]]"
                yield from _lines(one, below)


def _is_inner(item: Any) -> bool:
    """A table, or a list of nothing but tables."""
    is_list = isinstance(item, Sequence) and not isinstance(item, str)
    is_list = is_list and bool(item) and all(isinstance(one, Mapping) for one in item)
    return isinstance(item, Mapping) or is_list


def _plain(given: Any) -> object:
    """A number of numpy as one of Python."""
    is_plain = isinstance(given, bool | int | float | str | Mapping)
    if not is_plain and hasattr(given, "tolist"):
        return given.tolist()
    return given


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"{key!r} is a key: keys of a scenario are strings")
    return key if _BARE.fullmatch(key) else _string(key)


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")
