"""How a hit is printed."""

from nightledger.domain.search.values import Chunk, Hit, Kind, Reason, Why
from nightledger.surfaces.recall.hits import one_hit


def hit(text: str, *why: Reason, lines: tuple[int, int]) -> Hit:
    chunk = Chunk(
        path="memory/2026-02-28.md",
        first_line=3,
        last_line=3 + text.count("\n"),
        kind=Kind.DAILY,
        heading="",
        day=None,
        text=text,
    )
    return Hit(chunk=chunk, score=0.5, why=why, lines=lines, held=None)


def test_lines_that_are_left_blank_take_no_row_and_no_reason_none_either() -> None:
    assert list(one_hit(hit("- lilac\n\n- tulip", lines=(3, 5)))) == [
        "0.50  memory/2026-02-28.md:3-5",
        "      - lilac",
        "      - tulip",
    ]


def test_so_many_reasons_are_named_as_are_asked_for() -> None:
    found = hit(
        "- lilac",
        *(Reason(why=Why.TERM, what=word, score=0.25) for word in ("lilac", "tulip", "rose")),
        lines=(3, 3),
    )
    rows = "\n".join(one_hit(found, reasons=2))
    assert "tulip" in rows
    assert "rose" not in rows


def test_meaning_is_named_once() -> None:
    found = hit("- lilac", Reason(why=Why.MEANING, what="its meaning", score=0.7), lines=(3, 3))
    assert list(one_hit(found))[-1] == "  why: its meaning 0.70"
