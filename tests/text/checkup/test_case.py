from datetime import date

import pytest
from tests.rows import each_row

from nightledger.domain.finding import Doubt, DoubtLabel
from nightledger.domain.proposal import Op
from nightledger.text.checkup.case import CERTAIN_ENOUGH, find_cases
from nightledger.text.checkup.units import read_units
from nightledger.text.markdown.document import parse_markdown

TODAY = date(2026, 5, 1)


def cases(text: str) -> list[Doubt]:
    return find_cases(read_units(parse_markdown(text)), TODAY)


def lines(text: str) -> list[int]:
    return [doubt.lines[0] for doubt in cases(text)]


@each_row(
    "text",
    [
        "- Anna prefers mail before noon\n",
        "- Never open the valve without asking\n",
        "- The press stands in the hall by the river\n",
        "- Address: 10.3.10.66\n",
        "## Status\n- two lamps\n",
        "## Workshop (2026-03-02)\n- two lamps\n",
        "- ✅ ask before lending\n",
        "| Host | Status |\n|---|---|\n| atlas | good |\n",
        "| Date | Decision | Reason |\n|---|---|---|\n| 2026-03-09 | Removed the red press | too loud |\n",
        "- 每次部署前必须先备份\n",
        "- Backups: `/srv/atlas`, keep 14 days\n",
        "DECISION: two presses\nDATE: 2026-01-04\nSTATUS: Implemented\n\nDECISION: no paint\nSTATUS: Implemented\n",
        "- The lease ends 2026-08-01, look for another\n",
        "- Tokens last ten days (verified 2026-04-02)\n",
        "## Plans (2026-04-28)\n- Lease: pending signature\n",
        "| Tool | Status | Where |\n|---|---|---|\n| calendar | ✅ Active | `.env` |\n",
    ],
)
def test_rules_wishes_facts_and_lone_weak_signs_are_not_doubted(text: str) -> None:
    assert cases(text) == []


@each_row(
    ("text", "label"),
    [
        ("## Status (2026-04-04)\n- ✅ roof fixed\n", DoubtLabel.CLOSED),
        ("- [x] buy a ladder\n", DoubtLabel.CLOSED),
        ("- **ferry** — DECOMMISSIONED 2026-02-11\n", DoubtLabel.CLOSED),
        ("- Lease: pending signature\n", DoubtLabel.STALE),
        ("- **Python:** 3.10.1\n", DoubtLabel.STALE),
        ("Last updated: 2026-04-04\n", DoubtLabel.STALE),
        ("- Offer of the mill is valid until 2026-04-01\n", DoubtLabel.STALE),
        ("- The new plates must be ordered by 2026-04-01\n", DoubtLabel.STALE),
        ("- Last count 2026-04-01 06:30, 12 lamps, OK\n", DoubtLabel.STALE),
        ("- Try the small press until 2026-04-01\n", DoubtLabel.STALE),
        ("- ~~Order new plates~~ done 2026-04-01\n", DoubtLabel.CLOSED),
        ("- Leak over the press (resolved 2026-04-01, new pipe)\n", DoubtLabel.CLOSED),
        ("- STATUS: Done - plates for the fair\n", DoubtLabel.CLOSED),
        ("DECISION: two presses\nDATE: 2026-01-04\nWHY: slow\nSTATUS: Resolved\n", DoubtLabel.CLOSED),
        ("| Check | Last run |\n|---|---|\n| roof | 2026-04-01 |\n", DoubtLabel.STALE),
        ("- 7e40c19: guide for the press\n", DoubtLabel.JUNK),
        ("_(will be filled)_\n", DoubtLabel.JUNK),
        ("- note of the day [score=0.87 recalls=0]\n", DoubtLabel.GENERATED),
        ("- Stand: der Vertrag ist noch nicht da, wartet auf Anna\n", DoubtLabel.STALE),
        ("## 系统状态 2026-03-02\n- 备份 ✅ 完成\n", DoubtLabel.CLOSED),
    ],
)
def test_what_no_longer_belongs_is_doubted(text: str, label: DoubtLabel) -> None:
    (doubt,) = cases(text)
    assert doubt.label is label
    assert doubt.confidence >= CERTAIN_ENOUGH
    assert doubt.reason
    assert doubt.op is (Op.ARCHIVE if label in {DoubtLabel.CLOSED, DoubtLabel.STALE} else Op.REMOVE)


