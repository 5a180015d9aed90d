"""The package by itself, with nothing but the standard library."""

import array
import contextlib
import io
import logging
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import backwater as bw

TWO = bw.example("fig17-two-switches").set("run.duration", "20000 cells")
COMMAND = [sys.executable, "-I", "-m", "backwater"]


def command(*words, cwd=None):
    return subprocess.run([*COMMAND, *words], capture_output=True, text=True, cwd=cwd)


class Scenarios(unittest.TestCase):
    def test_set_gives_another_scenario(self):
        other = TWO.set("run.seed", 7)
        self.assertNotIn("run.seed", TWO.changes)
        self.assertEqual(other.changes["run.seed"], "7")
        self.assertNotEqual(other, TWO)
        self.assertEqual(other, TWO.set("run.seed", 7))
        with self.assertRaises(AttributeError):
            other.changes = {}

    def test_a_file_a_text_and_a_dictionary_are_the_same(self):
        text = bw.example("kung1993/fig12-greedy").text
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "one.toml")
            path.write_text(text, encoding="utf-8")
            import tomllib

            given = [bw.scenario(path), bw.scenario(str(path)), bw.scenario(text)]
            given.append(bw.scenario(tomllib.loads(text)))
        short = [one.set("run.duration", "4000 cells").run().trace_hash for one in given]
        self.assertEqual(len(set(short)), 1, short)
        other = bw.scenario(text).set("run.duration", "4001 cells").run().trace_hash
        self.assertNotEqual(other, short[0], "the hash tells runs apart")

    def test_values_are_toml(self):
        changed = TWO.set("a", 'say "no"\n\x7f').set("b", [1, 2.5, True]).set("c", {"d e": "f"})
        self.assertEqual(changed.changes["a"], '"say \\"no\\"\\n\\u007F"')
        self.assertEqual(changed.changes["b"], "[1, 2.5, true]")
        self.assertEqual(changed.changes["c"], '{ "d e" = "f" }')
        with self.assertRaisesRegex(TypeError, "run.seed is None"):
            TWO.set("run.seed", None)

    @unittest.skipIf(os.name == "nt", "words of a shell")
    def test_the_command_that_makes_it_again_runs(self):
        short = bw.example("flit/anynet").set("run.measure", "200 cycles")
        given = [TWO, short, bw.scenario(TWO.text).set("run.seed", 2)]
        for one in given:
            with tempfile.TemporaryDirectory() as folder:
                line = one.command().replace("backwater ", shlex.join(COMMAND) + " ")
                pathlib.Path(folder, "in.toml").write_text(one.text)
                line += " < in.toml" if " run - " in line else ""
                done = subprocess.run(line, shell=True, capture_output=True, text=True, cwd=folder)
                self.assertEqual((done.returncode, done.stderr), (0, ""), line)
            self.assertIn(one.run().trace_hash, done.stdout)

    def test_a_shipped_scenario_reads_its_files(self):
        self.assertEqual(bw.example("flit/anynet").check(), [])
        alone = bw.scenario(bw.example("flit/anynet").text).check()
        self.assertEqual([one.code for one in alone if one.severity == "error"], ["no-file"])

    def test_examples_and_explanations(self):
        self.assertIn("kung1993/fig17-two-switches", bw.examples())
        self.assertIn("xoff threshold", bw.explain("xoff"))
        with self.assertRaises(LookupError):
            bw.explain("no-such-word")
        with self.assertRaisesRegex(bw.ScenarioError, "fig17"):
            bw.example("fig17-two-switchs")


