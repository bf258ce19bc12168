"""Compares what Drover acknowledged and recorded with what the jobs left behind outside Drover."""

import collections
import datetime
import fcntl
import json
import os

from workload import TICK_S, TICKER

NO_JOB = "-"  # what a guarded command writes in the place of a job's id
Line = collections.namedtuple("Line", "time kind task job attempt")


def witness_of(directory):
    path = os.path.join(directory, "witness.log")
    if not os.path.exists(path):
        return []
    lines = []
    with open(path, encoding="ascii") as file:
        for text in file:
            time, kind, task, job, attempt = text.split()
            lines.append(Line(float(time), kind, task, job, int(attempt)))
    return lines


def records_of(storm):
    """Final records by id, as a list each: of the history, and those that are not archived yet."""
    records = collections.defaultdict(list)
    for words in (["history", "-o", "jsonl"], ["ls", "--all", "-o", "jsonl"]):
        code, out = storm.workload.drover(*words, seconds=600)
        if code != 0:
            storm.violation(f"drover {' '.join(words)} fails after the storm: nothing can be compared")
        rows = collections.defaultdict(list)
        for row in map(json.loads, out.splitlines()):
            if "ended_at" in row:
                rows[row["id"]].append(row)
        for job, found in rows.items():
            if len(found) > len(records[job]):
                records[job] = found
    return records


def seconds_of(text):
    """Since the Unix epoch."""
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def disagreements(said, counted):
    """What the cluster says of itself, against what is there: by the names of Storm.summary()."""
    found = [f"drover does not answer about: {name}" for name, answer in said.items() if answer is None]
    if found:
        return found
    claimed, done = said["master"]["claimed"], said["master"]["done"]
    kept = sum("ended_at" in row for row in said["kept"]["jobs"])
    if claimed:
        found.append(f"the master counts {claimed} claimed jobs, when all have ended")
    if done != kept:
        found.append(f"the master counts {done} final records, and there are {kept}")
    found += [f"queue {row['queue']} counts {row['unfinished']} unfinished jobs, when all have ended"
              for row in said["queues"]["queues"] if row["unfinished"]]
    clear, total = sum(counted), said["counter"]["count"]
    if not clear <= total <= len(counted):
        found.append(f"the counter is {total} after {clear} additions, and {len(counted) - clear} without an answer")
    return found


def was_moved(record):
    return "moved to queue" in record.get("reason", "")


