r"""Read a daily log: every line with its region (prose, code, data, other people's text), headings, lead, speaker and date.

Invariant: reading changes nothing and skips nothing; line ``n`` of the result is line
``n`` of the file, split on ``\n`` only. No line inside a generated block, an
envelope, a banner or a paste is ever called prose. When in doubt a line is not prose:
what is lost stands in the log, what slips through becomes a rule.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from functools import partial

from msgspec import Struct, field

from nightledger.domain.consolidation import DayLog, LogLine, Region
from nightledger.domain.kept import ARCHIVE_DAILY
from nightledger.domain.proposal import Origin
from nightledger.domain.transcript import EXTRACTS
from nightledger.domain.words import folded
from nightledger.text.dates import first_day
from nightledger.text.markdown.blocks import front_matter
from nightledger.text.markdown.document import heading_text
from nightledger.text.patterns import pattern
from nightledger.text.statements.sections import names_of
from nightledger.text.visible import carried

TURN = re.compile(r"^\**(user|assistant|system|human|tool)\**:\**(?:\s|$)", re.IGNORECASE)
"""The start of a turn in a chat export."""
MARKER = re.compile(r"^<!-- \d{4}-\d\d-\d\dT[\d:]+Z ([a-z]+) .*-->$")
"""What stands before each message of an extract (``codec/extracts.py``); no message holds such a line."""

_FENCE = re.compile(
    r"^\s{0,3}(?:[-*+]\s+|\d+[.)]\s+)?(?:(?:\*\*|\[)?\d\d?:\d\d(?::\d\d)?(?:\*\*|\])?\s+)?(`{3,}|~{3,})"
)
"""Also behind a time of day, where CommonMark sees none: else the end of that block opens one, and all is turned round."""
_MARKED = re.compile(r"<!--\s*([\w:./-]+?):(start|end)\b[^>]*-->")
_TAG_OPEN = re.compile(
    r"^\s*(?:\**\w+\**:\**\s*)?<(?:(think)(?:ing)?>|([A-Za-z][\w-]{2,})(?:\s[^<>]*)?>\s*$)", re.IGNORECASE
)
"""An agent's reasoning, as models write it and exports keep it, or a tag alone on its line."""
_HEADING = re.compile(r"^(#{1,6})\s+(\S.*)$")
_PROMOTED = re.compile(
    r"\[score=[\d.]+ |<!--|^\s*[-*]\s+(?:confidence|recalls|evidence|status|note):\s+(?:[\d.]+$|memory/|staged$|reflection$)"
    r"|^\s*[-*]\s+(?:Candidate|Theme):\s.*(?:confidence|evidence|surfac)"
)
_ENVELOPE = re.compile(r"\(untrusted[^)]{0,256}\):?\s*$|\[\[reply_to\w*\]\]\s*$", re.IGNORECASE)
_SESSION = re.compile(r"\s*[-*]\s+\**session (?:key|id)\**\s*:", re.IGNORECASE)
_EXPORT = re.compile(r"#\s+session\b", re.IGNORECASE)
_JSON = re.compile(r'^\s*(?:[{}\[\]],?\s*$|\{\s*"|"[^"]+"\s*:\s*|[\]}],?\s*$)')
_ATTACHED = re.compile(r"<media:\w+>|<file name=")
"""What a host puts in where a file was sent: its name, its kind, what it holds."""
_RELEASED = re.compile(r"\(#\d+\)\W{0,3}thanks @\w", re.IGNORECASE)
"""A line of another project's release notes, as GitHub writes them."""
_RULE = re.compile(r"^\s*+(?:(?:[-*_]\s*+){3,}|\|?\s*+:?-{2,}+:?\s*+(?:\|\s*+:?-++:?\s*+)*+\|?)\s*+$")
_PROMPT_END = re.compile(
    r"^(?:#{1,6}\s.*\d[:-]\d\d\b|-{3,}\s*$|\**(?:user|assistant|system|human|tool)\**:)", re.IGNORECASE
)
_WRAP = re.compile(r"^<<<(END_)?([A-Z_]+)\b|^-*\s*(BEGIN|END)[_ ]([A-Z_ ]+?)\s*-*$")
_WIDE = re.compile(r"\s{16,}")
"""Blanks that no patterns need and over which many would take a time that grows with their square."""
Block = tuple[int, int, Region]
"""First and last line, from 0, and what they are."""
_TAG_LINES = 400
_REPEATS = 3
"""A line of at least `_LONG` characters that stands this often in one file is a banner."""
_LONG = 40


