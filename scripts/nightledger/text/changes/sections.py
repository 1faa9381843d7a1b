"""Sections as changes are anchored in them, whole files, and where an addition goes in a document and how it looks there.

A section is a heading line and what stands below it up to the next heading. A path is matched by the exact, trimmed texts
of its headings; of several sections with one path an addition goes to the first. While a hunk is being made, a path may
leave out outer headings where that names one section only; what is signed is the whole path.

Invariant: what a section is hashed as are its exact lines without the end of the last one and the blank lines behind
it, which only keep it apart from the next; sections of one path are told by all of them together, with what keeps them apart.
What is replaced as a whole is known by its hash, so any bytes can be, text or not. Of an addition only the marks around it change.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import dropwhile

from msgspec import Struct

from nightledger.domain.proposal import HOLE, Hunk
from nightledger.text.markdown import document as md
from nightledger.text.markdown.blocks import DIVIDER, TAB_STOP

SHOWN_SECTION = " > "


EMPTY_SHA256 = hashlib.sha256(b"").hexdigest()
GONE = "the section that it stands in is gone, or stands under another heading"
"""Why a change has no place that names a section which is not there."""
_DEEPEST = 6  # Markdown has headings of six levels
_NOT_ENTRIES = {md.BlockKind.HTML, md.BlockKind.RULE, md.BlockKind.LINKS, md.BlockKind.FRONT_MATTER}
_ITEM = re.compile(r"([ \t]*)([-+*]|\d{1,9}[.)])([ \t]+)(?=\S)")
_MARK = re.compile(r"(?<![^\W_])(start|begin|end)\W*-->$", re.IGNORECASE)
"""How a comment ends with which another tool marks a block as its own."""
_MARK_CHARACTERS = 20
_LOOSE_FROM = 2  # items from which one can tell whether blank lines stand between them


def text_sha256(text: str) -> str:
    """Give the hex SHA-256 of a document's bytes (``surrogateescape``)."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def at_end(document: str, added: str) -> str:
    """Give what goes in at the end of a document so that ``added`` is a paragraph of its own there."""
    if not document:
        return added
    end = "" if document.endswith("\n") else "\n"
    gap = "" if (document + end).endswith(("\n\n", "\n\r\n")) else "\n"
    return end + gap + added


def why_not_whole(document: str, hunk: Hunk) -> str:
    """Say why a file is not the one that a hunk replaces as a whole; empty where it is."""
    if hunk.added == document:
        return "it changes nothing"
    if text_sha256(document) == (hunk.removed or EMPTY_SHA256):
        return ""
    return "the file has changed since"


def copied(source: str, document: str, hunk: Hunk) -> str | None:
    """Give what a file holds after a copy; None where it is not the copy that was signed, or has no room.

    Args:
        source: The bytes of the change's target before the change.
        document: The file now.
        hunk: As signed; its ``removed`` is the hash of what the file must hold, where that is not nothing.
    """
    if text_sha256(source) != hunk.added:
        return None
    free = {EMPTY_SHA256, hunk.added} if not hunk.removed else {hunk.removed}
    return source if text_sha256(document) in free else None


class Span(Struct, frozen=True):
    """Lines of a document.

    Attributes:
        first: The first, from 0.
        stop: The one behind the last.
    """

    first: int
    stop: int


def shown_path(path: md.Path) -> str:
    """Return a path as messages name it."""
    return " > ".join(map(md.readable, path)) or "the top of the file"


def spans_at(document: md.Document, path: md.Path) -> list[Span]:
    """Return the lines of every section of a path: mostly of one."""
    return [span_of(section) for section in document.sections if _is_path(section.path, path)]


def span_of(section: md.Section) -> Span:
    """Return the lines of a section."""
    return Span(max(section.heading[0] - 1, 0), section.body[1])


def _is_path(path: md.Path, named: md.Path) -> bool:
    """Compare headings; in those that a record names a hole stands for any character of a secret."""
    return len(path) == len(named) and all(map(is_text, path, named))


def is_text(text: str, named: str) -> bool:
    """Return whether a text is another one, in which a hole stands for any character."""
    if HOLE not in named:
        return text == named
    return len(text) == len(named) and all(b in (HOLE, a) for a, b in zip(text, named, strict=True))


