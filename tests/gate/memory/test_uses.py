from datetime import timedelta
from pathlib import Path

import pytest
from tests.gate.homes import START, Desk
from tests.gate.used import add_exposure, add_outcome

from nightledger.domain.active import hour_of
from nightledger.domain.errors import UnreadableError
from nightledger.gate.memory.uses import Marks, fold_uses

AT = START.at


def test_a_home_without_outcomes_has_no_active_hours(desk: Desk) -> None:
    uses = fold_uses(desk.home, {})
    assert (uses.of, uses.hours, uses.read, uses.bad_lines, uses.named) == (
        {},
        (),
        Marks(outcomes=0, exposures=0),
        0,
        0,
    )


def test_outcomes_and_exposures_are_read_in_one_pass(desk: Desk) -> None:
    add_outcome(desk.home, AT, "e-1")
    add_outcome(desk.home, AT + timedelta(hours=5), "e-1", outcome="failure")
    add_outcome(desk.home, AT + timedelta(hours=6))
    add_exposure(desk.home, AT + timedelta(hours=9), "e-1", "e-2")
    uses = fold_uses(desk.home, {})
    first = hour_of(AT)
    assert uses.hours == (first, first + 5, first + 6, first + 9)
    assert uses.named == 2
    one, two = uses.of["e-1"], uses.of["e-2"]
    assert (one.shown, one.useful, one.harmful, one.last) == (3, 1, 1, -1)
    assert (one.shown_hour, one.used_hour) == (first + 9, first)
    assert (two.shown, two.useful, two.used_hour, two.shown_hour) == (1, 0, None, first + 9)


def test_what_was_shown_under_an_older_id_counts_for_the_entry(desk: Desk) -> None:
    add_outcome(desk.home, AT, "e-old")
    add_outcome(desk.home, AT, "e-new", session="other")
    uses = fold_uses(desk.home, {"e-new": "e-old"})
    assert list(uses.of) == ["e-old"]
    assert uses.of["e-old"].useful == 2


def test_it_reads_no_further_than_it_is_told(desk: Desk) -> None:
    add_outcome(desk.home, AT, "e-1")
    add_exposure(desk.home, AT, "e-1")
    before = fold_uses(desk.home, {})
    add_outcome(desk.home, AT + timedelta(hours=1), "e-1")
    add_exposure(desk.home, AT + timedelta(hours=2), "e-1")
    assert fold_uses(desk.home, {}, before.read) == before
    beyond = Marks(outcomes=1 << 40, exposures=1 << 40)
    assert fold_uses(desk.home, {}, beyond) == fold_uses(desk.home, {})


def test_bad_lines_and_impossible_dates_are_counted_and_nothing_is_lost(desk: Desk) -> None:
    Path(desk.home.outcomes).write_text("no record\n")
    add_outcome(desk.home, AT, "e-1", received_at="2026-02-30T06:00:00Z")
    add_outcome(desk.home, AT, "e-2")
    uses = fold_uses(desk.home, {})
    assert uses.bad_lines == 2
    assert uses.of["e-1"].useful == 1
    assert uses.of["e-1"].used_hour is None
    assert uses.hours == (hour_of(AT),)


def test_bad_lines_of_exposures_count_as_those_of_outcomes(desk: Desk) -> None:
    Path(desk.home.outcomes).write_text("no record\n")
    Path(desk.home.exposures).write_text("neither\nnor this\n")
    add_exposure(desk.home, AT, "e-1")
    uses = fold_uses(desk.home, {})
    assert (uses.bad_lines, uses.of["e-1"].shown) == (3, 1)


def test_a_torn_line_is_read_once_it_is_closed(desk: Desk) -> None:
    add_outcome(desk.home, AT, "e-1")
    whole = Path(desk.home.outcomes).read_bytes()
    Path(desk.home.outcomes).write_bytes(whole + whole[:-9])
    assert fold_uses(desk.home, {}).read.outcomes == len(whole)


def test_a_ledger_that_is_a_link_is_an_error_and_not_followed(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("")
    Path(desk.home.exposures).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UnreadableError):
        fold_uses(desk.home, {})
