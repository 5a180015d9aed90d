"""CSV files of all shipped scenarios as polars, pyarrow and duckdb guess their types.

Each column that holds a value has to be what `columns.json` says of it, guessed from the whole file;
columns of traces have to be what they are here. Read by the types of `columns.json`, as the documents
show, columns without a value have them too.
"""

import concurrent.futures
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

# Runs are short: what matters is which columns there are.
SHORT = {
    "flit": ["run.warm_up=20 cycles", "run.measure=60 cycles", "run.drain=20 cycles"],
    "ethernet": ["run.warm_up=0 s", "run.duration=100 us"],
    "packet": ["run.warm_up=0 s", "run.duration=2 ms"],
}
#: Of traces, by column; all others hold whole numbers.
WORDS = {"node", "direction", "event", "flow", "kind", "from", "to", "cause"}
#: Without the class, which is a name of flits and a number of frames.
EITHER = {"class"}
POLARS = {"Int64": "int", "Float64": "float", "String": "text"}
ARROW = {"int64": "int", "double": "float", "string": "text"}
DUCKDB = {"BIGINT": "int", "DOUBLE": "float", "VARCHAR": "text"}


def with_polars(path):
    import polars as pl

    schema = pl.read_csv(path, infer_schema_length=None).schema
    return {name: POLARS.get(str(kind), str(kind)) for name, kind in schema.items()}


def with_pyarrow(path):
    from pyarrow import csv

    schema = csv.read_csv(path).schema
    return {field.name: ARROW.get(str(field.type), str(field.type)) for field in schema}


def with_duckdb(path):
    import duckdb

    # Each thread needs a connection of its own.
    taken = duckdb.connect().sql(f"from read_csv('{path}', sample_size = -1)")
    kinds = (DUCKDB.get(str(kind), str(kind)) for kind in taken.types)
    return dict(zip(taken.columns, kinds, strict=True))


READERS = {"polars": with_polars, "pyarrow": with_pyarrow, "duckdb": with_duckdb}
FOUND = {name: read for name, read in READERS.items() if importlib.util.find_spec(name)}


def texts(path):
    """By column the values that are there, as they are written."""
    import csv

    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    columns = zip(*rows[1:], strict=True)
    values = [[text for text in column if text] for column in columns]
    return dict(zip(rows[0], values or [[] for _ in rows[0]], strict=True))


def looks_like(text):
    """What a name may be taken for: a router of a file is called 0, a flow T."""
    return re.fullmatch(r"[-+]?[0-9]+|[tTfF]|true|false", text)


def complaints(file, wanted):
    """Columns of a file that a reader takes for something else."""
    if b"\r" in file.read_bytes():
        yield f"{file.name}: a line ends in CR LF"
    there = texts(file)
    for reader, read in FOUND.items():
        have = read(file)
        for name, kind in wanted.items():
            is_name = kind == "text" and all(looks_like(text) for text in there[name])
            if there[name] and not is_name and have[name] != kind:
                yield f"{file.name}: {name} is {kind}, {reader} takes it for {have[name]}"


def of_trace(file):
    header = file.read_text(encoding="utf-8").split("\n", 1)[0].split(",")
    names = [name for name in header if name not in EITHER]
    return {name: "text" if name in WORDS else "int" for name in names}


#: The program as users get it, where it is built: the one of the package is for debugging here.
PROGRAM = [os.environ["BINARY"]] if "BINARY" in os.environ else [sys.executable, "-I", "-m", "backwater"]


