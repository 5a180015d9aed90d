"""Tables, columns and scenarios as one meets them at a prompt, with the standard library alone."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import backwater as bw
from backwater import _command

TWO = bw.example("fig17-two-switches").set("run.duration", "20000 cells")
MESH = bw.example("flit/mesh-8x8").set(
    {"run": {"warm_up": "100 cycles", "measure": "200 cycles", "drain": "200 cycles"}}
)


class Tables(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.result = TWO.run()
        cls.flows = cls.result.flows

    def test_rows(self):
        rows = self.flows.rows()
        self.assertEqual(list(self.flows), rows)
        self.assertEqual([row["flow"] for row in self.flows], ["VC1", "VC2", "VC3", "VC4"])
        self.assertEqual((self.flows[0], self.flows[-1]), (rows[0], rows[3]))
        for wrong in (4, -5):
            with self.assertRaisesRegex(IndexError, "the table `flows`, which has 4"):
                self.flows[wrong]
        for wrong in (None, 1.5, {"a": 1}, [True]):
            with self.assertRaises(TypeError):
                self.flows[wrong]

    def test_some_rows_are_a_table(self):
        rows = self.flows.rows()
        for key in (slice(1, 3), slice(None, None, -1), slice(9, 12), slice(-2, None, None)):
            self.assertEqual(self.flows[key].rows(), rows[key], key)
            self.assertEqual(self.flows[key].columns, self.flows.columns)
        self.assertEqual(self.flows[[2, 0, -1]].rows(), [rows[2], rows[0], rows[3]])
        self.assertEqual(self.flows[[True, False, False, True]].rows(), [rows[0], rows[3]])
        some = self.flows[["throughput_mbps", "flow"]]
        self.assertEqual(some.columns, ["throughput_mbps", "flow"])
        self.assertEqual((some.shape, some.caption), ((4, 2), self.flows.caption))
        self.assertEqual(some.units["throughput_mbps"], "Mbps")
        with self.assertRaisesRegex(KeyError, "did you mean `flow`"):
            self.flows[["flwo"]]

    def test_some_rows_of_a_column_are_a_column(self):
        column = self.flows["offered_cells"]
        self.assertEqual(column[1:].to_list(), list(column)[1:])
        self.assertEqual(memoryview(column[::-1]).tolist(), list(column)[::-1])
        self.assertEqual(list(self.flows["flow"][[0, 3]]), ["VC1", "VC4"])
        self.assertEqual(column[1:].unit, column.unit)
        series = self.result.series["VC2"]
        self.assertEqual(series[:3].rows(), series.rows()[:3])

    def test_absent_values_stay_absent(self):
        table = bw.example("ethernet/incast").set("run.duration", "4 ms").run()["completion"]
        holes = [name for name in table.columns if table[name].null_count]
        self.assertTrue(holes)
        turned = table[::-1]
        for name in holes:
            self.assertEqual(list(turned[name]), list(table[name])[::-1])
            self.assertEqual(turned[name].null_count, table[name].null_count)

    def test_they_are_shown(self):
        text = str(self.flows)
        self.assertEqual(len(text.splitlines()), 5)
        self.assertIn("throughput_mbps", text.splitlines()[0])
        self.assertTrue(text.splitlines()[1].startswith("VC1"))
        page = self.flows._repr_html_()
        self.assertEqual(page.count("<tr>"), 5)
        self.assertIn(f"<caption>{self.flows.caption}</caption>", page)
        series = self.result.series["VC2"]
        self.assertEqual(series._repr_html_().count("<tr>"), 21)
        self.assertIn(f"and {len(series) - 20} more of {len(series)} rows", series._repr_html_())
        self.assertEqual(len(str(series).splitlines()), 22)

    def test_without_numpy_columns_say_what_they_need(self):
        with mock.patch.dict(sys.modules, numpy=None):
            for wanted in (lambda: self.flows["throughput_mbps"] * 2, self.flows["flow"].to_numpy):
                with self.assertRaisesRegex(ImportError, "pip install numpy"):
                    wanted()

    def test_a_power_has_no_remainder(self):
        with self.assertRaisesRegex(TypeError, "three arguments"):
            pow(self.flows["throughput_mbps"], 2, 7)

    def test_whole_numbers_stay_whole(self):
        found = MESH.sweep({"router.vcs": [2, 4], "load": [0.1]}, seeds=1).run()
        for table in (found.table, found.summary):
            self.assertEqual(table["vcs"].dtype, "int64")
            self.assertEqual([repr(value) for value in table["vcs"]], ["2", "4"])
            self.assertEqual(table["load"].dtype, "float64")
        self.assertEqual([repr(row["vcs"]) for row in found.table], ["2", "4"])


class Names(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.result = TWO.run()

    def test_tables_are_items_and_attributes(self):
        bounds = bw.example("schedulers/delay-bound").run()
        for result in (self.result, bounds, MESH.run()):
            self.assertEqual(list(result), list(result.tables))
            for name in result.tables:
                self.assertIn(name, result)
                if name == "summary":
                    continue  # an attribute of its own
                own = getattr(result, name.replace("-", "_"))
                self.assertEqual((own.name, own.columns), (name, result[name].columns))
                self.assertIn(name.replace("-", "_"), dir(result))
        self.assertTrue(any("-" in name for name in bounds.tables), "a name with a dash is tried")

    def test_so_they_are_of_directories(self):
        with tempfile.TemporaryDirectory() as folder:
            saved = bw.open(self.result.save(pathlib.Path(folder, "two")))
            self.assertEqual(saved.flows.rows(), self.result.flows.rows())
            self.assertEqual(saved["flows"].rows(), self.result["flows"].rows())
            self.assertEqual(saved.series["VC2"].rows(), self.result.series("VC2").rows())

    def test_what_is_not_there_is_told_with_what_there_is(self):
        with self.assertRaisesRegex(KeyError, "no table `transfers`; there are: balance, flows"):
            self.result["transfers"]
        with self.assertRaisesRegex(AttributeError, "`transfers`; .*there are: balance, flows"):
            self.result.transfers
        with self.assertRaisesRegex(AttributeError, "did you mean `flows`"):
            self.result.flwos
        with self.assertRaisesRegex(AttributeError, "there are: "):
            MESH.run().flows
        self.assertFalse(hasattr(self.result, "_repr_png_"))
        self.assertIsNone(getattr(self.result, "nothing", None))

    def test_names_are_completed(self):
        result = self.result
        self.assertEqual(result._ipython_key_completions_(), list(result.tables))
        self.assertEqual(result.tables._ipython_key_completions_(), list(result.tables))
        self.assertEqual(result.flows._ipython_key_completions_(), result.flows.columns)
        self.assertEqual(result.series._ipython_key_completions_(), result.series_names)
        self.assertEqual(result.plots._ipython_key_completions_(), list(result.plots))
        self.assertIn("run.duration", TWO._ipython_key_completions_())
        self.assertEqual(dir(bw), sorted(bw.__all__))

    def test_no_plumbing_is_among_them(self):
        plumbing = {"folder", "has_file", "sets", "written", "core", "words"}
        sweep = MESH.sweep({"load": [0.1]}, seeds=1)
        for one in (self.result, TWO, sweep, sweep.run(), self.result.flows):
            shown = {name for name in dir(one) if not name.startswith("_")}
            self.assertFalse(shown & plumbing, type(one).__name__)
        self.assertEqual({name for name in dir(sweep) if name[0] != "_"}, {"run", "as_completed"})

    def test_plots_say_what_they_are(self):
        shown = repr(self.result.plots)
        self.assertTrue(shown.startswith("<plots:\n"))
        for name, title in self.result.plots.items():
            self.assertIn(f"  {name}: {title}", shown)


class Values(unittest.TestCase):
    def test_a_scenario_is_read(self):
        two = bw.example("fig17-two-switches")
        self.assertEqual(TWO["run.duration"], "20000 cells")
        self.assertEqual(two.set("run.seed", 7)["run.seed"], 7)
        self.assertEqual(two["run.seed"], 1, "by default")
        self.assertEqual(two["flows.*.name"], ["VC1", "VC2", "VC3", "VC4"])
        self.assertEqual(two["flows.VC2.name"], two["flows.1.name"])
        self.assertIsInstance(two["flow_control"], dict)
        self.assertEqual(bw.example("flit/mesh-8x8")["load"], MESH["traffic.load"])
        self.assertEqual(bw.example("ethernet/incast")["engine"], "ethernet")
        self.assertIsNone(two.get("run.nothing"))
        self.assertEqual(two.get("run.nothing", 3), 3)
        with self.assertRaisesRegex(KeyError, "did you mean `run.duration`"):
            two["run.duratoin"]
        for path, is_there in [("run.duration", True), ("run.seed", True), ("run.x", False),
                               ("nothing", False)]:  # fmt: skip
            self.assertEqual(path in two, is_there, path)
        with self.assertRaisesRegex(bw.ScenarioError, "flows.VC1"):
            two["name"]

    def test_what_has_mistakes_is_read_too(self):
        wrong = bw.scenario("[run]\nduratoin = '5 ms'\n")
        self.assertEqual(wrong["run.duratoin"], "5 ms")
        self.assertIsNone(wrong.get("run.seed"))
        with self.assertRaises(bw.ScenarioError):
            bw.scenario("[run\n").get("run.seed")

    def test_many_keys_are_set_at_once(self):
        one = TWO.set("run.seed", 2).set("run.warm_up", "1000 cells").set("flow_control.n3", 9)
        given = [
            {"run.seed": 2, "run.warm_up": "1000 cells", "flow_control.n3": 9},
            {"run": {"seed": 2, "warm_up": "1000 cells"}, "flow_control": {"n3": 9}},
            {"run": {"seed": 2}, "run.warm_up": "1000 cells", "flow_control.n3": 9},
        ]
        for keys in given:
            self.assertEqual(TWO.set(keys), one)
        self.assertEqual(TWO.set({"flows": {"VC1": {"priority": 2}}})["flows.VC1.priority"], 2)
        self.assertEqual(TWO.set({}), TWO)
        for wrong in [("run.seed",), (3, 4), ({"run.seed": 2}, 3), ({1: 2},), (["run.seed"],)]:
            with self.assertRaises(TypeError, msg=wrong):
                TWO.set(*wrong)

    def test_a_key_is_taken_away(self):
        seeded = TWO.set("run.seed", 7)
        self.assertEqual(seeded.unset("run.seed")["run.seed"], 1)
        self.assertEqual(TWO.set("title", "unset")["title"], "unset", "a text")
        self.assertEqual(seeded.unset("run.seed").run().trace_hash, TWO.run().trace_hash)
        (wrong,) = TWO.unset("run.nothing").check()
        self.assertIn("does not stand there", wrong.what)

    def test_a_dictionary_of_it_is_the_same_scenario(self):
        for scenario in (TWO.set("flow_control.n3", 9), MESH):
            again = bw.scenario(scenario.to_dict())
            self.assertEqual(again.run().trace_hash, scenario.run().trace_hash)
        self.assertIn("run.duration", list(TWO))


class Children(unittest.TestCase):
    """The command in a process of its own, wherever this one has found the package."""

    RUN = (
        "import backwater as bw; "
        "two = bw.example('fig17-two-switches').set('run.duration', '20000 cells'); "
        "print(len(two.sweep({'flow_control.n3': [8, 9]}, seeds=1).run().table))"
    )

    def test_a_relative_path_to_the_package_is_enough(self):
        place = pathlib.Path(bw.__file__).parents[1]
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(place, pathlib.Path(folder, "pkg"))
            env = {**os.environ, "PYTHONPATH": "pkg"}
            done = subprocess.run(
                [sys.executable, "-S", "-c", self.RUN], cwd=folder, env=env, capture_output=True,
                text=True,
            )  # fmt: skip
        self.assertEqual((done.stdout, done.returncode), ("2\n", 0), done.stderr)

    def test_a_child_of_python_that_fails_is_no_claim_that_failed(self):
        for code, wanted in [("import nothing_of_this_name", "nothing_of_this_name"),
                             ("import sys; sys.exit('out of order')", "out of order")]:  # fmt: skip
            with mock.patch.object(_command, "_CHILD", code):
                with self.assertRaisesRegex(bw.RunError, wanted):
                    TWO.sweep({"flow_control.n3": [8]}, seeds=1).run()


if __name__ == "__main__":
    unittest.main()
