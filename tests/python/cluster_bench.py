"""What a sweep on a cluster of Dask costs: many short points, worker processes, some of them killed.

    python tests/python/cluster_bench.py [POINTS] [WORKERS] [KILLS]

Prints the time a point takes altogether and what of that is its computation, and the most memory
that the client held (with the scheduler, which is in the same process). Ends with 1 where a point is
lost or computed twice, or where the table is not that of one machine.
"""

import logging
import os
import pathlib
import resource
import signal
import sys
import tempfile
import time

import distributed

import backwater as bw
from backwater import _backwater, _workers


def sweep_of(points):
    short = bw.example("flit/mesh-8x8").set("topology.sides", [4, 4])
    for key, cycles in (("warm_up", 50), ("measure", 100), ("drain", 100)):
        short = short.set(f"run.{key}", f"{cycles} cycles")
    return short.sweep({"load": [0.1, 0.2], "router.vcs": [2, 4]}, seeds=points // 4), short


def seconds_of_a_point(short, sweep):
    """Of its computation alone, in this process."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "short.toml")
        path.write_text(short.text, encoding="utf-8")
        words = [os.fspath(path), *short._sets(), *sweep._words(), f"--out={folder}/out"]
        points = _backwater.Points(words)
        some = points.missing[:: max(len(points.missing) // 200, 1)]
        _workers.measure(points.plan, some[:1])
        seconds, texts = _workers.measure(points.plan, some)
        points.close()
    return seconds / len(texts)


def swept(sweep, out, client, points, kills):
    """Seconds, and the points as they came."""
    pids = list(client.run(os.getpid).values())
    begun, seen = time.perf_counter(), []
    for row in sweep.as_completed(out=out, client=client):
        seen.append((row["load"], row["vcs"], row["seed"]))
        if kills and len(seen) >= points * (len(pids) - kills) // len(pids):
            os.kill(pids[kills - 1], signal.SIGKILL)
            kills -= 1
    return time.perf_counter() - begun, seen


def main(points=10_000, workers=4, kills=2):
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    sweep, short = sweep_of(points)
    each = seconds_of_a_point(short, sweep)
    cores = min(workers, os.cpu_count() or 1)
    cluster = distributed.LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        dashboard_address=None,
        silence_logs=logging.CRITICAL,
    )
    with cluster, distributed.Client(cluster) as client, tempfile.TemporaryDirectory() as out:
        seconds, seen = swept(sweep, out, client, points, kills)
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        log = pathlib.Path(out, "points.log").read_text().split()
        table = sweep.run(out=out).path.joinpath("tables/sweep.csv").read_bytes()
    alone = sweep.run()
    same = alone.path.joinpath("tables/sweep.csv").read_bytes() == table
    lost, twice = points - len(set(seen)), len(log) - len(set(log))
    print(f"{points} points, {workers} workers on {cores} cores, {kills} killed: {seconds:.1f} s")
    altogether, computed = 1000 * seconds / points, 1000 * each / cores
    print(f"a point: {altogether:.2f} ms, computed in {computed:.2f} ms on {cores} cores")
    print(f"overhead: {altogether - computed:.2f} ms a point")
    print(f"client: {most:.0f} MB at most")
    print(f"lost {lost}, twice {twice}, table {'the same' if same else 'DIFFERENT'}")
    return 0 if (lost, twice, same) == (0, 0, True) else 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
