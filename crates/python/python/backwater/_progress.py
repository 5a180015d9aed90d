"""How far a run is, where someone watches."""

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: Called with the share that is done, from 0 to 1, and a few words on it.
Progress = Callable[[float, str], object]

_STEPS = 1000


@contextmanager
def shown(progress: bool | Progress) -> Iterator[Progress | None]:
    """What a run is to call; a bar of tqdm where that is installed, else a line on stderr."""
    if progress is False:
        yield None
    elif progress is not True:
        yield progress
    else:
        try:
            tqdm = importlib.import_module("tqdm.auto").tqdm
        except ImportError:
            with _line() as show:
                yield show
            return
        with tqdm(total=_STEPS, bar_format="{l_bar}{bar}| {postfix}") as bar:

            def show(share: float, words: str) -> None:
                bar.set_postfix_str(words, refresh=False)
                bar.update(round(share * _STEPS) - bar.n)

            yield show


@contextmanager
def _line() -> Iterator[Progress]:
    def show(share: float, words: str) -> None:
        print(f"\r{100 * share:3.0f} % {words}\x1b[K", end="", file=sys.stderr, flush=True)

    try:
        yield show
    finally:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
