"""What can go wrong."""

import re
from collections.abc import Iterator, Sequence

from backwater._backwater import Diagnostic

_ONE = re.compile(r"^(error|warning|note)\[([\w-]+)\]: (.*)$", re.MULTILINE)
_PLACE = re.compile(r"^ *--> (.*):(\d+):(\d+)$", re.MULTILINE)
_LABEL = re.compile(r"^ *\| .*\^ (.+)$", re.MULTILINE)
_LINES = re.compile(r"^ *= (note|help): (.*)$", re.MULTILINE)


class ScenarioError(ValueError):
    """The scenario can't run: its text has mistakes, or it can't be read.

    The message is what the command prints: for each mistake its place, what was found there, what
    is allowed and how to go on.
    """

    #: Every mistake and warning by itself, in the order of the file.
    diagnostics: list[Diagnostic]

    def __init__(self, message: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(message)
        self.diagnostics = list(diagnostics) or list(_told(message))


class RunError(RuntimeError):
    """A run can't start or can't go on, such as for want of memory, or results can't be written."""


def _told(message: str) -> Iterator[Diagnostic]:
    """The mistakes that a command has printed."""
    found = list(_ONE.finditer(message))
    ends = [one.start() for one in found] + [len(message)]
    for one, end in zip(found, ends[1:], strict=True):
        rest = message[one.end() : end]
        place = _PLACE.search(rest)
        file, line, column = place.groups() if place else ("", "1", "1")
        lines: dict[str, list[str]] = {"note": _LABEL.findall(rest), "help": []}
        for kind, text in _LINES.findall(rest):
            lines[kind].append(text)
        details, ways = ("\n".join(lines[kind]) for kind in ("note", "help"))
        severity, code, what = one.groups()
        yield Diagnostic(severity, code, what, details, ways, file, int(line), int(column))
