"""What is kept outside homes, or comes from servers: pins, keys, a witness's heads, embeddings, errors of peers."""

import json
import math
import os
from array import array
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from tests.faults.fuzz.records import DEEP, HOME, NOW, dumped
from tests.faults.fuzz.target import Target, scratch, seeds, written
from tests.trust.witnesses import LogSigner, head_of, note_of, tree_of

from nightledger.codec.canonical import MAX_INTEGER
from nightledger.domain.errors import ConfigurationError, IntegrityError
from nightledger.doors.transport import Response
from nightledger.recall.meaning import EncoderError
from nightledger.remote.cosigner import HEADS, Cosigner, WitnessError, create_witness
from nightledger.surfaces import outside
from nightledger.trust.keys import KeyRing, create_machine_key, load_operator_key, public_key_of
from nightledger.trust.merkle import EMPTY_ROOT
from nightledger.trust.pin import Head, Pin, create_pin, find_pin, read_pin, remember_head
from nightledger.trust.policy import Continuation, dump_continuation

# the pin of a log


def _ring(name: str) -> KeyRing:
    ring = KeyRing(scratch() / name)
    Path(ring.directory, HOME).mkdir(parents=True, exist_ok=True)
    return ring


def _read_pin(raw: bytes) -> Pin:
    ring = _ring("pins")
    written(ring.path(HOME, "pin.json"), raw)
    pin = find_pin(ring, HOME)
    assert pin is not None
    return pin


def _check_pin(raw: bytes, pin: Pin) -> None:
    told = json.loads(raw.decode("utf-8-sig"))
    assert [told["v"], told["home"], told["origin"]] == [pin.v, pin.home, pin.origin]
    assert [list(pin.vkeys), dict(pin.trust_files)] == [told["vkeys"], told["trust_files"]]
    assert [head["size"] for head in told["heads"]] == [head.size for head in pin.heads]
    assert all(head.at.tzinfo is not None for head in pin.heads)
    other = _ring("other-pins")
    Path(other.path(HOME, "pin.json")).unlink(missing_ok=True)
    create_pin(other, replace(pin, home=HOME))
    again = read_pin(other, HOME)
    assert again == replace(pin, home=HOME, heads=again.heads)
    assert [(one.size, one.root) for one in again.heads] == [(one.size, one.root) for one in pin.heads]
    if any(head.size >= MAX_INTEGER for head in pin.heads):
        return
    new = Head(size=max([head.size for head in pin.heads], default=0) + 1, root=EMPTY_ROOT, at=NOW)
    remember_head(other, HOME, new)
    assert read_pin(other, HOME).heads[-1] == new


@cache
def _pins() -> tuple[bytes, ...]:
    heads = tuple(Head(size=n, root=tree_of(n).root(), at=NOW) for n in (3, 9))
    pin = Pin(
        home=HOME, origin="nightledger/x", genesis=EMPTY_ROOT, vkeys=("a+00000000+AQ==",), trust_files={"policy": "0" * 64}
    )  # fmt: skip
    ring, made = _ring("seeds"), []
    for heads_of in ((), heads):
        path = ring.path(HOME, "pin.json")
        path.unlink(missing_ok=True)
        create_pin(ring, replace(pin, heads=heads_of))
        made.append(path.read_bytes())
    plain = json.loads(made[1])
    naive = [{**head, "at": "2026-03-01T12:00:00"} for head in plain["heads"]]
    odd = (
        {"vkeys": "abc"},
        {"trust_files": [["a", 1]]},
        {"v": "1"},
        {"heads": naive},
        {"origin": None},
        {"vkeys": [1]},
    )
    return (*made, *(dumped({**plain, **one}) for one in odd), *DEEP)


# keys


def _read_key(raw: bytes) -> Any:
    path = Path(written(scratch() / "key", raw))
    os.chmod(path, 0o600)
    return public_key_of(path), load_operator_key(path)


def _check_key(_: bytes, read: Any) -> None:
    public, signer = read
    assert signer.public_key == public


@cache
def _keys() -> tuple[bytes, ...]:
    ring = _ring("keys")
    create_machine_key(ring, HOME)
    (path,) = [one for one in ring.home_dir(HOME).iterdir() if one.suffix != ".pub"]
    raw = path.read_bytes()
    return (raw, raw.replace(b"\n", b"\r\n"), raw[:-30])


# what a witness remembers of a log


@cache
def _box() -> Cosigner:
    box = create_witness(scratch() / "remembering", "witness.example/9")
    return replace(box, logs=(LogSigner().key,))


def _request(old: int, new: int) -> bytes:
    tree = tree_of(new)
    hashes = tree.consistency_proof(old, new) if 0 < old < new else ()
    return dump_continuation(Continuation(old_size=old, hashes=hashes, checkpoint=note_of(head_of(tree))))


def _path() -> Path:
    import hashlib

    folder = _box().directory / HEADS
    folder.mkdir(exist_ok=True)
    return folder / hashlib.sha256(LogSigner().key.name.encode()).hexdigest()


def _answer(raw: bytes) -> Response:
    written(_path(), raw)
    return _box().answer(_request(4, 9), NOW)


def _check_answer(raw: bytes, answer: Response) -> None:
    assert answer.status in (200, 409, 422, 503)
    size = raw.split(b"\n")[1]
    if answer.status == 200:
        assert size == b"4"
        assert _path().read_bytes().split(b"\n")[1] == b"9"
    else:
        assert _path().read_bytes() == raw
        assert answer.status != 409 or answer.content == size + b"\n"


@cache
def _heads() -> tuple[bytes, ...]:
    _path().unlink(missing_ok=True)
    found = []
    for old, new in ((0, 4), (4, 9)):
        assert _box().answer(_request(old, new), NOW).status == 200
        found.append(_path().read_bytes())
    lines = found[0].splitlines(keepends=True)
    return (*found, b"".join(lines[:-1]), b"".join((*lines[:-1], lines[-1][:60] + b"\n")))


# what servers say


def _read_vectors(raw: bytes) -> Sequence[Any]:
    return outside._read_vectors(raw, 2)


def _check_vectors(raw: bytes, vectors: Sequence[Any]) -> None:
    assert len(vectors) == 2
    assert 0 < len(vectors[0]) == len(vectors[1]) <= outside.MAX_NUMBERS
    assert all(math.isfinite(number) for vector in vectors for number in vector)
    rows = json.loads(raw)["data"]
    for at, row in enumerate(rows):
        place = row.get("index", at)
        assert vectors[place] == array("f", row["embedding"])


_VECTORS = seeds("pinned_vectors")


TARGETS = (
    Target("pins", _read_pin, _check_pin, _pins, IntegrityError, cost=4),
    Target("private-keys", _read_key, _check_key, _keys, ConfigurationError),
    Target("witness-heads", _answer, _check_answer, _heads, WitnessError, cost=4),
    Target("embeddings", _read_vectors, _check_vectors, _VECTORS, EncoderError),
)
