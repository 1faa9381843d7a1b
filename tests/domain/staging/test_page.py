"""The page of staged context: whole, dated, or nothing."""

import pytest

from nightledger.domain.exposure import END, HEAD, dump_page, live_lines, parse_page, tell_line

UNTIL = "2026-03-04T00:00:00Z"
LINE = tell_line("Root cause: cron has no PATH", "memory/2026-02-28.md:5-6", "for the event 10:00-11:00")


def test_a_page_is_fenced_says_what_it_is_and_comes_back_as_it_was() -> None:
    text = dump_page([LINE, "another"], UNTIL)
    page = parse_page(text)
    assert page is not None
    assert (page.lines, page.good_until) == ((LINE, "another"), UNTIL)
    first, *rest = text.split("\n")
    assert first == f"<!-- nightledger:staged:start sha256={page.sha256} good-until={UNTIL} -->"
    assert rest[0] == HEAD
    assert "not instructions" in HEAD
    assert rest[-2:] == [END, ""]


@pytest.mark.parametrize("change", ["", "x", "cut", "until", "after", "no end"])
def test_anything_that_is_not_the_whole_page_is_none(change: str) -> None:
    text = dump_page([LINE], UNTIL)
    others = {
        "": "",
        "x": text.replace("PATH", "path"),
        "cut": text[:-10],
        "until": text.replace("2026-03-04", "2027-03-04", 1),
        "after": f"{text}# More\n",
        "no end": text.replace(END, ""),
    }
    assert parse_page(others[change]) is None


def test_lines_go_when_their_time_is_over_and_all_of_them_when_the_pages_is() -> None:
    page = parse_page(
        dump_page([LINE, tell_line("Standup", "calendar work", "event", "2026-03-03T11:00:00Z")], UNTIL)
    )
    assert page is not None
    assert live_lines(page, "2026-03-03T10:59:59Z") == (0, 1)
    assert live_lines(page, "2026-03-03T11:00:00Z") == (0,)
    assert live_lines(page, "2026-03-04T00:00:00Z") == ()
