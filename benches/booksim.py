#!/usr/bin/env python3
"""Runs the scenarios below scenarios/booksim here and in BookSim2, and prints both.

    BOOKSIM=path/to/booksim python3 benches/booksim.py agreement
    BOOKSIM=path/to/booksim python3 benches/booksim.py speed

BookSim's settings are made from the scenario by `settings`, so the two cannot drift apart.
BACKWATER names our program (target/release/backwater). With --save FILE every run is kept there
and not repeated when the command is given again. Python 3.11, nothing else.
"""

import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCENARIOS = ROOT / "scenarios" / "booksim"
BACKWATER = os.environ.get("BACKWATER", str(ROOT / "target" / "release" / "backwater"))
BOOKSIM = os.environ.get("BOOKSIM", "booksim")

# About 20, 50 and 75 % of the accepted load at saturation.
LOADS = {
    "mesh-8x8": (0.08, 0.2, 0.3),
    "mesh-8x8-crossbar": (0.09, 0.225, 0.34),
    "mesh-8x8-islip": (0.075, 0.19, 0.28),
    "mesh-8x8-single": (0.08, 0.2, 0.3),
    "mesh-8x8-single-crossbar": (0.09, 0.225, 0.34),
    "mesh-16x16": (0.037, 0.094, 0.14),
    "mesh-16x16-crossbar": (0.043, 0.107, 0.16),
    "torus-8x8": (0.105, 0.265, 0.4),
    "torus-8x8-crossbar": (0.12, 0.295, 0.44),
    "fly-8": (0.09, 0.22, 0.33),
    "fly-8-crossbar": (0.095, 0.24, 0.36),
    "fly-10-crossbar": (0.095, 0.24, 0.36),
}

# Load of each scenario whose time is taken; 1 is saturation.
SPEED = {
    "mesh-8x8": 0.3,
    "mesh-8x8-crossbar": 0.3,
    "mesh-8x8-single": 0.3,
    "mesh-8x8-single-crossbar": 0.3,
    "mesh-16x16": 0.2,
    "mesh-16x16-crossbar": 0.2,
    "torus-8x8": 0.3,
    "torus-8x8-crossbar": 0.3,
    "fly-8-crossbar": 1.0,
    "fly-10-crossbar": 1.0,
}

# More seeds until the standard error of both means is below this share of them.
ENOUGH = 0.005

# What neither simulator's scenario changes.
COMMON = """
router = iq; buffer_policy = private; wait_for_tail_credit = 0; vc_busy_when_full = 0;
vc_prioritize_empty = 0; vc_shuffle_requests = 0; hold_switch_for_packet = 0;
speculative = 0; noq = 0; sw_alloc_delay = 1; st_prepare_delay = 0;
output_speedup = 1; internal_speedup = 1.0; output_buffer_size = -1;
priority = none; subnets = 1; classes = 1; use_read_write = 0;
traffic = uniform; injection_process = bernoulli; injection_rate_uses_flits = 1;
include_queuing = 1; sim_count = 1; warmup_periods = 1; max_samples = 20;
latency_thres = -1.0; stopping_thres = -1.0; acc_stopping_thres = -1.0;
"""

ROUTINGS = {"mesh": "dim_order", "torus": "dim_order", "fly": "dest_tag"}
ALLOCATORS = {"separable-input-first": "separable_input_first", "islip": "islip"}


def cycles(value):
    """A number of cycles, written either way."""
    return int(str(value).split()[0])


