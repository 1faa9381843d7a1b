import time

import pytest
from tests.text.scanners.examples import examples

from nightledger.domain.finding import Severity
from nightledger.text.scanners.scan import mask_secrets, scan, scan_secrets, told_values
from nightledger.text.scanners.secrets import repeated, tabled, telling

PASSWORD = "Kupfer" + "moor!59"
GROUPS = "kqBW 7Ntz mRHL " + "Pcw5 h2dV GJsx"


def held(text: str) -> list[str]:
    return [text[start:end] for start, end in tabled(text)]


@pytest.mark.parametrize(
    "heading",
    ["Password", "**Password**", "Default password", "password/key", "Passwort", "密码", "Senha", "PIN"],
)
def test_a_column_of_passwords_is_told_by_its_heading(heading: str) -> None:
    table = (
        f"# Boxes\n\n| User | {heading} |\n|------|:---:|\n| anna | `{PASSWORD}` |\n| bruno | Mond"
        "4711x |\nend"
    )
    assert held(table) == [PASSWORD, "Mond4711x"]


def test_a_column_of_keys_holds_random_values_only() -> None:
    key = "q7Zr2Xw9Lm4T" + "c8Vh3Nb6Yj1P"
    table = (
        f"| Name | API key |\n| --- | --- |\n| relay | {key} |\n| shop | in the keyring |\n| door | a2 |\n"
    )
    assert held(table) == [key]


def test_masks_placeholders_and_words_in_such_a_column_pass() -> None:
    rows = "".join(
        f"| x | {cell} |\n" for cell in ("****", "YOUR_KEY", "rotated", "$PW", "", "`notes.env`", "see vault")
    )
    assert held("| User | Password |\n|---|---|\n" + rows) == []


def test_the_value_beside_an_encrypted_file_is_its_password() -> None:
    table = f"| File | Opens with | Flags |\n|---|---|---|\n| `box.enc` | `{PASSWORD}` | `-iter 1000` |\n| `b.txt` | `{PASSWORD}x` | |\n"
    assert held(table) == [PASSWORD]


def test_a_table_at_the_end_of_the_text_and_with_carriage_returns_is_read() -> None:
    assert held(f"| User | Password |\r\n|---|---|\r\n| anna | {PASSWORD} |") == [PASSWORD]


def test_a_told_value_is_held_wherever_the_text_repeats_it() -> None:
    text = f"- Password: {PASSWORD}\n- tried `{PASSWORD}` again, then **{PASSWORD}**.\n- {PASSWORD}2 is another\n"
    found = [(f.rule, text[f.start : f.end]) for f in scan_secrets(text)]
    assert found == [
        ("secret.password", PASSWORD),
        ("secret.repeated", PASSWORD),
        ("secret.repeated", PASSWORD),
    ]
    assert mask_secrets(text).count("[masked: 13 bytes]") == 3


@pytest.mark.parametrize(
    "row", ["bearer", "login_link", "named", "named_after", "near_word", "url_token", "password", "token"]
)
def test_a_value_that_its_place_gives_away_is_masked_where_it_stands_alone_too(row: str) -> None:
    texts = [text for one in examples("secrets") if one.name == f"secret.{row}" for text in one.catches]
    told = [
        (text, text[f.start : f.end])
        for text in texts
        for f in scan_secrets(text)
        if f.rule == f"secret.{row}"
    ]
    drawn = [(text, value) for text, value in told if any(c.isdigit() for c in value)]
    assert drawn
    for text, value in drawn:
        masked = mask_secrets(f"{text}\n\n- The box downstairs took {value} on Monday.\n")
        assert value not in masked
        assert value in told_values(text)


def test_a_repeated_word_of_letters_counts_between_quotes_only() -> None:
    word = "sonnen" + "blume"
    text = f"- Password: {word}\n- a {word} grew\n- typed '{word}' once\n"
    assert [f.rule for f in scan_secrets(text)] == ["secret.password", "secret.repeated"]
    assert [text[:start].count("\n") for start, _ in repeated(text, frozenset({word}))] == [2]


def test_each_pin_of_a_list_is_looked_for() -> None:
    text = (
        "- PINs set: anna="
        "602815, bruno="
        "317940\n- never type 317940 twice\n- PIN: "
        "240815\n- 240815 opens the door\n- 2408159 boxes\n"
    )
    assert [f.rule for f in scan_secrets(text)] == [
        "secret.pin",
        "secret.repeated",
        "secret.pin",
        "secret.repeated",
    ]


def test_a_value_told_in_a_larger_text_is_found_in_a_part_of_it() -> None:
    table = f"# Boxes\n\n| Box | Password |\n|---|---|\n| loft | `{PASSWORD}` |\n"
    told = told_values(table + "- PIN: " + "240815\n")
    assert told == {PASSWORD, "240815"}
    assert scan_secrets(f"the loft opens with {PASSWORD}") == ()
    assert [f.rule for f in scan_secrets(f"the loft opens with {PASSWORD}", told=told)] == ["secret.repeated"]
    assert mask_secrets(f"- {PASSWORD}\n+ 240815", told=told) == "- [masked: 13 bytes]\n+ [masked: 6 bytes]"


def test_what_is_repeated_or_tabled_blocks() -> None:
    text = f"| User | Password |\n|---|---|\n| anna | `{PASSWORD}` |\n\nShe used `{PASSWORD}`.\n"
    assert {(f.rule, f.severity) for f in scan(text)} == {
        ("secret.table", Severity.BLOCK),
        ("secret.repeated", Severity.BLOCK),
    }


def test_lines_that_may_tell_a_secret_of_others_are_named_with_their_table() -> None:
    lines = [
        "a day",
        "- The PASSWORD: x",
        "tea",
        "| User | Token |",
        "|---|---|",
        "| anna | b |",
        "",
        "密码 x",
        "end",
    ]
    assert telling(lines) == {1, 3, 4, 5, 7}
    assert telling([]) == set()
    assert telling(["| token |"]) == {0}
    assert telling(["| token |", "| secret |", "| pw |"]) == {0, 1, 2}


def test_lines_under_lines_of_dashes_are_read_once() -> None:
    small, large = (_seconds("|---|---|\n" * size) for size in (2_000, 16_000))
    assert large < 40 * max(small, 0.001)


def _seconds(text: str) -> float:
    started = time.process_time()
    assert list(tabled(text)) == []
    return time.process_time() - started