def behind_holes(document: md.Document, path: md.Path) -> str:
    """Return the whole paths that a path with holes names, which it does not tell; of any other path nothing."""
    if not any(HOLE in heading for heading in path):
        return ""
    return "".join("\n".join((*one.path, "")) for one in document.sections if _is_path(one.path, path))


def around(document: md.Document, first: int, stop: int) -> list[Span]:
    """Return the lines of each section in which some of the lines from ``first`` up to ``stop`` stand."""
    spans = map(span_of, document.sections)
    return [one for one in spans if one.first < stop and first < one.stop]


def text_of_spans(document: md.Document, spans: Sequence[Span]) -> str:
    """Return the text of sections one after another: lines are counted over all of them, blank ones between them, too."""
    lines = [line for span in spans[:-1] for line in document.lines[span.first : span.stop]]
    return "".join([*lines, *(text_in(document, span) for span in spans[-1:])])


def text_in(document: md.Document, span: Span) -> str:
    """Return the exact text of some lines, without the end of the last one and the blank ones behind it."""
    stop = md.last_filled(document.lines, span.first + 1, span.stop)
    return "".join(document.lines[span.first : stop]).removesuffix("\n").removesuffix("\r")


@lru_cache(maxsize=8)  # as md.parse_markdown
def sections_of(text: str) -> Mapping[tuple[md.Path, str], int]:
    """Return how often a document has a section of some path and text; empty ones are none."""
    document = md.parse_markdown(text)
    found = ((section.path, text_in(document, span_of(section))) for section in document.sections)
    return Counter(one for one in found if one[1])


def brought(old: str, new: str) -> set[tuple[md.Path, str]]:
    """Return the sections that a document has more often than another, each with its headings."""
    return set(Counter(sections_of(new)) - Counter(sections_of(old)))


def is_made_of(text: str, sources: Sequence[str], steps: Iterable[tuple[str, str]] = ()) -> bool:
    """Tell whether every section of a document stands in one of some others, under the same headings.

    Args:
        text: The document.
        sources: Documents of which every section is known.
        steps: Documents before and after what was signed; only what that brought is known. What stood there before
            may have been planted by anybody: under a heading that was made anew, too.
    """
    known = set().union(*(sections_of(source) for source in sources))
    texts = {text for _, text in known}
    for old, new in steps:
        planted = {text for _, text in sections_of(old)} - texts
        known |= {one for one in brought(old, new) if one[1] not in planted}
    return not set(sections_of(text)) - known


def keeps(text: str, old: str, new: str) -> bool:
    """Tell whether a document has every section that two others have in common, as often."""
    return not (Counter(sections_of(old)) & Counter(sections_of(new))) - Counter(sections_of(text))


def is_drifted(accepted: str, present: str, path: md.Path) -> bool:
    """Tell whether what stands under a path is another text in two documents, or stands in only one of them."""
    mine, theirs = (md.parse_markdown(text) for text in (accepted, present))
    if behind_holes(mine, path) != behind_holes(theirs, path):
        return True
    return text_of_spans(mine, spans_at(mine, path)) != text_of_spans(theirs, spans_at(theirs, path))


# where an addition goes


def find_section(document: md.Document, path: md.Path) -> md.Section | None:
    """Give the first section with exactly this path, or None."""
    return next((section for section in document.sections if section.path == path), None)


def resolve_path(document: md.Document, path: md.Path) -> md.Path | None:
    """Give the whole path that a path names, of a section that exists or can be made.

    An exact path names itself. Else it names the one section of the least depth whose
    path ends in it. Else it names a new section under the one that its outer part names;
    a path of one heading then stands under the document's title (a first heading that is
    the only one of level 1), where there is one.

    Returns:
        The whole path; None where several sections of one depth fit, or where the outer
        part names no section.
    """
    if find_section(document, path) is not None:
        return path
    ends = {section.path for section in document.sections if section.path[-len(path) :] == path}
    if ends:
        least = min(map(len, ends))
        nearest = [found for found in ends if len(found) == least]
        return nearest[0] if len(nearest) == 1 else None
    if len(path) == 1:
        return (*_title(document), *path)
    outer = resolve_path(document, path[:-1])
    return (*outer, path[-1]) if outer is not None and find_section(document, outer) else None


def _title(document: md.Document) -> md.Path:
    headings = [block.level for block in document.blocks if block.kind is md.BlockKind.HEADING]
    return document.sections[1].path if headings[:1] == [1] and headings.count(1) == 1 else ()


