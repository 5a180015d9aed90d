"""What a call of a method in Python costs: TCP between 64 hosts, with and without such methods."""

import time

import backwater as bw

RUNS = bw.example("bench/leaf-spine-tcp").set("run.duration", "200 ms")
calls = 0


class Quiet(bw.Control):
    """A fixed window, and no method that is called."""

    window = 20_000


class Asked(Quiet):
    """The same with three methods."""

    def next(self, now: int, has_data: bool) -> int:
        global calls
        calls += 1
        return now

    def on_sent(self, now: int, is_last: bool) -> None:
        global calls
        calls += 1

    def on_ack(self, now: int, ack: bw.Ack) -> None:
        global calls
        calls += 1


def seconds(control: type[bw.Control]) -> float:
    """CPU time of a run."""
    began = time.process_time()
    RUNS.run(controls={"*": control})
    return time.process_time() - began


if __name__ == "__main__":
    quiet, asked = seconds(Quiet), seconds(Asked)
    cost = 1e6 * (asked - quiet) / calls
    print(f"{quiet:.2f} s without calls, {asked:.2f} s with {calls:,} of them: {cost:.2f} us each")