def find_regions(lines: list[str], most: int | None = None) -> list[Region]:
    """Give the region of every line, in order, or of the first ``most``; blocks and repeats are those of all.

    Blocks win over lines: what stands between two markers of a generated block is
    generated, whatever it looks like. A block that is never closed ends where its
    opening line ends, so that one stray fence cannot hide the rest of the day.
    """
    wanted = len(lines) if most is None else most + 1  # a table's delimiter row may stand below the last one
    regions = [_line_region(line) for line in lines[:wanted]] + [Region.PROSE] * len(lines[wanted:])
    _mark_table_heads(lines, regions)
    front = front_matter(lines)
    regions[:front] = [Region.METADATA] * front
    for first, last, region in _blocks(lines):
        regions[first : last + 1] = [region] * (last + 1 - first)
    _mark_repeats(lines, regions)
    return regions[:most]


def _told(name: str, line: str) -> bool:
    """Return whether a line begins as agent hosts, chat gateways and tools write it (``config/words/host-notices.json``).

    Seen in OpenClaw 2026.2 to 2026.9 (``memory-core`` flush plan, heartbeat, ``session-memory``), Hermes Agent 0.19
    and logs of others; prompts in the languages that `cues` knows.
    """
    return pattern("host-notices", name).match(line) is not None


def _line_region(line: str) -> Region:
    first = line.lstrip()[:1]
    if not first:
        return Region.BLANK
    if first == "#" and _HEADING.match(line):
        return Region.GENERATED if _told("generated_heading", line) else Region.HEADING
    if first in "-*_|:" and _RULE.match(line):
        return Region.RULE
    return Region.PASTED if first == ">" else _odd_region(line, first)


def _odd_region(line: str, first: str) -> Region:
    if "<!--" in line or "[score=" in line or (first in "-*" and _PROMOTED.search(line)):
        return Region.GENERATED
    if _told("notice", line):
        return Region.BANNER
    if ("<" in line and _ATTACHED.search(line)) or ("(#" in line and _RELEASED.search(line)):
        return Region.PASTED
    if (
        (first in "-*" and _SESSION.match(line))
        or (first in '{}[]"' and _JSON.match(line))
        or (("(" in line or "[[" in line) and _ENVELOPE.search(line))
    ):
        return Region.METADATA
    return Region.PROSE


def _blocks(lines: list[str]) -> list[Block]:
    """Return the blocks, the outermost last so that it wins."""
    text = "\n".join(lines)
    return [
        block
        for find, marks in _FINDERS
        for block in (find(lines) if any(map(text.__contains__, marks)) else ())
    ]


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
    """Find what stands between a tag and its closing one; an agent's reasoning ends at the next turn or the heading before it, too, and is a line at least."""
    found, number = list[Block](), 0
    while number < len(lines):
        match = _TAG_OPEN.match(lines[number]) if "<" in lines[number] else None
        last = _closing(lines, number, *match.groups()) if match else None
        if last is not None:
            found.append((number, last, Region.BANNER))
            number = last
        number += 1
    return found


def _closing(lines: list[str], number: int, thought: str | None, tag: str | None) -> int | None:
    for at in range(number, min(len(lines), number + _TAG_LINES)):
        if f"</{thought or tag}" in lines[at]:
            return at
        if thought and at > number and TURN.match(lines[at]):
            return next((n for n in range(number, at - 1) if _HEADING.match(lines[n + 1])), at - 1)
    return number if thought else None


_End = tuple[str, bool] | None
"""What a line says of a block: its name, and whether it closes; None for nothing."""


def _wrap(line: str) -> _End:
    """Tell of what a host wrapped as untrusted or quoted: ``<<<NAME ...>>>`` to ``<<<END_NAME ...>>>`` and the like."""
    match = _WRAP.match(line) if line[:3] in ("<<<", "BEG", "END", "---") else None
    return (match[2] or match[4], bool(match[1] or match[3] == "END")) if match else None


