import pytest
from hypothesis import given
from tests.text.documents import documents

from nightledger.text.changes.track import Tracked, track
from nightledger.text.markdown.document import parse_markdown
from nightledger.text.markdown.entries import Entry, find_entries

BEFORE = """\
## Harbour

- The harbour master answers on channel 12 from six o'clock.
- Tie both lines before the engine stops.
- Fuel is paid in cash.

## Boat

- The bilge pump trips its fuse when the filter is full.
"""


def known(text: str) -> tuple[Entry, ...]:
    return find_entries(parse_markdown(text))


def follow(before: str, after: str) -> Tracked:
    return track(known(before), parse_markdown(after))


def id_of(text: str, words: str) -> str:
    return next(entry.id for entry in known(text) if words in entry.text)


@given(documents())
def test_an_unchanged_document_keeps_every_id(text: str) -> None:
    tracked = follow(text, text)
    assert tracked == Tracked(entries=known(text), edited=(), added=(), lost=())


def test_an_edited_entry_keeps_its_id() -> None:
    after = BEFORE.replace("channel 12", "channel 16")
    tracked = follow(BEFORE, after)
    assert tracked.entries[0].id == id_of(BEFORE, "channel 12")
    assert "channel 16" in tracked.entries[0].text
    assert tracked.edited == (id_of(BEFORE, "channel 12"),)
    assert (tracked.added, tracked.lost) == ((), ())


def test_another_entry_is_new_and_a_missing_one_is_lost() -> None:
    tracked = follow(BEFORE, BEFORE.replace("Fuel is paid in cash.", "Winter berths cost more."))
    assert tracked.lost == (id_of(BEFORE, "Fuel"),)
    assert tracked.added == (tracked.entries[2].id,)
    assert tracked.edited == ()


def test_an_entry_that_moved_to_another_section_keeps_its_id() -> None:
    line = "- Fuel is paid in cash.\n"
    tracked = follow(BEFORE, BEFORE.replace(line, "") + line)
    assert tracked.entries[-1].id == id_of(BEFORE, "Fuel")
    assert tracked.entries[-1].section == ("Boat",)
    assert tracked.edited == (id_of(BEFORE, "Fuel"),)


def test_two_close_matches_are_no_match() -> None:
    line = "- The harbour master answers on channel 12 from six o'clock.\n"
    after = BEFORE.replace(line, line.replace("12", "14") + line.replace("12", "16"))
    tracked = follow(BEFORE, after)
    assert tracked.lost == (id_of(BEFORE, "channel 12"),)
    assert len(tracked.added) == 2


def test_two_old_entries_do_not_share_a_close_match() -> None:
    line = "- The harbour master answers on channel 12 from six o'clock.\n"
    before = BEFORE.replace(line, line + line.replace("12", "14"))
    tracked = follow(before, BEFORE.replace("12", "16"))
    assert len(tracked.lost) == 2
    assert len(tracked.added) == 1


def test_a_close_match_in_another_section_is_no_match() -> None:
    tracked = follow("# A\n- Tie both lines before noon.\n# B\n", "# A\n# B\n- Tie both lines before one.\n")
    assert (len(tracked.lost), len(tracked.added)) == (1, 1)


def test_equal_entries_keep_their_order() -> None:
    tracked = follow("- x\n- x\n- x\n", "- x\n- x\n")
    assert [entry.id for entry in tracked.entries] == [entry.id for entry in known("- x\n- x\n- x\n")][:2]
    assert len(tracked.lost) == 1


def test_an_id_in_use_is_not_given_again() -> None:
    """The first wording comes back beside the edited entry that still carries its id."""
    first, second = "- Tie both lines before noon.\n", "- Tie both lines before one.\n"
    edited = follow(first, second).entries
    both = track(edited, parse_markdown(second + first))
    assert len({entry.id for entry in both.entries}) == 2
    assert both.entries[0].id == known(first)[0].id


@pytest.mark.slow
def test_of_many_entries_with_one_wording_none_is_taken_for_an_edited_one() -> None:
    times = 20_000
    told = follow("- The red pump is wet.\n" * times, "- The red pump was wet.\n" * times)
    assert told.edited == ()
    assert (len(told.added), len(told.lost)) == (times, times)


def test_an_edited_entry_is_known_only_where_its_wording_stands_once_on_both_sides() -> None:
    one, edited = "- The red pump is wet.\n", "- The red pump was wet.\n"
    assert len(follow(one, edited).edited) == 1
    assert follow(one * 2, edited).edited == ()
    assert follow(one, edited * 2).edited == ()
