from hypothesis import given, settings
from hypothesis import strategies as st
from tests.rows import corpus, from_corpus
from tests.text.documents import documents, entries_to_add
from tests.text.drafts import draft, made

from nightledger.domain.proposal import Anchor, Hunk, Op
from nightledger.text.changes.place import Unplaced, make_hunk, put_all
from nightledger.text.markdown.check import check_blocks
from nightledger.text.markdown.document import encode, parse_markdown
from nightledger.text.markdown.entries import find_entries

MEMORY = corpus("text-markdown-check.txt")


Swap = tuple[str, str]


def gone(removed: str, added: str = "") -> Swap:
    return removed, added


def check(document: str, *changes: Hunk | Swap) -> tuple[str, ...]:
    """Say what changes do to what is around them; lines that go are named by themselves."""
    text = document
    for change in changes:
        done = put_all(text, [change]) if isinstance(change, Hunk) else text.replace(*change, 1)
        assert isinstance(done, str)
        assert done != text
        text = done
    return check_blocks(encode(document), encode(text))


def check_added(after: str, *section: str) -> tuple[str, ...]:
    return check(MEMORY, made(MEMORY, draft(Op.ADD, *section, after=after)))


def check_put(after: str, text: str = MEMORY) -> tuple[str, ...]:
    """Check what the gate itself would not place."""
    return check(text, gone("the harbour.\n", f"the harbour.\n\n{after}\n"))


def check_replaced(before: str, after: str) -> tuple[str, ...]:
    return check(MEMORY, gone(before, after))


@from_corpus("text-markdown-check")
def test_an_addition_that_stays_by_itself_is_well(after: str, section: str) -> None:
    assert check_added(after, section) == ()


@from_corpus("text-markdown-check")
def test_an_addition_that_takes_over_what_follows_is_told(after: str, reason: str) -> None:
    assert check_put(after)[0] == reason


@from_corpus("text-markdown-check")
def test_a_replacement_that_changes_its_neighbours_is_told(before: str, after: str, reason: str) -> None:
    assert any(one.startswith(reason) for one in check_replaced(before, after)), check_replaced(before, after)


def test_a_link_definition_that_kept_text_uses_is_not_taken_away_unseen() -> None:
    text = "See [tea] and [cup].\n\nOn [tea].\n\n[tea]: x\n[cup]: y\n"
    assert check(text, gone("[tea]: x\n")) == (
        "the link definition [TEA] would change what other lines link to",
    )
    cup = gone("See [tea] and [cup].\n\n")
    assert check(text, cup) == ()
    assert check(text, cup, gone("[cup]: y\n")) == ()


def test_several_hunks_are_judged_together() -> None:
    """The second closes what the first opened; between them everything has changed."""
    opens = gone("Pour slowly.\n", "Pour slowly.\n\n```\n")
    closes = gone("### Boat\n", "```\n")
    assert check(MEMORY, opens, closes)
    words = Hunk(anchor=Anchor.SECTION_END, section=("Memory", "Lessons"), added="words\n")
    more = gone("words\n", "other words\n")
    first = gone("# Memory\n", "# Memories\n")
    assert check(MEMORY, words, more, gone("- Fuse.\n"), first) == ()


@given(documents(), entries_to_add(), st.data())
def test_closed_entries_never_disturb_a_document(document: str, entry: str, data: st.DataObject) -> None:
    path = data.draw(st.sampled_from([section.path for section in parse_markdown(document).sections]))
    hunk = make_hunk(document, draft(Op.ADD, *path, after=entry))
    if not isinstance(hunk, Unplaced):
        assert check(document, hunk) == ()


@settings(max_examples=100)
@given(documents(), st.data())
def test_a_removal_disturbs_at_most_the_lists_that_it_parted(document: str, data: st.DataObject) -> None:
    entries = find_entries(parse_markdown(document))
    if entries:
        entry = data.draw(st.sampled_from(entries))
        hunk = made(document, draft(Op.REMOVE, before=entry.text, line=entry.first_line))
        assert all("would be joined to a neighbour" in reason for reason in check(document, hunk))
