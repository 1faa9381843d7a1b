from tests.rows import from_corpus

from nightledger.text.heads import MOST_SAID, Heads

LIST = "Memory\nOwner"


@from_corpus("text-heads")
def test_one_head_with_two_values_is_named(one: str, other: str) -> None:
    heads = Heads()
    heads.add("one", one, place=LIST)
    assert heads.clashing(other, place=LIST) == ("one",)
    assert heads.clashing(one, place=LIST) == ()


@from_corpus("text-heads")
def test_what_may_both_be_true_is_not_named(one: str, other: str) -> None:
    heads = Heads([("one", one)])
    assert heads.clashing(other) == ()


def test_a_head_with_three_values_has_several() -> None:
    heads = Heads([("1", "The relay runs on heron"), ("2", "The relay runs on osprey")])
    assert heads.clashing("The relay runs on kestrel") == ()
    assert heads.clashing("The relay runs on osprey") == ("1",)


def test_of_what_very_much_is_said_nothing_is_named() -> None:
    heads = Heads((str(n), f"The relay runs with {n} birds") for n in range(MOST_SAID - 1))
    heads.add("known", "The relay runs on heron")
    assert heads.clashing("The relay runs on osprey") == ("known",)
    heads.add("one more", "The relay runs with geese")
    assert heads.clashing("The relay runs on osprey") == ()


def test_a_label_counts_once_in_one_list() -> None:
    heads = Heads()
    for name, text in (("1", "Commit: b003b21"), ("2", "Commit: 14a1df6"), ("3", "Commit: b003b21")):
        heads.add(name, text, place=LIST)
    heads.add("4", "Salary: 4000", place="Memory\nOthers")
    assert heads.clashing("Commit: 14a1df6", place=LIST) == ()
    assert heads.clashing("Salary: 5000", place=LIST) == ()
    assert heads.clashing("Salary: 5000") == ()
