"""Scenarios: what to simulate."""

import difflib
import os
import shlex
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, overload

from backwater import _backwater, _toml
from backwater._backwater import Diagnostic, Flow, Table
from backwater._errors import ScenarioError
from backwater._outside import Controls, Sources, named, placed
from backwater._progress import Progress, shown
from backwater._result import Result
from backwater._sweep import Axis, Sweep

#: No value, where `None` may be one.
_NOTHING = object()


class Scenario:
    """What to simulate: a text in the scenario language, and what was changed of it.

    It never changes itself: `set` gives another one. Mistakes are found by `check` and by whatever
    runs it.
    """

    __slots__ = ("_core",)
    _core: _backwater.Scenario

    def __init__(self, core: _backwater.Scenario) -> None:
        self._core = core

    @property
    def name(self) -> str:
        """What messages call it: the path of its file, or where else it is from."""
        return self._core.name

    @property
    def text(self) -> str:
        """Its text, without the changes."""
        return self._core.text

    @property
    def changes(self) -> dict[str, str]:
        """What was changed, by path; values are TOML."""
        return dict(self._core.changes)

    @overload
    def set(self, path: str, value: object, /) -> "Scenario": ...
    @overload
    def set(self, path: Mapping[str, object], /) -> "Scenario": ...
    def set(self, path: str | Mapping[str, object], value: object = _NOTHING, /) -> "Scenario":
        """The same with a key changed, or added; of a dictionary with all of its keys.

        `path` is that of `backwater run --set`: `run.duration`, `flows.VC1.priority`,
        `links.A-S1.delay`, `flows.*.start`. `value` is a bool, int, float, str, or a list or
        dictionary of them; times, rates and sizes are strings with a unit, such as `"50 ms"`.

        A dictionary has such paths, or tables in tables: `set({"run": {"seed": 2}, "load": 0.5})`
        changes these two keys and leaves all else as it is.
        """
        if isinstance(path, str):
            if value is _NOTHING:
                raise TypeError(f"set({path!r}) lacks a value; `unset` takes a key away")
            return Scenario(self._core.changed(path, _toml.value(value, path)))
        if not isinstance(path, Mapping) or value is not _NOTHING:
            raise TypeError("set takes a path and a value, or a dictionary of them")
        core = self._core
        for key, given in _toml.paths(path):
            core = core.changed(key, _toml.value(given, key))
        return Scenario(core)

    def unset(self, path: str) -> "Scenario":
        """The same without a key, so that its default holds."""
        return Scenario(self._core.changed(path, "unset"))

    def get(self, path: str, default: object = None) -> Any:
        """The value at a path: as it stands in the text and its changes, else by default.

        Paths are those of `set`; `flows.*.start` gives a list. Values are those of TOML: times,
        rates and sizes are strings with a unit. Gives `default` where nothing has this path.
        """
        found = self._core.value(path)
        return default if found is None else tomllib.loads(f"value = {found}")["value"]

    def __getitem__(self, path: str) -> Any:
        found = self.get(path, _NOTHING)
        if found is _NOTHING:
            raise KeyError(self._missing(path))
        return found

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and self.get(path, _NOTHING) is not _NOTHING

    def __iter__(self) -> Iterator[str]:
        """Paths of all that stands in it."""
        return _toml.names(self.to_dict())

    def _missing(self, path: str) -> str:
        try:
            known = list(_toml.names(tomllib.loads(self.resolved())))
        except ScenarioError:
            known = list(self)
        near = difflib.get_close_matches(path, known, 3)
        meant = f"did you mean {' or '.join(f'`{one}`' for one in near)}?" if near else ""
        return f"nothing stands at `{path}`; {meant or '`resolved()` has all keys'}"

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)

    def to_dict(self) -> dict[str, Any]:
        """The text and its changes as a dictionary, which `backwater.scenario` takes.

        `tomllib.loads(scenario.resolved())` has every default besides.
        """
        found: dict[str, Any] = tomllib.loads(f"value = {self._core.value('')}")["value"]
        return found

    def check(self) -> list[Diagnostic]:
        """Every mistake and warning, in the order of the file; empty where there is none."""
        return self._core.check()

    def resolved(self) -> str:
        """The scenario as TOML with every default and every change written out.

        Raises `ScenarioError` where it has mistakes.
        """
        return self._core.resolved()

    def bound_hops(self) -> Table | None:
        """What the delay bound of each flow is made of, link by link.

        A row for each link on a flow's path, as `backwater check --verbose` prints it: the column
        `term` adds up to the bound. None where no flow has one.
        """
        return self._core.bound_hops()

    def headroom(self) -> Table | None:
        """What each queue and input under stops needs and has of headroom, term by term.

        A row for each input of each place: the least spare first, as `backwater check --verbose`
        prints it. None where nothing is stopped.
        """
        return self._core.headroom()

    def run(
        self,
        *,
        seed: int | None = None,
        threads: int = 1,
        audit: bool = False,
        progress: bool | Progress = False,
        sources: Sources | None = None,
        controls: Controls | None = None,
    ) -> Result:
        """Runs it to its end and gives what it found.

        `seed` is the root of all random streams, the same as `set("run.seed", seed)`. `threads` (1
        to 64) divides the one run; results do not depend on it. `audit` also checks promises while
        the run goes on, which is slower. `progress` shows a bar, or is called with the share that
        is done and a few words about every 50 ms.

        `sources` and `controls` put classes of Python in the place of what the scenario says: by
        name of a flow (`*` for any part of it) a `Source` or a `Control`. They are called at their
        events, which is slow: good for trying an idea, on one thread. What they raise ends the run
        and is raised here.

        Other threads of Python go on meanwhile. Ctrl-C stops it and raises `KeyboardInterrupt`.
        Raises `ScenarioError` where the scenario has mistakes, `RunError` where it can't run. What
        runs have to say goes to the logger `backwater`.
        """
        if not 1 <= threads <= 64:
            raise ValueError(f"threads is {threads}; it may be from 1 to 64")
        seeded = self if seed is None else self.set("run.seed", seed)
        command = seeded.command(audit=audit)
        flows = seeded.flows() if sources or controls else []
        given = {
            "sources": placed(sources or {}, flows, "sources"),
            "controls": placed(controls or {}, flows, "controls"),
        }
        for what, some in given.items():
            if some:
                command += f" # {what} of Python: {', '.join(named(some))}"
        with shown(progress) as show:
            found = seeded._core.run(threads, audit, show, command, given)
        return Result(found)

    def flows(self) -> list[Flow]:
        """Its flows, as classes for `run(sources=, controls=)` see them; none in cycles.

        Raises `ScenarioError` where it has mistakes.
        """
        return self._core.flows()

    def sweep(
        self,
        axes: Mapping[str, Axis],
        *,
        seeds: int | Sequence[int] | None = None,
        columns: Sequence[str] = (),
    ) -> Sweep:
        """Every combination of the values of `axes` and of seeds; its `run` computes them.

        An axis is a path as for `set` with a list of values, or with
        `{"from": 0.1, "to": 0.9, "step": 0.1}`. `seeds` is how many there are, or a list of them.
        `columns` asks for those of flows, such as `victim.goodput`. Axes of the scenario's own
        `[sweep]` count too.
        """
        return Sweep(self, axes, seeds, columns)

    def _sets(self) -> list[str]:
        """The changes as options of the command."""
        return [f"--set={path}={value}" for path, value in self._core.changes]

    def _has_file(self) -> bool:
        """Its text is that of the file that it is called by."""
        own = Path(self.name)
        return not self._core.is_shipped and own.is_file() and own.read_bytes() == self._bytes()

    def _folder(self) -> str | None:
        """The folder that names of files in it start from; None for a shipped one."""
        return None if self._core.is_shipped else os.path.dirname(self.name)

    def _written(self, folder: str) -> str:
        """The path of a file with the text, written into `folder` with the shipped files that it
        reads."""
        own = Path(self.name)
        name = own.name if own.suffix == ".toml" else "scenario.toml"
        for other, text in [*self._core.beside, (name, self.text)]:
            Path(folder, other).write_text(text, encoding="utf-8", newline="")
        return os.path.join(folder, name)

    def command(self, *, audit: bool = False) -> str:
        """The command that runs the same, as a shell takes it.

        A shipped scenario is written to a file first. What has no file of its own, a text or a
        dictionary, the command reads from standard input (`backwater run - < saved.toml`): save
        `text`, or take `scenario.toml` out of a directory of results.
        """
        words = [*self._sets(), *["--audit"] * audit]
        if self._core.is_shipped:
            name, file = self.name.removesuffix(".toml"), os.path.basename(self.name)
            first = shlex.join(["backwater", "example", name, "--out", file])
            return f"{first} && {shlex.join(['backwater', 'run', file, *words])}"
        file = self.name if Path(self.name).is_file() else "-"
        return shlex.join(["backwater", "run", file, *words])

    def _bytes(self) -> bytes:
        return self.text.encode()

    def __repr__(self) -> str:
        changes = "".join(f", {path}={value}" for path, value in self._core.changes)
        return f"<backwater.Scenario {self.name}{changes}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scenario) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        return (self.name, self.text, tuple(self._core.changes))


