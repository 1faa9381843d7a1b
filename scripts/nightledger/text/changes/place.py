"""Make hunks from drafts, and find the one place where a hunk applies.

Nothing is fuzzy. A hunk of text names its section by all headings above it, and what it takes out stands there at its
line, or once; where several sections have one path, all of them count as it. What was signed is placed where that section has the very bytes
that were shown; an addition also where all that stood above it then does so still.

Invariant: bytes outside a placed hunk are not touched, and no other section comes to stand under other headings.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.decision import ShownIn
from nightledger.domain.kept import skill_front, skill_name
from nightledger.domain.proposal import Anchor, Draft, Hunk, Op
from nightledger.text.changes import sections
from nightledger.text.changes.diff import changed_runs, check_blocks, kept_lines
from nightledger.text.markdown import document as md
from nightledger.text.markdown.document import holds_label

NOT_UTF8 = "it touches a line, or belongs below a heading, with bytes that are not UTF-8; mend that line by hand first"
"""Why a hunk that holds what ``decode`` could not read is refused: it has no JSON form."""
CHANGED = "its section has changed since it was signed"
"""Why something signed has no place where it could stand otherwise."""
TAKEN = "a skill of that name is there already, and is not written over"
_NO_FRONT = "a skill begins with '---', its own name and a description"
_NOT_WHOLE_LINES = "it does not consist of whole lines of text"
_ADDS = (Anchor.SECTION_END, Anchor.DIVIDED_END)
_OTHERS = "other lines would stand under another heading, or be read as part of it"
_NOT_THERE = "its lines are no longer in the file as they were"


class Placed(Struct, frozen=True, kw_only=True):
    """Where a hunk applies: ``document[:start] + text + document[end:]``.

    Attributes:
        start: First character that goes, counted from 0 in the decoded document.
        end: First character that stays; equal to ``start`` for an addition.
        text: What comes in, with the blank lines and heading that its place needs.
    """

    start: int
    end: int
    text: str


class Unplaced(Struct, frozen=True, kw_only=True):
    """A hunk that does not apply.

    Attributes:
        reason: Why, as a clause for the operator.
    """

    reason: str


def make_hunk(document: str, draft: Draft, *, divided: bool = False) -> Hunk | Unplaced:
    """Turn a draft into the exact bytes that an operator signs.

    An addition takes on the list marker, indentation, blank lines and line ends of its
    section; a removal takes along the blank lines that it would leave doubled.

    Args:
        document: The target as it is now, decoded; empty where the file is missing.
        draft: The change; its section may leave out outer headings (``resolve_path``).
        divided: Whether lines of ``§`` divide its entries, also where there is none yet, as in Hermes' files.
    """
    name = skill_name(draft.target)
    if name and (draft.op is Op.ADD or (draft.op is not Op.ARCHIVE and draft.before == document)):
        return _whole_skill(document, draft, name)
    parsed = md.parse_markdown(document)
    divided = divided or sections.is_divided(parsed)
    hunk = (_addition if draft.op is Op.ADD else _exact)(parsed, draft, divided=divided)
    if isinstance(hunk, Unplaced):
        return hunk
    found = place(document, hunk)
    return found if isinstance(found, Unplaced) else hunk


def place(document: str, hunk: Hunk) -> Placed | Unplaced:
    """Find the one place of a hunk in a document, as it would be shown now.

    Args:
        document: The target as it is now, decoded; empty where the file is missing.
        hunk: As proposed.
    """
    if not md.is_utf8("".join((hunk.removed, hunk.added, *hunk.section))):
        return Unplaced(reason=NOT_UTF8)
    if hunk.anchor is Anchor.FILE_END:
        end = len(document)
        return Placed(start=end, end=end, text=sections.at_end(document, hunk.added))
    if hunk.anchor is Anchor.WHOLE:
        why = sections.why_not_whole(document, hunk)
        return Unplaced(reason=why) if why else Placed(start=0, end=len(document), text=hunk.added)
    if hunk.anchor in _ADDS:
        return _place_addition(document, hunk)
    if hunk.anchor in (Anchor.LINES, Anchor.FILE_LINES):
        return _place_lines(document, hunk)
    return Unplaced(reason=f"it has no place in a text ({hunk.anchor.value})")


def place_signed(document: str, hunk: Hunk, shown: ShownIn) -> Placed | Unplaced:
    """Find the place of a hunk where what it was signed under still stands.

    Args:
        document: The target as it is now, decoded.
        hunk: A hunk of text, as signed.
        shown: Under what it was shown.
    """
    found = place(document, hunk)
    if (
        isinstance(found, Unplaced)
        or shown_in(document, shown.change, hunk).section_sha256 == shown.section_sha256
    ):
        return found
    if hunk.anchor in _ADDS:
        return _place_below(document, hunk, shown.above_sha256)
    return Unplaced(reason=CHANGED)


def shown_in(document: str, n: int, hunk: Hunk) -> ShownIn:
    """Return under what a hunk of text, which has its place, would be shown in a document.

    Args:
        document: The target, decoded.
        n: Number of its change.
        hunk: The hunk.
    """
    parsed = md.parse_markdown(document)
    if hunk.anchor is Anchor.FILE_LINES:
        return ShownIn(change=n, section_sha256=sections.text_sha256(document))
    spans, behind = sections.spans_at(parsed, hunk.section), sections.behind_holes(parsed, hunk.section)
    if hunk.anchor is Anchor.LINES:
        first = _line_in_section(parsed, hunk)
        if isinstance(first, int):
            outside = md.section_at(parsed, first).path  # of a heading that goes: what is left comes under it
            behind += "" if outside == hunk.section else "\n".join(outside)
            touched = sections.around(parsed, first - 1, first + len(md.split_lines(hunk.removed)))
            spans = sorted({*spans, *touched}, key=lambda span: span.first)
    shown = ShownIn(
        change=n, section_sha256=sections.text_sha256(behind + sections.text_of_spans(parsed, spans))
    )
    if hunk.anchor is Anchor.LINES:
        return shown
    section = sections.find_section(parsed, hunk.section)
    stop = sections.insertion_line(parsed, section, divided=_is_divided(parsed, hunk)) if section else 0
    above = "".join(parsed.lines[spans[0].first : stop]) if spans else ""
    return replace(shown, above_sha256=sections.text_sha256(above))


def is_same_place(shown: str, current: str, was: Placed, now: Placed) -> bool:
    """Tell whether what goes from a document are the lines that were shown, and not others that read like them.

    Args:
        shown: The document as it was shown.
        current: The same after other changes.
        was: The place in ``shown``.
        now: The place in ``current``.
    """
    old = md.split_lines(shown)
    kept = kept_lines(changed_runs(old, md.split_lines(current)), len(old))
    first, at = shown.count("\n", 0, was.start), current.count("\n", 0, now.start)
    removed = md.split_lines(shown[was.start : was.end])
    return any(kept.get(first + n) == at + n for n, line in enumerate(removed) if not md.is_blank(line))


def put_all(document: str, hunks: Iterable[Hunk]) -> str | Unplaced:
    """Return the document with hunks in it, each placed on the result of those before it; or the first without a place."""
    for hunk in hunks:
        found = place(document, hunk)
        if isinstance(found, Unplaced):
            return found
        document = put(document, found)
    return document


def put(document: str, placed: Placed) -> str:
    """Give the document with a placed hunk in it."""
    return document[: placed.start] + placed.text + document[placed.end :]


# additions


def _addition(document: md.Document, draft: Draft, *, divided: bool) -> Hunk | Unplaced:
    entry = sections.tidy(draft.after)
    if not entry:
        return Unplaced(reason="there is nothing to add")
    if md.BlockKind.HEADING in _kinds(entry):
        return Unplaced(reason="an addition cannot bring headings; it names the section it belongs to")
    if "\r" in entry:
        return Unplaced(reason="it holds a carriage return inside a line")
    path = sections.resolve_path(document, draft.section)
    if divided and (path is None or sections.find_section(document, path) is None):
        path = ()  # it has entries, and no sections
    if path is None:
        return Unplaced(
            reason=f"the section {sections.shown_path(draft.section)} is missing or named by several headings"
        )
    section = sections.find_section(document, path)
    at = sections.insertion_line(document, section, divided=divided) if section else 0
    dressed = sections.without_marker(entry) if divided else sections.as_addition(document, section, entry)
    added = dressed.replace("\n", sections.end_near(document, at))
    return Hunk(anchor=_ADDS[divided], section=path, added=added)


def _is_divided(document: md.Document, hunk: Hunk) -> bool:
    return hunk.anchor is Anchor.DIVIDED_END or sections.is_divided(document)


def _whole_skill(document: str, draft: Draft, name: str) -> Hunk | Unplaced:
    """Return the whole of a skill, new, in place of what it was, or nothing; it begins with front matter that names it."""
    if document and draft.op is Op.ADD:
        return Unplaced(reason=TAKEN)
    added = "" if draft.op is Op.REMOVE else f"{draft.after.rstrip()}\n"
    hunk = Hunk(anchor=Anchor.FILE_LINES, section=(), removed=document, added=added)
    found = place(document, hunk)
    if isinstance(found, Unplaced):
        return found
    named = not added or added.startswith(f"{skill_front(name)}description: ")
    return hunk if named else Unplaced(reason=_NO_FRONT)


def _kinds(text: str) -> set[md.BlockKind]:
    return {block.kind for block in md.parse_markdown(text).blocks}


def _place_addition(document: str, hunk: Hunk) -> Placed | Unplaced:
    if hunk.removed or hunk.line:
        return Unplaced(reason="an addition at the end of a section removes nothing")
    if not hunk.added.endswith("\n") or not hunk.added.strip():
        return Unplaced(reason=_NOT_WHOLE_LINES)
    parsed = md.parse_markdown(document)
    section = sections.find_section(parsed, hunk.section)
    if section is not None:
        at = sections.insertion_line(parsed, section, divided=_is_divided(parsed, hunk))
        return _placed_after(document, hunk, at, hunk.added)
    heading, outer = (
        sections.new_heading(parsed, hunk.section),
        sections.find_section(parsed, hunk.section[:-1]),
    )
    if heading is None or outer is None:
        return Unplaced(reason=f"no section {sections.shown_path(hunk.section)} can be made here")
    at = md.last_filled(parsed.lines, 1, outer.last_line)
    return _placed_after(document, hunk, at, sections.with_heading(heading, hunk.added))


def _place_below(document: str, hunk: Hunk, above_sha256: str) -> Placed | Unplaced:
    """Place an addition directly below all that stood above it when it was shown; what follows has come since.

    Only an item goes in above others, and none that is read as a label: anything else could be a heading of them.
    """
    parsed = md.parse_markdown(document)
    section = sections.find_section(parsed, hunk.section)
    if section is None:
        return Unplaced(reason=sections.GONE)
    span = sections.span_of(section)
    at = section.heading[1]
    if above_sha256 != sections.EMPTY_SHA256:
        ends = _ends_above(parsed.lines[span.first : span.stop], above_sha256)
        if ends is None:
            return Unplaced(reason=CHANGED)
        at = span.first + ends
    below = sections.text_in(parsed, sections.Span(at, span.stop)).lstrip()
    apart = _is_divided(parsed, hunk) and (not at or sections.is_divider(md.split_lines(below)[0]))
    if not below or apart:
        found = _placed_after(document, hunk, at, hunk.added)
        # Markdown knows no dividers: what they divide may be one paragraph to it, which is not cut in two.
        cuts = isinstance(found, Placed) and check_blocks(
            md.encode(document), md.encode(put(document, found))
        )
        return Unplaced(reason=CHANGED) if cuts else found
    added = hunk.added.lstrip("\r\n")
    if holds_label(added) or not (sections.is_list(below) and sections.is_list(added + below)):
        return Unplaced(reason=CHANGED)
    while md.is_blank(parsed.lines[at]):
        at += 1
    return _placed(document, replace(hunk, added=added), at, added)


def _ends_above(lines: Sequence[str], above_sha256: str) -> int | None:
    """Return how many of some lines have a hash, whether the last of them had an end then or not; None where none have."""
    hashed = hashlib.sha256()
    for n, line in enumerate(lines, 1):
        open_ended = hashed.copy()
        open_ended.update(md.encode(line.rstrip("\r\n")))
        hashed.update(md.encode(line))
        if above_sha256 in (hashed.hexdigest(), open_ended.hexdigest()):
            return n
    return None


def _placed_after(document: str, hunk: Hunk, at: int, added: str) -> Placed | Unplaced:
    """Place an addition after line ``at``, kept apart from the blocks around it."""
    parsed = md.parse_markdown(document)
    return _placed(document, hunk, at, sections.apart(parsed, at, added, divided=_is_divided(parsed, hunk)))


def _placed(document: str, hunk: Hunk, at: int, text: str) -> Placed | Unplaced:
    """Put a text after line ``at`` where the addition in it then stands in its section as blocks of its own."""
    parsed = md.parse_markdown(document)
    start = len(parsed.bom) + sum(map(len, parsed.lines[:at]))
    placed = Placed(start=start, end=start, text=text)
    result = put(document, placed)
    if not _lands(result, placed, hunk):
        place_name = sections.shown_path(hunk.section)
        return Unplaced(reason=f"at the end of {place_name} a fence or comment is open that would swallow it")
    section = sections.find_section(parsed, hunk.section)
    own = [sections.span_of(section)] if section else []
    return Unplaced(reason=_OTHERS) if _moves_others(document, result, own) else placed


def _moves_others(document: str, result: str, own: Iterable[sections.Span]) -> bool:
    """Tell whether a section other than some does not stand any more under its headings as it was."""
    parsed = md.parse_markdown(document)
    changed = Counter(
        (md.section_at(parsed, span.first + 1).path, sections.text_in(parsed, span)) for span in own
    )
    return bool(Counter(sections.sections_of(document)) - changed - Counter(sections.sections_of(result)))


def _lands(result: str, placed: Placed, hunk: Hunk) -> bool:
    """Whether an addition stands in its section as blocks of its own."""
    parsed = md.parse_markdown(result)
    skipped = result.count("\n", 0, placed.start) + placed.text.count("\n", 0, placed.text.rindex(hunk.added))
    first = skipped + 1
    while md.is_blank(parsed.lines[first - 1]):
        first += 1
    return md.section_at(parsed, first).path == hunk.section and first in sections.block_starts(parsed)


# replacements and removals


def _exact(document: md.Document, draft: Draft, *, divided: bool) -> Hunk | Unplaced:
    removed = md.split_lines(draft.before)
    if not removed:
        return Unplaced(reason="it says neither what to add nor what to remove")
    first = _locate(document.lines, removed, draft.line)
    if isinstance(first, Unplaced):
        return first
    last = first + len(removed) - 1
    removed = [*document.lines[first - 1 : last]]
    entry = sections.tidy(draft.after)
    added = ""
    if entry:
        if md.BlockKind.HEADING in _kinds(entry) - _kinds("".join(removed)):
            return Unplaced(reason="a replacement cannot bring headings")
        plain = divided and not sections.is_list(removed[0])
        added = sections.as_replacement(
            sections.without_marker(entry) if plain else entry, removed[0]
        ).replace("\n", sections.end_near(document, first))
        if not removed[-1].endswith("\n"):
            added = added.rstrip("\r\n")
    else:
        added = sections.end_near(document, first) if _would_glue(document, first, last) else ""
        first, last = _with_divider(document.lines, first, last) or _with_doubled_blanks(
            document.lines, first, last
        )
    section = md.section_of(document, first, last)
    numbers = _lines_at(document, section.path)
    first = next(n for n in numbers if n >= first - 1) + 1
    removed = [*document.lines[first - 1 : last]]
    return Hunk(
        anchor=Anchor.LINES,
        section=section.path,
        line=numbers.index(first - 1),
        removed="".join(removed),
        added=added,
    )


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


def _would_glue(document: md.Document, first: int, last: int) -> bool:
    """Whether without these lines the block below would be read as part of the one above."""
    above, below = sections.block_at(document, first - 1), sections.block_at(document, last + 1)
    if above is None or below is None or above is below:
        return False
    rest = md.parse_markdown("".join([*document.lines[: first - 1], *document.lines[last:]]))
    return last + 1 in sections.block_starts(document) and first not in sections.block_starts(rest)


def _with_divider(lines: Sequence[str], first: int, last: int) -> tuple[int, int] | None:
    """Widen the removal of all that stands between two dividers by one of them; None where none is, or something stays."""
    above = sections.is_divider(lines[first - 2]) if first > 1 else None
    below = sections.is_divider(lines[last]) if last < len(lines) else None
    if False in (above, below) or not (above or below):
        return None
    return (first, last + 1) if below else (first - 1, last)


def _with_doubled_blanks(lines: Sequence[str], first: int, last: int) -> tuple[int, int]:
    """Widen a removal by the smaller of the gaps around it, so that the larger one stays.

    At either end of the file the whole gap goes: it separated nothing else.
    """
    above, below = first, last
    while above > 1 and md.is_blank(lines[above - 2]):
        above -= 1
    while below < len(lines) and md.is_blank(lines[below]):
        below += 1
    before, after = first - above, below - last
    if first == 1 or (after <= before and below < len(lines)):
        return first, below
    return above, last


def _place_lines(document: str, hunk: Hunk) -> Placed | Unplaced:
    if hunk.removed == hunk.added:
        return Unplaced(reason="it changes nothing")
    parsed = md.parse_markdown(document)
    whole = hunk.anchor is Anchor.FILE_LINES  # a byte order mark is part of its first line
    lines = md.split_lines(document) if whole else parsed.lines
    first = _line_in_file(lines, hunk) if whole else _line_in_section(parsed, hunk)
    if isinstance(first, Unplaced):
        return first
    stop = first + len(md.split_lines(hunk.removed))
    start = sum(map(len, lines[:first])) + (0 if whole else len(parsed.bom))
    placed = Placed(start=start, end=start + sum(map(len, lines[first:stop])), text=hunk.added)
    above = lines[first - 1] if first else "\n"
    if not above.endswith("\n") or (document[placed.end :] and hunk.added and not hunk.added.endswith("\n")):
        return Unplaced(reason=_NOT_WHOLE_LINES)
    if not whole and _moves_others(document, put(document, placed), sections.around(parsed, first, stop)):
        return Unplaced(reason=_OTHERS)
    return placed


def _line_in_file(lines: Sequence[str], hunk: Hunk) -> int | Unplaced:
    wanted = md.split_lines(hunk.removed)
    there = hunk.line <= len(lines) and _are(lines[hunk.line : hunk.line + len(wanted)], wanted)
    return hunk.line if there else Unplaced(reason=_NOT_THERE)


def _line_in_section(document: md.Document, hunk: Hunk) -> int | Unplaced:
    """Return the line, from 0, where a hunk's lines stand: those that it names, or the only others in its section."""
    wanted, lines = md.split_lines(hunk.removed), document.lines
    numbers = _lines_at(document, hunk.section)
    if not numbers:
        return Unplaced(reason=sections.GONE)
    found = [n for n in numbers if wanted and _are(lines[n : n + len(wanted)], wanted)]
    if hunk.line < len(numbers) and numbers[hunk.line] in found:
        return numbers[hunk.line]
    if len(found) > 1:
        return Unplaced(reason="its lines stand in the section more than once")
    return found[0] if found else Unplaced(reason=_NOT_THERE)


def _lines_at(document: md.Document, path: tuple[str, ...]) -> list[int]:
    """Return the lines, from 0, of every section of a path."""
    return [n for span in sections.spans_at(document, path) for n in range(span.first, span.stop)]


def _are(lines: Sequence[str], wanted: Sequence[str]) -> bool:
    """Tell whether some lines are others, of which a hole stands for any character."""
    return len(lines) == len(wanted) and all(map(sections.is_text, lines, wanted))
