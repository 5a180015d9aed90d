#!/usr/bin/env python3
"""Runs like work here and in csg-htsim, one after the other, and prints packet-hops a second.

    python3 benches/htsim.py build path/to/csg-htsim     # github.com/Broadcom/csg-htsim
    python3 benches/htsim.py run [workload ..] [--runs 3]

A packet-hop is any packet, data or control, that crosses one queue and one link. `build` copies
the sources to target/htsim, adds a counter of packets that leave links (htsim counts none; pauses,
which pass no queue there, are counted too) and compiles with the options of its Makefiles.
`run` takes the least user CPU of so many runs of each, alternately, whole processes from start to
end. Without a build only our side is run. BACKWATER names our program, HTSIM that of htsim
(target/htsim/datacenter/htsim_roce). Python 3.11, nothing else.

The work is alike, not equal: ours are datagrams as fast as the port takes them, htsim's are RoCE
flows whose receivers acknowledge every packet, so that it has more and shorter packets. Of
`dcqcn-1024` both sides have the same flows, drawn here (web search, half load), and acknowledge
every packet; ours are under DCQCN, which htsim's RoCE has not: its sources stay at line rate.
"""

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCENARIOS = ROOT / "scenarios" / "bench"
BUILD = ROOT / "target" / "htsim"
BACKWATER = os.environ.get("BACKWATER", str(ROOT / "target" / "release" / "backwater"))
HTSIM = str(Path(os.environ.get("HTSIM", BUILD / "datacenter" / "htsim_roce")).absolute())

# Routes by hash of the flow, packets of 1500 bytes, PFC at 12 and 15 packets of an input.
COMMON = ["-strat", "ecmp_host", "-paths", "64", "-q", "1000", "-mtu", "1500",
          "-pfc_thresholds", "12", "15"]

# Four hosts on a switch: the smallest of htsim's trees with them.
STAR = """Nodes 8
Tiers 2
Podsize 8

Tier 0
Downlink_speed_Gbps 100
Radix_Down 4
Radix_Up 2
Downlink_Latency_ns 1000
Switch_Latency_ns 0
Oversubscribed 2

Tier 1
Downlink_speed_Gbps 100
Radix_Down 2
Downlink_Latency_ns 1000
Switch_Latency_ns 0
"""


def permutation(nodes):
    """A flow from every node to another one."""
    order = list(range(nodes))
    random.Random(1).shuffle(order)
    return list(zip(order, order[1:] + order[:1]))


# Flow sizes of a web search cluster (Alizadeh and others 2010, figure 4): bytes, and the part of
# the flows that are no larger.
WEB_SEARCH = [
    (0, 0),
    (10_000, 0.15), (20_000, 0.2), (30_000, 0.3), (50_000, 0.4), (80_000, 0.53), (200_000,
    0.6), (1_000_000, 0.7), (2_000_000, 0.8), (5_000_000, 0.9), (10_000_000, 0.97),
    (30_000_000, 1),
]


def web_search(hosts, load, rate_bps, microseconds):
    """Flows that begin at random at each host: host, another one, microsecond, bytes."""
    draw = random.Random(1)
    pairs = list(zip(WEB_SEARCH, WEB_SEARCH[1:]))
    mean = sum((after[1] - before[1]) * (after[0] + before[0]) / 2 for before, after in pairs)
    gap = mean * 8 / (load * rate_bps) * 1e6
    flows = []
    for host in range(hosts):
        at = draw.expovariate(1 / gap)
        while at < microseconds:
            part = draw.random()
            low, high = next(pair for pair in pairs if part <= pair[1][1])
            inside = (part - low[1]) / (high[1] - low[1])
            size = max(1, round(low[0] + inside * (high[0] - low[0])))
            other = (host + draw.randrange(1, hosts)) % hosts
            flows.append((host, other, round(at, 3), size))
            at += draw.expovariate(1 / gap)
    return sorted(flows, key=lambda flow: flow[2])


def host_of_tree(number):
    """What our fat tree of 16 ports calls the host of this number."""
    pod, rest = divmod(number, 64)
    return f"H{pod + 1}_{rest // 8 + 1}_{rest % 8 + 1}"


# Scenario here, hosts there, flows there, microseconds there, topology there. Flows with a start and
# a size are those of both sides.
WORKLOADS = {
    "incast-pfc": (8, [(0, 3), (1, 3), (2, 3)], 500_000, STAR),
    "fat-tree-128": (128, permutation(128), 1_000, None),
    "fat-tree-1024": (1024, permutation(1024), 200, None),
    "dcqcn-1024": (1024, web_search(1024, 0.5, 100e9, 1_000), 1_000, None),
}

COUNTER = """#include <cstdio>
unsigned long long hops_counted = 0;
struct Hops { ~Hops() { fprintf(stderr, "packet_hops %llu\\n", hops_counted); } } hops_at_end;
"""
AT = re.compile(r"(?m)^(\s*)(Packet \*pkt = _inflight_v\[_next_pop\]\.pkt;)$")


