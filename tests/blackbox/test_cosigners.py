"""A witness of any log: what it cosigns, what it refuses and why, and what it does when its own records are damaged.

It is asked over HTTP; no home is needed.
"""

import base64
import hashlib
import json
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from tests.blackbox import notes
from tests.blackbox.world import Folder
from tests.served_witness import post, served_witness

NAME = "witness.example/quay"
OTHER = notes.Key(name="log.example/other", number=77)
LINES = notes.leaves_of(11)
ALARM = 4


class Quay(notes.Desk):
    """A witness's machine; ``box`` is its directory."""

    @property
    def box(self) -> Path:
        return self.root / "box"

    @property
    def head(self) -> Path:
        return self.box / "heads" / hashlib.sha256(notes.ORIGIN.encode()).hexdigest()

    def witness(self, *words: str, status: int = 0) -> str:
        ran = self.run("witness", *words, "--dir", str(self.box))
        assert ran.status == status, ran
        return ran.out

    def ask(self, *requests: str | bytes, at: int = notes.NOON) -> list[tuple[int, str]]:
        """Have requests answered; give status and body of each."""
        with served_witness(self.box, lambda: datetime.fromtimestamp(at, UTC)) as url:
            return [post(url, one.encode() if isinstance(one, str) else one) for one in requests]

    def status(self, request: str | bytes, at: int = notes.NOON) -> int:
        return self.ask(request, at=at)[0][0]

    def vkeys(self) -> list[str]:
        return (self.box / "vkeys").read_text().splitlines()


@pytest.fixture(scope="module")
def made(new_folder: Folder) -> Quay:
    quay = Quay(new_folder())
    quay.witness("keygen", NAME)
    quay.witness("add", notes.OWNER.vkey, notes.OWNER_QUANTUM.vkey, OTHER.vkey)
    return quay


@pytest.fixture
def quay(made: Quay, tmp_path: Path) -> Quay:
    shutil.copytree(made.root, tmp_path, dirs_exist_ok=True)
    return Quay(tmp_path)


def asked(size: int, old: int, *, lines: list[bytes] = LINES) -> str:
    return notes.request_of(lines[:size], old, notes.OWNER)


def test_a_witness_cosigns_each_head_that_continues_the_one_before_and_says_when(quay: Quay) -> None:
    both = [f"witness w{n} {vkey}" for n, vkey in enumerate(quay.vkeys())]
    rules = notes.policy_of(*both, "group g all w0 w1", "quorum g")
    at = notes.NOON
    for old, size in ((0, 1), (1, 1), (1, 2), (2, 5), (5, 8), (8, 11), (11, 11)):
        at += 60
        ((status, body),) = quay.ask(asked(size, old), at=at)
        assert status == 200, body
        proof = notes.proof_of(LINES[:size], 0, notes.OWNER) + body
        ran = quay.check(proof, "--json", line=LINES[0], policy=rules)
        told = f"{datetime.fromtimestamp(at, UTC):%Y-%m-%dT%H:%M:%SZ}"
        assert json.loads(ran.out)["cosigned"] == {"w0": told, "w1": told}
        assert quay.head.read_text() == notes.note_of(notes.text_of(LINES[:size]), notes.OWNER) + body
        first = base64.b64decode(body.split("\n")[0].split(" ")[2])
        public = Ed25519PublicKey.from_public_bytes(base64.b64decode(quay.vkeys()[0].split("+", 2)[2])[1:])
        stamp = int.from_bytes(first[4:12], "big")
        public.verify(first[12:], f"cosignature/v1\ntime {stamp}\n{notes.text_of(LINES[:size])}".encode())
        assert stamp == at
    assert sorted(path.name for path in quay.box.iterdir()) == [
        "heads", "lock", "logs", "vkeys", "witness-ed25519", "witness-mldsa44",
    ]  # fmt: skip


