from hypothesis import given
from hypothesis import strategies as st
from tests.rows import from_corpus

from nightledger.text.search.likeness import Likeness

BACKUP = "- Backups: cron has no PATH; call the archiver by its full path."
ZONE = "- Set the zone in every crontab; the machines run on UTC."
RESTART = "- Restart the relay after an upgrade."
INVOICE = "- The invoice exporter needs a semicolon."
OWNER = "- Rechnungen gehen zuerst an Frau Berger."
COMMIT = "- Prefer short commit messages."
TEXTS = (BACKUP, ZONE, RESTART, INVOICE, OWNER, COMMIT)


def best(question: str) -> str:
    likeness = Likeness(question, TEXTS)
    return max(TEXTS, key=likeness.of)


@from_corpus("text-search-likeness")
def test_what_is_meant_is_most_alike(question: str, meant: str) -> None:
    assert best(question) == meant


def test_all_of_the_words_is_1_and_none_is_0() -> None:
    likeness = Likeness("upgrade of the relay", TEXTS)
    assert likeness.of(RESTART) == 1.0
    assert likeness.of(ZONE) == 0.0
    assert {Likeness("", TEXTS).of(text) for text in TEXTS} == {0.0}
    assert Likeness("zebra", TEXTS).of(RESTART) == 0.0
    assert Likeness(f"so I wonder whether to {RESTART} or to wait", TEXTS).of(RESTART) == 1.0
    assert 0.0 < Likeness("restart the boat", TEXTS).of(RESTART) < 1.0


@given(question=st.text(max_size=60), texts=st.lists(st.text(max_size=60), max_size=5))
def test_it_lies_between_0_and_1_whatever_is_asked_and_in_whatever_order(
    question: str, texts: list[str]
) -> None:
    likeness, turned = Likeness(question, texts), Likeness(question, texts[::-1])
    for text in texts:
        assert 0.0 <= likeness.of(text) <= 1.0
        assert likeness.of(text) == turned.of(text)
