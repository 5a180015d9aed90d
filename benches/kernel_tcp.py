#!/usr/bin/env python3
"""Runs TCP of this machine's kernel through a slow link, and the same scenario here; prints both.

    sudo python3 benches/kernel_tcp.py [row ..] [--seconds 20] [--warm-up 5]

Three network namespaces with names of their own, S - R - D, joined by veth; R sends to D through
tbf: 100 Mbps, a queue of 125 kB. Nothing outside of them is touched, no packet leaves them, and
they are deleted at the end, whatever happens. Acknowledgements of rows with a longer round trip
are held back in R by this program, over a tun device. A row takes as long as it is told, a minute
at most; a control that the kernel has not is left out (`modprobe tcp_bbr`). Lines of a row: the
kernel's; ours with segments that go one by one; ours in bursts of 64 kB, which stay together where
tbf takes them whole.

BACKWATER names our program (target/release/backwater). Needs Linux, root, iproute2, Python 3.11.
"""

import argparse
import collections
import contextlib
import csv
import ctypes
import fcntl
import json
import os
import re
import select
import shutil
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BACKWATER = os.environ.get("BACKWATER", str(ROOT / "target" / "release" / "backwater"))
AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")

LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNET = 0x4000_0000

RATE_MBPS, LIMIT_BYTES = 100, 125_000
MSS = 1448
# No row runs for longer, seconds.
MOST_SECONDS = 60
# Between two looks at the queue, seconds.
LOOK = 0.05

# What each flow runs, the round trip that is added (ms), tbf's burst (bytes): above 64 kB what a
# host hands down at once stays together, below 64 kB it is taken apart.
ROWS = {
    "cubic": (["cubic"], 0, 5_000),
    "cubic-whole": (["cubic"], 0, 68_000),
    "two-cubic": (["cubic", "cubic"], 0, 5_000),
    "bbr": (["bbr"], 0, 5_000),
    "bbr-10ms": (["bbr"], 10, 5_000),
    "two-bbr-10ms": (["bbr", "bbr"], 10, 5_000),
    "bbr-cubic": (["bbr", "cubic"], 0, 5_000),
    "bbr-cubic-10ms": (["bbr", "cubic"], 10, 5_000),
}


def shell(*words, inside=None):
    """Runs a program, in a namespace if one is named."""
    prefix = ["ip", "netns", "exec", inside] if inside else []
    done = subprocess.run(prefix + list(words), capture_output=True, text=True, timeout=20)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def enter(namespace):
    """This thread goes into a namespace."""
    with open(f"/run/netns/{namespace}") as place:
        if LIBC.setns(place.fileno(), CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), f"{namespace}: can't go there")


@contextlib.contextmanager
def network(burst):
    """S - R - D, as names of namespaces; gone afterwards."""
    names = [f"backwater-{os.getpid()}-{node}" for node in "SRD"]
    source, router, destination = names
    try:
        for name in names:
            shell("ip", "netns", "add", name)
            shell("ip", "link", "set", "lo", "up", inside=name)
        for left, right, subnet in ((source, router, 1), (router, destination, 2)):
            one, other = f"to{right[-1]}", f"to{left[-1]}"
            shell("ip", "link", "add", one, "netns", left, "type", "veth",
                  "peer", "name", other, "netns", right)
            for name, link, host in ((left, one, 1), (right, other, 2)):
                shell("ip", "addr", "add", f"10.77.{subnet}.{host}/24", "dev", link, inside=name)
                shell("ip", "link", "set", link, "up", inside=name)
        shell("ip", "route", "add", "default", "via", "10.77.1.2", inside=source)
        shell("ip", "route", "add", "default", "via", "10.77.2.1", inside=destination)
        for key, value in (("ip_forward", 1), ("conf/all/rp_filter", 0)):
            shell("sysctl", "-qw", f"net/ipv4/{key}={value}", inside=router)
        shell("tc", "qdisc", "add", "dev", "toD", "root", "tbf", "rate", f"{RATE_MBPS}mbit",
              "limit", str(LIMIT_BYTES), "burst", str(burst), inside=router)
        for name in (source, destination):
            shell("sysctl", "-qw", "net/ipv4/tcp_no_metrics_save=1", inside=name)
        yield names
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, timeout=20)


