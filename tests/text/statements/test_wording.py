import pytest
from tests.text.logs import read

from nightledger.domain.daylog import StatementKind
from nightledger.text.similar import numbers
from nightledger.text.statements.wording import (
    claims_of,
    clean_line,
    entry_text,
    judge_kind,
    reasons_for,
    shorten,
    topic_of,
)


def test_one_line_is_one_sentence_without_dress() -> None:
    line = read("- ✅ **Never** push on `main`").lines[0]
    assert entry_text(line, [line]) == "Never push on `main`"


def test_a_line_that_names_no_topic_gets_its_headings() -> None:
    log = read("# 2026-03-09\n## 3. Kettle repair (14:05 UTC) ✅\n- the fuse must be dry")
    assert entry_text(log.lines[2], [log.lines[2]]) == "Kettle repair: the fuse must be dry"


def test_a_topic_that_the_line_names_already_is_not_said_twice() -> None:
    log = read("# Day\n## Kettle fuse\n- the kettle fuse must be dry")
    assert entry_text(log.lines[2], [log.lines[2]]) == "the kettle fuse must be dry"


def test_lines_together_become_a_title_with_children_and_repeats_are_said_once() -> None:
    log = read("# Day\n## Kettle\n- never boil it dry\n- Never boil it dry!\n- descale it monthly")
    text = entry_text(log.lines[2], log.lines[2:5])
    assert text == "Kettle:\n  - Never boil it dry!\n  - descale it monthly"


def test_lines_without_a_topic_stand_alone() -> None:
    log = read("- never boil it dry\n- descale it monthly")
    assert entry_text(log.lines[0], log.lines) == "never boil it dry\n- descale it monthly"


@pytest.mark.parametrize(
    ("heading", "topic"),
    [
        ("Key decisions", ""),
        ("Lessons learned", ""),
        ("2026-03-09", ""),
        ("Checkpoint 14:05", "Checkpoint"),
        ("[14:05] Pump room", "Pump room"),
        ("Phase 2: Pump room", "Pump room"),
        ("🎯 Pump room ⚙️", "Pump room"),
    ],
)
def test_a_heading_that_names_no_topic_is_no_title(heading: str, topic: str) -> None:
    assert topic_of(read(f"# Day\n## {heading}\n- a long enough line").lines[2]) == topic


def test_a_foreign_heading_that_names_no_topic_is_known_as_such() -> None:
    line = read("# Tag\n## Entscheidungen\n- der Kocher bleibt").lines[2]
    assert topic_of(line, ("de",)) == ""


def test_a_long_line_is_cut_to_whole_sentences_that_claim_something() -> None:
    claim = "The pump of hall 7 cannot start before 06:30 because the valve is locked."
    text = "Went to the hall. " + claim + " Looked at the wall for a while. " * 9
    assert shorten(text) == claim
    assert clean_line(read(f"- {text}").lines[0]) == claim
    assert numbers(claim) <= numbers(text)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("- **Decision:** never mind the kettle", StatementKind.DECISION),
        ("- Ann prefers tea", StatementKind.PREFERENCE),
        ("- never boil it dry", StatementKind.RULE),
        ("- it leaks because the seal is old", StatementKind.CAUSE),
        ("- the earlier note was wrong about the seal", StatementKind.CORRECTION),
        ("- need to open the valve", StatementKind.PROCEDURE),
        ("- lesson: look at the seal", StatementKind.LESSON),
        ("- the pump room is in hall 7", StatementKind.FACT),
    ],
)
def test_the_kind_follows_label_then_words(text: str, kind: StatementKind) -> None:
    assert judge_kind(read(text).lines[0]) is kind


def test_the_heading_decides_where_the_words_do_not() -> None:
    assert judge_kind(read("## Lessons\n- seals age").lines[1]) is StatementKind.LESSON


def test_reasons_are_few_and_name_the_heading() -> None:
    line = read("## Rules\n- the pump room is locked").lines[1]
    assert reasons_for(line) == ("it records a decision", "it stands under 'Rules'")
    assert reasons_for(read("- seals age").lines[0]) == ("it reads like a fact that outlasts its day",)
    assert len(reasons_for(read("- never, must not, because of a rule, from now on").lines[0])) == 3


def test_a_turn_of_a_chat_is_not_titled_with_the_exports_heading() -> None:
    log = read(
        "# Session\n## Conversation summary\nuser: never wake me at night\nassistant: I will not do that"
    )
    assert entry_text(log.lines[2], [log.lines[2]]) == "never wake me at night"


def test_a_line_that_says_what_the_title_says_is_no_child() -> None:
    log = read("# Day\nThe pump room now:\n- the pump room now\n- it must stay dry\n- nobody sleeps in it")
    assert entry_text(log.lines[3], log.lines[2:5]) == (
        "The pump room now:\n  - it must stay dry\n  - nobody sleeps in it"
    )


@pytest.mark.parametrize(
    ("heading", "topic"),
    [
        ("Pump: 14:05 - Hall 7", "Pump: Hall 7"),
        ("Pump (14:05) of hall 7", "Pump of hall 7"),
        ("Pump - valve", "Pump - valve"),
    ],
)
def test_a_title_closes_over_the_time_that_is_taken_out(heading: str, topic: str) -> None:
    assert topic_of(read(f"# Day\n## {heading}\n- a long enough line").lines[2]) == topic


def test_no_sentence_ends_within_code_a_quotation_or_brackets() -> None:
    filler = "Looked at the wall for a while. " * 9
    for claim in (
        "The log says `pump: off. valve: open` because the fuse is out.",
        'Ann said "Never. Not at night." because of the cats.',
        "The valve (see hall 7. North) must stay shut.",
    ):
        assert shorten(f"{filler}{claim} {filler}") == claim


def test_a_sentence_that_leans_on_the_one_before_takes_it_along() -> None:
    filler = "Looked at the wall for a while. " * 9
    claim = "The pump of hall 7 is old. It must never run dry."
    assert shorten(filler + claim) == claim
    assert shorten("It must never run dry. " + filler) == "It must never run dry."


def test_the_claims_of_an_entry_are_its_children_or_all_its_lines() -> None:
    assert claims_of("Kettle:\n  - never dry\n  - descale it") == ("never dry", "descale it")
    assert claims_of("never dry\n- descale it") == ("never dry", "descale it")
    assert claims_of("never dry") == ("never dry",)


def test_only_the_nearest_heading_is_a_title() -> None:
    log = read("# Day\n## Kettle\n### Lessons\n- a long enough line")
    assert topic_of(log.lines[3]) == ""


def test_the_first_heading_is_a_title_where_it_names_no_day() -> None:
    assert topic_of(read("# Pump room\n- a long enough line").lines[1]) == "Pump room"
    assert topic_of(read("# Notes of 2026-03-09\n- a long enough line").lines[1]) == ""


def test_a_sentence_that_tells_what_was_done_stays_only_where_no_other_claims_anything() -> None:
    filler = (
        "The hall was full of people and the tea was cold, as on most days of that long and rainy week. " * 4
    )
    done = "Moved the pump, which must not run dry."
    assert shorten(f"{filler}Ann wants quiet mornings. {done}") == "Ann wants quiet mornings."
    assert shorten(filler + done) == done