def run(words, out):
    command = [*PROGRAM, *words, "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise AssertionError(f"{' '.join(command)}: {done.stderr}")


def of_results(out):
    """What is wrong with the files of a directory; how many columns were looked at."""
    found, count = [], 0
    told = json.loads((out / "columns.json").read_text(encoding="utf-8"))
    for name, table in told.items():
        wanted = {column["name"]: column["type"] for column in table["columns"]}
        found += complaints(out / name, wanted)
        count += len(wanted)
    for file in sorted(out.glob("series/*.csv")):
        at, value = file.read_text(encoding="utf-8").split("\n", 1)[0].split(",")
        found += complaints(file, {at: "int", value: "float"})
    trace = out / "trace.csv"
    if trace.is_file():
        found += complaints(trace, of_trace(trace))
    return [f"{out.name}: {what}" for what in found], count


def of_scenario(path, folder):
    text = path.read_text(encoding="utf-8")
    engine = re.search(r'^engine = "(\w+)"', text, re.M)
    engine = engine[1] if engine else "packet"
    sets = [word for one in SHORT[engine] for word in ("--set", '{}="{}"'.format(*one.split("=")))]
    out = pathlib.Path(folder, f"{path.parent.name}-{path.stem}")
    run(["run", str(path), "--map", "off", "--trace", "csv", *sets], out)
    return of_results(out)


@unittest.skipUnless(FOUND, "neither polars nor pyarrow nor duckdb is installed")
class Files(unittest.TestCase):
    def test_each_column_of_each_shipped_scenario_has_one_type(self):
        paths = sorted(pathlib.Path("scenarios").glob("*/*.toml"))
        # Others are no single runs, and those of benchmarks are large and like the rest.
        left_out = {"bench", "compare", "sweeps"}
        paths = [path for path in paths if path.parent.name not in left_out]
        with (
            tempfile.TemporaryDirectory() as folder,
            concurrent.futures.ThreadPoolExecutor(2) as pool,
        ):
            results = list(pool.map(lambda path: of_scenario(path, folder), paths))
        self.assertGreater(sum(count for _, count in results), 4000)
        found = [one for complaints, _ in results for one in complaints]
        self.assertFalse(found, "\n".join(found))

    def test_so_it_is_in_traces_with_drops(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "drops")
            sets = ["--set", 'run.warm_up="0 s"', "--set", 'run.duration="3 ms"',
                    "--set", 'flow_control.kind="none"', "--trace", "csv"]
            run(["run", "scenarios/ethernet/incast.toml", *sets], out)
            there = texts(out / "trace.csv")
            self.assertIn("queue full", there["cause"])
            self.assertFalse(of_results(out)[0])
            # As it was once: a cause among the numbers.
            text = (out / "trace.csv").read_text(encoding="utf-8")
            (out / "trace.csv").write_text(text.replace(",,queue full\n", ",queue full,\n"))
            self.assertTrue(of_results(out)[0])

    def test_so_it_is_in_sweeps_and_searches(self):
        short = [word for one in SHORT["flit"]
                 for word in ("--set", '{}="{}"'.format(*one.split("=")))]
        mesh = ["scenarios/flit/mesh-8x8.toml", *short, "--axis", "router.vcs=[2, 4]"]
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "sweep")
            run(["sweep", *mesh, "--axis", "load=[0.1, 0.2]", "--seeds=2"], out)
            found = of_results(out)[0]
            told = json.loads((out / "columns.json").read_text(encoding="utf-8"))
            kinds = {one["name"]: one["type"] for one in told["tables/sweep.csv"]["columns"]}
            for name, kind in [("vcs", "int"), ("load", "float"), ("saturated", "int"),
                               ("latency_mean_cycles", "float"), ("cycles", "int")]:
                self.assertEqual(kinds[name], kind, name)
            out = pathlib.Path(folder, "search")
            run(["saturate", *mesh, "--over", "load", "--precision", "0.2"], out)
            found += of_results(out)[0]
        self.assertFalse(found, "\n".join(found))

    def test_hashes_whose_digits_are_those_of_a_number_are_text(self):
        short = [word for one in SHORT["flit"]
                 for word in ("--set", '{}="{}"'.format(*one.split("=")))]
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "sweep")
            run(["sweep", "scenarios/flit/mesh-8x8.toml", *short, "--axis", "load=[0.1]"], out)
            file = out / "tables" / "sweep.csv"
            text = file.read_text(encoding="utf-8")
            for digits in ("45e7890163549282", "1234567890123456", "00000000000000e1", "0" * 16):
                changed = text
                for hash in texts(file)["trace_hash"]:
                    changed = changed.replace(hash, re.sub("[0-9a-f]{16}$", digits, hash))
                file.write_text(changed, encoding="utf-8")
                self.assertIn(digits, file.read_text(encoding="utf-8"))
                self.assertFalse(of_results(out)[0])
                if importlib.util.find_spec("pandas"):
                    import pandas as pd

                    self.assertIsInstance(pd.read_csv(file)["trace_hash"][0], str)
                file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    unittest.main()
