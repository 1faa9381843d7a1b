import pytest
from tests.rows import each_row
from tests.text.scanners.examples import examples

from nightledger.text.scanners.scan import mask_secrets, scan_secrets, told_values
from nightledger.text.scanners.secrets import is_masked, is_password, is_random, is_strong, tabled, telling

RANDOM = "q7Zr2Xw9Lm4Tc8Vh3Nb6 7f3a9c1e5b8d204693be71d0c45a8f26 9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d"
NOT_RANDOM = (
    "short7Zr2 gateway-restart-2026-03-04 relay-model-4-20250514 sha256:7f3a9c1e5b8d204693be71d0c45a8f26 "
    "2026-03-04T10:00:00+00:00 onlyLettersWithoutAnyNumber 1234567890123456789 aaaaaaaa11111111aaaaaaaa "
    "secrets/relay_ed25519_key https://a1b2c3d4.example.org/x RELAY_API_KEY_2026_PRODUCTION x7x7x7x7...x7x7x7x7"
)
MASKED = (
    "**** sk-xxxxxxxx ghp_xxxx actual-password-here [REDACTED] ${DB_PASS} $TOKEN <token> your-key-here "
    "op://vault/item notes.env"
)
PASSWORDS = [(value, False) for value in ("Blaukraut7", "rote-Tür9", "p@ssage")] + [
    (value, True) for value in ("b3t!", "xkpt hjwq bzrn mdvl", "4711")
]
NO_PASSWORDS = [(value, False) for value in ("required", "ab1", "v2", "2026-03-04", "16chars", "4711")] + [
    (value, True) for value in ("required", "gate.auth.password", "--prompt", "see the notes", "********")
]
STRONG = "Kupfer2778$ Tmmoos6031 kq8moor?TD }4Hmoos!rw M@moosgruen1"
NOT_STRONG = (
    "Mo4! OAuth2 iPhone15 gpt-4o-mini-2024 anna77@host.example.org moor@10.0.0.1x #5FA9B3 @anna4711 fold2=16 x=2.5 "
    "f(1234A) {userId42} Kupfermoor 12345678! PBKDF2 2026-03-04T10 Wölfe2024! YOUR_KEY_123 a.b.Config relay.json"
)


@each_row("value, found", [(v, True) for v in RANDOM.split()] + [(v, False) for v in NOT_RANDOM.split()])
def test_names_dates_digests_paths_and_masks_are_not_random(value: str, *, found: bool) -> None:
    assert is_random(value) is found


@each_row("value", MASKED.split())
def test_masks_and_references_are_seen(value: str) -> None:
    assert is_masked(value)


@each_row("value, quoted", PASSWORDS)
def test_passwords_are_seen(value: str, *, quoted: bool) -> None:
    assert is_password(value, quoted=quoted)


@each_row("value, quoted", NO_PASSWORDS)
def test_words_names_and_masks_are_no_passwords(value: str, *, quoted: bool) -> None:
    assert not is_password(value, quoted=quoted)


@each_row("value, found", [(v, True) for v in STRONG.split()] + [(v, False) for v in NOT_STRONG.split()])
def test_names_code_colours_and_addresses_are_not_strong(value: str, *, found: bool) -> None:
    assert is_strong(value) is found


PASSWORD = "Kupfer" + "moor!59"


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


def test_the_value_beside_an_encrypted_file_is_its_password() -> None:
    table = f"| File | Opens with | Flags |\n|---|---|---|\n| `box.enc` | `{PASSWORD}` | `-iter 1000` |\n| `b.txt` | `{PASSWORD}x` | |\n"
    assert held(table) == [PASSWORD]


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
