import pytest
from msgspec.structs import replace

from nightledger.domain.frames import (
    MAX_CHARACTERS,
    MAX_PRINCIPLES,
    OWN,
    Constitution,
    Principle,
    why_not,
)
from nightledger.domain.retention import CONSTITUTIONAL

CARE = Principle(
    name="care", tags=(CONSTITUTIONAL, "self/value"), text="I leave things better than I found them."
)


def of(*principles: Principle) -> Constitution:
    return Constitution(v=1, principles=principles)


def test_a_constitution_of_one_principle_may_be_one() -> None:
    assert why_not(of(CARE)) == []
    assert CARE.id == "constitution#care"


def test_an_own_principle_comes_last_with_its_tags_and_single_spaces() -> None:
    both = of(CARE).with_own("  I am Wren,\n I keep  the garden diary. ")
    assert both.principles[1] == Principle(
        name=OWN, tags=(CONSTITUTIONAL, "self/context"), text="I am Wren, I keep the garden diary."
    )
    assert why_not(both) == []


@pytest.mark.parametrize(
    ("principles", "problem"),
    [
        ((), "a constitution has 1 to 20 principles, this one 0"),
        ((CARE, CARE), "care: the name stands 2 times"),
        ((replace(CARE, name="Care"),), "Care: a name is one word of a-z, 0-9 and _, 32 characters at most"),
        ((replace(CARE, name=""),), "1: a name is one word of a-z, 0-9 and _, 32 characters at most"),
        ((replace(CARE, text=" "),), "care: its text is one line, with single spaces"),
        ((replace(CARE, text="a\nb"),), "care: its text is one line, with single spaces"),
        ((replace(CARE, text="a\ud800b"),), "care: its text holds half a surrogate pair"),
        ((replace(CARE, text="x" * 401),), "care: its text has 401 characters; 400 is the most"),
    ],
)
def test_what_no_constitution_may_be_is_named(principles: tuple[Principle, ...], problem: str) -> None:
    assert why_not(of(*principles)) == [problem]


@pytest.mark.parametrize(
    "tags",
    [
        (),
        (CONSTITUTIONAL,),
        ("self/value", CONSTITUTIONAL),
        (CONSTITUTIONAL, CONSTITUTIONAL),
        (CONSTITUTIONAL, "self/mood"),
        (CONSTITUTIONAL, "self/value", "self/goal"),
    ],
)
def test_every_principle_is_constitutional_and_one_thing_more(tags: tuple[str, ...]) -> None:
    (problem,) = why_not(of(replace(CARE, tags=tags)))
    assert problem.startswith("care: its tags are self/constitutional and one of self/constraint, ")


def test_at_the_bounds_it_still_is_one() -> None:
    many = [replace(CARE, name=f"p{n}", text="x" * MAX_CHARACTERS) for n in range(MAX_PRINCIPLES)]
    assert why_not(of(*many)) == []
    assert len(why_not(of(*many, CARE))) == 1