def scenario(given: str | os.PathLike[str] | Mapping[str, Any]) -> Scenario:
    """A scenario of a file, a dictionary or a text.

    A string with a line break is the text itself, any other one the path of a file. A dictionary
    has the tables of the language: `{"run": {"duration": "50 ms"}, "flows": [{..}, {..}]}`.

    Raises `FileNotFoundError` where there is no such file, `ScenarioError` where it can't be read.
    Mistakes in it are found by `check` and `run`.
    """
    if isinstance(given, Mapping):
        return Scenario(_backwater.Scenario.of_text("<dict>", _toml.document(given)))
    if isinstance(given, str) and "\n" in given:
        return Scenario(_backwater.Scenario.of_text("<text>", given))
    return Scenario(_backwater.Scenario.of_file(os.fspath(given)))


def examples() -> dict[str, str]:
    """The titles of all shipped scenarios, by name."""
    return dict(_backwater.examples())


def example(name: str) -> Scenario:
    """The shipped scenario of this name, such as `kung1993/fig17-two-switches` or its last part.

    Raises `ScenarioError` where there is none, or several; `examples()` has all names.
    """
    return Scenario(_backwater.Scenario.of_example(name))


def explain(what: str) -> str:
    """What a key, scheme, traffic, topology, term, code of an error, paper or claim is.

    Raises `LookupError` where nothing has this name, with the nearest one that is known.
    """
    return _backwater.explain(what)
