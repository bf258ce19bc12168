"""The measurements that `drover bench` makes of its own recipes, made of kazoo's: see ../README.md.

Every client has a session and a thread. The first second does not count.
"""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

from kazoo.recipe.election import Election
from kazoo.recipe.lock import Lock
from kazoo.recipe.queue import Queue

from curator_layout import CuratorReadLock, CuratorWriteLock, connect

WARM_UP = 1.0


class Meter:
    """The times from one event to the next, whoever causes it."""

    def __init__(self):
        self.lock = threading.Lock()
        self.start()

    def start(self):
        with self.lock:
            self.intervals = []
            self.first = self.last = time.monotonic()

    def mark(self):
        with self.lock:
            now = time.monotonic()
            self.intervals.append(now - self.last)
            self.last = now

    def rate(self):
        with self.lock:
            return {"per_s": len(self.intervals) / max(self.last - self.first, 1e-9), **self.quantiles()}

    def quantiles(self):
        ordered = sorted(self.intervals) or [0]

        def quantile(share):
            return ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1000

        return {"median_ms": quantile(0.5), "p99_ms": quantile(0.99)}


def run(servers, work, path, *numbers):
    measure = {"lock": lock, "rw": rw, "queue": queue, "latch": latch}[work]
    return {"bench": work, "client": "kazoo", **measure(servers, path, *map(int, numbers))}


def lock(servers, path, clients, seconds):
    return holdings(servers, clients, seconds, lambda zk, i: Lock(zk, path))


def rw(servers, path, clients, seconds):
    """Read nine times for each time it is written."""
    return holdings(
        servers, clients, seconds, lambda zk, i: (CuratorReadLock if i % 10 else CuratorWriteLock)(zk, path)
    )


def holdings(servers, clients, seconds, make):
    """From one grant to the next."""
    meter = Meter()
    over = threading.Event()

    def contend(zk, i):
        while not over.is_set():
            with make(zk, i):
                meter.mark()
            i += 1

    with ThreadPoolExecutor(clients) as threads:
        jobs = [threads.submit(contend, connect(servers), i) for i in range(clients)]
        time.sleep(WARM_UP)
        meter.start()
        time.sleep(seconds)
        figures = {"clients": clients, **meter.rate()}
        over.set()
        for job in jobs:
            job.result()
    return figures


def queue(servers, path, producers, consumers, items):
    """From one item delivered to the next; a tenth of the items goes through the queue before it counts."""
    payload = bytes(100)
    meter = Meter()

    def produce(queue, shares):
        for _ in shares:
            queue.put(payload)

    def consume(queue, shares):
        for _ in shares:
            while queue.get() is None:
                time.sleep(0.001)  # kazoo's get() does not wait
            meter.mark()

    for count in (items // 10, items):
        # Whoever is free takes the next share of the work; next() of a range is atomic.
        sides = [(produce, iter(range(count)))] * producers + [(consume, iter(range(count)))] * consumers
        queues = [Queue(connect(servers), path) for _ in sides]
        with ThreadPoolExecutor(len(sides)) as threads:
            meter.start()
            jobs = [threads.submit(side, own, shares) for own, (side, shares) in zip(queues, sides)]
            for job in jobs:
                job.result()
    return {"producers": producers, "consumers": consumers, "items": items, **meter.rate()}


def latch(servers, path, rounds):
    """From the end of the leader's function to the beginning of the other candidate's."""
    sessions = [connect(servers), connect(servers)]
    meter = Meter()

    class Term:
        def __init__(self, zk):
            self.over = threading.Event()
            self.begun = threading.Event()
            self.election = Election(zk, path, "candidate")
            self.thread = threading.Thread(target=self.election.run, args=(self.lead,))
            self.thread.start()

        def lead(self):
            meter.mark()
            self.begun.set()
            self.over.wait()

    leader = Term(sessions[0])
    leader.begun.wait()
    intervals = []
    for i in range(1, rounds + 1):
        heir = Term(sessions[i % 2])
        while len(heir.election.contenders()) < 2:
            time.sleep(0.001)
        meter.start()
        leader.over.set()
        heir.begun.wait()
        leader.thread.join()
        intervals += meter.intervals
        leader = heir
    leader.over.set()
    leader.thread.join()
    meter.intervals = intervals
    return {"rounds": rounds, **meter.quantiles()}
