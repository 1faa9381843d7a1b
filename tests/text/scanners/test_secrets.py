from collections.abc import Callable

import pytest
from tests.rows import each_row, from_corpus
from tests.text.scanners.examples import examples

from nightledger.text.scanners.scan import mask_secrets, scan_secrets, told_values
from nightledger.text.scanners.secrets import is_masked, is_password, is_random, is_strong, tabled, telling

SHAPES: dict[str, Callable[[str], bool]] = {
    "random": is_random,
    "masked": is_masked,
    "password": lambda value: is_password(value, quoted=False),
    "quoted password": lambda value: is_password(value, quoted=True),
    "strong": is_strong,
}
PASSWORD = "Kupfer" + "moor!59"


@from_corpus("text-scanners-secrets")
def test_a_value_is_judged_by_its_shape(kind: str, value: str, *, holds: bool) -> None:
    """Names, dates, digests, paths, masks, code, colours and addresses are neither random nor strong."""
    assert SHAPES[kind](value) is holds


def held(text: str) -> list[str]:
    return [text[start:end] for start, end in tabled(text)]


def found(text: str) -> list[tuple[str, str]]:
    return [(f.rule.removeprefix("secret."), text[f.start : f.end]) for f in scan_secrets(text)]


@each_row(
    "heading",
    ["Password", "**Password**", "Default password", "password/key", "Passwort", "密码", "Senha", "PIN"],
)
def test_a_column_of_passwords_is_told_by_its_heading(heading: str) -> None:
    rows = f"| anna | `{PASSWORD}` |\n| bruno | Mond" + "4711x |\nend"
    assert held(f"# Boxes\n\n| User | {heading} |\n|------|:---:|\n{rows}") == [PASSWORD, "Mond4711x"]


def test_the_value_beside_an_encrypted_file_is_its_password() -> None:
    table = f"| File | Opens with | Flags |\n|---|---|---|\n| `box.enc` | `{PASSWORD}` | `-iter 1000` |\n| `b.txt` | `{PASSWORD}x` | |\n"
    assert held(table) == [PASSWORD]


def test_a_told_value_is_held_wherever_the_text_repeats_it() -> None:
    text = f"- Password: {PASSWORD}\n- tried `{PASSWORD}` again, then **{PASSWORD}**.\n- {PASSWORD}2 is another\n"
    assert found(text) == [("password", PASSWORD), ("repeated", PASSWORD), ("repeated", PASSWORD)]
    assert mask_secrets(text).count("[masked: 13 bytes]") == 3
    one, other = "602815", "317940"
    pins = f"- PINs set: anna={one}, bruno={other}\n- never type {other} twice\n- PIN: 240815\n- 240815 opens the door\n- 2408159 boxes\n"
    assert [rule for rule, _ in found(pins)] == ["pin", "repeated", "pin", "repeated"]


@pytest.mark.parametrize(
    "row", ["bearer", "login_link", "named", "named_after", "near_word", "url_token", "password", "token"]
)
def test_a_value_that_its_place_gives_away_is_masked_where_it_stands_alone_too(row: str) -> None:
    texts = [text for one in examples("secrets") if one.name == f"secret.{row}" for text in one.catches]
    told = [(text, value) for text in texts for rule, value in found(text) if rule == row]
    drawn = [(text, value) for text, value in told if any(c.isdigit() for c in value)]
    assert drawn
    for text, value in drawn:
        masked = mask_secrets(f"{text}\n\n- The box downstairs took {value} on Monday.\n")
        assert value not in masked
        assert value in told_values(text)


def test_a_value_told_in_a_larger_text_is_found_in_a_part_of_it() -> None:
    table = f"# Boxes\n\n| Box | Password |\n|---|---|\n| loft | `{PASSWORD}` |\n"
    told = told_values(table + "- PIN: " + "240815\n")
    assert told == {PASSWORD, "240815"}
    assert found(f"the loft opens with {PASSWORD}") == []
    assert [f.rule for f in scan_secrets(f"the loft opens with {PASSWORD}", told=told)] == ["secret.repeated"]
    assert mask_secrets(f"- {PASSWORD}\n+ 240815", told=told) == "- [masked: 13 bytes]\n+ [masked: 6 bytes]"


@each_row(
    "text, numbers",
    [
        ("a day\n- The PASSWORD: x\ntea\n| User | Token |\n|---|---|\n| anna | b |\n\n密码 x\nend", {1, 3, 4, 5, 7}),
        ("", set()),
        ("| token |", {0}),
        ("| token |\n| secret |\n| pw |", {0, 1, 2}),
    ],
)  # fmt: skip
def test_lines_that_may_tell_a_secret_of_others_are_named_with_their_table(
    text: str, numbers: set[int]
) -> None:
    assert telling(text.splitlines()) == numbers
