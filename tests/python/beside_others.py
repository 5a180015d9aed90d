"""Results as pyarrow, polars, pandas, duckdb and xarray read them; types as mypy does."""

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


@needs("mypy")
class Types(unittest.TestCase):
    # pandas and xarray are large, and not what is checked.
    SETTINGS = "[mypy]\nstrict = true\n[mypy-pandas.*,xarray.*]\nfollow_imports = skip\n"

    def python(self, *words):
        return subprocess.run(
            [sys.executable, "-I", "-m", *words], capture_output=True, text=True
        )

    def test_the_package_and_the_examples_are_typed(self):
        page = pathlib.Path("docs/python.md").read_text(encoding="utf-8")
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