def settings(scenario):
    """BookSim's settings for a scenario, or an error if there are none."""
    run, topology = scenario["run"], scenario["topology"]
    router, traffic = scenario["router"], scenario["traffic"]
    warm_up, window = cycles(run["warm_up"]), cycles(run["measure"])
    latency = cycles(topology["latency"])
    kind = topology["kind"]
    must = {
        "a warm-up of a third of the window": window == 3 * warm_up,
        "injection in 2 cycles": cycles(topology["injection_latency"]) == 2,
        "a torus, and only a torus, with channels of 2 cycles":
            latency == (2 if kind == "torus" else 1),
        "two dimensions of one size": kind == "fly" or len(set(topology["sides"])) == 1,
        "VCs that are given in turn and free when the tail was sent":
            router["vc_choice"] == "round-robin" and router["release"] == "tail-sent",
        "uniform traffic that includes the source":
            traffic["pattern"] == {"kind": "uniform", "itself": "included"},
    }
    for what, holds in must.items():
        if not holds:
            raise ValueError(f"{scenario['title']}: BookSim needs {what}")
    if kind == "fly":
        k, n = topology["k"], topology["n"]
    else:
        k, n = topology["sides"][0], len(topology["sides"])
    own_input = router["switch"] == "crossbar"
    allocator = ALLOCATORS[router.get("allocator", "separable-input-first")]
    return COMMON + f"""
topology = {kind}; k = {k}; n = {n}; routing_function = {ROUTINGS[kind]};
use_noc_latency = 1;
num_vcs = {router["vcs"]}; vc_buf_size = {router["depth"]};
input_speedup = {router["vcs"] if own_input else 1};
vc_allocator = {allocator}; sw_allocator = {allocator};
routing_delay = {cycles(router["header_delay"])};
vc_alloc_delay = {cycles(router["allocation_delay"])};
st_final_delay = {cycles(router["pipeline_delay"]) - 1};
credit_delay = {cycles(router["credit_delay"]) - 1 - latency};
packet_size = {traffic["flits"]};
sample_period = {warm_up};
"""


