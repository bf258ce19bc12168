"""What a client can be told, recipe by recipe: ../README.md lists it."""

import threading
import time

from kazoo.recipe.barrier import Barrier, DoubleBarrier
from kazoo.recipe.counter import Counter
from kazoo.recipe.election import Election
from kazoo.recipe.lock import Lock, ReadLock, Semaphore
from kazoo.recipe.party import Party
from kazoo.recipe.queue import LockingQueue, Queue

from curator_layout import (
    CuratorLock,
    CuratorQueue,
    CuratorReadLock,
    CuratorSemaphore,
    CuratorWriteLock,
    LatchLock,
    SharedCount,
)
from fenced_log import FencedLog

STOP = b"stop"


def of(zk):
    """The recipes of one session, by name."""
    return {
        "lock": Holding(zk, CuratorLock),
        "kazoolock": Holding(zk, lambda zk, path, who: Lock(zk, path, who, extra_lock_patterns=["-lock-"])),
        "plainlock": Holding(zk, Lock),
        "plainread": Holding(zk, ReadLock),
        "plainsemaphore": Holding(zk, Semaphore),
        "read": Holding(zk, CuratorReadLock),
        "write": Holding(zk, CuratorWriteLock),
        "semaphore": Holding(zk, CuratorSemaphore),
        "latch": Latch(zk),
        "group": Group(zk),
        "barrier": BarrierCommands(zk),
        "double": DoubleBarrierCommands(zk),
        "count": Count(zk, SharedCount),
        "plaincount": Count(zk, Counter),
        "queue": QueueCommands(zk, CuratorQueue),
        "plainqueue": QueueCommands(zk, Queue),
        "lockingqueue": LockingQueueCommands(zk),
    }


class Recipe:
    """Each verb is a method, which returns what is answered."""

    def __init__(self, zk):
        self.zk = zk
        self.made = {}  # by path, where commands belong together

    def __call__(self, command):
        return getattr(self, command.verb)(command, *command.arguments)


class Holding(Recipe):
    """lock, read, write and semaphore: acquire, release, and contend with whoever else is there."""

    def __init__(self, zk, maker):
        super().__init__(zk)
        self.maker = maker

    def make(self, command, permits):
        return self.maker(self.zk, command.path, command.who, *map(int, permits))

    def node(self, holding):
        """The znode that stands for it: a lock's has a sequence number, a lease's has not."""
        name = getattr(holding, "node", None)
        return f"{holding.path}/{name}" if name else holding.create_path

    def czxid(self, holding):
        return self.zk.exists(self.node(holding)).czxid

    def acquire(self, command, *permits):
        holding = self.made[command.path] = self.make(command, permits)
        holding.acquire()
        return {"node": self.node(holding), "czxid": self.czxid(holding)}

    def release(self, command):
        self.made.pop(command.path).release()

    def contend(self, command, rounds, file, *permits):
        log = FencedLog(file, command.who, command.recipe)
        for _ in range(int(rounds)):
            holding = self.make(command, permits)
            holding.acquire()
            token = self.czxid(holding)
            log.begin(token)
            time.sleep(0.001)
            log.end(token)
            holding.release()
        log.close()
        return {"rounds": int(rounds)}


class Latch(Recipe):
    """start PATH ID, await PATH, close PATH; leader PATH by anybody."""

    class Term:
        def __init__(self, zk, path, id):
            self.begun = threading.Event()
            self.over = threading.Event()
            self.election = Election(zk, path, id)
            self.election.lock = LatchLock(zk, path, id)
            self.thread = threading.Thread(target=self.election.run, args=(self.lead,))
            self.thread.start()

        def lead(self):
            self.begun.set()
            self.over.wait()

        def close(self):
            self.over.set()
            self.election.cancel()
            self.thread.join()

    def start(self, command, id):
        self.made[command.path] = self.Term(self.zk, command.path, id)

    def await_(self, command):
        self.made[command.path].begun.wait()

    def close(self, command):
        self.made.pop(command.path).close()

    def leader(self, command):
        return {"leader": LatchLock(self.zk, command.path).contenders()[0]}


setattr(Latch, "await", Latch.await_)  # a word of the language


class Group(Recipe):
    """join PATH ID, members PATH, leave PATH. A member's data is its id."""

    def join(self, command, id):
        self.made[command.path] = Party(self.zk, command.path, id)
        self.made[command.path].join()

    def members(self, command):
        return {"members": sorted(Party(self.zk, command.path))}

    def leave(self, command):
        self.made.pop(command.path).leave()


class BarrierCommands(Recipe):
    """set PATH, wait PATH, remove PATH."""

    def set(self, command):
        Barrier(self.zk, command.path).create()

    def wait(self, command):
        Barrier(self.zk, command.path).wait()

    def remove(self, command):
        Barrier(self.zk, command.path).remove()


class DoubleBarrierCommands(Recipe):
    """enter PATH MEMBERS, leave PATH."""

    def enter(self, command, members):
        barrier = self.made[command.path] = DoubleBarrier(self.zk, command.path, int(members))
        barrier.enter()

    def leave(self, command):
        self.made.pop(command.path).leave()


class Count(Recipe):
    """get PATH, add PATH N, and contend PATH TIMES, which answers the values it made."""

    def __init__(self, zk, maker):
        super().__init__(zk)
        self.maker = maker

    def get(self, command):
        return {"value": self.maker(self.zk, command.path).value}

    def add(self, command, delta):
        return {"value": (self.maker(self.zk, command.path) + int(delta)).post_value}

    def contend(self, command, times):
        count = self.maker(self.zk, command.path)
        values = []
        for _ in range(int(times)):
            count += 1
            values.append(count.post_value)
        return {"values": values}


class QueueCommands(Recipe):
    """put PATH DATA, produce PATH COUNT PREFIX, take PATH, and drain PATH, which takes until it meets "stop"."""

    def __init__(self, zk, maker):
        super().__init__(zk)
        self.maker = maker

    def put(self, command, data):
        self.maker(self.zk, command.path).put(data.encode())

    def produce(self, command, count, prefix):
        items = self.maker(self.zk, command.path)
        for i in range(int(count)):
            items.put(f"{prefix}{i}".encode())

    def take(self, command):
        return {"data": self.next(self.maker(self.zk, command.path)).decode()}

    def drain(self, command):
        items = self.maker(self.zk, command.path)
        return {"items": [item.decode() for item in iter(lambda: self.next(items), STOP)]}

    @staticmethod
    def next(items):
        """kazoo's get() does not wait."""
        while True:
            item = items.get()
            if item is not None:
                return item
            time.sleep(0.002)


class LockingQueueCommands(Recipe):
    """put PATH PRIORITY DATA, get PATH, consume PATH, release PATH; produce and drain as of a queue."""

    def queue(self, command):
        return self.made.setdefault(command.path, LockingQueue(self.zk, command.path))

    def put(self, command, priority, data):
        self.queue(command).put(data.encode(), int(priority))

    def produce(self, command, count, prefix):
        for i in range(int(count)):
            self.queue(command).put(f"{prefix}{i}".encode())

    def get(self, command):
        return {"data": self.queue(command).get().decode()}

    def consume(self, command):
        return {"done": self.queue(command).consume()}

    def release(self, command):
        return {"done": self.queue(command).release()}

    def drain(self, command):
        """Claims and consumes until it meets "stop"."""
        items = []
        for item in iter(self.queue(command).get, STOP):
            if self.queue(command).consume():
                items.append(item.decode())
        self.queue(command).consume()
        return {"items": items}
