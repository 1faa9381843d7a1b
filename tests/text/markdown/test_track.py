from hypothesis import given
from tests.rows import each_row
from tests.text.documents import documents

from nightledger.text.markdown.document import parse_markdown
from nightledger.text.markdown.entries import Entry, Tracked, find_entries, track

CHANNEL = "- The harbour master answers on channel 12 from six o'clock.\n"
FUEL = "- Fuel is paid in cash.\n"
BEFORE = f"## Harbour\n\n{CHANNEL}- Tie both lines before the engine stops.\n{FUEL}\n## Boat\n\n- The bilge pump trips its fuse.\n"


def known(text: str) -> tuple[Entry, ...]:
    return find_entries(parse_markdown(text))


def follow(before: str, after: str) -> Tracked:
    return track(known(before), parse_markdown(after))


@given(documents())
def test_an_unchanged_document_keeps_every_id(text: str) -> None:
    assert follow(text, text) == Tracked(entries=known(text), edited=())


@each_row(
    ("before", "after", "edited"),
    [
        (BEFORE, BEFORE.replace("channel 12", "channel 16"), ["channel 12"]),
        (BEFORE, BEFORE.replace("Fuel is paid in cash.", "Winter berths cost more."), []),
        (BEFORE, BEFORE.replace(FUEL, "") + FUEL, ["Fuel"]),
        # two close matches, on either side, are none; so is one in another section
        (BEFORE, BEFORE.replace(CHANNEL, CHANNEL.replace("12", "14") + CHANNEL.replace("12", "16")), []),
        (BEFORE.replace(CHANNEL, CHANNEL + CHANNEL.replace("12", "14")), BEFORE.replace("12", "16"), []),
        ("# A\n- Tie both lines before noon.\n# B\n", "# A\n# B\n- Tie both lines before one.\n", []),
        ("- The red pump is wet.\n", "- The red pump was wet.\n", ["pump"]),
        ("- The red pump is wet.\n" * 2, "- The red pump was wet.\n", []),
        ("- The red pump is wet.\n", "- The red pump was wet.\n" * 2, []),
    ],
)
def test_an_edited_entry_keeps_its_id_where_only_one_can_be_meant(
    before: str, after: str, edited: list[str]
) -> None:
    ids = [next(entry.id for entry in known(before) if words in entry.text) for words in edited]
    tracked = follow(before, after)
    assert list(tracked.edited) == ids
    assert set(ids) <= {entry.id for entry in tracked.entries}


def test_an_id_goes_to_one_entry_only() -> None:
    """The first wording comes back beside the edited entry that still carries its id; equals keep their order."""
    first, second = "- Tie both lines before noon.\n", "- Tie both lines before one.\n"
    both = track(follow(first, second).entries, parse_markdown(second + first))
    assert len({entry.id for entry in both.entries}) == 2
    assert both.entries[0].id == known(first)[0].id
    same = follow("- x\n- x\n- x\n", "- x\n- x\n").entries
    assert [entry.id for entry in same] == [entry.id for entry in known("- x\n- x\n- x\n")][:2]
