"""What people of a closed cluster sign, packed from the documents alone: core/trust/*.h and core/jobs/model/README.md.

It shares no code with Drover, so that a test of both finds where the programs differ from the documents.
"""

import base64
import hashlib
import json
import secrets
import time

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

HOUR_MS = 3_600_000
WEEK_MS = 7 * 24 * HOUR_MS
RAW = (serialization.Encoding.Raw, serialization.PublicFormat.Raw)


def now_ms():
    return int(time.time() * 1000)


def base64_of(data):
    return base64.b64encode(data).decode().rstrip("=")


def bytes_of(text):
    return base64.b64decode(text + "=" * (-len(text) % 4))


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def message(purpose, cluster, text):
    """The bytes that a signature covers: core/trust/signed_text.h."""
    return f"drover {purpose} 1".encode() + b"\0" + cluster.encode() + b"\0" + text.encode()


def tree_hash(kind, *parts):
    return hashlib.blake2b(bytes([kind]) + b"".join(parts), digest_size=32).digest()


def merkle(leaves):
    """The root of RFC 9162, and the path of each leaf to it."""
    if len(leaves) == 1:
        return leaves[0], [[]]
    half = 1 << ((len(leaves) - 1).bit_length() - 1)
    left, left_paths = merkle(leaves[:half])
    right, right_paths = merkle(leaves[half:])
    return tree_hash(1, left, right), [path + [right] for path in left_paths] + [path + [left] for path in right_paths]


class Key:
    def __init__(self, secret=None):
        seed = bytes_of(secret) if secret else secrets.token_bytes(32)
        self.private = Ed25519PrivateKey.from_private_bytes(seed)
        self.public = base64_of(self.private.public_key().public_bytes(*RAW))

    def line(self, purpose, cluster, text):
        """A text with its signature, as certificates and revocation lists are."""
        return f"{base64_of(self.private.sign(message(purpose, cluster, text)))} {text}".encode()

    def batch(self, purpose, cluster, texts):
        """One signature for all of them, as each carries it: core/trust/batch_signature.h."""
        root, paths = merkle([tree_hash(0, message(purpose, cluster, text)) for text in texts])
        signature = self.private.sign(b"drover batch 1\0" + bytes([len(texts)]) + root)
        return [base64_of(signature + bytes([len(texts), place]) + b"".join(path)) for place, path in enumerate(paths)]


class Person:
    """Somebody with a key and a certificate, which `signed_by` has signed: the root, if it is to be believed."""

    def __init__(self, name, cluster, signed_by, roles=("viewer", "submit"), key=None, serial=None, **more):
        self.name, self.cluster = name, cluster
        self.key = key or Key()
        self.serial = serial or secrets.token_hex(16)
        paper = {"v": 1, "cluster": cluster, "serial": self.serial, "name": name, "key": self.key.public,
                 "roles": list(roles), "from": 0, **more}
        self.certificate = signed_by.line("certificate", cluster, compact(paper))

    def text(self, command, **fields):
        """The text of a job with all that a worker asks for; None leaves a field out."""
        now = now_ms()
        text = {"v": 1, "cmd": command, "dir": "/", "env": {"PATH": "/usr/bin:/bin"}, "attempts": 1, "by": self.name,
                "key": secrets.token_hex(16), "queue": "default", "at_ms": now, "signed_ms": now,
                "start_by_ms": now + WEEK_MS, **fields}
        return compact({name: value for name, value in text.items() if value is not None})

    def sign(self, text, purpose="job", cluster=None):
        return self.record(text, self.key.batch(purpose, cluster or self.cluster, [text])[0])

    def record(self, text, signature, **notes):
        """The data of a job's node."""
        record = {"v": 2, "job": text, "sig": signature, "cert": self.serial}
        return {**record, "notes": notes} if notes else record


def revocations(root, cluster, number, serials):
    return root.line("revocations", cluster, compact({"v": 1, "number": number, "serials": sorted(serials)}))
