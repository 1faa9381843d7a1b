import json

import pytest

from nightledger.files.shipped import shipped_config
from nightledger.text.statements.features import line_features, split_label, tells_result

FITTED = json.loads(shipped_config("words/statement-weights.json"))


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


def test_cues_and_words_are_named_by_where_they_stand() -> None:
    features = line_features("**Cause:** the fan never stops")
    assert {"l.cause", "wl.cause", "w.cause", "b.absolute", "w.never", "s.label"} <= features
    assert "b.cause" not in features
    assert "wl.never" not in features


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Fixed the tap", True),
        ("we then moved the pump", True),
        ("**Rebuilt** the shed", True),
        ("Built the shed", True),
        ("need a new tap", False),
        ("the tap was fixed", False),
        ("12 %", False),
    ],
)
def test_a_result_is_told_at_the_beginning(text: str, told: bool) -> None:  # noqa: FBT001 - a parameter of the table
    assert tells_result(text) is told


def test_a_result_is_told_in_the_languages_of_the_file() -> None:
    assert tells_result("creado el índice", ("es",))
    assert not tells_result("creado el índice")


def test_a_label_over_a_result_is_a_feature_of_its_own() -> None:
    assert {"s.result", "s.label-result"} <= line_features("Action: moved the pump")
    assert "s.label-result" not in line_features("Moved the pump")
    assert "s.label" not in line_features("action: the pump")


def test_surface_counts_and_stops_counting() -> None:
    assert {"s.question", "s.numbers-0", "s.capitals-0", "s.sentences-1"} <= line_features("shall we?")
    assert "s.question" in line_features("可以吗\uff1f")
    assert "s.colon" in line_features("what follows:")
    assert "s.tick" in line_features("the page ✅")
    assert "s.numbers-3" in line_features("1 2 3 4 5 6 7 8 9")
    assert "s.capitals-2" in line_features("for Ann and Bob")
    assert "s.sentences-3" in line_features("One. Two. Three. Four. Five.")


def test_length_counts_in_steps() -> None:
    assert {"len.40", "len.70"} <= line_features("x" * 80)
    assert "len.110" not in line_features("x" * 80)


def test_every_weight_belongs_to_a_feature_that_there_is() -> None:
    assert {name.split(".")[0] for name in FITTED["weights"]} <= {"b", "l", "h", "s", "p", "t", "len"}
    assert {name.split(".")[0] for name in FITTED["words"]} == {"w", "wl", "wh"}
