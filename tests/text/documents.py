"""Random documents for the Markdown tests: every block that memory files hold, in every layout.

A document is made of blocks, so that most draws are well formed; line ends, final
newline, byte order mark and trailing space are drawn apart.
"""

import json
from itertools import chain

from hypothesis import strategies as st
from tests.rows import corpus

Lines = list[str]
_WORDS: list[str] = json.loads(corpus("text-documents-words.json"))
_SENTENCES = st.lists(st.sampled_from(_WORDS), min_size=1, max_size=4).map(" ".join)
_PARAGRAPHS = st.lists(_SENTENCES, min_size=1, max_size=3)
_DECISIONS = st.tuples(_SENTENCES, st.sampled_from(["WHY: tea", ""]), st.sampled_from(["Open", "Implemented"])).map(
    lambda told: [f"DECISION: {told[0]}", "DATE: 2026-03-04", *filter(None, told[1:2]), f"STATUS: {told[2]}"]
)  # fmt: skip
_MARKS = st.sampled_from(["# ", "## ", "### ", "#### ", "===", "---"])
_HEADINGS = st.tuples(_MARKS, st.sampled_from(["Lessons", "Projects", "Key Context", "Harbour", "決定"])).map(
    lambda told: ["".join(told)] if told[0].endswith(" ") else [told[1], told[0]]
)
_FIXED = [
    text.split("\n")
    for text in (
        "```\n# no heading\n\n- no item\n```", "~~~ sh\n<!-- no comment\n~~~", "<!-- a comment\n\n## no heading\n-->",
        "<!-- tool:start -->", "<div>\n# no heading\n</div>", "> # quoted\n> and on\nlazily",
        "| cup | tea |\n|-----|----:|\n| 1 | green |", "***", "    indented = code\n    # no heading",
    )
]  # fmt: skip
_BELOW = (["lazily"], ["{}* {}"], ["", "{}```sh", "{}# no heading", "{}```"], ["", "{}more {}"])
"""What may stand below the first line of an item; the indent of its content, and words."""


@st.composite
def _item(draw: st.DrawFn, marker: str) -> Lines:
    below = chain(*draw(st.lists(st.sampled_from(_BELOW), max_size=2)))
    indent = " " * (len(marker) + 1)
    return [f"{marker} {draw(_SENTENCES)}", *(line.format(indent, draw(_SENTENCES)) for line in below)]


@st.composite
def _list(draw: st.DrawFn) -> Lines:
    marker, gap = draw(st.sampled_from(["-", "*", "+", ""])), draw(st.sampled_from([[], [""]]))
    items = [draw(_item(marker or f"{n}.")) for n in range(1, draw(st.integers(2, 5)))]
    return [*items[0], *chain(*(gap + item for item in items[1:]))]


@st.composite
def plain_documents(draw: st.DrawFn) -> str:
    r"""Give a document with ``\n`` ends and a blank line between blocks, as an oracle reads it."""
    block = st.one_of(_PARAGRAPHS, _list(), _DECISIONS, _HEADINGS, st.sampled_from(_FIXED))
    parts = draw(st.lists(st.tuples(block, st.sampled_from([[""], ["", ""]])), max_size=8))
    return "".join(f"{line}\n" for part, gap in parts for line in [*part, *gap])


@st.composite
def documents(draw: st.DrawFn) -> str:
    """Give a document in any layout: mixed ends, no final newline, BOM, front matter, trailing space."""
    front = draw(st.sampled_from([*[[]] * 5, ["---", "title: tea", "---"]]))
    lines = [*front, *draw(plain_documents()).split("\n")[: -1 - draw(st.booleans())]]
    trail, ends = (
        draw(st.sampled_from(["", "  "])),
        draw(st.sampled_from([("\n",), ("\r\n",), ("\n", "\r\n")])),
    )
    text = "".join(line + trail * (n % 3 == 1) + ends[n % len(ends)] for n, line in enumerate(lines))
    if draw(st.booleans()):
        text = text.removesuffix("\n").removesuffix("\r")
    return draw(st.sampled_from([*[""] * 5, "\ufeff"])) + text


def entries_to_add() -> st.SearchStrategy[str]:
    """Give an entry as a job writes it: an item, a paragraph, or a decision."""
    return st.one_of(_item("-"), _PARAGRAPHS, _DECISIONS).map(lambda lines: "\n".join([*lines, ""]))