def test_a_witness_keeps_what_it_remembers_whatever_it_is_asked(quay: Quay) -> None:
    assert quay.status(asked(5, 0)) == 200
    kept = quay.head.read_bytes()
    fork = [*LINES[:4], b"x", *LINES[5:]]
    proof, _, signed = asked(8, 5).partition("\n\n")
    first, *path = proof.split("\n")
    rows: list[tuple[int, str]] = [
        (409, asked(8, 0)),
        (409, asked(8, 4)),
        (409, asked(8, 6)),
        (409, asked(4, 4)),
        (400, asked(8, 5).replace("old 5", "old 9")),
        (422, asked(8, 5, lines=fork)),
        (422, asked(5, 5, lines=fork)),
        (422, f"{first}\n\n{signed}"),
        (422, "\n".join([first, *path[:-1]]) + f"\n\n{signed}"),
        (422, "\n".join([first, *path, notes.b64(bytes(32))]) + f"\n\n{signed}"),
        (422, "\n".join([first, *path[:-1], notes.b64(bytes(32))]) + f"\n\n{signed}"),
        (422, "\n".join([first, notes.b64(bytes(32)), *path[1:]]) + f"\n\n{signed}"),
        (422, asked(5, 5).replace("old 5", f"old 5\n{notes.b64(bytes(32))}")),
        (404, notes.request_of(LINES[:8], 0, notes.Key(name="log.example/x", number=3), origin="log.example/x")),
        (403, notes.request_of(LINES[:8], 5, notes.Key(name=notes.ORIGIN, number=3))),
        (403, notes.request_of(LINES[:8], 5, OTHER)),
        (403, notes.request_of(LINES[:8], 5)+ notes.OWNER.line(notes.text_of(LINES[:7]))),
        (403, asked(8, 5) + notes.OWNER.line(notes.text_of(LINES[:7]))),
        (403, notes.request_of(LINES[:8], 5, notes.Key(name=notes.ORIGIN, number=1_000, kind=notes.COSIGNER))),
    ]  # fmt: skip
    answers = quay.ask(*(request for _, request in rows))
    assert [status for status, _ in answers] == [status for status, _ in rows], answers
    assert {body for status, body in answers if status == 409} == {"5\n"}
    assert quay.head.read_bytes() == kept
    ours = notes.request_of(LINES[:3], 0, OTHER, origin=OTHER.name)
    assert quay.status(ours) == 200, "each log has a memory of its own"
    assert quay.status(asked(8, 5)) == 200


def test_what_is_no_request_is_refused_as_malformed(quay: Quay) -> None:
    good = asked(5, 0)
    proof, _, signed = good.partition("\n\n")
    rows: dict[str, str | bytes] = {
        "nothing": "",
        "a head alone": signed,
        "no old size": f"\n\n{signed}",
        "index": good.replace("old", "index"),
        "old without a number": good.replace("old 0", "old"),
        "a zero before it": good.replace("old 0", "old 00"),
        "beyond 2**63": good.replace("old 0", f"old {2**63}"),
        "a hash of 31 bytes": f"{proof}\n{notes.b64(bytes(31))}\n\n{signed}",
        "64 hashes": "\n".join([proof, *[notes.b64(bytes(32))] * 64]) + f"\n\n{signed}",
        "no UTF-8": good.encode().replace("— ".encode(), b"\xff "),
        "a control character": good.replace("— ", "—\t"),
        "an extension line": notes.request_of(LINES[:5], 0, notes.OWNER).replace("\n\n—", "\nx\n\n—"),
        "no root": f"{proof}\n\n{notes.note_of(f'{notes.ORIGIN}{chr(10)}5{chr(10)}', notes.OWNER)}",
        "no signature": f"{proof}\n\n{notes.text_of(LINES[:5])}\n",
        "101 signatures": good + notes.line("a", bytes(70)) * 100,
        "a size of another form": f"{proof}\n\n{notes.note_of(notes.text_of(LINES[:5]).replace('5', '05', 1), notes.OWNER)}",
    }  # fmt: skip
    answers = quay.ask(*rows.values())
    assert dict(zip(rows, (status for status, _ in answers), strict=True)) == dict.fromkeys(rows, 400)
    assert not quay.head.exists()
    assert quay.status("old 0\n\n" + "x" * 262_200) == 413
    hashes = "\n".join([proof, *[notes.b64(bytes(32))] * 63])
    assert quay.ask(f"{hashes}\n\n{signed}")[0][0] == 422, "nothing is proved of an empty log"


