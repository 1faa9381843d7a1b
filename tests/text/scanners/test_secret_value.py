import pytest
from tests.rows import each_row

from nightledger.text.scanners.secret_value import (
    entropy,
    is_masked,
    is_no_secret,
    is_password,
    is_placeholder,
    is_random,
    is_strong,
)


def test_entropy_is_zero_for_one_letter_and_full_for_all_different() -> None:
    assert entropy("") == 0
    assert entropy("aaaa") == 0
    assert entropy("abcd") == 2


@pytest.mark.parametrize(
    "value",
    ["q7Zr2Xw9Lm4Tc8Vh3Nb6", "7f3a9c1e5b8d204693be71d0c45a8f26", "9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d"],
)
def test_random_values_are_random(value: str) -> None:
    assert is_random(value)


@each_row(
    "value",
    [
        "short7Zr2",
        "gateway-restart-2026-03-04",
        "relay-model-4-20250514",
        "sha256:7f3a9c1e5b8d204693be71d0c45a8f26",
        "2026-03-04T10:00:00+00:00",
        "onlyLettersWithoutAnyNumber",
        "1234567890123456789",
        "aaaaaaaa11111111aaaaaaaa",
        "secrets/relay_ed25519_key",
        "https://a1b2c3d4.example.org/x",
        "RELAY_API_KEY_2026_PRODUCTION",
        "x7x7x7x7...x7x7x7x7",
    ],
)
def test_names_dates_digests_paths_and_masks_are_not_random(value: str) -> None:
    assert not is_random(value)


@pytest.mark.parametrize(
    "value",
    [
        "****",
        "sk-xxxxxxxx",
        "ghp_xxxx",
        "actual-password-here",
        "[REDACTED]",
        "${DB_PASS}",
        "$TOKEN",
        "<token>",
        "your-key-here",
        "op://vault/item",
        "notes.env",
    ],
)
def test_masks_and_references_are_seen(value: str) -> None:
    assert is_masked(value)


@pytest.mark.parametrize(
    ("value", "quoted"),
    [
        ("Blaukraut7", False),
        ("b3t!", True),
        ("rote-Tür9", True),
        ("xkpt hjwq bzrn mdvl", True),
        ("4711", True),
        ("p@ssage", False),
    ],
)
def test_passwords_are_seen(value: str, *, quoted: bool) -> None:
    assert is_password(value, quoted=quoted)


@pytest.mark.parametrize(
    ("value", "quoted"),
    [
        ("required", False),
        ("required", True),
        ("ab1", False),
        ("v2", False),
        ("gate.auth.password", True),
        ("--prompt", True),
        ("see the notes", True),
        ("********", True),
        ("2026-03-04", False),
        ("16chars", False),
        ("4711", False),
    ],
)
def test_words_names_and_masks_are_no_passwords(value: str, *, quoted: bool) -> None:
    assert not is_password(value, quoted=quoted)


@pytest.mark.parametrize(
    "value", ["test-token", "my_api_key", "true", "YourNewPassword", "change-me", "token1"]
)
def test_words_that_hold_a_place_are_placeholders(value: str) -> None:
    assert is_placeholder(value)
    assert is_no_secret(value)


@pytest.mark.parametrize("value", ["token4711", "moor-token", "1234", "", "demo2024"])
def test_a_word_with_digits_behind_it_is_a_weak_password_and_no_placeholder(value: str) -> None:
    assert not is_placeholder(value)


@pytest.mark.parametrize("value", ["Kupfer2778$", "Tmmoos6031", "kq8moor?TD", "}4Hmoos!rw", "M@moosgruen1"])
def test_what_is_drawn_up_like_a_password_is_strong(value: str) -> None:
    assert is_strong(value)


@each_row(
    "value",
    [
        "Mo4!",
        "OAuth2",
        "iPhone15",
        "gpt-4o-mini-2024",
        "anna77@host.example.org",
        "moor@10.0.0.1x",
        "#5FA9B3",
        "@anna4711",
        "fold2=16",
        "x=2.5",
        "f(1234A)",
        "{userId42}",
        "Kupfermoor",
        "12345678!",
        "PBKDF2",
        "2026-03-04T10",
        "Wölfe2024!",
        "YOUR_KEY_123",
        "a.b.Config",
        "relay.json",
        "MOOR_JWT (8c15207k3z)!",
    ],
)
def test_names_code_colours_and_addresses_are_not_strong(value: str) -> None:
    assert not is_strong(value)
