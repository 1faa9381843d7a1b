"""Long-range memory: stretches of the past, landmarks, importance."""

from datetime import date, timedelta

import pytest

from nightledger.domain.staging.rules import WindowRules
from nightledger.domain.staging.windows import (
    Past,
    Standing,
    choose_landmarks,
    choose_windows,
    importance_of,
)

TODAY = date(2026, 6, 1)
WINDOWS = (
    WindowRules(from_days=7, until_days=14, most=2),
    WindowRules(from_days=14, until_days=28, most=1),
    WindowRules(from_days=90, until_days=None, most=1),
)


def past(days: int | None, importance: float, n: int = 0) -> Past:
    day = None if days is None else TODAY - timedelta(days=days)
    return Past(day=day, importance=importance, place=f"memory/x.md:{n}", n=n)


def chosen(*found: Past) -> list[int]:
    return [one.n for _, one in choose_windows(found, WINDOWS, 50, TODAY, lambda _: True)]


def test_of_each_stretch_the_most_important_come_in_the_order_of_stretches() -> None:
    assert chosen(
        past(8, 0.6, 1), past(9, 0.9, 2), past(13, 0.7, 3), past(20, 0.55, 4), past(400, 0.8, 5)
    ) == [2, 3, 4, 5]


@pytest.mark.parametrize(
    ("days", "stretch"), [(6, None), (7, 0), (13, 0), (14, 1), (27, 1), (28, None), (90, 2), (9_000, 2)]
)
def test_a_stretch_holds_its_last_day_and_not_its_first(days: int, stretch: int | None) -> None:
    found = choose_windows([past(days, 0.9)], WINDOWS, 50, TODAY, lambda _: True)
    assert [WINDOWS.index(window) for window, _ in found] == ([] if stretch is None else [stretch])


def test_what_says_no_day_or_lies_ahead_or_matters_little_belongs_to_none() -> None:
    assert chosen(past(None, 1.0), past(-8, 1.0), past(8, 0.49)) == []
    assert chosen(past(8, 0.5)) == [0]


def test_what_does_not_fit_leaves_its_place_to_the_next_and_no_more_are_asked_than_needed() -> None:
    asked: list[int] = []

    def fits(one: Past) -> bool:
        asked.append(one.n)
        return one.n != 1

    found = choose_windows(
        [past(8, 0.9, 1), past(8, 0.8, 2), past(8, 0.7, 3), past(8, 0.6, 4)], WINDOWS, 50, TODAY, fits
    )
    assert [one.n for _, one in found] == [2, 3]
    assert asked == [1, 2, 3]


def test_landmarks_are_chosen_by_importance_and_not_by_age() -> None:
    old = [past(900 + n, 1.0, n) for n in range(3)]
    new = [past(n, 0.9, 10 + n) for n in range(12)]
    assert [one.n for one in choose_landmarks([*new, *old], 90, 10, lambda _: True)] == [
        0,
        1,
        2,
        10,
        11,
        12,
        13,
        14,
        15,
        16,
    ]
    assert choose_landmarks([past(1, 0.89)], 90, 10, lambda _: True) == []
    assert [one.n for one in choose_landmarks([past(None, 0.95, 7)], 90, 10, lambda _: True)] == [7]


@pytest.mark.parametrize(
    ("standing", "importance"),
    [
        (Standing(), 0.5),
        (Standing(pinned=True, lean=-1), 1.0),
        (Standing(durable=True), 0.9),
        (Standing(observation=True), 0.3),
        (Standing(lean=1), 0.9),
        (Standing(lean=-1), 0.1),
        (Standing(observation=True, lean=-1), 0.0),
        (Standing(stated=1.0), 0.6),
        (Standing(stated=0.2), 0.5),
        (Standing(lean=1, stated=1.0), 1.0),
    ],
)
def test_what_was_signed_outweighs_what_was_proved_and_that_what_was_stated(
    standing: Standing, importance: float
) -> None:
    assert importance_of(standing) == importance
