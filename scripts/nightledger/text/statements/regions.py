r"""Which lines of a daily log somebody wrote, and which are code, data, output or other people's text.

Invariant: the answer has one region a line, and no line inside a generated block, an
envelope, a banner or a paste is ever called prose. When in doubt a line is not prose:
what is lost stands in the log, what slips through becomes a rule.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator

from nightledger.domain.daylog import Region
from nightledger.text.patterns import pattern

TURN = re.compile(r"^\**(user|assistant|system|human|tool)\**:\**(?:\s|$)", re.IGNORECASE)
"""The start of a turn in a chat export."""

_FENCE = re.compile(r"^\s{0,3}(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}|~{3,})")
_MARKED = re.compile(r"<!--\s*([\w:./-]+?):(start|end)\b[^>]*-->")
_TAG_OPEN = re.compile(r"^\s*(?:\w+:\s*)?<([A-Za-z][\w-]{2,})(?:\s[^<>]*)?>\s*$")
_HEADING = re.compile(
    r"^#{1,6}\s*(?:\d{4}-\d\d-\d\d\W+)?(?:(?:light|rem|deep) sleep\b|promoted from short-term memory\b|dream diary\b"
    r"|(?:nightly|daily|auto(?:matic)?) memory extraction\b|durable facts extracted\b)",
    re.IGNORECASE,
)
_HEADING = re.compile(r"^(#{1,6})\s+\S")
_PROMOTED = re.compile(
    r"\[score=[\d.]+ |<!--|^\s*[-*]\s+(?:confidence|recalls|evidence|status|note):\s+(?:[\d.]+$|memory/|staged$|reflection$)"
    r"|^\s*[-*]\s+(?:Candidate|Theme):\s.*(?:confidence|evidence|surfac)"
)
_ENVELOPE = re.compile(r"\(untrusted[^)]{0,256}\):?\s*$|\[\[reply_to\w*\]\]\s*$", re.IGNORECASE)
_SESSION = re.compile(r"\s*[-*]\s+\**session (?:key|id)\**\s*:", re.IGNORECASE)
_JSON = re.compile(r'^\s*(?:[{}\[\]],?\s*$|\{\s*"|"[^"]+"\s*:\s*|[\]}],?\s*$)')
_ATTACHED = re.compile(r"<media:\w+>|<file name=")
"""What a host puts in where a file was sent: its name, its kind, what it holds."""
_PICTURE = re.compile(r"^\[(?:Image|Video)\]\s*$")
_DESCRIBED = re.compile(r"^Description:\s*$")
_PICTURE_LINES = 40
_RULE = re.compile(r"^\s*+(?:(?:[-*_]\s*+){3,}|\|?\s*+:?-{2,}+:?\s*+(?:\|\s*+:?-++:?\s*+)*+\|?)\s*+$")
_URL_LINE = re.compile(r"^\W*(?:(?:url|link|media|source)\W*)?https?://\S+\W*$", re.IGNORECASE)
_CORPUS_LINKS = 5
"""So many lines that are only a link, ..."""
_CORPUS_GAP = 200
"""... none further than this from the next, make a collection of other people's text."""
_PROMPT_END = re.compile(
    r"^(?:#{1,6}\s.*\d[:-]\d\d\b|-{3,}\s*$|\**(?:user|assistant|system|human|tool)\**:)", re.IGNORECASE
)
_WRAP = re.compile(r"^<<<(END_)?([A-Z_]+)\b|^-*\s*(BEGIN|END)[_ ]([A-Z_ ]+?)\s*-*$")
Block = tuple[int, int, Region]
"""First and last line, from 0, and what they are."""
_TAG_LINES = 400
_REPEATS = 3
"""A line of at least `_LONG` characters that stands this often in one file is a banner."""
_LONG = 40


