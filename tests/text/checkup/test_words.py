import pytest
from tests.rows import each_row

from nightledger.text.checkup.words import (
    closes,
    has,
    listed,
    rests,
    starts,
    states,
    tells,
)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("waiting", "the lease is still pending"),
        ("waiting", "wartet auf den Vermieter"),
        ("waiting", "en attente du bailleur"),
        ("waiting", "部署待处理。"),
        ("gone", "the old pump was decommissioned"),
        ("gone", "旧服务器已停用"),
        ("rule", "Never call on Fridays"),
        ("rule", "必须先问"),
        ("now", "heute gemessen"),
        ("empty", "(to be filled in later)"),
    ],
)
def test_words_are_heard_in_many_languages(kind: str, text: str) -> None:
    assert has(kind, text)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("waiting", "spending"),
        ("gone", "expiredness"),
        ("done", "Ondone"),
        ("done", "完成度高的方案"),
        ("waiting", "不等待"),
    ],
)
def test_a_word_inside_another_is_not_heard(kind: str, text: str) -> None:
    assert not has(kind, text)


def test_an_item_starts_with_a_word_past_its_marks() -> None:
    assert starts("did", "✅ **Added** the hook")
    assert not starts("did", "the hook that Anna added")


@pytest.mark.parametrize(
    "text", ["Running", "✅ **Live**, three nodes", "active (since May)", "正常", "OK | 3"]
)
def test_a_state_stands_for_itself(text: str) -> None:
    assert states(text)


@pytest.mark.parametrize(
    "text", ["Clean up the shed", "Live-tested pump", "running water in the hall", "the pump is running"]
)
def test_a_state_that_begins_a_phrase_is_none(text: str) -> None:
    assert not states(text)


def test_a_clause_closes_with_work_that_is_over() -> None:
    assert closes("roof repaired and gutter fixed; paint ordered")
    assert closes("Dach repariert, Rinne erledigt")
    assert not closes("the fixed price of the roof")


def test_headings_and_columns_are_known_by_their_words() -> None:
    assert has("report", "Current Status (May)")
    assert has("lasting", "Regeln des Hauses")
    assert has("timer", "Last run")
    assert not has("report", "Garden")


@pytest.mark.parametrize(
    "text",
    [
        "expired keys are the usual cause",
        "an expired key locks the door",
        "renew when expired",
        "if it is cancelled, ask",
        "wenn abgelaufen, neu",
        "si es cancelado",
    ],
)
def test_what_to_do_when_something_is_so_does_not_tell_that_it_is(text: str) -> None:
    assert has("gone", text)
    assert not tells("gone", text)


def test_what_is_so_is_told() -> None:
    assert tells("gone", "the lease is cancelled")
    assert tells("gone", "ask when cancelled; this one was cancelled last week")


@pytest.mark.parametrize(
    "text", ["Done", "**Resolved**, see below", "✅ closed - two doors", "erledigt (Mai)", "已完成"]
)
def test_a_matter_that_is_over_rests(text: str) -> None:
    assert rests(text)


@pytest.mark.parametrize("text", ["Closed doors are blue", "Implemented", "settled in the hall", "open"])
def test_a_word_that_begins_a_phrase_or_goes_on_does_not_rest(text: str) -> None:
    assert not rests(text)


@pytest.mark.parametrize(
    "text", ["roof not yet fixed", "Dach nicht repariert, nicht erledigt", "harvest 2011-2014 verified"]
)
def test_what_is_denied_does_not_close(text: str) -> None:
    assert not closes(text)


@each_row(("kind", "words"), sorted(listed().items()))
def test_every_word_of_a_table_is_known_behind_a_run_of_tabs(kind: str, words: tuple[str, ...]) -> None:
    for word in words:
        assert has(kind, "\t" * 40 + word), word
        assert has(kind, word.swapcase()) or word.swapcase().lower() != word, word


def test_a_long_run_of_tabs_holds_no_word() -> None:
    assert not any(has(kind, "x" + "\t" * 200_000) for kind in ("rule", "done", "waiting", "state"))
