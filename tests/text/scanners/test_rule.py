import time

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from nightledger.domain.finding import Severity
from nightledger.text.scanners.rule import Passage, Rule, Table, lower, matches


def rule(pattern: str, *anchors: str, folded: bool = True) -> Rule:
    return Rule(
        name="secret.test", severity=Severity.BLOCK, message="a test", anchors=anchors, pattern=pattern, folded=folded
    )  # fmt: skip


@given(text=st.text())
def test_lower_casing_moves_no_character(text: str) -> None:
    assert len(lower(text)) == len(text)


def test_a_letter_that_would_grow_stays() -> None:
    assert lower("A\u0130B") == "a\u0130b"


def test_a_match_is_found_once_however_many_anchors_it_holds() -> None:
    assert list(matches(rule("ab+a", "a", "b"), Passage("xx ABBA yy abba"))) == [(3, 7), (11, 15)]


def test_without_its_anchor_a_rule_does_not_run() -> None:
    assert list(matches(rule("b+", "a"), Passage("bbb"))) == []


def test_the_named_group_is_the_finding() -> None:
    assert list(matches(rule("key=(?P<it>[a-z]+)", "key"), Passage("a key=value"))) == [(6, 11)]


def test_distant_anchors_have_windows_of_their_own() -> None:
    text = "key=one" + " " * 2000 + "key=two"
    assert [text[start:end] for start, end in matches(rule("key=[a-z]+", "key"), Passage(text))] == [
        "key=one",
        "key=two",
    ]


def test_a_table_leaves_out_only_rows_that_can_find_nothing_and_keeps_their_order() -> None:
    spotted = replace(rule("d"), spots=("dd",))
    table = Table((rule("b+", "b"), rule(".+"), rule("?b", "?b"), rule("ä", "ä"), spotted, rule("c", "c")))

    def possible(text: str) -> list[str]:
        return [row.pattern for row in table.possible(Passage(text))]

    assert possible("") == [".+"]
    assert possible("ABBA") == ["b+", ".+"]
    assert possible("a d") == [".+"]
    assert possible("is it?b") == ["b+", ".+", "?b"]
    assert possible("isäb") == ["b+", ".+", "ä"]
    assert possible("c and add, ä?b") == ["b+", ".+", "?b", "ä", "d", "c"]


def test_work_is_linear_in_the_text() -> None:
    row = rule("a[a-z ]{0,40}z", "a")
    small, large = (_seconds(row, "a b " * size) for size in (20_000, 160_000))
    assert large < 40 * max(small, 0.001)


def _seconds(row: Rule, text: str) -> float:
    started = time.process_time()
    assert list(matches(row, Passage(text))) == []
    return time.process_time() - started