def _comment(line: str) -> _End:
    """Tell of a comment of several lines: nobody who reads the notes as they are shown sees it."""
    before, opens, after = line.rpartition("<!--")
    opened = bool(opens) and "-->" not in after
    return ("", not opened) if opened or "-->" in before + after else None


def _mark(line: str) -> _End:
    """Tell of a block between ``<!-- name:start -->`` and ``<!-- name:end -->`` of any tool."""
    match = _MARKED.search(line) if "<!--" in line else None
    return (match[1], match[2] == "end") if match else None


def _between(read: Callable[[str], _End], region: Region, lines: list[str]) -> Iterator[Block]:
    """Yield blocks from a line that opens a name to the next one that closes it."""
    opened: dict[str, int] = {}
    for number, line in enumerate(lines):
        told = read(line)
        if told is None:
            continue
        name, closes = told
        if not closes:
            opened[name] = number
        elif name in opened:
            yield opened.pop(name), number, region


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


def _prompts(lines: list[str]) -> list[Block]:
    """Find pasted prompts: from "you are a ..." to the end of its part, turn or ``---``."""
    found, last, begins = [], -1, pattern("host-notices", "prompt").match
    for number, line in enumerate(lines):
        if number > last and begins(line):  # one within another ends where that one does
            last = number
            while last + 1 < len(lines) and not _PROMPT_END.match(lines[last + 1]):
                last += 1
            found.append((number, last, Region.PASTED))
    return found


_FINDERS = (
    (_fences, ("```", "~~~")), (_prompts, ("",)), (_tags, ("</", "<think")), (partial(_between, _comment, Region.GENERATED), ("<!--",)),
    (partial(_between, _wrap, Region.PASTED), ("<<<", "BEG", "END", "---")), (_generated_sections, ("#",)),
    (partial(_between, _mark, Region.GENERATED), ("<!--",)),
)  # fmt: skip
"""What finds blocks, and what of their marks is in any text that has one."""


def _mark_table_heads(lines: list[str], regions: list[Region]) -> None:
    """Class the row above a table's delimiter row with it: it names columns and claims nothing."""
    for number, line in enumerate(lines[1:], 1):
        if regions[number] is Region.RULE and "|" in line and "|" in lines[number - 1]:
            regions[number - 1] = Region.RULE


def _mark_repeats(lines: list[str], regions: list[Region]) -> None:
    long = [(number, line.strip()) for number, line in enumerate(lines) if len(line) >= _LONG]
    if len(long) - len({line for _, line in long}) < _REPEATS - 1:
        return  # none stands so often
    counts = Counter(line for _, line in long)
    for number, line in long:
        if regions[number] is Region.PROSE and counts[line] >= _REPEATS:
            regions[number] = Region.BANNER


_MARKER = re.compile(r"^(\s*)(?:([-*+•\u2013])\s+|(\d{1,3})[.)]\s+|(\|))?")
_BOX = re.compile(r"^\[[ xX~-]\]\s+")
ENVELOPE = re.compile(
    r"^(?:\[\[[\w: -]+\]\]\s*|\[(?:[^\]]{12,120}|[A-Z][a-z]{2} )\d{4}-\d\d-\d\d[^\]]*\]\s+)+"
)
"""What a host puts before a message: whom it answers, who wrote it and when."""
_LEAD = re.compile(
    r"^(?:\*\*|__)?(?:[^.!?\u3002!?]|\.(?=\w)){2,90}?(?:[:\uff1a](?:\*\*|__)?|(?:\*\*|__))\s*+(?:\([^)]*+\)\s*+)?+$"
)
_SPEAKERS = {"user": "user", "human": "user", "assistant": "assistant", "system": "system", "tool": "tool"}
_ORIGINS = {"system": Origin.SYSTEM, "tool": Origin.TOOL}
"""Whoever writes the file can write "user:" before a line, so that is the agent's word as all else there."""
_TURNS = 2
"""So many lines that start a turn make a file a chat export."""
_HEAD = 12
"""In so many lines a host that exports a whole session names it: all of that file is the chat."""
_SPOKEN = (Region.PROSE, Region.BANNER, Region.METADATA)
"""Where a turn may start."""


