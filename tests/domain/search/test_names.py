"""Names in queries."""

import time

import pytest
from tests.rows import each_row

from nightledger.domain.search.names import MOST_NAMES, MOST_WORDS, names_in


@each_row(
    ("text", "name"),
    [
        ("why did nightly_backup.sh stop", ("nightly", "backup", "sh")),
        ("what is in config/app.yaml", ("config", "app", "yaml")),
        ("restart of deploy-api.service", ("deploy", "api", "service")),
        ("where is user_id set", ("user", "id")),
        ("did we pin v2.3.1", ("v2", "3", "1")),
        ("db01.example.org:5432 refused", ("db01", "example", "org", "5432")),
        ("when did we meet Ada Lovelace", ("ada", "lovelace")),
        ("Ada Lovelace", ("ada", "lovelace")),
        ("where is Ada Lovelace's team", ("ada", "lovelace")),
        ("Ada Lovelace and the boats", ("ada", "lovelace")),
        ("We met. Ada Lovelace was late", ("ada", "lovelace")),
        ("Did Ada Lovelace call", ("ada", "lovelace")),
        ("Hat Ada Lovelace angerufen", ("ada", "lovelace")),
        ('who said "not on a Friday"', ("not", "on", "a", "friday")),
        ("the call with \u00c5sa \u00d6berg", ("\u00e5sa", "\u00f6berg")),
    ],
)
def test_names_are_given_as_their_words(text: str, name: tuple[str, ...]) -> None:
    assert name in names_in(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "what broke",
        "Where is Ada",
        "Which Friday",
        "Did Ada call",
        "Wann Ada kam",
        "a - b",
        "\u8a2d\u5b9a",
    ],
)
def test_words_alone_are_no_names(text: str) -> None:
    assert names_in(text) == ()


def test_a_long_path_is_known_by_its_end() -> None:
    (name,) = names_in("/".join(f"part{number}" for number in range(20)))
    assert len(name) == MOST_WORDS
    assert name[-1] == "part19"


def test_a_pasted_log_gives_only_its_first_names() -> None:
    names = names_in(" ".join(f"host{number}.lan" for number in range(50)))
    assert len(names) == MOST_NAMES
    assert names[0] == ("host0", "lan")


def test_a_name_said_twice_is_one() -> None:
    assert names_in("app.yaml and app.yaml") == (("app", "yaml"),)


def test_ten_thousand_letters_without_a_blank_are_read_at_once() -> None:
    before = time.process_time()
    names_in("a" * 10_000)
    names_in("a." * 5_000)
    names_in("Ab " * 5_000)
    assert time.process_time() - before < 0.5
