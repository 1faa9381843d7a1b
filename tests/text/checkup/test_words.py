import pytest
from tests.rows import each_row

from nightledger.text.checkup.words import (
    has,
    listed,
    tells,
)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("waiting", "the lease is still pending"),
        ("waiting", "wartet auf den Vermieter"),
        ("waiting", "en attente du bailleur"),
        ("waiting", "部署待处理。"),
        ("gone", "the old pump was decommissioned"),
        ("gone", "旧服务器已停用"),
        ("rule", "Never call on Fridays"),
        ("rule", "必须先问"),
        ("now", "heute gemessen"),
        ("empty", "(to be filled in later)"),
    ],
)
def test_words_are_heard_in_many_languages(kind: str, text: str) -> None:
    assert has(kind, text)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("waiting", "spending"),
        ("gone", "expiredness"),
        ("done", "Ondone"),
        ("done", "完成度高的方案"),
        ("waiting", "不等待"),
    ],
)
def test_a_word_inside_another_is_not_heard(kind: str, text: str) -> None:
    assert not has(kind, text)


@pytest.mark.parametrize(
    "text",
    [
        "expired keys are the usual cause",
        "an expired key locks the door",
        "renew when expired",
        "if it is cancelled, ask",
        "wenn abgelaufen, neu",
        "si es cancelado",
    ],
)
def test_what_to_do_when_something_is_so_does_not_tell_that_it_is(text: str) -> None:
    assert has("gone", text)
    assert not tells("gone", text)


@each_row(("kind", "words"), sorted(listed().items()))
def test_every_word_of_a_table_is_known_behind_a_run_of_tabs(kind: str, words: tuple[str, ...]) -> None:
    for word in words:
        assert has(kind, "\t" * 40 + word), word
        assert has(kind, word.swapcase()) or word.swapcase().lower() != word, word


def test_a_long_run_of_tabs_holds_no_word() -> None:
    assert not any(has(kind, "x" + "\t" * 200_000) for kind in ("rule", "done", "waiting", "state"))
