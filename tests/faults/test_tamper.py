"""Tampering with the audit log: every place, every way, each told by its right name."""

import dataclasses
import hashlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.faults.sweep_report import report, sampled, whole
from tests.faults.tamper import (
    FORK,
    LOG,
    ROLLBACK,
    UNSIGNED,
    Attack,
    History,
    Judge,
    cuts,
    deleted,
    duplicated,
    flips,
    forged,
    fork,
    head_cuts,
    head_flips,
    judge,
    make_history,
    replaced,
    swapped,
    tampered,
    wrong,
)
from tests.second_verifier import disagreement

from nightledger.domain.errors import IntegrityError
from nightledger.files.home import Home
from nightledger.gate.opening import open_gate, read_ledger
from nightledger.trust import reading
from nightledger.trust.event import Actor
from nightledger.trust.heads import read_signed_head
from nightledger.trust.merkle import leaf_hash
from nightledger.trust.pin import Pin
from nightledger.trust.report import Finding
from nightledger.trust.scan import scan_log

FORGED = (
    b'{"actor":"human","apply":"a-forged","at":"2026-03-02T09:00:00Z","event":"apply.done","seq":0,"v":1}'
)
SWEEP = "tamper with the audit log"
SECOND = 16
"""In 'make test' the independent verifier is asked about every sixteenth attack."""
Pair = tuple[History, History]


