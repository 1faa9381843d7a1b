"""The headings above the place of a hunk are told as its section was named."""

import pytest

from nightledger.domain.proposal import Anchor, Hunk
from nightledger.text.changes.edits import hunks_between
from nightledger.text.changes.place import Unplaced
from nightledger.text.changes.standing import (
    NO_EFFECT,
    Standing,
    effect,
    effect_between,
    has_moved,
    shown_between,
    standing,
    standing_at,
)

TEXT = "# M\n\n## Never\n\n- Say no.\n\n## Always\n\n- Say yes.\n"
MOVED = "# M\n\n## Never\n\n## Always\n\n- Say yes.\n- Say no.\n"


def hunk(**fields: object) -> Hunk:
    values = {"anchor": Anchor.EXACT, "section": ("M", "Never"), "removed": "- Say no.\n", "added": "- x\n"}
    return Hunk(**{**values, **fields})  # type: ignore[arg-type]


def test_lines_that_went_under_another_heading_have_moved() -> None:
    assert standing(TEXT, hunk()) == Standing(("M", "Never"), ())
    assert standing(MOVED, hunk()) == Standing(("M", "Always"), ())
    assert (has_moved(TEXT, hunk()), has_moved(MOVED, hunk())) == (False, True)


def test_what_has_no_place_or_names_its_section_itself_has_not_moved() -> None:
    assert standing(TEXT, hunk(removed="- gone\n")) is None
    assert not has_moved(MOVED, hunk(anchor=Anchor.SECTION_END, removed=""))


def test_a_hole_in_a_heading_stands_for_any_character() -> None:
    masked = hunk(
        anchor=Anchor.MASKED, section=("M", "\u2588\u2588\u2588\u2588\u2588"), removed="- Say \u2588\u2588.\n"
    )
    assert not has_moved(TEXT, masked)
    assert has_moved(MOVED, masked)
    assert has_moved(TEXT, hunk(section=("M", "Nevex")))
    assert has_moved(TEXT, hunk(section=("Never",)))


@pytest.mark.parametrize(
    "after",
    [
        TEXT.replace("- Say no.\n", "- Say no.\n- Say maybe.\n"),
        TEXT.replace("- Say no.\n", ""),
        TEXT.replace("## Always", "## Sometimes"),
        TEXT + "- Say so.\n",
        "- At the top.\n\n" + TEXT,
    ],
)
def test_an_edit_stands_where_its_hunks_say(after: str) -> None:
    made = hunks_between(TEXT, after)
    assert not isinstance(made, Unplaced)
    assert not any(has_moved(TEXT, one) for one in made)


def test_what_differs_is_counted_by_its_sign_its_line_and_the_headings_above_it() -> None:
    never, always = Standing(("M", "Never"), ()), Standing(("M", "Always"), ())
    assert effect_between(TEXT, MOVED) == {("-", "- Say no.", never): 1, ("+", "- Say no.", always): 1}
    assert not effect_between(TEXT, f"{TEXT}\n")


def test_a_line_that_stays_is_counted_where_what_stands_above_it_goes() -> None:
    rules = "# M\n\n- Never do\n  - Push keys.\n"
    made = effect(rules, hunk(section=("M",), removed="- Never do\n", added="- Always do\n"))
    below = [Standing(("M",), (label,)) for label in ("- Never do", "- Always do")]
    top = Standing(("M",), ())
    assert made == {
        ("-", "- Never do", top): 1,
        ("+", "- Always do", top): 1,
        ("-", "  - Push keys.", below[0]): 1,
        ("+", "  - Push keys.", below[1]): 1,
    }
    assert effect(rules, hunk(removed="- gone\n")) == NO_EFFECT


def test_a_line_that_only_moves_is_shown_and_says_what_it_said() -> None:
    old, new = "- a\n- b\n", "- b\n- a\n"
    assert not effect_between(old, new)
    assert set(shown_between(old, new)) == {(sign, "- a", Standing((), ())) for sign in "-+"}
    assert not shown_between("\ufeff", "")


def test_where_a_line_stands_is_told_by_its_number() -> None:
    assert standing_at(TEXT, 5) == Standing(("M", "Never"), ())
    assert standing_at(TEXT, 2) == standing_at(TEXT, 99) == Standing((), ())
