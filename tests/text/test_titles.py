"""What of a heading's title is carried along."""

from datetime import date

from nightledger.text.checkup.signs import look
from nightledger.text.checkup.units import read_units
from nightledger.text.markdown.document import parse_markdown
from nightledger.text.search.chunks import cut_markdown
from nightledger.text.statements.daylog import read_daylog
from nightledger.text.visible import TITLE_CHARACTERS, carried


def test_a_title_within_the_bound_is_carried_whole() -> None:
    for title in ("", "Lessons", "a" * TITLE_CHARACTERS, ("word " * TITLE_CHARACTERS)[:TITLE_CHARACTERS]):
        assert carried(title) == title


def test_a_longer_title_ends_behind_a_whole_word_within_the_bound() -> None:
    title = "a" * 200 + " " + "b" * 39
    assert carried(title + " c") == title
    assert carried(title + "b") == "a" * 200
    assert carried(title[:-1] + "  cc") == title[:-1]


def test_of_one_word_beyond_the_bound_nothing_is_carried_as_a_part_of_a_secret_would_not_be_known() -> None:
    assert carried("a" * (TITLE_CHARACTERS + 1)) == ""


def test_chunks_below_a_heading_without_an_end_cost_what_they_cost_below_a_short_one() -> None:
    text = f"# {'wort ' * 100_000}\n" + "- the disk was full\n" * 30_000
    chunks = cut_markdown(text)
    assert len(chunks) > 1_000
    assert all(len(chunk.heading) <= TITLE_CHARACTERS for chunk in chunks)
    assert chunks[0].start == 0, "the heading's own line is searched whole"


def test_lines_of_a_log_below_a_heading_without_an_end_carry_a_part_of_it() -> None:
    log = read_daylog("memory/2026-03-02.md", f"# Disks {'x' * 9_000}\n- full\n", date(2026, 3, 2))
    assert log.lines[1].headings == ("Disks",)
    assert len(log.lines[0].text) > 9_000


def test_a_check_up_looks_at_a_part_of_a_heading_without_an_end() -> None:
    units = read_units(parse_markdown(f"# Disks {'x' * 9_000} 2026-03-01\n\n- full\n"))
    views = list(look(units, date(2026, 3, 2)))
    assert not views[0].headings[0].dates
    assert len(views[0].unit.headings[0]) > 9_000, "where a proposal goes is named in full"
