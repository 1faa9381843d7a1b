import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.domain.gate_values import change, proposal
from tests.gate.homes import evidence

from nightledger.domain.proposal import Flag, Origin, Scope
from nightledger.gate.reviewing import Item
from nightledger.gate.stored import Stored
from nightledger.surfaces import screen
from nightledger.text.visible import visible

WORDS = st.text(alphabet=st.sampled_from("ab \u6f22\u3000\u0301-"), max_size=200)


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")


@given(st.sampled_from("+- "), WORDS)
def test_a_long_line_of_a_diff_goes_on_in_rows_of_its_own_sign(sign: str, text: str) -> None:
    rows = screen.diff_lines(f"{sign}{text}\n")
    assert all(row.startswith(sign) and screen.columns(row) <= 40 for row in rows)
    assert all(row[1:3] == screen.GOES_ON for row in rows[1:])
    shown = rows[0][1:] + "".join(row[3:] for row in rows[1:])
    assert shown == screen._told_apart(visible(text), sign=sign)


def test_nothing_from_a_file_acts_on_the_terminal() -> None:
    (row,) = screen.diff_lines("+\x1b[2J\x07\u202e\u200b\n")
    assert row == "+\\u{1b}[2J\\u{7}\\u{202e}\\u{200b}"
    assert screen.shown("a\nb\x1b") == "a b\\u{1b}"
    assert screen.text_lines("\x1b" + "x" * 50, indent="    ") == [
        "    \\u{1b}" + "x" * 30,
        "    " + "x" * 20,
    ]


def test_a_change_is_shown_with_all_that_an_operator_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    shown = replace(
        change(1),
        reason="it failed\x1b twice",
        evidence=tuple(replace(evidence(f"m/{n}.md"), lines=(n, n + (n > 2))) for n in range(1, 6)),
        provenance=(Origin.AGENT, Origin.WEB),
        scope=Scope(fails_when="on Mondays", fine_when="on Sundays"),
        flags=(Flag(rule="single_source", message="one day only"),),
        diff="+stored\n",
    )
    stored = Stored(proposal=proposal(shown, title="A week"), sha256="")
    item = Item(stored=stored, status=None, change=shown, diff="+live\n", unplaced="")  # type: ignore[arg-type]
    assert screen.item_lines(item, 1, 3) == [
        "[1/3] A week: add to MEMORY.md, Lessons",
        "  why: it failed\\u{1b} twice",
        "  from: m/1.md:1, m/2.md:2, m/3.md:3-4 and 2 more (agent, web), confidence 0.50",
        "  reject if: on Mondays",
        "  fine when: on Sundays",
        "  ! single_source: one day only",
        "+live",
    ]
    agents = screen.item_lines(replace(item, change=replace(shown, evidence=())), 1, 1)
    assert "  from: no source is named (agent, web), confidence 0.50" in agents
    hostile = replace(item, unplaced="the section a\x1b[8mb is gone")
    assert "  ! cannot be applied now: the section a\\u{1b}[8mb is gone" in screen.item_lines(hostile, 2, 3)
    gone = replace(item, diff="", unplaced="its lines are gone")
    assert screen.item_lines(gone, 1, 1)[-2:] == ["  ! cannot be applied now: its lines are gone", "+stored"]
