"""Jobs that no worker may run, each put into a queue of a closed cluster: one function, one attack."""

import json

from client import refused
from papers import HOUR_MS, Key, Person, base64_of, bytes_of, compact, now_ms

NO_RIGHTS = "the certificate is not signed by the cluster's root key"
NOT_OF_ALICE = "its signature is not one of alice for this job and cluster"


@refused("it is not signed")
def unsigned(it):
    it.put({"v": 2, "job": it.evil()})


@refused("it is not signed")
def first_format(it):
    it.put({**json.loads(it.evil()), "v": 1})


@refused("the cluster does not have the certificate of its signer")
def no_certificate(it):
    nobody = Person("alice", it.cluster, it.root)
    it.put(nobody.sign(it.evil()))


@refused(NO_RIGHTS)
def other_root(it):
    mallory = it.person("alice", signed_by=Key())
    it.put(mallory.sign(it.evil()))


@refused(NO_RIGHTS)
def own_root(it):
    key = Key()
    mallory = it.person("alice", signed_by=key, key=key)
    it.put(mallory.sign(it.evil()))


@refused(NO_RIGHTS)
def by_certificate(it):
    mallory = it.person("mallory", signed_by=it.alice.key)
    it.put(mallory.sign(it.evil(mallory)))


@refused(NO_RIGHTS)
def altered_certificate(it):
    """One without the role, which says that it has it."""
    mallory = Person("mallory", it.cluster, it.root, roles=["viewer"])
    it.create("certificates", mallory.serial, data=mallory.certificate.replace(b'"viewer"', b'"submit"'))
    it.put(mallory.sign(it.evil(mallory)))


@refused("another certificate is in the place of its signer's")
def certificate_of_another(it):
    mallory = Person("mallory", it.cluster, Key())
    it.create("certificates", mallory.serial, data=it.alice.certificate)
    it.put(mallory.sign(it.evil(mallory)))


