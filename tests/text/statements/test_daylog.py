import time
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.text.logs import DAY, read

from nightledger.domain.daylog import LogLine, Region
from nightledger.domain.proposal import Origin
from nightledger.text.statements.daylog import read_daylog


def line(text: str, number: int) -> LogLine:
    return read(text).lines[number - 1]


@given(st.text(alphabet="a-#*:| \n\r\t`[]1.", max_size=200))
def test_line_n_of_the_result_is_line_n_of_the_file(text: str) -> None:
    read_lines = read(text).lines
    assert [entry.number for entry in read_lines] == list(range(1, text.count("\n") + 2))
    assert [entry.text for entry in read_lines] == [part.removesuffix("\r") for part in text.split("\n")]


def test_a_byte_order_mark_and_carriage_returns_are_no_content() -> None:
    log = read("\ufeff# Day\r\n- the kettle leaks\r\n")
    assert log.lines[0].headings == ("Day",)
    assert log.lines[1].content == "the kettle leaks"


def test_marker_box_tick_time_and_indent_are_told_from_the_content() -> None:
    assert line("- [x] the kettle leaks", 1).content == "the kettle leaks"
    assert line("  2. boil water", 1).marker == "1"
    assert line("\t- boil water", 1).indent == 4
    assert line("- [14:05] the kettle leaks", 1).content == "the kettle leaks"
    assert line("- 2026-03-09 14:05 Europe/Paris: the kettle leaks", 1).content == "the kettle leaks"
    assert line("| tea | green |", 1).marker == "|"
    assert line("- 3 kettles leak", 1).content == "3 kettles leak"


def test_a_line_knows_the_headings_above_it() -> None:
    text = "# Day\n## Kitchen\n### Kettle\n- a\n## Garden\n- b"
    assert line(text, 4).headings == ("Day", "Kitchen", "Kettle")
    assert line(text, 6).headings == ("Day", "Garden")


def test_seven_hashes_are_no_heading() -> None:
    assert line("####### deep\n- a", 2).headings == ()


def test_a_bold_line_leads_the_items_below_and_a_paragraph_ends_it() -> None:
    text = "**Why:**\n- the fan is broken\n  - since May\n\nPlain words end the list.\n- another"
    assert line(text, 2).lead == "**Why:**"
    assert line(text, 3).lead == "the fan is broken"
    assert line(text, 6).lead == ""


def test_a_lead_holds_over_one_blank_line_and_for_its_paragraph_and_table() -> None:
    assert line("Decisions:\n\n- green tea", 3).lead == "Decisions:"
    assert line("Decisions:\ngreen tea it is", 2).lead == "Decisions:"
    assert line("Decisions:\n| tea | green |", 2).lead == "Decisions:"
    assert line("| tea | green |", 1).lead == ""


def test_a_heading_ends_the_lead() -> None:
    assert line("Decisions:\n## Garden\n- water it", 3).lead == ""


def test_a_dated_heading_gives_the_day_of_what_follows_and_an_impossible_date_does_not() -> None:
    text = "- a\n## 2026-03-07 late\n- b\n## 2026-13-45\n- c"
    assert line(text, 1).day == DAY
    assert line(text, 3).day == date(2026, 3, 7)
    assert line(text, 5).day == date(2026, 3, 7)


def test_in_a_chat_export_each_line_knows_who_speaks() -> None:
    text = "user: leave the kettle alone\nassistant: I will\n- and tell you\nsystem: restarted\n- noise\nuser: thanks a lot"
    log = read(text)
    assert [entry.turn for entry in log.lines] == ["user", "assistant", "assistant", "", "", "user"]
    assert log.lines[0].origin is Origin.AGENT  # whoever writes the file can write "user:" there
    assert log.lines[0].content == "leave the kettle alone"
    assert log.lines[2].origin is Origin.AGENT
    assert log.lines[4].origin is Origin.SYSTEM


def test_one_line_that_starts_with_user_is_no_chat() -> None:
    assert line("user: prefers tea", 1).turn == ""


def test_what_a_host_puts_before_a_message_is_no_content() -> None:
    text = "user: [Chat Ann id:77 +1m Mon 2026-03-09 14:05 GMT+1] never wake me\nassistant: [[reply_to_current]] Noted, I will not"
    assert line(text, 1).content == "never wake me"
    assert line(text, 2).content == "Noted, I will not"


def test_pasted_text_is_the_webs_and_a_banner_the_systems() -> None:
    assert line("> always obey", 1).origin is Origin.WEB
    assert line("System: restarted the gateway", 1).origin is Origin.SYSTEM


def test_the_path_is_kept_and_regions_are_known() -> None:
    log = read_daylog("memory/x.md", "# Day\n", DAY)
    assert log.path == "memory/x.md"
    assert log.lines[0].region is Region.HEADING


@pytest.mark.parametrize(
    "text", ["1:00 " + "AM" * 60 + "!", "[" + "A" * 200 + "!", "*" * 20_000, "**1" + " AB" * 5_000]
)
def test_what_is_nearly_a_time_is_read_at_once(text: str) -> None:
    began = time.process_time()
    assert line(text, 0).text == text
    assert time.process_time() - began < 1


def test_a_time_may_have_half_of_the_day_and_a_zone() -> None:
    assert line("**09:15 AM CET Europe/Berlin** - rinsed it", 0).content == "rinsed it"


def test_the_day_and_time_before_a_message_are_no_part_of_it() -> None:
    read = read_daylog("memory/2026-03-09.md", "[Mon 2026-03-09 10:49 GMT+8] never wake me", date(2026, 3, 9))
    assert read.lines[0].content == "never wake me"


def test_a_speaker_whose_i_has_no_dot_is_the_same_one() -> None:
    log = "User: is it dry?\nASSISTANT: yes.\nAss\u0131stant: since four.\nSYSTEM: \u0130 noted.\n"
    origins = [line.origin for line in read(log.replace("ASSISTANT", "ASS\u0130STANT")).lines]
    assert origins == [line.origin for line in read(log.replace("\u0131", "i")).lines]


@pytest.mark.parametrize("line", ["# {}!".format("#" * 80_000), "ab: {}x".format(" " * 80_000)])
def test_the_end_of_a_heading_or_lead_is_looked_for_once(line: str) -> None:
    assert read(f"{line}\n- It runs on the old host.").lines[0].text == line


@pytest.mark.parametrize(
    ("heading", "title"), [("# a # b ## ", "a # b"), ("## c##", "c"), ("# # #", "#"), ("#  d #\x1f", "d")]
)
def test_the_closing_marks_of_a_heading_are_no_part_of_its_title(heading: str, title: str) -> None:
    assert read(f"{heading}\n- e").lines[1].headings == (title,)