@pytest.fixture(scope="module")
def histories(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    """Give a history and the same a day earlier; each attack puts back what it changed."""
    return make_history(tmp_path_factory.mktemp("history"))


@pytest.fixture
def now(histories: Pair) -> History:
    return histories[0]


@pytest.fixture
def older(histories: Pair) -> History:
    return histories[1]


@pytest.fixture(scope="module")
def bare(histories: Pair) -> History:
    """Give the history without checkpoints kept beside the newest: where each byte is tried, they only cost time."""
    history = histories[0].copy(histories[0].root.with_name("bare"))
    for name in history.kept_heads():
        (history.root / "home" / name).unlink()
    return history


EVERY = 15
"""In 'make test' so many bytes are passed over for each that is tried; odd, so that each bit has its turn."""


def one_bit(at: int) -> tuple[int, ...]:
    """Give each of the eight bits in turn."""
    return (at * 5 % 8,)


def every_bit(_: int) -> tuple[int, ...]:
    return tuple(range(8))


def verify_only(home: Home, pin: Pin | None) -> tuple[Finding, ...]:
    """Give what the quicker of the two checks says; where each byte is tried, one has to do."""
    return reading.verify(home, pin).findings


def sweep(name: str, history: History, attacks: Iterable[Attack], judged: Judge = judge) -> int:
    """Try attacks, report them, and give how many there were."""
    pin = history.pin
    found = [
        wrong(history, pin, attack, judged, second=whole() or at % SECOND == 0)
        for at, attack in enumerate(attacks)
    ]
    failed = [problem for problem in found if problem]
    report(SWEEP, name, points=len(found), failed=len(failed))
    assert not failed, "\n".join(failed[:10])
    return len(found)


def test_an_untouched_log_gives_no_finding(now: History, older: History) -> None:
    assert judge(now.home, now.pin) == judge(older.home, older.pin) == ()
    assert [*disagreement(now.root, 0), *disagreement(older.root, 0)] == []


# ---------------------------------------------------------------- the log
def test_a_flipped_bit_of_any_byte_is_edited_and_told_at_or_before_its_line(bare: History) -> None:
    bits = every_bit if whole() else one_bit
    attacks = sampled(flips(bare, bits), EVERY)
    assert sweep("flip each byte", bare, attacks, verify_only) >= len(bare.log) // EVERY


def test_a_cut_at_any_byte_is_truncated_or_torn(bare: History) -> None:
    assert sweep("cut at each byte", bare, sampled(cuts(bare), EVERY), verify_only) >= len(bare.log) // EVERY


def test_a_line_that_is_deleted_swapped_or_duplicated_is_named(now: History) -> None:
    count = len(now.lines)
    assert sweep("delete each line", now, deleted(now)) == count
    assert sweep("swap lines", now, swapped(now)) == count * (count - 1) // 2
    assert sweep("duplicate each line", now, duplicated(now)) == count


def test_a_forged_entry_of_flawless_form_is_named_wherever_it_stands(now: History) -> None:
    assert sweep("forge a line", now, forged(now, FORGED)) == len(now.lines) + 1


# ---------------------------------------------------------------- the head
def test_a_flipped_bit_of_any_byte_of_the_checkpoint_is_unsigned(bare: History) -> None:
    sweep("flip each byte of the checkpoint", bare, sampled(head_flips(bare, one_bit), EVERY), verify_only)


def test_a_checkpoint_that_is_cut_or_gone_is_unsigned(bare: History) -> None:
    sweep("cut the checkpoint at each byte", bare, sampled(head_cuts(bare), EVERY), verify_only)


def test_a_checkpoint_kept_under_another_size_or_of_other_words_is_told(now: History) -> None:
    attacks = []
    for name in now.kept_heads():
        text, signatures = now.read(name).split(b"\n\n", 1)
        for at in range(len(text)):
            changed = text[:at] + bytes([text[at] ^ 1]) + text[at + 1 :] + b"\n\n" + signatures
            attacks.append(
                Attack(
                    kind="checkpoint kept",
                    what=f"{name}, byte {at}",
                    files={name: changed},
                    classes=UNSIGNED,
                )
            )
    sweep("flip each byte of checkpoints kept", now, sampled(attacks, EVERY), verify_only)


# ---------------------------------------------------------------- replacing it all
def test_an_older_pair_is_rolled_back_by_the_heads_seen(now: History, older: History) -> None:
    attack = replaced(now, older, ROLLBACK, "older log and checkpoint")
    only_the_pair = dataclasses.replace(
        attack, files={name: attack.files[name] for name in (LOG, "audit/checkpoint")}
    )
    assert sweep("older log and checkpoint", now, [attack, only_the_pair]) == 2


def test_every_older_pair_of_its_own_past_is_rolled_back(now: History) -> None:
    """Each head that was kept with the log as it stood then: the pairs that an attacker can find in the home."""
    attacks = []
    for name in now.kept_heads():
        size = int(name.rpartition("/")[2])
        if size < now.signed:
            files = {LOG: b"".join(now.lines[:size]), "audit/checkpoint": now.read(name)}
            attacks.append(Attack(kind="older pair", what=name, files=files, classes=ROLLBACK))
    assert sweep("each older pair kept in the home", now, attacks) >= 4


@pytest.mark.parametrize("longer", [0, 3])
def test_another_history_signed_by_the_same_key_is_a_fork(
    now: History, older: History, tmp_path: Path, longer: int
) -> None:
    other = fork(older, tmp_path / "fork", entries=now.signed + longer)
    assert other.signed >= now.signed
    sweep(f"fork, {longer} entries longer", now, [replaced(now, other, FORK, "fork")])


# ---------------------------------------------------------------- the gate and the controls
def test_the_gate_opens_on_no_tampered_log(now: History, older: History, tmp_path: Path) -> None:
    other = fork(older, tmp_path / "fork", entries=now.signed)
    gate = open_gate(str(now.root / "home"), str(now.root / "keys"), actor=Actor.HUMAN)
    attacks = [
        *deleted(now),
        *forged(now, FORGED),
        replaced(now, older, ROLLBACK, "rollback"),
        replaced(now, other, FORK, "fork"),
    ]
    counted = len(read_ledger(gate).log.events)
    for attack in attacks:
        with tampered(now, attack.files):
            if attack.alarm:
                with pytest.raises(IntegrityError):
                    read_ledger(gate)
            else:
                assert len(read_ledger(gate).log.events) == counted


def test_a_sweep_of_a_check_with_a_hole_in_it_fails(
    now: History, older: History, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Controls: what each rule of the check is for, the sweep shows when that rule is missing."""
    other = fork(older, tmp_path / "fork", entries=now.signed)
    caught = 0
    for name, plant, attacks in _controls(now, older, other):
        with monkeypatch.context() as patch:
            plant(patch)
            pin = _forgetful(now.pin) if name == "heads seen are forgotten" else now.pin
            missed = [wrong(now, pin, attack, verify_only) for attack in attacks]
        assert any(missed), f"{name}: nothing came through"
        caught += 1
    report(SWEEP, "planted holes", points=0, controls=caught, caught=caught)


def _controls(
    now: History, older: History, other: History
) -> Iterator[tuple[str, Callable[[pytest.MonkeyPatch], None], list[Attack]]]:
    def no_rules(patch: pytest.MonkeyPatch) -> None:
        patch.setattr(reading, "find_damage", lambda *_: ())

    def no_signatures(patch: pytest.MonkeyPatch) -> None:
        real = read_signed_head
        patch.setattr(
            reading,
            "read_signed_head",
            lambda *known, **options: real(*known, **{**options, "signatures": False}),
        )

    yield "the log is compared with nothing", no_rules, list(deleted(now))
    yield "signatures are not checked", no_signatures, list(sampled(head_flips(now, one_bit), EVERY))
    older_pair = replaced(now, older, ROLLBACK, "rollback")
    yield "heads seen are forgotten", lambda _: None, [older_pair, replaced(now, other, FORK, "fork")]


def _forgetful(pin: Pin) -> Pin:
    return replace(pin, heads=(), acknowledged=0, acknowledged_root=b"")


def test_a_tree_is_told_from_every_other_of_its_size(now: History) -> None:
    """The boundary of all this: root and size, computed here by the definition of RFC 6962."""
    leaves = [leaf_hash(line.removesuffix(b"\n")) for line in now.lines]
    tree = scan_log(str(now.root / "home" / LOG)).tree
    assert tree.size == len(leaves)
    assert tree.root() == _root(leaves)


def _root(leaves: list[bytes]) -> bytes:
    if len(leaves) == 1:
        return leaves[0]
    split = 1 << (len(leaves) - 1).bit_length() - 1
    return hashlib.sha256(b"\x01" + _root(leaves[:split]) + _root(leaves[split:])).digest()