def test_signs_add_up_and_a_rule_among_them_counts_against() -> None:
    (sure,) = cases("## Status (2026-04-04)\n- ✅ roof fixed, deal closed\n")
    (less,) = cases("## Status (2026-04-04)\n- ✅ roof fixed, deal closed: never lend it\n")
    assert less.confidence < sure.confidence


def test_a_second_reason_says_another_thing_than_the_first() -> None:
    (doubt,) = cases("## Status\n- Small press until 2026-04-01\n")
    assert doubt.reason == "the end that it names has passed and it stands under a report"
    assert "missed" in doubt.signs
    (doubt,) = cases("- Small press until 2026-04-01\n")
    assert doubt.reason == "the end that it names has passed"


def test_a_detail_goes_with_its_item_and_an_item_only_with_its_details() -> None:
    assert lines("- [x] buy a ladder\n  - three metres\n") == [1, 2]
    assert lines("- [x] buy a ladder\n  - never lean it on the glass, always ask Anna\n") == []


def test_a_detail_that_goes_with_its_item_says_so() -> None:
    assert [doubt.reason for doubt in cases("- [x] buy a ladder\n  - three metres\n  - [x] wood\n")] == [
        "its box is ticked",
        "it belongs to line 1, which goes",
        "its box is ticked",
    ]


def test_what_was_signed_pulls_no_detail_along() -> None:
    units = read_units(parse_markdown("- [x] buy a ladder\n  - three metres\n"))
    assert find_cases(units, TODAY, {0}) == []


def test_what_only_waits_keeps_its_details_and_stays_with_them() -> None:
    assert lines("- Second lamp (still pending)\n  - hangs over the door\n") == []
    assert lines("- Second lamp (still pending)\n") == [1]


@pytest.mark.parametrize(
    "text",
    [
        "## Backlog\n| Task | Priority |\n|---|---|\n| roof | high |\n",
        "## Status (2026-03-02)\n- ✅ Roof ordered, gutter still pending\n",
    ],
)
def test_what_is_still_open_is_never_called_closed(text: str) -> None:
    (doubt,) = cases(text)
    assert doubt.label is DoubtLabel.STALE


def test_a_ticked_box_is_closed_whatever_it_says() -> None:
    (doubt,) = cases("- [x] Ask about the pending lease\n")
    assert doubt.label is DoubtLabel.CLOSED


@pytest.mark.parametrize(
    "text",
    [
        "**Pending plan (not yet built):**\n\n- lamps by the door\n",
        "## Status\n**Press** \N{WHITE HEAVY CHECK MARK} done\n- prints on both sides\n",
    ],
)
def test_a_sentence_that_announces_what_stays_stays(text: str) -> None:
    assert cases(text) == []


def test_a_bold_sentence_above_no_list_announces_nothing() -> None:
    assert lines("## Status\n**Press** \N{WHITE HEAVY CHECK MARK} done\n\nprints on both sides\n") == [2]


def test_a_repeat_names_the_line_that_it_repeats() -> None:
    (doubt,) = cases("- Ask before the press is moved\n- Ask before the press is moved\n")
    assert (doubt.lines, doubt.label, doubt.other) == ((2, 2), DoubtLabel.DUPLICATE, 1)
    assert "line 1" in doubt.reason


def test_what_was_signed_is_not_doubted() -> None:
    units = read_units(parse_markdown("- [x] buy a ladder\n- Ask before the press is moved\n" * 2))
    assert [doubt.lines[0] for doubt in find_cases(units, TODAY, {2, 3})] == [1]
    assert find_cases(units, TODAY, {0, 1, 2, 3}) == []


def test_an_item_above_what_was_signed_stays() -> None:
    units = read_units(parse_markdown("- [x] buy a ladder\n  - three metres\n"))
    assert find_cases(units, TODAY, {1}) == []


def test_a_contradiction_is_shown_with_the_later_line() -> None:
    (doubt,) = cases(
        "- Push the branch to the shared server\n\n- Never push the branch to the shared server\n"
    )
    assert (doubt.lines, doubt.label, doubt.other, doubt.op) == (
        (1, 1),
        DoubtLabel.CONTRADICTION,
        3,
        Op.ARCHIVE,
    )


def test_the_stronger_of_two_reasons_is_given() -> None:
    assert [doubt.label for doubt in cases("- [x] buy a new ladder\n" * 2)] == [
        DoubtLabel.CLOSED,
        DoubtLabel.DUPLICATE,
    ]
    sure = "- 7e40c19: guide for the press [score=0.87]\n"
    assert [doubt.label for doubt in cases(sure * 2)] == [DoubtLabel.GENERATED, DoubtLabel.GENERATED]
