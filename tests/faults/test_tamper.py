"""Tampering with the audit log: every place, every way, each told by its right name."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.faults import tamper
from tests.faults.sweep_report import judge as judge_sweep
from tests.faults.sweep_report import judge_control, sampled, whole
from tests.second_verifier import disagreement

from nightledger.domain.errors import IntegrityError
from nightledger.files.home import Home
from nightledger.gate.opening import open_gate, read_ledger
from nightledger.trust import audit
from nightledger.trust.event import Actor
from nightledger.trust.heads import read_signed_head
from nightledger.trust.pin import Pin
from nightledger.trust.report import Finding

SWEEP = "tamper with the audit log"
SECOND = 32
"""In 'make test' the independent verifier is asked about every thirty-second attack."""
Pair = tuple[tamper.History, tamper.History]


@pytest.fixture(scope="module")
def histories(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    """Give a history and the same a day earlier; each attack puts back what it changed."""
    return tamper.make_history(tmp_path_factory.mktemp("history"))


@pytest.fixture
def now(histories: Pair) -> tamper.History:
    return histories[0]


@pytest.fixture
def older(histories: Pair) -> tamper.History:
    return histories[1]


EVERY = 29
"""In 'make test' so many bytes are passed over for each that is tried; odd, so that each bit has its turn."""


def every_bit(_: int) -> tuple[int, ...]:
    return tuple(range(8))


def verify_only(home: Home, pin: Pin | None) -> tuple[Finding, ...]:
    """Give what the quicker of the two checks says; where each byte is tried, one has to do."""
    return audit.verify(home, pin).findings


def test_an_untouched_log_gives_no_finding(now: tamper.History, older: tamper.History) -> None:
    assert tamper.judge(now.home, now.pin) == tamper.judge(older.home, older.pin) == ()
    assert [*disagreement(now.root, 0), *disagreement(older.root, 0)] == []


def test_every_way_to_tamper_is_noticed_and_told_by_its_right_name_and_line(
    now: tamper.History, older: tamper.History, tmp_path: Path
) -> None:
    """Where each byte is tried, the quicker of the two checks has to do."""
    every, bits = (1, every_bit) if whole() else (EVERY, tamper.one_bit)
    for name, history, attacks in tamper.ways(now, older, tmp_path, every=every, bits=bits):
        judged = tamper.judge if history is now else verify_only
        found = [
            tamper.wrong(history, history.pin, attack, judged, second=whole() or at % SECOND == 0)
            for at, attack in enumerate(attacks)
        ]
        judge_sweep(SWEEP, name, [[problem] if problem else [] for problem in found])


# ---------------------------------------------------------------- the gate and the controls
def test_the_gate_opens_on_no_tampered_log(
    now: tamper.History, older: tamper.History, tmp_path: Path
) -> None:
    other = tamper.fork(older, tmp_path / "fork", entries=now.signed)
    gate = open_gate(str(now.root / "home"), str(now.root / "keys"), actor=Actor.HUMAN)
    attacks = [
        *tamper.deleted(now),
        *tamper.forged(now, tamper.FORGED),
        tamper.replaced(now, older, tamper.ROLLBACK, "rollback"),
        tamper.replaced(now, other, tamper.FORK, "fork"),
    ]
    counted = len(read_ledger(gate).log.events)
    for attack in attacks:
        with tamper.tampered(now, attack.files):
            if attack.alarm:
                with pytest.raises(IntegrityError):
                    read_ledger(gate)
            else:
                assert len(read_ledger(gate).log.events) == counted


def test_a_sweep_of_a_check_with_a_hole_in_it_fails(
    now: tamper.History, older: tamper.History, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Controls: what each rule of the check is for, the sweep shows when that rule is missing."""
    other = tamper.fork(older, tmp_path / "fork", entries=now.signed)
    for name, plant, attacks in _controls(now, older, other):
        with monkeypatch.context() as patch:
            plant(patch)
            pin = _forgetful(now.pin) if name == "heads seen are forgotten" else now.pin
            missed = [tamper.wrong(now, pin, attack, verify_only) for attack in attacks]
        judge_control(SWEEP, name, any(missed))


def _controls(
    now: tamper.History, older: tamper.History, other: tamper.History
) -> Iterator[tuple[str, Callable[[pytest.MonkeyPatch], None], list[tamper.Attack]]]:
    def no_rules(patch: pytest.MonkeyPatch) -> None:
        patch.setattr(audit, "find_damage", lambda *_: ())

    def no_signatures(patch: pytest.MonkeyPatch) -> None:
        real = read_signed_head
        patch.setattr(
            audit,
            "read_signed_head",
            lambda *known, **options: real(*known, **{**options, "signatures": False}),
        )

    yield "the log is compared with nothing", no_rules, list(tamper.deleted(now))
    yield (
        "signatures are not checked",
        no_signatures,
        list(sampled(tamper.head_flips(now, tamper.one_bit), EVERY)),
    )
    older_pair = tamper.replaced(now, older, tamper.ROLLBACK, "rollback")
    yield (
        "heads seen are forgotten",
        lambda _: None,
        [older_pair, tamper.replaced(now, other, tamper.FORK, "fork")],
    )


def _forgetful(pin: Pin) -> Pin:
    return replace(pin, heads=(), acknowledged=0, acknowledged_root=b"")
