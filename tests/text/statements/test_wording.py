from tests.rows import each_row
from tests.text.logs import read

from nightledger.text.similar import numbers
from nightledger.text.statements.wording import clean_line, entry_text, has_reason, shorten


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


def test_a_day_within_brackets_goes_without_one_of_them() -> None:
    log = read("# Log\n## Kettle (said by Ann 2026-03-09)\n- the fuse must be dry")
    assert entry_text(log.lines[2], [log.lines[2]]) == "Kettle (said by Ann): the fuse must be dry"


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


@each_row(
    "line, is_reason",
    [
        (
            "\u4ee5\u540e\u63a8\u9001\u94fe\u63a5\u4e00\u5f8b\u7528\u65b0\u57df\u540d",
            True,
        ),  # from now on always the new domain
        (
            "**\u6559\u8bad**: \u6240\u6709\u4efb\u52a1\u90fd\u5e94\u8be5\u6307\u5b9a\u8def\u5f84",
            True,
        ),  # lesson: name the path
        (
            (
                "\u4eca\u5929\u4e3b\u8981\u53c8\u5199\u4e86\u4e09\u7bc7\u5173\u4e8e\u5c71\u91cc\u8336\u56ed\u548c\u6cb3\u8fb9\u8001\u8857\u7684\u6587\u7ae0\u7136\u540e\u628a\u4e0d\u80fd\u7528\u7684\u56fe\u7247"
                "\u6362\u6210\u4e86\u65b0\u7684\u56fe\u7247\u5e76\u4e14\u91cd\u65b0\u6392\u4e86\u4e00\u904d\u7248\u9762"
            ),
            False,
        ),  # a long day's report, in which "cannot" stands
    ],
)
def test_in_a_long_run_of_unspaced_letters_no_word_is_a_reason(line: str, *, is_reason: bool) -> None:
    assert has_reason(read(f"- {line}").lines[0]) is is_reason