class Mistakes(unittest.TestCase):
    WRONG = TWO.text.replace("n3 =", "n33 =", 1)

    def test_a_diagnostic_has_place_and_help(self):
        found = [one for one in bw.scenario(self.WRONG).check() if one.code == "unknown-key"]
        self.assertEqual(len(found), 1)
        (one,) = found
        line = 1 + self.WRONG[: self.WRONG.index("n33 =")].count("\n")
        self.assertEqual((one.file, one.line), ("<text>", line))
        self.assertEqual(self.WRONG.splitlines()[line - 1][one.column - 1 :][:3], "n33")
        self.assertIn("n33", one.what)
        self.assertIn("did you mean `n3`?", one.help)
        self.assertEqual(bw.scenario(TWO.text).check(), [], "and none where nothing is wrong")

    def test_errors_have_the_text_of_the_command(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "wrong.toml")
            path.write_text(self.WRONG, encoding="utf-8")
            with self.assertRaises(bw.ScenarioError) as caught:
                bw.scenario(path).run()
            printed = command("check", str(path))
        self.assertEqual(printed.returncode, 2)
        self.assertEqual(str(caught.exception), printed.stderr.rstrip())
        self.assertEqual(caught.exception.diagnostics[0].file, str(path))

    def test_a_wrong_change_has_a_place_too(self):
        (one,) = TWO.set("run.sed", 3).check()
        self.assertEqual((one.file, one.column), ("--set", 5))

    def test_what_is_not_there(self):
        with self.assertRaisesRegex(FileNotFoundError, "backwater example"):
            bw.scenario("fig17-two-switches.toml")
        with self.assertRaisesRegex(bw.RunError, "comparison"):
            bw.example("compare/parking-lot").run()
        with self.assertRaisesRegex(ValueError, "from 1 to 64"):
            TWO.run(threads=0)


