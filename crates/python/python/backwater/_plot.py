"""Plots of a report, drawn by matplotlib in the colours of the page."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

#: With fewer points a line shows each of them.
DOTTED = 40

PLOTS = re.compile(r'<script type="application/json" id="plots">(.*?)</script>', re.S)
COLOUR = re.compile(r"--c(\d+): ?(#[0-9a-f]{6})")


class Plots(Mapping[str, str]):
    """Plots of a report: titles by name, and what the page draws them from."""

    def __init__(self, page: str) -> None:
        found = PLOTS.search(page)
        plots = json.loads(found.group(1)) if found else []
        self._plots = {plot["id"].removeprefix("plot-"): plot for plot in plots}
        # Those for light backgrounds come first.
        self._colours: dict[int, str] = {}
        for number, colour in COLOUR.findall(page):
            self._colours.setdefault(int(number), colour)

    def __getitem__(self, name: str) -> str:
        title: str = self._plots[name]["title"]
        return title

    def __iter__(self) -> Iterator[str]:
        return iter(self._plots)

    def __len__(self) -> int:
        return len(self._plots)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._plots)

    def __repr__(self) -> str:
        plots = "".join(f"\n  {name}: {self[name]}" for name in self)
        return f"<plots:{plots or ' none'}>"

    def draw(self, name: str, ax: "Axes | None") -> "Axes":
        """Draws one, on new axes if there are none."""
        if name not in self:
            known = ", ".join(self._plots) or "none"
            raise KeyError(f"there is no plot `{name}`; there are: {known}")
        plot = self._plots[name]
        if ax is None:
            try:
                import matplotlib.pyplot as plt
            except ImportError as error:
                way = "pip install 'backwater[notebook]'"
                raise ImportError(f"plots need matplotlib: {way}") from error
            _, ax = plt.subplots(figsize=(7.0, 3.6), layout="constrained")
        _axis(ax, "x", plot["x"])
        _axis(ax, "y", plot["y"])
        curves = [
            (curve, plot["xs"][curve["x"]], self._colours.get(number % 8, "#000000"))
            for number, curve in enumerate(plot["curves"])
        ]
        for curve in curves:
            _curve(ax, *curve)
        for mark in plot["marks"]:
            _mark(ax, mark)
        # An interval that few runs give may be many times the values: it sets no axis.
        (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
        if "log" not in plot["y"] and 0 < low < 0.6 * high:
            low = 0
        for curve in curves:
            _interval(ax, *curve)
        ax.set_xlim(plot["x"].get("min", left), plot["x"].get("max", right))
        ax.set_ylim(plot["y"].get("min", low), plot["y"].get("max", high))
        for of, axis in ((ax.xaxis, plot["x"]), (ax.yaxis, plot["y"])):
            if "log" in axis:
                _minor_ticks(of)
        ax.set_title(plot["title"], loc="left", fontsize="medium")
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(axis="y", color="#e6e8eb", linewidth=0.8)
        ax.set_axisbelow(True)
        if len(plot["curves"]) > 1:
            ax.legend(frameon=False, fontsize="small")
        return ax


def _numbers(values: list[float | None]) -> list[float]:
    return [float("nan") if value is None else float(value) for value in values]


def _curve(ax: "Axes", curve: dict[str, Any], at: list[float], colour: str) -> None:
    y, style = _numbers(curve["y"]), curve["style"]
    if style == "bars":
        gaps = [after - before for before, after in zip(at, at[1:], strict=False) if after > before]
        ax.bar(at, y, 0.7 * min(gaps, default=1.0), color=colour, alpha=0.85, label=curve["name"])
    elif style == "points":
        ax.plot(at, y, "o", color=colour, markersize=4, label=curve["name"])
    else:
        is_dashed = bool(curve.get("dashed"))
        ax.plot(
            at,
            y,
            color=colour,
            linewidth=1.5,
            linestyle="--" if is_dashed else "-",
            drawstyle="steps-post" if style == "step" else "default",
            marker="o" if style == "line" and not is_dashed and len(y) < DOTTED else "",
            markersize=3,
            label=curve["name"],
        )


def _interval(ax: "Axes", curve: dict[str, Any], at: list[float], colour: str) -> None:
    if "low" not in curve:
        return
    low, high = _numbers(curve["low"]), _numbers(curve["high"])
    if curve["style"] in ("bars", "points"):
        ax.vlines(at, low, high, color=colour, linewidth=1.1)
    else:
        look: dict[str, Any] = {"step": "post"} if curve["style"] == "step" else {}
        ax.fill_between(at, low, high, color=colour, alpha=0.16, linewidth=0, **look)


def _mark(ax: "Axes", mark: dict[str, Any]) -> None:
    look: dict[str, Any] = {"color": "#8a929c", "linestyle": ":", "linewidth": 1.0}
    words: dict[str, Any] = {"color": "#5b6470", "fontsize": "small", "textcoords": "offset points"}
    if mark["vertical"]:
        ax.axvline(mark["at"], **look)
        place, way = (mark["at"], 1.0), ax.get_xaxis_transform()
        ax.annotate(mark["label"], place, xycoords=way, xytext=(4, -10), **words)
    else:
        ax.axhline(mark["at"], **look)
        place, way = (0.0, mark["at"]), ax.get_yaxis_transform()
        ax.annotate(mark["label"], place, xycoords=way, xytext=(4, 3), **words)


def _minor_ticks(of: "Axis") -> None:
    """Of a logarithmic axis: all of them within a decade, else 2 and 5 of each."""
    low, high = of.get_view_interval()
    every = "{x:g}" if high < 10 * low else lambda x, _: f"{x:g}" if f"{x:e}"[0] in "25" else ""
    of.set_minor_formatter(every)


def _axis(ax: "Axes", name: str, axis: dict[str, Any]) -> None:
    of = ax.xaxis if name == "x" else ax.yaxis
    unit = axis["unit"]
    of.set_label_text(f"{axis['label']} ({unit})" if unit else axis["label"])
    if axis.get("log"):
        (ax.set_xscale if name == "x" else ax.set_yscale)("log")
        of.set_major_formatter("{x:g}")
    if "names" in axis:
        places = range(1, len(axis["names"]) + 1)
        slant = 45.0 if len(axis["names"]) > 6 else 0.0
        of.set_ticks(list(places), axis["names"], rotation=slant, ha="right" if slant else "center")
    elif "at" in axis:
        of.set_ticks(axis["at"])