def timed(command):
    """Output and user CPU seconds of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    return done, after - before


def ours(text, load, seed, longer=1):
    """One run here. Saturated sources stand for loads of 1."""
    if load >= 1:
        text = re.sub(r"(?m)^load = .*$", 'injection = "greedy"', text)
        sets = ["--set", "run.drain=0"]
    else:
        sets = ["--set", f"traffic.load={load}"]
    if longer > 1:
        window = cycles(tomllib.loads(text)["run"]["measure"]) * longer
        sets += ["--set", f"run.measure={window}", "--set", "run.drain=0"]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "scenario.toml")
        file.write_text(text)
        out = Path(folder, "out")
        command = [BACKWATER, "run", str(file), "--seed", str(seed), "--out", str(out)]
        done, seconds = timed(command + sets)
        if done.returncode != 0:
            sys.exit(f"{done.stdout}{done.stderr}{BACKWATER} failed")
        summary = json.loads((out / "summary.json").read_text())
    return {
        "latency": summary["latency"][0]["latency_mean_cycles"],
        "accepted": summary["accepted_flits_per_cycle"],
        "flit_hops": summary["flit_hops"],
        "seconds": seconds,
    }


def theirs(text, load, seed, drained=True):
    """One run of BookSim. Its throughput mode does not wait for measured packets."""
    scenario = tomllib.loads(text)
    mode = "latency" if drained and load < 1 else "throughput"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "booksim.cfg")
        file.write_text(settings(scenario))
        command = [BOOKSIM, str(file), f"sim_type={mode}"]
        done, seconds = timed(command + [f"injection_rate={float(load)}", f"seed={seed}"])
    found = done.stdout
    total = found[found.find("Overall Traffic Statistics"):]

    def value(name, text):
        at = re.search(rf"(?m)^{name}\s*=?\s*(?:is )?([0-9.e+-]+)", text)
        if at is None:
            sys.exit(f"{found}{done.stderr}{BOOKSIM} printed no `{name}`")
        return float(at[1])

    nodes = nodes_of(scenario["topology"])
    accepted = value("Accepted flit rate average", total)
    took = value("Time taken", found)
    channels = value("Hops average", total) + 1
    return {
        "latency": value("Packet latency average", total),
        "accepted": accepted,
        "flit_hops": accepted * nodes * took * channels,
        "seconds": seconds,
    }


def nodes_of(topology):
    """Terminals of a topology."""
    if topology["kind"] == "fly":
        return topology["k"] ** topology["n"]
    product = 1
    for side in topology["sides"]:
        product *= side
    return product


class Saved:
    """Runs by what they are, in a file if there is one."""

    def __init__(self, path):
        self.path = Path(path) if path else None
        self.runs = {}
        if self.path and self.path.exists():
            self.runs = json.loads(self.path.read_text())

    def get(self, side, name, load, seed, run):
        key = f"{side} {name} {load} {seed}"
        if key not in self.runs:
            self.runs[key] = run()
            if self.path:
                self.path.write_text(json.dumps(self.runs, indent=1))
        return self.runs[key]


def mean_and_error(values):
    """Mean and its standard error."""
    mean = statistics.fmean(values)
    error = statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else mean
    return mean, error


def compared(name, load, what, most, saved):
    """Means and standard errors of both, and seeds run."""
    text = (SCENARIOS / f"{name}.toml").read_text()
    sides = {"ours": ours, "theirs": theirs}
    values = {side: [] for side in sides}
    for seed in range(1, most + 1):
        for side, run in sides.items():
            found = saved.get(side, name, load, seed, lambda: run(text, load, seed))
            values[side].append(found[what])
        both = [mean_and_error(values[side]) for side in sides]
        if seed > 1 and all(error < ENOUGH * mean for mean, error in both):
            break
    return both[0], both[1], seed


def agreement(names, most, saved):
    """Prints the latency and the saturation of each scenario, ours and theirs."""
    print("| scenario | load | ours | BookSim | difference | seeds |", flush=True)
    print("|---|---|---|---|---|---|", flush=True)
    worst = {"latency": 0.0, "accepted": 0.0}
    for name in names:
        points = [(load, "latency") for load in LOADS[name]] + [(1.0, "accepted")]
        for load, what in points:
            (here, error), (there, their_error), seeds = compared(name, load, what, most, saved)
            difference = here / there - 1
            worst[what] = max(worst[what], abs(difference))
            digits = 2 if what == "latency" else 4
            shown = f"{load:g}" if what == "latency" else "saturation"
            print(
                f"| `{name}` | {shown} | {here:.{digits}f} ± {error:.{digits}f} "
                f"| {there:.{digits}f} ± {their_error:.{digits}f} "
                f"| {100 * difference:+.2f} % | {seeds} |",
                flush=True,
            )
    print(f"\nlargest difference: latency {100 * worst['latency']:.2f} %, ", end="")
    print(f"saturation {100 * worst['accepted']:.2f} %")


def speed(names, runs, saved):
    """Prints user CPU per flit-hop of each scenario, the least of so many runs."""
    print("| scenario | load | ours, ns | BookSim, ns | times |", flush=True)
    print("|---|---|---|---|---|", flush=True)
    for name in names:
        text = (SCENARIOS / f"{name}.toml").read_text()
        load = SPEED[name]

        def least(side, run, count):
            found = (
                saved.get(f"{side} speed", name, load, index, lambda: run())
                for index in range(count)
            )
            return min(1e9 * entry["seconds"] / entry["flit_hops"] for entry in found)

        longer = 1 if load >= 1 else 10
        here = least("ours", lambda: ours(text, load, 1, longer), runs)
        there = least("theirs", lambda: theirs(text, load, 1, drained=False), max(1, runs // 2))
        shown = f"{load:g}" if load < 1 else "saturation"
        print(
            f"| `{name}` | {shown} | {here:.1f} | {there:.0f} | {there / here:.1f} |",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["agreement", "speed", "settings"])
    parser.add_argument("scenarios", nargs="*", help="names below scenarios/booksim; all")
    parser.add_argument("--runs", type=int, default=3, help="speed: the least of so many")
    parser.add_argument("--seeds", type=int, default=8, help="agreement: at most so many")
    parser.add_argument("--save", help="file that keeps every run")
    given = parser.parse_intermixed_args()
    known = SPEED if given.what == "speed" else LOADS
    names = given.scenarios or list(known)
    unknown = [name for name in names if name not in known]
    if unknown:
        parser.error(f"no such scenario: {', '.join(unknown)}")
    if given.what == "settings":
        for name in names:
            scenario = tomllib.loads((SCENARIOS / f"{name}.toml").read_text())
            print(f"// {name}{settings(scenario)}")
    elif given.what == "speed":
        speed(names, given.runs, Saved(given.save))
    else:
        agreement(names, given.seeds, Saved(given.save))


if __name__ == "__main__":
    main()