def count(file, before, statement):
    """Adds a statement where a packet leaves a pipe."""
    text, found = AT.subn(rf"\1\2\n\1{statement}", file.read_text())
    if found != 1:
        sys.exit(f"{file} is not as expected")
    file.write_text(before + text)


def build(source):
    """Copies, adds the counter, compiles."""
    sim = Path(source) / "sim"
    if not (sim / "datacenter" / "main_roce.cpp").exists():
        sys.exit(f"{source} is not csg-htsim")
    shutil.rmtree(BUILD, ignore_errors=True)
    shutil.copytree(sim, BUILD, ignore=shutil.ignore_patterns("*.o", "*.a", "htsim_*", "EXAMPLES"))
    count(BUILD / "pipe.cpp", COUNTER, "hops_counted++;")
    count(
        BUILD / "callback_pipe.cpp",
        '#include "network.h"\nextern unsigned long long hops_counted;\n',
        "if (pkt->type() == ETH_PAUSE) hops_counted++;",
    )
    for folder, target in ((BUILD, "libhtsim.a"), (BUILD / "datacenter", "htsim_roce")):
        subprocess.run(["make", target], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def timed(command, folder=None):
    """Error output, user CPU seconds and most memory (MiB) of a command, run in a folder."""
    with tempfile.TemporaryFile("w+") as errors:
        running = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.DEVNULL, stderr=errors
        )
        _, status, usage = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        said = errors.read()
    if running.returncode != 0:
        sys.exit(f"{said}{command[0]} failed ({running.returncode})")
    return said, usage.ru_utime, usage.ru_maxrss / 1024


def ours(name, folder):
    """Hops, seconds and memory of one run here."""
    out = Path(folder, "out")
    shutil.rmtree(out, ignore_errors=True)
    command = [BACKWATER, "run", str(SCENARIOS / f"{name}.toml"), "--out", str(out)]
    flows = WORKLOADS[name][1]
    if len(flows[0]) == 4:
        file = Path(folder, "flows.csv")
        lines = [f"{at} us, {host_of_tree(a)}, {host_of_tree(b)}, {size} B" for a, b, at, size in flows]
        file.write_text("\n".join(lines) + "\n")
        command += ["--set", f'workloads.0={{name="web",kind="list",file="{file}",transport="roce"}}']
    _, seconds, memory = timed(command)
    found = json.loads((out / "summary.json").read_text())
    return found["unit_hops"], seconds, memory


def theirs(name, folder):
    """The same of htsim."""
    nodes, flows, microseconds, topology = WORKLOADS[name]
    matrix = Path(folder, "flows.cm")
    lines = [f"Nodes {nodes}", f"Connections {len(flows)}"]
    ends = [(*flow, 0, 0)[:4] for flow in flows]
    lines += [f"{a}->{b} start {at} size {size}" for a, b, at, size in ends]
    matrix.write_text("\n".join(lines) + "\n")
    command = [HTSIM, "-nodes", str(nodes), "-tm", str(matrix), "-end", str(microseconds)]
    command += ["-o", "/dev/null", *COMMON]
    if topology:
        file = Path(folder, "htsim.topo")
        file.write_text(topology)
        command += ["-topo", str(file)]
    # It leaves an idmap.txt where it runs.
    said, seconds, memory = timed(command, folder)
    return int(re.search(r"packet_hops (\d+)", said)[1]), seconds, memory


def run(names, runs):
    """Prints each workload, ours and theirs."""
    if not Path(BACKWATER).exists():
        sys.exit(f"{BACKWATER} is not there: cargo build --release, or set BACKWATER")
    sides = {"ours": ours}
    if Path(HTSIM).exists():
        sides["htsim"] = theirs
    else:
        print(f"{HTSIM} is not there: ours only", file=sys.stderr)
    print("| workload | simulator | hops | user CPU, s | M hops/s | memory, MiB |", flush=True)
    print("|---|---|---|---|---|---|", flush=True)
    for name in names:
        best = {}
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(runs):
                for side, once in sides.items():
                    found = once(name, folder)
                    rate = found[0] / found[1]
                    if side not in best or rate > best[side][0]:
                        best[side] = (rate, *found)
        for side, (rate, hops, seconds, memory) in best.items():
            print(f"| `{name}` | {side} | {hops:,} | {seconds:.2f} | {rate / 1e6:.2f} "
                  f"| {memory:.0f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    does = parser.add_subparsers(dest="does", required=True)
    builds = does.add_parser("build", help="copy, add the counter, compile")
    builds.add_argument("source", help="a clone of csg-htsim")
    measures = does.add_parser("run", help="run and print")
    measures.add_argument("workloads", nargs="*", help=f"of {', '.join(WORKLOADS)}; all")
    measures.add_argument("--runs", type=int, default=3, help="the best of so many")
    given = parser.parse_args()
    if given.does == "build":
        build(given.source)
        return
    unknown = [name for name in given.workloads if name not in WORKLOADS]
    if unknown:
        parser.error(f"no such workload: {', '.join(unknown)}")
    run(given.workloads or list(WORKLOADS), given.runs)


if __name__ == "__main__":
    main()
