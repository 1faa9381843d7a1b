from tests.rows import from_corpus
from tests.text.logs import read

from nightledger.text.similar import numbers
from nightledger.text.statements.wording import (
    clean_line,
    entry_text,
    has_reason,
    judge_kind,
    row_of,
    shorten,
)


def test_one_line_is_one_sentence_without_dress() -> None:
    line = read("- ✅ **Never** push on `main`").lines[0]
    assert entry_text(line, [line]) == "Never push on `main`"


def test_a_mark_that_takes_back_what_it_stands_before_stays() -> None:
    for line in read("- ❌ **Always** push on `main`\n- 👎 Always push on `main`").lines:
        assert entry_text(line, [line]) == f"{line.content[0]} Always push on `main`"


def test_bold_goes_and_no_digit_or_name_with_it() -> None:
    line = read("- **Limit:** 2**10 lines a day, set by `**kw` and __init__").lines[0]
    assert entry_text(line, [line]) == "Limit: 2**10 lines a day, set by `**kw` and __init__"


def test_where_the_nearest_heading_names_no_topic_the_one_above_it_does() -> None:
    def title(headings: str) -> str:
        line = read(f"# 2026-03-09\n{headings}\n- the fuse must be dry").lines[-1]
        return entry_text(line, [line]).removesuffix("the fuse must be dry")

    assert title("## Kettle\n### Key discovery") == "Kettle: "
    assert title("## Morning: Kettle\n### Summary") == "Kettle: "
    assert title("## Kettle\n### Pump\n#### Lessons learned") == "Pump: "
    assert title("## Summary") == ""
    assert title("## Kettle\n### Cooking rules") == "Kettle: Cooking rules: "
    assert title("## Kettle\n### Rules for whoever moves it") == "Rules for whoever moves it: "
    assert title("## Sitzung 3 \u2014 Kettle\n### Summary") == "Kettle: "


@from_corpus("text-statements-wording")
def test_a_title_names_what_lasts_or_is_left_out(heading: str, title: str) -> None:
    log = read(f"# Day\n## {heading}\n- the fuse must be dry")
    assert entry_text(log.lines[2], [log.lines[2]]) == f"{title}the fuse must be dry"


@from_corpus("text-statements-wording")
def test_a_line_goes_where_its_heading_says_or_who_asked(heading: str, line: str, section: str) -> None:
    log = read(f"# Day\n## {heading}\n- {line}")
    assert row_of(judge_kind(log.lines[2], ("de",))).section == section


def test_lines_together_become_a_title_with_children_and_repeats_are_said_once() -> None:
    log = read("# Day\n## Kettle\n- never boil it dry\n- Never boil it dry!\n- descale it monthly")
    text = entry_text(log.lines[2], log.lines[2:5])
    assert text == "Kettle:\n  - Never boil it dry!\n  - descale it monthly"


def test_a_long_line_is_cut_to_whole_sentences_that_claim_something() -> None:
    claim = "The pump of hall 7 cannot start before 06:30 because the valve is locked."
    text = "Went to the hall. " + claim + " Looked at the wall for a while. " * 9
    assert shorten(text) == claim
    assert clean_line(read(f"- {text}").lines[0]) == claim
    assert numbers(claim) <= numbers(text)


@from_corpus("text-statements-wording")
def test_what_only_answers_is_left_out(said: str, kept: str) -> None:
    assert clean_line(read(f"- {said}").lines[0]) == kept


@from_corpus("text-statements-wording")
def test_in_a_long_run_of_unspaced_letters_no_word_is_a_reason(line: str, *, is_reason: bool) -> None:
    assert has_reason(read(f"- {line}").lines[0]) is is_reason
