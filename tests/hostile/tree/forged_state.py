"""What was signed, put back or with other notes, and nodes that are no jobs: one function, one attack."""

import json
import time

from client import ATTACKS, Hostile, attack
from kazoo.exceptions import KazooException, NoAuthError, NoNodeError
from papers import HOUR_MS, Key, compact, now_ms, revocations

PUT_BACK = 3  # times
FAR_MS = 13_569_465_600_000  # the year 2400


@attack
def replay(it):
    """A job that is put back after its end."""
    record = it.alice.sign(it.good())
    it.end_of(it.put(record))
    for _ in range(PUT_BACK):
        it.put(record)
    return record


@attack
def replay_attempts(it):
    """One that may begin twice."""
    record = it.alice.sign(it.good(attempts=2))
    for _ in range(PUT_BACK + 1):
        it.end_of(it.put(record))


@attack
def replay_in_place(it):
    """One that is put back in its old place, beside its final record and without it."""
    entry, record = "q5-0000910001", it.alice.sign(it.good())
    job = it.put(record, entry)
    before = it.end_of(job)
    it.put(record, entry)
    it.gone(entry)
    assert it.node("done", job) == before
    it.zk.delete(it.path("done", job))
    it.put(record, entry)


@attack
def replay_array(it):
    """An array that is put back, and a task of it."""
    record = it.alice.sign(it.good(array="0-2"))
    for _ in range(2):
        array = it.put(record, "a5-")
        it.wake_master()
        it.end_of(array)
    it.put({**record, "notes": {"index": 1}}, "q5-0000910002.1")


