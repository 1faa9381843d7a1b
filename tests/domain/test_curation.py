import pytest

from nightledger.domain.retention import (
    DURABLE,
    EPHEMERAL,
    PERMANENT,
    Memory,
    Proof,
    fades,
    most_useful,
    periods_due,
)


@pytest.mark.parametrize(
    ("now_hour", "last", "due"),
    [
        (0, None, ()),
        (39, None, ()),
        (40, None, (40,)),
        (79, 40, ()),
        (80, 40, (80,)),
        (205, 80, (120, 160, 200)),
        (4000, None, (4000,)),
        (39, 40, ()),
        (130, 93, (120,)),
    ],
)
def test_each_forty_active_hours_are_one_period(
    now_hour: int, last: int | None, due: tuple[int, ...]
) -> None:
    assert periods_due(now_hour, last) == due


def test_the_five_that_proved_most_useful_are_reinforced() -> None:
    proofs = {f"e-{n}": Proof(useful=n) for n in range(1, 8)}
    assert most_useful(proofs, dict.fromkeys(proofs, 0.5)) == ("e-7", "e-6", "e-5", "e-4", "e-3")


def test_what_failed_as_often_or_is_gone_is_not_reinforced_however_often_it_was_shown() -> None:
    proofs = {"e-a": Proof(useful=50, harmful=50), "e-b": Proof(useful=9), "e-c": Proof(harmful=1)}
    assert most_useful(proofs, {"e-a": 1.0, "e-c": 1.0}) == ()
    assert most_useful({}, {}) == ()


def test_what_faded_is_proposed_the_most_faded_first() -> None:
    memories = [
        Memory(id="fresh", created_hour=490),
        Memory(id="old", created_hour=0),
        Memory(id="useful", created_hour=0, used_hour=480),
        Memory(id="older", created_hour=0, tier=EPHEMERAL),
        Memory(id="pinned", created_hour=0, pinned=True),
        Memory(id="permanent", created_hour=0, tier=PERMANENT),
        Memory(id="durable", created_hour=0, tier=DURABLE),
    ]
    assert [memories[at].id for at in fades(memories, [0] * 7, 500)] == ["older", "old"]


def test_the_top_fifth_by_degree_stays() -> None:
    memories = [Memory(id=str(n)) for n in range(10)]
    degrees = [0, 9, 1, 1, 1, 1, 1, 1, 5, 0]
    assert fades(memories, degrees, 10_000) == [0, 2, 3, 4, 5, 6, 7, 9]
