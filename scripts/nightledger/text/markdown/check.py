r"""Check that a change leaves the Markdown around it as it was.

An addition that opens a fence or a comment, a line of dashes below somebody's paragraph,
an item that glues two lists together: each alters text that nobody signed for. The
parser here is not ours (markdown-it-py), so that our own reading is not its own judge.

Invariant: no reasons means that the lines that were not changed form the same blocks,
with the same nesting, as before.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference
from msgspec import Struct

from nightledger.text.changes.diff import changed_runs, kept_lines
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


class _Seen(Struct, frozen=True):
    """A block as far as kept lines show it; lines are those of the file before, from 0."""

    kind: str
    tag: str
    level: int
    first: int
    last: int


_Blocks = list[tuple[str, str, int, int, int]]
"""Type, tag, level, first line and the one behind the last of each block, in the numbering of a file's own lines."""


def check_blocks(before: bytes, after: bytes) -> tuple[str, ...]:
    """Tell what changes did to the blocks outside of them.

    Args:
        before: The file without the changes.
        after: The file with them.

    Returns:
        The first few reasons, clauses that name lines of ``after``; () when all is well.
    """
    old, new = (decode(content).removeprefix(BOM) for content in (before, after))
    lines, following = split_lines(old), split_lines(new)
    kept = kept_lines(changed_runs(lines, following), len(lines))
    (was, had), (now, has) = _parse(old), _parse(new)
    forward = {line: line for line in kept}
    backward = {kept[line]: line for line in kept}
    seen_before = Counter(_seen(was, lines, forward))
    seen_after = Counter(_seen(now, following, backward))
    changed = _outermost(seen_before - seen_after)
    torn = _outermost(seen_after - seen_before)
    reasons = [_reason(seen, torn, kept) for seen in changed] or [_reason(seen, (), kept) for seen in torn]
    reasons.extend(_label_reasons(had, has, "".join(lines[number] for number in kept)))
    return tuple(reasons[:_MOST_REASONS])


def _outermost(blocks: Iterable[_Seen]) -> list[_Seen]:
    """Give the blocks in order, of those that begin on one line the outermost."""
    first: dict[int, _Seen] = {}
    for seen in sorted(blocks, key=lambda seen: (seen.first, seen.level)):
        first.setdefault(seen.first, seen)
    return list(first.values())


def _parse(text: str) -> tuple[_Blocks, dict[str, str]]:
    """Return the blocks and the link definitions of a file."""
    parser = MarkdownIt("commonmark")
    parser.core.ruler.enableOnly(["normalize", "block"])
    environment: dict[str, dict[str, dict[str, str]]] = {}
    # A lone carriage return ends a line for CommonMark and none here: lines must be the same ones.
    tokens = parser.parse(_LONE_RETURN.sub(" ", text), environment)
    blocks = [
        (token.type, token.tag, token.level, token.map[0], token.map[1])
        for token in tokens
        if token.map and token.type in _NAMES
    ]
    labels = {
        label: f"{target['href']} {target['title']}"
        for label, target in environment.get("references", {}).items()
    }
    return blocks, labels


def _seen(blocks: _Blocks, lines: Sequence[str], kept: dict[int, int]) -> Iterator[_Seen]:
    """Give each block by the first and last kept line with text that it holds."""
    numbers = sorted(line for line in kept if not is_blank(lines[line]))
    for kind, tag, level, first, stop in blocks:
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
