# ruff: noqa: RUF001 - words of other scripts are what is tested
import json
from datetime import date

import pytest
from tests.rows import each_row, from_corpus

from nightledger.domain.pruning import Closure, Kept
from nightledger.files.home import shipped_config
from nightledger.text.forgetting import Status, find_status, find_statuses
from nightledger.text.markdown.document import parse_markdown
from nightledger.text.markdown.entries import Entry, find_entries

TODAY = date(2026, 6, 30)
JANUARY_3 = date(2026, 1, 3)


def entries_of(text: str, heading: str = "Projects") -> tuple[Entry, ...]:
    return find_entries(parse_markdown(f"# Memory\n\n## {heading}\n\n{text}\n"))


def status_of(text: str, heading: str = "Projects", signed: date | None = None) -> Status | None:
    (entry,) = entries_of(text, heading)
    return find_status(entry, TODAY, signed=signed)


@each_row(
    ("text", "closure"),
    [
        ("- Fan is loud. STATUS: Resolved (2026-01-03)", Closure.RESOLVED),
        ("- Fan, **Status:** ✅ done, January 3, 2026", Closure.DONE),
        ("* Fan\n  - STATUS:\n    Superseded 2026-01-03", Closure.SUPERSEDED),
        ("1. Fan\n   - Owner: Mara\n   - **STATUS**: ~~Resolved~~ 2026-01-03", Closure.RESOLVED),
        ("The fan is loud.\nSTATUS: Resolved 2026-01-03", Closure.RESOLVED),
        ("- Lüfter laut. Status: Erledigt am 3. Januar 2026", Closure.DONE),
        ("- Ventilateur. État : résolue le 3 janvier 2026", Closure.RESOLVED),
        ("- Ventoinha. Situação: substituída 2026-01-03", Closure.SUPERSEDED),
        ("- 风扇太吵。状态：已解决（2026年1月3日）", Closure.RESOLVED),
        ("- ファンがうるさい。ステータス：解決済み 2026年1月3日", Closure.RESOLVED),
        ("- Вентилятор. Статус: решено 03.01.2026", Closure.RESOLVED),
        ("- 팬 소음. 상태: 완료 2026-01-03", Closure.DONE),
    ],
)
def test_an_entry_is_over_when_its_status_says_so(text: str, closure: Closure) -> None:
    assert status_of(text) == Status(closure=closure, since=JANUARY_3)


@from_corpus("text-forgetting-status")
def test_what_may_go_on_is_not_over(text: str) -> None:
    assert status_of(text) is None


def test_several_statuses_close_an_entry_when_all_do_and_the_newest_day_counts() -> None:
    text = "- Move\n  - Boxes. STATUS: Done 2026-01-03\n  - Keys. STATUS: Closed 2026-02-04"
    assert status_of(text) == Status(closure=Closure.CLOSED, since=date(2026, 2, 4))


@pytest.mark.parametrize(
    ("text", "heading", "since"),
    [
        ("DECISION: quiet fan\nDATE: 2025-05-05\nSTATUS: Resolved (2026-01-03)", "x", JANUARY_3),
        ("DECISION: fan of 2025-01-01\nDATE: 2026-01-03\nSTATUS: Resolved", "2024-01-01", JANUARY_3),
        ("- Fan of 2025-01-01 failed on 2026-01-03. STATUS: Done", "2024-01-01", JANUARY_3),
        ("- Fan. STATUS: Done", "Week of 2026-01-03", JANUARY_3),
        ("- Lüfter. STATUS: Erledigt\n  Datum: 3. Januar 2026", "x", JANUARY_3),
    ],
)
def test_the_nearest_date_is_the_day_of_the_status(text: str, heading: str, since: date) -> None:
    found = status_of(text, heading)
    assert found is not None
    assert (found.since, found.kept) == (since, None)


def test_words_are_never_over_before_they_were_signed() -> None:
    text = "- Fan. STATUS: Done 2026-01-03"
    assert status_of(text, signed=date(2026, 5, 1)) == Status(closure=Closure.DONE, since=date(2026, 5, 1))
    assert status_of(text, signed=date(2025, 5, 1)) == Status(closure=Closure.DONE, since=JANUARY_3)
    assert status_of("- Fan. STATUS: Done", signed=JANUARY_3) == Status(closure=Closure.DONE, since=JANUARY_3)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("- Fan. STATUS: Done", Kept.NO_DATE),
        ("- Fan. STATUS: Done 2026-02-30", Kept.NO_DATE),
        ("- Fan. STATUS: Done 2026-07-01", Kept.FUTURE_DATE),
        ("DECISION: fan\nDATE: 2026-01-03\nSTATUS: Rejected\nREVISIT: 2026-12-01", Kept.REVISIT),
        ("- STATUS: Resolved 2026-01-03", Kept.OF_SECTION),
    ],
)
def test_what_cannot_be_told_stays_and_is_named(text: str, kept: Kept) -> None:
    found = status_of(text)
    assert found is not None
    assert found.kept is kept


def test_a_status_among_fields_is_that_of_its_section() -> None:
    text = "- **Owner:** Mara\n- **Status:** Done 2026-01-03 after the move\n- Fan. STATUS: Done 2026-01-03"
    found = dict(find_statuses(entries_of(text), TODAY, {}))
    assert [status.kept for status in found.values()] == [Kept.OF_SECTION, None]


def test_the_day_of_signing_is_found_by_the_entry() -> None:
    entries = entries_of("- Fan. STATUS: Done\n- Lamp. STATUS: Done")
    found = list(find_statuses(entries, TODAY, {entries[0].id: JANUARY_3}))
    assert [(status.since, status.kept) for _, status in found] == [(JANUARY_3, None), (None, Kept.NO_DATE)]


def test_no_word_closes_in_two_ways_or_takes_itself_back() -> None:
    words = json.loads(shipped_config("words/closing-words.json"))
    forms = [form for forms in words["closed"].values() for form in forms]
    assert len(forms) == len(set(forms))
    assert not set(words["other"]["still_open"]) & set(forms)
