"""Sources and source control as classes of Python, to try an idea before it is written in Rust.

Instants are picoseconds since the start of the run, as int.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Literal

from backwater._backwater import Ack, Flow, Hop

#: Units of time in picoseconds.
NS, US, MS, S = 10**3, 10**6, 10**9, 10**12


class Source:
    """What an application offers: units over a circuit, bytes over frames.

    A class of its own makes a source of each flow it is given for, with the flow as argument.
    Its methods are called at the instants that it names.
    """

    def __init__(self, flow: Flow) -> None:
        self.flow = flow

    def start(self) -> int | None:
        """When `on_timer` is called first; `None`: never."""
        return 0

    def on_timer(self, now: int) -> tuple[int, int | None]:
        """What is offered now, and when it is called again: later than `now`, or `None`."""
        raise NotImplementedError


class Control:
    """When a source may send what its application wants.

    A class of its own makes one for each flow it is given for, with the flow as argument; of a
    connection one for each end, and a fresh one where a transfer over TCP begins with a fresh window.
    Only methods that the class defines itself are called, and attributes are read after each call.

    At one instant acknowledgements and signals come first, then `on_timer`, then packets start.
    """

    #: The most that may be in flight: bytes over TCP and queue pairs; units over a circuit that is
    #: acknowledged. While TCP repairs a loss, it sets this too.
    window: float = math.inf
    #: Bits per second: a packet of a queue pair, or a datagram, starts when the one before it would
    #: be through at this rate, as it was when that started. `None`: the rate of the port.
    rate: float | None = None
    #: A new rate changes the wait of the packet that is next by now, too (queue pairs).
    rescales: bool = False
    #: The window after the last loss or mark (ssthresh), if that is not `window` as it is then.
    threshold: float | None = None
    #: When `on_timer` is called; `None` again when the instant has come.
    timer: int | None = None

    def __init__(self, flow: Flow) -> None:
        self.flow = flow

    def next(self, now: int, has_data: bool) -> int | None:
        """When a unit, segment or packet may go: `now`, later, or `None` until something changes.

        Without this method as soon as `window` has room and `rate` allows it.
        """
        return now if has_data else None

    def on_sent(self, now: int, is_last: bool) -> None:
        """A unit, segment or datagram goes; `is_last`: no other waits."""

    def on_packet(self, now: int, bytes: int) -> None:
        """A packet of a queue pair, or a datagram, starts that takes so many bytes on the wire."""

    def on_ack(self, now: int, ack: Ack) -> None:
        """Something new was acknowledged; over a queue pair, anything."""

    def on_telemetry(self, now: int, ack: Ack, path: Sequence[Hop]) -> None:
        """An acknowledgement came with what each port on its way wrote on its packet, in order.

        Of queue pairs whose scenario says `control = "hpcc"`. Without this method `on_ack` is called.
        """
        self.on_ack(now, ack)

    def on_notification(self, now: int) -> None:
        """A notification (CNP): the destination of a queue pair saw marks.

        It tells as the scenario's `roce.control` says: `np`, `cnp_interval` of `dcqcn`.
        """

    def on_rate(self, now: int, rate_bps: int, point: int) -> None:
        """A queue of a switch states the rate that it allows; the same `point`, the same queue.

        Of queue pairs, where the scenario has `rocc` in `[buffer]`.
        """

    def on_stop(self, now: int, is_stopped: bool) -> None:
        """The network stops a queue pair at its port, or lets it go on."""

    def on_mark(self, now: int, allowed_bytes: int) -> None:
        """Marks ask for less, at most once a round trip (TCP with ECN). `Ack.is_marked` has each.

        `allowed_bytes` could be in flight: the smaller of window and what the receiver takes.
        """

    def on_loss(
        self,
        now: int,
        loss: Literal["duplicates", "trimmed", "time-out", "time-out again"],
        allowed_bytes: int,
    ) -> None:
        """A loss was found (TCP, queue pairs); `allowed_bytes` as for `on_mark`."""

    def on_silence(self) -> None:
        """Nothing was sent for so long that the path may have changed (TCP)."""

    def on_timer(self, now: int) -> None:
        """The instant `timer` has come."""


#: Makes something of a flow.
Make = Callable[[Flow], object]

#: By name of a flow, `*` standing for any part of it: what makes one for each.
Sources = Mapping[str, Callable[[Flow], Source]]
Controls = Mapping[str, Callable[[Flow], Control]]


def placed(
    given: Mapping[str, Make], flows: Sequence[Flow], what: str
) -> list[tuple[str, Make]]:
    """Each flow with what is given for it; where several patterns fit, the last one counts."""
    found: dict[str, Make] = {}
    names = [flow.name for flow in flows]
    for pattern, make in given.items():
        if not callable(make):
            raise TypeError(f"{what}[{pattern!r}] is {make!r}; it is a class, or makes one of a flow")
        fits = [name for name in names if fnmatchcase(name, pattern.replace("[", "[[]"))]
        if not fits:
            known = ", ".join(names[:8]) + (", .." if len(names) > 8 else "")
            raise LookupError(f"{what}: there is no flow {pattern!r}; there are {known or 'none'}")
        found.update(dict.fromkeys(fits, make))
    return list(found.items())


def named(given: Sequence[tuple[str, Make]]) -> list[str]:
    """Words on what is given, for results."""
    names = [(flow, getattr(make, "__qualname__", repr(make))) for flow, make in given]
    return [f"{flow}: {name}" for flow, name in names]
