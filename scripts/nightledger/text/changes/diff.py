r"""Differences of two texts: by lines, as unified diffs and as numbered changes, and in the Markdown around what changed.

Lines end in ``\n`` only and are compared with their ends.
Invariant: ``changed_runs`` joined with the equal lines between them gives both texts back. The old text with no change in
it is the old text, with all of them the new one, byte for byte; lines that are no UTF-8 are lines like any other.

An addition that opens a fence or a comment, a line of dashes below somebody's paragraph, an item that glues two lists
together: each alters text that nobody signed for. Here the parser is not ours (markdown-it-py), so that our own reading is
not its own judge. Invariant: no reasons means that the lines that were not changed form the same blocks, with the same
nesting, as before.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.proposal import Proposal
from nightledger.text.markdown import document as md
from nightledger.text.markdown.document import Labels, labels_of

CONTEXT_LINES = 3
"""As in POSIX ``diff -u``."""
_MOST_PAIRS = 100_000
"""Of lines of a stretch without unique lines that are compared; a longer stretch counts as replaced whole. It bounds
time, which may grow with their number and the edits, never correctness."""
_Span = tuple[int, int]


class Run(Struct, frozen=True, kw_only=True):
    """Lines ``old[old_start:old_stop]`` that became ``new[new_start:new_stop]``; either may be empty."""

    old_start: int
    old_stop: int
    new_start: int
    new_stop: int

    def moved(self, old: int, new: int) -> "Run":
        """Return the run so many lines further down on either side."""
        return Run(
            old_start=self.old_start + old,
            old_stop=self.old_stop + old,
            new_start=self.new_start + new,
            new_stop=self.new_stop + new,
        )


def changed_runs(old: Sequence[str], new: Sequence[str]) -> tuple[Run, ...]:
    """Give what differs, in order, with at least one equal line between two runs.

    Equal ends are cut off first; then lines that occur once on each side anchor the rest
    (patience diff, B. Cohen 2008), and stretches between anchors are matched by ``difflib``. A run that could stand at several places stands at the last.
    """
    runs = _joined(
        run
        for left, right in _stretches(old, new)
        for run in _matched(old[left[0] : left[1]], new[right[0] : right[1]], left[0], right[0])
    )
    borders = [*(run.old_start for run in runs), len(old)][1:]
    return tuple(_joined(_slid(run, old, new, border) for run, border in zip(runs, borders, strict=True)))


def _stretches(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[_Span, _Span]]:
    """Cut the texts at lines unique on both sides, until no such line is left inside."""
    waiting: list[tuple[_Span, _Span]] = [((0, len(old)), (0, len(new)))]
    while waiting:
        left, right = _trimmed(old, new, *waiting.pop())
        if left[0] == left[1] or right[0] == right[1]:
            if left[0] != left[1] or right[0] != right[1]:
                yield left, right
            continue
        anchors = _anchors(old, new, left, right)
        if not anchors:
            yield left, right
            continue
        borders = [(left[0], right[0]), *((a + 1, b + 1) for a, b in anchors)]
        ends = [*anchors, (left[1], right[1])]
        pieces = [((i, k), (j, m)) for (i, j), (k, m) in zip(borders, ends, strict=True)]
        waiting.extend(reversed(pieces))


def _trimmed(old: Sequence[str], new: Sequence[str], left: _Span, right: _Span) -> tuple[_Span, _Span]:
    (a, b), (c, d) = left, right
    while a < b and c < d and old[a] == new[c]:
        a, c = a + 1, c + 1
    while a < b and c < d and old[b - 1] == new[d - 1]:
        b, d = b - 1, d - 1
    return (a, b), (c, d)


def _anchors(old: Sequence[str], new: Sequence[str], left: _Span, right: _Span) -> list[tuple[int, int]]:
    """Give the longest rising chain of lines that stand once on either side."""
    before = Counter(old[left[0] : left[1]])
    after = Counter(new[right[0] : right[1]])
    place = {new[n]: n for n in range(*right) if after[new[n]] == 1}
    pairs = [(n, place[old[n]]) for n in range(*left) if before[old[n]] == 1 and old[n] in place]
    return _rising(pairs)


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Give a longest chain of pairs that rises on both sides (patience sorting)."""
    tops: list[int] = []
    top_pair: list[int] = []
    previous: list[int] = []
    for index, (_, at) in enumerate(pairs):
        pile = bisect_left(tops, at)
        previous.append(top_pair[pile - 1] if pile else -1)
        tops[pile : pile + 1] = [at]
        top_pair[pile : pile + 1] = [index]
    chain: list[tuple[int, int]] = []
    index = top_pair[-1] if top_pair else -1
    while index >= 0:
        chain.append(pairs[index])
        index = previous[index]
    return chain[::-1]


