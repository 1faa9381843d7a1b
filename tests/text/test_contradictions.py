import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row

from nightledger.text.contradictions import Claim, Standing, _in_order

LEFT, VALUE, DENIED = "left behind", "a different", "denies"


@each_row(
    ("statement", "entry", "reason"),
    [
        ("Never push to main on Fridays", "Push to main on Fridays", DENIED),
        ("部署之前不需要备份数据库的内容", "部署之前需要备份数据库的内容", DENIED),
        ("Telemetry on osprey is disabled", "Telemetry on osprey is enabled", DENIED),
        ("Letters about the ferry go out without a copy to Bo", "Copies of letters about the ferry go to Bo", DENIED),
        ("Change: telemetry on osprey is not enabled", "Telemetry on osprey is enabled", DENIED),
        ("The kettle holds 5 cups of water", "The kettle holds 3 cups of water", VALUE),
        ("The relay moved to port 9443 last week", "The relay listens on port 8443", VALUE),
        ("Invoices are filed under /srv/books now", "Invoices are filed under /srv/papers", VALUE),
        ("The backup of heron runs at 04:15 now", "The backup of heron runs at 02:30", VALUE),
        ("The standing call with Bo is on Thursdays", "The standing call with Bo is on Tuesdays", VALUE),
        ("Send the late report at 06:15 from now on, 07:00 is too late", "Ann gets the late report at 07:00", VALUE),
        ("Die Sicherung von heron läuft jetzt um 04:00", "Die Sicherung von heron läuft um 02:00", VALUE),
        ("The kettle page uses `brew` instead of `steep`", "The kettle page uses `steep`", LEFT),
        ("Restic replaces borg for the backups of heron", "Backups of heron are made with borg", LEFT),
        ("Borg was replaced by restic for the backups of heron", "Backups of heron are made with borg", LEFT),
        ("Wine goes to Ida next door, not to the back door", "Wine goes to the back door", LEFT),
        ("Don't book trains on Mondays any more", "Book trains on Mondays", LEFT),
        ("Der Bericht geht nicht mehr an Ida, sondern an Bo", "Der lange Bericht geht an Ida", LEFT),
        ("New from today: wine no longer goes to the back door", "Wine goes to the back door", LEFT),
    ],
)  # fmt: skip
def test_what_cannot_both_be_true_is_shown_and_may_take_the_place(
    statement: str, entry: str, reason: str
) -> None:
    (hit,) = Standing([("e-1", entry), ("e-2", "Ann likes short answers")]).contradicted_by(statement)
    assert (hit.entry, hit.sure) == ("e-1", True)
    assert hit.text == entry.replace("`", "")
    assert reason in hit.reason
    assert 0 < hit.likeness <= 1


@pytest.mark.parametrize(
    ("statement", "entry"),
    [
        # once
        ("Wine does not go to the back door any more today", "Wine goes to the back door"),
        # not yet
        ("Should restic replace what we have? Restic replaces borg for heron", "Backups of heron are made with borg"),
        ("Maybe the backup of heron runs at 04:15 now", "The backup of heron runs at 02:30"),
        # the rest of the entry would be lost
        ("The letter moved from mailhog to postbox", "The letter is sent with mailhog"),
        # counted anew
        ("The kettle on heron holds 5 cups water", "The green kettle on heron holds 3 cups of water"),
        # a denial that says more
        ("The long red cart is never pushed to the shed", "The red cart is pushed to the shed"),
    ],
)  # fmt: skip
def test_what_may_contradict_is_only_to_be_seen_together(statement: str, entry: str) -> None:
    (hit,) = Standing([("e-1", entry)]).contradicted_by(statement)
    assert not hit.sure


