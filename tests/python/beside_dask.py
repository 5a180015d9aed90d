"""Sweeps on a cluster of Dask with worker processes, of which one is killed in the middle."""

import importlib.util
import logging
import os
import pathlib
import signal
import tempfile
import unittest

import backwater as bw

SWEEP = (
    bw.example("flit/mesh-8x8")
    .set("topology.sides", [4, 4])
    .set("run.warm_up", "100 cycles")
    .set("run.measure", "1000 cycles")
    .set("run.drain", "400 cycles")
    .sweep({"load": [0.1, 0.2, 0.3], "router.vcs": [2, 4]}, seeds=100)
)
POINTS = 600
WORKERS = 3


def tables(folder):
    named = sorted(pathlib.Path(folder).glob("tables/*.csv"))
    return {path.name: path.read_bytes() for path in named}


def log(folder):
    return pathlib.Path(folder, "points.log").read_text().split()


@unittest.skipUnless(importlib.util.find_spec("distributed"), "dask is not installed")
@unittest.skipIf(os.name == "nt", "signals")
class Clusters(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        import distributed

        # Dask tells of every worker that is lost.
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        cls.cluster = distributed.LocalCluster(
            n_workers=WORKERS,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
        )
        cls.client = distributed.Client(cls.cluster)
        cls.alone = SWEEP.run()
        cls.tables = tables(cls.alone.path)

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.cluster.close()

    def test_a_worker_that_is_killed_costs_nothing(self):
        with tempfile.TemporaryDirectory() as out:
            pids = list(self.client.run(os.getpid).values())
            self.assertEqual(len(set(pids) - {os.getpid()}), WORKERS)
            seen = []
            for row in SWEEP.as_completed(out=out, client=self.client):
                seen.append((row["load"], row["vcs"], row["seed"]))
                if len(seen) == POINTS // 6:
                    os.kill(pids[0], signal.SIGKILL)
            self.assertEqual(len(seen), POINTS)
            self.assertEqual(len(set(seen)), POINTS, "a point came twice")
            self.assertEqual(len(log(out)), POINTS)
            self.assertEqual(len(set(log(out))), POINTS, "a point was stored twice")
            self.client.wait_for_workers(WORKERS, timeout=30)
            after = set(self.client.run(os.getpid).values())
            self.assertNotIn(pids[0], after)
            SWEEP.run(out=out)
            self.assertEqual(tables(out), self.tables)
            self.assertEqual(len(log(out)), POINTS, "a point was computed again")

    def test_its_executor_is_one_of_them(self):
        with self.client.get_executor(pure=False) as executor:
            found = SWEEP.run(executor=executor)
        self.assertEqual(tables(found.path), self.tables)

    def test_a_mistake_of_a_worker_ends_the_sweep(self):
        with self.assertRaisesRegex(bw.ScenarioError, "did you mean"):
            bw.example("flit/mesh-8x8").sweep({"router.vsc": [2, 4]}).run(client=self.client)


if __name__ == "__main__":
    unittest.main()
