"""What client.py puts into the tree of a real closed cluster: all of it is refused and logged, and none of it runs."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import tree
from client import ATTACKS, Hostile
from kazoo.exceptions import NoNodeError
from machine import Machine, until

HERE = pathlib.Path(__file__).parent
PROGRAMS = os.environ.get("DROVER_BIN_DIR") or HERE.parents[2] / "build/release/bin"


class TreeTest(unittest.TestCase):
    """One cluster for all of it: an attack that harms it fails the tests that follow."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="drover-hostile-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.machine = Machine(cls.folder.name, PROGRAMS)
        cls.addClassCleanup(cls.machine.end)
        cls.machine.ready()
        cls.hostile = Hostile(cls.machine.trust, cls.machine.marks)
        cls.addClassCleanup(cls.hostile.close)
        cls.hostile.prepare()

    def record(self, job):
        """The final record of a job."""

        def read():
            try:
                return json.loads(self.hostile.zk.get(self.hostile.path("done", job))[0])
            except NoNodeError:
                return None

        return until(read, f"the end of {job}")

    def refusals(self):
        """How many jobs the worker has refused, as it tells everybody."""
        return json.loads(self.hostile.zk.get(self.hostile.path("members", "up-1"))[0]).get("refused", 0)

    def assert_runs(self, name):
        """The same client with a key and a certificate of the root: what it signs runs."""
        self.hostile.attack = name
        before = self.machine.runs(f"{name}.good")
        record = self.record(self.hostile.put(self.hostile.alice.sign(self.hostile.good())))
        self.assertEqual((record["outcome"], record.get("code", 0), record["by"]), ("exited", 0, "alice"), record)
        self.assertEqual(self.machine.runs(f"{name}.good"), before + 1)

    def assert_refused(self, attack, jobs, log):
        _, outcome, reason = ATTACKS[attack]
        self.assertTrue(jobs)
        for job in jobs:
            record = self.record(job)
            self.assertEqual((record["outcome"], record.get("reason", "")[:len(reason)]), (outcome, reason), record)
            self.assertEqual(record.get("attempt", 0), 0)
            if outcome == "refused":
                self.assertIn(f"{job} is refused: {record['reason']}\n", log())
        self.assertEqual(self.machine.runs(f"{attack}.evil"), 0)
        self.assertEqual(self.machine.runs(f"{attack}.good"), 0)

    def test_a_the_client_is_believed_with_a_key(self):
        """Without this, a refusal could mean that the client packs badly."""
        self.assert_runs("alone")

        self.hostile.attack = "together"
        texts = [self.hostile.good() for _ in range(5)]
        signatures = self.hostile.alice.key.batch("job", self.hostile.cluster, texts)
        for text, signature in zip(texts, signatures):
            job = self.hostile.put(self.hostile.alice.record(text, signature))
            self.assertEqual(self.record(job)["outcome"], "exited")
        self.assertEqual(self.machine.runs("together.good"), 5)

        self.hostile.attack = "array"
        array = self.hostile.put(self.hostile.alice.sign(self.hostile.good(array="0-3")), "a5-")
        self.hostile.zk.set(self.hostile.path("waiting", "default"), b"")
        self.assertEqual(self.record(array)["outcome"], "exited")
        self.assertEqual(self.machine.runs("array.good"), 4)

    def test_b_no_forged_job_runs(self):
        before = self.refusals()
        jobs = {attack: self.hostile.run(attack) for attack in ATTACKS}
        self.assert_runs("after-them")
        for attack, its_jobs in jobs.items():
            with self.subTest(attack):
                self.assert_refused(attack, its_jobs, self.machine.log)
        refused = sum(len(its_jobs) for attack, its_jobs in jobs.items() if ATTACKS[attack][1] == "refused")
        until(lambda: self.refusals() == before + refused, f"{refused} refusals in the worker's record")

        listed = self.machine.drover("ls", "--all", "--tasks", "--state", "failed", "-o", "jsonl")[1].splitlines()
        shown = {job["id"]: (job["outcome"], job["reason"]) for job in map(json.loads, listed)}
        for attack, its_jobs in jobs.items():
            for job in its_jobs:
                self.assertEqual(shown[job][0], ATTACKS[attack][1])
                self.assertTrue(shown[job][1].startswith(ATTACKS[attack][2]))
        findings = [finding["what"] for finding in self.machine.json("doctor")["findings"]]
        self.assertIn(f"has refused {before + refused} jobs", findings)

    def test_c_the_client_is_a_program(self):
        command = [sys.executable, "-B", str(HERE / "tree.py"), self.machine.trust, self.machine.marks, "unsigned"]
        said = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, timeout=60).stdout)
        self.assertEqual(said["attack"], "unsigned")
        self.assert_refused("unsigned", said["jobs"], self.machine.log)

    def test_d_each_attack_is_in_the_table(self):
        rows = [row.split(" | ") for row in (HERE / "README.md").read_text().splitlines() if row.startswith("| `")]
        self.assertEqual({row[0].strip("| `") for row in rows}, set(tree.ATTACKS))


if __name__ == "__main__":
    unittest.main()
