from tests.rows import each_row, from_corpus

from nightledger.text.heads import MOST_HEAD, MOST_SAID, MOST_SENTENCES, Heads

LIST = "Memory\nOwner"


@from_corpus("text-heads")
def test_one_head_with_two_values_is_named(one: str, other: str) -> None:
    heads = Heads()
    heads.add("one", one, place=LIST)
    assert heads.clashing(other, place=LIST) == ("one",)
    assert heads.clashing(one, place=LIST) == ()


@each_row(
    ("one", "other"),
    [
        # the same, or one says more
        ("The owner of the press is Ida", "The owner of the press is Ida Holm"),
        ("The owner of the press is Ida", "The owner of the press is Ida and Bo"),
        # several may be true
        ("Bo is a member of the choir", "Bo is a member of the club"),
        ("Bo is tired", "Bo is happy"),
        ("The page is slow", "The page is green"),
        ("The shed is used for wood", "The shed is used for tools"),
        ("The report goes to Ida on Mondays", "The report goes to Bo with a copy"),
        # of some of many
        ("60% of the lamps in the hall are dim", "60% of the lamps in the hall are warm"),
        ("Most of the lamps in the hall are dim", "Most of the lamps in the hall are warm"),
        ("Half of the lamps of the hall were lit", "Half of the lamps of the hall were sold"),
        # of something else
        ("The owner of the press is Ida", "The owner of the kiln is Bo"),
        ("Bo is a citizen of Norway", "Bo is married to Ida"),
        ("The owner of the press was Ida", "The owner of the press is Bo"),
        # only where or when something else holds
        ("If the relay is on port 80", "If the relay is on port 90"),
        ("The relay is on port 80 if heron sleeps", "The relay is on port 90 if osprey sleeps"),
        # whose it is stands elsewhere
        ("It is on port 80", "It is on port 90"),
        ("", "is 5"),
        ("x " * (MOST_HEAD + 2) + "is 4", "x " * (MOST_HEAD + 2) + "is 5"),
        ("Yes. " * MOST_SENTENCES + "Ida's salary is 4000", "Ida's salary is 5000"),
    ],
)
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
