import pytest

from nightledger.text.secret_value import entropy, is_masked, is_password, is_random


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


@pytest.mark.parametrize(
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
