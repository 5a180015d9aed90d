"""Sources and source control of Python: the same hash as those of the program.

What is written here a second time is held against the program's own: constant gaps, windows, Reno,
DCQCN (as docs/python.md has it), RoCC's source.
"""

import pathlib
import random
import re
import unittest

import backwater as bw

WINDOW = bw.scenario(
    """
    [run]
    duration = "20000 cells"
    warm_up = "1000 cells"

    [link]
    rate = "622 Mbps"
    delay = "40 cells"

    [network]
    hosts = ["A", "B", "C"]
    switches = ["S"]

    [[links]]
    between = ["A", "S"]

    [[links]]
    between = ["C", "S"]

    [[links]]
    between = ["S", "B"]

    [[flows]]
    name = "bulk"
    from = "A"
    to = "B"
    traffic = { kind = "greedy" }
    source_control = { kind = "window", cells = 50 }
    partner = "acks"

    [[flows]]
    name = "beat"
    from = "C"
    to = "B"
    traffic = { kind = "constant", interval = "3 cells" }

    [[flows]]
    name = "acks"
    from = "B"
    to = "A"
    traffic = { kind = "silent" }
    """
)
FILES = (
    bw.example("ethernet/peers-mismatch")
    .set("run.duration", "20 s")
    .set("run.warm_up", "2 s")
    .set("buffer.per_queue", "16 kB")
)
DATAGRAMS = bw.scenario(
    """
    engine = "ethernet"

    [run]
    duration = "20 ms"

    [network]
    hosts = ["A", "B"]
    switches = ["S"]

    [[links]]
    between = ["A", "S"]

    [[links]]
    between = ["S", "B"]

    [link]
    rate = "10 Gbps"
    delay = "1 us"

    [flow_control]
    kind = "none"

    [[flows]]
    name = "beat"
    from = "A"
    to = "B"
    transport = "udp"
    payload = "1000 B"
    traffic = { kind = "constant", rate = "1 Gbps" }
    """
)


class Beat(bw.Source):
    """One unit, or full datagram, at even gaps."""

    gap = 8 * bw.US

    def on_timer(self, now):
        return (self.flow.unit_bytes if self.flow.in_bytes else 1), now + self.gap


class Fixed(bw.Control):
    """A fixed window."""

    window = 50


class ByHand(bw.Control):
    """The same without the attribute that says so."""

    def __init__(self, flow):
        super().__init__(flow)
        self.sent = self.expected = 0

    def next(self, now, has_data):
        return now if has_data and self.sent - self.expected < 50 else None

    def on_sent(self, now, is_last):
        self.sent += 1

    def on_ack(self, now, ack):
        self.expected = ack.expected


