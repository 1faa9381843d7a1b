from hypothesis import given
from hypothesis import strategies as st

from nightledger.domain.proposal import HOLE
from nightledger.text.scanners.scan import (
    mask_secrets,
    repeats_secret,
    secrets_between,
    shows_secret,
    told_values,
    veil,
    veil_blocked,
)

SECRET = "ghp_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"
TOLD = "Nebelhorn" + "4711"
INVITE = "https://chat.whatsapp.com/" + "KTRmoos5kupfer3WN28hzq"
KEY = "-----BEGIN PRIVATE" + " KEY-----\nb3BlbnNz\n-----END PRIVATE" + " KEY-----"
TEXTS = st.lists(
    st.sampled_from(
        [f"- token {SECRET}\n", f"password: {TOLD}\r\n", f"it is {TOLD}\n", KEY, "\n", "- a█b\n", INVITE]
    ),
    max_size=8,
).map("".join)


def test_what_another_text_tells_is_veiled_too() -> None:
    assert veil(f"it is {TOLD}", told=frozenset({TOLD})) == f"it is {HOLE * 13}"
    assert veil(f"it is {TOLD}") == f"it is {TOLD}"


def test_what_is_only_flagged_may_stand_in_a_record() -> None:
    assert veil(INVITE) != INVITE
    assert veil_blocked(INVITE) == INVITE
    assert veil_blocked(SECRET) == HOLE * 40


def test_a_label_before_holes_shows_no_secret() -> None:
    text = f"- token {SECRET}, password: {TOLD}\n"
    assert shows_secret(text)
    assert not shows_secret(veil(text))


def test_secrets_are_what_stands_where_holes_are() -> None:
    text = f"{SECRET} and {SECRET}"
    assert secrets_between(text, veil(text)) == [SECRET, SECRET]
    assert secrets_between("a", "a") == []
    assert secrets_between(f"a {SECRET} b", veil(f"a {SECRET} b")) == [SECRET]


def test_a_folded_wording_gives_a_secret_away() -> None:
    assert repeats_secret(f"remove token {SECRET.lower()}", [SECRET])
    assert not repeats_secret("remove token", [SECRET])
    assert not repeats_secret("remove token", ["!!"])


@given(TEXTS)
def test_a_veiled_text_has_the_length_and_the_ends_of_lines_and_no_secret(text: str) -> None:
    told = told_values(text)
    veiled = veil(text, told=told)
    assert len(veiled) == len(text)
    assert [n for n, c in enumerate(veiled) if c in "\r\n"] == [n for n, c in enumerate(text) if c in "\r\n"]
    assert SECRET not in veiled
    assert not any(value in veiled for value in told)
    assert (veiled == text) == (mask_secrets(text, told=told) == text)
