"""What is shown of text that others wrote: nothing acts on a terminal, and no row of theirs begins where one of ours does.

Hostile texts are made of blanks, marks and ``Z``, with which no word of ours on these screens begins.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.domain.gate_values import change, proposal
from tests.gate.homes import evidence
from tests.homes import make_home
from tests.rows import each_row, from_corpus
from tests.surfaces.console import Console

from nightledger.domain.proposal import Change, Evidence, Flag, Origin, Scope
from nightledger.domain.search import Chunk, Hit, Kind, Reason, Why
from nightledger.files.home import Home
from nightledger.gate.reviewing import Item
from nightledger.gate.stored import Stored
from nightledger.surfaces import screen
from nightledger.surfaces.doctor_keys import Check, State
from nightledger.surfaces.recalling import one_hit
from nightledger.surfaces.verbs import doctor, status, verify
from nightledger.text.phrases import NO_PHRASES
from nightledger.text.visible import visible

WIDTHS = st.integers(20, 200)
ODD = ["\u00a0Z", "\u3000Z", "\u0335Z", "\t", "~ Z", "\u200bZ", "Z\u6f22", "\\u{20}", "\r"]
WORD = st.one_of(
    st.integers(1, 120).map("Z".__mul__), st.integers(0, 40).map(" ".__mul__), st.sampled_from(ODD)
)
BEGINS = st.sampled_from(["", " Z", "  Z", "   Z", "\u2003Z", " \u00a0Z"])
TEXTS = st.builds(str.__add__, BEGINS, st.lists(WORD, max_size=12).map(" ".join))
WIDE = st.text(alphabet=st.sampled_from("ab \u6f22\u3000\u0301-"), max_size=200)
PATH = "/home/somebody/.config/nightledger/0123456789abcdef0123456789abcdef/operator"


@contextmanager
def wide(columns: int) -> Iterator[None]:
    """Have a terminal so many columns."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("COLUMNS", str(columns))
        yield


def of_others(row: str) -> int | None:
    """Give the column at which a row begins with a word of others; None where it begins with one of ours."""
    rest = row.lstrip()
    return screen.columns(row) - screen.columns(rest) if rest[:1] in {"Z", "\u0335", "\u6f22"} else None


def item(shown: Change, *, title: str, diff: str = "", unplaced: str = "") -> Item:
    stored = Stored(proposal=proposal(shown, title=title), sha256="")
    return Item(stored=stored, status=None, change=shown, diff=diff, unplaced=unplaced)  # type: ignore[arg-type]


def in_review(text: str) -> Iterable[str]:
    hostile = replace(
        change(1),
        section=f"MEMORY.md > {text}",
        target=f"Z{text}".replace("\r", ""),
        reason=text,
        evidence=(replace(evidence("m/1.md"), path=text),),
        scope=Scope(fails_when=text, fine_when=text),
        flags=(Flag(rule="single_source", message=text),),
    )
    return screen.item_lines(item(hostile, title=f"The agent asks: {text}", unplaced=text), 1, 3)


def in_what_was_found(text: str) -> Iterable[str]:
    chunk = Chunk(path=text, first_line=1, last_line=1, kind=Kind.DAILY, heading=text, day=None, text=text)
    why = (Reason(why=Why.TERM, what=text, score=0.5),)
    return one_hit(Hit(chunk=chunk, score=0.5, why=why, lines=(1, 1), held=None))


SCREENS: tuple[tuple[Callable[[str], Iterable[str]], int], ...] = (
    (in_review, 4),
    (in_what_was_found, 6),
    (lambda text: doctor._check(Check(area="home", state=State.BAD, message=f"it says {text}", fix="")), 7),
    (lambda text: status._alarm({"kind": "drift", "message": text, "hint": "mend it"}, str), 4),
    (lambda text: status._part("ran", [f"night: {screen.shown(text)}"] * 2), 13),
    (lambda text: verify._rows(screen.shown(f"ALTERED {text}: it 'nightledger {text}' is not")), 2),
)
"""What makes rows of a text, and the least column at which one of them begins with it."""


@each_row("make, least", SCREENS)
def test_no_text_of_others_begins_a_row_where_one_of_ours_begins(
    make: Callable[[str], Iterable[str]], least: int
) -> None:
    @given(TEXTS, WIDTHS)
    def holds(text: str, width: int) -> None:
        with wide(width):
            for row in make(text):
                assert screen.columns(row) <= width, row
                column = of_others(row)
                assert column is None or column >= least, row

    holds()


@given(st.lists(st.tuples(st.sampled_from("+- "), TEXTS | WIDE), max_size=6), WIDTHS)
def test_a_row_of_a_diff_begins_with_its_sign_and_nothing_of_a_long_line_is_lost(
    lines: list[tuple[str, str]], width: int
) -> None:
    """Its text begins at no column of a fact's label, and what goes on in the next row is marked."""
    with wide(width):
        rows = screen.diff_lines("".join(f"{sign}{text}\n" for sign, text in lines))
    whole = list[str]()
    for row in rows:
        assert screen.columns(row) <= width
        assert not row[1:2].startswith("\u0335")
        assert row[0] != " " or of_others(row) != 2
        if row[1:3] == screen.GOES_ON:
            assert row[0] == whole[-1][0]
            whole[-1] += row[3:]
        else:
            whole.append(row)
    assert whole == [sign + screen._told_apart(visible(text), sign=sign) for sign, text in lines]


