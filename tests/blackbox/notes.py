"""Signed notes, cosignatures, proofs and policies, made by their standards alone: any log's and any witness's.

C2SP signed-note, tlog-cosignature, tlog-proof and tlog-policy, RFC 6962; keys are made from numbers.
"""

import base64
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from tests.blackbox.forge import leaf_hash, root_of
from tests.blackbox.world import Ran, call

NOON = 1_772_366_400
"""2026-03-01T12:00:00Z."""
LOG, COSIGNER, QUANTUM = 0x01, 0x04, 0x06
"""Types of keys: a log's Ed25519, a witness's Ed25519, ML-DSA-44."""


def b64(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


@cache
def _quantum(number: int) -> Any:
    from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey

    return MLDSA44PrivateKey.from_seed_bytes(number.to_bytes(32, "big"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key of a log or a witness."""

    name: str
    number: int
    kind: int = LOG

    @property
    def private(self) -> Any:
        if self.kind == QUANTUM:
            return _quantum(self.number)
        return Ed25519PrivateKey.from_private_bytes(self.number.to_bytes(32, "big"))

    @property
    def material(self) -> bytes:
        public: bytes = self.private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        return bytes([self.kind]) + public

    @property
    def id(self) -> bytes:
        return hashlib.sha256(self.name.encode() + b"\n" + self.material).digest()[:4]

    @property
    def vkey(self) -> str:
        return f"{self.name}+{self.id.hex()}+{b64(self.material)}"

    def payload(self, text: str, at: int = NOON) -> bytes:
        """Give what a line holds behind the key's id: a signature, and before it the time of a cosigner."""
        if self.kind == LOG:
            return bytes(self.private.sign(text.encode()))
        stamp = at.to_bytes(8, "big")
        if self.kind == COSIGNER:
            return stamp + bytes(self.private.sign(f"cosignature/v1\ntime {at}\n{text}".encode()))
        origin, size, root = text.split("\n")[:3]
        names = [bytes([len(name)]) + name.encode() for name in (self.name, origin)]
        head = bytes(8) + int(size).to_bytes(8, "big") + base64.b64decode(root)
        return stamp + bytes(self.private.sign(b"subtree/v1\n\0" + names[0] + stamp + names[1] + head))

    def line(self, text: str, at: int = NOON) -> str:
        return line(self.name, self.id + self.payload(text, at))


def line(name: str, raw: bytes) -> str:
    return f"— {name} {b64(raw)}\n"


ORIGIN = "log.example/boat"
OWNER = Key(name=ORIGIN, number=1_000)
OWNER_QUANTUM = Key(name=ORIGIN, number=1_001, kind=QUANTUM)


def witness(number: int, kind: int = COSIGNER) -> Key:
    return Key(name=f"witness.example/{number}", number=number, kind=kind)


def leaves_of(count: int, word: str = "line") -> list[bytes]:
    return [f"{word} {n}".encode() for n in range(count)]


def text_of(lines: Sequence[bytes], origin: str = ORIGIN) -> str:
    """Give a checkpoint's text over a log's lines."""
    return f"{origin}\n{len(lines)}\n{b64(root_of([leaf_hash(one) for one in lines]))}\n"


def note_of(text: str, *keys: Key, at: int = NOON) -> str:
    """Sign a text with each key, in order."""
    return f"{text}\n{''.join(key.line(text, at) for key in keys)}"


def _half(count: int) -> int:
    return 1 << ((count - 1).bit_length() - 1)


def inclusion(hashes: list[bytes], index: int) -> list[bytes]:
    """Give PATH(index, D) (RFC 6962 2.1.1)."""
    if len(hashes) == 1:
        return []
    half = _half(len(hashes))
    if index < half:
        return [*inclusion(hashes[:half], index), root_of(hashes[half:])]
    return [*inclusion(hashes[half:], index - half), root_of(hashes[:half])]


def consistency(hashes: list[bytes], old: int, *, known: bool = True) -> list[bytes]:
    """Give PROOF(old, D) (RFC 6962 2.1.2)."""
    if old == len(hashes):
        return [] if known else [root_of(hashes)]
    half = _half(len(hashes))
    if old <= half:
        return [*consistency(hashes[:half], old, known=known), root_of(hashes[half:])]
    return [*consistency(hashes[half:], old - half, known=False), root_of(hashes[:half])]


def proof_of(lines: Sequence[bytes], index: int, *keys: Key, extra: bytes = b"", at: int = NOON) -> str:
    """Give a proof that a line is in a log, under a head that these keys signed."""
    path = inclusion([leaf_hash(one) for one in lines], index)
    first = [
        "c2sp.org/tlog-proof@v1",
        *([f"extra {b64(extra)}"] if extra else []),
        f"index {index}",
        *map(b64, path),
    ]
    return "\n".join(first) + "\n\n" + note_of(text_of(lines), *keys, at=at)


def request_of(lines: Sequence[bytes], old: int, *keys: Key, origin: str = ORIGIN) -> str:
    """Give what a witness is asked with: that the head over all lines continues that over the first ones."""
    path = consistency([leaf_hash(one) for one in lines], old) if old else []
    return "\n".join([f"old {old}", *map(b64, path)]) + "\n\n" + note_of(text_of(lines, origin), *keys)


def policy_of(*lines: str, logs: Iterable[Key] = (OWNER,)) -> str:
    return "".join(f"{one}\n" for one in (*(f"log {key.vkey}" for key in logs), *lines))


class Desk:
    """A stranger's machine: files, and no home."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def file(self, name: str, content: str | bytes) -> str:
        path = self.root / name
        path.write_bytes(content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content)
        return str(path)

    def run(self, *words: str) -> Ran:
        argv = [*words, "--home", str(self.root / "no-home")]
        return call(argv, env={"NIGHTLEDGER_KEYS": str(self.root / "no-keys"), "COLUMNS": "300"})

    def check(
        self, proof: str | bytes, *words: str, line: bytes = b"line 4", policy: str | bytes | None = None
    ) -> Ran:
        rules = ("--log", OWNER.vkey) if policy is None else ("--policy", self.file("policy", policy))
        of = ("--leaf", self.file("leaf", line)) if line else ()
        return self.run("verify", "--proof", self.file("proof", proof), *of, *rules, *words)


def typed_key(kind: int, raw: bytes, name: str = ORIGIN) -> str:
    """Give a verifier key of a kind that fits its bytes or not."""
    material = bytes([kind]) + raw
    identity = hashlib.sha256(name.encode() + b"\n" + material).digest()[:4]
    return f"{name}+{identity.hex()}+{b64(material)}"