def read_daylog(path: str, text: str, day: date) -> DayLog:
    r"""Read one file of daily notes.

    Args:
        path: Relative to the home; kept as it is.
        text: The file's text; a byte-order mark and ``\r`` before ``\n`` are no part of the content.
        day: The log day that the file is named for.
    """
    lines = _lines(text)
    regions = find_regions(lines)
    is_copy = path.startswith(f"{ARCHIVE_DAILY}/") and MARKER.match(lines[0]) is not None
    is_extract = path.startswith(f"{EXTRACTS}/") or is_copy
    is_session = any(map(_SESSION.match, lines[:_HEAD])) and any(map(_EXPORT.match, lines[:_HEAD]))
    front = front_matter(lines)
    turns = [turn for turn in _turns(lines, regions) if turn[0] > front]
    reader = _Reader(
        day=day, chat=is_extract or is_session or len(turns) >= _TURNS, extract=is_extract, session=is_session,
        turns=turns,
    )  # fmt: skip
    read = tuple(
        reader.read(n, line, region) for n, (line, region) in enumerate(zip(lines, regions, strict=True), 1)
    )
    return DayLog(path=path, day=day, lines=read)


def _lines(text: str) -> list[str]:
    return [line.removesuffix("\r") for line in text.removeprefix("\ufeff").split("\n")]


def _turns(lines: Iterable[str], regions: Iterable[Region]) -> list[tuple[int, str]]:
    """Give the number of each line that starts a turn, and the heading that it stands under."""
    found, under = [], ""
    for number, (line, region) in enumerate(zip(lines, regions, strict=True), 1):
        if region is Region.HEADING:
            under = line
        elif TURN.match(line):
            found.append((number, under))
    return found


