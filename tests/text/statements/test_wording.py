from tests.rows import each_row
from tests.text.logs import read

from nightledger.text.similar import numbers
from nightledger.text.statements.wording import clean_line, entry_text, shorten


def test_one_line_is_one_sentence_without_dress() -> None:
    line = read("- ✅ **Never** push on `main`").lines[0]
    assert entry_text(line, [line]) == "Never push on `main`"


def test_a_mark_that_takes_back_what_it_stands_before_stays() -> None:
    for line in read("- ❌ **Always** push on `main`\n- 👎 Always push on `main`").lines:
        assert entry_text(line, [line]) == f"{line.content[0]} Always push on `main`"


def test_bold_goes_and_no_digit_or_name_with_it() -> None:
    line = read("- **Limit:** 2**10 lines a day, set by `**kw` and __init__").lines[0]
    assert entry_text(line, [line]) == "Limit: 2**10 lines a day, set by `**kw` and __init__"


def test_a_line_that_names_no_topic_gets_its_headings() -> None:
    log = read("# 2026-03-09\n## 3. Kettle repair (14:05 UTC) ✅\n- the fuse must be dry")
    assert entry_text(log.lines[2], [log.lines[2]]) == "Kettle repair: the fuse must be dry"


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


@each_row(
    "said, kept",
    [
        ("Good. From now on ask for the form first", "From now on ask for the form first"),
        ("No, staging listens on port 2222", "staging listens on port 2222"),
        ("Done. Lesson: the deploy needs the bastion", "Lesson: the deploy needs the bastion"),
        (
            "\u597d\u7684\uff0c\u4ee5\u540e\u4e0d\u8981\u76f4\u63a5\u63a8\u9001",
            "\u4ee5\u540e\u4e0d\u8981\u76f4\u63a5\u63a8\u9001",
        ),
        ("No tokens in logs", "No tokens in logs"),
        ("Done: the port is 2222", "Done: the port is 2222"),
        ("Right of way goes to the tram", "Right of way goes to the tram"),
    ],
)
def test_what_only_answers_is_left_out(said: str, kept: str) -> None:
    assert clean_line(read(f"- {said}").lines[0]) == kept