def test_an_empty_log_is_cosigned_as_empty_and_any_log_continues_it(quay: Quay) -> None:
    assert quay.status(notes.request_of([], 0, notes.OWNER)) == 200
    assert quay.status(notes.request_of([], 0, notes.OWNER)) == 200
    lie = f"{notes.ORIGIN}\n0\n{notes.b64(bytes(32))}\n"
    assert quay.status(f"old 0\n\n{notes.note_of(lie, notes.OWNER)}") == 422
    assert quay.status(asked(5, 0)) == 200


def test_only_lines_of_the_log_are_kept_each_once_beside_the_witnesses_own(quay: Quay) -> None:
    text = notes.text_of(LINES[:5])
    more = notes.line("a", bytes(70)) + notes.OWNER.line(text) + notes.OWNER_QUANTUM.line(text)
    ((status, body),) = quay.ask(asked(5, 0) + more)
    assert status == 200
    kept = quay.head.read_text()
    assert kept.startswith(notes.note_of(text, notes.OWNER) + f"— {notes.ORIGIN} ")
    assert kept.endswith(body)
    assert len(kept.splitlines()) == 8
    assert quay.status(notes.request_of(LINES[:6], 5, notes.OWNER_QUANTUM)) == 200, (
        "either key of the log will do"
    )
    bad = bytearray(notes.OWNER_QUANTUM.payload(notes.text_of(LINES[:7])))
    bad[-1] ^= 1
    worse = notes.request_of(LINES[:7], 6, notes.OWNER) + notes.line(
        notes.ORIGIN, notes.OWNER_QUANTUM.id + bytes(bad)
    )
    assert quay.status(worse) == 403


def test_a_witness_whose_clock_stands_before_its_last_word_waits(quay: Quay) -> None:
    assert quay.status(asked(5, 0), at=notes.NOON) == 200
    kept = quay.head.read_bytes()
    assert quay.status(asked(8, 5), at=notes.NOON - 1) == 503
    assert quay.head.read_bytes() == kept
    assert quay.status(asked(8, 4), at=notes.NOON - 1) == 409
    assert quay.status(asked(8, 5), at=notes.NOON) == 200


def damaged_head(change: Callable[[str], str | bytes]) -> Callable[[Quay], None]:
    def damage(quay: Quay) -> None:
        quay.file(str(quay.head), change(quay.head.read_text()))

    return damage


def without(number: int) -> Callable[[str], str]:
    def change(text: str) -> str:
        lines = text.splitlines(keepends=True)
        del lines[number]
        return "".join(lines)

    return change


DAMAGE = {
    "empty": damaged_head(lambda _: ""),
    "no note": damaged_head(lambda _: "x\n"),
    "no UTF-8": damaged_head(lambda _: b"\xff"),
    "another head under its lines": damaged_head(
        lambda now: now.replace(notes.text_of(LINES[:5]), notes.text_of(LINES[:4]))
    ),
    "another log's head": damaged_head(lambda text: text.replace(notes.ORIGIN, OTHER.name)),
    "the log's line alone": damaged_head(lambda _: notes.note_of(notes.text_of(LINES[:5]), notes.OWNER)),
    "its first line gone": damaged_head(without(5)),
    "cut": damaged_head(lambda text: text[:-9]),
    "too large": damaged_head(lambda _: "x" * 1_000_001),
}


def test_a_witness_whose_memory_is_damaged_cosigns_nothing_for_that_log(quay: Quay) -> None:
    assert quay.status(asked(5, 0)) == 200
    whole = quay.head.read_bytes()
    wrong = {}
    for what, damage in DAMAGE.items():
        damage(quay)
        before = quay.head.read_bytes()
        told = [quay.status(request) for request in (asked(8, 5), asked(8, 0), asked(5, 5))]
        if told != [503] * 3 or quay.head.read_bytes() != before:
            wrong[what] = told
        quay.head.write_bytes(whole)
    assert not wrong, wrong
    other = quay.head.with_name(hashlib.sha256(OTHER.name.encode()).hexdigest())
    assert quay.status(notes.request_of(LINES[:3], 0, OTHER, origin=OTHER.name)) == 200
    quay.head.write_bytes(other.read_bytes())
    assert quay.status(asked(8, 5)) == 503, "it is another log's, whole and signed"
    quay.head.write_bytes(whole)
    assert quay.status(asked(8, 5)) == 200


