"""Sweeps on workers of `concurrent.futures`: the same bytes, nothing lost, nothing twice."""

import concurrent.futures
import contextlib
import copy
import multiprocessing
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import backwater as bw
from backwater import _backwater, _workers

SHORT = (
    bw.example("flit/mesh-8x8")
    .set("topology.sides", [4, 4])
    .set("run.warm_up", "100 cycles")
    .set("run.measure", "200 cycles")
    .set("run.drain", "200 cycles")
)
SWEEP = SHORT.sweep({"load": [0.1, 0.2, 0.3], "router.vcs": [2, 4]}, seeds=4)
POINTS = 24
# Points of which one takes seconds, after those that take none.
DIES = """
import concurrent.futures, os, sys
import backwater as bw
sweep = bw.example("fig17-two-switches").set("run.duration", "20000 cells").sweep({}, seeds=60)
with concurrent.futures.ThreadPoolExecutor(1) as threads:
    for row in sweep.as_completed(out=sys.argv[1], executor=threads):
        print(row["seed"], flush=True)
"""


# Processes that are forked, as they are on Linux by themselves before Python 3.14.
FORKS = """
import concurrent.futures, multiprocessing, os, signal, sys
import backwater as bw
sweep = bw.example("fig17-two-switches").set("run.duration", "20000 cells").sweep({}, seeds=20)
context = multiprocessing.get_context("fork")
with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as forked:
    if "dies" in sys.argv:
        rows = sweep.as_completed(out=sys.argv[1], executor=forked)
        next(rows)
        os.kill(os.getpid(), signal.SIGKILL)
    print(len(sweep.run(out=sys.argv[1], executor=forked).table))
"""


def spawned(workers):
    context = multiprocessing.get_context("spawn")
    return concurrent.futures.ProcessPoolExecutor(workers, mp_context=context)


def tables(folder):
    folder = pathlib.Path(folder)
    named = sorted(folder.glob("tables/*.csv")) + [folder / "columns.json"]
    return {path.name: path.read_bytes() for path in named}


def log(folder):
    return pathlib.Path(folder, "points.log").read_text().split()