def _matched(old: Sequence[str], new: Sequence[str], at_old: int, at_new: int) -> list[Run]:
    """Return the runs between the longest matches of a stretch; one run for the whole where it is too long for that."""
    codes: Sequence[tuple[str, int, int, int, int]] = [("replace", 0, len(old), 0, len(new))]
    if len(old) * len(new) <= _MOST_PAIRS:
        from difflib import SequenceMatcher

        codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [
        Run(old_start=a, old_stop=b, new_start=c, new_stop=d).moved(at_old, at_new)
        for tag, a, b, c, d in codes
        if tag != "equal"
    ]


def _slid(run: Run, old: Sequence[str], new: Sequence[str], border: int) -> Run:
    """Move a pure addition or removal to the last of the places where it reads the same."""
    start, stop, lines = run.old_start, run.old_stop, old
    if run.old_start == run.old_stop:
        start, stop, lines = run.new_start, run.new_stop, new
    elif run.new_start != run.new_stop:
        return run
    by = 0
    while run.old_stop + by < border and lines[start + by] == lines[stop + by]:
        by += 1
    return run.moved(by, by)


def _joined(runs: Iterable[Run]) -> list[Run]:
    """Join runs that touch."""
    joined: list[Run] = []
    for run in runs:
        if joined and joined[-1].old_stop == run.old_start and joined[-1].new_stop == run.new_start:
            joined.append(replace(joined.pop(), old_stop=run.old_stop, new_stop=run.new_stop))
        else:
            joined.append(run)
    return joined


def new_lines(before: str, after: str) -> str:
    """Return the lines of a text that stand nowhere in the one before it."""
    there = frozenset(before.split("\n"))
    return "\n".join(line for line in after.split("\n") if line not in there)


def unified_diff(before: str, after: str, *, path: str = "MEMORY.md") -> str:
    r"""Give the unified diff of two texts, as ``patch -p1`` takes it; empty where they are equal.

    Three lines of context, and all lines below that so stand under another heading, label or item, or in another kind
    of block; a hunk's header names the section that it begins in; a line without end is followed by
    ``\ No newline at end of file``. Nothing inside a hunk is left out.

    Args:
        before: The old text; empty for a file that is to be made.
        after: The new text.
        path: Name of the file, relative to the home.
    """
    document = md.parse_markdown(before)
    old, new = md.split_lines(before), md.split_lines(after)
    runs = changed_runs(old, new)
    if not runs:
        return ""
    ends = _shown_to(runs, before, after)
    pieces = [f"--- a/{path}\n", f"+++ b/{path}\n"]
    for group, end in _groups(runs, ends):
        pieces.extend(_hunk(group, old, new, document, end))
    return "".join(pieces)


def kept_lines(runs: Sequence[Run], count: int) -> dict[int, int]:
    """Map each line that was not changed, of ``count`` in the old text, to the new one, both from 0."""
    kept: dict[int, int] = {}
    at = shift = 0
    for run in runs:
        kept |= {line: line + shift for line in range(at, run.old_start)}
        at, shift = run.old_stop, run.new_stop - run.old_stop
    return kept | {line: line + shift for line in range(at, count)}


def _shown_to(runs: Sequence[Run], old: str, new: str) -> list[int]:
    """Return for each run up to which line of the old text it is shown: with all lines below it that stand elsewhere now.

    What makes or takes a heading need not be a line of it: a blank line that goes makes one of a paragraph and a rule.
    """
    ends = [run.old_stop + CONTEXT_LINES for run in runs]
    starts = [run.old_start for run in runs]
    kept = kept_lines(runs, old.count("\n") + 1)
    numbers, after = {-1: -1} | kept, _standing(new)
    for line, (heading, *same) in _standing(old).items():
        there = after.get(kept.get(line, -1))
        if there and there != (numbers.get(heading), *same):
            at = max(bisect_right(starts, line) - 1, 0)
            ends[at] = max(ends[at], line + 1)
    return ends


