"""The part that is written in Rust."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, final, overload

if TYPE_CHECKING:
    import numpy
    import numpy.typing
    import pandas
    import polars

__all__ = [
    "Ack",
    "Column",
    "Diagnostic",
    "Flow",
    "Found",
    "Hop",
    "Points",
    "Scenario",
    "Table",
    "__version__",
    "command",
    "examples",
    "explain",
    "measure",
    "series_of",
    "tables_of",
    "text_of",
]

#: Of the package and of the command it brings, such as `0.2.0`.
__version__: str

def command(words: Sequence[str]) -> int:
    """Runs the command with these words; gives the exit status."""

def explain(what: str) -> str:
    """Explains a key, word, term, code of an error, paper or claim."""

def examples() -> list[tuple[str, str]]:
    """Names and titles of the shipped scenarios."""

def measure(plan: str, points: Sequence[int]) -> list[str]:
    """Computes points of a plan, on a worker; gives the text of each."""

def series_of(folder: str, name: str, file: str, unit: str) -> Table:
    """A time series of a directory of results: its name, its file there, the unit of its values."""

def tables_of(folder: str) -> list[Table]:
    """All tables of a directory of results, in the order of its `columns.json`."""

def text_of(folder: str, file: str) -> str:
    """What a file of a directory of results holds."""

@final
class Ack:
    """An acknowledgement of something new."""

    @property
    def expected(self) -> int:
        """What the destination expects next: a unit's number, or a position in the stream (frames)."""

    @property
    def news_bytes(self) -> int:
        """Bytes acknowledged by it for the first time (frames)."""

    @property
    def flight_bytes(self) -> int:
        """Bytes in flight before it came (frames)."""

    @property
    def rtt_ps(self) -> int | None:
        """The round-trip time that it ends, if one was measured, ps (frames)."""

    @property
    def smoothed_rtt_ps(self) -> int | None:
        """Smoothed round-trip time before it, ps; none before the first (TCP)."""

    @property
    def is_marked(self) -> bool:
        """It echoes a mark of congestion: TCP with ECN, queue pairs with `np = "ack"`."""

    @property
    def may_grow(self) -> bool:
        """No loss is being repaired, no mark echoed: a window may grow by it (TCP)."""

@final
class Hop:
    """What a port wrote on a packet as it left: one hop of its way (HPCC)."""

    @property
    def at_ps(self) -> int:
        """When it left, ps."""

    @property
    def sent_bytes(self) -> int:
        """Bytes on the wire that the port had sent before it."""

    @property
    def queued_bytes(self) -> int:
        """Bytes that waited in the port, of all classes."""

    @property
    def rate_bps(self) -> int:
        """Bits per second of the port."""

@final
class Flow:
    """A flow, as a source or control of Python sees it."""

    @property
    def name(self) -> str:
        """As the scenario calls it."""

    @property
    def unit_bytes(self) -> int:
        """Bytes of a full unit: a cell or packet on the wire, a segment's or datagram's payload."""

    @property
    def rate_bps(self) -> int:
        """Bits per second of the first link on its way."""

    @property
    def in_bytes(self) -> bool:
        """What a source offers and a window holds is counted in bytes, not in units."""

    @property
    def is_acknowledged(self) -> bool:
        """Its source hears of what the destination has got."""

    @property
    def is_paced(self) -> bool:
        """`rate` of its control holds: it goes over a queue pair, or in datagrams."""

    @property
    def seed(self) -> int:
        """For random numbers of its own: another one for each flow and each seed of the run."""

