import io

import pytest

from nightledger.demo.shell import WIDTH, Narrator


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:  # type: ignore[explicit-override]  # typing.override is newer than Python 3.11
        return True


def told(text: str, *, limit: int = 40, tail: int = 0) -> list[str]:
    stream = io.StringIO()
    Narrator(stream).output(text, limit=limit, tail=tail)
    return stream.getvalue().splitlines()


def test_folding_keeps_to_the_page_and_loses_no_character() -> None:
    long = "".join(chr(97 + n % 26) for n in range(500))
    first, *rest = told(long)
    assert first + "".join(line.removeprefix("    ") for line in rest) == long
    assert all(len(line) <= WIDTH for line in [first, *rest, *told("+ " + "word " * 60)])


@pytest.mark.parametrize(
    ("limit", "tail", "shown"),
    [
        (40, 0, ["0", "1", "2", "3"]),
        (1, 0, ["0", "  ... 3 more lines ..."]),
        (1, 1, ["0", "  ... 2 more lines ...", "3"]),
        (2, 2, ["0", "1", "2", "3"]),
    ],
)
def test_what_is_left_out_is_counted(limit: int, tail: int, shown: list[str]) -> None:
    assert told("0\n1\n2\n3\n", limit=limit, tail=tail) == shown
    assert told("\n") == []


def test_colours_are_for_a_terminal_and_where_nobody_says_no(monkeypatch: pytest.MonkeyPatch) -> None:
    def said(stream: io.StringIO) -> str:
        narrator = Narrator(stream)
        narrator.heading("Morning")
        narrator.output("+ [bold]added[/bold]")
        narrator.item("found", "a fact " * 30)
        return stream.getvalue()

    monkeypatch.delenv("NO_COLOR", raising=False)
    plain = said(io.StringIO())
    assert "\x1b" not in plain
    assert all(len(line) <= WIDTH for line in plain.splitlines())
    assert "\x1b[32m+ [bold]added[/bold]\x1b[0m" in said(Screen())
    monkeypatch.setenv("NO_COLOR", "1")
    assert said(Screen()) == plain


def test_a_review_shows_its_first_change_whole_and_how_it_ended() -> None:
    asked = "".join(f"[{n}/3] add\n+ entry {n}\n  s later  q quit > n\n  reason > no\n" for n in (1, 2, 3))
    stream = io.StringIO()
    Narrator(stream).questions(f"3 wait\n\n{asked}Rejected 3 change(s).\n")
    assert stream.getvalue() == (
        "3 wait\n\n[1/3] add\n+ entry 1\n  s later  q quit > n\n  reason > no\n"
        "  ... the others are asked in the same way ...\n  reason > no\nRejected 3 change(s).\n"
    )
    one = "1 waits\n\n[1/1] add\n  q quit > y\nSigned 1.\n"
    stream = io.StringIO()
    Narrator(stream).questions(one)
    assert stream.getvalue() == one