@lru_cache(maxsize=8)  # as parse_markdown
def _standing(text: str) -> Mapping[int, tuple[int, md.Path, Labels, md.BlockKind]]:
    """Return of each line in a block the heading above it (its last line, both from 0, and text), the labels, and its block."""
    document = md.parse_markdown(text)
    labels, found = labels_of(document), dict[int, tuple[int, md.Path, Labels, md.BlockKind]]()
    for block in document.blocks:
        section = md.section_at(document, block.first_line)
        for line in range(block.first_line - 1, block.last_line):
            found[line] = section.heading[1] - 1, section.path[-1:], labels[line], block.kind
    return found


def _groups(runs: Sequence[Run], ends: Sequence[int]) -> list[tuple[list[Run], int]]:
    groups: list[tuple[list[Run], int]] = []
    for run, end in zip(runs, ends, strict=True):
        if groups and run.old_start <= groups[-1][1] + CONTEXT_LINES:
            joined, reached = groups[-1]
            groups[-1] = [*joined, run], max(reached, end)
        else:
            groups.append(([run], end))
    return groups


def _hunk(
    group: Sequence[Run], old: Sequence[str], new: Sequence[str], document: md.Document, end: int
) -> Iterator[str]:
    first, last = group[0], group[-1]
    lead = min(CONTEXT_LINES, first.old_start)
    trail = min(end, len(old)) - last.old_stop
    start, stop = first.old_start - lead, last.old_stop + trail
    removed = _range(start, stop)
    added = _range(first.new_start - lead, last.new_stop + trail)
    line = first.old_start + (first.old_start < first.old_stop)
    section = " > ".join(md.section_of(document, line, first.old_stop).path)
    yield f"@@ -{removed} +{added} @@{' ' if section else ''}{section}\n"
    at = start
    for run in group:
        yield from (_line(" ", line) for line in old[at : run.old_start])
        yield from (_line("-", line) for line in old[run.old_start : run.old_stop])
        yield from (_line("+", line) for line in new[run.new_start : run.new_stop])
        at = run.old_stop
    yield from (_line(" ", line) for line in old[at:stop])


def _range(start: int, stop: int) -> str:
    length = stop - start
    first = start + 1 if length else start  # POSIX: an empty range names the line before it
    return str(first) if length == 1 else f"{first},{length}"


def _line(sign: str, line: str) -> str:
    return f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n\\ No newline at end of file\n"


UNJOINED = 1 << 30
"""How many changes stay apart where each is one of an operator's edit."""
MOST_CHANGES = 50
"""More are joined with their neighbours: nobody answers hundreds of hunks one by one. Our choice, which settled drift is checked by."""
_MASKED = "[masked: "
"""Before the size of a secret, where one is masked: which ones are is for the scanners of that day."""


class Course(Struct, frozen=True, kw_only=True):
    """How a file went from some bytes to others.

    Attributes:
        old: Lines before, decoded with ``surrogateescape``.
        new: Lines after.
        runs: Where they differ, in order; change ``n`` is ``runs[n - 1]``.
    """

    old: tuple[str, ...]
    new: tuple[str, ...]
    runs: tuple[Run, ...]

    def removed(self, n: int) -> str:
        """Give the lines that change ``n`` takes out."""
        run = self.runs[n - 1]
        return "".join(self.old[run.old_start : run.old_stop])

    def added(self, n: int) -> str:
        """Give the lines that change ``n`` puts in."""
        run = self.runs[n - 1]
        return "".join(self.new[run.new_start : run.new_stop])

    def steps(self) -> Iterator[tuple[int, str, str]]:
        """Yield each change's number, with the text that those before it leave and what it makes of that."""
        before = self.rebuild(())
        for n in range(1, len(self.runs) + 1):
            after = self.rebuild(range(1, n + 1))
            yield n, before, after
            before = after

    def rebuild(self, put_in: Collection[int]) -> str:
        """Give the old text with the changes of these numbers in it, and no other."""
        pieces: list[str] = []
        at = 0
        for n, run in enumerate(self.runs, 1):
            pieces += self.old[at : run.old_start]
            pieces.append(self.added(n) if n in put_in else self.removed(n))
            at = run.old_stop
        return "".join([*pieces, *self.old[at:]])


