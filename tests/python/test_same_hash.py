"""Every shipped scenario, shortened, has the same trace hash from Python and from the command."""

import json
import logging
import pathlib
import subprocess
import sys
import tempfile
import tomllib
import unittest

import backwater as bw

# Carries out many commands, whose words are lines of JSON, in one process.
COMMANDS = """
import json, sys
from backwater._backwater import command
for line in sys.stdin:
    if command(json.loads(line)) not in (0, 1):
        sys.exit(f"failed: {line}")
"""


# The networks with thousands of hosts and circuits.
LARGE = {"bench/fat-tree-1024": "2 us", "bench/mixed-10000": "300 cells"}


def shortened(name):
    """A short run in which something happens."""
    scenario = bw.example(name)
    tables = tomllib.loads(scenario.text)
    match tables.get("engine", "packet"):
        case "flit":
            sets = {"run.warm_up": "20 cycles", "run.measure": "60 cycles", "run.drain": "60 cycles"}
        case "ethernet":
            sets = {"run.duration": LARGE.get(name, "100 us"), "run.warm_up": "0 s"}
        case _:
            sets = {"run.duration": LARGE.get(name, "2000 cells"), "run.warm_up": "100 cells"}
    for path, value in sets.items():
        scenario = scenario.set(path, value)
    return scenario


class SameHash(unittest.TestCase):
    def test_from_python_and_from_the_command(self):
        # Short runs end before what is recorded in them.
        logging.getLogger("backwater").setLevel(logging.ERROR)
        self.addCleanup(logging.getLogger("backwater").setLevel, logging.NOTSET)
        names = [name for name in bw.examples() if not name.startswith("compare/")]
        self.assertGreater(len(names), 100)
        scenarios = {name: shortened(name) for name in names}
        wrong = {name: one.check() for name, one in scenarios.items()}
        wrong = {name: str(found[0]) for name, found in wrong.items()
                 if any(one.severity == "error" for one in found)}  # fmt: skip
        self.assertEqual(wrong, {})
        with tempfile.TemporaryDirectory() as folder:
            words = []
            for number, (name, one) in enumerate(scenarios.items()):
                sets = [f"--set={path}={value}" for path, value in one.changes.items()]
                words.append(["run", f"scenarios/{name}.toml", *sets, "--map=off",
                              "--out", f"{folder}/{number}"])  # fmt: skip
            child = subprocess.Popen(
                [sys.executable, "-I", "-c", COMMANDS],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            child.stdin.write("".join(json.dumps(one) + "\n" for one in words))
            child.stdin.close()
            here = {name: one.run().trace_hash for name, one in scenarios.items()}
            self.assertEqual(child.wait(), 0)
            there = {}
            for number, name in enumerate(scenarios):
                manifest = pathlib.Path(folder, str(number), "manifest.json").read_text("utf-8")
                there[name] = json.loads(manifest)["trace_hash"]
        self.assertEqual(here, there)
        # Were it a constant, all would agree as well.
        self.assertGreater(len(set(here.values())), 0.75 * len(here))


if __name__ == "__main__":
    unittest.main()