@attack
def replay_tick(it):
    """A tick of a schedule that was signed, twice."""
    spec = json.loads(it.good(at_ms=now_ms() - HOUR_MS, signed_ms=now_ms() - HOUR_MS))
    text = compact({"v": 1, "name": "often", "cron": "* * * * *", "zone": "UTC", "catch_up": "one", "overlap": "allow",
                    "queue": "default", "priority": 5, "spec": spec})
    tick = {**it.alice.sign(text, purpose="schedule"), "notes": {"tick_ms": now_ms() // 60_000 * 60_000}}
    for _ in range(2):
        it.end_of(it.put(tick))


def altered_note(name, value):
    """The note of a signed job altered, and the job put back after its end."""

    def put(it):
        record = {**it.alice.sign(it.good()), "notes": {name: value}}
        for _ in range(PUT_BACK):
            it.end_of(it.put(record))

    ATTACKS[f"note-{name}".replace("_", "-")] = (put, None, None)


# All notes of JobNotes, and those that the text has.
NOTES = {
    "returned": 1000, "pending": 1000, "began_last": 7, "roomless": 1000, "failed": 1000, "failed_code": 7,
    "cancelled": True, "ready": True, "was_singleton": True, "index": 0, "tick_ms": 1000, "not_before_ms": FAR_MS,
    "held_by": "mallory", "progress": {"v": 1, "next": 0, "open": ""}, "gang_rounds": {"v": 1, "round": 1},
    "cmd": ["/bin/false"], "env": {"PATH": "/tmp"}, "queue": "gpu", "by": "mallory", "run_as": "nobody",
    "attempts": 1000, "retries": 1000, "array": "0-999", "start_by_ms": FAR_MS,
}
for _name, _value in NOTES.items():
    altered_note(_name, _value)


@attack
def bound_attempts(it):
    """Jobs of three starts, with notes that promise many more. Each is put back until it is refused, and once more."""
    for note in ({"returned": 1000}, {"pending": 1000}, {"began_last": 7}, {"roomless": 1000}):
        record = {**it.alice.sign(it.good(attempts=2, retries=1)), "notes": note}
        for _ in range(5):
            it.end_of(it.put(record))


@attack
def bound_retries(it):
    """Jobs of three starts that fail: one that has never failed, whenever it is put back, and one without a retry."""
    command = ["/bin/sh", "-c", it.command("good")[2] + "; exit 7"]
    for notes, times in (({}, 2), ({"failed": 2, "failed_code": 7}, 4)):
        text = it.alice.text(command, retries=2, backoff_ms=10, backoff_max_ms=10)
        record = {**it.alice.sign(text), "notes": notes}
        for _ in range(times):
            it.end_of(it.put(record))


@attack
def bound_ready(it):
    """A job that waits for another, and one of which no two may run, as if each had waited."""
    held = it.put(it.alice.sign(it.good()), "h5-")
    it.jobs.remove(held)
    for fields, note in (({"after": [f"ok:{held}"]}, {"ready": True}), ({"singleton": True, "name": "one"},
                                                                     {"ready": True, "was_singleton": True})):
        record = {**it.alice.sign(it.good(**fields)), "notes": note}
        for _ in range(2):
            it.end_of(it.put(record))
    it.zk.delete(it.path("queues", "default", f"h5-{int(held.partition('-')[2]):010}"))


@attack
def bound_delay(it):
    """Jobs that are held, or wait for the year 2400, until their time to start by has passed."""
    record = it.evil(start_by_ms=now_ms() + 3000)
    held, waiting = it.alice.sign(record), it.alice.sign(record)
    entries = "h5-0000910011", "w5-0000910012"
    it.put({**held, "notes": {"held_by": "mallory"}}, entries[0])
    it.put({**waiting, "notes": {"not_before_ms": FAR_MS}}, entries[1])
    it.wake_master()
    time.sleep(4)
    for entry, freed in zip(entries, (held, waiting)):
        it.zk.delete(it.path("queues", "default", entry))
        it.create("queues", "default", "q" + entry[1:], data=compact(freed).encode())


@attack
def array_progress(it):
    """An array that says that two of its three tasks have ended, and then the same one as it was signed."""
    record = it.alice.sign(it.good(array="0-2"))
    for notes in ({"progress": {"v": 1, "next": 2, "ok": 2}}, {}):
        array = it.put({**record, "notes": notes}, "a5-")
        it.wake_master()
        it.end_of(array)


@attack
def gang_rounds(it):
    """A gang that says that five of its rounds were lost."""
    record = it.alice.sign(it.good(array="0-1", gang=2))
    notes = {"gang_rounds": {"v": 1, "round": 5, "lost": 5}, "progress": {"v": 1, "next": 10, "failed": 10}}
    it.put({**record, "notes": notes}, "a5-")
    it.wake_master()


@attack
def open_tasks(it):
    """An array that says that a million of its tasks are open."""
    for array, progress in (("0-3", {"next": 4, "open": "0-999999"}), ("0-999999", {"next": 1, "open": "0-999999"}),
                            ("0-999999", {"next": 1_000_000, "open": "0-999999"})):
        record = it.alice.sign(it.evil(array=array))
        it.put({**record, "notes": {"progress": {"v": 1, **progress}}}, "a5-")
    it.wake_master()


@attack
def far_start(it):
    """Jobs that start in the year 2400, and later than any calendar goes."""
    for start in (FAR_MS, 1 << 53, (1 << 63) - 1, 1e300, -1):
        it.put({"v": 2, "job": it.evil(not_before_ms=start), "notes": {"not_before_ms": start}}, "w5-")
    it.put({**it.alice.sign(it.evil(not_before_ms=FAR_MS)), "notes": {"not_before_ms": FAR_MS}}, "w5-")
    it.wake_master()


# Lists without bob, and what the worker's log says of each.
NOT_THE_ROOTS = "the revocation list is not signed by the cluster's root key"
LISTS = {
    "foreign": (lambda it, number: revocations(Key(), it.cluster, number + 10, []), NOT_THE_ROOTS),
    "of-a-certificate": (lambda it, number: revocations(it.alice.key, it.cluster, number + 10, []), NOT_THE_ROOTS),
    "of-another-cluster": (lambda it, number: revocations(it.root, "0" * 32, number + 10, []), NOT_THE_ROOTS),
    "older": (lambda it, number: revocations(it.root, it.cluster, number - 1, []),
              "the revocation list is older than one that was seen before"),
    "no-list": (lambda it, number: b"\0", "malformed signature"),
    "no-number": (lambda it, number: it.root.line("revocations", it.cluster, compact({"v": 1, "serials": []})),
                  "malformed revocation list"),
}


def forged_list(name, make):
    """A list in the place of the one that revokes bob, and then a job of his."""

    def put(it):
        it.zk.set(it.path("revocations"), make(it, it.known["number"]))
        it.put(it.bob.sign(it.evil(it.bob)))

    ATTACKS[f"list-{name}"] = (put, None, None)


for _name, (_make, _) in LISTS.items():
    forged_list(_name, _make)


@attack
def deleted_list(it):
    """No list, and then a job of somebody who was on it."""
    it.zk.delete(it.path("revocations"))
    it.put(it.bob.sign(it.evil(it.bob)))


def put_with(it, kind, data, entry, **options):
    """A signed job and another node of its id, in one transaction."""
    job = f"default-{int(entry.partition('-')[2])}"
    together = it.zk.transaction()
    together.create(it.path("queues", "default", entry), compact(it.alice.sign(it.good())).encode(), it.acl("queues"))
    together.create(it.path(kind, job), data, it.acl(kind), **options)
    for result in together.commit():
        if isinstance(result, KazooException):
            raise result
    it.jobs.append(job)


@attack
def forged_claim(it):
    """Claims of a worker that does not exist. They end with the session of this client."""
    claim = compact({"v": 1, "worker": "ghost", "entry": "q5-0000910003", "claim_version": 1, "slots": 1}).encode()
    put_with(it, "claims", claim, "q5-0000910003", ephemeral=True)
    put_with(it, "claims", b"\xff", "q5-0000910004", ephemeral=True)


@attack
def forged_end(it):
    """Final records of jobs that have not run."""
    put_with(it, "done", b'{"v":1,"outcome":"exited","by":"alice"}', "q5-0000910005")
    put_with(it, "done", b"\xff", "q5-0000910006")


MEMBERS = ("ghost", "\u202egnp.exe", "no-json")


@attack
def forged_member(it):
    """Workers that do not exist, with what a terminal would obey."""
    text = "\x1b]0;mine\x07\x9b31m\u202e%s%1"
    facts = {"v": 1, "id": text, "host": text, "pid": 1, "slots": 1 << 20, "memory": 1 << 40, "labels": [text],
             "queues": ["default", text], "spool": text, "endpoint": text, "history": text, "version": text}
    for name, data in zip(MEMBERS, (compact(facts), compact({**facts, "pid": -1}), "\0")):
        it.create("members", name, data=data.encode())


def allowed(operations):
    """Those that ZooKeeper has not refused. A node that is gone meanwhile counts as refused."""
    done = []
    for what, call, *arguments in operations:
        try:
            call(*arguments)
            done.append(f"{what} {arguments[0]}")
        except (NoAuthError, NoNodeError):
            pass
    return done


def below(zk, path):
    """A node and all below it, but for those that go meanwhile."""
    try:
        names = zk.get_children(path)
    except NoNodeError:
        return
    yield path
    for name in names:
        yield from below(zk, f"{path}/{name}")


def changes(it, guest, paths):
    for path in paths:
        yield "set", guest.zk.set, path, b""
        yield "acl", guest.zk.set_acls, path, it.acl("queues")
        yield "create", guest.zk.create, f"{path}/mine"
        yield "delete", guest.zk.delete, path


def stranger(it):
    """What a client without passwords may do: nothing, below the cluster's node and beside it."""
    guest = Hostile(it.trust, it.marks, ())
    paths = list(below(it.zk, "/drover/default"))
    done = allowed(changes(it, guest, paths))
    done += allowed(("read", call, path) for path in paths for call in (guest.zk.get, guest.zk.get_children))
    done += allowed(("create", guest.zk.create, path) for path in ("/mine", "/drover/mine"))
    guest.close()
    return done


def submitter(it):
    """What the password of the role submit allows besides submits: no change of what others have put there."""
    guest = Hostile(it.trust, it.marks, ("submit",))
    it.attack = "of-another"
    held = it.create("queues", "default", "h5-", data=compact(it.alice.sign(it.good())).encode(), sequence=True)
    kinds = ("claims", "done", "members", "certificates", "revocations", "schedules", "config", "cordons")
    paths = [held, it.path("certificates", it.alice.serial), *map(it.path, kinds)]
    done = allowed(changes(it, guest, paths))
    guest.close()
    it.zk.delete(held)
    return done


def is_open(it, path):
    try:
        return any(entry.id.scheme == "world" for entry in it.zk.get_acls(path)[0])
    except NoNodeError:
        return False


def open_nodes(it):
    """The nodes of the cluster that are for everybody."""
    return [path for path in below(it.zk, "/drover/default") if is_open(it, path)]
