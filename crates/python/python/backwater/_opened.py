"""Directories of results that are there already."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from backwater import _backwater
from backwater._backwater import Table
from backwater._errors import RunError
from backwater._folder import Folder, Made
from backwater._result import Named
from backwater._sweep import SweepResult


class SavedRun(Folder):
    """A run in its directory: tables, time series, the summary."""

    @property
    def trace_hash(self) -> str:
        """Fingerprint of everything that crossed a channel, and when."""
        return str(self.manifest["trace_hash"])

    @property
    def summary(self) -> dict[str, Any]:
        """The most important numbers."""
        summary: dict[str, Any] = json.loads((self.path / "summary.json").read_text("utf-8"))
        return summary

    @property
    def series_names(self) -> list[str]:
        """Names of the time series."""
        return list(self._series())

    def series(self, name: str) -> Table:
        """A time series: the column `time_ps` (or `cycle`) and the column of its values.

        Raises `KeyError` where there is none of this name.
        """
        known = self._series()

        def get(name: str) -> Table | None:
            told = known.get(name)
            folder = os.fspath(self.path)
            return told and _backwater.series_of(folder, name, told["file"], told["unit"])

        return Named("series", list(known), get)[name]

    def _series(self) -> Mapping[str, Any]:
        return {one["name"]: one for one in self.manifest.get("series", [])}


def open(path: str | os.PathLike[str]) -> Folder:
    """Opens a directory of results: of a run a `SavedRun`, of a sweep, or of shards that `merge`
    joined, a `SweepResult`, of all others a `Folder`.

    `ok` says then whether it is whole, and no promise or check that its manifest lists is broken.
    Raises `FileNotFoundError` where there is none, `RunError` where it can't be read.
    """
    made = Made("", path)
    try:
        manifest = json.loads((Path(path) / "manifest.json").read_text("utf-8"))
        kind = manifest.get("kind", "")
    except (ValueError, AttributeError) as error:
        raise RunError(f"`{path}` is no directory of results: {error}") from error
    kept = [one["state"] != "broken" for one in manifest.get("promises") or []]
    kept += [one["holds"] for one in manifest.get("checks") or []]
    made.ok = not manifest.get("partial", False) and all(kept)
    made.printed = f"{manifest.get('command')}: {made.path}"
    if kind == "sweep":
        return SweepResult(made)
    # Only the directory of a single run has the scenario as it was resolved.
    return (SavedRun if "resolved.toml" in manifest.get("files", ()) else Folder)(made)