def test_a_witness_answers_with_its_own_keys_or_not_at_all(quay: Quay) -> None:
    words = ("witness", "add", notes.OWNER.vkey, "--dir", str(quay.box))
    vkeys, key, logs = (quay.box / name for name in ("vkeys", "witness-ed25519", "logs"))
    strange = Quay(quay.root / "strange")
    strange.root.mkdir()
    strange.witness("keygen", NAME)
    lines = vkeys.read_text().splitlines(keepends=True)
    rows: list[tuple[Path, str | bytes]] = [
        (vkeys, ""),
        (vkeys, "x"),
        (vkeys, lines[0]),
        (vkeys, lines[1]),
        (vkeys, "".join(reversed(lines))),
        (vkeys, "".join([*lines, lines[0]])),
        (vkeys, (strange.box / "vkeys").read_text()),
        (key, (strange.box / key.name).read_bytes()),
        (key, b"x"),
        (key, (quay.box / "witness-mldsa44").read_bytes()),
        (quay.box / "witness-mldsa44", key.read_bytes()),
        (quay.box / "witness-mldsa44", b"x"),
        (logs, "x"),
        (logs, b"\xff"),
        (logs, f"log {notes.OWNER.vkey}\n"),
        (logs, f"witness w {notes.OWNER.vkey}\nquorum none\n"),
    ]
    wrong: list[tuple[object, object]] = []
    for n, (path, content) in enumerate(rows):
        before = path.read_bytes()
        quay.file(str(path), content)
        if (ran := quay.run(*words)).status not in {1, 2, ALARM} or quay.head.exists():
            wrong.append((n, ran))
        path.write_bytes(before)
    for path in (vkeys, key):
        path.rename(quay.root / "away")
        if (ran := quay.run(*words)).status not in {1, 2, ALARM}:
            wrong.append((path, ran))
        (quay.root / "away").rename(path)
    key.chmod(0o640)
    if (ran := quay.run(*words)).status not in {1, 2}:
        wrong.append(("others may read it", ran))
    key.chmod(0o600)
    assert not wrong, wrong
    assert quay.run(*words).status == 0


def test_a_witness_is_made_once_and_learns_of_logs(quay: Quay) -> None:
    before = {path.name: path.read_bytes() for path in quay.box.iterdir() if path.is_file()}
    printed = quay.witness("keygen", NAME)
    vkeys = quay.vkeys()
    assert printed.splitlines() == [
        f"witness witness-example-quay-ed25519 {vkeys[0]}",
        f"witness witness-example-quay-mldsa44 {vkeys[1]}",
        "group witness-example-quay 1 witness-example-quay-ed25519 witness-example-quay-mldsa44",
        "quorum witness-example-quay",
    ]
    for words in ("keygen another", "keygen", "keygen a b", "keygen a+b", "add", "add x+y"):
        argv = words.split(" ", 1)
        assert quay.run("witness", *argv, "--dir", str(quay.box)).status in {1, 2}, words
    for vkey in (notes.witness(1).vkey, notes.typed_key(1, bytes(31)), notes.OWNER.vkey[:-1]):
        assert quay.run("witness", "add", vkey, "--dir", str(quay.box)).status, vkey
    assert {path.name: path.read_bytes() for path in quay.box.iterdir() if path.is_file()} == before
    new = notes.Key(name="log.example/new", number=5)
    quay.witness("add", quay.file("policy+new", notes.policy_of("quorum none", logs=(new, notes.OWNER))))
    logs = (quay.box / "logs").read_text()
    assert logs == notes.policy_of("quorum none", logs=(notes.OWNER, notes.OWNER_QUANTUM, OTHER, new))
    assert quay.status(notes.request_of(LINES[:3], 0, new, origin=new.name)) == 200
    modes = {path.name: path.stat().st_mode & 0o777 for path in quay.box.iterdir()}
    assert (modes["witness-ed25519"], modes["witness-mldsa44"], modes["vkeys"]) == (0o600, 0o600, 0o644)
    assert quay.box.stat().st_mode & 0o077 == 0
    assert base64.b64decode(vkeys[1].split("+", 2)[2])[0] == notes.QUANTUM
