"""What people do meanwhile, through the command line: jobs of every kind, and operators who interfere with them."""

import json
import random
import subprocess
import threading

import machines

CLIENTS = 6  # clients at a time that do everything
GUARDING = 4  # and that only run commands while something is held
TASKS = 12
LIMIT = 2
COUNTER = "counted"
TICKER, TICK_S = "tick", 2  # the schedule, and its interval


class Submission:
    """One request for a job. `ids` is what Drover acknowledged, `certain` whether the request had a clear answer."""

    def __init__(self, token, kind, **facts):
        self.token, self.kind, self.facts = token, kind, facts
        self.ids, self.certain = [], False


class Workload:
    def __init__(self, storm, seed):
        self.storm, self.seed = storm, seed
        self.submissions, self.guarded, self.touched = [], [], set()
        self.by_old_version = 0  # commands
        self.counted = []  # of each request to count, whether its answer was clear
        self.lock = threading.Lock()
        self.clients = set()
        self.ending = threading.Event()
        everything = [kind for kind, weight in KINDS for _ in range(weight)]
        self.threads = [threading.Thread(target=self.run_client, args=(number, everything)) for number in range(CLIENTS)]
        self.threads += [threading.Thread(target=self.run_client, args=(CLIENTS + n, [guarded])) for n in range(GUARDING)]
        self.of_old_version = set(self.threads[::2] if storm.old_drover else [])

    def begin(self):
        self.drover("limit", "set", "few", str(LIMIT))
        self.drover("cron", "add", TICKER, f"@every {TICK_S}s", "--catch-up", "all", "--name", TICKER, "--env",
                    "STORM_DIRECTORY", "--", self.storm.job, f"{TICKER}@", "0.05", "0")
        for thread in self.threads:
            thread.start()

    def end(self):
        self.ending.set()
        for thread in self.threads:
            thread.join()

    def abandon(self):
        self.ending.set()
        with self.lock:
            running = list(self.clients)
        for client in running:
            client.kill()
        for thread in self.threads:
            if thread.is_alive():
                thread.join()

    def some_client(self, rng):
        with self.lock:
            running = [client for client in self.clients if client.poll() is None]
        return rng.choice(running) if running else None

    def program(self):
        if threading.current_thread() not in self.of_old_version:
            return self.storm.drover
        with self.lock:
            self.by_old_version += 1
        return self.storm.old_drover

    def drover(self, *words, given=None, seconds=120, program=None, directory=None):
        """Exit code and standard output of one command; killed when it does not end in time."""
        command = [*([] if self.storm.network else machines.WITH_US), program or self.program(), *words]
        client = subprocess.Popen(command, env=self.storm.environment, stdin=subprocess.PIPE, cwd=directory,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        with self.lock:
            self.clients.add(client)
        try:
            out, error = client.communicate(given, timeout=seconds)
        except subprocess.TimeoutExpired:
            client.kill()
            out, error = client.communicate()
            self.storm.note(f"a client did not end within {seconds} s: drover {' '.join(words)}")
        with self.lock:
            self.clients.discard(client)
        if client.returncode not in (0, 6, 124) and error and client.returncode > 0:
            self.storm.note(f"exit code {client.returncode}: drover {' '.join(words)}: {error.strip()[:300]}")
        return client.returncode, out

    def run_client(self, number, kinds):
        rng = random.Random(f"{self.seed} client {number}")
        turn = 0
        while not self.ending.is_set():
            turn += 1
            rng.choice(kinds)(self, rng, f"t{number}-{turn}")
            self.ending.wait(rng.uniform(0.0, 2 * self.storm.pause))

    def job(self, token, rng, *words, seconds=None, code=0):
        duration = seconds if seconds is not None else rng.choice([0, 0, 0.05, 0.1, 0.2, 0.5])
        return ["--", self.storm.job, token, str(duration), str(code), *words]

    def submit(self, token, kind, options, command, **facts):
        submission = Submission(token, kind, **facts)
        with self.lock:
            self.submissions.append(submission)
        code, out = self.drover("submit", "--id-only", "--env", "STORM_DIRECTORY", "--name", token, *options, *command)
        submission.ids = out.split()
        submission.certain = code == 0
        return submission

    def some_ids(self, rng, count):
        with self.lock:
            known = [s for s in self.submissions[-200:] if s.ids and s.kind != "bulk"]
        return rng.sample(known, min(count, len(known)))


def plain(load, rng, token):
    load.submit(token, "plain", ["--queue", rng.choice(["default", "bulk"]), "--priority", str(rng.randrange(10))],
                load.job(token, rng))


def long(load, rng, token):
    load.submit(token, "plain", [], load.job(token, rng, seconds=rng.choice([1, 4, 10])))


def failing(load, rng, token):
    load.submit(token, "failing", ["--retries", "2", "--backoff", "200ms"], load.job(token, rng, code=3))


def leaving(load, rng, token):
    load.submit(token, "plain", [], load.job(token, rng, "--leave"))


def locked(load, rng, token):
    name, shared = f"lock{rng.randrange(3)}", rng.random() < 0.4
    load.submit(token, "plain", ["--lock-shared" if shared else "--lock", name],
                load.job(token, rng, "--hold", "shared" if shared else "exclusive", name, "1"))


def limited(load, rng, token):
    load.submit(token, "plain", ["--limit", "few"], load.job(token, rng, "--hold", "exclusive", "few", str(LIMIT)))


def appending(load, rng, token):
    load.submit(token, "appending", ["--append-to", load.storm.shared_file], load.job(token, rng))


def array(load, rng, token):
    at_once = str(rng.randrange(2, 6))
    load.submit(token, "array", ["--array", f"1-{TASKS}%{at_once}"], load.job(token, rng, "--tasks", at_once))


def gang(load, rng, token):
    size = rng.choice([2, 3])
    load.submit(token, "gang", ["--gang", str(size)], load.job(token, rng), size=size)


def dependent(load, rng, token):
    before = load.some_ids(rng, 2)
    if before:
        load.submit(token, "dependent", ["--after-any", ",".join(s.ids[0] for s in before)], load.job(token, rng),
                    before=[s.token for s in before])


def deduplicated(load, rng, token):
    for _ in range(2):
        load.submit(token, "dedupe", ["--dedupe", token], load.job(token, rng))


def bulk(load, rng, token):
    submissions = [Submission(f"{token}-{line}", "bulk") for line in range(20)]
    with load.lock:
        load.submissions += submissions
    lines = [json.dumps({"name": s.token, "queue": "bulk", "command": [load.storm.job, s.token, "0.02", "0"],
                         "env": {"STORM_DIRECTORY": load.storm.directory}}) for s in submissions]
    code, out = load.drover("submit", "--stdin", "--id-only", given="\n".join(lines) + "\n")
    ids = out.split()
    for submission, job in zip(submissions, ids):  # ids come in the order of the lines
        submission.ids, submission.certain = [job], True
    if code == 0 and len(ids) != len(lines):
        load.storm.violation(f"submit --stdin of {token} succeeded with {len(ids)} ids of {len(lines)}")


def guarded(load, rng, token):
    kind = rng.choice(["lock", "semaphore", "elect"])
    words = {"lock": ["lock", "console"], "semaphore": ["semaphore", "--permits", "2", "seats"],
             "elect": ["elect", "chair"]}[kind] + ["--timeout", "60s"]
    count = "2" if kind == "semaphore" else "1"
    with load.lock:
        load.guarded.append(token)
    load.drover(*words, *load.job(token, rng, "--hold", "exclusive", f"{kind}-held", count,
                                  seconds=rng.choice([0.2, 1, 25])))


def counting(load, _rng, _token):
    code, _ = load.drover("counter", COUNTER, "add", "1")
    with load.lock:
        load.counted.append(code == 0)


def interfere(load, rng, token):
    some = load.some_ids(rng, 1)
    if not some:
        return
    verb = rng.choice(["cancel", "hold", "requeue", "priority", "move", "why", "show", "resubmit"])
    load.touched.add((verb, some[0].token))
    job = some[0].ids[0]
    words = {"priority": ["priority", str(rng.randrange(10)), job], "move": ["move", job, "bulk"],
             "resubmit": ["resubmit", job]}.get(verb, [verb, job])
    load.drover(*words)
    if verb == "hold":
        load.drover("release", job)


def govern(load, rng, token):
    queue, worker = rng.choice(["default", "bulk"]), rng.choice(load.storm.workers).name
    if rng.random() < 0.5:
        load.drover("queue", "pause", queue)
        load.ending.wait(0.5)
        load.drover("queue", "resume", queue)
    else:
        load.drover("worker", "cordon", worker)
        load.ending.wait(0.5)
        load.drover("worker", "uncordon", worker)


KINDS = [(plain, 8), (long, 3), (failing, 2), (leaving, 2), (locked, 5), (limited, 3), (appending, 4), (array, 2), (gang, 2),
         (dependent, 3), (deduplicated, 2), (bulk, 3), (counting, 3), (interfere, 4), (govern, 1)]
