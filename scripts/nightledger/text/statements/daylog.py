r"""Read a daily log: every line with its region, headings, lead, speaker and date.

Invariant: reading changes nothing and skips nothing; line ``n`` of the result is line
``n`` of the file, split on ``\n`` only.
"""

import re
from collections.abc import Iterable
from datetime import date

from msgspec import Struct, field

from nightledger.domain.daylog import DayLog, LogLine, Region
from nightledger.domain.proposal import Origin
from nightledger.domain.words import folded
from nightledger.text.dates import first_day
from nightledger.text.statements.regions import TURN, find_regions
from nightledger.text.titles import carried

_MARKER = re.compile(r"^(\s*)(?:([-*+•\u2013])\s+|(\d{1,3})[.)]\s+|(\|))?")
_BOX = re.compile(r"^\[[ xX~-]\]\s+")
_CLOCK = re.compile(
    r"^\**+[\[(]?(?:\d{4}-\d\d-\d\d[ T,]*)?(?:~?\d{1,2}:\d\d(?::\d\d)?(?:\s*[\u2013-]\s*\d{1,2}:\d\d)?)?"
    r"(?:\s*(?:[AaPp]\.?[Mm]\.?|UTC|GMT[+-]?\d*|[A-Z]{2,4}|[A-Z][a-z]+/[A-Z][a-z_]+)){0,3}[\])]?\**\s*[:—\u2013|-]*\s+"
)
ENVELOPE = re.compile(
    r"^(?:\[\[[\w: -]+\]\]\s*|\[(?:[^\]]{12,120}|[A-Z][a-z]{2} )\d{4}-\d\d-\d\d[^\]]*\]\s+)+"
)
"""What a host puts before a message: whom it answers, who wrote it and when."""
_HEADING = re.compile(r"^(#{1,6})\s+(.*)$")
_LEAD = re.compile(
    r"^(?:\*\*|__)?[^.!?\u3002!?]{2,90}?(?:[:\uff1a](?:\*\*|__)?|(?:\*\*|__))\s*+(?:\([^)]*+\)\s*+)?+$"
)
_SPEAKERS = {"user": "user", "human": "user", "assistant": "assistant", "system": "system", "tool": "tool"}
_ORIGINS = {"system": Origin.SYSTEM, "tool": Origin.TOOL}
"""Whoever writes the file can write "user:" before a line, so that is the agent's word as all else there."""
_TURNS = 2
"""So many lines that start a turn make a file a chat export."""
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
    reader = _Reader(day=day, chat=_is_chat(lines))
    read = tuple(
        reader.read(n, line, region) for n, (line, region) in enumerate(zip(lines, regions, strict=True), 1)
    )
    return DayLog(path=path, day=day, lines=read)


def _lines(text: str) -> list[str]:
    return [line.removesuffix("\r") for line in text.removeprefix("\ufeff").split("\n")]


def _is_chat(lines: Iterable[str]) -> bool:
    return sum(1 for line in lines if TURN.match(line)) >= _TURNS


class _Reader(Struct, kw_only=True):
    """What carries over from line to line."""

    day: date
    chat: bool
    section_day: date | None = None
    turn: str = ""
    headings: list[tuple[int, str]] = field(default_factory=list)
    leads: list[tuple[int, str]] = field(default_factory=list)
    """Open items by indent: what a deeper line stands under; -1 for a lead that is no item."""
    after_blank: bool = False

    def read(self, number: int, line: str, region: Region) -> LogLine:
        turn = TURN.match(line) if self.chat and region in _SPOKEN else None
        if turn:
            self.turn = _SPEAKERS[folded(turn[1])]
            self.leads.clear()
        match = _MARKER.match(line)
        indent = len(line[: len(line) - len(line.lstrip())].expandtabs(4))
        marker = "" if match is None else "-" if match[2] else "1" if match[3] else "|" if match[4] else ""
        content = _content(
            line[turn.end() :] if turn else line[match.end() :] if match and marker != "|" else line
        )
        if region is Region.HEADING:
            self._enter(line)
        lead = self._lead(region, marker, indent, content)
        return LogLine(
            number=number, text=line, region=region, content=content, marker=marker, indent=indent,
            headings=tuple(title for _, title in self.headings), lead=lead,
            origin=_origin(region, self.turn), turn=self.turn if self.turn in ("user", "assistant") else "",
            day=self.section_day or self.day,
        )  # fmt: skip

    def _enter(self, line: str) -> None:
        match = _HEADING.match(line)
        if match is None:
            return
        level, title = len(match[1]), match[2].rstrip().rstrip("#").rstrip().strip("*_ ")
        self.headings = [heading for heading in self.headings if heading[0] < level]
        self.headings.append((level, carried(title)))
        self.leads.clear()
        self.section_day = first_day(title) or self.section_day

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


def _origin(region: Region, turn: str) -> Origin:
    if region is Region.PASTED:
        return Origin.WEB
    if region in (Region.BANNER, Region.METADATA, Region.GENERATED):
        return Origin.SYSTEM
    return _ORIGINS.get(turn, Origin.AGENT)


def _content(text: str) -> str:
    plain = _BOX.sub("", text.strip())
    if plain.startswith("["):
        plain = ENVELOPE.sub("", plain)
    if plain[:1].isdigit() or plain[:1] in "[(*~":
        stamped = _CLOCK.match(plain)
        if stamped and any(c.isdigit() for c in stamped[0]) and (":" in stamped[0] or "-" in stamped[0]):
            return plain[stamped.end() :].strip()
    return plain
