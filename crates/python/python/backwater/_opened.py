"""Directories of results that are there already."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from backwater import _backwater
from backwater._backwater import Table
from backwater._errors import RunError
from backwater._folder import Folder, Made, field, manifest_of, object_of
from backwater._named import Named
from backwater._sweep import SweepResult


class SavedRun(Folder):
    """A run in its directory: tables, time series, the summary."""

    @property
    def trace_hash(self) -> str:
        """Fingerprint of everything that crossed a channel, and when."""
        return self._told("trace_hash", str)

    @property
    def summary(self) -> dict[str, Any]:
        """The most important numbers."""
        return object_of(self.path, "summary.json")

    @property
    def series_names(self) -> list[str]:
        """Names of the time series."""
        return list(self._series())

    @property
    def series(self) -> Named:
        """The time series by name, as `series("VC2")` or `series["VC2"]`: the column `time_ps` (or
        `cycle`) and the column of its values.

        Raises `KeyError` where there is none of this name.
        """
        known = self._series()

        def get(name: str) -> Table | None:
            told = known.get(name)
            folder = os.fspath(self.path)
            return told and _backwater.series_of(folder, name, told["file"], told["unit"])

        return Named("series", list(known), get)

    def _series(self) -> Mapping[str, Any]:
        told: dict[str, Any] = {}
        for one in _list(self.path, self.manifest, "series"):
            name, file, unit = (field(self.path, one, key, str) for key in ("name", "file", "unit"))
            told[name] = {"file": file, "unit": unit}
        return told


def _list(path: Path, manifest: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """The objects of a list that a manifest may have."""
    if manifest.get(key) is None:
        return []
    found = field(path, manifest, key, list)
    if not all(isinstance(one, dict) for one in found):
        raise RunError(f"`{path}` is no whole directory of results: manifest.json: `{key}`")
    return found


def open(path: str | os.PathLike[str]) -> Folder:
    """Opens a directory of results: of a run a `SavedRun`, of a sweep, or of shards that `merge`
    joined, a `SweepResult`, of all others a `Folder`.

    `ok` says then whether it is whole, and no promise or check that its manifest lists is broken.
    Raises `FileNotFoundError` where there is none, `RunError` where it can't be read.
    """
    made = Made("", path)
    where = Path(path)
    manifest = manifest_of(where)
    kind = manifest.get("kind", "")
    promises = _list(where, manifest, "promises")
    kept = [field(where, one, "state", str) != "broken" for one in promises]
    kept += [field(where, one, "holds", bool) for one in _list(where, manifest, "checks")]
    made.ok = not manifest.get("partial", False) and all(kept)
    made.printed = f"{manifest.get('command')}: {made.path}"
    if kind == "sweep":
        return SweepResult(made)
    # Only the directory of a single run has the scenario as it was resolved.
    files = [] if manifest.get("files") is None else field(where, manifest, "files", list)
    return (SavedRun if "resolved.toml" in files else Folder)(made)