def test_nothing_from_a_file_acts_on_the_terminal() -> None:
    (row,) = screen.diff_lines("+\x1b[2J\x07\u202e\u200b\n")
    assert row == "+\\u{1b}[2J\\u{7}\\u{202e}\\u{200b}"
    assert screen.shown("a\nb\x1b") == "a b\\u{1b}"
    with wide(40):
        rows = screen.text_lines("\x1b" + "x" * 50, indent="    ")
    assert rows == ["    \\u{1b}" + "x" * 30, "    " + "x" * 20]


def test_a_files_name_with_a_newline_begins_no_line_of_verify_or_of_an_error(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "a\nThe log holds: 9 events.md"
    assert "\nThe log" not in console.run("proposals", name).err
    seen = verify.Seen(report=console.desk.ledger().log.report, simulated=False, protected=(name,))
    monkeypatch.setattr(verify, "look", lambda *_, **__: seen)
    assert "\n  The log holds: 9 events.md" in console.run("verify").out


def test_a_change_is_shown_with_all_that_an_operator_needs() -> None:
    shown = replace(
        change(1),
        reason="it failed\x1b twice",
        evidence=tuple(replace(evidence(f"m/{n}.md"), lines=(n, n + (n > 2))) for n in range(1, 6)),
        provenance=(Origin.AGENT, Origin.WEB),
        scope=Scope(fails_when="on Mondays", fine_when="on Sundays"),
        flags=(Flag(rule="single_source", message="one day only"),),
        diff="+stored\n",
    )
    one = item(shown, title="A week", diff="+live\n")
    with wide(100):
        assert screen.item_lines(one, 1, 3) == [
            "[1/3] A week: add to MEMORY.md, Lessons",
            "  why: it failed\\u{1b} twice",
            "  from: m/1.md:1, m/2.md:2, m/3.md:3-4 and 2 more (agent, web), confidence 0.50",
            "  reject if: on Mondays",
            "  fine when: on Sundays",
            "  ! single_source: one day only",
            "+live",
        ]
        agents = screen.item_lines(replace(one, change=replace(shown, evidence=())), 1, 1)
        assert "  from: no source is named (agent, web), confidence 0.50" in agents
        hostile = screen.item_lines(replace(one, unplaced="the section a\x1b[8mb is gone"), 2, 3)
        assert "  ! cannot be applied now: the section a\\u{1b}[8mb is gone" in hostile
        gone = screen.item_lines(replace(one, diff="", unplaced="its lines are gone"), 1, 1)
        assert gone[-2:] == ["  ! cannot be applied now: its lines are gone", "+stored"]


# ---------------------------------------------------------------- evidence


def lines_of(
    home: Home, path: str, first: int, last: int, *, told: frozenset[str] = frozenset()
) -> list[str]:
    digest = hashlib.sha256(b"").hexdigest()
    cited = Evidence(path=path, lines=(first, last), sha256=digest, origin=Origin.WEB)
    return screen.evidence_lines(home, replace(change(1), evidence=(cited,)), expunged=NO_PHRASES, told=told)


def test_a_file_that_is_gone_or_leads_out_is_named_and_nothing_of_it_shown(tmp_path: Path) -> None:
    home = make_home(tmp_path)
    gone = " ".join(" ".join(lines_of(home, "memory/b\x1b.md", 1, 1)).split())
    assert ("is missing" in gone, "\x1b" in gone) == (True, False)
    (tmp_path / "memory" / "out.md").symlink_to("/etc/hosts")
    assert "localhost" not in " ".join(lines_of(home, "memory/out.md", 1, 9))
    assert "is not a path inside the home" in " ".join(lines_of(home, "../x", 1, 1))


def test_what_another_line_of_the_file_or_the_caller_tells_is_masked(tmp_path: Path) -> None:
    home, told, other = make_home(tmp_path), "Nebelhorn" + "4711", "Kupfer" + "30417x"
    (tmp_path / "memory" / "b.md").write_text(f"password: {told}\nthen {told} and {other}\n")
    assert lines_of(home, "memory/b.md", 2, 2)[1:] == [f"    then [masked: 13 bytes] and {other}"]
    both = "    then [masked: 13 bytes] and [masked: 12 bytes]"
    assert lines_of(home, "memory/b.md", 2, 2, told=frozenset({other}))[1:] == [both]


# ---------------------------------------------------------------- hints


def hint_rows(text: str) -> list[str]:
    with wide(60):
        return screen.wrap_hint(text, indent="       ", first="     > ")


@from_corpus("surfaces-screen")
def test_a_command_is_never_broken_and_prose_goes_on_behind_it(text: str, rows: list[str]) -> None:
    assert hint_rows(text) == rows


@given(
    st.lists(st.sampled_from(["nightledger", "chmod", "x;", "and:", "'mv a b'", "word", "it's", f"'{PATH}'"]))
)
def test_no_word_is_lost(words: list[str]) -> None:
    text = " ".join(words)
    assert re.sub(r"[\s,;:]", "", "".join(hint_rows(text))) == ">" + re.sub(r"[\s,;:]", "", text)
