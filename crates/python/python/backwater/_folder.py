"""Directories of results that the command wrote."""

import json
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from backwater import _backwater, _command
from backwater._errors import RunError, ScenarioError
from backwater._named import Named, Tabled
from backwater._plot import Plots
from backwater._progress import Progress, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from backwater._scenario import Scenario

#: How it begins to say that it can't use a directory.
_NO_DIRECTORY = "error: can't "


T = TypeVar("T")


def object_of(path: Path, file: str) -> dict[str, Any]:
    """A file of a directory of results that holds an object of JSON, read as the program reads it: what
    is no file, or too large, is refused."""
    text = _backwater.text_of(os.fspath(path), file)
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RunError(f"`{path}` is no directory of results: {file}: {error}") from error
    if not isinstance(found, dict):
        raise RunError(f"`{path}` is no directory of results: {file} is no object")
    return found


def manifest_of(path: Path) -> dict[str, Any]:
    """The manifest of a directory of results."""
    return object_of(path, "manifest.json")


def field(path: Path, manifest: Mapping[str, Any], key: str, kind: type[T]) -> T:
    """What a manifest says under a key that it must have."""
    found = manifest.get(key)
    if not isinstance(found, kind):
        what = f"no `{key}`" if found is None else f"`{key}` is {found!r:.60}"
        raise RunError(f"`{path}` is no whole directory of results: manifest.json: {what}")
    return found


class Folder(Tabled):
    """A directory of results of many runs: its tables and its report.

    Each table is an item and an attribute: `found["schemes"]`, `found.schemes`.
    """

    #: Where it is; a temporary one goes with this object.
    path: Path
    #: All promises and claims held.
    ok: bool

    def __init__(self, made: "Made") -> None:
        self.path, self.ok, self._printed = made.path, made.ok, made.printed
        if made.is_temporary:
            weakref.finalize(self, shutil.rmtree, made.path, ignore_errors=True)
        tables = {table.name: table for table in _backwater.tables_of(os.fspath(self.path))}
        self._tables = Named("table", list(tables), tables.get)

    @property
    def tables(self) -> Named:
        """All tables by name."""
        return self._tables

    @property
    def manifest(self) -> dict[str, Any]:
        """What makes it again: command, version, axes, seeds."""
        return manifest_of(self.path)

    def _told(self, key: str, kind: type[T]) -> T:
        """What the manifest says of something that it must name."""
        return field(self.path, self.manifest, key, kind)

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
        page = _backwater.text_of(os.fspath(self.path), "report.html")
        if path is not None:
            Path(path).write_text(page, encoding="utf-8", newline="")
        return page

    def __str__(self) -> str:
        return self._printed.rstrip()

    def __repr__(self) -> str:
        kind = type(self).__name__
        return f"<backwater.{kind} {self.path}: tables {', '.join(self.tables)}>"


@contextmanager
def given_file(given: "Scenario") -> Iterator[tuple[str, str | None]]:
    """A scenario as a path, as long as that goes on, and its text where no file there has it."""
    if given._has_file():
        yield given.name, None
    elif given._folder() is not None:
        yield given.name, given.text
    else:
        with _shipped(given) as (_, path):
            yield path, None


@contextmanager
def given_input(given: "Scenario") -> Iterator[tuple[str, _command.Input]]:
    """A scenario as the argument of a command, and what it reads from its standard input."""
    folder = given._folder()
    if given._has_file():
        yield given.name, _command.Input()
    elif folder is not None:
        yield "-", _command.Input(given.name, given.text, folder or None)
    else:
        with _shipped(given) as (folder, _):
            yield "-", _command.Input(given.name, given.text, folder)


@contextmanager
def _shipped(given: "Scenario") -> Iterator[tuple[str, str]]:
    """A shipped scenario in a folder with the files it reads; its path there."""
    with tempfile.TemporaryDirectory(prefix="backwater-") as folder:
        try:
            yield folder, given._written(folder)
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
        with given_input(given) as (file, text):
            return self.run([file, *given._sets(), *words], progress, text)

    def run(
        self,
        words: Sequence[str],
        progress: bool | Progress,
        given: _command.Input = _command.Input(),
    ) -> "Made":
        """Runs it with these words besides; what it leaves of a temporary directory goes if it
        could not be done."""
        out = self.path.absolute() if given.folder else self.path
        whole = [*self.words, *words, f"--out={out}"]
        try:
            with shown(progress) as show:
                self.ok, self.printed, said = _command.run(whole, show, given)
            if not (self.path / "manifest.json").is_file():
                raise RunError(f"the command left no results in `{self.path}`\n{said}".rstrip())
        except ScenarioError as error:
            self.discard()
            if str(error).startswith(_NO_DIRECTORY) and f" {out}" in str(error):
                raise RunError(str(error)) from None
            raise
        except BaseException:
            self.discard()
            raise
        return self

    def discard(self) -> None:
        """Leaves nothing of a temporary directory."""
        if self.is_temporary:
            shutil.rmtree(self.path, ignore_errors=True)