class Workers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.alone = SWEEP.run()
        cls.tables = tables(cls.alone.path)

    def test_threads_and_processes_give_the_same_bytes(self):
        for make in (lambda: concurrent.futures.ThreadPoolExecutor(3), lambda: spawned(2)):
            with tempfile.TemporaryDirectory() as folder, make() as executor:
                told = []
                out = pathlib.Path(folder, "out")
                found = SWEEP.run(
                    out=out, executor=executor, progress=lambda share, _: told.append(share)
                )
                self.assertTrue(found.ok)
                self.assertIn(f"{POINTS} of {POINTS} runs, {POINTS} computed now", str(found))
                self.assertEqual(tables(out), self.tables)
                self.assertEqual(len(set(log(out))), POINTS)
                self.assertEqual(len(log(out)), POINTS, "a point was stored twice")
                self.assertEqual((told[0], told[-1]), (0.0, 1.0))
                self.assertEqual(told, sorted(told))

    def test_another_seed_shows(self):
        other = SHORT.sweep({"load": [0.1, 0.2, 0.3], "router.vcs": [2, 4]}, seeds=[9, 2, 3, 4])
        with concurrent.futures.ThreadPoolExecutor(2) as executor:
            found = other.run(executor=executor)
        self.assertNotEqual(tables(found.path), self.tables)

    def test_rows_stream_in_and_are_those_of_the_table(self):
        with tempfile.TemporaryDirectory() as folder:
            with concurrent.futures.ThreadPoolExecutor(2) as executor:
                rows = SWEEP.as_completed(out=folder, executor=executor)
                some = [next(rows) for _ in range(5)]
                rows.close()
            kept = len(log(folder))
            self.assertGreaterEqual(kept, 5)
            with concurrent.futures.ThreadPoolExecutor(2) as executor:
                rows = list(SWEEP.as_completed(out=folder, executor=executor))
            self.assertEqual(len(log(folder)), POINTS, "a point was computed again")
            wanted = {(row["load"], row["vcs"], row["seed"]): row for row in self.alone.table.rows()}
            for row in some + rows:
                self.assertEqual(row, wanted[row["load"], row["vcs"], row["seed"]])
            self.assertEqual(len(rows), POINTS)

    def test_more_seeds_cost_only_the_new_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            with concurrent.futures.ThreadPoolExecutor(2) as executor:
                found = SWEEP.run(out=folder, executor=executor)
            more = SHORT.sweep({"load": [0.1, 0.2, 0.3], "router.vcs": [2, 4]}, seeds=5)
            with concurrent.futures.ThreadPoolExecutor(2) as executor:
                again = more.run(out=folder, executor=executor)
            self.assertEqual(len(log(folder)), POINTS + 6)
            self.assertIn("30 of 30 runs, 6 computed now", str(again))
            self.assertEqual(len(again.table), len(found.table) + 6)

    def test_mistakes_and_strangers(self):
        with concurrent.futures.ThreadPoolExecutor(1) as executor:
            with self.assertRaisesRegex(bw.ScenarioError, "did you mean") as caught:
                SHORT.sweep({"router.vsc": [2, 4]}).run(executor=executor)
            self.assertNotIn(tempfile.gettempdir(), str(caught.exception))
            with self.assertRaisesRegex(TypeError, "jobs"):
                SWEEP.run(executor=executor, jobs=2)
            with self.assertRaisesRegex(TypeError, "either"):
                SWEEP.run(executor=executor, client=object())
        with self.assertRaisesRegex(bw.RunError, "did not arrive"):
            _backwater.measure("{}", [0])

    def test_what_a_worker_gives_is_checked(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "one.toml")
            path.write_text(SHORT.text)
            words = [str(path), *SHORT._sets(), *SWEEP._words(), f"--out={folder}/out"]
            points = _backwater.Points(words)
            self.assertEqual((points.count, len(points.missing)), (POINTS, POINTS))
            with self.assertRaisesRegex(bw.RunError, "another backwater is using it"):
                _backwater.Points(words)
            call = pickle.loads(pickle.dumps((_workers.measure, points.plan, [3, 4])))
            _, texts = call[0](*call[1:])
            self.assertEqual(points.take([3, 4], texts), [3, 4])
            changed = [texts[0].replace("0.", "1.", 1), texts[1][: len(texts[1]) // 2]]
            for wrong in (changed[:1], changed[1:], texts[1:]):
                with self.assertRaises(bw.RunError):
                    points.take([3], wrong)
            points.close()
            self.assertEqual(_backwater.Points(words).stored, [3, 4])

    @unittest.skipIf(os.name == "nt", "signals")
    def test_a_lost_process_is_told_and_the_call_goes_on(self):
        with tempfile.TemporaryDirectory() as folder:
            with spawned(1) as executor:
                worker = executor.submit(os.getpid).result()
                rows = SWEEP.as_completed(out=folder, executor=executor)
                next(rows)
                os.kill(worker, signal.SIGKILL)
                with self.assertRaisesRegex(bw.RunError, "another executor goes on"):
                    executor.submit(time.sleep, 0.1).exception()
                    list(rows)
                    SWEEP.run(out=f"{folder}/other", executor=executor)
            with spawned(1) as executor:
                SWEEP.run(out=folder, executor=executor)
            self.assertEqual(tables(folder), self.tables)

    @unittest.skipUnless(sys.platform == "linux", "fork")
    def test_processes_that_are_forked_keep_no_lock(self):
        with tempfile.TemporaryDirectory() as folder:
            words = [sys.executable, "-I", "-W", "ignore", "-c", FORKS, f"{folder}/out"]
            # Workers that outlive the client would hold pipes of a run that waits for their end.
            quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            died = subprocess.Popen([*words, "dies"], start_new_session=True, **quiet)
            self.assertEqual(died.wait(), -signal.SIGKILL)
            try:
                done = subprocess.run(words, capture_output=True, text=True)
                self.assertEqual((done.stdout, done.stderr), ("20\n", ""))
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(died.pid, signal.SIGKILL)

    def test_what_goes_to_other_processes_comes_back(self):
        wrong = SHORT.set("router.vsc", 2)
        with self.assertRaises(bw.ScenarioError) as caught:
            wrong.run()
        error = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual(str(error), str(caught.exception))
        self.assertEqual(
            [str(one) for one in error.diagnostics],
            [str(one) for one in caught.exception.diagnostics],
        )
        self.assertEqual(error.diagnostics[0].code, "unknown-key")
        for back in (pickle.loads(pickle.dumps(wrong)), copy.deepcopy(wrong)):
            self.assertEqual(back, wrong)
        # With the files of a shipped one.
        back = pickle.loads(pickle.dumps(bw.example("flit/anynet")))
        self.assertEqual(back.check(), [])

    @unittest.skipIf(os.name == "nt", "signals")
    def test_a_client_that_dies_goes_on(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "out")
            words = [sys.executable, "-I", "-c", DIES, str(out)]
            child = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
            with child:
                for _ in range(7):
                    self.assertTrue(child.stdout.readline())
                child.kill()
            kept = len(list(out.glob("points/*.json")))
            self.assertTrue(7 <= kept < 60, kept)
            done = subprocess.run(words, capture_output=True, text=True, check=True)
            self.assertEqual(len(done.stdout.split()), 60)
            self.assertLessEqual(len(log(out)), 60, "a point was computed twice")
            self.assertEqual(len(list(out.glob("points/*.json"))), 60)

    def test_cancelled_work_ends_the_sweep_and_the_same_call_goes_on(self):
        """An executor that is shut down with its work, and one that was."""
        sweep = bw.example("fig17-two-switches").set("run.duration", "20000 cells").sweep({}, seeds=40)
        with tempfile.TemporaryDirectory() as folder:
            threads = concurrent.futures.ThreadPoolExecutor(1)
            rows = sweep.as_completed(out=folder, executor=threads)
            next(rows)
            threads.shutdown(wait=False, cancel_futures=True)
            with self.assertRaisesRegex(bw.RunError, "the same call"):
                list(rows)
            with self.assertRaisesRegex(bw.RunError, "the same call"):
                list(sweep.as_completed(out=folder, executor=threads))
            with concurrent.futures.ThreadPoolExecutor(1) as others:
                self.assertEqual(len(list(sweep.as_completed(out=folder, executor=others))), 40)


if __name__ == "__main__":
    unittest.main()
