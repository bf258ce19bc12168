"""Compares what Drover acknowledged and recorded with what the jobs left behind outside Drover."""

import collections
import fcntl
import json
import os

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
            if "finished_at" in row:
                rows[row["id"]].append(row)
        for job, found in rows.items():
            if len(found) > len(records[job]):
                records[job] = found
    return records


def was_moved(record):
    return "moved to queue" in record.get("reason", "")


class Checker:
    def __init__(self, storm):
        self.storm, self.load = storm, storm.workload
        self.witness = witness_of(storm.directory)
        self.records = records_of(storm)
        self.violations = collections.defaultdict(list)
        self.by_token = collections.defaultdict(list)
        for job, found in self.records.items():
            if "." not in job:
                self.by_token[found[0].get("name", "")].append(found[0])

    def touched(self, token, *verbs):
        return any((verb, token) in self.load.touched for verb in verbs)

    def check(self):
        for name in ("acknowledged_lost", "ended_twice", "submitted_twice", "ran_at_once", "clashes", "appends", "order",
                     "arrays", "left_alive"):
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
        path = self.storm.shared_file
        text = open(path, encoding="ascii", errors="replace").read() if os.path.exists(path) else ""
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
            "jobs_run_again": sum(count > 1 for count in attempts.values()),
            "appended": sum(s.kind == "appending" for s in self.load.submissions),
            "guarded_commands": len(self.load.guarded),
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