@refused("the certificate of carol has expired")
def expired_certificate(it):
    carol = it.person("carol", until=now_ms() // 1000 - 3600)
    it.put(carol.sign(it.evil(carol)))


@refused("the certificate of carol is not valid yet")
def early_certificate(it):
    carol = Person("carol", it.cluster, it.root)
    early = compact({**json.loads(carol.certificate.partition(b" ")[2]), "from": now_ms() // 1000 + 3600})
    it.create("certificates", carol.serial, data=it.root.line("certificate", it.cluster, early))
    it.put(carol.sign(it.evil(carol)))


@refused("the certificate of bob is revoked")
def revoked(it):
    it.put(it.bob.sign(it.evil(it.bob)))


@refused("w9 lacks the role for it")
def wrong_role(it):
    worker = it.person("w9", roles=["viewer", "operate", "worker", "admin"])
    it.put(worker.sign(it.evil(worker)))


@refused("gus may not submit to queue default")
def wrong_queue(it):
    gus = it.person("gus", queues=["gpu"])
    it.put(gus.sign(it.evil(gus)))


@refused("alice signed it for another queue")
def other_queue(it):
    it.put(it.alice.sign(it.evil(queue="gpu")))


@refused("alice may not run jobs as nobody")
def wrong_user(it):
    it.put(it.alice.sign(it.evil(run_as="nobody")))


@refused("alice signed it as a job of another person")
def other_name(it):
    it.put(it.alice.sign(it.evil(by="bob")))


@refused(NOT_OF_ALICE)
def other_text(it):
    it.put({**it.alice.sign(it.good()), "job": it.evil()})


@refused(NOT_OF_ALICE)
def altered_command(it):
    record = it.alice.sign(it.good())
    it.put({**record, "job": record["job"].replace(".good", ".evil")})


@refused(NOT_OF_ALICE)
def altered_environment(it):
    record = it.alice.sign(it.evil())
    it.put({**record, "job": record["job"].replace("/usr/bin:", "/tmp/bin:")})


@refused(NOT_OF_ALICE)
def other_cluster(it):
    it.put(it.alice.sign(it.evil(), cluster="0" * 32))


@refused(NOT_OF_ALICE)
def other_purpose(it):
    it.put(it.alice.sign(it.evil(), purpose="audit"))


@refused(NOT_OF_ALICE)
def other_key(it):
    it.put({**it.bob.sign(it.evil()), "cert": it.alice.serial})


@refused(NOT_OF_ALICE)
def neighbours_signature(it):
    """That of another job of the batch, one whose place in the batch is altered, and one whose path is too short."""
    texts = [it.evil(), it.good(), it.good()]
    signatures = it.alice.key.batch("job", it.cluster, texts)
    own = bytes_of(signatures[0])
    moved, cut = own[:65] + b"\1" + own[66:], own[:-32]
    for signature in (signatures[1], base64_of(moved), base64_of(cut)):
        it.put(it.alice.record(texts[0], signature))


@refused(NOT_OF_ALICE)
def no_signature(it):
    for signature in ("AA", "A" * 86, "A" * 88, "=" * 88, "\u00e9" * 88):
        it.put(it.alice.record(it.evil(), signature))


@refused("the time by which alice signed that it starts has passed")
def too_late(it):
    it.put(it.alice.sign(it.evil(start_by_ms=now_ms() - 1000)))


@refused("the time by which alice signed that it starts has passed")
def without_end(it):
    it.put(it.alice.sign(it.evil(start_by_ms=None)))


@refused("alice signed it in the future, by the clock of this machine")
def of_the_future(it):
    it.put(it.alice.sign(it.evil(signed_ms=now_ms() + HOUR_MS)))


@refused("alice signed it for a later start")
def too_early(it):
    it.put(it.alice.sign(it.evil(not_before_ms=now_ms() + HOUR_MS)))


@refused("it is signed as an array, not as a job")
def array_as_job(it):
    it.put(it.alice.sign(it.evil(array="0-3")))


@refused("the signed array has no task 4")
def index_outside(it):
    it.put({**it.alice.sign(it.evil(array="0-3")), "notes": {"index": 4}}, "q5-0000900001.4")


@refused("its node is not the one of its task")
def index_of_another(it):
    it.put({**it.alice.sign(it.evil(array="0-3")), "notes": {"index": 1}}, "q5-0000900002.2")


@refused("its node is not the one of its task")
def task_as_job(it):
    it.put({**it.alice.sign(it.evil(array="0-3")), "notes": {"index": 1}})


def schedule(it, at_ms):
    spec = json.loads(it.evil(at_ms=at_ms, signed_ms=at_ms))
    text = compact({"v": 1, "name": "forged", "cron": "@daily", "zone": "UTC", "catch_up": "one", "overlap": "allow",
                    "queue": "default", "priority": 5, "spec": spec})
    return it.alice.sign(text, purpose="schedule")


@refused("the schedule of alice has no such tick")
def no_such_tick(it):
    it.put({**schedule(it, now_ms()), "notes": {"tick_ms": now_ms() // HOUR_MS * HOUR_MS - 60_000}})


@refused("its tick of the schedule of alice is in the future")
def tick_of_the_future(it):
    it.put({**schedule(it, now_ms()), "notes": {"tick_ms": (now_ms() // (24 * HOUR_MS) + 2) * 24 * HOUR_MS}})


@refused("its tick is from before alice signed the schedule")
def tick_before_the_signature(it):
    it.put({**schedule(it, now_ms()), "notes": {"tick_ms": (now_ms() // (24 * HOUR_MS) - 2) * 24 * HOUR_MS}})


@refused(NOT_OF_ALICE)
def job_as_tick(it):
    it.put({**it.alice.sign(it.evil()), "notes": {"tick_ms": now_ms()}})


@refused(NOT_OF_ALICE)
def field_twice(it):
    record = it.alice.sign(it.good())
    evil = compact(it.command("evil"))
    it.put({**record, "job": record["job"].replace('"cmd":', f'"cmd":{evil},"cmd":')})


@refused(NOT_OF_ALICE)
def text_twice(it):
    """Two texts in one record: the reader that verifies and the one that runs have to take the same."""
    record = compact(it.alice.sign(it.good()))
    it.put((record[:-1] + f',"job":{compact(it.evil())}}}').encode())


@refused("", outcome="malformed")
def no_json(it):
    for data in (b"", b"\0", b"[]", b'{"v":2', b'{"v":2,"job":7}', b"\xff\xfe{}"):
        it.put(data)


@refused("", outcome="malformed")
def megabyte(it):
    it.put({"v": 2, "job": "x" * 900_000})


@refused("", outcome="malformed")
def deep_json(it):
    it.put(b'{"v":2,"notes":' + b'{"a":' * 20_000 + b"1" + b"}" * 20_001)
