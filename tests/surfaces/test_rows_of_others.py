"""No text of others begins a row where a row of ours begins, whatever it says and however wide the screen is.

The texts are made of blanks, marks and ``Z``, with which no word of ours on these screens begins.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.domain.gate_values import change, proposal
from tests.gate.homes import evidence
from tests.surfaces.console import Console

from nightledger.domain.proposal import Change, Flag, Scope
from nightledger.domain.search import Chunk, Hit, Kind, Reason, Why
from nightledger.gate.review.reviewing import Item
from nightledger.gate.stored import Stored
from nightledger.surfaces import screen
from nightledger.surfaces.doctor_keys import Check, State
from nightledger.surfaces.recalling import one_hit
from nightledger.surfaces.verbs import doctor, status, verify

WIDTHS = st.integers(20, 200)
WORDS = st.lists(
    st.one_of(
        st.integers(1, 120).map("Z".__mul__),
        st.integers(0, 40).map(" ".__mul__),
        st.sampled_from(
            ["\u00a0Z", "\u3000Z", "\u0335Z", "\t", "~ Z", "\u200bZ", "Z\u6f22", "\\u{20}", "\r"]
        ),
    ),
    max_size=12,
).map(" ".join)
TEXTS = st.builds(str.__add__, st.sampled_from(["", " Z", "  Z", "   Z", "\u2003Z", " \u00a0Z"]), WORDS)


def of_others(row: str) -> int | None:
    """Give the column at which a row begins with a word of others; None where it begins with one of ours."""
    rest = row.lstrip()
    return screen.columns(row) - screen.columns(rest) if rest[:1] in {"Z", "\u0335", "\u6f22"} else None


def check(rows: list[str], width: int, *, least: int) -> None:
    for row in rows:
        assert screen.columns(row) <= width, row
        column = of_others(row)
        assert column is None or column >= least, row


def hostile(text: str, diff: str = "") -> Change:
    return replace(
        change(1),
        section=f"MEMORY.md > {text}",
        target=f"Z{text}".replace("\r", ""),
        reason=text,
        evidence=(replace(evidence("m/1.md"), path=text),),
        scope=Scope(fails_when=text, fine_when=text),
        flags=(Flag(rule="single_source", message=text),),
        diff=diff,
    )


@given(TEXTS, TEXTS, WIDTHS)
def test_on_the_review_screen(text: str, unplaced: str, width: int) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("COLUMNS", str(width))
        stored = Stored(proposal=proposal(hostile(text), title=f"The agent asks: {text}"), sha256="")
        item = Item(stored=stored, status=None, change=hostile(text), diff="", unplaced=unplaced)  # type: ignore[arg-type]
        check(screen.item_lines(item, 1, 3), width, least=4)


@given(st.lists(st.tuples(st.sampled_from("+- "), TEXTS), max_size=6), WIDTHS)
def test_in_a_diff(lines: list[tuple[str, str]], width: int) -> None:
    """A row begins with its sign; where that is a blank, its text begins at no column of a fact's label."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("COLUMNS", str(width))
        rows = screen.diff_lines("".join(f"{sign}{text}\n" for sign, text in lines))
    signs = [sign for sign, _ in lines]
    for row in rows:
        assert screen.columns(row) <= width
        assert row[0] in signs
        assert not row[1:2].startswith("\u0335")
        assert row[0] != " " or of_others(row) != 2
    assert sum(row[1:3] != screen.GOES_ON for row in rows) == len(lines)


@given(TEXTS, WIDTHS)
def test_in_what_was_found(text: str, width: int) -> None:
    chunk = Chunk(path=text, first_line=1, last_line=1, kind=Kind.DAILY, heading=text, day=None, text=text)
    why = (Reason(why=Why.TERM, what=text, score=0.5),)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("COLUMNS", str(width))
        check(list(one_hit(Hit(chunk=chunk, score=0.5, why=why, lines=(1, 1), held=None))), width, least=6)


@given(TEXTS, WIDTHS)
def test_in_what_doctor_and_status_say(text: str, width: int) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("COLUMNS", str(width))
        found = Check(area="home", state=State.BAD, message=f"it says {text}", fix="")
        check(doctor._check(found), width, least=7)
        alarm = {"kind": "drift", "message": text, "hint": "mend it"}
        check(status._alarm(alarm, str), width, least=4)
        check(status._part("ran", [f"night: {screen.shown(text)}"] * 2), width, least=13)


@given(TEXTS, WIDTHS)
def test_in_what_verify_says(text: str, width: int) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("COLUMNS", str(width))
        check(verify._rows(screen.shown(f"ALTERED {text}: it 'nightledger {text}' is not")), width, least=2)


def test_a_files_name_with_a_newline_begins_no_line_of_verify_or_of_an_error(console: Console) -> None:
    name = "a\nThe log holds: 9 events.md"
    ran = console.run("proposals", name)
    assert "\nThe log" not in ran.err
    seen = verify.Seen(report=console.desk.ledger().log.report, simulated=False, protected=(name,))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(verify, "look", lambda *_, **__: seen)
        assert "\n  The log holds: 9 events.md" in console.run("verify").out