def new_heading(document: md.Document, path: md.Path) -> str | None:
    """Give the heading line, without an end, that makes a section; None where there can be none."""
    outer = find_section(document, path[:-1])
    if outer is None or outer.level == _DEEPEST:
        return None
    level = outer.level + 1 if outer.level else _outermost_level(document)
    heading = f"{'#' * level} {path[-1]}"
    readable = bool(path[-1]) and "\n" not in heading and md.heading_text([heading]) == path[-1]
    return heading if readable else None


def _outermost_level(document: md.Document) -> int:
    # A "##" below an unrelated "#" would become its sub-section.
    return 1 if any(section.level == 1 for section in document.sections) else 2


def insertion_line(document: md.Document, section: md.Section, *, divided: bool) -> int:
    """Give the line after which a section's own body grows; 0 is the top of the file.

    That is its last entry; a comment or rule at its end stays behind it, and a block that
    another tool marks as its own (``<!-- x:start -->`` to ``<!-- x:end -->``) is not entered.
    Where an entry between dividers goes on under a heading, it is the line above that entry.
    """
    blocks = blocks_between(document, *section.body)
    entries = [block for block in blocks if block.kind not in _NOT_ENTRIES]
    kept = entries or [block for block in blocks if block.kind is not md.BlockKind.RULE]
    at = _after_generated(document, blocks, kept[-1]) if kept else section.heading[1]
    if not (divided and _splits(document, at)):
        return at
    return max(
        (n for n in range(section.heading[1], at + 1) if n and is_divider(document.lines[n - 1])),
        default=section.heading[1],
    )


def _splits(document: md.Document, at: int) -> bool:
    """Return whether what goes in after line ``at`` would stand between dividers with what is below."""
    below = next((line for line in document.lines[at:] if not md.is_blank(line)), DIVIDER)
    return not is_divider(below)


def _after_generated(document: md.Document, blocks: list[md.Block], last: md.Block) -> int:
    started = False
    for block in blocks:
        comment = document.text(block.first_line, block.last_line).strip()
        mark = _MARK.search(comment, len(comment) - _MARK_CHARACTERS) if comment.startswith("<!--") else None
        if mark is None:
            continue
        if mark[1].lower() != "end":
            started = started or block.first_line <= last.first_line
        elif started and block.first_line >= last.first_line:
            return block.last_line
        else:
            started = False
    return last.last_line


def blocks_between(document: md.Document, first: int, last: int) -> list[md.Block]:
    """Give the blocks that lie wholly within a range of lines."""
    return [block for block in document.blocks if first <= block.first_line and block.last_line <= last]


def block_at(document: md.Document, line: int) -> md.Block | None:
    """Give the block that holds a line; None for a blank line and beyond the ends."""
    return next((block for block in document.blocks if block.first_line <= line <= block.last_line), None)


def block_starts(document: md.Document) -> frozenset[int]:
    """Give the lines where a top-level block or list item begins."""
    items = (item[0] for block in document.blocks for item in block.items)
    return frozenset(items).union(block.first_line for block in document.blocks)


def end_near(document: md.Document, line: int) -> str:
    """Give the line end in use at a line, else the document's usual one."""
    near = md.line_end(document.lines[line - 1]) if 0 < line <= len(document.lines) else ""
    return near or md.usual_line_end(document.lines)


def tidy(text: str) -> str:
    r"""Give an entry's lines with ``\n`` ends, without blank lines around them."""
    lines = md.split_lines(text.replace("\r\n", "\n"))
    lines = lines[: md.last_filled(lines, 1, len(lines))]
    joined = "".join(dropwhile(md.is_blank, lines))
    return joined if not joined or joined.endswith("\n") else joined + "\n"


def as_addition(document: md.Document, section: md.Section | None, entry: str) -> str:
    r"""Dress a tidy entry for the end of a section; a list item becomes one of its list.

    The section's last list lends marker, indentation and spacing (numbers count on), and,
    where the section ends in it, its blank line between items. Other entries stay as they are.
    """
    if not is_list(entry):
        return entry
    blocks = blocks_between(document, *section.body) if section else []
    entries = [block for block in blocks if block.kind is not md.BlockKind.HTML]
    lists = [block for block in entries if block.kind is md.BlockKind.LIST]
    ends_in_list = bool(lists) and entries[-1] is lists[-1]
    if not lists or (lists[-1].marker in ".)" and not ends_in_list):
        return entry
    model = lists[-1]
    dressed = _like_item(entry, document.lines[model.items[-1][0] - 1], count_on=True)
    return "\n" + dressed if ends_in_list and is_loose(document, model) else dressed