class Reno(bw.Control):
    """RFC 5681 as in 4.4BSD, without its eighth."""

    def __init__(self, flow):
        super().__init__(flow)
        self.mss = self.window = flow.unit_bytes
        self.threshold = 2**62

    def half(self, allowed):
        return max(allowed // 2 // self.mss, 2) * self.mss

    def on_ack(self, now, ack):
        if ack.may_grow:
            slow_start = self.window <= self.threshold
            more = self.mss if slow_start else max(self.mss * self.mss // self.window, 1)
            self.window = min(self.window + more, max(65_535, self.window))

    def on_loss(self, now, loss, allowed_bytes):
        self.threshold = self.half(allowed_bytes)
        self.window = self.threshold if loss == "duplicates" else self.mss


def of_the_document(name):
    """A class that docs/python.md shows."""
    document = pathlib.Path(__file__).parents[2] / "docs" / "python.md"
    (text,) = re.findall(rf"^class {name}\(.*?(?=^\S)", document.read_text(), re.S | re.M)
    found = {"bw": bw}
    exec(text, found)
    return found[name]


Dcqcn = of_the_document("Dcqcn")
QUEUE_PAIRS = bw.example("ethernet/dcqcn").set(
    {
        "run": {"duration": "4 ms", "warm_up": "0 s"},
        "roce.control": {"kind": "dcqcn", "profile": "paper"},
        "buffer.ecn": {"min": "5 kB", "max": "200 kB", "probability": 0.01, "at": "leave"},
    }
)


class Rocc(bw.Control):
    """A source that obeys the rates that switches state."""

    recovery, point, allowed = 200 * bw.US, None, None

    def on_rate(self, now, rate_bps, point):
        if rate_bps <= (self.allowed or self.flow.rate_bps) or point == self.point:
            self.allowed, self.point, self.timer = rate_bps, point, now + self.recovery
            self.rate = min(rate_bps, self.flow.rate_bps)

    def on_timer(self, now):
        if self.allowed > self.flow.rate_bps:
            self.allowed = self.point = self.rate = None
        else:
            self.allowed *= 2
            self.rate, self.timer = min(self.allowed, self.flow.rate_bps), now + self.recovery


class Agreement(unittest.TestCase):
    def test_dcqcn(self):
        own = QUEUE_PAIRS.run()
        found = QUEUE_PAIRS.run(controls={"write*": Dcqcn}, audit=True)
        self.assertEqual(found.trace_hash, own.trace_hash)
        self.assertTrue(found.ok)

        class Sooner(Dcqcn):
            PERIOD = 54 * bw.US

        self.assertNotEqual(QUEUE_PAIRS.run(controls={"write*": Sooner}).trace_hash, own.trace_hash)

    def test_dcqcn_by_bytes_and_with_hyper_increase(self):
        short = QUEUE_PAIRS.set("roce.control.byte_counter", "60 kB")

        class Short(Dcqcn):
            COUNTER, hyper = 60_000, 0

            def increase(self):
                part = super().increase()
                Short.hyper += part == 2
                return part

        found = short.run(controls={"write*": Short})
        own = short.run().trace_hash
        self.assertEqual(found.trace_hash, own)
        self.assertGreater(Short.hyper, 0)

        class Milder(Short):
            GAIN = 1 / 255

        self.assertNotEqual(short.run(controls={"write*": Milder}).trace_hash, own)

    def test_rocc(self):
        stated = bw.example("ethernet/rocc").set("run", {"duration": "4 ms", "warm_up": "0 s"})
        own = stated.run().trace_hash
        self.assertEqual(stated.run(controls={"write*": Rocc}).trace_hash, own)

        class Deaf(Rocc):
            recovery = 190 * bw.US

        self.assertNotEqual(stated.run(controls={"write*": Deaf}).trace_hash, own)

    def test_a_source_of_units(self):
        scenario = WINDOW.set("flows.beat.traffic.interval", "8 us")
        own = scenario.run().trace_hash
        self.assertEqual(scenario.run(sources={"beat": Beat}).trace_hash, own)

        class Late(Beat):
            def start(self):
                return 1

        self.assertNotEqual(scenario.run(sources={"beat": Late}).trace_hash, own)

    def test_a_source_of_datagrams(self):
        own = DATAGRAMS.run().trace_hash
        self.assertEqual(DATAGRAMS.run(sources={"beat": Beat}).trace_hash, own)

        class Faster(Beat):
            gap = 7 * bw.US

        self.assertNotEqual(DATAGRAMS.run(sources={"beat": Faster}).trace_hash, own)

    def test_a_window(self):
        own = WINDOW.run().trace_hash
        for control in (Fixed, ByHand):
            with self.subTest(control):
                found = WINDOW.run(controls={"bulk": control}, audit=True)
                self.assertEqual(found.trace_hash, own)
                self.assertTrue(found.ok)

        class Larger(bw.Control):
            window = 51

        self.assertNotEqual(WINDOW.run(controls={"bulk": Larger}).trace_hash, own)

    def test_reno(self):
        own = FILES.run()
        lost = sum(row["retransmitted_bytes"] for row in own.tables["tcp"].rows())
        self.assertGreater(lost, 0, "where nothing is lost, only slow start would be seen")
        self.assertEqual(FILES.run(controls={"file*": Reno}).trace_hash, own.trace_hash)

        class Timid(Reno):
            def half(self, allowed):
                return 2 * self.mss

        self.assertNotEqual(FILES.run(controls={"*": Timid}).trace_hash, own.trace_hash)


class Pacing(unittest.TestCase):
    def test_a_later_instant_is_waited_for(self):
        sent = []

        class Paced(bw.Control):
            free = 0

            def next(self, now, has_data):
                return max(now, self.free) if has_data else None

            def on_sent(self, now, is_last):
                sent.append(now)
                self.free = now + 5 * bw.US

        found = WINDOW.run(controls={"bulk": Paced})
        self.assertGreater(len(sent), 100)
        self.assertEqual({b - a for a, b in zip(sent, sent[1:])}, {5 * bw.US})
        self.assertTrue(found.ok)

    def test_a_timer_comes_when_it_was_wanted(self):
        came = []

        class Ticking(bw.Control):
            window = 5

            def __init__(self, flow):
                super().__init__(flow)
                self.timer = 3 * bw.US

            def on_timer(self, now):
                came.append((now, self.timer))
                self.timer = now + 7 * bw.US if len(came) < 3 else None

        WINDOW.run(controls={"bulk": Ticking})
        self.assertEqual(came, [(at * bw.US, None) for at in (3, 10, 17)])


    def test_a_timer_over_tcp(self):
        came = []

        class Ticking(bw.Control):
            def __init__(self, flow):
                super().__init__(flow)
                self.window, self.timer = 10 * flow.unit_bytes, 3 * bw.US

            def on_timer(self, now):
                came.append(now)
                self.timer = now + 7 * bw.US if now < 20 * bw.US else None

        names = [flow.name for flow in FILES.flows()]
        FILES.set("run.warm_up", "0 s").run(controls={names[0]: Ticking})
        # Each end of the connection has one.
        self.assertEqual(came[:8], [at * bw.US for at in (3, 3, 10, 10, 17, 17, 24, 24)])

    def test_datagrams_go_at_the_rate_of_their_control(self):
        starts = []

        class Paced(bw.Control):
            rate = 1_000_000_000

            def __init__(self, flow):
                super().__init__(flow)
                self.timer = 100 * bw.US

            def on_packet(self, now, bytes):
                starts.append((now, bytes))

            def on_timer(self, now):
                self.rate /= 2

        greedy = DATAGRAMS.set("flows.beat.traffic", {"kind": "greedy", "total": "50 kB"})
        (row,) = greedy.run(controls={"beat": Paced}).flows.rows()
        self.assertEqual((row["payload_offered_bytes"], row["delivered_frames"]), (50_000, 50))
        # 1,000 bytes of payload in 1,066 on the wire.
        self.assertEqual({bytes for _, bytes in starts}, {1_066})
        gaps = [after - before for (before, _), (after, _) in zip(starts, starts[1:])]
        self.assertEqual(gaps, [8_528_000] * 12 + [17_056_000] * 37)

        # Without a rate, that of the port.
        starts.clear()

        class Free(Paced):
            rate = None

            def on_timer(self, now):
                pass

        greedy.run(controls={"beat": Free})
        gaps = [after - before for (before, _), (after, _) in zip(starts, starts[1:])]
        self.assertEqual(gaps, [852_800] * 49)

    def test_a_queue_pair_hears_of_stops_marks_and_switches(self):
        heard = {"stops": 0, "marks": 0, "hops": set(), "packets": 0}

        class Listening(bw.Control):
            def on_stop(self, now, is_stopped):
                heard["stops"] += 1

            def on_ack(self, now, ack):
                heard["marks"] += ack.is_marked

            def on_telemetry(self, now, ack, path):
                heard["hops"].add((len(path), path[0].rate_bps, path[0].at_ps <= now))

            def on_packet(self, now, bytes):
                heard["packets"] += 1

        told = QUEUE_PAIRS.set("run.duration", "1 ms")
        marked = told.set("roce.control", {"kind": "dcqcn", "np": "ack"})
        found = marked.run(controls={"write*": Listening})
        self.assertGreater(heard["stops"], 0)
        self.assertGreater(heard["marks"], 0)
        self.assertGreater(heard["packets"], 1_000)
        self.assertEqual(heard["hops"], set())
        self.assertEqual({flow.is_paced for flow in marked.flows()}, {True})
        self.assertTrue(found.ok)
        told.set("roce.control", "hpcc").run(controls={"write*": Listening})
        # The port of the host, and that of the switch.
        self.assertEqual(heard["hops"], {(2, 10**11, True)})


class Bytes(unittest.TestCase):
    def test_a_connection_carries_what_a_source_hands_over(self):
        class Bursts(bw.Source):
            """Three, of 10,000 bytes each."""

            def start(self):
                return bw.S

            def on_timer(self, now):
                return 10_000, now + bw.S if now < 3 * bw.S else None

        whole = FILES.set("run.warm_up", "0 s").run(sources={"*": Bursts})
        for row, tcp in zip(whole.flows.rows(), whole.tables["tcp"].rows()):
            self.assertEqual(row["payload_offered_bytes"], 30_000, row)
            self.assertEqual(tcp["sent_bytes"] - tcp["retransmitted_bytes"], 30_000)
            # The run ends with the last of them.
            self.assertAlmostEqual(row["goodput_mbps"], 30_000 * 8 / 3.0175 / 1e6, places=3)

    def test_the_last_datagram_is_short(self):
        class Once(bw.Source):
            def on_timer(self, now):
                return 2_500, None

        (row,) = DATAGRAMS.run(sources={"beat": Once}).flows.rows()
        self.assertEqual((row["payload_offered_bytes"], row["delivered_frames"]), (2_500, 3))

    def test_seeds_are_of_the_run_and_the_flow(self):
        seen = []

        class Drawn(bw.Source):
            def __init__(self, flow):
                super().__init__(flow)
                self.random = random.Random(flow.seed)
                seen.append((flow.name, flow.seed, flow.rate_bps))

            def on_timer(self, now):
                return 1_000, now + 1 + int(self.random.expovariate(1 / bw.US))

        hashes = [DATAGRAMS.run(seed=seed, sources={"*": Drawn}).trace_hash for seed in (1, 1, 2)]
        self.assertEqual(hashes[0], hashes[1])
        self.assertNotEqual(hashes[0], hashes[2])
        self.assertEqual(len({seed for _, seed, _ in seen}), 2)
        self.assertEqual({rate for *_, rate in seen}, {10**10})
        flows = {flow.name: flow for flow in WINDOW.flows()}
        self.assertEqual([flows["bulk"].is_acknowledged, flows["beat"].is_acknowledged], [True, False])
        self.assertEqual(len({flow.seed for flow in flows.values()}), 3)
        self.assertEqual(bw.example("flit/mesh-8x8").flows(), [])


if __name__ == "__main__":
    unittest.main()
