import io

import pytest

from nightledger.demo.shell import Narrator


def told(text: str, *, limit: int = 40, tail: int = 0) -> list[str]:
    stream = io.StringIO()
    Narrator(stream).output(text, limit=limit, tail=tail)
    return stream.getvalue().splitlines()


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
