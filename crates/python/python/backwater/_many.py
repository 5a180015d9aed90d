"""Searches, comparisons, papers: what is many runs and no sweep."""

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from backwater._folder import Folder, Made
from backwater._progress import Progress
from backwater._scenario import Scenario, scenario
from backwater._sweep import Axis, Sweep


def saturate(
    given: Scenario,
    *,
    over: str = "load",
    low: float | None = None,
    high: float = 1.0,
    precision: float = 0.005,
    axes: Mapping[str, Axis] | None = None,
    seeds: int | Sequence[int] | None = None,
    out: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    progress: bool | Progress = False,
) -> Folder:
    """Finds the load at which a network saturates, by bisection, for each combination of `axes`.

    `over` is the key of the load. The table `saturation` has a row for each combination: the
    highest load that is carried and the lowest that saturates.
    """
    words = Sweep(given, axes or {}, seeds, ())._words()
    words += [f"--over={over}", f"--high={high}", f"--precision={precision}"]
    words += [] if low is None else [f"--low={low}"]
    words += [] if jobs is None else [f"--jobs={jobs}"]
    return Folder(Made("saturate", out).of(given, words, progress))


def compare(
    given: Scenario | str | os.PathLike[str] | Mapping[str, Any],
    *,
    only: Sequence[str] = (),
    seeds: int = 1,
    threads: int | None = None,
    out: str | os.PathLike[str] | None = None,
    progress: bool | Progress = False,
) -> Folder:
    """Runs one workload under several schemes, all on the same terms.

    `given` is a comparison (`kind = "comparison"`), such as `bw.example("compare/parking-lot")`.
    `only` names the schemes; all nine else. The table `schemes` has a row for each.
    """
    if not isinstance(seeds, int):
        raise TypeError(f"seeds is {seeds!r}; a comparison takes a number of them")
    given = given if isinstance(given, Scenario) else scenario(given)
    words = [f"--seeds={seeds}"] + ([f"--only={','.join(only)}"] if only else [])
    words += [] if threads is None else [f"--threads={threads}"]
    return Folder(Made("compare", out).of(given, words, progress))


class Reproduction(Folder):
    """Claims of papers, each with what was measured and its verdict."""

    #: A dictionary for each claim: `id`, `states`, `verdict` (agrees, differs or failed) and more.
    claims: list[dict[str, Any]]


def reproduce(
    *what: str,
    quick: bool = False,
    out: str | os.PathLike[str] | None = None,
    progress: bool | Progress = False,
) -> Reproduction:
    """Reruns papers (`kung1993`) or claims (`kung1993.fig12.burst`) and judges each.

    All papers if none is named: that takes minutes. `quick` takes fewer seeds and shorter runs.
    Raises `ScenarioError` where there is no such paper or claim.
    """
    words = [*(what or ["--all"]), *(["--quick"] * quick)]
    made = Made("reproduce", out).run(words, progress)
    found = Reproduction(made)
    verdicts = (made.path / "claims.json").read_text("utf-8")
    found.claims = json.loads(verdicts)["claims"]
    return found
