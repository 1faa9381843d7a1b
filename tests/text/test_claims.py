import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row
from tests.whole import part

from nightledger.text.claims import (
    MOST_DENIALS,
    MOST_SENTENCES,
    denials,
    holds_denial,
    is_denied,
    kind_of,
    read_claim,
    sentences_of,
    weigh,
)


@each_row(
    ("word", "kind"),
    [
        ("07:30", "time"),
        ("7pm", "time"),
        ("tuesdays", "day"),
        ("donnerstag", "day"),
        ("2026-03-01", "date"),
        ("10.4.0.7", "address"),
        ("v2.1", "version"),
        ("90", "number"),
        ("ann@example.org", "mail"),
        ("~/keys/gate", "path"),
        ("/srv/books", "path"),
        ("config.toml", "name"),
        ("kettle", ""),
        ("x-1", ""),
    ],
)
def test_a_word_is_known_for_the_value_that_it_is(word: str, kind: str) -> None:
    assert kind_of(word) == kind


def test_words_of_one_stem_are_one_and_values_stay_whole() -> None:
    claim = read_claim("- [ ] **Copies** of the letters were copied to `/srv/books` on Mondays at 07:30")
    assert claim.order == ("copy", "letter", "copy", "/srv/books", "monday", "07:30")
    assert claim.stems == {"copy", "letter"}
    assert claim.values == {"path": {"/srv/books"}, "day": {"monday"}, "time": {"07:30"}}


def test_a_number_behind_port_is_a_port() -> None:
    assert read_claim("The relay listens on port 8443").values == {"port": {"8443"}}


def test_two_characters_of_a_script_without_spaces_weigh_one_word() -> None:
    assert weigh(read_claim("需要备份").words) == 2
    assert weigh(read_claim("the kettle").words) == 1


@pytest.mark.parametrize(
    ("claim", "other", "denied"),
    [
        ("Letters go out without a copy to Bo", "A copy of letters goes to Bo", True),
        ("Letters go out without delay", "A copy of letters goes to Bo", False),
        ("Letters go out (not by train)", "Letters go out by train", False),
        ("The timer is disabled", "The timer is enabled", True),
        ("The timer is not disabled", "The timer is enabled", False),
        ("This does not", "The timer is enabled", True),
    ],
)
def test_a_negation_counts_where_it_bears_on_what_the_other_says(
    claim: str, other: str, *, denied: bool
) -> None:
    assert is_denied(read_claim(claim), read_claim(other)) is denied


@pytest.mark.parametrize(
    ("text", "holds"), [("never on Fridays", True), ("the timer is inactive", True), ("on Fridays", False)]
)
def test_any_denial_is_seen(text: str, *, holds: bool) -> None:
    assert holds_denial(text) is holds


@pytest.mark.parametrize(
    ("text", "old", "changed"),
    [
        (
            "The report no longer goes out at 07:00; it is late",
            {"07:00"},
            True,
        ),
        ("Do not book trains any more", {"book", "train"}, True),
        ("It goes to Bo, not to the shed", {"shed"}, False),
        ("Ask Bo instead of Ida", {"ida"}, False),
        ("The archive moved from heron to osprey", {"heron"}, True),
        ("Restic replaces borg for the ledger", {"borg"}, True),
        ("We replaced borg with restic", {"borg"}, True),
        ("Borg was replaced by restic", {"borg"}, True),
        ("We renamed lark to wren", {"lark"}, True),
        ("Der Bericht geht nicht mehr an Ida, sondern an Bo", {"ida"}, True),
    ],
)
def test_what_is_left_behind_is_named_in_many_ways(text: str, old: set[str], *, changed: bool) -> None:
    found = [(set(denial.words), denial.changed) for denial in denials(read_claim(text))]
    assert (old, changed) in found


def test_a_long_phrase_tells_a_story_and_leaves_nothing_behind() -> None:
    text = "The press no longer stands where Ida and Bo and Kurt found wine, bread"
    story = "The press no longer stands near Ida Bo Kurt Ann Mira Lea Tom Max here"
    assert list(denials(read_claim(text)))
    assert not list(denials(read_claim(story)))


def test_each_sentence_is_read_for_itself() -> None:
    parts = [*sentences_of(read_claim("The kettle leaks. Bo knows."))]
    assert [part.text for part in parts] == ["The kettle leaks.", "Bo knows."]


def test_of_a_line_without_end_the_first_sentences_and_denials_are_read() -> None:
    told = read_claim("".join(f"Bo{n} knows. " for n in range(MOST_SENTENCES + 9)))
    assert [part.order[0] for part in sentences_of(told)] == [f"bo{n}" for n in range(MOST_SENTENCES)]
    left = read_claim("".join(f"No longer at dock{n}. " for n in range(MOST_DENIALS + 9)))
    assert [min(denial.words) for denial in denials(left)] == [f"dock{n}" for n in range(MOST_DENIALS)]


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("Nobody is not without a copy", True),
        ("Never the copy", True),
        ("Not (yet) copies", True),
        ("Not to be without delay, copies", False),
        ("Copies, not", True),
        ("No, no, no", True),
        ("Not/never/no copies", True),
        ("Not slow, never late, no copies", True),
        ("Not slow, never late", False),
    ],
)
def test_a_negation_bears_on_the_next_word_with_a_meaning(text: str, *, denied: bool) -> None:
    assert is_denied(read_claim(text), read_claim("copies")) == denied


def test_what_stands_at_a_value_is_two_words_before_and_one_after() -> None:
    claim = read_claim("Ann drinks green tea at 16:00 outside daily")
    assert claim.around("16:00") == {"green", "tea", "outsid"}


@given(st.text(max_size=80))
def test_any_text_is_read_and_reads_the_same_again(text: str) -> None:
    claim = read_claim(text)
    assert claim == read_claim(text)
    assert claim.stems <= claim.words
    list(denials(claim))
    assert is_denied(claim, claim) in {True, False}


@pytest.mark.parametrize("body", part(["/", "a::", "/.", "~/", "a/", "+/-"], 3))
def test_a_line_of_slashes_is_read_in_time(body: str) -> None:
    started = time.process_time()
    read_claim("x" + body * 60_000 + "(")
    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    ("head", "part", "tail"), [("a", "/", "\u00e9"), ("a", "@", "/\u00e9"), ("/", "a/", "\u00e9")]
)
def test_a_word_without_end_has_one_kind_found_in_time(head: str, part: str, tail: str) -> None:
    claim = read_claim(f"The pump is at {head}{part * 100_000}{tail}")
    assert claim is not None
    assert len(claim.text) > 100_000


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("a@b", "mail"),
        ("@@b", "mail"),
        ("a@", ""),
        ("@b", ""),
        ("a/b", ""),
        ("a/b/c", "path"),
        ("~/a", "path"),
        ("//", "path"),
    ],
)
def test_mail_and_paths_are_known_by_their_signs(word: str, kind: str) -> None:
    assert kind_of(word) == kind
