"""kazoo's own recipes, told to use the names that Curator gives its nodes.

kazoo is made to be told: a lock is its node's name and the patterns of those it waits for. Nothing else is changed,
except where a comment says so.
"""

import os
import re
from functools import partial

from kazoo.client import KazooClient
from kazoo.recipe.counter import Counter
from kazoo.recipe.lock import Lock, ReadLock, Semaphore, WriteLock
from kazoo.recipe.queue import Queue
from kazoo.security import CREATOR_ALL_ACL


class CuratorLock(Lock):
    _NODE_NAME = "-lock-"
    _EXCLUDE_NAMES = ["-lock-"]


class CuratorWriteLock(WriteLock):
    _NODE_NAME = "-__WRIT__"
    _EXCLUDE_NAMES = ["-__WRIT__", "-__READ__"]


class CuratorReadLock(ReadLock):
    _NODE_NAME = "-__READ__"
    _EXCLUDE_NAMES = ["-__WRIT__"]

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        # A reader of kazoo 2.8.0 also waits for the writers behind it, which wait for it (its issue 649), because its
        # own node is not among those that its pattern finds. In this pattern it is.
        self._contenders_re = re.compile(r"(?:-__WRIT__|%s)(-?\d{10})$" % self.prefix)


class LatchLock(Lock):
    _NODE_NAME = "-latch-"
    _EXCLUDE_NAMES = ["-latch-"]


class CuratorSemaphore(Semaphore):
    """Leases in PATH/leases, given out under the lock PATH/locks."""

    def __init__(self, client, path, identifier=None, max_leases=1):
        super().__init__(client, path + "/leases", identifier, max_leases)
        self.lock_path = path + "/locks"


class CuratorQueue(Queue):
    """Takes whatever is there, in the order of the names; Curator's names have no priority in them."""

    def put(self, value):
        self._ensure_paths()
        self.client.create(self.path + "/qn-", value, sequence=True)


SharedCount = partial(Counter, support_curator=True)


def connect(servers):
    """With DROVER_AUTH=digest:USER:PASSWORD it authenticates, and its nodes get the ACL of the creator."""
    auth = os.environ.get("DROVER_AUTH")
    credentials = {"auth_data": [tuple(auth.split(":", 1))], "default_acl": CREATOR_ALL_ACL} if auth else {}
    client = KazooClient(hosts=servers, timeout=10, **credentials)
    client.Lock = partial(CuratorLock, client)  # the semaphore's lock, too
    client.start(timeout=30)
    return client