@final
class Column:
    """One column of a table: a sequence of numbers or words, `None` where nothing was measured.

    Values are int, float, str or None, as `dtype` says; they are Any here, so that one can reckon
    with them.
    """

    @property
    def name(self) -> str:
        """Its name, which ends with the unit."""

    @property
    def unit(self) -> str:
        """Unit; empty where there is none."""

    @property
    def meaning(self) -> str:
        """What the values mean."""

    @property
    def dtype(self) -> str:
        """Type in Arrow's words: `int64`, `float64` or `large_string`."""

    @property
    def null_count(self) -> int:
        """How many values are absent."""

    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, key: int, /) -> Any: ...
    @overload
    def __getitem__(self, key: slice | Iterable[int | bool], /) -> Column: ...
    def __iter__(self) -> Iterator[Any]: ...
    def to_numpy(self) -> numpy.typing.NDArray[Any]:
        """As an array of numpy: the same memory, if all values are numbers that are there."""

    def to_list(self) -> list[Any]:
        """As a list, `None` where nothing was measured."""

    # By numpy, which it needs.
    def __add__(self, other: Any, /) -> numpy.typing.NDArray[Any]: ...
    def __radd__(self, other: Any, /) -> numpy.typing.NDArray[Any]: ...
    def __sub__(self, other: Any, /) -> numpy.typing.NDArray[Any]: ...
    def __rsub__(self, other: Any, /) -> numpy.typing.NDArray[Any]: ...
    def __mul__(self, other: Any, /) -> numpy.typing.NDArray[Any]: ...
    def __rmul__(self, other: Any, /) -> numpy.typing.NDArray[Any]: ...
    def __truediv__(self, other: Any, /) -> numpy.typing.NDArray[Any]: ...
    def __rtruediv__(self, other: Any, /) -> numpy.typing.NDArray[Any]: ...
    def __floordiv__(self, other: Any, /) -> numpy.typing.NDArray[Any]: ...
    def __rfloordiv__(self, other: Any, /) -> numpy.typing.NDArray[Any]: ...
    def __mod__(self, other: Any, /) -> numpy.typing.NDArray[Any]: ...
    def __rmod__(self, other: Any, /) -> numpy.typing.NDArray[Any]: ...
    def __pow__(self, other: Any, modulo: object = None, /) -> numpy.typing.NDArray[Any]: ...
    def __rpow__(self, other: Any, modulo: object = None, /) -> numpy.typing.NDArray[Any]: ...
    def __neg__(self) -> numpy.typing.NDArray[Any]: ...
    def __abs__(self) -> numpy.typing.NDArray[Any]: ...
    def __lt__(self, other: Any, /) -> numpy.typing.NDArray[numpy.bool]: ...
    def __le__(self, other: Any, /) -> numpy.typing.NDArray[numpy.bool]: ...
    def __gt__(self, other: Any, /) -> numpy.typing.NDArray[numpy.bool]: ...
    def __ge__(self, other: Any, /) -> numpy.typing.NDArray[numpy.bool]: ...
    def __eq__(self, other: Any, /) -> numpy.typing.NDArray[numpy.bool]: ...  # type: ignore[override]
    def __ne__(self, other: Any, /) -> numpy.typing.NDArray[numpy.bool]: ...  # type: ignore[override]
    # As arrays of numpy: equality is one of values.
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any:
        """A stream of one batch in Arrow's C interface."""

    def __arrow_c_schema__(self) -> Any:
        """The schema in Arrow's C interface."""

    # The buffer protocol: the numbers, in the memory of the results.
    if sys.version_info >= (3, 12):
        def __buffer__(self, flags: int, /) -> memoryview: ...

@final
class Table:
    """A table of results: rows of flows, ports and the like."""

    @property
    def name(self) -> str:
        """Its name, such as `flows`; of a series, that of the series."""

    @property
    def caption(self) -> str:
        """One sentence on what the rows are."""

    @property
    def columns(self) -> list[str]:
        """Names of its columns, left to right. Each ends with its unit: `delay_p99_us`."""

    @property
    def units(self) -> dict[str, str]:
        """Units by column; empty where there is none."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""

    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, key: str, /) -> Column: ...
    @overload
    def __getitem__(self, key: int, /) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, key: slice | list[str] | Iterable[int | bool], /) -> Table: ...
    def __contains__(self, name: str, /) -> bool: ...
    def __iter__(self) -> Iterator[dict[str, Any]]: ...
    def rows(self) -> list[dict[str, Any]]:
        """The rows as dictionaries by column."""

    def to_arrow(self) -> Any:
        """As a Table of pyarrow, without a copy. Needs pyarrow."""

    def to_polars(self) -> polars.DataFrame:
        """As a DataFrame of polars, without a copy. Needs polars."""

    def to_pandas(self) -> pandas.DataFrame:
        """As a DataFrame of pandas, with the types of the columns whatever was measured.

        Counts are int64, or Int64 where some are absent; measurements float64; words what pandas
        has for words. Needs pandas.
        """

    def _repr_html_(self) -> str:
        """What a notebook shows: the first rows."""

    def _ipython_key_completions_(self) -> list[str]:
        """Names that a notebook offers between brackets."""

    def __dataframe__(self, nan_as_null: bool = False, allow_copy: bool = True) -> Any:
        """By the interchange protocol of dataframes, for what does not read Arrow. Needs pyarrow."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any:
        """A stream of one batch in Arrow's C interface."""

    def __arrow_c_schema__(self) -> Any:
        """The schema in Arrow's C interface."""

@final
class Diagnostic:
    """A mistake in a scenario, or what its author may not have meant."""

    def __new__(
        cls,
        severity: str,
        code: str,
        what: str,
        details: str,
        help: str,
        file: str,
        line: int,
        column: int,
    ) -> Diagnostic:
        """With these words, in this place."""

    def __getnewargs__(self) -> tuple[str, str, str, str, str, str, int, int]:
        """What pickle makes it of again."""

    @property
    def severity(self) -> str:
        """`error`, `warning` or `note`."""

    @property
    def code(self) -> str:
        """Which kind of mistake; `backwater.explain(code)` says more."""

    @property
    def what(self) -> str:
        """What is wrong, in one line."""

    @property
    def details(self) -> str:
        """What was found there, and what is behind it; a line each."""

    @property
    def help(self) -> str:
        """How to go on, a line for each way; empty where there is none."""

    @property
    def file(self) -> str:
        """The file, or `--set` where a change is wrong; empty where there is no place."""

    @property
    def line(self) -> int:
        """Line, from 1."""

    @property
    def column(self) -> int:
        """Column in characters, from 1."""