def find_regions(lines: list[str]) -> list[Region]:
    """Give the region of every line, in order.

    Blocks win over lines: what stands between two markers of a generated block is
    generated, whatever it looks like. A block that is never closed ends where its
    opening line ends, so that one stray fence cannot hide the rest of the day.
    """
    regions = [_line_region(line) for line in lines]
    _mark_table_heads(lines, regions)
    for first, last, region in _blocks(lines):
        regions[first : last + 1] = [region] * (last + 1 - first)
    _mark_repeats(lines, regions)
    return regions


def _told(name: str, line: str) -> bool:
    """Return whether a line begins as agent hosts, chat gateways and tools write it (``config/words/host-notices.json``).

    Seen in OpenClaw 2026.2 to 2026.9 (``memory-core`` flush plan, heartbeat, ``session-memory``), Hermes Agent 0.19
    and logs of others; prompts in the languages that `cues` knows.
    """
    return pattern("host-notices", name).match(line) is not None


def _line_region(line: str) -> Region:
    if not line.strip():
        return Region.BLANK
    if _HEADING.match(line):
        return Region.GENERATED if _told("generated_heading", line) else Region.HEADING
    if _RULE.match(line):
        return Region.RULE
    if line.lstrip().startswith(">"):
        return Region.PASTED
    return _odd_region(line)


def _odd_region(line: str) -> Region:
    if "<!--" in line or "[score=" in line or (line.lstrip()[:1] in "-*" and _PROMOTED.search(line)):
        return Region.GENERATED
    if _told("notice", line):
        return Region.BANNER
    if "<" in line and _ATTACHED.search(line):
        return Region.PASTED
    if (
        _SESSION.match(line)
        or _JSON.match(line)
        or (("(" in line or "[[" in line) and _ENVELOPE.search(line))
    ):
        return Region.METADATA
    return Region.PROSE


def _blocks(lines: list[str]) -> list[Block]:
    """Return the blocks, the outermost last so that it wins."""
    finders = (
        _front_matter, _fences, _prompts, _corpora, _tags, _quoted, _pictures, _generated_sections, _marked,
    )  # fmt: skip
    return [block for find in finders for block in find(lines)]


def _front_matter(lines: list[str]) -> list[Block]:
    if not lines or lines[0].rstrip() != "---":
        return []
    for number, line in enumerate(lines[1:40], 1):
        if line.rstrip() == "---":
            return [(0, number, Region.METADATA)]
        if line.strip() and ":" not in line and not line.startswith((" ", "-", "#")):
            break
    return []


def _fences(lines: list[str]) -> list[Block]:
    found, opened, mark = [], -1, ""
    for number, line in enumerate(lines):
        match = _FENCE.match(line) if ("```" in line or "~~~" in line) else None
        if match is None:
            continue
        if opened < 0:
            opened, mark = number, match[1]
        elif line.strip() == line.strip()[0] * len(line.strip()) and line.strip().startswith(mark):
            found.append((opened, number, Region.FENCE))
            opened = -1
    if opened >= 0:
        found.append((opened, opened, Region.FENCE))
    return found


def _tags(lines: list[str]) -> list[Block]:
    """Find what stands between an opening tag alone on its line and its closing tag."""
    found, number = list[Block](), 0
    while number < len(lines):
        match = _TAG_OPEN.match(lines[number]) if "<" in lines[number] else None
        near = range(number + 1, min(len(lines), number + 1 + _TAG_LINES)) if match else range(0)
        last = next((at for at in near if match and f"</{match[1]}>" in lines[at]), None)
        if last is not None:
            found.append((number, last, Region.BANNER))
            number = last
        number += 1
    return found


def _quoted(lines: list[str]) -> list[Block]:
    """Find what a host wrapped as untrusted or quoted: ``<<<NAME ...>>>`` to ``<<<END_NAME ...>>>`` and the like."""

    def read(line: str) -> tuple[str, bool] | None:
        match = _WRAP.match(line) if line[:3] in ("<<<", "BEG", "END", "---") else None
        return (match[2] or match[4], bool(match[1] or match[3] == "END")) if match else None

    return list(_between(lines, read, Region.PASTED))