def as_replacement(entry: str, removed: str) -> str:
    r"""Dress a tidy entry like the lines it replaces; plain text for an item becomes one.

    Args:
        entry: ``\n`` lines.
        removed: The lines that go.
    """
    model = md.split_lines(removed)[0]
    if _ITEM.match(model) is None:
        return entry
    if not is_list(entry):
        if [block.kind for block in md.parse_markdown(entry).blocks] != [md.BlockKind.PARAGRAPH]:
            return entry
        entry = "- " + entry.replace("\n", "\n  ").removesuffix("  ")
    return _like_item(entry, model, count_on=False)


def is_list(entry: str) -> bool:
    """Whether an entry is list items and nothing else."""
    return [block.kind for block in md.parse_markdown(entry).blocks] == [md.BlockKind.LIST]


def is_loose(document: md.Document, block: md.Block) -> bool:
    """Whether a list has a blank line before its last item; a list of one item has none."""
    return len(block.items) >= _LOOSE_FROM and md.is_blank(document.lines[block.items[-1][0] - 2])


def _like_item(entry: str, model_line: str, *, count_on: bool) -> str:
    """Rewrite the marks of an entry's own items after a model; their content is shifted along."""
    model = _ITEM.match(model_line)
    if model is None:
        return entry
    parsed = md.parse_markdown(entry)
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
        shifted.append(line if md.is_blank(line) else new + " " * max(inner - old, 0) + text)
    return shifted


def without_marker(entry: str) -> str:
    """Return a list of one item of one line as plain text: what stands between dividers needs no marker."""
    return _ITEM.sub("", entry, count=1) if entry.count("\n") == 1 and is_list(entry) else entry


def is_divided(document: md.Document) -> bool:
    """Return whether lines of ``§`` divide the entries, as Hermes has it."""
    return any(is_divider(line) for line in document.lines)


def is_divider(line: str) -> bool:
    """Return whether a line divides two entries."""
    return line.strip() == DIVIDER


def with_heading(heading: str, added: str) -> str:
    """Give an addition below a heading that is to be made for it."""
    end = "\r\n" if added.endswith("\r\n") else "\n"
    gap = "" if md.is_blank(md.split_lines(added)[0]) else end
    return heading + end + gap + added


def apart(document: md.Document, at: int, added: str, *, divided: bool) -> str:
    """Give what goes in after line ``at``, kept apart from the blocks around it, where ``divided`` by lines of ``§``."""
    before = document.lines[at - 1] if at else ""
    after = document.lines[at] if at < len(document.lines) else ""
    end = "\r\n" if added.endswith("\r\n") else "\n"
    if divided and _splits(document, at):
        return added + DIVIDER + end
    above = block_at(document, at)
    if above and divided and above.kind is not md.BlockKind.HEADING:
        text = DIVIDER + end + added
    else:
        text = added if not before or _may_follow(document, at, added) else end + added
    if before and not before.endswith("\n"):
        text = end + text
    if after and not is_divider(after) and not _may_precede(document, at, follows=text == added):
        text += end
    return text


def _may_precede(document: md.Document, at: int, *, follows: bool) -> bool:
    """Whether an addition after line ``at`` needs no blank line behind it, as none stood there."""
    after, above, below = document.lines[at], block_at(document, at), block_at(document, at + 1)
    if md.is_blank(after) or above is None or below is None:
        return md.is_blank(after)
    if below.kind is md.BlockKind.HEADING:
        return after.lstrip().startswith("#")
    # Nothing in a list can run on into a comment or a rule.
    in_list = follows and above.kind is md.BlockKind.LIST
    return in_list and (below.kind is md.BlockKind.RULE or after.startswith("<!--"))


def _may_follow(document: md.Document, at: int, added: str) -> bool:
    """Whether an addition needs no blank line before it."""
    first = md.split_lines(added)[0]
    last = next(block for block in reversed(document.blocks) if block.first_line <= at)
    if md.is_blank(first):
        return True
    return (
        last.kind is md.BlockKind.LIST
        and is_list(added)
        and last.marker == md.parse_markdown(added).blocks[0].marker
    )
