"""Random documents for the Markdown tests: every block that memory files hold, in every layout.

A document is made of blocks, so that most draws are well formed; line ends, final
newline, byte order mark and trailing space are drawn apart.
"""

from collections.abc import Sequence

from hypothesis import strategies as st

Lines = list[str]

WORDS = st.sampled_from(
    [
        "kettle",
        "boils",
        "at noon",
        "`make tea`",
        "**always**",
        "_rarely_",
        "7 cups",
        "Zoë",
        "茶を淹れる",
        "[a](b)",
    ]
)
SENTENCES = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)
NAMES = st.sampled_from(["Lessons", "Projects", "Key Context", "Harbour", "決定"])
BULLETS = st.sampled_from(["-", "*", "+"])


def _paragraph() -> st.SearchStrategy[Lines]:
    return st.lists(SENTENCES, min_size=1, max_size=3)


@st.composite
def _heading(draw: st.DrawFn) -> Lines:
    name = draw(NAMES)
    if draw(st.booleans()):
        return ["#" * draw(st.integers(1, 4)) + " " + name]
    return [name, draw(st.sampled_from(["===", "---"]))]


@st.composite
def _item(draw: st.DrawFn, marker: str) -> Lines:
    indent = " " * (len(marker) + 1)
    lines = [f"{marker} {draw(SENTENCES)}"]
    for extra in draw(st.lists(st.sampled_from(["lazy", "child", "code", "more"]), max_size=2)):
        if extra == "lazy":
            lines.append(draw(SENTENCES))
        elif extra == "child":
            lines.append(f"{indent}* {draw(SENTENCES)}")
        elif extra == "code":
            lines += ["", f"{indent}```sh", f"{indent}# no heading", f"{indent}```"]
        else:
            lines += ["", f"{indent}{draw(SENTENCES)}"]
    return lines


@st.composite
def _list(draw: st.DrawFn) -> Lines:
    numbered = draw(st.booleans())
    marker = draw(BULLETS)
    loose = draw(st.booleans())
    lines: Lines = []
    for n in range(draw(st.integers(1, 4))):
        if n and loose:
            lines.append("")
        lines += draw(_item(f"{n + 1}." if numbered else marker))
    return lines


@st.composite
def _decision(draw: st.DrawFn) -> Lines:
    lines = [f"DECISION: {draw(SENTENCES)}", "DATE: 2026-03-04"]
    if draw(st.booleans()):
        lines.append(f"WHY: {draw(SENTENCES)}")
    return [*lines, f"STATUS: {draw(st.sampled_from(['Open', 'Implemented']))}"]


_FIXED: Sequence[Lines] = (
    ["```", "# no heading", "", "- no item", "```"],
    ["~~~ sh", "<!-- no comment", "~~~"],
    ["<!-- a comment", "", "## no heading", "-->"],
    ["<!-- tool:start -->"],
    ["<div>", "# no heading", "</div>"],
    ["> # quoted", "> and on", "lazily"],
    ["| cup | tea |", "|-----|----:|", "| 1 | green |"],
    ["***"],
    ["    indented = code", "    # no heading"],
)


def blocks() -> st.SearchStrategy[Lines]:
    """Give one block's lines, without ends."""
    return st.one_of(_paragraph(), _list(), _decision(), _heading(), st.sampled_from(_FIXED))


@st.composite
def plain_documents(draw: st.DrawFn) -> str:
    r"""Give a document with ``\n`` ends and a blank line between blocks, as an oracle reads it."""
    parts = draw(st.lists(blocks(), max_size=8))
    gaps = [[""] * draw(st.integers(1, 2)) for _ in parts]
    lines = [line for part, gap in zip(parts, gaps, strict=True) for line in [*part, *gap]]
    return "".join(f"{line}\n" for line in lines)


@st.composite
def documents(draw: st.DrawFn) -> str:
    """Give a document in any layout: mixed ends, no final newline, BOM, front matter, trailing space."""
    lines = draw(plain_documents()).split("\n")[:-1]
    if draw(st.booleans()) and lines:
        del lines[-1]
    if draw(st.integers(0, 5)) == 0:
        lines = ["---", "title: tea", "---", *lines]
    if draw(st.booleans()):
        lines = [line + "  " if n % 3 == 1 else line for n, line in enumerate(lines)]
    ends = draw(st.sampled_from([("\n",), ("\r\n",), ("\n", "\r\n")]))
    text = "".join(line + ends[n % len(ends)] for n, line in enumerate(lines))
    if draw(st.booleans()):
        text = text.removesuffix("\n").removesuffix("\r")
    return ("\ufeff" if draw(st.integers(0, 5)) == 0 else "") + text


@st.composite
def entries_to_add(draw: st.DrawFn) -> str:
    """Give an entry as a job writes it: an item, a paragraph, or a decision."""
    lines = draw(st.one_of(_item("-"), _paragraph(), _decision()))
    return "".join(f"{line}\n" for line in lines)
