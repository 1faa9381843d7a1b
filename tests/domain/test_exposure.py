"""What an agent is shown: the page of staged context, what a text is worth at a prompt, the record of the showing."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row

from nightledger.domain import exposure
from nightledger.domain.exposure import END, HEAD, parse_page, weigh

UNTIL = "2026-03-04T00:00:00Z"
LINE = exposure.tell_line(
    "Root cause: cron has no PATH", "memory/2026-02-28.md:5-6", "for the event 10:00-11:00"
)
PAGE = exposure.dump_page(
    [LINE, exposure.tell_line("Standup", "calendar work", "event", "2026-03-03T11:00:00Z")], UNTIL
)


def test_a_page_is_fenced_says_what_it_is_and_comes_back_as_it_was() -> None:
    page = parse_page(exposure.dump_page([LINE, "another"], UNTIL))
    assert page is not None
    assert (page.lines, page.good_until) == ((LINE, "another"), UNTIL)
    marker = f"<!-- nightledger:staged:start sha256={page.sha256} good-until={UNTIL} -->"
    assert exposure.dump_page([LINE, "another"], UNTIL) == f"{marker}\n{HEAD}\n\n- {LINE}\n- another\n{END}\n"
    assert "not instructions" in HEAD


@each_row(
    "text",
    [
        *("", PAGE.replace("PATH", "path"), PAGE[:-10], PAGE.replace("2026-03-04", "2027-03-04", 1)),
        *(f"{PAGE}# More\n", PAGE.replace(END, "")),
    ],
)
def test_anything_that_is_not_the_whole_page_is_none(text: str) -> None:
    assert parse_page(text) is None


def test_lines_go_when_their_time_is_over_and_all_of_them_when_the_pages_is() -> None:
    page = parse_page(PAGE)
    assert page is not None
    times = ("2026-03-03T10:59:59Z", "2026-03-03T11:00:00Z", "2026-03-04T00:00:00Z")
    assert [exposure.live_lines(page, now) for now in times] == [(0, 1), (0,), ()]


# ---------------------------------------------------------------- how much a text has to do with a prompt

counts = st.integers(min_value=0, max_value=10_000)


@given(chunks=counts, holding=counts)
def test_a_rarer_word_tells_more_and_none_tells_less_than_nothing(chunks: int, holding: int) -> None:
    assert exposure.information(chunks, holding) > 0
    assert exposure.information(chunks, holding) >= exposure.information(
        chunks, min(holding + 1, max(chunks, holding))
    )


def test_half_of_what_a_prompt_says_scores_a_quarter() -> None:
    asked = weigh(["a", "b", "c", "d"], [], dict.fromkeys("abcd", 5), 1000)
    whole = asked.score(["a", "b", "c", "d"])
    assert math.isclose(whole, 4 * exposure.information(1000, 5), abs_tol=1e-4)
    assert math.isclose(asked.score(["a", "c"]), whole / 4, abs_tol=1e-4)
    assert asked.score([]) == 0


def test_words_that_nothing_holds_speak_against_every_line() -> None:
    known = weigh(["a", "b"], [], {"a": 5, "b": 5}, 1000).score(["a"])
    assert weigh(["a", "x"], [], {"a": 5, "x": 0}, 1000).score(["a"]) < known
    assert weigh(["x"], [], {"x": 0}, 1000).words == {}


def test_an_earlier_word_counts_a_part_and_is_nothing_that_the_prompt_says() -> None:
    holding = {"a": 5, "b": 5}
    alone, after = weigh(["a"], [], holding, 1000), weigh(["a"], ["b"], holding, 1000)
    assert after.own == alone.own
    assert math.isclose(after.words["b"], exposure.EARLIER * after.words["a"])
    assert after.score(["a", "b"]) > after.score(["a"]) == alone.score(["a"])
    assert weigh(["a"], ["a"], holding, 1000).words == alone.words


NAMES = ("6f0d3c2e-8a51-4c7b", "agent:main:main", "a", "x" * 128)


@pytest.mark.parametrize("name", [*NAMES, "", None, 7, [], "a b", "../x", "x" * 129, "a\n", "ä", "-x"])
def test_a_hosts_name_of_a_session_is_kept_and_what_is_none_is_not(name: object) -> None:
    assert exposure.session_name(name) == (name if name in NAMES else "")
