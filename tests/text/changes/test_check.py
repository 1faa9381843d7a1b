from hypothesis import given, settings
from hypothesis import strategies as st
from tests.rows import corpus, from_corpus
from tests.text.documents import documents, entries_to_add
from tests.text.drafts import applied, draft, made

from nightledger.domain.proposal import Hunk, Op
from nightledger.text.changes.diff import check_blocks
from nightledger.text.changes.place import Unplaced, make_hunk
from nightledger.text.markdown.document import encode, parse_markdown
from nightledger.text.markdown.entries import find_entries

MEMORY = corpus("text-markdown-check.txt")


def check(document: str, hunk: Hunk) -> tuple[str, ...]:
    return check_blocks(encode(document), encode(applied(document, hunk)))


@from_corpus("text-markdown-check")
def test_an_addition_that_stays_by_itself_is_well(after: str, section: str) -> None:
    assert check(MEMORY, made(MEMORY, draft(Op.ADD, section, after=after))) == ()


@from_corpus("text-markdown-check")
def test_what_changes_do_to_what_is_around_them_is_told(
    document: str, swaps: list[tuple[str, str]], reasons: list[str]
) -> None:
    """Lines that go are named by themselves, and several changes are judged together."""
    text = document
    for removed, added in swaps:
        assert removed in text
        text = text.replace(removed, added, 1)
    assert list(check_blocks(encode(document), encode(text))) == reasons


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
