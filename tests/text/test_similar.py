import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightledger.text.similar import (
    NEAR,
    NearIndex,
    contained,
    dice,
    fold,
    is_negated,
    numbers,
    same_claim,
    shingles,
)


def alike(first: str, second: str) -> float:
    return dice(shingles(first), shingles(second))


def held(first: str, second: str) -> float:
    return contained(shingles(first), shingles(second))


WORDS = st.lists(
    st.sampled_from(
        ["red", "blue", "green", "tea", "cup", "pot", "7", "42", "kettle", "茶杯", "水壶", "Ключ"]
    ),
    max_size=12,
)
TEXTS = WORDS.map(" ".join)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("**Don't** push to `main`!", "dont push to main"),
        ("- [the runbook](https://example.org/a) is short", "the runbook is short"),
        ("  ", ""),
        ("\uff26\uff35\uff2c\uff2c\u3000width", "full width"),
        ("Straße ändern", "strasse ändern"),
        ("部署前\uff0c必须备份。", "部署前 必须备份"),
        ("हिन्दी में लिखो", "हिन्दी में लिखो"),
        ("retry 3 times", "retry 3 times"),
    ],
)
def test_folding_keeps_the_wording_and_drops_the_dress(text: str, folded: str) -> None:
    assert fold(text) == folded


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(TEXTS, TEXTS)
def test_similarity_is_symmetric_and_between_none_and_one(first: str, second: str) -> None:
    assert alike(first, second) == alike(second, first)
    assert 0.0 <= alike(first, second) <= 1.0


@given(TEXTS.filter(bool))
def test_a_text_is_wholly_like_itself(text: str) -> None:
    assert alike(text, text) == 1.0


def test_a_changed_word_stays_near_and_a_changed_subject_does_not() -> None:
    base = "The backup of the photo server runs before the nightly restart"
    assert alike(base, "The backup of the photo server runs before each nightly restart") >= NEAR
    assert alike(base, "The mail gateway drops attachments above ten megabytes") < NEAR / 2


def test_chinese_sentences_are_compared_by_letter_pairs() -> None:
    assert alike("部署之前必须先备份数据库", "部署之前一定必须先备份数据库") >= NEAR
    assert alike("部署之前必须先备份数据库", "他更喜欢简短的回答") < 0.2


def test_a_short_form_is_contained_in_the_long_one() -> None:
    long = "After two hours of searching we found that the printer ignores duplex on tray two, sadly"
    assert held("The printer ignores duplex on tray two", long) > 0.9
    assert alike("The printer ignores duplex on tray two", long) < NEAR


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Retry the upload 3 times before giving up", "Retry the upload 5 times before giving up"),
        ("Push to the release branch on Fridays", "Never push to the release branch on Fridays"),
        ("数据库可以在白天重启的规则已经确认", "数据库不可以在白天重启的规则已经确认"),
    ],
)
def test_near_wording_with_another_number_or_a_negation_is_not_the_same_claim(
    first: str, second: str
) -> None:
    assert alike(first, second) >= NEAR - 0.1
    assert not same_claim(first, second, near=0.5)


def test_the_same_claim_in_other_dress_is_one() -> None:
    assert same_claim(
        "- **Rule:** never retry more than 03 times", "Rule: never retry more than 3 times.", near=0.8
    )


def test_numbers_are_runs_of_digits_without_leading_zeros() -> None:
    assert numbers("at 08:00, port 8080, 00") == {"8", "0", "8080"}


@pytest.mark.parametrize(
    "text", ["it doesn't", "geht nicht", "不要这样", "しない", "никогда", "não pode", "không dùng"]
)
def test_negation_is_seen_in_several_languages(text: str) -> None:
    assert is_negated(text)


@pytest.mark.parametrize("text", ["a notable thing", "the cannon", "Passau", "gut"])
def test_words_that_only_contain_a_negation_are_not_one(text: str) -> None:
    assert not is_negated(text)


@given(st.lists(TEXTS, max_size=15), TEXTS, st.sampled_from([0.4, 0.5, 2 / 3, 0.8, 0.9, 1.0]))
def test_the_index_finds_exactly_what_comparing_all_pairs_finds(
    texts: list[str], query: str, near: float
) -> None:
    index = NearIndex(near)
    for number, text in enumerate(texts):
        index.add(str(number), text)
    expected = {str(n): dice(shingles(query), shingles(t)) for n, t in enumerate(texts)}
    assert dict(index.near(query)) == {key: score for key, score in expected.items() if score >= near}
    assert len(index) == len(texts)


@pytest.mark.parametrize("part", ["[", "![", "[a](", "[a]", "[a](b\n", "[a](("])
def test_links_that_do_not_end_are_looked_through_once(part: str) -> None:
    assert fold(f"the red pot {part * 50_000}").startswith("the red pot")


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("![[a](b) c](d)", "a c d"),
        ("[a] [b](c)", "a b"),
        ("[a](b [c](d) e", "a e"),
        ("[a](b\n[c](d)", "a b c"),
        ("[a\n[b](c)", "a b"),
    ],
)
def test_a_link_keeps_its_text_whatever_stands_around_it(text: str, folded: str) -> None:
    assert fold(text) == folded


@given(st.text(max_size=60))
def test_each_character_of_a_text_beyond_ascii_is_a_words_or_a_gap(text: str) -> None:
    plain = "".join(c for c in text if c not in "[]!()'\u2019\u02bc`") + "é"
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", plain).casefold())
    kept = (c if c.isalnum() or unicodedata.category(c).startswith("M") else " " for c in folded)
    assert fold(plain) == " ".join("".join(kept).split())