@each_row(
    ("statement", "entry"),
    [
        ("Never push to main on Fridays", "Never push to main on Fridays"),
        ("Never push to main on Fridays", "Always close the window in hall 3"),
        ("The kettle holds 5 cups of water", "The kettle holds some cups of water"),
        ("Use plain words instead of jargon", "The kettle page uses `steep`"),
        ("The relay on osprey listens on port 9443", "The web page on heron listens on port 8443"),
        ("Backup of heron took 12 minutes", "Backup of heron takes 10 minutes at most"),
        ("Wine came to the back door at 09:40", "Wine goes to the back door until 18:00"),
        ("Ran 92 tests, none failed", "Run the tests before each push"),
        ("Prices on the site include tax, not in letters", "Prices on the site include tax"),
        ("Ann prefers tea, not coffee, in the morning", "Ann prefers tea in the morning"),
        ("The address is /srv/books now", "Address: /srv/papers"),
        ("heron keeps logs in /home/bo/logs", "heron keeps logs in ~/logs"),
        ("Trains are not free (see /srv/rail/list)", "Meals are not free (see /srv/food/list)"),
        ("Ask Ida instead of Bo about the press", "About the press ask Ida instead of Bo"),
        ("The stall opened on 2026-03-09", "The stall opened on 2026-03-02"),
        ("", "Ann prefers tea"),
    ],
)
def test_the_same_or_another_topic_is_no_contradiction(statement: str, entry: str) -> None:
    assert Standing([("e-1", entry)]).contradicted_by(statement) == ()


def test_the_most_alike_comes_first() -> None:
    entries = [
        ("maybe", "Mailhog is sent from heron"),
        ("long", "The letter to Bo on Fridays is sent with mailhog"),
        ("short", "The letter to Bo is sent with mailhog"),
    ]
    hits = Standing(entries).contradicted_by("The letter to Bo is sent with postbox, no longer with mailhog")
    assert [(hit.entry, hit.sure) for hit in hits] == [("short", True), ("long", True)]


def test_a_value_that_memory_gives_for_several_things_is_not_replaced() -> None:
    gates = [
        ("1", "Gate of the ferry people opens at 06:00"),
        ("2", "Gate of the ferry people opens at 09:00"),
    ]
    hits = Standing(gates).contradicted_by("Gate of the ferry people opens at 07:00")
    assert [hit.sure for hit in hits] == [False, False]


def test_nothing_is_contradicted_where_memory_says_it_already() -> None:
    entries = [("old", "The backup of heron runs at 02:30"), ("new", "The backup of heron runs at 04:15")]
    assert Standing(entries).contradicted_by("The backup of heron runs at 04:15") == ()


def test_words_that_most_entries_share_make_no_subject() -> None:
    entries = [(f"{n}", f"Ferry report at 0{n}:00 about thing{n}") for n in range(9)]
    assert Standing(entries).contradicted_by("Ferry report at 11:00 now") == ()


def test_one_standing_memory_answers_many_questions() -> None:
    standing = Standing([("e-1", "Wine goes to the back door")])
    assert standing.contradicted_by("Wine goes to Ida next door, not to the back door")
    assert not standing.contradicted_by("Ida likes wine")


def test_an_empty_memory_is_contradicted_by_nothing() -> None:
    assert Standing([]).contradicted_by("Wine goes to Ida next door, not to the back door") == ()


def test_the_sure_comes_before_the_more_alike() -> None:
    entries = [
        ("maybe", "The kettle on heron holds 3 cups"),
        ("sure", "Tea on heron is made at 16:00 by the kettle"),
    ]
    text = "The kettle on heron, it holds 5 cups by design. Tea on heron is made at 17:00 by the kettle"
    assert [(hit.entry, hit.sure) for hit in Standing(entries).contradicted_by(text)] == [
        ("sure", True),
        ("maybe", False),
    ]


@given(st.lists(st.sampled_from("abcd"), max_size=90), st.lists(st.sampled_from("abce"), max_size=90))
def test_no_more_words_are_counted_than_stand_in_the_same_order(one: list[str], other: list[str]) -> None:
    shared = frozenset(one) & frozenset(other)
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for n, word in enumerate(one):
        for m, rival in enumerate(other):
            longest = max(table[n][m + 1], table[n + 1][m])
            table[n + 1][m + 1] = table[n][m] + 1 if word == rival else longest
    assert bool(shared) <= _in_order(_in(one), _in(other), shared) <= table[-1][-1]
    assert _in_order(_in(one), _in(one), frozenset(one)) == len(one)


def _in(order: list[str]) -> Claim:
    return Claim(text="", order=tuple(order), stems=frozenset(order), values={})


@pytest.mark.slow
def test_lines_without_end_are_still_compared() -> None:
    talk = "Bo does not know. " * 20_000
    statement = "The kettle holds 5 cups of water. " + talk
    (hit,) = Standing([("e-1", "The kettle holds 3 cups of water"), ("e-2", talk)]).contradicted_by(statement)
    assert (hit.entry, VALUE in hit.reason) == ("e-1", True)
