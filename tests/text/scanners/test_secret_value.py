from tests.rows import each_row

from nightledger.text.scanners.secrets import (
    entropy,
    is_masked,
    is_no_secret,
    is_password,
    is_placeholder,
    is_random,
    is_strong,
)

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


def test_entropy_is_zero_for_one_letter_and_full_for_all_different() -> None:
    assert [entropy(value) for value in ("", "aaaa", "abcd")] == [0, 0, 2]


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


@each_row("value", ["test-token", "my_api_key", "true", "YourNewPassword", "change-me", "token1"])
def test_words_that_hold_a_place_are_placeholders(value: str) -> None:
    assert is_placeholder(value)
    assert is_no_secret(value)


@each_row("value", ["token4711", "moor-token", "1234", "", "demo2024"])
def test_a_word_with_digits_behind_it_is_a_weak_password_and_no_placeholder(value: str) -> None:
    assert not is_placeholder(value)


@each_row("value, found", [(v, True) for v in STRONG.split()] + [(v, False) for v in NOT_STRONG.split()])
def test_names_code_colours_and_addresses_are_not_strong(value: str, *, found: bool) -> None:
    assert is_strong(value) is found


def test_a_value_of_two_words_is_not_strong() -> None:
    assert not is_strong("MOOR_JWT (8c15207k3z)!")