class Checker:
    def __init__(self, storm):
        self.storm, self.load = storm, storm.workload
        self.witness = witness_of(storm.directory)
        self.records = records_of(storm)
        self.said = storm.summary()
        self.violations = collections.defaultdict(list)
        self.by_token = collections.defaultdict(list)
        for job, found in self.records.items():
            if "." not in job:
                self.by_token[found[0].get("name", "")].append(found[0])

    def touched(self, token, *verbs):
        return any((verb, token) in self.load.touched for verb in verbs)

    def check(self):
        for name in ("acknowledged_lost", "ended_twice", "submitted_twice", "ran_at_once", "clashes", "appends", "order",
                     "arrays", "crowds", "gangs", "ticks", "counters", "left_alive"):
            self.violations[name] = []
            getattr(self, f"check_{name}")()
        return self.violations

    def check_acknowledged_lost(self):
        for submission in self.load.submissions:
            for job in submission.ids:
                if job not in self.records:
                    self.violations["acknowledged_lost"].append(f"{job} of {submission.token} has no final record")

    def check_ended_twice(self):
        for job, found in self.records.items():
            if len(found) > 1:
                self.violations["ended_twice"].append(f"{job} has {len(found)} final records")

    def check_submitted_twice(self):
        for submission in self.load.submissions:
            if submission.kind == "dedupe" or self.touched(submission.token, "resubmit"):
                continue
            jobs = [r["id"] for r in self.by_token[submission.token] if not was_moved(r)]
            if len(jobs) > 1:
                self.violations["submitted_twice"].append(f"{submission.token} became {', '.join(jobs)}")

    def check_ran_at_once(self):
        resubmitted = {token for verb, token in self.load.touched if verb == "resubmit"}
        self.violations["ran_at_once"] = [
            f"{line.task} as {line.job}, attempt {line.attempt}, at {line.time}" for line in self.witness
            if line.kind == "overlap" and line.task.split(".")[0] not in resubmitted]

    def check_clashes(self):
        self.violations["clashes"] = [f"{line.task} at {line.time}" for line in self.witness if line.kind == "clash"]

    # The shared file has the output of each job that succeeded once, and of no other.
    def check_appends(self):
        text = ""
        if os.path.exists(self.storm.shared_file):
            with open(self.storm.shared_file, encoding="ascii", errors="replace") as file:
                text = file.read()
        counts = collections.Counter(text.splitlines())
        known = {s.token for s in self.load.submissions if s.kind == "appending"}
        for line in counts.keys() - known:
            self.violations["appends"].append(f"a line that nobody wrote: {line[:80]!r}")
        for token in known:
            wanted = sum(r["state"] == "succeeded" for r in self.by_token[token])
            if counts[token] != wanted:
                self.violations["appends"].append(f"{token} is there {counts[token]} times, and succeeded {wanted} times")

    def check_order(self):
        first, last = {}, {}
        for line in self.witness:
            token = line.task.split(".")[0]
            if line.kind == "begin":
                first.setdefault(token, line.time)
            last[token] = line.time
        for submission in self.load.submissions:
            for before in submission.facts.get("before", []):
                if submission.token in first and last.get(before, 0) > first[submission.token] \
                        and not self.touched(before, "resubmit", "move", "requeue", "cancel"):
                    self.violations["order"].append(f"{submission.token} began before {before} had ended")

    def check_arrays(self):
        ended = {line.task for line in self.witness if line.kind == "end"}
        for submission in (s for s in self.load.submissions if s.kind == "array"):
            for record in self.by_token[submission.token]:
                missing = [i for i in range(1, 13) if f"{submission.token}.{i}" not in ended]
                if record["state"] == "succeeded" and missing:
                    self.violations["arrays"].append(f"{record['id']} succeeded without its tasks {missing}")

    # More tasks of an array at once than its %N.
    def check_crowds(self):
        self.violations["crowds"] = [f"{line.task} as {line.job} at {line.time}" for line in self.witness
                                     if line.kind == "crowd"]

    # A gang that succeeded had a round in which each member ran to its end, and no round began before the last was over.
    def check_gangs(self):
        for submission in (s for s in self.load.submissions if s.kind == "gang"):
            for record in self.by_token[submission.token]:
                rounds = collections.defaultdict(list)
                for line in self.witness:
                    if line.job.startswith(record["id"] + "."):
                        rounds[line.attempt].append(line)
                self.check_rounds(record, submission.facts["size"], rounds)

    def check_rounds(self, record, size, rounds):
        def ranks(lines, kind):
            return {line.task.split(".")[-1] for line in lines if line.kind == kind}
        is_whole = any(len(ranks(lines, "end")) == size for lines in rounds.values())
        if record["state"] == "succeeded" and not is_whole:
            self.violations["gangs"].append(f"{record['id']} succeeded without a round of all {size} members: "
                                            + str({n: sorted(ranks(lines, "end")) for n, lines in rounds.items()}))
        for former, later in zip(sorted(rounds), sorted(rounds)[1:]):
            begun = min(line.time for line in rounds[later])
            if any(line.time > begun for line in rounds[former]):
                self.violations["gangs"].append(f"round {later} of {record['id']} began before round {former} was over")

    # A job's time of submission is its tick. They are whole intervals after the schedule was made.
    def check_ticks(self):
        schedule = self.said["schedule"]
        if schedule is None:
            return  # it is among the counters
        ticks = collections.Counter(round(1000 * seconds_of(r["submitted_at"])) for r in self.by_token[TICKER])
        last = round(1000 * seconds_of(schedule["last_run_at"])) if "last_run_at" in schedule else 0
        first = round(1000 * seconds_of(schedule["created_at"])) + 1000 * TICK_S
        due = set(range(first, last + 1, 1000 * TICK_S))
        self.violations["ticks"] += [f"the tick at {tick} ran {count} times" for tick, count in ticks.items() if count > 1]
        self.violations["ticks"] += [f"the tick at {tick} did not run" for tick in sorted(due - set(ticks))]
        self.violations["ticks"] += [f"a job ran at {tick}, which is no tick" for tick in sorted(set(ticks) - due)]

    def check_counters(self):
        self.violations["counters"] = disagreements(self.said, self.load.counted)

    def check_left_alive(self):
        folder = os.path.join(self.storm.directory, "alive")
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), "ab") as file:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError:
                    self.violations["left_alive"].append(f"a process of {name} is still alive")

    def figures(self):
        begins = [line for line in self.witness if line.kind == "begin"]
        attempts = collections.Counter((line.task, line.job) for line in begins)
        return {
            "acknowledged": sum(len(s.ids) for s in self.load.submissions),
            "without_an_answer": sum(not s.certain for s in self.load.submissions),
            "final_records": len(self.records),
            "executions": len(begins),
            "of_old_version": {"executions": sum(line.kind == "old" and line.job != NO_JOB for line in self.witness),
                               "commands": self.load.by_old_version},
            "jobs_run_again": sum(count > 1 for count in attempts.values()),
            "appended": sum(s.kind == "appending" for s in self.load.submissions),
            "guarded_commands": len(self.load.guarded),
            "arrays": sum(s.kind == "array" for s in self.load.submissions),
            "gangs": sum(s.kind == "gang" for s in self.load.submissions),
            "ticks": len(self.by_token[TICKER]),
            "counted": len(self.load.counted),
            "return_to_first_job_s": self.recoveries([line for line in begins if line.job != NO_JOB]),
        }

    # From each return of ZooKeeper to the first job that began after it.
    def recoveries(self, begins):
        times = sorted(line.time for line in begins)
        waits = sorted(next(time for time in times if time >= back) - back for back in self.storm.returns
                       if times and times[-1] >= back)
        if not waits:
            return None
        return {"count": len(waits), "p50": round(waits[len(waits) // 2], 2),
                "p99": round(waits[min(len(waits) - 1, int(len(waits) * 0.99))], 2), "max": round(waits[-1], 2)}
