"""The command `backwater`, and what is left to it: many runs at once.

Sweeps, searches, comparisons and papers are the command's, in a process of its own: it uses all
cores, keeps points for the next time, and stops in time when memory runs short.
"""

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn

from backwater._backwater import command
from backwater._errors import RunError, ScenarioError
from backwater._progress import Progress

_BAD_INPUT, _SHORT_OF_MEMORY = 2, 3
_DONE = re.compile(r"\w+: ([\d,]+) of ([\d,]+)")


def main() -> NoReturn:
    """Runs the command with the words it was called with, and ends with its exit status."""
    # The command has its own way to stop, which keeps what was computed.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(command(sys.argv[1:]))


def run(
    words: Sequence[str], progress: Progress | None = None, folder: str | None = None
) -> tuple[bool, str]:
    """Runs the command in a process of its own: did all promises and claims hold, what it printed.

    Raises `ScenarioError` or `RunError` with what it printed, where it could not do it. Ctrl-C
    stops it, and what it computed is kept.
    """
    whole = [sys.executable, "-m", "backwater", *words]
    lines: list[str] = []
    # Ctrl-C is passed on once: a second one would discard what was computed.
    with subprocess.Popen(
        whole,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        cwd=folder,
        start_new_session=True,
        env={**os.environ, "NO_COLOR": "1"},
    ) as child:
        reader = threading.Thread(target=_read, args=(child, lines, progress), daemon=True)
        reader.start()
        with _stopped_with_us(child):
            assert child.stdout is not None
            printed = child.stdout.read()
            child.wait()
        reader.join()
    said = "".join(lines).strip()
    status = child.returncode
    if status == _BAD_INPUT:
        raise ScenarioError(said)
    if status == _SHORT_OF_MEMORY:
        raise RunError(said)
    if status not in (0, 1):
        raise RunError(f"the command ended with status {status}\n{said}")
    if progress is not None:
        progress(1.0, "")
    return status == 0, printed


def _read(child: subprocess.Popen[str], lines: list[str], progress: Progress | None) -> None:
    assert child.stderr is not None
    for line in child.stderr:
        done = _DONE.match(line)
        if done and progress is not None:
            share, of = (int(number.replace(",", "")) for number in done.groups())
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