class Runs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.result = TWO.run(seed=1)

    def test_the_command_finds_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            scenario = TWO.set("run.seed", 1)
            sets = [f"--set={path}={value}" for path, value in scenario.changes.items()]
            path = pathlib.Path(folder, "two.toml")
            path.write_text(TWO.text, encoding="utf-8")
            printed = command("run", str(path), *sets, "--out", "by-command", cwd=folder)
            self.assertEqual(printed.returncode, 0, printed.stderr)
            self.assertIn(self.result.trace_hash, printed.stdout)
            mine = self.result.save(pathlib.Path(folder, "by-python"))
            for name in ("tables/flows.csv", "summary.json"):
                theirs = pathlib.Path(folder, "by-command", name).read_bytes()
                self.assertEqual(mine.joinpath(name).read_bytes(), theirs, name)
            series = [sorted(p.name for p in (one / "series").iterdir())
                      for one in (mine, pathlib.Path(folder, "by-command"))]  # fmt: skip
            self.assertEqual(*series)
        longer = TWO.set("run.duration", "20001 cells").run(seed=1)
        self.assertNotEqual(longer.trace_hash, self.result.trace_hash)

    def test_threads_and_audit_change_nothing(self):
        audited = TWO.run(seed=1, audit=True)
        self.assertEqual(audited.trace_hash, self.result.trace_hash)
        self.assertIn("promises checked", audited.report())
        self.assertNotIn("promises checked", self.result.report())
        self.assertEqual(TWO.run(seed=1, threads=2).trace_hash, self.result.trace_hash)

    def test_tables(self):
        flows = self.result.flows
        self.assertEqual(len(flows), 4)
        self.assertEqual(list(flows["flow"]), ["VC1", "VC2", "VC3", "VC4"])
        self.assertEqual(flows["throughput_mbps"].unit, "Mbps")
        self.assertTrue(flows["throughput_mbps"].meaning)
        self.assertEqual(sum(row["delivered_cells"] for row in flows.rows()), 32919)
        self.assertEqual(flows["flow"][-1], "VC4")
        for row in (4, -5):
            with self.assertRaises(IndexError):
                flows["flow"][row]
        with self.assertRaisesRegex(KeyError, "did you mean `throughput_mbps`"):
            flows["throughput_mbs"]
        with self.assertRaisesRegex(KeyError, "there are: balance, flows"):
            self.result.tables["flow"]

    def test_series(self):
        series = self.result.series("VC2")
        self.assertEqual(series.columns[0], "time_ps")
        times = list(series["time_ps"])
        self.assertEqual(times, sorted(times))
        self.assertLessEqual(max(series[series.columns[1]]), 1.0)
        with self.assertRaises(KeyError):
            self.result.series("VC9")

    def test_numbers_leave_by_the_buffer_protocol(self):
        flows = self.result.flows
        view = memoryview(flows["throughput_mbps"])
        self.assertEqual((view.format, view.shape, view.readonly), ("d", (4,), True))
        self.assertEqual(view.tolist(), list(flows["throughput_mbps"]))
        counts = memoryview(flows["offered_cells"])
        self.assertEqual((counts.format, counts.tolist()), ("q", list(flows["offered_cells"])))
        self.assertEqual(array.array("q", bytes(counts)), array.array("q", counts.tolist()))
        with self.assertRaisesRegex(BufferError, "words"):
            memoryview(flows["flow"])
        with self.assertRaises(TypeError):
            view[0] = 1.0

    def test_counts_that_are_absent_leave_as_nan(self):
        result = bw.example("schedulers/delay-bound").run()
        tables = [*result.tables.values(), bw.example("ethernet/incast").run().tables["completion"]]
        columns = [table[name] for table in tables for name in table.columns]
        holes = [one for one in columns if one.dtype == "int64" and one.null_count]
        self.assertTrue(holes)
        for column in holes:
            view = memoryview(column)
            self.assertEqual(view.format, "d")
            self.assertEqual([None if x != x else x for x in view], list(column))

    def test_a_count_is_one_where_nobody_has_it(self):
        port = bw.example("ethernet/incast").set("run.duration", "4 ms")
        self.assertEqual(port.run().tables["queues"]["xoff_bytes"].dtype, "int64")

    def test_each_series_has_a_name_of_its_own(self):
        names = bw.example("ethernet/schedulers").run().series_names
        self.assertEqual(len(set(names)), len(names), names)
        self.assertIn("queue of s -> D, class 1", names)
        self.assertIn("A -> s stopped", names)

    def test_tables_are_called_as_their_files(self):
        short = bw.example("flit/mesh-8x8").set("run.measure", "200 cycles").run()
        with tempfile.TemporaryDirectory() as folder:
            saved = short.save(pathlib.Path(folder, "run"))
            files = {path.stem for path in saved.glob("tables/*.csv")}
        self.assertEqual(files, set(short.tables))

    def test_memory_stays_while_it_is_looked_at(self):
        view = memoryview(TWO.run(seed=1).series("VC2")["time_ps"])
        for _ in range(3):
            TWO.run(seed=3)
        self.assertEqual(view.tolist(), list(self.result.series("VC2")["time_ps"]))

    def test_summary_and_report(self):
        self.assertEqual(self.result.summary["trace_hash"], self.result.trace_hash)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "report.html")
            page = self.result.report(path)
            self.assertEqual(path.read_text(encoding="utf-8"), page)
        self.assertIn("backwater run fig17-two-switches.toml", page)
        self.assertIn(self.result.trace_hash, str(self.result))
        self.assertTrue(self.result.ok)
        self.assertIsNone(self.result.standstill)

    def test_claims(self):
        self.assertEqual({one["state"] for one in self.result.claims}, {"kept"})
        audited = bw.example("fig17-two-switches").set("run.duration", "50 ms").run(audit=True)
        last = audited.claims[-1]
        self.assertEqual((last["what"], last["state"]), ("promises while running", "kept"))
        self.assertIn("checked while running", last["detail"])
        lossy = bw.example("ethernet/lost-pause").run()
        self.assertEqual(lossy.claims[0]["what"], "class 3 lossless at S1")
        self.assertEqual(lossy.claims[0]["state"], "given-up")
        self.assertIn("836 frames lost", lossy.claims[0]["detail"])

    def test_a_notebook_shows_summary_and_plot(self):
        shown = self.result._repr_html_()
        self.assertTrue(shown.startswith("<pre>Two switches"), shown[:100])
        self.assertIn("S1 -&gt; S2", shown)
        self.assertEqual(shown.count("<svg"), 1)

    def test_a_deadlock_is_told(self):
        result = bw.example("flit/ring-deadlock").run()
        self.assertFalse(result.ok)
        self.assertTrue(result.standstill)

    def test_progress(self):
        told = []
        TWO.set("run.duration", "400 ms").run(progress=lambda share, words: told.append(share))
        self.assertEqual(told, sorted(told))
        self.assertEqual(told[-1], 1.0)
        with self.assertRaises(ZeroDivisionError):
            TWO.run(progress=lambda share, words: 1 / 0)

    def test_what_runs_say_goes_to_the_logger(self):
        with self.assertLogs("backwater", logging.INFO) as said:
            TWO.run(threads=2, audit=True)
        self.assertIn("one thread", said.output[0])


