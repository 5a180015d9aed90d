"""Results as pyarrow, polars, pandas, duckdb, xarray, matplotlib and mypy take them."""

import gc
import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import backwater as bw


def needs(library):
    return unittest.skipUnless(importlib.util.find_spec(library), f"{library} is not installed")


class Tables(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        two = bw.example("fig17-two-switches").set("run.duration", "20000 cells")
        cls.result = two.run()
        cls.rows = cls.result.flows.rows()
        # A completion table has values that are absent.
        cls.holes = bw.example("ethernet/incast").set("run.duration", "4 ms").run()

    def all_tables(self):
        for result in (self.result, self.holes):
            yield from result.tables.values()
            yield from (result.series(name) for name in result.series_names)

    @needs("pyarrow")
    def test_pyarrow(self):
        import pyarrow as pa

        absent = 0
        for table in self.all_tables():
            taken = pa.table(table)
            taken.validate(full=True)
            self.assertEqual(taken.to_pylist(), table.rows(), table.name)
            self.assertEqual(taken.schema.names, table.columns)
            self.assertEqual(pa.schema(table), taken.schema)
            absent += sum(taken[name].null_count for name in table.columns)
        self.assertGreater(absent, 0, "no value was absent: nothing is shown of that")
        field = pa.table(self.result.flows).schema.field("throughput_mbps")
        self.assertEqual(field.metadata[b"unit"], b"Mbps")
        self.assertTrue(field.metadata[b"meaning"])
        self.assertEqual(str(field.type), "double")
        column = pa.chunked_array(self.result.flows["offered_cells"])
        self.assertEqual(column.to_pylist(), [row["offered_cells"] for row in self.rows])

    @needs("pyarrow")
    def test_memory_is_lent_and_not_copied(self):
        import numpy as np
        import pyarrow as pa

        series = self.result.series("VC2")
        for name in series.columns:
            lent = pa.table(series)[name].chunk(0).buffers()[1].address
            self.assertEqual(lent, np.asarray(series[name]).ctypes.data)
            copied = pa.array(list(series[name])).buffers()[1].address
            self.assertNotEqual(lent, copied)

    @needs("pyarrow")
    def test_memory_outlives_the_result(self):
        import pyarrow as pa

        two = bw.example("fig17-two-switches").set("run.duration", "20000 cells")
        taken = pa.table(two.run().flows)
        streams = [two.run(seed=seed).flows.__arrow_c_stream__() for seed in range(3)]
        del streams
        gc.collect()
        self.assertEqual(taken.to_pylist(), self.rows)

    @needs("polars")
    def test_polars(self):
        import polars as pl

        for table in self.all_tables():
            taken = pl.DataFrame(table)
            self.assertEqual(taken.columns, table.columns)
            self.assertEqual(taken.to_dicts(), table.rows(), table.name)
        self.assertEqual(pl.DataFrame(self.result.flows).schema["offered_cells"], pl.Int64)
        self.assertEqual(pl.Series(self.result.flows["flow"]).to_list(), ["VC1", "VC2", "VC3", "VC4"])

    @needs("pandas")
    @needs("pyarrow")
    def test_pandas(self):
        import pandas as pd

        frame = pd.DataFrame.from_arrow(self.result.flows)
        self.assertEqual(list(frame.columns), self.result.flows.columns)
        self.assertEqual(frame["throughput_mbps"].dtype, "float64")
        self.assertEqual(frame.to_dict("records"), self.rows)
        self.assertNotEqual(frame.iloc[1:].to_dict("records"), self.rows)

    @needs("pandas")
    def test_the_constructor_of_pandas_takes_tables(self):
        import pandas as pd

        for table in self.all_tables():
            frame = pd.DataFrame(table)
            if len(table):
                self.assertEqual(list(frame.columns), table.columns, table.name)
            self.assertEqual(len(frame), len(table))
        frame = pd.DataFrame(self.result.flows)
        self.assertEqual(str(frame["offered_cells"].dtype), "int64")
        self.assertEqual(frame["flow"].tolist(), ["VC1", "VC2", "VC3", "VC4"])
        series = pd.Series(self.result.flows["throughput_mbps"])
        self.assertEqual(series.tolist(), list(self.result.flows["throughput_mbps"]))

    @needs("pyarrow")
    def test_the_interchange_protocol(self):
        taken = self.holes.flows.__dataframe__()
        self.assertEqual(list(taken.column_names()), self.holes.flows.columns)
        self.assertEqual(taken.num_rows(), len(self.holes.flows))

    @needs("numpy")
    def test_columns_reckon(self):
        import numpy as np

        flows = self.result.flows
        rates, counts = flows["throughput_mbps"], flows["offered_cells"]
        plain, whole = np.array(list(rates)), np.array(list(counts))
        pairs = [
            (rates * 2, plain * 2), (2 * rates, plain * 2), (rates + counts, plain + whole),
            (1000 - rates, 1000 - plain), (rates - 1, plain - 1), (rates / counts, plain / whole),
            (1 / rates, 1 / plain), (counts // 7, whole // 7), (counts % 7, whole % 7),
            (7 // counts, 7 // whole), (7 % counts, 7 % whole), (rates**2, plain**2),
            (2**rates, 2**plain), (-rates, -plain), (abs(-rates), plain), (rates > 100, plain > 100),
            (rates >= rates, plain >= plain), (counts < 9000, whole < 9000), (rates <= 3, plain <= 3),
            (counts == whole, whole == whole), (counts != 3, whole != 3),
            (plain * rates, plain * plain), (np.sqrt(rates), np.sqrt(plain)),
            (np.maximum(rates, counts), np.maximum(plain, whole)), (rates.to_numpy(), plain),
        ]  # fmt: skip
        for number, (have, wanted) in enumerate(pairs):
            self.assertIsInstance(have, np.ndarray, number)
            self.assertEqual(have.dtype, wanted.dtype, number)
            np.testing.assert_array_equal(have, wanted, str(number))
        self.assertEqual((counts * 2).dtype, np.int64)
        self.assertEqual(np.mean(rates), plain.mean())
        self.assertEqual(np.percentile(counts, 50), np.percentile(whole, 50))
        self.assertEqual((flows["flow"] == "VC2").tolist(), [False, True, False, False])
        self.assertEqual(flows[flows["flow"] == "VC2"].rows(), self.rows[1:2])
        self.assertEqual(list(rates[rates > np.median(rates)]), list(plain[plain > np.median(plain)]))
        self.assertEqual(flows[np.argsort(-rates)]["flow"].to_list()[0], self.rows[plain.argmax()]["flow"])
        with self.assertRaises(TypeError):
            flows["flow"] * rates

    @needs("numpy")
    def test_what_was_not_measured_is_no_number(self):
        import numpy as np

        table = self.holes.tables["completion"]
        holes = [name for name in table.columns
                 if table[name].null_count and table[name].dtype != "large_string"]
        self.assertTrue(holes)
        for name in holes:
            doubled = table[name] * 2
            self.assertEqual(np.isnan(doubled).sum(), table[name].null_count)
            there = table[name][~np.isnan(doubled)]
            self.assertEqual(list(there), [one for one in table[name] if one is not None])

    @needs("pandas")
    @needs("polars")
    def test_masks_of_others(self):
        import pandas as pd
        import polars as pl

        mask = [True, False, False, True]
        wanted = [self.rows[0], self.rows[3]]
        for given in (pd.Series(mask), pl.Series(mask), tuple(mask)):
            self.assertEqual(self.result.flows[given].rows(), wanted, type(given))

    @needs("duckdb")
    def test_duckdb(self):
        import duckdb

        flows = self.result.flows
        self.assertEqual(len(flows), 4)
        total = duckdb.sql("select sum(delivered_cells) from flows").fetchall()
        self.assertEqual(total[0][0], sum(row["delivered_cells"] for row in self.rows))

    @needs("xarray")
    @needs("pandas")
    def test_sweeps_in_pandas_and_xarray(self):
        short = bw.example("flit/mesh-8x8").set("run.warm_up", "100 cycles")
        short = short.set("run.measure", "200 cycles").set("run.drain", "200 cycles")
        found = short.sweep({"load": [0.1, 0.2], "router.vcs": [2, 4]}, seeds=2).run()
        frame = found.to_pandas()
        self.assertEqual(list(frame.index.names), [*found.axes, "seed"])
        self.assertEqual(len(frame), 8)
        dataset = found.to_xarray()
        self.assertEqual(list(dataset.sizes.values()), [2, 2, 2])
        name = next(name for name in dataset.data_vars if name.startswith("latency"))
        self.assertEqual(dataset[name].attrs["units"], "cycles")
        (first,) = frame.iloc[[0]][name]
        self.assertEqual(float(dataset[name][0, 0, 0]), first)
        self.assertEqual([str(frame.index.get_level_values(axis).dtype) for axis in found.axes],
                         ["float64", "int64"])
        self.assertEqual(str(dataset["vcs"].dtype), "int64")
        self.assertEqual(str(dataset["load"].dtype), "float64")

    def test_empty_columns_of_sweeps_have_their_types(self):
        # Nothing is complete by then, and one seed has no interval.
        short = bw.example("ethernet/incast").set("run.warm_up", "0 s")
        found = short.sweep({"run.duration": ["20 us", "30 us"]}, seeds=1).run()
        for table in (found.table, found.summary):
            empty = [name for name in table.columns if table[name].null_count == len(table)]
            self.assertGreater(len(empty), 3, table.name)
            for kinds, frame in self.frames_of(table):
                for name in table.columns:
                    wanted = kinds[table[name].dtype, table[name].null_count > 0]
                    self.assertIn(str(frame[name]), wanted, (table.name, name))

    def frames_of(self, table):
        """By library: what it may call types of columns, with absent values or not; its types."""
        words = ("large_string", "large_string[pyarrow]", "str", "object", "String", "VARCHAR")
        both = {("large_string", absent): words for absent in (False, True)}
        if importlib.util.find_spec("pandas"):
            frame = table.to_pandas()
            yield ({**both, ("float64", False): ["float64"], ("float64", True): ["float64"],
                    ("int64", False): ["int64"], ("int64", True): ["Int64"]},
                   frame.dtypes)
            # What failed where an empty column was one of objects.
            numbers = [name for name in table.columns if table[name].dtype != "large_string"]
            means = frame[numbers].groupby(numbers[0]).mean()
            self.assertEqual(list(means.columns), numbers[1:])
        for library, call, names in [("polars", "to_polars", ("Float64", "Int64")),
                                     ("pyarrow", "to_arrow", ("double", "int64"))]:
            if importlib.util.find_spec(library):
                taken = getattr(table, call)()
                types = dict(taken.schema.items()) if library == "polars" else {
                    field.name: field.type for field in taken.schema}
                kinds = {(name, absent): [kind] for absent in (False, True)
                         for name, kind in zip(("float64", "int64"), names, strict=True)}
                yield {**both, **kinds}, types
        if importlib.util.find_spec("duckdb"):
            import duckdb

            taken = duckdb.from_arrow(table.to_arrow())
            kinds = {(name, absent): [kind] for absent in (False, True)
                     for name, kind in (("float64", "DOUBLE"), ("int64", "BIGINT"))}
            yield {**both, **kinds}, dict(zip(taken.columns, taken.types, strict=True))

    @needs("pyarrow")
    def test_parquet(self):
        import pyarrow as pa
        import pyarrow.parquet as pq

        with tempfile.TemporaryDirectory() as folder:
            for number, table in enumerate(self.all_tables()):
                path = pathlib.Path(folder, f"{number}.parquet")
                pq.write_table(pa.table(table), path)
                back = pq.read_table(path)
                self.assertEqual(back.to_pylist(), table.rows(), table.name)
                for name, unit in table.units.items():
                    kept = back.schema.field(name).metadata.get(b"unit", b"")
                    self.assertEqual(kept.decode(), unit)


@needs("matplotlib")
class Plots(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        import matplotlib

        matplotlib.use("Agg")
        two = bw.example("fig17-two-switches").set("run.duration", "20000 cells")
        mesh = bw.example("flit/mesh-8x8").set("run.warm_up", "100 cycles")
        mesh = mesh.set("run.measure", "200 cycles").set("run.drain", "200 cycles")
        cls.circuits = two.run()
        cls.frames = bw.example("ethernet/incast").set("run.duration", "4 ms").run()
        cls.sweep = mesh.sweep({"load": [0.1, 0.2, 0.3], "router.vcs": [2, 4]}, seeds=3).run()

    def tearDown(self):
        import matplotlib.pyplot as plt

        plt.close("all")

    def test_every_plot_is_drawn(self):
        import io

        for result in (self.circuits, self.frames, self.sweep):
            self.assertGreater(len(result.plots), 1)
            for name, title in result.plots.items():
                ax = result.plot(name)
                self.assertEqual(ax.get_title(loc="left"), title)
                self.assertTrue(ax.get_ylabel())
                picture = io.BytesIO()
                ax.figure.savefig(picture, format="png", dpi=50)
                self.assertGreater(len(picture.getvalue()), 3000, name)

    def test_bars_are_the_column_of_the_table(self):
        flows = self.frames.flows
        bars = [bar.get_height() for bar in self.frames.plot("goodput").patches]
        column = next(name for name in flows.columns if name.startswith("goodput"))
        # The plot may be in Gbps.
        both = bars, flows[column]
        parts = [sorted(value / sum(values) for value in values) for values in both]
        self.assertGreater(len(bars), 3)
        for bar, value in zip(*parts, strict=True):
            self.assertAlmostEqual(bar, value, places=6)

    def test_curves_of_a_sweep_have_its_means_and_intervals(self):
        summary = self.sweep.summary
        name = next(name for name in self.sweep.plots if name.startswith("latency"))
        ax = self.sweep.plot(name)
        lines = [line for line in ax.get_lines() if not line.get_label().startswith("_")]
        self.assertEqual(len(lines), 2)
        drawn = sorted(float(value) for line in lines for value in line.get_ydata())
        means = sorted(summary["latency_mean_cycles"])
        for one, mean in zip(drawn, means, strict=True):
            self.assertAlmostEqual(one, mean, delta=1e-6 * mean)
        self.assertEqual(len(ax.collections), 2, "an interval for each curve")
        self.assertEqual(lines[0].get_color(), "#0b6bb0")
        self.assertEqual(lines[1].get_color(), "#d1530a")

    def test_axes_can_be_given_and_names_must_be_known(self):
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(2)
        self.assertIs(self.frames.plot("goodput", axes[1]), axes[1])
        self.assertEqual(len(figure.axes), 2)
        self.assertFalse(axes[0].patches)
        with self.assertRaisesRegex(KeyError, "goodput"):
            self.frames.plot("no such plot")


@needs("mypy")
class Types(unittest.TestCase):
    # They are large, and not what is checked.
    SETTINGS = (
        "[mypy]\nstrict = true\n[mypy-pandas.*,xarray.*,matplotlib.*]\nfollow_imports = skip\n"
    )

    def python(self, *words):
        return subprocess.run(
            [sys.executable, "-I", "-m", *words], capture_output=True, text=True
        )

    def test_the_package_and_the_examples_are_typed(self):
        pages = [pathlib.Path("docs", name) for name in ("python.md", "artefacts.md")]
        page = "".join(one.read_text(encoding="utf-8") for one in pages)
        examples = re.findall(r"```python\n(.*?)```", page, re.S)
        with tempfile.TemporaryDirectory() as folder:
            settings = pathlib.Path(folder, "mypy.ini")
            settings.write_text(self.SETTINGS, encoding="utf-8")
            check = ["mypy", f"--config-file={settings}", f"--cache-dir={folder}/cache"]
            package = pathlib.Path(bw.__file__).parent
            paths = [pathlib.Path(folder, f"example_{number}.py") for number in range(len(examples))]
            for path, example in zip(paths, examples, strict=True):
                path.write_text(example, encoding="utf-8")
            for words in (["-p", package.name], paths):
                checked = self.python(*check, *map(str, words))
                self.assertEqual(checked.returncode, 0, checked.stdout)
            paths[0].write_text("import backwater as bw\nbw.example(3).run(sed=1)\n")
            checked = self.python(*check, str(paths[0]))
            self.assertEqual(checked.returncode, 1)
            self.assertIn("sed", checked.stdout)

    def test_stubs_are_complete(self):
        checked = self.python("mypy.stubtest", "backwater._backwater")
        self.assertEqual(checked.returncode, 0, checked.stdout)


if __name__ == "__main__":
    unittest.main()