class Delay(threading.Thread):
    """Holds what comes from D to S back in R."""

    def __init__(self, router, ms):
        super().__init__(daemon=True)
        self.router, self.seconds, self.stops = router, ms / 1000, False
        self.ready = threading.Event()

    def run(self):
        enter(self.router)
        with open("/dev/net/tun", "r+b", buffering=0) as tun:
            # IFF_TUN, IFF_NO_PI.
            fcntl.ioctl(tun, 0x400454CA, struct.pack("16sH", b"hold", 0x1001))
            os.set_blocking(tun.fileno(), False)
            shell("ip", "link", "set", "hold", "up", inside=self.router)
            shell("sysctl", "-qw", "net/ipv4/conf/hold/rp_filter=0", inside=self.router)
            shell("ip", "route", "add", "default", "dev", "hold", "table", "77",
                  inside=self.router)
            shell("ip", "rule", "add", "iif", "toD", "table", "77", inside=self.router)
            self.ready.set()
            self.serve(tun.fileno())

    def serve(self, tun):
        held = collections.deque()
        while not self.stops:
            wait = held[0][0] - time.monotonic() if held else 0.1
            readable, _, _ = select.select([tun], [], [], max(0, min(wait, 0.1)))
            with contextlib.suppress(BlockingIOError):
                while readable:
                    held.append((time.monotonic() + self.seconds, os.read(tun, 65_536)))
            while held and held[0][0] <= time.monotonic():
                os.write(tun, held.popleft()[1])


class Flow:
    """A connection that always has something to send."""

    def __init__(self, names, port, control):
        self.names, self.port, self.control = names, port, control
        self.bytes, self.stops = 0, False
        self.listens = threading.Event()
        self.threads = [threading.Thread(target=run, daemon=True) for run in (self.take, self.give)]

    def start(self):
        self.threads[0].start()
        self.listens.wait(5)
        self.threads[1].start()

    def take(self):
        enter(self.names[2])
        with socket.create_server(("10.77.2.2", self.port)) as server:
            self.listens.set()
            server.settimeout(5)
            taken, _ = server.accept()
            with taken:
                while not self.stops and (data := taken.recv(1 << 18)):
                    self.bytes += len(data)

    def give(self):
        enter(self.names[0])
        data = bytes(1 << 16)
        self.socket = socket.socket()
        with self.socket as out:
            out.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, self.control.encode())
            out.connect(("10.77.2.2", self.port))
            out.settimeout(0.5)
            while not self.stops:
                with contextlib.suppress(TimeoutError, ConnectionError):
                    out.send(data)

    def sent_again(self):
        info = self.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)
        return struct.unpack_from("I", info, 100)[0]


def queue_of(router):
    """Bytes that wait in R, and packets that it has dropped."""
    found = json.loads(shell("tc", "-s", "-j", "qdisc", "show", "dev", "toD", inside=router))[0]
    return found.get("backlog", 0), found["drops"]


def kernel(row, seconds, warm_up):
    """What the kernel does."""
    controls, added_ms, burst = ROWS[row]
    with network(burst) as names:
        delay = Delay(names[1], added_ms) if added_ms else None
        if delay:
            delay.start()
            delay.ready.wait(5)
        flows = [Flow(names, 5_000 + at, control) for at, control in enumerate(controls)]
        for flow in flows:
            flow.start()
        time.sleep(warm_up)
        began = time.monotonic()
        before = [(flow.bytes, flow.sent_again()) for flow in flows]
        drops, looks = queue_of(names[1])[1], []
        while time.monotonic() - began < seconds:
            looks.append(queue_of(names[1])[0])
            time.sleep(LOOK)
        took = time.monotonic() - began
        after = [(flow.bytes, flow.sent_again()) for flow in flows]
        dropped = queue_of(names[1])[1] - drops
        for flow in flows:
            flow.stops = True
        for flow in flows:
            for thread in flow.threads:
                thread.join(2)
        if delay:
            delay.stops = True
            delay.join(2)
    return {
        "mbps": [(now[0] - then[0]) * 8e-6 / took for now, then in zip(after, before)],
        "queue": statistics.fmean(looks) / LIMIT_BYTES,
        "drops": dropped / took,
        "again": [(now[1] - then[1]) / took for now, then in zip(after, before)],
    }