@final
class Scenario:
    """A scenario's text and what was changed of it; never changes itself."""

    def __new__(
        cls, name: str, text: str, changes: Sequence[tuple[str, str]], is_shipped: bool
    ) -> Scenario:
        """What pickle made of one."""

    def __getnewargs__(self) -> tuple[str, str, list[tuple[str, str]], bool]:
        """What pickle makes it of again."""

    @property
    def is_shipped(self) -> bool:
        """The files that it names are those that are shipped."""

    @staticmethod
    def of_file(path: str) -> Scenario:
        """Of a file."""

    @staticmethod
    def of_text(name: str, text: str) -> Scenario:
        """Of a text; messages call it by this name."""

    @staticmethod
    def of_example(name: str) -> Scenario:
        """One that is shipped."""

    def changed(self, key: str, value: str) -> Scenario:
        """The same with a key changed; the value is TOML."""

    @property
    def name(self) -> str:
        """What messages call it."""

    @property
    def text(self) -> str:
        """Its text, without the changes."""

    @property
    def changes(self) -> list[tuple[str, str]]:
        """The changes, as key and value."""

    @property
    def beside(self) -> list[tuple[str, str]]:
        """Names and texts of the shipped files that it reads, which are to stand beside it."""

    def check(self) -> list[Diagnostic]:
        """What is wrong with it."""

    def resolved(self) -> str:
        """With every default and every change written out, as TOML."""

    def value(self, path: str) -> str | None:
        """What stands at a path, as TOML: in the text and its changes, else by default. The whole
        scenario at an empty path."""

    def bound_hops(self) -> Table | None:
        """What the delay bound of each flow is made of, link by link."""

    def headroom(self) -> Table | None:
        """What each queue and input under stops needs and has of headroom."""

    def run(
        self,
        threads: int,
        audit: bool,
        progress: Callable[[float, str], object] | None,
        command: str,
        given: Mapping[str, Sequence[tuple[str, Callable[[Flow], object]]]],
    ) -> Found:
        """Runs it. `progress` is called with the share that is done and a word on it."""

    def flows(self) -> list[Flow]:
        """Its flows, as a source or control of Python sees them."""

@final
class Points:
    """A sweep in its directory, whose points are computed elsewhere."""

    def __new__(cls, words: Sequence[str], text: str | None = None) -> Points:
        """Of the command `sweep` with these words. Every point is checked. With `text` the scenario
        is not read: the file that is named has this text."""

    @property
    def plan(self) -> str:
        """What a worker needs besides the numbers of points."""

    @property
    def count(self) -> int:
        """Points in all."""

    @property
    def missing(self) -> list[int]:
        """Numbers of the points to compute: of several that are the same scenario only one."""

    @property
    def stored(self) -> list[int]:
        """Numbers of the points that were there."""

    def take(self, points: Sequence[int], texts: Sequence[str]) -> list[int]:
        """Stores what a worker computed of these points; gives the numbers of all that are there
        by that."""

    def rows(self, points: Sequence[int]) -> Table:
        """Rows of stored points, as the table `sweep` has them."""

    def close(self) -> None:
        """Lets go of the directory."""

@final
class Found:
    """The results of a run."""

    @property
    def trace_hash(self) -> str:
        """Fingerprint of everything that crossed a channel, and when."""

    @property
    def events(self) -> int:
        """Events handled."""

    @property
    def hops(self) -> int:
        """Units, frames or flits that crossed a channel."""

    @property
    def broken(self) -> int:
        """Promises broken."""

    @property
    def ok(self) -> bool:
        """It ended as it should."""

    @property
    def standstill(self) -> str | None:
        """What can't move any more."""

    @property
    def seconds(self) -> float:
        """Wall time in seconds."""

    @property
    def words(self) -> str:
        """The summary as the command prints it."""

    @property
    def summary(self) -> str:
        """The summary as JSON."""

    @property
    def claims(self) -> str:
        """What was promised and what was checked, as JSON."""

    @property
    def tables(self) -> list[str]:
        """Names of the tables."""

    def table(self, name: str) -> Table | None:
        """The table of this name."""

    @property
    def series_names(self) -> list[str]:
        """Names of the series."""

    def series(self, name: str) -> Table | None:
        """The series of this name."""

    def page(self) -> str:
        """The report, one page of HTML."""

    def save(self, folder: str) -> Path:
        """Writes a directory of results as the command does; gives its path."""
