import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightledger.surfaces.screen import wrap_hint

PATH = "/home/somebody/.config/nightledger/0123456789abcdef0123456789abcdef/operator"


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")


def rows(text: str) -> list[str]:
    return wrap_hint(text, indent="       ", first="     > ")


def test_a_command_is_never_broken_and_prose_goes_on_behind_it() -> None:
    assert rows(f"chmod 600 '{PATH}', and make new keys if someone did") == [
        f"     > chmod 600 '{PATH}',",
        "       and make new keys if someone did",
    ]


def test_a_quoted_command_in_prose_stays_whole() -> None:
    found = rows("it is tried again by itself; until then, 'nightledger night --retry' tries it at once")
    assert found == [
        "     > it is tried again by itself; until then,",
        "       'nightledger night --retry' tries it at once",
    ]


@given(
    st.lists(st.sampled_from(["nightledger", "chmod", "x;", "and:", "'mv a b'", "word", "it's", f"'{PATH}'"]))
)
def test_no_word_is_lost(words: list[str]) -> None:
    text = " ".join(words)
    assert re.sub(r"[\s,;:]", "", "".join(rows(text))) == ">" + re.sub(r"[\s,;:]", "", text)