def _marked(lines: list[str]) -> list[Block]:
    """Find blocks between ``<!-- name:start -->`` and ``<!-- name:end -->`` of any tool."""

    def read(line: str) -> tuple[str, bool] | None:
        match = _MARKED.search(line) if "<!--" in line else None
        return (match[1], match[2] == "end") if match else None

    return list(_between(lines, read, Region.GENERATED))


def _between(
    lines: list[str], read: Callable[[str], tuple[str, bool] | None], region: Region
) -> Iterator[Block]:
    """Yield blocks from a line that opens a name to the next one that closes it; ``read`` tells name, and whether it closes."""
    opened: dict[str, int] = {}
    for number, line in enumerate(lines):
        name, closes = read(line) or ("", True)
        if not closes:
            opened[name] = number
        elif name in opened:
            yield opened.pop(name), number, region


def _pictures(lines: list[str]) -> list[Block]:
    """Find what a host's model says is on a picture that was sent, up to the next turn or heading."""
    found = []
    for number, line in enumerate(lines):
        if not _PICTURE.match(line):
            continue
        near = range(number + 1, min(len(lines), number + _PICTURE_LINES))
        end = next((at for at in near if TURN.match(lines[at]) or _HEADING.match(lines[at])), None)
        told = next((at for at in near if _DESCRIBED.match(lines[at])), None)
        if end is not None and told is not None and told < end:
            found.append((told, end - 1, Region.PASTED))
    return found


def _generated_sections(lines: list[str]) -> list[Block]:
    """Find sections under a consolidation tool's heading, up to the next heading of its level."""
    found, opened, level = [], -1, 0
    for number, line in enumerate([*lines, "# end"]):
        match = _HEADING.match(line) if line.startswith("#") else None
        if match is None or (opened >= 0 and len(match[1]) > level):
            continue
        if opened >= 0:
            found.append((opened, number - 1, Region.GENERATED))
        opened, level = (number, len(match[1])) if _told("generated_heading", line) else (-1, 0)
    return found


def _corpora(lines: list[str]) -> list[Block]:
    """Find collections of links with other people's text, from the heading above to the last link."""
    links = [number for number, line in enumerate(lines) if "://" in line and _URL_LINE.match(line)]
    headings = (
        [number for number, line in enumerate(lines) if line.startswith(("# ", "## "))] if links else []
    )
    found: list[Block] = []
    start = 0
    for position, number in enumerate(links):
        last = position + 1 == len(links) or links[position + 1] - number > _CORPUS_GAP
        if last and position + 1 - start >= _CORPUS_LINKS:
            begin = _heading_above(headings, links[start])
            if found and found[-1][0] == begin:  # under one heading: the later one holds the earlier
                found.pop()
            found.append((begin, number, Region.PASTED))
        start = position + 1 if last else start
    return found


def _heading_above(headings: list[int], number: int) -> int:
    """Give the last of these headings' lines that is not below a line; the line itself where there is none."""
    at = bisect_right(headings, number)
    return headings[at - 1] if at else number


def _prompts(lines: list[str]) -> list[Block]:
    """Find pasted prompts: from "you are a ..." to the end of its part, turn or ``---``."""
    found, last = [], -1
    for number, line in enumerate(lines):
        if number > last and _told("prompt", line):  # one within another ends where that one does
            last = number
            while last + 1 < len(lines) and not _PROMPT_END.match(lines[last + 1]):
                last += 1
            found.append((number, last, Region.PASTED))
    return found


def _mark_table_heads(lines: list[str], regions: list[Region]) -> None:
    """Class the row above a table's delimiter row with it: it names columns and claims nothing."""
    for number, line in enumerate(lines[1:], 1):
        if regions[number] is Region.RULE and "|" in line and "|" in lines[number - 1]:
            regions[number - 1] = Region.RULE


def _mark_repeats(lines: list[str], regions: list[Region]) -> None:
    counts = Counter(line.strip() for line in lines if len(line) >= _LONG)
    for number, line in enumerate(lines):
        if len(line) >= _LONG and regions[number] is Region.PROSE and counts[line.strip()] >= _REPEATS:
            regions[number] = Region.BANNER
