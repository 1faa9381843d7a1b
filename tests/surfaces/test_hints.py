import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightledger.surfaces.hints import wrap_hint

PATH = "/home/somebody/.config/nightledger/0123456789abcdef0123456789abcdef/operator"


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")


def rows(text: str) -> list[str]:
    return wrap_hint(text, indent="       ", first="     > ")


def test_a_step_that_fits_is_one_row() -> None:
    assert rows("nightledger verify; then put it back") == ["     > nightledger verify; then put it back"]


def test_a_command_is_never_broken_and_prose_goes_on_behind_it() -> None:
    assert rows(f"chmod 600 '{PATH}', and make new keys if someone did") == [
        f"     > chmod 600 '{PATH}'",
        "       and make new keys if someone did",
    ]


def test_a_command_behind_prose_has_its_own_row() -> None:
    assert rows(f"chown it to this user, and: chmod 600 '{PATH}'") == [
        "     > chown it to this user, and:",
        f"       chmod 600 '{PATH}'",
    ]


def test_a_quoted_path_with_blanks_is_not_broken() -> None:
    path = "/home/some body/a very long name of a place; and more/of it all"
    assert rows(f"move it away: mv '{path}' '{path}.old'")[1:] == [f"       mv '{path}' '{path}.old'"]


def test_a_quoted_command_in_prose_stays_whole() -> None:
    found = rows("it is tried again by itself; until then, 'nightledger night --retry' tries it at once")
    assert found == [
        "     > it is tried again by itself; until then,",
        "       'nightledger night --retry' tries it at once",
    ]


def test_prose_is_broken_to_the_width() -> None:
    found = rows(
        "set NIGHTLEDGER_KEYS to where they are, or restore them from a backup of the operator's keys"
    )
    assert len(found) == 2
    assert all(len(row) <= 60 for row in found)


@given(
    st.lists(st.sampled_from(["nightledger", "chmod", "x;", "and:", "'mv a b'", "word", "it's", f"'{PATH}'"]))
)
def test_no_word_is_lost(words: list[str]) -> None:
    text = " ".join(words)
    assert re.sub(r"[\s,;:]", "", "".join(rows(text))) == ">" + re.sub(r"[\s,;:]", "", text)
