from tests.text.logs import read

from nightledger.domain.daylog import Region
from nightledger.text.statements.surroundings import surroundings


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


def test_a_deeper_line_is_no_sibling() -> None:
    top, _ = around("- the belt slips\n  - fixed the belt")
    assert "p.siblings-0" in top


def test_a_label_that_recurs_is_a_field_of_a_form() -> None:
    lines = around("- Risk: low\n- note the belt\n- Risk: high\n- Risk: none\n- Cause: the belt")
    assert "p.label-form" in lines[0]
    assert {"p.label-own", "p.form-around"} <= lines[4]
    assert "p.form-around" in lines[1]
    assert not {"p.label-own", "p.label-form"} & lines[1]
    assert "p.form-around" not in around("- Risk: low\n- note the belt")[1]


def test_only_near_siblings_count() -> None:
    far = around("\n".join(["- the belt slips", *["- it is old"] * 4, "- fixed the belt"]))
    assert "p.results-0" in far[0]
    assert "p.results-1" in far[1]


def test_the_size_of_the_file_counts_in_steps() -> None:
    assert "p.file-0" in around("- the belt")[0]
    assert "p.file-1" in around("\n".join(["- the belt"] * 10))[0]
    assert "p.file-3" in around("\n".join(["- the belt"] * 80))[0]