class _Reader(Struct, kw_only=True):
    """What carries over from line to line."""

    day: date
    chat: bool
    extract: bool = False
    """Whether it is ours of transcripts: turns begin behind its marks alone, which say whose words they are."""
    session: bool = False
    """Whether the file is a session's: of all headings only a first-level one with a day ends who speaks."""
    pasted: bool = False
    """Whether a heading stands above in the user's turn, none of rules or preferences: nobody types one in a chat, so what follows is pasted; in a log one as high as the chat's own is the log's."""
    begins: bool = False
    said_by: Origin = Origin.UNKNOWN
    turn: str = ""
    turns: list[tuple[int, str]] = field(default_factory=list)
    under: tuple[int, str] = (0, "")
    """Level and line of the last heading; none ends a chat that stands under none."""
    chat_under: tuple[int, str] = (1, "")
    """Level and line of the heading that the chat stands under; one as high ends it, unless it goes on below another."""
    headings: list[tuple[int, str, date | None]] = field(default_factory=list)
    outer: list[tuple[int, str, date | None]] = field(default_factory=list)
    """Those that stand above the chat."""
    leads: list[tuple[int, str]] = field(default_factory=list)
    """Open items by indent: what a deeper line stands under; -1 for a lead that is no item."""
    after_blank: bool = False

    def read(self, number: int, line: str, region: Region) -> LogLine:
        may_turn = self.chat and region in _SPOKEN and (self.begins or not self.extract)
        turn = TURN.match(line) if may_turn else None
        self.begins = self.extract and self._opens(line)
        if turn:
            if not self.turn:
                self.chat_under, self.outer = self.under, self.headings
            self.headings = self.outer  # what stood in the message before is over
            self.turn, self.pasted = _SPEAKERS[folded(turn[1])], False
            self.leads.clear()
        elif self.turn == "user" and region is Region.BANNER and line.lstrip().startswith("<think"):
            self.turn = "assistant"  # whoever reasons is no user
        match = _MARKER.match(line)
        indent = len(line[: len(line) - len(line.lstrip())].expandtabs(4))
        marker = "" if match is None else "-" if match[2] else "1" if match[3] else "|" if match[4] else ""
        content = _content(
            line[turn.end() :] if turn else line[match.end() :] if match and marker != "|" else line
        )
        if region is Region.HEADING:
            self._enter(number, line)
            own = any(names_of(title, of) for _, title, _ in self.headings for of in ("Rules", "Preferences"))
            deeper = self.session or self.extract or self.under[0] > self.chat_under[0]
            self.pasted = self.turn in ("user", "system") and deeper and not own
        elif self.pasted and region is Region.PROSE:
            region = Region.PASTED
        lead = self._lead(region, marker, indent, content)
        return LogLine(
            number=number, text=line, region=region, content=content, marker=marker, indent=indent,
            headings=tuple(title for _, title, _ in self.headings), lead=lead,
            origin=self.said_by if self.extract and region is Region.PROSE else _origin(region, self.turn), turn=self.turn if self.turn in ("user", "assistant") else "",
            day=next((day for _, _, day in reversed(self.headings) if day), self.day),
        )  # fmt: skip

    def _opens(self, line: str) -> bool:
        """Return whether a message of an extract begins behind this line; what stood in the one before is over then."""
        mark = MARKER.match(line)
        if mark is None:
            return False
        self.said_by = Origin(mark[1]) if mark[1] in tuple(Origin) else Origin.UNKNOWN
        self.headings, self.turn, self.pasted = [], "", False
        self.leads.clear()
        return True

    def _enter(self, number: int, line: str) -> None:
        match = _HEADING.match(line)
        if match is None:
            return
        level, title = len(match[1]), _bare(heading_text([line]))
        self.headings = [heading for heading in self.headings if heading[0] < level]
        self.headings.append((level, carried(title), first_day(title)))
        self.leads.clear()
        self.under = (level, line)
        whole = self.extract or (self.session and not (level == 1 and self.headings[-1][2]))
        if self.turn != "tool" and not whole and self._is_over(number, level):
            self.turn = ""  # but what a tool gave may hold any heading

    def _is_over(self, number: int, level: int) -> bool:
        """Return whether no turn follows a heading, or the next one below the chat's own heading again.

        What stands below a log's title alone, as "User: Ann" does, is over at its first section.
        """
        at, (height, above) = bisect_right(self.turns, number, key=lambda turn: turn[0]), self.chat_under
        if at == len(self.turns):
            return level <= (height if height != 1 else 2)
        return level <= height and self.turns[at][1] == above

    def _lead(self, region: Region, marker: str, indent: int, content: str) -> str:
        """Give what introduces this line, and remember this line as what may introduce the next."""
        if region is not Region.PROSE:
            self.after_blank = self.after_blank or region is Region.BLANK
            return ""
        column = indent if marker in ("-", "1") else -1
        blank, self.after_blank = self.after_blank, False
        if marker == "|":
            return self.leads[-1][1] if self.leads else ""
        if column < 0:
            return self._paragraph(content, after_blank=blank)
        while self.leads and self.leads[-1][0] >= column:
            self.leads.pop()
        lead = self.leads[-1][1] if self.leads else ""
        self.leads.append((column, content))
        return lead

    def _paragraph(self, content: str, *, after_blank: bool) -> str:
        """A line without marker: a lead of what follows, or plain text that ends the list above."""
        lead = self.leads[-1][1] if self.leads and (not after_blank or self.leads[-1][0] < 0) else ""
        if _LEAD.match(content):
            self.leads = [(-1, content)]
            return ""
        if after_blank:
            self.leads.clear()
        return lead


def _bare(title: str) -> str:
    """Return a title without the emphasis around all of it; what ends inside it ("**Relay** (old)") stays."""
    bare = title.strip("*_ ")
    return title if any(bare.count(mark) % 2 for mark in ("**", "__")) else bare


def _origin(region: Region, turn: str) -> Origin:
    if region is Region.PASTED:
        return Origin.WEB
    if region in (Region.BANNER, Region.METADATA, Region.GENERATED):
        return Origin.SYSTEM
    return _ORIGINS.get(turn, Origin.AGENT)


def _content(text: str) -> str:
    plain = _BOX.sub("", _WIDE.sub(" ", text.strip()))
    return without_stamp(ENVELOPE.sub("", plain) if plain.startswith("[") else plain)


def without_stamp(text: str) -> str:
    """Return a text without the day or time of day that it begins with."""
    if text[:1].isdigit() or text[:1] in "[(*~":
        stamped = pattern("host-notices", "stamp").match(text)
        if stamped and any(c.isdigit() for c in stamped[0]) and (":" in stamped[0] or "-" in stamped[0]):
            return text[stamped.end() :].strip()
    return text
