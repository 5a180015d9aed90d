"""Sweeps: every combination of values and seeds."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any

from backwater import _toml
from backwater._backwater import Table
from backwater._folder import Folder, Made, given_file
from backwater._progress import Progress, shown
from backwater._workers import executor_of, rows

if TYPE_CHECKING:
    import pandas
    import polars
    import xarray

    from backwater._scenario import Scenario

#: Values of an axis: a list, or `{"from": 0.1, "to": 0.9, "step": 0.1}`.
Axis = Iterable[Any] | Mapping[str, Any]


class SweepResult(Folder):
    """What a sweep found: a row for each point and seed."""

    #: Names of the axes, which are the first columns of its tables.
    axes: list[str]

    def __init__(self, made: Made) -> None:
        super().__init__(made)
        # An axis may be called `seed` as well.
        self._seed = len(self._told("axes", list))
        self.axes = self.table.columns[: self._seed]

    @property
    def table(self) -> Table:
        """A row for each point and seed: axes, seed, what was measured, trace hash."""
        return self.tables["sweep"]

    @property
    def summary(self) -> Table:
        """A row for each point: means over the seeds, half widths of their 95 % intervals."""
        return self.tables["summary"]

    def to_pandas(self) -> "pandas.DataFrame":
        """`table` as a DataFrame of pandas, indexed by axes and seed. Needs pandas."""
        table = self.table
        return table.to_pandas().set_index(table.columns[: self._seed + 1])

    def to_polars(self) -> "polars.DataFrame":
        """`table` as a DataFrame of polars. Needs polars."""
        return self.table.to_polars()

    def to_arrow(self) -> Any:
        """`table` as a Table of pyarrow. Needs pyarrow."""
        return self.table.to_arrow()

    def to_xarray(self) -> "xarray.Dataset":
        """`table` as a Dataset of xarray: a dimension for each axis and for the seed. Needs xarray.

        Each variable has `units` and `long_name`; what was not run is NaN.
        """
        frame = self.to_pandas()
        # xarray has no whole numbers of which some are absent.
        absent = [name for name in frame if frame[name].dtype == "Int64"]
        dataset = frame.astype(dict.fromkeys(absent, "float64")).to_xarray()
        for name in dataset.variables:
            column = self.table[str(name)]
            dataset[name].attrs.update(units=column.unit, long_name=column.meaning)
        return dataset


class Sweep:
    """Every combination of values and seeds of a scenario; `run` computes them on all cores."""

    __slots__ = ("_axes", "_columns", "_scenario", "_seeds")

    def __init__(
        self,
        given: "Scenario",
        axes: Mapping[str, Axis],
        seeds: int | Sequence[int] | None,
        columns: Sequence[str],
    ) -> None:
        self._scenario, self._seeds, self._columns = given, seeds, list(columns)
        self._axes = {path: _axis(path, values) for path, values in axes.items()}

    def _words(self) -> list[str]:
        """The options of the command."""
        words = [f"--axis={path}={values}" for path, values in self._axes.items()]
        if self._seeds is not None:
            words.append(f"--seeds={_toml.value(self._seeds, 'seeds')}")
        if self._columns:
            words.append(f"--columns={','.join(self._columns)}")
        return words

    def run(
        self,
        *,
        out: str | os.PathLike[str] | None = None,
        jobs: int | None = None,
        progress: bool | Progress = False,
        executor: Executor | None = None,
        client: Any = None,
    ) -> SweepResult:
        """Computes what is not stored below `out` yet, `jobs` runs at once (one a core).

        With `executor`, any of `concurrent.futures`, or `client`, one of `dask.distributed`, its
        workers compute the points, with the same tables; see `as_completed`.

        Without `out` the results are kept in a temporary directory as long as the result is. Raises
        `ScenarioError` where a point has mistakes; Ctrl-C keeps the points that are done in `out`.
        """
        made = Made("sweep", out)
        if executor is None and client is None:
            words = self._words() + ([] if jobs is None else [f"--jobs={jobs}"])
            return SweepResult(made.of(self._scenario, words, progress))
        if jobs is not None:
            raise TypeError("jobs is for runs without workers: they have an executor of their own")
        try:
            rows_now = self._computed(made.path, executor, client, progress)
            computed = sum(is_new for is_new, _ in rows_now)
        except BaseException:
            made.discard()
            raise
        # All points are there: what is left are tables and report.
        made.of(self._scenario, self._words(), False)
        made.printed = made.printed.replace(" 0 computed now", f" {computed} computed now", 1)
        return SweepResult(made)

    def as_completed(
        self,
        *,
        out: str | os.PathLike[str],
        executor: Executor | None = None,
        client: Any = None,
        progress: bool | Progress = False,
    ) -> Iterator[dict[str, Any]]:
        """Rows as workers compute them: a dictionary with axes, seed, what was measured, trace hash.

        First come those that are stored below `out`. Each is stored before it is given, so a client
        that dies goes on with the same call; `run` with the same `out` makes the tables. Workers
        need this package, of the same version, and no folder in common. Short points go to them in
        batches. Lost workers of Dask are made up for.

        Raises `ScenarioError` where a point has mistakes, `RunError` where workers can't go on.
        """
        yield from (row for _, row in self._computed(out, executor, client, progress))

    def _computed(
        self,
        out: str | os.PathLike[str],
        executor: Executor | None,
        client: Any,
        progress: bool | Progress,
    ) -> Iterator[tuple[bool, dict[str, Any]]]:
        """The rows, each with whether it was computed now."""
        with (
            executor_of(executor, client) as workers,
            shown(progress) as show,
            given_file(self._scenario) as (file, text),
        ):

            def told(there: int, of: int) -> None:
                if show is not None:
                    show(there / max(of, 1), f"{there} of {of}")

            words = [file, *self._scenario._sets(), *self._words(), f"--out={os.fspath(out)}"]
            yield from rows(words, text, workers, told)

    def __repr__(self) -> str:
        return f"<backwater.Sweep of {self._scenario.name}: {' '.join(self._words())}>"


def _axis(path: str, values: Axis) -> str:
    if isinstance(values, Mapping):
        return _toml.value(values, path)
    if isinstance(values, str):
        raise TypeError(f"the values of the axis {path} are a list; this is {values!r}")
    return _toml.value(list(values), path)