def scenario(row, seconds, warm_up, has_bursts):
    """The same, as a scenario; segments go one by one, or in bursts."""
    controls, added_ms, burst = ROWS[row]
    queued = "whole" if burst >= 65_536 else "frames"
    bursts = f'burst = "64 kB"\nburst_queued = "{queued}"\n' if has_bursts else ""
    delay_us = 20 + added_ms * 250
    flows = "".join(
        f'[[flows]]\nname = "F{at}"\nfrom = "S"\nto = "D"\ntcp = {{ congestion = "{control}" }}\n'
        for at, control in enumerate(controls))
    return f"""engine = "ethernet"
title = "{row}"
[run]
duration = "{seconds + warm_up} s"
warm_up = "{warm_up} s"
[network]
hosts = ["S", "D"]
switches = ["R"]
[link]
rate = "10 Gbps"
delay = "{delay_us} us"
[[links]]
between = ["R", "D"]
rate = "{RATE_MBPS} Mbps"
[buffer]
per_queue = "{LIMIT_BYTES} B"
[flow_control]
kind = "none"
[tcp]
preset = "linux-3"
mss = "{MSS} B"
{bursts}
{flows}
[[series]]
name = "queue"
measure = "queue"
on = "R->D"
class = 0
window = "100 ms"
"""


def ours(row, seconds, warm_up, has_bursts):
    """What the scenario does here."""
    with tempfile.TemporaryDirectory() as place:
        file, out = Path(place) / "row.toml", Path(place) / "out"
        file.write_text(scenario(row, seconds, warm_up, has_bursts))
        done = subprocess.run([BACKWATER, "run", str(file), "--out", str(out)],
                              capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        found = json.loads((out / "summary.json").read_text())
        with (out / "tables" / "tcp.csv").open(newline="") as table:
            again = [int(flow["retransmitted_bytes"]) / MSS for flow in csv.DictReader(table)]
        lines = next((out / "series").glob("*queue*")).read_text().splitlines()[1:]
        points = [tuple(float(part) for part in line.split(",")[:2]) for line in lines]
    flows = found["flows"]
    queued = [value for at, value in points if at >= warm_up]
    dropped = sum(flow["dropped_after_warm_up_frames"] for flow in flows)
    return {
        "mbps": [flow["goodput_mbps"] for flow in flows],
        "queue": statistics.fmean(queued) / LIMIT_BYTES,
        "drops": dropped / seconds,
        "again": [segments / seconds for segments in again],
    }


def line(who, found):
    again = " : ".join(f"{rate:.1f}" for rate in found["again"])
    mbps = " : ".join(f"{rate:.1f}" for rate in found["mbps"])
    return f"  {who:8} {mbps:>14} {found['queue']:8.1%} {found['drops']:8.1f} {again:>14}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="*", metavar="row", help=", ".join(ROWS))
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--warm-up", type=int, default=5)
    asked = parser.parse_args()
    unknown = [row for row in asked.rows if row not in ROWS]
    if unknown:
        sys.exit(f"no row {unknown[0]}; rows: {', '.join(ROWS)}")
    seconds, warm_up = min(asked.seconds, MOST_SECONDS), min(asked.warm_up, MOST_SECONDS)
    if seconds < 1 or warm_up < 0:
        sys.exit("--seconds is 1 at least, --warm-up 0 at least")
    missing = [tool for tool in ("ip", "tc", "sysctl") if not shutil.which(tool)]
    has_kernel = sys.platform == "linux" and os.geteuid() == 0 and not missing
    if not has_kernel:
        print("the kernel's side needs Linux, root, and ip, tc, sysctl: left out")
    has = re.split(r"\s+", AVAILABLE.read_text()) if AVAILABLE.exists() else []
    if not Path(BACKWATER).exists():
        sys.exit(f"{BACKWATER} is not there: cargo build --release, or set BACKWATER")
    print("Mbps of each flow, mean queue of 125 kB, drops and segments sent again a second")
    for row in asked.rows or ROWS:
        print(row)
        if has_kernel and all(control in has for control in ROWS[row][0]):
            print(line("kernel", kernel(row, seconds, warm_up)), flush=True)
        for who, has_bursts in (("here", False), ("bursts", True)):
            print(line(who, ours(row, seconds, warm_up, has_bursts)), flush=True)


if __name__ == "__main__":
    main()
