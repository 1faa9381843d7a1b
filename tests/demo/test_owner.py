from datetime import date

from nightledger.demo.compare import Proposed
from nightledger.demo.owner import REASON, answers, keystrokes
from nightledger.demo.sample import EXPECTED, Planted, PlantKind

LOG = "memory/2026-02-01.md"


def plant(kind: PlantKind, text: str, line: int) -> Planted:
    return Planted(
        kind=kind,
        day=date(2026, 2, 1),
        path=LOG,
        line=line,
        text=text,
        expect=EXPECTED[kind],
        name=f"{kind}.{line}",
    )


def addition(after: str, line: int) -> Proposed:
    return Proposed(
        proposal="p-a", n=line, op="add", before="", after=after, section="", places=((LOG, line, line),)
    )


def test_what_was_planted_as_true_is_signed_and_the_rest_rejected() -> None:
    planted = [
        plant(PlantKind.FACT, "The label printer answers on port 9100", 3),
        plant(PlantKind.OVERTURNED, "Perhaps the cable is bad", 4),
    ]
    waiting = [
        addition("- The label printer answers on port 9100", 3),
        addition("- Perhaps the cable is bad", 4),
        addition("- Archived 12 newsletters", 9),
    ]
    assert answers(waiting, planted) == [True, False, False]


def test_the_same_thing_is_signed_once() -> None:
    planted = [plant(PlantKind.RULE, "Invoices leave on Monday mornings only", 5)]
    waiting = [addition("- Invoices leave on Monday mornings only", 5)] * 2
    assert answers(waiting, planted) == [True, False]


def test_a_rejection_is_typed_with_its_reason() -> None:
    assert keystrokes([True, False]) == ["y", "n", REASON, "y"]
    assert keystrokes([]) == []


def test_what_is_old_may_go() -> None:
    old = Proposed(proposal="p-a", n=1, op="compress", before="", after="# 2026-01-01", section="", places=())
    assert answers([old], []) == [True]
