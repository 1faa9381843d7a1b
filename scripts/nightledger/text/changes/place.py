"""Make hunks from drafts, and find the one place where a hunk applies.

Nothing is fuzzy: a hunk that does not fit exactly once, as signed, is not placed, and
the reason says why. An addition is anchored at the end of its section and never at
another addition's lines, so that several apply in any order.

Invariant: bytes outside a placed hunk are not touched.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from nightledger.domain.proposal import Anchor, Draft, Hunk, Op
from nightledger.text.changes.context import context_needed, occurrences, veiled_occurrences
from nightledger.text.changes.layout import (
    BY_HAND,
    block_at,
    block_starts,
    end_near,
    find_section,
    insertion_line,
    last_filled_line,
    new_heading,
    resolve_path,
    why_not_below,
)
from nightledger.text.changes.style import as_addition, as_replacement, is_list, tidy
from nightledger.text.changes.whole import at_end, why_not_whole
from nightledger.text.markdown.document import (
    BOM,
    BlockKind,
    Document,
    Path,
    is_blank,
    is_utf8,
    parse_markdown,
    section_at,
    section_of,
    split_lines,
)

NOT_UTF8 = f"it touches a line with bytes that are not UTF-8; {BY_HAND}"
"""Why a hunk that holds what ``decode`` could not read is refused: it has no JSON form."""
_NOT_WHOLE_LINES = "it does not consist of whole lines of text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """Where a hunk applies: ``document[:start] + text + document[end:]``.

    Attributes:
        start: First character that goes, counted from 0 in the decoded document.
        end: First character that stays; equal to ``start`` for an addition.
        text: What comes in, with the blank lines and heading that its place needs.
    """

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unplaced:
    """A hunk that does not apply.

    Attributes:
        reason: Why, as a clause for the operator.
        index: Which of several hunks, from 0.
    """

    reason: str
    index: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """A document with all hunks applied.

    Attributes:
        text: The new document.
        placed: Where each hunk went, in the document as the hunks before it left it.
    """

    text: str
    placed: tuple[Placed, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotApplied:
    """Hunks that do not apply together; nothing is to be written.

    Attributes:
        reasons: Every hunk that found no place, in order.
    """

    reasons: tuple[Unplaced, ...]


def make_hunk(document: str, draft: Draft) -> Hunk | Unplaced:
    """Turn a draft into the exact bytes that an operator signs.

    An addition takes on the list marker, indentation, blank lines and line ends of its
    section; a removal takes along the blank lines that it would leave doubled; context is
    as little as tells the place from all others.

    Args:
        document: The target as it is now, decoded; empty where the file is missing.
        draft: The change; its section may leave out outer headings (``resolve_path``).
    """
    parsed = parse_markdown(document)
    hunk = _addition(parsed, draft) if draft.op is Op.ADD else _exact(parsed, draft)
    if isinstance(hunk, Unplaced):
        return hunk
    found = place(document, hunk)
    return found if isinstance(found, Unplaced) else hunk


def place(document: str, hunk: Hunk) -> Placed | Unplaced:
    """Find the one place of a hunk in a document.

    Args:
        document: The target as it is now, decoded; empty where the file is missing.
        hunk: As signed.
    """
    if not all(map(is_utf8, (hunk.removed, hunk.added, hunk.context_before, hunk.context_after))):
        return Unplaced(reason=NOT_UTF8)
    if not all(map(is_utf8, hunk.section)):
        return Unplaced(reason=why_not_below(hunk.section))
    if hunk.anchor in (Anchor.FILE_END, Anchor.WHOLE):
        return _place_file(document, hunk)
    if hunk.anchor is Anchor.SECTION_END:
        return _place_addition(document, hunk)
    if hunk.anchor in (Anchor.EXACT, Anchor.MASKED):
        return _place_exact(document, hunk)
    return Unplaced(reason=f"it has no place in a text ({hunk.anchor.value})")


def _place_file(document: str, hunk: Hunk) -> Placed | Unplaced:
    if hunk.anchor is Anchor.FILE_END:
        end = len(document)
        return Placed(start=end, end=end, text=at_end(document, hunk.added))
    why = why_not_whole(document, hunk)
    return Unplaced(reason=why) if why else Placed(start=0, end=len(document), text=hunk.added)


def apply_hunks(document: str, hunks: Sequence[Hunk]) -> Applied | NotApplied:
    """Apply hunks in order, each to the result of those before it; all or none.

    A hunk without a place is passed over while the others are tried, so that every
    reason comes at once.
    """
    placed: list[Placed] = []
    failed: list[Unplaced] = []
    for index, hunk in enumerate(hunks):
        found = place(document, hunk)
        if isinstance(found, Unplaced):
            failed.append(Unplaced(reason=found.reason, index=index))
            continue
        placed.append(found)
        document = put(document, found)
    if failed:
        return NotApplied(reasons=tuple(failed))
    return Applied(text=document, placed=tuple(placed))


def put(document: str, placed: Placed) -> str:
    """Give the document with a placed hunk in it."""
    return document[: placed.start] + placed.text + document[placed.end :]


# additions


def _addition(document: Document, draft: Draft) -> Hunk | Unplaced:
    entry = tidy(draft.after)
    if not entry:
        return Unplaced(reason="there is nothing to add")
    kinds = {block.kind for block in parse_markdown(entry).blocks}
    if BlockKind.HEADING in kinds:
        return Unplaced(reason="an addition cannot bring headings; it names the section it belongs to")
    if "\r" in entry:
        return Unplaced(reason="it holds a carriage return inside a line")
    path = resolve_path(document, draft.section)
    if path is None:
        return Unplaced(reason=f"the section {_shown(draft.section)} is missing or named by several headings")
    section = find_section(document, path)
    end = end_near(document, insertion_line(document, section) if section else 0)
    added = as_addition(document, section, entry).replace("\n", end)
    return Hunk(anchor=Anchor.SECTION_END, section=path, added=added)


def _place_addition(document: str, hunk: Hunk) -> Placed | Unplaced:
    if hunk.removed or hunk.context_before or hunk.context_after:
        return Unplaced(reason="an addition at the end of a section removes nothing and has no context")
    if not hunk.added.endswith("\n") or not hunk.added.strip():
        return Unplaced(reason=_NOT_WHOLE_LINES)
    parsed = parse_markdown(document)
    section = find_section(parsed, hunk.section)
    if section is not None:
        at = insertion_line(parsed, section)
        text = _apart(parsed, at, hunk.added)
    else:
        if resolve_path(parsed, hunk.section) != hunk.section:
            return Unplaced(reason=f"the section {_shown(hunk.section)} is gone or has moved")
        heading = new_heading(parsed, hunk.section)
        outer = find_section(parsed, hunk.section[:-1])
        if heading is None or outer is None:
            return Unplaced(reason=f"no section {_shown(hunk.section)} can be made here")
        at = last_filled_line(parsed, 1, outer.last_line)
        text = _apart(parsed, at, _with_heading(parsed, heading, hunk.added))
    start = len(parsed.bom) + sum(map(len, parsed.lines[:at]))
    placed = Placed(start=start, end=start, text=text)
    return placed if _lands(put(document, placed), placed, hunk) else Unplaced(reason=_swallowed(hunk))


def _with_heading(document: Document, heading: str, added: str) -> str:
    end = "\r\n" if added.endswith("\r\n") else "\n"
    gap = "" if _glues_headings(document) or is_blank(split_lines(added)[0]) else end
    return heading + end + gap + added


def _apart(document: Document, at: int, added: str) -> str:
    """Give what goes in after line ``at``, kept apart from the blocks around it."""
    before = document.lines[at - 1] if at else ""
    after = document.lines[at] if at < len(document.lines) else ""
    end = "\r\n" if added.endswith("\r\n") else "\n"
    text = added if not before or _may_follow(document, at, added) else end + added
    if before and not before.endswith("\n"):
        text = end + text
    if after and not _may_precede(document, at, follows=text == added):
        text += end
    return text


def _may_precede(document: Document, at: int, *, follows: bool) -> bool:
    """Whether an addition after line ``at`` needs no blank line behind it, as none stood there."""
    after, above, below = document.lines[at], block_at(document, at), block_at(document, at + 1)
    if is_blank(after) or above is None or below is None:
        return is_blank(after)
    if below.kind is BlockKind.HEADING:
        return after.lstrip().startswith("#")
    # Nothing in a list can run on into a comment or a rule.
    in_list = follows and above.kind is BlockKind.LIST
    return in_list and (below.kind is BlockKind.RULE or after.startswith("<!--"))


def _may_follow(document: Document, at: int, added: str) -> bool:
    """Whether an addition needs no blank line before it."""
    first = split_lines(added)[0]
    last = next(block for block in reversed(document.blocks) if block.first_line <= at)
    if is_blank(first):
        return True
    if last.kind is BlockKind.HEADING:
        return is_list(added) and _glues_headings(document)
    return (
        last.kind is BlockKind.LIST
        and is_list(added)
        and last.marker == parse_markdown(added).blocks[0].marker
    )


def _glues_headings(document: Document) -> bool:
    """Whether more headings of a document have text directly below than a blank line."""
    glued = 0
    for section in document.sections[1:]:
        first, last = section.body
        if first <= last:
            glued += -1 if is_blank(document.lines[first - 1]) else 1
    return glued > 0


def _lands(result: str, placed: Placed, hunk: Hunk) -> bool:
    """Whether an addition stands in its section as blocks of its own."""
    parsed = parse_markdown(result)
    skipped = result.count("\n", 0, placed.start) + placed.text.count("\n", 0, placed.text.rindex(hunk.added))
    first = skipped + 1
    while is_blank(parsed.lines[first - 1]):
        first += 1
    return section_at(parsed, first).path == hunk.section and first in block_starts(parsed)


def _swallowed(hunk: Hunk) -> str:
    return f"at the end of {_shown(hunk.section)} a fence or comment is open that would swallow it"


def _shown(path: Path) -> str:
    return " > ".join(path) or "the top of the file"


# replacements and removals


def _exact(document: Document, draft: Draft) -> Hunk | Unplaced:
    removed = split_lines(draft.before)
    if not removed:
        return Unplaced(reason="it says neither what to add nor what to remove")
    first = _locate(document.lines, removed, draft.line)
    if isinstance(first, Unplaced):
        return first
    last = first + len(removed) - 1
    removed = [*document.lines[first - 1 : last]]
    entry = tidy(draft.after)
    added = ""
    if entry:
        added = as_replacement(entry, removed[0]).replace("\n", end_near(document, first))
        if not removed[-1].endswith("\n"):
            added = added.rstrip("\r\n")
    else:
        added = end_near(document, first) if _would_glue(document, first, last) else ""
        first, last = _with_doubled_blanks(document.lines, first, last)
    return _with_context(document, first, last, added)


def _locate(lines: Sequence[str], removed: Sequence[str], line: int) -> int | Unplaced:
    """Give the line where the removed lines stand; how they end does not count."""
    wanted = [one.rstrip("\r\n") for one in removed]
    starts = [line] if line else range(1, len(lines) - len(wanted) + 2)
    found = [
        n for n in starts if [one.rstrip("\r\n") for one in lines[n - 1 : n - 1 + len(wanted)]] == wanted
    ]
    if len(found) == 1:
        return found[0]
    if not found:
        return Unplaced(reason="the lines to take out are not in the file as given")
    return Unplaced(
        reason=f"the lines to take out stand in the file {len(found)} times and no line number tells which"
    )


def _would_glue(document: Document, first: int, last: int) -> bool:
    """Whether without these lines the block below would be read as part of the one above."""
    above, below = block_at(document, first - 1), block_at(document, last + 1)
    if above is None or below is None or above is below:
        return False
    rest = parse_markdown("".join([*document.lines[: first - 1], *document.lines[last:]]))
    return last + 1 in block_starts(document) and first not in block_starts(rest)


def _with_doubled_blanks(lines: Sequence[str], first: int, last: int) -> tuple[int, int]:
    """Widen a removal by the smaller of the gaps around it, so that the larger one stays.

    At either end of the file the whole gap goes: it separated nothing else.
    """
    above, below = first, last
    while above > 1 and is_blank(lines[above - 2]):
        above -= 1
    while below < len(lines) and is_blank(lines[below]):
        below += 1
    before, after = first - above, below - last
    if first == 1 or (after <= before and below < len(lines)):
        return first, below
    return above, last


def _with_context(document: Document, first: int, last: int, added: str) -> Hunk | Unplaced:
    lines = document.lines
    needed = context_needed(lines, first - 1, last)
    if needed is None:
        return Unplaced(reason="the same lines repeat too often around it to tell its place")
    before, after = needed
    return Hunk(
        anchor=Anchor.EXACT,
        section=section_of(document, first, last).path,
        removed="".join(lines[first - 1 : last]),
        added=added,
        context_before="".join(lines[first - 1 - before : first - 1]),
        context_after="".join(lines[last : last + after]),
    )


def _place_exact(document: str, hunk: Hunk) -> Placed | Unplaced:
    if hunk.removed == hunk.added:
        return Unplaced(reason="it changes nothing")
    pattern = hunk.context_before + hunk.removed + hunk.context_after
    found = _find(document, hunk, pattern)
    if len(found) != 1:
        return Unplaced(reason=_not_once(document, hunk, len(found)))
    start = found[0] + len(hunk.context_before)
    end = start + len(hunk.removed)
    placed = Placed(start=start, end=end, text=hunk.added)
    borders = (
        document[:start],
        document[:end] if hunk.context_after else "",
        hunk.added if document[end:] else "",
    )
    if any(border and not border.endswith("\n") and border != BOM for border in borders):
        return Unplaced(reason=_NOT_WHOLE_LINES)
    return placed


def _find(document: str, hunk: Hunk, pattern: str) -> list[int]:
    return (veiled_occurrences if hunk.anchor is Anchor.MASKED else occurrences)(document, pattern)


def _not_once(document: str, hunk: Hunk, times: int) -> str:
    if times:
        return "its lines stand in the file more than once"
    if hunk.removed and _find(document, hunk, hunk.removed):
        return "the lines around it have changed since"
    return "its lines are no longer in the file as they were"
