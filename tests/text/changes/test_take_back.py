from collections.abc import Sequence
from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row
from tests.text.documents import documents, entries_to_add
from tests.text.drafts import applied, changed, draft, made

from nightledger.domain.proposal import Op
from nightledger.text.changes.merge import take_back
from nightledger.text.markdown.document import parse_markdown
from nightledger.text.markdown.entries import find_entries

MEMORY = "# Memory\n\n## Lessons\n\n- Rinse first.\n- Pour slowly.\n\n## Projects\n\nThe harbour.\n"
IDEAS = changed(MEMORY, Op.ADD, "Ideas", after="- x")
MORE_IDEAS = changed(IDEAS, Op.ADD, "Ideas", after="- y")
POURED = changed(MEMORY, Op.REMOVE, before="- Pour slowly.\n")
FAST = changed(MEMORY, Op.REPLACE, before="- Pour slowly.\n", after="- Pour fast.\n")
NESTED = MEMORY + "\n## Ideas\n\n- x\n\n### Sub\n\n- y\n"
SPLIT = MEMORY.replace("- Pour", "\n## New\n\n- Pour")
WARM = changed(POURED, Op.ADD, "Lessons", after="- Warm the pot.")
LATER = ("slowly.\n", "slowly.\n- Later.\n")


def said(text: str) -> list[tuple[tuple[str, ...], str]]:
    """Give what a document says where; layout and order of additions do not count."""
    return sorted((entry.section, entry.text.strip()) for entry in find_entries(parse_markdown(text)))


@each_row(
    ("after", "current", "expected"),
    [
        # a heading that the change made stays while later lines stand under it
        (IDEAS, IDEAS, MEMORY),
        (IDEAS, MORE_IDEAS, MEMORY + "\n## Ideas\n\n- y\n"),
        (NESTED, NESTED + "- z\n", MEMORY + "\n## Ideas\n\n### Sub\n\n- z\n"),
        (SPLIT, SPLIT.replace(*LATER), MEMORY.replace(*LATER)),
        (IDEAS, MORE_IDEAS.replace("## Ideas", "## Plans"), None),
        # what comes back stands before what was added in its place
        (POURED, WARM, MEMORY.replace("slowly.\n", "slowly.\n- Warm the pot.\n")),
        (FAST, FAST.replace("fast", "faster"), None),
    ],
)
def test_a_change_is_taken_back_and_what_came_since_stays(
    after: str, current: str, expected: str | None
) -> None:
    assert take_back(MEMORY, after, current) == expected


@given(documents(), entries_to_add(), documents())
def test_edits_elsewhere_survive(document: str, entry: str, elsewhere: str) -> None:
    """Another section is rewritten between the change and its undo."""
    fence = "\n***\n\n# Elsewhere\n\n"
    before = "# Tea\n\n- green\n" + fence
    after = changed(before, Op.ADD, "Tea", after=entry)
    assert after.endswith(fence)
    assert take_back(before + document, after + document, after + elsewhere) == before + elsewhere


@given(
    st.permutations(range(5)),
    st.lists(st.sampled_from(["Lessons", "Projects", "Ideas"]), min_size=5, max_size=5),
    st.integers(0, 3),
    st.sampled_from([MEMORY, MEMORY.replace("\n", "\r\n"), MEMORY.rstrip("\n"), "", "## Projects\n\n- *\n"]),
)
def test_five_additions_survive_that_one_of_them_is_undone_in_between(
    order: Sequence[int], sections: list[str], undo: int, document: str
) -> None:
    hunks = [
        made(document, draft(Op.ADD, name, after=f"- number {n}\n  and more\n"))
        for n, name in enumerate(sections)
    ]
    texts = [document]
    for n in order[:4]:
        texts.append(applied(texts[-1], hunks[n]))
    current = take_back(texts[undo], texts[undo + 1], texts[-1])
    assert current is not None
    rest = [hunk for n, hunk in enumerate(hunks) if n != order[undo]]
    assert said(applied(current, hunks[order[4]])) == said(applied(document, *rest))


@each_row("first, second, third", permutations(range(3)))
def test_changes_can_be_taken_back_in_any_order(first: int, second: int, third: int) -> None:
    hunks = [
        made(MEMORY, draft(Op.ADD, "Lessons", after="- Warm the pot.")),
        made(MEMORY, draft(Op.REMOVE, before="- Rinse first.\n")),
        made(MEMORY, draft(Op.REPLACE, before="The harbour.\n", after="The old harbour.\n")),
    ]
    texts = [MEMORY]
    for hunk in hunks:
        texts.append(applied(texts[-1], hunk))
    current: str | None = texts[-1]
    for n in (first, second, third):
        assert current is not None
        current = take_back(texts[n], texts[n + 1], current)
    assert current == MEMORY
