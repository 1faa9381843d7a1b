r"""Check that a change leaves the Markdown around it as it was.

An addition that opens a fence or a comment, a line of dashes below somebody's paragraph,
an item that glues two lists together: each alters text that nobody signed for. The
parser here is not ours (markdown-it-py), so that our own reading is not its own judge.

Invariant: no reasons means that the lines outside the placed hunks form the same blocks,
with the same nesting, as before.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference

from nightledger.text.changes.place import Placed
from nightledger.text.markdown.document import BOM, decode, is_blank, split_lines

_LONE_RETURN = re.compile(r"\r(?!\n)")
_LABEL = re.compile(r"\[([^\[\]]+)\]")
_NAMES = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "bullet_list_open": "list",
    "ordered_list_open": "numbered list",
    "list_item_open": "list item",
    "blockquote_open": "quote",
    "fence": "fence",
    "code_block": "block of code",
    "html_block": "block of HTML",
    "hr": "rule",
}
_MOST_REASONS = 5  # an open fence changes every block below it; the first few say enough


@dataclass(frozen=True, slots=True)
class _Seen:
    """A block as far as kept lines show it; lines are those of the file before, from 0."""

    kind: str
    tag: str
    level: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class _Parsed:
    """A file's blocks in the numbering of its own lines, and its link definitions."""

    blocks: tuple[tuple[str, str, int, int, int], ...]
    labels: dict[str, str]


def check_blocks(before: bytes, after: bytes, placed: Sequence[Placed]) -> tuple[str, ...]:
    """Tell what placed hunks did to the blocks outside of them.

    Args:
        before: The file without the hunks.
        after: The file with them.
        placed: Where they went, in order, each in the text as those before it left it
            (``Applied.placed``).

    Returns:
        The first few reasons, clauses that name lines of ``after``; () when all is well.
    """
    old, new = decode(before), decode(after)
    kept = _kept_lines(old, new, placed)
    was, now = _parse(old), _parse(new)
    forward = {line: line for line in kept}
    backward = {kept[line]: line for line in kept}
    seen_before = Counter(_seen(was, split_lines(old), forward))
    seen_after = Counter(_seen(now, split_lines(new), backward))
    changed = _outermost(seen_before - seen_after)
    torn = _outermost(seen_after - seen_before)
    reasons = [_reason(seen, torn, kept) for seen in changed] or [_reason(seen, (), kept) for seen in torn]
    lines = split_lines(old)
    reasons.extend(_label_reasons(was.labels, now.labels, "".join(lines[number] for number in kept)))
    return tuple(reasons[:_MOST_REASONS])


def _outermost(blocks: Iterable[_Seen]) -> list[_Seen]:
    """Give the blocks in order, of those that begin on one line the outermost."""
    first: dict[int, _Seen] = {}
    for seen in sorted(blocks, key=lambda seen: (seen.first, seen.level)):
        first.setdefault(seen.first, seen)
    return list(first.values())


def _kept_lines(old: str, new: str, placed: Sequence[Placed]) -> dict[int, int]:
    """Map each line that no hunk touched from the old text to the new, both from 0."""
    old_starts, new_starts = _line_starts(old), _line_starts(new)
    numbers = {start: number for number, start in enumerate(new_starts)}
    kept: dict[int, int] = {}
    for before, after, length in _kept_pieces(len(old), placed):
        for number in range(bisect_left(old_starts, before), bisect_left(old_starts, before + length)):
            there = old_starts[number] - before + after
            if there in numbers:
                kept[number] = numbers[there]
    return kept


def _line_starts(text: str) -> list[int]:
    starts = [len(BOM) if text.startswith(BOM) else 0]
    for line in split_lines(text.removeprefix(BOM)):
        starts.append(starts[-1] + len(line))
    return starts[:-1]


def _kept_pieces(length: int, placed: Sequence[Placed]) -> Iterator[tuple[int, int, int]]:
    """Give stretches that no hunk touched: start before, start after, length."""
    pieces: list[tuple[int | None, int]] = [(0, length)]
    for one in placed:
        pieces = [*_cut(pieces, 0, one.start), (None, len(one.text)), *_cut(pieces, one.end, None)]
    after = 0
    for start, size in pieces:
        if start is not None and size:
            yield start, after, size
        after += size


def _cut(
    pieces: Sequence[tuple[int | None, int]], start: int, stop: int | None
) -> list[tuple[int | None, int]]:
    """Give the part of a row of pieces between two offsets."""
    found: list[tuple[int | None, int]] = []
    at = 0
    for origin, size in pieces:
        first = max(start - at, 0)
        last = size if stop is None else min(stop - at, size)
        if first < last:
            found.append((None if origin is None else origin + first, last - first))
        at += size
    return found


def _parse(text: str) -> _Parsed:
    parser = MarkdownIt("commonmark")
    parser.core.ruler.enableOnly(["normalize", "block"])
    environment: dict[str, dict[str, dict[str, str]]] = {}
    # A lone carriage return ends a line for CommonMark and none here: lines must be the same ones.
    tokens = parser.parse(_LONE_RETURN.sub(" ", text.removeprefix(BOM)), environment)
    blocks = tuple(
        (token.type, token.tag, token.level, token.map[0], token.map[1])
        for token in tokens
        if token.map and token.type in _NAMES
    )
    labels = {
        label: f"{target['href']} {target['title']}"
        for label, target in environment.get("references", {}).items()
    }
    return _Parsed(blocks=blocks, labels=labels)


def _seen(parsed: _Parsed, lines: Sequence[str], kept: dict[int, int]) -> Iterator[_Seen]:
    """Give each block by the first and last kept line with text that it holds."""
    numbers = sorted(line for line in kept if not is_blank(lines[line]))
    for kind, tag, level, first, stop in parsed.blocks:
        low, high = bisect_left(numbers, first), bisect_left(numbers, stop)
        if low < high:
            yield _Seen(kind, tag, level, kept[numbers[low]], kept[numbers[high - 1]])


def _reason(seen: _Seen, torn: Sequence[_Seen], kept: dict[int, int]) -> str:
    what, line = _NAMES[seen.kind], kept[seen.first] + 1
    now = next((other for other in torn if other.first <= seen.first <= other.last), None)
    if now is None:
        return f"line {line}: a {what} would not be read as it was"
    if now.kind == seen.kind and now.tag == seen.tag:
        return f"line {line}: a {what} would be joined to a neighbour or cut in two"
    return f"line {line}: a {what} would be read as part of a {_NAMES[now.kind]}"


def _label_reasons(was: dict[str, str], now: dict[str, str], kept: str) -> Iterator[str]:
    """Link definitions work on text anywhere in a file: a new one may not turn old words into links."""
    used = {normalizeReference(label) for label in _LABEL.findall(kept)}
    for label in sorted(was.keys() | now.keys()):
        if label in used and was.get(label) != now.get(label):
            yield f"the link definition [{label}] would change what other lines link to"
