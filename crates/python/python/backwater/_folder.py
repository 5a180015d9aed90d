"""Directories of results that the command wrote."""

import json
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backwater import _backwater, _command
from backwater._backwater import Table
from backwater._errors import ScenarioError
from backwater._plot import Plots
from backwater._progress import Progress, shown
from backwater._result import Named

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from backwater._scenario import Scenario


class Folder:
    """A directory of results of many runs: its tables and its report."""

    #: Where it is; a temporary one goes with this object.
    path: Path
    #: All promises and claims held.
    ok: bool
    #: All tables by name.
    tables: Mapping[str, Table]

    def __init__(self, made: "Made") -> None:
        self.path, self.ok, self._printed = made.path, made.ok, made.printed
        if made.is_temporary:
            weakref.finalize(self, shutil.rmtree, made.path, ignore_errors=True)
        tables = {table.name: table for table in _backwater.tables_of(os.fspath(self.path))}
        self.tables = Named("table", list(tables), tables.get)

    @property
    def manifest(self) -> dict[str, Any]:
        """What makes it again: command, version, axes, seeds."""
        manifest: dict[str, Any] = json.loads((self.path / "manifest.json").read_text("utf-8"))
        return manifest

    @property
    def plots(self) -> Mapping[str, str]:
        """Plots of the report: titles by name."""
        return Plots(self.report())

    def plot(self, name: str, ax: "Axes | None" = None) -> "Axes":
        """Draws a plot of the report with matplotlib, on `ax` or on new axes; gives the axes.

        Raises `KeyError` where there is none of this name, `ImportError` without matplotlib.
        """
        return Plots(self.report()).draw(name, ax)

    def report(self, path: str | os.PathLike[str] | None = None) -> str:
        """The report, one page of HTML that needs nothing else; also written to `path`."""
        page = (self.path / "report.html").read_bytes().decode("utf-8")
        if path is not None:
            Path(path).write_text(page, encoding="utf-8", newline="")
        return page

    def __str__(self) -> str:
        return self._printed.rstrip()

    def __repr__(self) -> str:
        kind = type(self).__name__
        return f"<backwater.{kind} {self.path}: tables {', '.join(self.tables)}>"


@contextmanager
def given_words(given: "Scenario") -> Iterator[list[str]]:
    """A scenario as words of a command, as long as that goes on."""
    with tempfile.TemporaryDirectory(prefix="backwater-") as folder:
        try:
            yield [given.written(folder), *given.sets()]
        except ScenarioError as error:
            # Of a file that is there for the command alone only the name is of interest.
            raise ScenarioError(str(error).replace(folder + os.sep, "")) from None


class Made:
    """What a command made."""

    def __init__(self, name: str, out: str | os.PathLike[str] | None) -> None:
        self.is_temporary = out is None
        self.path = Path(tempfile.mkdtemp(prefix="backwater-") if out is None else os.fspath(out))
        self.words = [name]
        self.ok, self.printed = False, ""

    def of(self, given: "Scenario", words: Sequence[str], progress: bool | Progress) -> "Made":
        """Runs it on a scenario."""
        with given_words(given) as given_as:
            return self.run([*given_as, *words], progress)

    def run(self, words: Sequence[str], progress: bool | Progress) -> "Made":
        """Runs it with these words besides; what it leaves of a temporary directory goes if it
        could not be done."""
        whole = [*self.words, *words, f"--out={self.path}"]
        try:
            with shown(progress) as show:
                self.ok, self.printed = _command.run(whole, show)
        except BaseException:
            self.discard()
            raise
        return self

    def discard(self) -> None:
        """Leaves nothing of a temporary directory."""
        if self.is_temporary:
            shutil.rmtree(self.path, ignore_errors=True)
