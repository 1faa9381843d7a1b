from tests.rows import each_row
from tests.text.logs import read

from nightledger.text.similar import numbers
from nightledger.text.statements.wording import (
    clean_line,
    entry_text,
    has_reason,
    judge_kind,
    shelve,
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


def test_a_line_that_names_no_topic_gets_its_headings() -> None:
    log = read("# 2026-03-09\n## 3. Kettle repair (14:05 UTC) ✅\n- the fuse must be dry")
    assert entry_text(log.lines[2], [log.lines[2]]) == "Kettle repair: the fuse must be dry"


def test_a_day_within_brackets_goes_without_one_of_them() -> None:
    log = read("# Log\n## Kettle (said by Ann 2026-03-09)\n- the fuse must be dry")
    assert entry_text(log.lines[2], [log.lines[2]]) == "Kettle (said by Ann): the fuse must be dry"


@each_row(
    "heading, title",
    [
        ("What was built", ""),
        ("What was discussed", ""),
        ("Self-Reflection", ""),
        ("Two steps", ""),
        ("Not recommended", "Not recommended: "),
        ("Fix 2: Kettle base", "Kettle base: "),
        ("Q3: Kettle base", "Q3: Kettle base: "),
        ("Kettle base (in progress)", "Kettle base: "),
        ("Kettle base (afternoon session)", "Kettle base: "),
        ("Kettle base [fixed]", "Kettle base: "),
        ("\u6c34\u58f6\uff08\u8fdb\u884c\u4e2d\uff09", "\u6c34\u58f6: "),  # kettle (in progress)
        (
            "\u6c34\u58f6\uff08\u66f4\u65b0\u89c4\u5219\uff09",
            "\u6c34\u58f6\uff08\u66f4\u65b0\u89c4\u5219\uff09: ",
        ),  # kettle (rules for updates)
        ("Kettle base (not done)", "Kettle base (not done): "),
        ("Kettle base (Ann's)", "Kettle base (Ann's): "),
    ],
)
def test_a_title_names_what_lasts_or_is_left_out(heading: str, title: str) -> None:
    log = read(f"# Day\n## {heading}\n- the fuse must be dry")
    assert entry_text(log.lines[2], [log.lines[2]]) == f"{title}the fuse must be dry"


@each_row(
    "heading, line, section",
    [
        ("Ann's preferences learned", "never call before nine, it was decided", "Preferences"),
        ("Vorlieben von Ann", "Anrufe niemals vor neun Uhr", "Preferences"),
        ("Lessons (reinforced)", "Never check the outside address from within", "Lessons"),
        ("Branching rules (agreed)", "Work on the trunk only", "Rules"),
        ("Kettle", "Never boil it dry", "Rules"),
        ("Kettle", "Ann clarified that the kettle must never boil dry", "Preferences"),
        ("Kettle", "Ann asked whether the kettle may ever boil dry", "Rules"),
        ("Kettle", "Ann clarified that the kettle was old", "Lessons"),
        ("House rules", "Ann instructed: always dry the base", "Rules"),
    ],
)
def test_a_line_goes_where_its_heading_says_or_who_asked(heading: str, line: str, section: str) -> None:
    log = read(f"# Day\n## {heading}\n- {line}")
    assert shelve(judge_kind(log.lines[2], ("de",))) == section


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
        ("\u597d\u7684\uff0c\u4ee5\u540e\u4e0d\u8981\u76f4\u63a5\u63a8\u9001", "\u4ee5\u540e\u4e0d\u8981\u76f4\u63a5\u63a8\u9001"),
        ("No tokens in logs", "No tokens in logs"),
        ("Done: the port is 2222", "Done: the port is 2222"),
        ("Right of way goes to the tram", "Right of way goes to the tram"),
    ],
)  # fmt: skip
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
