"""What a run found."""

import html
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backwater import _backwater
from backwater._backwater import Table
from backwater._named import Named, Tabled
from backwater._plot import Plots

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Result(Tabled):
    """What a run found: tables, time series, a summary, a report.

    Each table is an item and an attribute: `result["transfers"]`, `result.transfers`.
    `print(result)` shows the summary that the command prints.
    """

    __slots__ = ("_found", "_plots")
    _found: _backwater.Found
    _plots: Plots | None

    def __init__(self, found: _backwater.Found) -> None:
        self._found, self._plots = found, None

    @property
    def trace_hash(self) -> str:
        """Fingerprint of everything that crossed a channel, and when.

        The same scenario, seed and version give the same on any machine and any number of threads.
        """
        return self._found.trace_hash

    @property
    def ok(self) -> bool:
        """It ended as it should: no promise was broken, nothing stands still for ever."""
        return self._found.ok

    @property
    def standstill(self) -> str | None:
        """What can't move any more, in words; None if nothing stands still."""
        return self._found.standstill

    @property
    def broken(self) -> int:
        """Promises that were broken."""
        return self._found.broken

    @property
    def events(self) -> int:
        """Events handled; 0 by the engine that goes cycle by cycle."""
        return self._found.events

    @property
    def hops(self) -> int:
        """Units, frames or flits that crossed a channel."""
        return self._found.hops

    @property
    def seconds(self) -> float:
        """Wall time that the run took, in seconds."""
        return self._found.seconds

    @property
    def summary(self) -> dict[str, Any]:
        """The most important numbers, as in `summary.json` of the command."""
        summary: dict[str, Any] = json.loads(self._found.summary)
        return summary

    @property
    def claims(self) -> list[dict[str, str]]:
        """What the run claims, and what came of it: `what`, `state`, `detail` of each.

        Promises of the network (a class is lossless, units balance, delays stay within their
        bounds) are `kept`, `broken` or `given-up`, where the scenario says so; with `audit=True` the
        checks made while running are there too.
        """
        found = json.loads(self._found.claims)
        claims: list[dict[str, str]] = list(found["promises"] or [])
        for check in found["checks"]:
            state = "kept" if check["holds"] else "broken"
            claims.append({"what": check["what"], "state": state, "detail": check["detail"]})
        return claims

    @property
    def tables(self) -> Named:
        """All tables by name."""
        return Named("table", self._found.tables, self._found.table)

    @property
    def series_names(self) -> list[str]:
        """Names of the time series that the scenario asks for."""
        return self._found.series_names

    @property
    def series(self) -> Named:
        """The time series by name, as `series("VC2")` or `series["VC2"]`: the column `time_ps` (or
        `cycle`) and the column of its values.

        Raises `KeyError` where there is none of this name.
        """
        return Named("series", self._found.series_names, self._found.series)

    @property
    def plots(self) -> Mapping[str, str]:
        """Plots of the report: titles by name."""
        return self._drawn()

    def plot(self, name: str, ax: "Axes | None" = None) -> "Axes":
        """Draws a plot of the report with matplotlib, on `ax` or on new axes; gives the axes.

        Raises `KeyError` where there is none of this name, `ImportError` without matplotlib.
        """
        return self._drawn().draw(name, ax)

    def _drawn(self) -> Plots:
        if self._plots is None:
            self._plots = Plots(self._found.page())
        return self._plots

    def report(self, path: str | os.PathLike[str] | None = None) -> str:
        """The report, one page of HTML that needs nothing else; also written to `path`."""
        page = self._found.page()
        if path is not None:
            Path(path).write_text(page, encoding="utf-8", newline="")
        return page

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Writes the directory that the command writes: tables, series, figures, report.

        Raises `RunError` where it can't be written.
        """
        return Path(self._found.save(os.fspath(folder)))

    def _repr_html_(self) -> str:
        """What a notebook shows: the summary, and the first plot of the report."""
        with tempfile.TemporaryDirectory(prefix="backwater-") as folder:
            saved = self.save(Path(folder, "run"))
            files = json.loads((saved / "manifest.json").read_text("utf-8"))["files"]
            figures = [file for file in files if file.startswith("figures/")]
            plot = (saved / figures[0]).read_text("utf-8") if figures else ""
        return f"<pre>{html.escape(str(self))}</pre>\n{plot[plot.find('<svg'):]}"

    def __str__(self) -> str:
        return self._found.words.rstrip()

    def __repr__(self) -> str:
        ending = "" if self.ok else ", not ok"
        tables = ", ".join(self._found.tables)
        return f"<backwater.Result {self.trace_hash}{ending}: tables {tables}>"
