"""A client of ZooKeeper that has heard all passwords of a closed cluster, and no key but those of its own people.

It packs paths, ACLs, records and signatures by itself (papers.py).
"""

import json
import pathlib
import time

from kazoo.client import KazooClient
from kazoo.exceptions import NoNodeError
from kazoo.security import ACL, Id

from papers import Key, Person, compact, revocations

READ, WRITE, ALL = 1, 2, 31
# Of viewer, submit, operate, worker and admin: core/jobs/cluster/acl_table.cpp.
RIGHTS = {
    "queues": (READ, READ, READ | WRITE, READ | WRITE, ALL),
    "claims": (READ, READ, READ | WRITE, READ | WRITE, ALL),
    "done": (READ, READ, READ, READ | WRITE, ALL),
    "members": (READ, READ, READ, READ | WRITE, ALL),
    "certificates": (READ, READ, READ, READ, ALL),
    "revocations": (READ, READ, READ, READ, ALL),
}
ROLES = ("viewer", "submit", "operate", "worker", "admin")
ATTACKS = {}
DEADLINE_S = 60  # of whatever is waited for


def until(condition, what):
    """What `condition` returns, once that is not false."""
    end = time.monotonic() + DEADLINE_S
    while not (result := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"not within {DEADLINE_S} s: {what}")
        time.sleep(0.02)
    return result


class Hostile:
    """A connection with the passwords of these roles, and the people whose certificates it uses."""

    def __init__(self, trust, marks, roles=ROLES):
        self.credentials = json.loads(pathlib.Path(trust, "default.drover").read_text())
        self.cluster = self.credentials["id"]
        self.root = Key(json.loads(pathlib.Path(trust, "default.root.key").read_text())["root"])
        self.trust, self.marks, self.attack, self.jobs = trust, marks, "", []
        identities, passwords = self.credentials["identities"], self.credentials["passwords"]
        users = [("digest", identities[role].partition(":")[0] + ":" + passwords[role]) for role in roles]
        self.zk = KazooClient(self.credentials["servers"], auth_data=users)
        self.zk.start(timeout=30)

    def close(self):
        self.zk.stop()
        self.zk.close()

    @staticmethod
    def path(*names):
        return "/".join(("/drover/default", *names))

    def acl(self, kind):
        identities = self.credentials["identities"]
        return [ACL(rights, Id("digest", identities[role])) for role, rights in zip(ROLES, RIGHTS[kind])]

    def create(self, kind, *names, data=b"", **options):
        return self.zk.create(self.path(kind, *names), data, acl=self.acl(kind), **options)

    def prepare(self):
        """The administrator's part: alice may submit, bob is revoked."""
        self.alice = self.person("alice")
        self.bob = self.person("bob")
        self.known = json.loads(self.zk.get(self.path("revocations"))[0].partition(b" ")[2])
        self.publish_revocations({self.bob.serial})

    def person(self, name, **more):
        """One whose certificate is in the cluster, signed by the root unless `signed_by` says otherwise."""
        holder = Person(name, self.cluster, more.pop("signed_by", self.root), **more)
        self.create("certificates", holder.serial, data=holder.certificate)
        return holder

    def publish_revocations(self, more=frozenset()):
        """The list again, with these serials added and the next number."""
        self.known = {"number": self.known["number"] + 1, "serials": [*self.known["serials"], *more]}
        line = revocations(self.root, self.cluster, **self.known)
        if self.zk.exists(self.path("revocations")):
            self.zk.set(self.path("revocations"), line)
        else:
            self.create("revocations", data=line)

    def command(self, kind):
        return ["/bin/sh", "-c", f"echo {self.attack} >>{self.marks}/{self.attack}.{kind}"]

    def evil(self, person=None, **fields):
        return (person or self.alice).text(self.command("evil"), **fields)

    def good(self, **fields):
        return self.alice.text(self.command("good"), **fields)

    def put(self, record, entry="q5-", queue="default"):
        """Puts a job into a queue, and returns its id. A name that ends with its dash gets a number."""
        data = record if isinstance(record, bytes) else compact(record).encode()
        name = self.create("queues", queue, entry, data=data, sequence=entry.endswith("-")).rpartition("/")[2]
        number, dot, task = name.partition("-")[2].partition(".")
        job = f"{queue}-{int(number)}{dot}{task}"
        self.jobs.append(job)
        return job

    def node(self, *names):
        """The JSON of a node; None if there is none."""
        try:
            return json.loads(self.zk.get(self.path(*names))[0])
        except NoNodeError:
            return None

    def end_of(self, job):
        """Its final record, once it has one."""
        return until(lambda: self.node("done", job), f"the end of {job}")

    def gone(self, entry):
        until(lambda: not self.zk.exists(self.path("queues", "default", entry)), f"the end of node {entry}")

    def wake_master(self):
        self.zk.set(self.path("waiting", "default"), b"")

    def run(self, name):
        """Carries an attack out, and returns the ids of its jobs."""
        self.attack, self.jobs = name, []
        ATTACKS[name][0](self)
        return list(self.jobs)


def refused(reason, outcome="refused"):
    """An attack whose jobs end with that outcome, for a reason that begins so."""

    def add(function):
        ATTACKS[function.__name__.replace("_", "-")] = (function, outcome, reason)
        return function

    return add


def attack(function):
    """One whose jobs end in several ways, or which has none."""
    ATTACKS[function.__name__.replace("_", "-")] = (function, None, None)
    return function
