#!/usr/bin/env python3
"""Runs files over TCP into a slower link here, in ns-2 and in ns-3, and prints all three.

    python3 benches/ethernet_peers.py [group ..] [--seeds 6] [--save FILE]

The options of the others are made from scenarios/ethernet/peers-mismatch.toml by `options`, so
they cannot drift apart; what they can't do is refused there. BACKWATER names our program
(target/release/backwater), NS2 that of ns-2 (ns; Debian: ns2), NS3 the compiled
benches/peers/mismatch.cc (else it is compiled, if libns3-dev is there); one that is missing is
left out. With --save FILE every run is kept there and not repeated when the command is given
again. Python 3.11, nothing else.
"""

import argparse
import csv
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCENARIO = ROOT / "scenarios" / "ethernet" / "peers-mismatch.toml"
PEERS = ROOT / "benches" / "peers"
BACKWATER = os.environ.get("BACKWATER", str(ROOT / "target" / "release" / "backwater"))
NS2 = shutil.which(os.environ.get("NS2", "ns"))
NS3 = os.environ.get("NS3")
NS3_LIBRARIES = ["core", "network", "internet", "point-to-point", "traffic-control"]

# Ethernet, IP and TCP headers; bytes of a frame without payload.
HEADERS = 58

UNITS = {"bps": 1, "kbps": 1e3, "Mbps": 1e6, "Gbps": 1e9,
         "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "B": 1, "kB": 1e3, "MB": 1e6}

# What 4.4BSD's timer does, and one that counts exactly.
COARSE, EXACT = "500 ms", "exact"


def case(recovery, segments, connections, tick=COARSE, eighth=False, ack_delay=None):
    """What differs from the scenario."""
    given = {"recovery": recovery, "segments": segments, "connections": connections,
             "tick": tick, "eighth": eighth}
    return given | ({"ack_delay": ack_delay} if ack_delay else {})


MANY = (2, 3, 4, 6, 8, 10)
GROUPS = {
    # Nothing is lost: flavour and timer do not matter.
    "loss-free": [case("reno", 32, n, tick) for tick in (COARSE, EXACT) for n in (1, 2, 3, 4)]
    + [case("reno", size, 1, tick) for tick in (COARSE, EXACT) for size in (100, 200, 500)],
    # Every second segment is acknowledged, else after this time: the plain rule, without PSH.
    "delayed": [case("reno", 32, n, EXACT, ack_delay=delay) for delay in ("100 ms", "200 ms")
                for n in (1, 2, 4)]
    + [case("reno", size, 1, EXACT, ack_delay="200 ms") for size in (1, 2, 33, 100)],
    # The smallest queue of two windows that overflows is at n x size > 64 frames.
    "cliff": [case("reno", size, 2) for size in (30, 31, 32, 34, 36, 40, 50, 64, 100)],
    "reno": [case("reno", 200, n) for n in MANY],
    "reno-exact": [case("reno", 200, n, EXACT) for n in MANY],
    "reno-eighth": [case("reno", 200, n, eighth=True) for n in MANY],
    "reno-eighth-exact": [case("reno", 200, n, EXACT, eighth=True) for n in MANY],
    "tahoe": [case("tahoe", 200, n) for n in MANY],
    "newreno": [case("new-reno", 200, n) for n in MANY],
    "newreno-exact": [case("new-reno", 200, n, EXACT) for n in MANY],
    "newreno-eighth": [case("new-reno", 200, n, EXACT, eighth=True) for n in MANY],
    "sack": [case("sack", 200, n, EXACT) for n in MANY],
}


def amount(text):
    """A number with its unit, in bps, s or bytes."""
    number, unit = str(text).split()
    return float(number) * UNITS[unit]


def text_of(given):
    """The scenario with what differs."""
    text = SCENARIO.read_text()
    size = given["segments"] * tomllib.loads(text)["tcp"].get("mss", 1024)
    lines = {
        "recovery": f'"{given["recovery"]}"',
        "eighth": str(given["eighth"]).lower(),
        "tick": f'"{given["tick"]}"',
        "count": given["connections"],
    }
    for key, value in lines.items():
        text, found = re.subn(rf"(?m)^{key} = .*$", f"{key} = {value}", text)
        assert found == 1, key
    if "ack_delay" in given:
        text = text.replace("[tcp]\n", f"""[tcp]
acks = "delayed"
push = false
ack_delay = "{given["ack_delay"]}"
""")
    return re.sub(r'size = "[^"]*"', f'size = "{size} B"', text)


def options(scenario, seed):
    """What the others are told, in the names of benches/peers/mismatch.*."""
    tcp, flow = scenario["tcp"], scenario["flows"][0]
    traffic = flow["traffic"]
    first, second = scenario["links"]
    mss = tcp.get("mss", 1024)
    must = {
        "one kind of flow, from S to D": len(scenario["flows"]) == 1
            and (flow["from"], flow["to"]) == ("S", "D"),
        "links S to A and A to D": [first["between"], second["between"]]
            == [["S", "A"], ["A", "D"]],
        "no back-pressure": scenario["flow_control"]["kind"] == "none",
        "files and evenly drawn times between":
            traffic["kind"] == "files" and traffic["think"]["law"] == "uniform",
        "the preset bsd and no restart": tcp["preset"] == "bsd" and not tcp["idle_restart"],
        "nothing else of TCP": set(tcp) <= {"preset", "mss", "recovery", "eighth", "tick",
            "initial_rto", "min_rto", "max_rto", "idle_restart", "acks", "push", "ack_delay"},
        "acknowledgements of each or delayed plainly": tcp.get("acks", "every") == "every"
            or (tcp["acks"], tcp["push"]) == ("delayed", False),
        "whole segments": amount(traffic["size"]) % mss == 0,
    }
    for what, holds in must.items():
        if not holds:
            raise ValueError(f"{scenario['title']}: the others need {what}")
    return {
        "connections": flow["count"],
        "segments": int(amount(traffic["size"])) // mss,
        "mss": mss,
        # Of the preset.
        "window": 65535,
        "initial": 1,
        "think": 2 * amount(traffic["think"]["mean"]),
        "fast": amount(first.get("rate", scenario["link"]["rate"])),
        "slow": amount(second.get("rate", scenario["link"]["rate"])),
        "delay": amount(scenario["link"]["delay"]),
        # They count packets.
        "queue": int(amount(scenario["buffer"]["per_queue"])) // (mss + HEADERS),
        "tick": 0.0 if tcp["tick"] == EXACT else amount(tcp["tick"]),
        "min_rto": amount(tcp["min_rto"]),
        "max_rto": amount(tcp["max_rto"]),
        "first_rto": amount(tcp["initial_rto"]),
        "ack_delay": amount(tcp.get("ack_delay", "0 s")),
        "duration": amount(scenario["run"]["duration"]),
        "warm_up": amount(scenario["run"]["warm_up"]),
        "seed": seed,
    }


def output_of(command):
    """What a command prints."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}{done.stderr}{command[0]} failed ({done.returncode})")
    return done.stdout


def numbers(text):
    """Lines of a name and a number."""
    return {name: float(value) for name, value in (line.split() for line in text.splitlines())}


def ours(given, seed):
    """One run here."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "scenario.toml")
        file.write_text(text_of(given))
        out = Path(folder, "out")
        output_of([BACKWATER, "run", str(file), "--seed", str(seed), "--out", str(out)])
        found = json.loads((out / "summary.json").read_text())
        with (out / "tables" / "tcp.csv").open(newline="") as file:
            time_outs = sum(int(flow["timeouts"]) for flow in csv.DictReader(file))
    return {
        "goodput_mbps": sum(flow["goodput_mbps"] for flow in found["flows"]),
        "drops": found["balance"][0]["dropped"],
        "time_outs": time_outs,
    }


def ns2(given, seed):
    """One run of ns-2."""
    told = options(tomllib.loads(text_of(given)), seed)
    flavours = {"tahoe": "Tahoe", "reno": "Reno", "new-reno": "Newreno", "sack": "Sack1"}
    told["flavour"] = flavours[given["recovery"]]
    # ns-2 counts packets; its exact clock is a tick of 1 ms.
    told["window"] //= told["mss"]
    told["tick"] = told["tick"] or 0.001
    told["growth"] = "eighth" if given["eighth"] else "standard"
    words = [str(word) for pair in told.items() for word in pair]
    return numbers(output_of([NS2, str(PEERS / "mismatch.tcl"), *words]))


def ns3(given, seed):
    """One run of ns-3; None for what it hasn't."""
    loses_nothing = given in GROUPS["loss-free"] or given in GROUPS["delayed"]
    if given["recovery"] not in ("new-reno", "sack") and not loses_nothing:
        return None
    if given["tick"] != EXACT:
        return None
    told = options(tomllib.loads(text_of(given)), seed)
    for name in ("tick", "max_rto"):
        told.pop(name)
    told["eighth"] = int(given["eighth"])
    told["sack"] = int(given["recovery"] == "sack")
    return numbers(output_of([NS3, *(f"--{name}={value}" for name, value in told.items())]))


def compile_ns3(folder):
    """The program for ns-3, or None."""
    if not Path("/usr/include/ns3").is_dir() or not shutil.which("g++"):
        return None
    program = str(Path(folder, "mismatch"))
    libraries = [f"-lns3-{name}" for name in NS3_LIBRARIES]
    output_of(["g++", "-O2", "-o", program, str(PEERS / "mismatch.cc"), *libraries, "-ldl"])
    return program


class Saved:
    """Runs by what they are, in a file if there is one."""

    def __init__(self, path):
        self.path = Path(path) if path else None
        self.runs = {}
        if self.path and self.path.exists():
            self.runs = json.loads(self.path.read_text())

    def get(self, side, given, seed, run):
        key = f"{side} {sorted(given.items())} {seed}"
        if key not in self.runs:
            self.runs[key] = run(given, seed)
            if self.path:
                self.path.write_text(json.dumps(self.runs, indent=1))
        return self.runs[key]


def shown(runs):
    """Mean goodput and its range, drops and time-outs each."""
    if not runs:
        return "–", "–", None
    goodputs = [run["goodput_mbps"] for run in runs]
    drops = statistics.fmean(run["drops"] for run in runs)
    time_outs = statistics.fmean(run["time_outs"] for run in runs)
    mean = statistics.fmean(goodputs)
    spread = f"{mean:.2f}"
    if max(goodputs) - min(goodputs) >= 0.02:
        spread += f" [{min(goodputs):.2f}, {max(goodputs):.2f}]"
    return spread, f"{drops:.0f} / {time_outs:.0f}", mean


def table(group, seeds, saved):
    """Prints a group."""
    sides = {"ours": ours}
    if NS2:
        sides["ns-2"] = ns2
    if NS3:
        sides["ns-3"] = ns3
    print(f"\n{group}\n\n| tick | segments | n | ours, Mbps | drops / time-outs "
          "| ns-2, Mbps | drops / time-outs | ours / ns-2 "
          "| ns-3, Mbps | drops / time-outs | ours / ns-3 |")
    print("|---|---|---|---|---|---|---|---|---|---|---|", flush=True)
    for given in GROUPS[group]:
        cells, here = [given.get("ack_delay", given["tick"]), str(given["segments"]), str(given["connections"])], None
        for side in ("ours", "ns-2", "ns-3"):
            run = sides.get(side, lambda *_: None)
            runs = [saved.get(side, given, seed, run) for seed in range(1, seeds + 1)]
            goodput, losses, mean = shown([run for run in runs if run])
            cells += [goodput, losses]
            if side == "ours":
                here = mean
            else:
                cells.append(f"{here / mean:.3f}" if mean else "–")
        print(f"| {' | '.join(cells)} |", flush=True)


def main():
    global NS3
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("groups", nargs="*", help=f"of {', '.join(GROUPS)}; all")
    parser.add_argument("--seeds", type=int, default=6, help="runs of each")
    parser.add_argument("--save", help="file that keeps every run")
    given = parser.parse_intermixed_args()
    groups = given.groups or list(GROUPS)
    unknown = [group for group in groups if group not in GROUPS]
    if unknown:
        parser.error(f"no such group: {', '.join(unknown)}")
    if not Path(BACKWATER).exists():
        sys.exit(f"{BACKWATER} is not there: cargo build --release, or set BACKWATER")
    with tempfile.TemporaryDirectory() as folder:
        NS3 = NS3 or compile_ns3(folder)
        for group in groups:
            table(group, given.seeds, Saved(given.save))


if __name__ == "__main__":
    main()
