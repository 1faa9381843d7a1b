"""A platform whose cryptography has no ML-DSA: it says what it could not check, counts nothing for it, and goes on."""

import json
import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.blackbox import notes
from tests.blackbox.person import sound
from tests.blackbox.world import World, found
from tests.served_witness import post, served_witness

ALARM = 4
MODULE = "cryptography.hazmat.primitives.asymmetric.mldsa"
LINES = notes.leaves_of(7)


@pytest.fixture
def lost(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Take ML-DSA away from commands that run in this process; ``undo`` gives it back."""
    for key in (notes.OWNER_QUANTUM, notes.witness(1, notes.QUANTUM)):
        key.vkey  # noqa: B018 - made before it is lost
    monkeypatch.setitem(sys.modules, MODULE, None)
    return monkeypatch


def test_a_second_line_is_named_as_unchecked(world: World, lost: pytest.MonkeyPatch) -> None:
    shown = world.json("verify")
    assert [("ML-DSA-44" in one) for one in shown["unchecked"]] == [True]
    assert world.run("verify").status == 0
    path = world.home / "audit/checkpoint"
    both = path.read_bytes()
    text, _, lines = both.partition(b"\n\n")
    first, second = lines.splitlines(keepends=True)
    for kept in (first, second):
        path.write_bytes(text + b"\n\n" + kept)
        assert world.run("verify").status == ALARM, "each line must be there, whoever can check it"
    path.write_bytes(both)
    lost.undo()
    assert world.json("verify")["unchecked"] == []
    assert (
        "ML-DSA" not in world.run("doctor").text.partition("not set up")[0] or world.run("verify").status == 0
    )


def test_a_home_begun_there_has_one_key_and_holds_here(tmp_path: Path, lost: pytest.MonkeyPatch) -> None:
    world = found(tmp_path)
    assert not (world.own_keys / "log-mldsa44").exists()
    world.applied("Label both ends of a cable.")
    assert world.read("audit/checkpoint").partition("\n\n")[2].count("\n") == 1
    assert world.read("config/nightledger/policy").count("log ") == 1
    sound(world)
    assert len(json.loads((world.own_keys / "pin.json").read_bytes())["vkeys"]) == 1
    lost.undo()
    assert world.json("verify")["unchecked"] == []
    world.applied("Count the ladders.")
    assert world.run("verify").status == 0


def test_lines_that_cannot_be_checked_do_nothing(tmp_path: Path, lost: pytest.MonkeyPatch) -> None:
    desk = notes.Desk(tmp_path)
    lost.undo()
    both = notes.proof_of(
        LINES, 4, notes.OWNER, notes.OWNER_QUANTUM, notes.witness(1), notes.witness(2, notes.QUANTUM)
    )
    second = notes.proof_of(LINES, 4, notes.OWNER_QUANTUM)
    logs = (notes.OWNER, notes.OWNER_QUANTUM)
    lines = (f"witness a {notes.witness(1).vkey}", f"witness b {notes.witness(2, notes.QUANTUM).vkey}")
    either = notes.policy_of(*lines, "group g any a b", "quorum g", logs=logs)
    each = notes.policy_of(*lines, "group g all a b", "quorum g", logs=logs)
    none = notes.policy_of("quorum none", logs=logs)
    only = notes.policy_of("quorum none", logs=(notes.OWNER_QUANTUM,))
    rows = [
        (both, either, 0, 0),
        (both, each, 0, ALARM),
        (both, none, 0, 0),
        (second, none, 0, ALARM),
        (both, only, 0, ALARM),
    ]
    for proof, rules, here, _ in rows:
        assert desk.check(proof, policy=rules).status == here
    lost.setitem(sys.modules, MODULE, None)
    for n, (proof, rules, _, there) in enumerate(rows):
        assert desk.check(proof, policy=rules).status == there, n
    ran = desk.check(both, "--json", policy=either)
    assert json.loads(ran.out)["cosigned"] == {"a": "2026-03-01T12:00:00Z"}


def answered(box: Path, request: str) -> tuple[int, str]:
    with served_witness(box, lambda: datetime(2026, 3, 1, tzinfo=UTC)) as url:
        return post(url, request.encode())


def test_a_witness_that_loses_it_goes_on_with_its_first_key(tmp_path: Path, lost: pytest.MonkeyPatch) -> None:
    lost.undo()
    desk = notes.Desk(tmp_path)
    place = ("--dir", str(tmp_path / "box"))
    asked = [
        notes.request_of(LINES[:3], 0, notes.OWNER),
        notes.request_of(LINES[:5], 3, notes.OWNER),
        notes.request_of(LINES[:6], 5, notes.OWNER_QUANTUM),
    ]
    assert desk.run("witness", "keygen", "quay", *place).status == 0
    assert desk.run("witness", "add", notes.OWNER.vkey, notes.OWNER_QUANTUM.vkey, *place).status == 0
    status, body = answered(tmp_path / "box", asked[0])
    assert (status, body.count("— quay ")) == (200, 2)
    vkeys = (tmp_path / "box/vkeys").read_text()
    shutil.copytree(tmp_path / "box", tmp_path / "odd")
    (tmp_path / "odd/vkeys").write_text(vkeys + vkeys.splitlines()[1] + "\n")
    lost.setitem(sys.modules, MODULE, None)
    status, body = answered(tmp_path / "box", asked[1])
    assert (status, body.count("— quay ")) == (200, 1)
    assert (tmp_path / "box/vkeys").read_text() == vkeys
    assert answered(tmp_path / "box", asked[2])[0] == 403, "the only line of the log cannot be checked here"
    assert desk.run("witness", "add", notes.OWNER.vkey, "--dir", str(tmp_path / "odd")).status in {1, 2}
    made = desk.run("witness", "keygen", "pier", "--dir", str(tmp_path / "new"))
    assert made.out.splitlines()[1:] == ["group pier 1 pier-ed25519", "quorum pier"]
    lost.undo()
    status, body = answered(tmp_path / "box", notes.request_of(LINES[:6], 5, notes.OWNER))
    assert (status, body.count("— quay ")) == (200, 2)