# What a shell starts in the background ignores Ctrl-C, unless it says otherwise.
LONG = """
import signal, sys, time, backwater as bw
signal.signal(signal.SIGINT, signal.default_int_handler)
s = bw.example("fig17-two-switches").set("run.duration", "4000 s")
print("ready", flush=True)
began = time.monotonic()
try:
    s.run(threads=int(sys.argv[1]))
except KeyboardInterrupt:
    print("stopped", time.monotonic(), flush=True)
"""


class Stopping(unittest.TestCase):
    def stop(self, threads):
        child = subprocess.Popen(
            [sys.executable, "-I", "-c", LONG, str(threads)], stdout=subprocess.PIPE, text=True
        )
        try:
            self.assertEqual(child.stdout.readline(), "ready\n")
            time.sleep(0.5)
            self.assertIsNone(child.poll(), "it runs for ever if nobody stops it")
            at = time.monotonic()
            child.send_signal(signal.SIGINT)
            word, stopped = child.stdout.readline().split()
            self.assertEqual(word, "stopped")
            return float(stopped) - at
        finally:
            child.kill()
            child.wait()
            child.stdout.close()

    def test_ctrl_c_stops_a_run(self):
        took = min(self.stop(1) for _ in range(3))
        print(f"Ctrl-C stopped a run after {1000 * took:.0f} ms")
        self.assertLess(took, 0.1)

    def test_ctrl_c_stops_a_run_on_threads(self):
        self.assertLess(min(self.stop(2) for _ in range(3)), 0.25)

    def test_other_threads_go_on(self):
        count, is_over = 0, threading.Event()

        def run():
            TWO.set("run.duration", "400 ms").run()
            is_over.set()

        thread = threading.Thread(target=run)
        thread.start()
        while not is_over.wait(0.001):
            count += 1
        thread.join()
        self.assertGreater(count, 20, "the interpreter was held all the time")


class Documents(unittest.TestCase):
    def test_examples_of_the_chapters_run(self):
        for name, least in [("docs/python.md", 9), ("docs/artefacts.md", 1)]:
            page = pathlib.Path(name).read_text(encoding="utf-8")
            examples = re.findall(r"```python\n(.*?)```", page, re.S)
            self.assertGreaterEqual(len(examples), least, name)
            self.assertEqual(len(examples), page.count("```python"), name)
            for example in examples:
                printed = io.StringIO()
                with contextlib.redirect_stdout(printed):
                    exec(compile(example, name, "exec"), {})
                self.assertTrue(printed.getvalue(), example)


class Command(unittest.TestCase):
    def test_the_command_is_installed(self):
        program = pathlib.Path(sys.executable).with_name("backwater")
        told = subprocess.run([program, "--version"], capture_output=True, text=True)
        self.assertEqual((told.returncode, told.stderr), (0, ""))
        self.assertRegex(told.stdout, r"^backwater \d+\.\d+\.\d+\n$")
        self.assertEqual(command("--version").stdout, told.stdout)
        self.assertEqual(told.stdout, f"backwater {bw.__version__}\n")
        self.assertEqual(command("run").returncode, 2)

    @unittest.skipIf(os.name == "nt", "signals")
    def test_the_command_keeps_what_it_computed(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "two.toml")
            path.write_text(TWO.text, encoding="utf-8")
            words = ["run", str(path), "--set", 'run.duration="4000 s"', "--out", "out"]
            child = subprocess.Popen([*COMMAND, *words], cwd=folder, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL)  # fmt: skip
            folder_made = pathlib.Path(folder, "out")
            while not folder_made.exists() and child.poll() is None:
                time.sleep(0.01)
            time.sleep(0.3)
            child.send_signal(signal.SIGINT)
            self.assertEqual(child.wait(timeout=30), 130)
            self.assertTrue((folder_made / "report.html").exists())


if __name__ == "__main__":
    unittest.main()
