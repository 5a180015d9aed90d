"""Sweeps on workers: any executor of `concurrent.futures`, or a cluster of Dask.

A worker gets the text of a plan and numbers of points, and gives the text of each point as a
directory stores it. So it needs nothing but this package: no file, no folder in common.
"""

import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
)
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any

from backwater import _backwater
from backwater._errors import RunError, ScenarioError

#: Batches that wait or are computed at once, so that no worker waits for the client.
_AT_ONCE = 128
#: A batch of short points is to take so many seconds.
_SECONDS = 0.5
#: A batch is computed again so often, if workers are lost with it.
_TRIES = 5


def measure(plan: str, points: Sequence[int]) -> tuple[float, list[str]]:
    """Computes points, on a worker: the seconds that took, and the text of each."""
    begun = time.perf_counter()
    texts = _backwater.measure(plan, points)
    return time.perf_counter() - begun, texts


@contextmanager
def executor_of(executor: Executor | None, client: Any) -> Iterator[Executor]:
    """The executor, or that of a Dask client, which is left when it ends."""
    if (executor is None) == (client is None):
        raise TypeError("give either executor= or client=")
    if executor is not None:
        yield executor
        return
    # The retries are for workers that are lost; Dask counts those by itself.
    own: Executor = client.get_executor(pure=False, retries=_TRIES)
    try:
        yield own
    finally:
        own.shutdown(wait=False)


class Batches:
    """Points as they are computed, in batches of about half a second."""

    def __init__(self, points: _backwater.Points, executor: Executor) -> None:
        self._points, self._executor, self._plan = points, executor, points.plan
        self._left = deque(points.missing)
        self._lost: deque[tuple[list[int], int]] = deque()
        self._running: dict[Future[tuple[float, list[str]]], tuple[list[int], int]] = {}
        self._seconds, self._measured = 0.0, 0
        # A future that an executor cancels as it shuts down is done, yet `wait` waits for it.
        self._done: SimpleQueue[Future[tuple[float, list[str]]]] = SimpleQueue()

    def __iter__(self) -> Iterator[list[int]]:
        """Numbers of the points that are stored now, batch by batch."""
        try:
            while self._submit():
                future = self._done.get()
                points, tries = self._running.pop(future)
                texts = self._texts(future, points, tries)
                if texts:
                    yield self._points.take(points, texts)
        finally:
            for future in self._running:
                future.cancel()

    def _submit(self) -> bool:
        """Keeps the workers busy; is anything still to come?"""
        while len(self._running) < _AT_ONCE and (self._lost or self._left):
            points, tries = self._lost.popleft() if self._lost else (self._batch(), 0)
            try:
                future = self._executor.submit(measure, self._plan, points)
            except BrokenExecutor as error:
                raise _broken(error) from error
            except RuntimeError as error:
                raise _ended(str(error)) from error
            self._running[future] = points, tries
            future.add_done_callback(self._done.put)
        return bool(self._running)

    def _batch(self) -> list[int]:
        size = 1
        if self._measured:
            each = max(self._seconds / self._measured, 1e-6)
            # Towards the end smaller ones, so that all workers end at about the same time.
            size = min(int(_SECONDS / each), len(self._left) // 32)
        return [self._left.popleft() for _ in range(min(max(size, 1), len(self._left)))]

    def _texts(self, future: Future[Any], points: list[int], tries: int) -> list[str]:
        try:
            seconds, texts = future.result()
        except (RunError, ScenarioError):
            raise
        except BrokenExecutor as error:
            raise _broken(error) from error
        except CancelledError as error:
            raise _ended("its work was cancelled") from error
        except Exception as error:
            # A worker was lost, or could not begin.
            if tries + 1 >= _TRIES:
                what = f"{type(error).__name__}: {error}"
                raise RunError(f"the workers can't compute a point: {what}") from error
            self._lost.append((points, tries + 1))
            return []
        self._seconds, self._measured = self._seconds + seconds, self._measured + len(points)
        return list(texts)


def _broken(error: BrokenExecutor) -> RunError:
    return RunError(
        f"a worker was lost, and the executor with it ({error}); what was computed is kept: the same "
        "call with `out` and another executor goes on"
    )


def _ended(what: str) -> RunError:
    return RunError(
        f"the executor takes no more points ({what}); what was computed is kept: the same call with "
        "`out` and another executor goes on"
    )


def _begin(executor: Executor) -> None:
    """Processes that are forked begin now: later they would hold the lock of the directory too, and
    keep it if this process is killed."""
    if isinstance(executor, ProcessPoolExecutor):
        try:
            executor.submit(os.getpid)
        except BrokenExecutor as error:
            raise _broken(error) from error
        except RuntimeError as error:
            raise _ended(str(error)) from error


def rows(
    words: Sequence[str | os.PathLike[str]],
    text: str | None,
    executor: Executor,
    told: Callable[[int, int], object],
) -> Iterator[tuple[bool, dict[str, Any]]]:
    """Rows of the command `sweep` with these words: those that are stored, then each as it comes,
    with whether it was computed now. `told` hears how many are there, of how many. With `text` the
    scenario has no file."""
    _begin(executor)
    points = _backwater.Points([os.fspath(word) for word in words], text)
    try:
        of, stored = points.count, points.stored
        for begin in range(0, len(stored), 1000):
            some = stored[begin : begin + 1000]
            yield from ((False, row) for row in points.rows(some).rows())
        there = len(stored)
        told(there, of)
        for some in Batches(points, executor):
            there += len(some)
            told(there, of)
            yield from ((True, row) for row in points.rows(some).rows())
    finally:
        points.close()
