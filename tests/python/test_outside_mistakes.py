"""Mistakes in sources and source control of Python: an error that says where, and nothing worse."""

import subprocess
import sys
import traceback
import unittest

import backwater as bw
from test_outside import DATAGRAMS, FILES, QUEUE_PAIRS, WINDOW, Beat, Fixed

# Far more units at each instant than there is room for.
MUCH = """
import resource
import backwater as bw
class Much(bw.Source):
    def on_timer(self, now):
        return 1_000_000, now + 1000
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
given = bw.example("fig17-two-switches").set("run.duration", "1 ms").set("run.warm_up", "0 s")
try:
    given.run(sources={"VC1": Much})
except bw.RunError as error:
    print(error)
"""
# Little room on the stack, and runs within runs.
DEEP = """
import threading
import backwater as bw
given = bw.example("fig17-two-switches").set("run.duration", "1 ms").set("run.warm_up", "0 s")
class Deeper(bw.Source):
    def __init__(self, flow):
        given.run(sources={"VC1": Deeper})
try:
    given.run(sources={"VC1": Deeper})
except bw.RunError as error:
    print(error)
found = []
for size in (32768, 262144):
    threading.stack_size(size)
    thread = threading.Thread(target=lambda: found.append(given.run().trace_hash))
    thread.start()
    thread.join()
assert found == [given.run().trace_hash] * 2, found
"""


class Mistakes(unittest.TestCase):
    def refuses(self, error, pattern, scenario, **given):
        with self.assertRaisesRegex(error, pattern):
            scenario.run(**given)

    def test_what_a_method_raises_ends_the_run(self):
        class Wrong(Fixed):
            def on_ack(self, now, ack):
                self.nothing += ack.expected

        try:
            WINDOW.run(controls={"bulk": Wrong})
        except AttributeError:
            where = traceback.format_exc()
        self.assertRegex(where, r"in on_ack\n +self.nothing")

    def test_what_a_constructor_raises_does_too(self):
        class Wrong(bw.Source):
            def __init__(self, flow):
                raise KeyError(flow.name)

        self.refuses(KeyError, "beat", WINDOW, sources={"beat": Wrong})

    def test_time_goes_on(self):
        class Back(bw.Control):
            def next(self, now, has_data):
                return now - 1

        class Stuck(bw.Source):
            def on_timer(self, now):
                return 1, now

        class Now(bw.Control):
            def next(self, now, has_data):
                return now

        class Still(Fixed):
            def on_sent(self, now, is_last):
                self.timer = now

        self.refuses(ValueError, "-1, which has passed: it is 0 ps", WINDOW, controls={"bulk": Back})
        self.refuses(ValueError, "on_timer.* has passed", WINDOW, sources={"beat": Stuck})
        self.refuses(ValueError, "more than 100000 units", WINDOW, controls={"bulk": Now})
        self.refuses(ValueError, "timer gave the instant 0", WINDOW, controls={"bulk": Still})

    def test_values_are_what_they_should_be(self):
        class Words(bw.Source):
            def on_timer(self, now):
                return "many", None

        class Single(bw.Source):
            def on_timer(self, now):
                return 5

        class Much(bw.Source):
            def on_timer(self, now):
                return 10**12, None

        class Soon(bw.Control):
            def next(self, now, has_data):
                return "soon"

        class Minus(bw.Control):
            window = -1

        for wrong in (Words, Single):
            self.refuses(TypeError, "on_timer.. gave", WINDOW, sources={"beat": wrong})
        self.refuses(ValueError, "1000000 is the most", WINDOW, sources={"beat": Much})
        self.refuses(TypeError, "'soon'; an instant is an int", WINDOW, controls={"bulk": Soon})
        self.refuses(TypeError, "window is -1", WINDOW, controls={"bulk": Minus})

    def test_an_instant_beyond_all_runs_is_never(self):
        for far in (2**63, 2**64 - 1, 2**64, 10**30):

            class Far(bw.Control):
                def next(self, now, has_data):
                    return far

            found = WINDOW.run(controls={"bulk": Far})
            self.assertEqual(found.flows.rows()[0]["offered_cells"], 0)

    def test_not_every_flow_takes_one(self):
        self.refuses(LookupError, "no flow 'bluk'; there are bulk", WINDOW, controls={"bluk": Fixed})
        self.refuses(TypeError, "is 5; it is a class", WINDOW, controls={"bulk": 5})
        self.refuses(bw.RunError, "says itself when", DATAGRAMS, controls={"*": Fixed})

        class Rated(bw.Control):
            rate = 1e6

        self.refuses(TypeError, "nothing paces", FILES, controls={"*": Rated})
        self.refuses(TypeError, "rate is 0", QUEUE_PAIRS, controls={"*": type("Z", (bw.Control,), {"rate": 0})})
        self.refuses(bw.RunError, "conversation", WINDOW, sources={"acks": Beat})
        self.refuses(LookupError, "none", bw.example("flit/mesh-8x8"), sources={"*": Beat})
        abr = bw.example("abr/five-sources")
        self.refuses(bw.RunError, "`abr` or `aimd`", abr, controls={"*": Fixed})

    def test_it_runs_on_one_thread_and_says_so(self):
        with self.assertLogs("backwater") as said:
            found = WINDOW.run(threads=2, sources={"beat": Beat})
        self.assertIn("outside the program", said.output[0])
        self.assertIn("sources of Python: beat: Beat", found.report())

    @unittest.skipUnless(sys.platform == "linux", "limits of memory are watched on Linux")
    def test_nothing_ends_the_interpreter(self):
        """A RunError where units of one instant fill the memory, or runs are within each other."""
        for text, told in [(MUCH, "memory: stopped in time"), (DEEP, "within each other")]:
            words = [sys.executable, "-I", "-c", text]
            ran = subprocess.run(words, capture_output=True, text=True, timeout=120)
            self.assertEqual(ran.returncode, 0, ran.stderr[-500:])
            self.assertIn(told, ran.stdout)


if __name__ == "__main__":
    unittest.main()
