import pytest
from tests.text.logs import read

from nightledger.text.cues import find_cues
from nightledger.text.features import line_features, sentence_features, split_label
from nightledger.text.weights import WEIGHTS


@pytest.mark.parametrize(
    ("text", "label", "body"),
    [
        ("**Cause:** the fan", "Cause", "the fan"),
        ("**Cause**: the fan", "Cause", "the fan"),
        ("Cause: the fan", "Cause", "the fan"),
        ("原因\uff1a风扇坏了", "原因", "风扇坏了"),
        ("the fan is broken", "", "the fan is broken"),
        ("Cause:", "", "Cause:"),
        ("**Cause**", "", "**Cause**"),
    ],
)
def test_a_label_is_told_from_its_body(text: str, label: str, body: str) -> None:
    assert split_label(text) == (label, body)


def test_cues_are_named_by_where_they_stand() -> None:
    log = read("## Lessons learned\n- **Cause:** the fan never stops")
    features = line_features(log.lines[1], find_cues(log.lines[1].headings[-1]))
    assert {
        "h.lesson",
        "l.cause",
        "b.absolute",
        "x.lesson-claim",
        "x.cause-claim",
        "x.timeless-claim",
    } <= features
    assert "b.lesson" not in features


def test_what_stands_together_is_a_feature_of_its_own() -> None:
    assert "x.carrier-claim" in sentence_features("`fan.conf` must not be edited by hand")
    assert "x.carrier-claim" not in sentence_features("fan settings must not be edited by hand")
    assert {"x.claims2", "x.claims3"} <= sentence_features("Never edit it because it must not change")
    assert "x.ban-absolute" in sentence_features("never, under no circumstances, do not push")
    assert "x.scoped-rule" in sentence_features("always ask before pushing")
    assert "x.work-only" in sentence_features("updated the page")
    assert "x.done-only" in sentence_features("page ✅")
    assert "x.timeless-claim" not in sentence_features("never more than 3")
    assert "x.setup-work" in sentence_features("updated the page", frozenset({"setup"}))


def test_place_and_surface_are_features() -> None:
    chat = read("user: shall we?\nassistant: yes we shall").lines
    assert {"s.user", "s.question"} <= line_features(chat[0], frozenset())
    assert "s.assistant" in line_features(chat[1], frozenset())
    assert "s.table" in line_features(read("| a | b |").lines[0], frozenset())
    assert "s.colon" in sentence_features("what follows:")


def test_length_counts_in_steps() -> None:
    assert {"len.40", "len.70"} <= sentence_features("x" * 80)
    assert "len.110" not in sentence_features("x" * 80)


def test_every_weight_belongs_to_a_feature_that_there_is() -> None:
    assert {name.split(".")[0] for name in WEIGHTS} <= {"b", "l", "h", "s", "x", "len"}
