"""Sweeps, searches, comparisons and papers."""

import concurrent.futures
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import backwater as bw

SHORT = (
    bw.example("flit/mesh-8x8")
    .set("run.warm_up", "100 cycles")
    .set("run.measure", "200 cycles")
    .set("run.drain", "200 cycles")
)
# What a shell starts in the background ignores Ctrl-C, unless it says otherwise.
ENDLESS = """
import backwater as bw, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
sweep = bw.example("fig17-two-switches").set("run.duration", "4000 s").sweep({"n3": [8, 16]})
print("ready", flush=True)
try:
    sweep.run(out=sys.argv[1])
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


class Sweeps(unittest.TestCase):
    AXES = {"load": [0.1, 0.2], "router.vcs": [2, 4]}

    def test_a_point_is_a_run(self):
        found = SHORT.sweep(self.AXES, seeds=[3, 5]).run()
        self.assertTrue(found.ok)
        self.assertEqual(len(found.axes), 2)
        table = found.table
        self.assertEqual(len(table), 8)
        self.assertEqual(sorted(set(table["seed"])), [3, 5])
        load, vcs = (table[name] for name in found.axes)
        self.assertEqual(len(set(table["trace_hash"])), 8)
        for row in (0, 7):
            one = SHORT.set("traffic.load", load[row]).set("router.vcs", int(vcs[row]))
            one = one.run(seed=table["seed"][row])
            self.assertEqual(one.trace_hash, table["trace_hash"][row])
        self.assertEqual(len(found.summary), 4)
        self.assertIn("<svg", found.report())
        self.assertEqual(found.manifest["kind"], "sweep")

    def test_stored_points_are_not_computed_again(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "out")
            told = []
            sweep = SHORT.sweep({"load": [0.1, 0.2]}, seeds=2)
            first = sweep.run(out=out, progress=lambda share, words: told.append(share))
            again = SHORT.sweep({"load": [0.1, 0.2, 0.3]}, seeds=2).run(out=out)
            self.assertIn("4 of 4 runs, 4 computed now", str(first))
            self.assertIn("6 of 6 runs, 2 computed now", str(again))
            self.assertEqual(told[-1], 1.0)
            self.assertEqual(again.path, out)
            self.assertTrue((out / "report.html").exists())

    def test_mistakes(self):
        with self.assertRaisesRegex(bw.ScenarioError, "did you mean") as caught:
            SHORT.sweep({"router.vsc": [2, 4]}).run()
        self.assertNotIn(tempfile.gettempdir(), str(caught.exception))
        with self.assertRaisesRegex(bw.ScenarioError, "nothing varies"):
            bw.example("fig17-two-switches").sweep({}).run()
        with self.assertRaisesRegex(TypeError, "are a list"):
            SHORT.sweep({"load": "0.1"})

    def test_each_exception_says_whose_fault_it_is(self):
        mesh = SHORT.sweep({"load": [0.1, 0.2]})
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "mine.txt").write_text("mine")
            with concurrent.futures.ThreadPoolExecutor(1) as threads:
                for wrong in (
                    lambda: mesh.run(out=folder),
                    lambda: mesh.run(out=folder, executor=threads),
                    lambda: bw.saturate(SHORT, out=folder),
                    lambda: bw.reproduce("kung1993.fig18.backpressure-shares", out=folder),
                ):
                    with self.assertRaisesRegex(bw.RunError, "can't .*--out DIR"):
                        wrong()
        with self.assertRaisesRegex(ValueError, "^jobs is 0: ") as caught:
            mesh.run(jobs=0)
        self.assertNotIsInstance(caught.exception, bw.ScenarioError)
        with self.assertRaisesRegex(TypeError, "seeds"):
            bw.compare(bw.example("compare/parking-lot"), seeds=[1, 2])
        with self.assertRaises(bw.ScenarioError) as caught:
            SHORT.sweep({"load": [-1, 0.1]}).run()
        (one,) = caught.exception.diagnostics
        self.assertEqual((one.severity, one.code, one.file), ("error", "bad-quantity", "--axis"))
        self.assertEqual((one.line, one.column, one.what), (1, 7, "`load` can't be negative"))
        self.assertIn("below zero\nallowed: 0 to 1", one.details)

    def test_what_a_sweep_has_to_say_is_logged(self):
        ring = bw.example("flit/ring-deadlock")
        with self.assertLogs("backwater", "INFO") as heard:
            found = ring.sweep({}, seeds=2).run()
        self.assertFalse(found.ok)
        first, *rest = (record.getMessage() for record in heard.records)
        self.assertTrue(first.startswith("warning[deadlock]: "), first)
        self.assertIn("--> flit/ring-deadlock.toml:", first)
        self.assertIn("deadlock", rest[-1])
        with self.assertNoLogs("backwater", "WARNING"):
            SHORT.sweep({"load": [0.1, 0.2]}).run()

    def test_a_text_that_names_a_file_is_swept(self):
        anynet = bw.example("flit/anynet")
        with tempfile.TemporaryDirectory() as folder:
            for name, text in anynet._core.beside:
                pathlib.Path(folder, name).write_text(text)
            path = pathlib.Path(folder, "one.toml")
            path.write_text(anynet.text)
            edited = bw.scenario(path)
            path.write_text("another = 1")
            before = os.getcwd()
            os.chdir(folder)
            try:
                given = [anynet, bw.scenario(anynet.text), edited]
                found = [self.both_ways(one.set("run.measure", "200 cycles")) for one in given]
            finally:
                os.chdir(before)
            found.append(self.both_ways(edited.set("run.measure", "200 cycles")))
        self.assertEqual(len(set(found)), 1)

    def both_ways(self, given):
        sweep = given.sweep({"load": [0.1]}, seeds=1)
        with concurrent.futures.ThreadPoolExecutor(1) as threads:
            both = [sweep.run(), sweep.run(executor=threads)]
        hashes = {one.table["trace_hash"][0] for one in both}
        hashes.add(given.set("traffic.load", 0.1).run(seed=1).trace_hash)
        (only,) = hashes
        for one in both:
            self.assertTrue(one.manifest["command"].startswith("backwater sweep - "))
            self.assertEqual((one.path / "scenario.toml").read_text(), given.text)
        return only

    def test_an_axis_may_be_called_seed(self):
        values = [{"name": name, "set": {"router.vcs": vcs}} for name, vcs in (("a", 2), ("b", 4))]
        found = SHORT.sweep({"seed": values}, seeds=2).run()
        self.assertEqual(len(found.axes), 1)
        self.assertEqual(list(found.table[found.axes[0]]), ["a", "a", "b", "b"])

    def test_a_directory_is_opened_again(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "sweep")
            made = SHORT.sweep({"load": [0.1, 0.2]}, seeds=2).run(out=out)
            found = bw.open(out)
            self.assertIsInstance(found, bw.SweepResult)
            self.assertTrue(found.ok)
            self.assertEqual(found.table.rows(), made.table.rows())
            self.assertEqual((found.axes, found.plots), (made.axes, made.plots))
            run = bw.example("fig17-two-switches").set("run.duration", "20000 cells").run()
            found = bw.open(str(run.save(pathlib.Path(folder, "run"))))
            self.assertIsInstance(found, bw.SavedRun)
            self.assertEqual((found.trace_hash, found.summary), (run.trace_hash, run.summary))
            self.assertEqual(found.tables["flows"].rows(), run.flows.rows())
            self.assertEqual(found.series_names, run.series_names)
            there, kept = (one.series(run.series_names[0]) for one in (found, run))
            self.assertEqual((there.rows(), there.units), (kept.rows(), kept.units))
            with self.assertRaisesRegex(KeyError, "no series"):
                found.series("no such series")
            with self.assertRaises(FileNotFoundError):
                bw.open(pathlib.Path(folder, "none"))
            pathlib.Path(folder, "manifest.json").write_text("[]")
            with self.assertRaisesRegex(bw.RunError, "no directory of results"):
                bw.open(folder)

    def test_damaged_directories_are_told(self):
        """Pipes are not waited for; a manifest without what it must name is a RunError."""
        with tempfile.TemporaryDirectory() as folder:
            run = bw.example("fig17-two-switches").set("run.duration", "1 ms").set("run.warm_up", "0 s")
            saved = run.run().save(pathlib.Path(folder, "run"))
            whole = json.loads((saved / "manifest.json").read_text("utf-8"))
            wrong = [
                [],
                {**whole, "promises": [{}]},
                {**whole, "promises": 7},
                {**whole, "checks": [{"holds": "no"}]},
                {**whole, "files": "resolved.toml"},
                {**whole, "kind": "sweep"},
            ]
            for manifest in wrong:
                (saved / "manifest.json").write_text(json.dumps(manifest), "utf-8")
                with self.assertRaises(bw.RunError):
                    bw.open(saved)
            lazy = {key: value for key, value in whole.items() if key != "trace_hash"}
            lazy["series"] = [{"name": "x", "unit": "", "file": "../../etc/passwd"}]
            (saved / "manifest.json").write_text(json.dumps(lazy), "utf-8")
            found = bw.open(saved)
            with self.assertRaises(bw.RunError):
                _ = found.trace_hash
            with self.assertRaises(bw.RunError):
                found.series("x")
            (saved / "manifest.json").unlink()
            if hasattr(os, "mkfifo"):
                os.mkfifo(saved / "manifest.json")
                with self.assertRaisesRegex(bw.RunError, "a named pipe"):
                    bw.open(saved)

    def test_a_temporary_directory_goes_with_the_result(self):
        found = SHORT.sweep({"load": {"from": 0.1, "to": 0.2, "step": 0.1}}).run()
        path = found.path
        self.assertTrue(path.exists())
        del found
        self.assertFalse(path.exists())

    @unittest.skipIf(os.name == "nt", "signals")
    def test_ctrl_c_stops_a_sweep(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "out")
            child = subprocess.Popen(
                [sys.executable, "-I", "-c", ENDLESS, str(out)],
                stdout=subprocess.PIPE,
                text=True,
            )
            with child:
                self.assertEqual(child.stdout.readline(), "ready\n")
                while not (out / "points").exists():
                    self.assertIsNone(child.poll())
                    time.sleep(0.02)
                child.send_signal(signal.SIGINT)
                self.assertEqual(child.stdout.readline(), "stopped\n")


class Others(unittest.TestCase):
    def tell(self, told):
        return lambda share, words: told.append((share, words))

    def test_saturate(self):
        told = []
        found = bw.saturate(SHORT, low=0.1, high=0.9, precision=0.2, progress=self.tell(told))
        self.assertEqual(told[:2], [(0.5, "running: 1 of 2"), (1.0, "running: 2 of 2")])
        (row,) = found.tables["saturation"].rows()
        self.assertIn("saturates between load", str(found))
        self.assertIs(type(bw.open(found.path)), type(found))
        self.assertTrue(row)
        with self.assertRaises(bw.ScenarioError):
            bw.saturate(SHORT, over="no.such.key")

    def test_compare(self):
        given = bw.example("compare/request-response").set("run.duration", "40 ms")
        given = given.set("run.warm_up", "20 ms").set("run.window", "10 ms")
        told = []
        found = bw.compare(given, only=["none", "pfc"], progress=self.tell(told))
        self.assertEqual([share for share, _ in told], [0.0, 0.5, 1.0, 1.0])
        names = " ".join(name for table in found.tables.values() for name in table.columns)
        self.assertIn("pfc", names + str(found))
        with self.assertRaises(bw.ScenarioError):
            bw.compare(given, only=["no-such-scheme"])

    def test_reproduce(self):
        told = []
        what = "kung1993.fig18.backpressure-shares"
        found = bw.reproduce(what, quick=True, progress=self.tell(told))
        shares = [share for share, _ in told]
        self.assertGreater(len(shares), 1)
        self.assertEqual(shares, sorted(shares))
        self.assertTrue(found.ok)
        (claim,) = found.claims
        self.assertEqual(claim["verdict"], "agrees")
        with self.assertRaises(bw.ScenarioError):
            bw.reproduce("kung1993.no-such-claim")


if __name__ == "__main__":
    unittest.main()