def trace(old: str, new: str, *, by_section: bool = False, most: int = MOST_CHANGES) -> Course:
    """Return how one text became the other.

    Args:
        old: The text before.
        new: The text after.
        by_section: Join what differs within a section, so that each change is all that differs in one section, or
            in those whose headings changed.
        most: Changes beyond this number are joined, those with the fewest lines between them first.
    """
    before, after = md.split_lines(old), md.split_lines(new)
    runs = changed_runs(before, after)
    if by_section:
        runs = _by_section(runs, md.parse_markdown(old), md.parse_markdown(new))
    return Course(old=tuple(before), new=tuple(after), runs=_fewer(runs, most))


def trace_drift(accepted: str, present: str) -> Course:
    """Return how the accepted text became the one found: a change for each section that differs."""
    return trace(accepted, present, by_section=True)


def shows(proposal: Proposal, course: Course) -> bool:
    """Tell whether an item shows how a file drifted: each change as it is, those with something masked apart.

    Its maker saw to that; but whoever has the log's key can put another item into the log.
    """
    return len(proposal.changes) == len(course.runs) and all(
        _MASKED in change.hunk.removed + change.hunk.added
        or (change.hunk.removed, change.hunk.added)
        == (md.readable(course.removed(change.n)), md.readable(course.added(change.n)))
        for change in proposal.changes
    )


def _by_section(runs: Sequence[Run], old: md.Document, new: md.Document) -> tuple[Run, ...]:
    """Join runs that reach into one section of either text; a heading that changes reaches to the end of its subtree."""
    found: list[Run] = []
    reach: tuple[int, int] = (-1, -1)
    for run in runs:
        if found and (run.old_start < reach[0] or run.new_start < reach[1]):
            found[-1] = _glued(found[-1], run)
        else:
            found.append(run)
        ends = _reach(old, run.old_start, run.old_stop), _reach(new, run.new_start, run.new_stop)
        reach = max(reach[0], ends[0]), max(reach[1], ends[1])
    return tuple(found)


def _reach(document: md.Document, start: int, stop: int) -> int:
    """Return the line, from 0, at which the next section begins that does not depend on some lines."""
    lines = (start + 1, stop) if stop > start else (max(start, 1), start)
    ends = [md.section_at(document, line).body[1] for line in (lines[0], max(lines))]
    ends += [
        one.last_line
        for one in document.sections
        if stop > start and one.heading[0] <= stop and one.heading[1] > start
    ]
    return max(ends)


def _glued(first: Run, last: Run) -> Run:
    return replace(first, old_stop=last.old_stop, new_stop=last.new_stop)


def _fewer(runs: Sequence[Run], most: int) -> tuple[Run, ...]:
    by_gap = sorted(range(1, len(runs)), key=lambda at: (runs[at].old_start - runs[at - 1].old_stop, at))
    glued = frozenset(by_gap[: max(0, len(runs) - most)])
    joined: list[Run] = []
    for at, run in enumerate(runs):
        joined.append(_glued(joined.pop(), run) if at in glued else run)
    return tuple(joined)


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


def check_blocks(before: bytes, after: bytes) -> tuple[str, ...]:
    """Return what changes did to the blocks outside of them: the first few reasons, clauses that name lines of ``after``.

    Args:
        before: The file without the changes.
        after: The file with them.
    """
    old, new = (md.decode(content).removeprefix(md.BOM) for content in (before, after))
    lines, following = md.split_lines(old), md.split_lines(new)
    kept = kept_lines(changed_runs(lines, following), len(lines))
    (was, had), (now, has) = _parse(old), _parse(new)
    seen_before = Counter(_seen(was, lines, {line: line for line in kept}))
    seen_after = Counter(_seen(now, following, {there: line for line, there in kept.items()}))
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
    """Return type, tag, level, first line and the one behind the last of a file's blocks; and its link definitions."""
    from markdown_it import MarkdownIt

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
    numbers = sorted(line for line in kept if not md.is_blank(lines[line]))
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
    from markdown_it.common.utils import normalizeReference

    used = {normalizeReference(label) for label in _LABEL.findall(kept)}
    for label in sorted(was.keys() | now.keys()):
        if label in used and was.get(label) != now.get(label):
            yield f"the link definition [{label}] would change what other lines link to"
