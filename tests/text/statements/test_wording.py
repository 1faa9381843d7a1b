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


def test_lines_together_become_a_title_with_children_and_repeats_are_said_once() -> None:
    log = read("# Day\n## Kettle\n- never boil it dry\n- Never boil it dry!\n- descale it monthly")
    text = entry_text(log.lines[2], log.lines[2:5])
    assert text == "Kettle:\n  - Never boil it dry!\n  - descale it monthly"


@pytest.mark.parametrize(
    ("heading", "topic"),
    [
        ("Key decisions", ""),
        ("Checkpoint 14:05", "Checkpoint"),
        ("[14:05] Pump room", "Pump room"),
        ("🎯 Pump room ⚙️", "Pump room"),
    ],
)
def test_a_heading_that_names_no_topic_is_no_title(heading: str, topic: str) -> None:
    assert topic_of(read(f"# Day\n## {heading}\n- a long enough line").lines[2]) == topic


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
        ("- the pump room is in hall 7", StatementKind.FACT),
    ],
)
def test_the_kind_follows_label_then_words(text: str, kind: StatementKind) -> None:
    assert judge_kind(read(text).lines[0]) is kind


def test_reasons_are_few_and_name_the_heading() -> None:
    line = read("## Rules\n- the pump room is locked").lines[1]
    assert reasons_for(line) == ("it records a decision", "it stands under 'Rules'")
    assert reasons_for(read("- seals age").lines[0]) == ("it reads like a fact that outlasts its day",)
    assert len(reasons_for(read("- never, must not, because of a rule, from now on").lines[0])) == 3


def test_a_sentence_that_leans_on_the_one_before_takes_it_along() -> None:
    filler = "Looked at the wall for a while. " * 9
    claim = "The pump of hall 7 is old. It must never run dry."
    assert shorten(filler + claim) == claim
    assert shorten("It must never run dry. " + filler) == "It must never run dry."


def test_the_claims_of_an_entry_are_its_children_or_all_its_lines() -> None:
    assert claims_of("Kettle:\n  - never dry\n  - descale it") == ("never dry", "descale it")
    assert claims_of("never dry\n- descale it") == ("never dry", "descale it")
    assert claims_of("never dry") == ("never dry",)
