"""Each check of the storm against a log that violates it, and all of them against one that is in order."""

import fcntl
import json
import os
import subprocess
import tempfile
import time
import unittest

import checker
import machines
from workload import Submission

CREATED = "2026-01-01T00:00:00.500Z"


def tick(number):
    """The schedule's ticks: every two seconds after it was made, from 1."""
    return f"2026-01-01T00:00:{2 * number:02}.500Z"


class MadeUp:
    """A storm that has ended, with an array of %2, a gang of two, a schedule with three ticks and a counter."""

    def __init__(self, directory):
        self.directory, self.shared_file = directory, os.path.join(directory, "shared.txt")
        self.workload, self.returns, self.found = self, [], []
        os.mkdir(os.path.join(directory, "alive"))
        array, gang = Submission("a", "array"), Submission("g", "gang", size=2)
        plain, later = Submission("p", "plain"), Submission("d", "dependent", before=["p"])
        appending = Submission("s", "appending")
        self.submissions = [array, gang, plain, later, appending]
        self.touched, self.guarded, self.counted, self.by_old_version = set(), [], [True, True, False], 3
        self.records = []
        for submission in self.submissions:
            submission.ids, submission.certain = [f"default-{submission.token}"], True
            self.add(f"default-{submission.token}", submission.token)
        for number in (1, 2, 3):
            self.add(f"default-tick{number}", "tick", submitted_at=tick(number))
        self.witness = ["1 begin p default-p 1", "2 end p default-p 1", "3 begin d default-d 1", "4 end d default-d 1",
                        "5 begin g.0 default-g.0 1", "5 begin g.1 default-g.1 1", "6 end g.0 default-g.0 1",
                        "7 begin g.0 default-g.2 2", "7 begin g.1 default-g.3 2", "8 end g.0 default-g.2 2",
                        "8 end g.1 default-g.3 2"]
        for index in range(1, 13):
            self.witness += [f"9 begin a.{index} default-a.{index} 1", f"9 end a.{index} default-a.{index} 1"]
        self.appended = "s\n"
        self.said = {"master": {"claimed": 0, "done": 1},
                     "kept": {"jobs": [{"id": "default-p", "ended_at": CREATED}]},
                     "queues": {"queues": [{"queue": "default", "unfinished": 0}]}, "counter": {"count": 2},
                     "schedule": {"created_at": CREATED, "last_run_at": tick(3)}}

    def add(self, job, name, **fields):
        self.records.append({"id": job, "name": name, "state": "succeeded", "submitted_at": CREATED,
                             "ended_at": CREATED} | fields)

    def drover(self, *words, **_):
        return 0, "\n".join(json.dumps(row) for row in self.records) if words[0] == "history" else ""

    def summary(self):
        return self.said

    def violation(self, text):
        self.found.append(text)

    def violations(self):
        with open(os.path.join(self.directory, "witness.log"), "w", encoding="ascii") as file:
            file.write("".join(line + "\n" for line in self.witness))
        with open(self.shared_file, "w", encoding="ascii") as file:
            file.write(self.appended)
        return {name: found for name, found in checker.Checker(self).check().items() if found}


class CheckerTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.storm = MadeUp(directory.name)

    def violates(self, name, text):
        found = self.storm.violations()
        self.assertEqual(list(found), [name], found)
        self.assertIn(text, " ".join(found[name]))

    def test_what_is_in_order(self):
        self.assertEqual(self.storm.violations(), {})
        self.assertEqual(self.storm.found, [])

    def test_what_the_old_version_did(self):
        self.storm.witness[:0] = ["0.9 old p default-p 1", "0.9 old guarded - 0"]
        self.assertEqual(self.storm.violations(), {})
        self.assertEqual(checker.Checker(self.storm).figures()["of_old_version"], {"executions": 1, "commands": 3})

    def test_a_lost_job(self):
        self.storm.submissions[2].ids.append("default-lost")
        self.violates("acknowledged_lost", "default-lost")

    def test_a_job_that_ended_twice(self):
        self.storm.records.append(dict(self.storm.records[2]))
        self.violates("ended_twice", "default-p has 2")

    def test_a_request_that_became_two_jobs(self):
        self.storm.add("default-p2", "p")
        self.violates("submitted_twice", "default-p2")

    def test_two_attempts_at_once(self):
        self.storm.witness.append("2 overlap p default-p 2")
        self.violates("ran_at_once", "default-p, attempt 2")

    def test_two_holders(self):
        self.storm.witness.append("2 clash p default-p 1")
        self.violates("clashes", "p at 2")

    def test_appends(self):
        for appended, text in (("", "0 times"), ("s\ns\n", "2 times"), ("s\ntorn", "nobody wrote")):
            self.storm.appended = appended
            self.violates("appends", text)

    def test_a_dependent_job_that_began_early(self):
        self.storm.witness[2] = "1.5 begin d default-d 1"
        self.violates("order", "d began before p")

    def test_an_array_without_a_task(self):
        self.storm.witness.pop()
        self.violates("arrays", "[12]")

    def test_more_tasks_at_once_than_the_limit(self):
        self.storm.witness.append("9 crowd a.3 default-a.3 1")
        self.violates("crowds", "a.3 as default-a.3")

    def test_a_gang_whose_members_ended_in_different_rounds(self):
        self.storm.witness.remove("8 end g.0 default-g.2 2")
        self.violates("gangs", "without a round of all 2")

    def test_a_gang_of_which_one_member_ran(self):
        self.storm.witness = [line for line in self.storm.witness if " g.1 " not in line]
        self.violates("gangs", "without a round of all 2")

    def test_a_gang_that_failed_needs_no_whole_round(self):
        self.storm.records[1]["state"] = "failed"
        self.storm.witness.remove("8 end g.0 default-g.2 2")
        self.assertEqual(self.storm.violations(), {})

    def test_rounds_at_once(self):
        self.storm.witness.append("7.5 end g.1 default-g.1 1")
        self.violates("gangs", "round 2 of default-g began before round 1 was over")

    def test_a_tick_that_ran_twice(self):
        self.storm.add("default-again", "tick", submitted_at=tick(2))
        self.violates("ticks", "ran 2 times")

    def test_a_tick_that_did_not_run(self):
        self.storm.records.remove(next(row for row in self.storm.records if row["submitted_at"] == tick(2)))
        self.violates("ticks", "did not run")

    def test_a_tick_of_another_time(self):
        for time in ("2026-01-01T00:00:05.500Z", "2027-01-01T00:00:00.500Z"):
            self.storm.add("default-odd", "tick", submitted_at=time)
            self.violates("ticks", "which is no tick")
            self.storm.records.pop()

    def test_counters(self):
        wrong = [("master", "claimed", 1, "1 claimed"), ("master", "done", 2, "counts 2 final"),
                 ("counter", "count", 1, "is 1 after 2"), ("counter", "count", 4, "is 4 after 2")]
        for where, field, value, text in wrong:
            kept, self.storm.said[where][field] = self.storm.said[where][field], value
            self.violates("counters", text)
            self.storm.said[where][field] = kept
        self.storm.said["queues"]["queues"][0]["unfinished"] = 3
        self.violates("counters", "3 unfinished")

    def test_a_cluster_that_does_not_answer(self):
        self.storm.said["master"] = None
        self.violates("counters", "does not answer about: master")

    def test_a_process_that_is_left(self):
        with open(os.path.join(self.storm.directory, "alive", "p"), "ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self.violates("left_alive", "p is still alive")


class LeaderTest(unittest.TestCase):
    """When a leader counts as stuck."""

    def setUp(self):
        self.said = {"Mode": "leader", "Zxid": "0x1", "Outstanding": "3"}
        self.ensemble = machines.Ensemble.__new__(machines.Ensemble)  # without servers of its own
        self.ensemble.servers, self.ensemble.last_commit, self.ensemble.last_change = [self], None, 0.0
        self.addCleanup(setattr, machines, "STUCK_S", machines.STUCK_S)
        machines.STUCK_S = -1
        self.ensemble.stuck_leader()  # it sees the leader first

    def says(self):
        return self.said

    def is_stuck(self, **changes):
        self.said |= changes
        return self.ensemble.stuck_leader() is self

    def test_one_that_commits_nothing(self):
        self.assertTrue(self.is_stuck())

    def test_one_that_has_nothing_to_do(self):
        self.assertFalse(self.is_stuck(Outstanding="0"))

    def test_a_follower(self):
        self.assertFalse(self.is_stuck(Mode="follower"))

    def test_one_that_has_committed_nothing_for_a_moment(self):
        machines.STUCK_S = 30
        self.assertFalse(self.is_stuck())
        self.assertFalse(self.is_stuck(Zxid="0x2"))


class JobTest(unittest.TestCase):
    """What the job notes, which the checks rely on."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        for folder in ("alive", "held", "old"):
            os.mkdir(os.path.join(self.directory, folder))

    def start(self, *words, **variables):
        job = os.path.join(os.path.dirname(os.path.realpath(__file__)), "job")
        names = {f"DROVER_{name}": str(value) for name, value in variables.items()}
        return subprocess.Popen([job, *words], env={**os.environ, "STORM_DIRECTORY": self.directory, **names},
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def kinds(self, task):
        return [line.kind for line in checker.witness_of(self.directory) if line.task == task]

    def two_tasks(self, at_once):
        """The first holds its place as long as it lives: it sleeps for an hour, and is killed."""
        def task(index, seconds):
            return self.start("a", seconds, "0", "--tasks", at_once, ARRAY_ID="default-1", ARRAY_INDEX=index,
                              JOB_ID=f"default-1.{index}")
        first = task(1, "3600")
        try:
            deadline = time.monotonic() + 60
            while "begin" not in self.kinds("a.1"):
                self.assertIsNone(first.poll())
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.01)
            task(2, "0").communicate()
        finally:
            subprocess.run(["pkill", "-P", str(first.pid)], check=False)  # its sleep
            first.communicate()
        return self.kinds("a.2")

    def test_one_task_too_many(self):
        self.assertEqual(self.two_tasks("1"), ["crowd", "begin", "end"])

    def test_as_many_tasks_as_may_be(self):
        self.assertEqual(self.two_tasks("2"), ["begin", "end"])

    def test_whose_job_it_is(self):
        with open(os.path.join(self.directory, "old", "z3,z2"), "w", encoding="ascii"):
            pass
        for connect, kinds in (("z3,z2", ["old", "begin", "end"]), ("z2,z3", ["begin", "end"]), ("", ["begin", "end"])):
            self.start(f"of{connect}", "0", "0", CONNECT=connect).communicate()
            self.assertEqual(self.kinds(f"of{connect}"), kinds)

    def test_the_round_of_a_member(self):
        self.start("g", "0", "0", JOB_ID="default-1.3", GANG_RANK=1, GANG_ROUND=2, ATTEMPT=1).communicate()
        self.assertEqual({(line.task, line.job, line.attempt) for line in checker.witness_of(self.directory)},
                         {("g.1", "default-1.3", 2)})

    def test_the_job_of_a_tick(self):
        self.start("tick@", "0", "0", JOB_ID="default-7").communicate()
        self.assertEqual(self.kinds("tick-default-7"), ["begin", "end"])


if __name__ == "__main__":
    unittest.main()
