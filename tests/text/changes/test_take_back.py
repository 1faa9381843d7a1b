from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row
from tests.text.documents import documents, entries_to_add
from tests.text.drafts import added, applied, draft, made, removed, replaced

from nightledger.domain.proposal import Op
from nightledger.text.changes.merge import take_back
from nightledger.text.markdown.document import parse_markdown
from nightledger.text.markdown.entries import find_entries

MEMORY = "# Memory\n\n## Lessons\n\n- Rinse first.\n- Pour slowly.\n\n## Projects\n\nThe harbour.\n"


def undone(before: str, after: str, current: str) -> str:
    result = take_back(before, after, current)
    assert result is not None
    return result


def said(text: str) -> list[tuple[tuple[str, ...], str]]:
    """Give what a document says where; layout and order of additions do not count."""
    return sorted((entry.section, entry.text.strip()) for entry in find_entries(parse_markdown(text)))


IDEAS = added(MEMORY, "- x", "Ideas")
POURED = removed(MEMORY, "- Pour slowly.\n")
FAST = replaced(MEMORY, "- Pour slowly.\n", "- Pour fast.\n")
NESTED = MEMORY + "\n## Ideas\n\n- x\n\n### Sub\n\n- y\n"
SPLIT = MEMORY.replace("- Pour", "\n## New\n\n- Pour")
LATER = ("slowly.\n", "slowly.\n- Later.\n")


@each_row(
    ("after", "current", "expected"),
    [
        # a heading that the change made stays while later lines stand under it
        (IDEAS, IDEAS, MEMORY),
        (IDEAS, added(IDEAS, "- y", "Ideas"), MEMORY + "\n## Ideas\n\n- y\n"),
        (NESTED, NESTED + "- z\n", MEMORY + "\n## Ideas\n\n### Sub\n\n- z\n"),
        (SPLIT, SPLIT.replace(*LATER), MEMORY.replace(*LATER)),
        (IDEAS, added(IDEAS, "- y", "Ideas").replace("## Ideas", "## Plans"), None),
        # what comes back stands before what was added in its place
        (POURED, added(POURED, "- Warm the pot.", "Lessons"), MEMORY.replace("slowly.\n", "slowly.\n- Warm the pot.\n")),
        (FAST, FAST.replace("fast", "faster"), None),
    ],
)  # fmt: skip
def test_a_change_is_taken_back_and_what_came_since_stays(
    after: str, current: str, expected: str | None
) -> None:
    assert take_back(MEMORY, after, current) == expected


@given(documents(), entries_to_add(), documents())
def test_edits_elsewhere_survive(document: str, entry: str, elsewhere: str) -> None:
    """Another section is rewritten between the change and its undo."""
    top = "# Tea\n\n"
    fence = "\n***\n\n# Elsewhere\n\n"
    before = top + "- green\n" + fence
    hunk = made(before, draft(Op.ADD, "Tea", after=entry))
    after = applied(before, hunk)
    assert after.endswith(fence)
    assert undone(before + document, after + document, after + elsewhere) == before + elsewhere


@given(
    st.permutations(range(5)),
    st.lists(st.sampled_from(["Lessons", "Projects", "Ideas"]), min_size=5, max_size=5),
    st.lists(entries_to_add(), min_size=5, max_size=5),
    st.integers(0, 4),
    st.sampled_from([MEMORY, MEMORY.replace("\n", "\r\n"), MEMORY.rstrip("\n"), "", "## Projects\n\n- *\n"]),
)
def test_five_additions_survive_that_one_of_them_is_undone_in_between(
    order: Sequence[int], sections: list[str], entries: list[str], undo: int, document: str
) -> None:
    hunks = [
        made(document, draft(Op.ADD, name, after=f"- entry number {n}\n  {entry.splitlines()[0]}\n"))
        for n, (name, entry) in enumerate(zip(sections, entries, strict=True))
    ]
    current, steps = document, {}
    for n in order[:4]:
        before, current = current, applied(current, hunks[n])
        steps[n] = (before, current)
    if undo in steps:
        current = undone(*steps[undo], current)
    current = applied(current, hunks[order[4]])
    if undo == order[4]:
        return
    rest = [hunk for n, hunk in enumerate(hunks) if n != undo]
    assert said(current) == said(applied(document, *rest))


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_changes_can_be_taken_back_in_any_order(order: tuple[int, ...]) -> None:
    hunks = [
        made(MEMORY, draft(Op.ADD, "Lessons", after="- Warm the pot.")),
        made(MEMORY, draft(Op.REMOVE, before="- Rinse first.\n")),
        made(MEMORY, draft(Op.REPLACE, before="The harbour.\n", after="The old harbour.\n")),
    ]
    texts = [MEMORY]
    for hunk in hunks:
        texts.append(applied(texts[-1], hunk))
    current = texts[-1]
    for n in order:
        current = undone(texts[n], texts[n + 1], current)
    assert current == MEMORY
