"""What client.py puts into the tree of a real closed cluster: all of it is refused and logged, and none of it runs."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

import forged_jobs
import forged_state
import papers
import tree
from client import ATTACKS, Hostile, until
from machine import Machine

HERE = pathlib.Path(__file__).parent
REPEATED = "3 tasks: 0 ok, 3 failed"
PACE_S = 0.15  # for each job: a worker records and logs ten unsigned ones a second (workers/claims/refusals.h)
PROGRAMS = os.environ.get("DROVER_BIN_DIR") or HERE.parents[2] / "build/release/bin"


class TreeTest(unittest.TestCase):
    """One cluster for all of it: an attack that harms it fails the tests that follow."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="drover-hostile-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.machine, cls.other = (Machine(pathlib.Path(cls.folder.name, name), PROGRAMS) for name in ("here", "there"))
        for machine in (cls.machine, cls.other):
            cls.addClassCleanup(machine.end)
        cls.machine.ready()
        cls.hostile = Hostile(cls.machine.trust, cls.machine.marks)
        cls.addClassCleanup(cls.hostile.close)
        cls.hostile.prepare()

    def refusals(self):
        """How many jobs the worker has refused, as it tells everybody."""
        return self.hostile.node("members", "up-1").get("refused", 0)

    def assert_runs(self, name):
        """The same client with a key and a certificate of the root: what it signs runs."""
        self.hostile.attack = name
        before = self.machine.runs(f"{name}.good")
        record = self.hostile.end_of(self.hostile.put(self.hostile.alice.sign(self.hostile.good())))
        self.assertEqual((record["outcome"], record.get("code", 0), record["by"]), ("exited", 0, "alice"), record)
        self.assertEqual(self.machine.runs(f"{name}.good"), before + 1)

    def record_of(self, job):
        """That of a task leaves ZooKeeper at once. Then the program finds it in the history."""
        def ended():
            shown = self.hostile.node("done", job) or self.machine.json("show", job)
            return shown if shown.get("outcome") else None
        return until(ended, f"the end of {job}")

    def assert_refused(self, attack, jobs, log):
        _, outcome, reason = ATTACKS[attack]
        self.assertTrue(jobs)
        for job in jobs:
            record = self.record_of(job)
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
            self.assertEqual(self.hostile.end_of(job)["outcome"], "exited")
        self.assertEqual(self.machine.runs("together.good"), 5)

        for name, fields in (("array", {"array": "0-3"}), ("gang", {"array": "0-3", "gang": 4})):
            self.hostile.attack = name
            job = self.hostile.put(self.hostile.alice.sign(self.hostile.good(**fields)), "a5-")
            self.hostile.wake_master()
            self.assertEqual(self.hostile.end_of(job)["outcome"], "exited")
            self.assertEqual(self.machine.runs(f"{name}.good"), 4)

    def test_b_no_forged_job_runs(self):
        before = self.refusals()
        jobs = {}
        for attack, expected in ATTACKS.items():
            if expected[1]:
                jobs[attack] = self.hostile.run(attack)
                for job in jobs[attack]:
                    self.record_of(job)
                    time.sleep(PACE_S)
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
        findings = [finding["what"] for finding in self.machine.findings("warning")]
        self.assertIn(f"has refused {before + refused} jobs", findings)

    def outcomes(self, attack):
        """How the jobs of an attack end, once the next good job has run."""
        jobs = self.hostile.run(attack)
        ends = [self.hostile.end_of(job) for job in jobs]
        self.assertEqual(self.machine.runs(f"{attack}.evil"), 0)
        return [(end["outcome"], end.get("reason", "")) for end in ends]

    def test_c_nothing_runs_again(self):
        once = ("refused", "it has begun 1 times on this machine")
        twice = ("refused", "it has begun 2 times on this machine")
        ran = ("exited", "")
        self.assertEqual(self.outcomes("replay"), [ran, once, once, once])
        self.assertEqual(self.outcomes("replay-attempts"), [ran, ran, twice, twice])
        self.assertEqual(set(self.outcomes("replay-in-place")), {once})
        self.assertEqual(self.outcomes("replay-tick"), [ran, once])
        self.assertEqual(self.outcomes("replay-array"), [("exited", "3 tasks: 3 ok"), ("exited", REPEATED), once])
        for attack, most in (("replay", 1), ("replay-attempts", 2), ("replay-in-place", 1), ("replay-tick", 1),
                             ("replay-array", 3)):
            self.assertEqual(self.machine.runs(f"{attack}.good"), most, attack)

    def test_d_altered_notes_gain_nothing(self):
        """Whatever the note says, the job runs once at most, and is put back in vain."""
        for name in forged_state.NOTES:
            attack = f"note-{name}".replace("_", "-")
            with self.subTest(attack):
                ends = self.outcomes(attack)
                first = ends[0][0]
                self.assertEqual(first, {"cancelled": "cancelled", "index": "refused", "tick_ms": "refused"}.get(
                    name, "exited"))
                self.assertEqual({end[0] for end in ends[1:]}, {"cancelled" if first == "cancelled" else "refused"})
                self.assertEqual(self.machine.runs(f"{attack}.good"), 1 if first == "exited" else 0)
        self.assertEqual([outcome for outcome, _ in self.outcomes("array-progress")], ["exited", "exited"])
        self.assertEqual(self.machine.runs("array-progress.good"), 3)
        self.assertEqual([outcome for outcome, _ in self.outcomes("gang-rounds")], ["exited"])
        self.assertEqual(self.machine.runs("gang-rounds.good"), 2)
        self.assert_runs("after-notes")

    def test_d_notes_are_driven_to_their_bounds(self):
        """As the table in core/jobs/model/README.md has them: the journal, and the signed time to start by."""
        thrice, once = (("refused", f"it has begun {times} times on this machine") for times in (3, 1))
        late = ("refused", "the time by which alice signed that it starts has passed")
        attempts = self.outcomes("bound-attempts")
        self.assertEqual(len(attempts), 20)
        for i in range(0, 20, 5):
            self.assertEqual([end[0] for end in attempts[i:i + 3]], ["exited"] * 3)
            self.assertEqual(attempts[i + 3:i + 5], [thrice] * 2)
        self.assertEqual(self.machine.runs("bound-attempts.good"), 4 * 3)
        retries = self.outcomes("bound-retries")
        self.assertEqual([end[0] for end in retries], ["exited", "refused"] + ["exited"] * 3 + ["refused"])
        self.assertEqual((retries[1], retries[5]), (thrice, thrice))
        self.assertEqual(self.machine.runs("bound-retries.good"), 2 * 3)
        ready = self.outcomes("bound-ready")
        self.assertEqual([end[0] for end in ready], ["exited", "refused"] * 2)
        self.assertEqual((ready[1], ready[3]), (once, once))
        self.assertEqual(self.machine.runs("bound-ready.good"), 2)
        self.assertEqual(self.outcomes("bound-delay"), [late] * 2)
        self.assert_runs("after-bounds")

    def assert_revoked(self, attack):
        ends = self.outcomes(attack)
        self.assertEqual(ends, [("refused", "the certificate of bob is revoked")])

    def test_e_forged_lists_bring_nobody_back(self):
        self.addCleanup(self.hostile.publish_revocations)
        for name, (_, why) in forged_state.LISTS.items():
            with self.subTest(name):
                before = len(self.machine.log())
                self.assert_revoked(f"list-{name}")
                line = f"the cluster's revocation list is not believed: {why}\n"
                until(lambda: line in self.machine.log()[before:], line)
        self.assert_revoked("deleted-list")
        missing = "the revocation list is missing"
        self.assertIn(missing, [one["what"] for one in self.machine.findings("problem")])
        self.assert_runs("without-list")
        self.hostile.publish_revocations()
        self.assertNotIn(missing, [one["what"] for one in self.machine.findings("problem")])

    def test_f_forged_claims_delay_a_job(self):
        """For as long as their client lives. Then it runs, and nothing else does."""
        forger = Hostile(self.machine.trust, self.machine.marks)
        forger.alice = self.hostile.alice
        jobs = forger.run("forged-claim")
        self.assert_runs("beside-claims")
        self.assertEqual([self.machine.json("show", job)["state"] for job in jobs], ["running", "running"])
        self.assertEqual(self.machine.runs("forged-claim.good"), 0)
        forger.close()
        for job in jobs:
            self.assertEqual(self.hostile.end_of(job)["outcome"], "exited")
        self.assertEqual(self.machine.runs("forged-claim.good"), 2)

    def test_g_forged_ends_run_nothing_twice(self):
        """Final records are not signed: the forged one stays."""
        jobs = self.hostile.run("forged-end")
        for job in jobs:
            self.hostile.gone(f"q5-{int(job.partition('-')[2]):010}")
        self.assertLessEqual(self.machine.runs("forged-end.good"), len(jobs))
        self.assert_runs("after-ends")

    def test_h_forged_members_are_told(self):
        self.hostile.run("forged-member")
        for words in (("doctor",), ("worker", "ls"), ("worker", "ls", "-o", "json"), ("ls", "--all")):
            code, out = self.machine.drover(*words)
            self.assertIn(code, (0, 1) if words == ("doctor",) else (0,), out)
            self.assertEqual([letter for letter in out if not letter.isprintable() and letter != "\n"], [])
        subjects = [finding["subject"] for finding in self.machine.findings("warning")]
        self.assertTrue(any("no-json" in subject for subject in subjects), subjects)
        states = {worker["worker"]: worker["state"] for worker in self.machine.json("worker", "ls")["workers"]}
        self.assertEqual((states["no-json"], states["ghost"], states["up-1"]), ("malformed", "ready", "ready"))
        self.assert_runs("beside-members")
        for name in forged_state.MEMBERS:
            self.hostile.zk.delete(self.hostile.path("members", name))

    def memory(self):
        """The most that the worker, which is also the master, has used: bytes."""
        status = pathlib.Path(f"/proc/{self.hostile.node('members', 'up-1')['pid']}/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) * 1024

    def test_i_huge_numbers_cost_little(self):
        before = self.memory()
        self.assertEqual({outcome for outcome, _ in self.outcomes("open-tasks")}, {"malformed"})
        jobs = self.hostile.run("far-start")
        self.hostile.attack = "due"
        due = self.hostile.put({**self.hostile.alice.sign(self.hostile.good()), "notes": {"not_before_ms": 1}}, "w5-")
        self.hostile.wake_master()
        self.assertEqual(self.hostile.end_of(due)["outcome"], "exited")
        self.assert_runs("after-numbers")
        self.assertLess(self.memory() - before, 64 << 20)
        states = {self.machine.json("show", job)["state"] for job in jobs}
        self.assertLessEqual(states, {"waiting", "failed"})
        self.assertEqual(self.machine.runs("far-start.evil"), 0)

    def test_j_passwords_allow_what_the_table_says(self):
        self.assertEqual(forged_state.stranger(self.hostile), [])
        self.assertEqual(forged_state.submitter(self.hostile), [])
        self.assertEqual(forged_state.open_nodes(self.hostile), [])

    def test_k_the_client_is_a_program(self):
        command = [sys.executable, "-B", str(HERE / "tree.py"), self.machine.trust, self.machine.marks, "unsigned"]
        said = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, timeout=60).stdout)
        self.assertEqual(said["attack"], "unsigned")
        self.assert_refused("unsigned", said["jobs"], self.machine.log)

    def test_l_each_attack_is_in_the_table(self):
        rows = [row.split(" | ") for row in (HERE / "README.md").read_text().splitlines() if row.startswith("| `")]
        self.assertEqual({row[0].strip("| `") for row in rows}, set(tree.ATTACKS))

    def test_m_another_cluster_runs_nothing(self):
        """A job of this one, with its signer's certificate, and then with one of the other cluster for the same key."""
        self.hostile.attack = "elsewhere"
        record = self.hostile.alice.sign(self.hostile.good())
        self.assertEqual(self.hostile.end_of(self.hostile.put(record))["outcome"], "exited")
        alice = self.hostile.alice
        self.other.ready()
        there = Hostile(self.other.trust, self.other.marks)
        self.addCleanup(there.close)
        certificate = there.path("certificates", alice.serial)
        there.create("certificates", alice.serial, data=alice.certificate)
        end = there.end_of(there.put(record))
        self.assertEqual((end["outcome"], end.get("reason")), ("refused", forged_jobs.NO_RIGHTS))
        there.zk.delete(certificate)
        there.alice = there.person("alice", key=alice.key, serial=papers.secrets.token_hex(16))
        end = there.end_of(there.put({**record, "cert": there.alice.serial}))
        self.assertEqual((end["outcome"], end.get("reason")), ("refused", forged_jobs.NOT_OF_ALICE))
        self.assertEqual(self.machine.runs("elsewhere.good"), 1)
        there.attack = "there"
        self.assertEqual(there.end_of(there.put(there.alice.sign(there.good())))["outcome"], "exited")

    def test_n_another_machine_runs_it_once_more(self):
        """The journal is each machine's own: SECURITY.md."""
        self.hostile.attack = "second"
        record = self.hostile.alice.sign(self.hostile.good())
        self.assertEqual(self.hostile.end_of(self.hostile.put(record))["outcome"], "exited")
        with self.machine.second_worker():
            self.machine.must("worker", "cordon", "up-1")
            until(lambda: self.hostile.node("members", "up-1").get("cordon"), "the worker that claims no more")
            ends = [self.hostile.end_of(self.hostile.put(record)) for _ in range(3)]
            self.machine.must("worker", "uncordon", "up-1")
        self.assertEqual([end["outcome"] for end in ends], ["exited", "refused", "refused"])
        self.assertEqual(self.machine.runs("second.good"), 2)

    def test_o_the_next_life_of_a_worker_knows_the_revoked(self):
        """It has kept the list, which the forger has replaced by an older one."""
        forger = self.hostile
        older = papers.revocations(forger.root, forger.cluster, 1, [])
        forger.zk.set(forger.path("revocations"), older)
        forger.close()
        self.machine.restart()
        again = Hostile(self.machine.trust, self.machine.marks)
        self.addCleanup(again.close)
        again.attack = "next-life"
        end = again.end_of(again.put(forger.bob.sign(forger.bob.text(again.command("evil")))))
        self.assertEqual((end["outcome"], end.get("reason")), ("refused", "the certificate of bob is revoked"))
        self.assertEqual(self.machine.runs("next-life.evil"), 0)


if __name__ == "__main__":
    unittest.main()
