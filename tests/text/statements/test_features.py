import json

import pytest
from tests.text.logs import read

from nightledger.domain.daylog import Region
from nightledger.files.shipped import shipped_config
from nightledger.text.statements.estimate import line_features, split_label, surroundings, tells_result

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


def test_surface_counts_and_stops_counting() -> None:
    assert {"s.question", "s.numbers-0", "s.capitals-0", "s.sentences-1"} <= line_features("shall we?")
    assert "s.question" in line_features("可以吗\uff1f")
    assert "s.colon" in line_features("what follows:")
    assert "s.tick" in line_features("the page ✅")
    assert "s.numbers-3" in line_features("1 2 3 4 5 6 7 8 9")
    assert "s.capitals-2" in line_features("for Ann and Bob")
    assert "s.sentences-3" in line_features("One. Two. Three. Four. Five.")


def test_every_weight_belongs_to_a_feature_that_there_is() -> None:
    assert {name.split(".")[0] for name in FITTED["weights"]} <= {"b", "l", "h", "s", "p", "t", "len"}
    assert {name.split(".")[0] for name in FITTED["words"]} == {"w", "wl", "wh"}


def around(text: str) -> list[frozenset[str]]:
    lines = [line for line in read(text).lines if line.region is Region.PROSE]
    return list(surroundings(lines))


def test_the_heading_gives_cues_and_words() -> None:
    (features,) = around("## Lessons of 14:05 ✅\n- the fan never stops")
    assert {"h.lesson", "wh.lessons", "p.heading-time", "p.heading-done"} <= features
    assert "p.no-heading" not in features
    assert "p.no-heading" in around("the fan never stops")[0]


def test_the_kind_of_item_and_who_speaks_are_seen() -> None:
    bullet, nested, row, plain = around("- the fan\n  - of the oven\n| fan | oven |\nthe fan")
    assert "p.marker--" in bullet
    assert "p.indented" in nested
    assert "p.indented" not in bullet
    assert "p.marker-|" in row
    assert "p.marker-none" in plain
    user, assistant = around("user: shall we?\nassistant: yes we shall")
    assert ("p.user" in user, "p.assistant" in assistant) == (True, True)


def test_siblings_that_tell_results_are_counted() -> None:
    alone, *_ = around("## A\n- the fan is loud\n## B\n- moved the lamp")
    assert "p.siblings-0" in alone
    assert not any(name.startswith("p.results") for name in alone)
    cause, fixed, tested = around("- the belt slips\n- fixed the belt\n- tested the fan")
    assert {"p.siblings-2", "p.results-2", "p.result-follows"} <= cause
    assert "p.results-2" in fixed
    assert "p.result-follows" not in tested
    one, *_ = around("- the belt slips\n- fixed the belt\n- it is loud\n- it is old")
    assert "p.results-1" in one
    none, _ = around("- the belt slips\n- it is loud")
    assert "p.results-0" in none


def test_a_label_that_recurs_is_a_field_of_a_form() -> None:
    lines = around("- Risk: low\n- note the belt\n- Risk: high\n- Risk: none\n- Cause: the belt")
    assert "p.label-form" in lines[0]
    assert {"p.label-own", "p.form-around"} <= lines[4]
    assert "p.form-around" in lines[1]
    assert not {"p.label-own", "p.label-form"} & lines[1]
    assert "p.form-around" not in around("- Risk: low\n- note the belt")[1]
