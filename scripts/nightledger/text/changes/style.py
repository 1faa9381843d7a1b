r"""Give an entry the looks of the place it goes to: list marker, indentation, blank lines, line ends.

Invariant: only the marks around an entry's text change, never its words.
"""

import re
from collections.abc import Sequence

from nightledger.text.changes.layout import blocks_between
from nightledger.text.markdown.blocks import TAB_STOP
from nightledger.text.markdown.document import (
    Block,
    BlockKind,
    Document,
    Section,
    is_blank,
    parse_markdown,
    split_lines,
)

_ITEM = re.compile(r"([ \t]*)([-+*]|\d{1,9}[.)])([ \t]+)(?=\S)")
_LOOSE_FROM = 2  # items from which one can tell whether blank lines stand between them


def tidy(text: str) -> str:
    r"""Give an entry's lines with ``\n`` ends, without blank lines around them."""
    lines = split_lines(text.replace("\r\n", "\n"))
    while lines and is_blank(lines[0]):
        del lines[0]
    while lines and is_blank(lines[-1]):
        del lines[-1]
    joined = "".join(lines)
    return joined if not joined or joined.endswith("\n") else joined + "\n"


def as_addition(document: Document, section: Section | None, entry: str) -> str:
    r"""Dress a tidy entry for the end of a section; a list item becomes one of its list.

    The section's last list lends marker, indentation and spacing (numbers count on), and,
    where the section ends in it, its blank line between items; without a list in the
    section the document's last bullet list does. Other entries stay as they are.
    """
    if not is_list(entry):
        return entry
    blocks = blocks_between(document, *section.body) if section else []
    entries = [block for block in blocks if block.kind is not BlockKind.HTML]
    lists = [block for block in entries if block.kind is BlockKind.LIST]
    ends_in_list = bool(lists) and entries[-1] is lists[-1]
    model = lists[-1] if lists else _last_bullets(document)
    if model is None or (model.marker in ".)" and not ends_in_list):
        return entry
    dressed = _like_item(entry, document.lines[model.items[-1][0] - 1], count_on=True)
    return "\n" + dressed if ends_in_list and is_loose(document, model) else dressed


def as_replacement(entry: str, removed: str) -> str:
    r"""Dress a tidy entry like the lines it replaces; plain text for an item becomes one.

    Args:
        entry: ``\n`` lines.
        removed: The lines that go.
    """
    model = split_lines(removed)[0]
    if _ITEM.match(model) is None:
        return entry
    if not is_list(entry):
        if [block.kind for block in parse_markdown(entry).blocks] != [BlockKind.PARAGRAPH]:
            return entry
        entry = "- " + entry.replace("\n", "\n  ").removesuffix("  ")
    return _like_item(entry, model, count_on=False)


def is_list(entry: str) -> bool:
    """Whether an entry is list items and nothing else."""
    return [block.kind for block in parse_markdown(entry).blocks] == [BlockKind.LIST]


def is_loose(document: Document, block: Block) -> bool:
    """Whether a list has a blank line before its last item; a list of one item has none."""
    return len(block.items) >= _LOOSE_FROM and is_blank(document.lines[block.items[-1][0] - 2])


def _last_bullets(document: Document) -> Block | None:
    bullets = [b for b in document.blocks if b.kind is BlockKind.LIST and b.marker in "-+*"]
    return bullets[-1] if bullets else None


def _like_item(entry: str, model_line: str, *, count_on: bool) -> str:
    """Rewrite the marks of an entry's own items after a model; their content is shifted along."""
    model = _ITEM.match(model_line)
    if model is None:
        return entry
    parsed = parse_markdown(entry)
    dressed: list[str] = []
    for offset, (first, last) in enumerate(parsed.blocks[0].items):
        marker = _marker(model[2], offset + 1 if count_on else offset)
        lines = [*parsed.lines[first - 1 : last]]
        dressed.extend(_shift(lines, model[1] + marker + model[3]))
        following = parsed.blocks[0].items[offset + 1 :]
        dressed.extend(parsed.lines[last : following[0][0] - 1] if following else ())
    return "".join(dressed)


def _marker(model: str, steps: int) -> str:
    if not model[0].isdigit():
        return model
    number = int(model[:-1])
    # A list whose last number is 1 numbers all its items so (or has one item; both read the same).
    return f"{number + steps}{model[-1]}"


def _shift(lines: Sequence[str], mark: str) -> list[str]:
    own = _ITEM.match(lines[0])
    if own is None:
        return [*lines]
    old, new = len(own[0].expandtabs(TAB_STOP)), " " * len(mark.expandtabs(TAB_STOP))
    shifted = [mark + lines[0][len(own[0]) :]]
    for line in lines[1:]:
        text = line.lstrip(" \t")
        inner = len(line[: -len(text)].expandtabs(TAB_STOP))
        shifted.append(line if is_blank(line) else new + " " * max(inner - old, 0) + text)
    return shifted
