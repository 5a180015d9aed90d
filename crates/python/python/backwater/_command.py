"""The command `backwater`, and what is left to it: many runs at once.

Sweeps, searches, comparisons and papers are the command's, in a process of its own: it uses all
cores, keeps points for the next time, and stops in time when memory runs short.
"""

import logging
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, NamedTuple, NoReturn

from backwater._backwater import command
from backwater._errors import RunError, ScenarioError
from backwater._progress import Progress

_BAD_INPUT, _SHORT_OF_MEMORY = 2, 3
_DONE = re.compile(r"(checking|running|comparing|reproduce): ([\d,]+) of ([\d,]+)")
_WRONG_VALUE = re.compile(r"error: invalid value '(.*)' for '--([\w-]+) <.*>': (.*)")
# What begins there is none of the lines shown of a scenario, and no count of warnings.
_BEGIN = re.compile(r"^(?=[A-Za-z]|\d+ +[^ |])(?!\d+ (?:error|warning|note)s?\b)", re.MULTILINE)
#: What the command calls what it reads from there.
_INPUT = "standard input"
#: Where this package is, and how a process runs the command of it: the same wherever it works, and
#: however this process has found the package.
_PACKAGE = os.path.abspath(os.path.join(os.path.dirname(__file__), "__init__.py"))
_CHILD = """
import importlib.util, sys
found = importlib.util.spec_from_file_location("backwater", sys.argv.pop(1))
sys.modules["backwater"] = package = importlib.util.module_from_spec(found)
found.loader.exec_module(package)
from backwater._command import main
main()
"""
#: What Python says where an exception ends it.
_TRACEBACK = "Traceback (most recent call last):"
_LOGGER = logging.getLogger("backwater")


def main() -> NoReturn:
    """Runs the command with the words it was called with, and ends with its exit status."""
    # The command has its own way to stop, which keeps what was computed.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(command(sys.argv[1:]))


class Input(NamedTuple):
    """What a command reads from its standard input."""

    #: What messages call it.
    name: str = _INPUT
    text: str = ""
    #: Where it is to work; None for the folder of this process.
    folder: str | None = None


def run(
    words: Sequence[str], progress: Progress | None = None, given: Input = Input()
) -> tuple[bool, str, str]:
    """Runs the command in a process of its own: did all promises and claims hold, what it printed,
    and what it printed on stderr.

    Raises `ScenarioError` or `RunError` with what it printed, where it could not do it, and
    `ValueError` for a wrong option. Else what it has to say goes to the logger `backwater`. Ctrl-C
    stops it, and what it computed is kept.
    """
    whole = [sys.executable, "-P", "-c", _CHILD, _PACKAGE, *words]
    lines: list[str] = []
    # Ctrl-C is passed on once: a second one would discard what was computed.
    with (
        _input(given.text) as text,
        subprocess.Popen(
            whole,
            stdin=text,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            cwd=given.folder,
            start_new_session=True,
            env={**os.environ, "NO_COLOR": "1", **({"BACKWATER_PROGRESS": "1"} if progress else {})},
        ) as child,
    ):
        reader = threading.Thread(target=_read, args=(child, lines, progress), daemon=True)
        reader.start()
        with _stopped_with_us(child):
            assert child.stdout is not None
            printed = child.stdout.read()
            child.wait()
        reader.join()
    said = "".join(lines).strip().replace(_INPUT, given.name)
    status = child.returncode
    if status == _BAD_INPUT:
        wrong = _WRONG_VALUE.match(said)
        if wrong is not None:
            value, option, why = wrong.groups()
            raise ValueError(f"{option} is {value}: {why}")
        raise ScenarioError(said)
    if status == _SHORT_OF_MEMORY:
        raise RunError(said)
    # Python ends with 1 too: then it is no claim or promise that failed.
    if status not in (0, 1) or _TRACEBACK in said:
        raise RunError(f"the command ended with status {status}\n{said}")
    _log(said)
    if progress is not None:
        progress(1.0, "")
    return status == 0, printed, said


@contextmanager
def _input(text: str) -> Iterator[IO[bytes]]:
    """A file that holds the text. Unlike a pipe, nobody has to write while the command reads."""
    with tempfile.TemporaryFile() as file:
        file.write(text.encode())
        file.seek(0)
        yield file


def _log(said: str) -> None:
    """What a command that did its work has to say, as runs in this process say it."""
    for one in _BEGIN.split(said):
        text = one.strip()
        if text.startswith("note: "):
            _LOGGER.info("%s", text.removeprefix("note: "))
        elif text.endswith(" there already"):
            _LOGGER.info("%s", text)
        elif text:
            _LOGGER.warning("%s", text)


def _read(child: subprocess.Popen[str], lines: list[str], progress: Progress | None) -> None:
    assert child.stderr is not None
    for line in child.stderr:
        done = _DONE.match(line)
        if done and progress is not None:
            share, of = (int(number.replace(",", "")) for number in done.groups()[1:])
            if done[1] != "checking":
                progress(share / max(of, 1), line.strip())
        elif not done:
            lines.append(line)


@contextmanager
def _stopped_with_us(child: subprocess.Popen[str]) -> Iterator[None]:
    try:
        yield
    except BaseException:
        child.send_signal(signal.SIGINT)
        child.wait()
        raise
