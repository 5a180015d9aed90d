#!/usr/bin/env python3
"""Memory of a list of flows without rows: 10^5, 10^6 and 10^7 of 1 kB over 1,024 hosts.

    python3 benches/flow_lists.py target/release/backwater [MOST]

For each number up to MOST (10,000,000 if left out) it writes a list into a folder for that time, checks it,
runs it, and prints seconds and the most memory of each, as the system counts it.
"""

import os
import random
import resource
import sys
import tempfile
import time

SCENARIO = """\
title = "flows of 1 kB over a fat tree of 1,024 hosts"
engine = "ethernet"

[run]
duration = "1 s"

[topology]
kind = "fat-tree"
ports = 16

[link]
rate = "100 Gbps"
delay = "500 ns"

[[workloads]]
name = "web"
kind = "list"
file = "list.csv"
rows = "group"
transport = "roce"
"""
HOSTS = [f"H{pod}_{edge}_{host}" for pod in range(1, 17) for edge in range(1, 9) for host in range(1, 9)]


def write_list(path, flows):
    """A flow a nanosecond on average, between two hosts drawn evenly: 8 % of the links of hosts."""
    draw = random.Random(7)
    at, count = 0, len(HOSTS)
    with open(path, "w", encoding="ascii") as file:
        for _ in range(flows):
            at += draw.randrange(2000) + 1
            source = draw.randrange(count)
            target = (source + 1 + draw.randrange(count - 1)) % count
            file.write(f"{at} ps, {HOSTS[source]}, {HOSTS[target]}, 1000 B\n")


def measure(command):
    """Seconds and megabytes of a command, which must succeed."""
    begin = time.monotonic()
    child = os.posix_spawn(
        command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    )
    _, status, usage = os.wait4(child, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)} failed")
    return time.monotonic() - begin, usage.ru_maxrss / 1000


def main():
    """Prints a line for each number of flows."""
    program = os.path.abspath(sys.argv[1])
    most = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000_000
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    print(f"{'flows':>12} {'check s':>8} {'MB':>6} {'run s':>8} {'MB':>6}")
    with tempfile.TemporaryDirectory() as folder:
        scenario = os.path.join(folder, "list.toml")
        with open(scenario, "w", encoding="ascii") as file:
            file.write(SCENARIO)
        for flows in [100_000, 1_000_000, 10_000_000]:
            if flows > most:
                break
            write_list(os.path.join(folder, "list.csv"), flows)
            checked = measure([program, "check", scenario])
            ran = measure([program, "run", scenario, "--out", os.path.join(folder, "out")])
            cells = [f"{flows:>12,}", *(f"{s:>8.1f} {mb:>6.0f}" for s, mb in (checked, ran))]
            print(" ".join(cells), flush=True)


if __name__ == "__main__":
    main()
