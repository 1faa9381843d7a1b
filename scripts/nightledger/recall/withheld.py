"""What an agent may not see of what a home holds, line by line, and why.

Withheld is: what scanners hold back; what an operator had forgotten; what a proposal says that waits, or
was rejected, withdrawn, undone or replaced, wherever else it stands, unless it stands signed in a gated
file; entries of a gated file that are not as they were signed; what others or tools wrote into a log; of
a handoff all but its open items; and the note of an outcome.

Invariant: whatever is not known to be allowed is withheld; an operator sees all of it, marked.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from nightledger.domain.daylog import Region
from nightledger.domain.errors import NightledgerError
from nightledger.domain.finding import Severity
from nightledger.domain.proposal import Origin
from nightledger.domain.search.values import Chunk, Kind
from nightledger.files.home import Home
from nightledger.recall.outcomes import NOTE_HEADING
from nightledger.recall.sources import read_source
from nightledger.recall.unspoken import FORGOTTEN, Rules
from nightledger.text.forgetting.forgotten import Forgotten
from nightledger.text.scanners.scan import scan
from nightledger.text.search.chunks import JOINT, title_of
from nightledger.text.staging.handoff import read_open_items
from nightledger.text.statements.daylog import read_daylog

LEAKED = "a secret"
STEERING = "held by scanners"
OWN_RULE = "held by a rule file of the operator"
UNSIGNED = "not signed: it was changed outside the gate"
FOREIGN = "written by others or by a tool"
NOT_OPEN = "of a handoff only open items are shown"
NOTE = "the note of an outcome is for the operator"
NOT_JUDGED = "cannot be judged: its file cannot be read"
HEADING = "its heading may not be shown"
NAME = "the name of its file may not be shown"
_AROUND = 3
"""Lines on either side of a chunk that scanners see with it: what steers may go over its border. Our choice."""
_LONG = 4096
"""Characters of a window that is kept with what was seen in it; others are scanned again."""
_OWN_WORDS = frozenset({Region.PROSE, Region.HEADING, Region.RULE, Region.BLANK})
_OWN_VOICE = frozenset({Origin.AGENT, Origin.OWNER})
_WHY_NOT_OWN: Mapping[Kind, str] = {Kind.DAILY: FOREIGN, Kind.ARCHIVE: FOREIGN, Kind.HANDOFF: NOT_OPEN}
_OF_LINES = frozenset({*_WHY_NOT_OWN, Kind.MEMORY})
"""Kinds whose chunks are lines of their file; of a long one its whole lines are judged, all parts alike."""
_NAME_LENGTH, _UNSPACED = 52, 8
"""Characters of a file's name that an agent is told, and of those how many may be of scripts that write sentences without
spaces: a day and a few words. Our choice."""
Held = dict[int, str]
"""Line to the reason why it is withheld."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    """A file as it stands.

    Attributes:
        lines: Its lines, without their ends.
        unspoken: Those that say what is not to be said, with why.
        own: Those of its writer's own, or open items.
        held_titles: Texts of headings that stand in a line which is withheld.
    """

    lines: list[str]
    unspoken: Held
    own: frozenset[int]
    held_titles: frozenset[str]

    def holds(self, lines: Mapping[int, str]) -> bool:
        """Tell whether lines stand here, or parts of long ones: it may have changed since it was indexed."""
        known = len(self.lines)
        return all(number <= known and line in self.lines[number - 1] for number, line in lines.items())


class Judge:
    """Says of chunks which of their lines an agent may not see.

    Args:
        home: The home.
        rules: What its log and proposals say.
        signed: Ids of the entries that stand as they were signed.
    """

    __slots__ = ("_files", "_headings", "_held", "_home", "_names", "_of_signed", "_seen", "_signed", "rules")

    def __init__(self, home: Home, rules: Rules, signed: frozenset[str]) -> None:
        self.rules = rules
        self._of_signed = rules.forgotten.of_signed()
        self._home = home
        self._signed = signed
        self._files: dict[str, _File | None] = {}
        self._headings: dict[tuple[str, str], str] = {}
        self._names: dict[str, bool] = {}
        self._held: dict[Chunk, Held] = {}
        self._seen: dict[tuple[int, str], Held] = {}

    def held(self, chunk: Chunk) -> Held:
        """Give the lines of a chunk that an agent may not see, each with why; empty where it may see all."""
        if chunk not in self._held:
            self._held[chunk] = self._lines_held(chunk)
        return self._held[chunk]

    def _lines_held(self, chunk: Chunk) -> Held:
        whole = self._whole(chunk)
        if whole:
            return dict.fromkeys(range(chunk.first_line, chunk.last_line + 1), whole)
        found = self._by_rules(chunk) | self._scanned(chunk)
        if chunk.kind in _WHY_NOT_OWN:
            found = self._not_own(chunk) | found
        return dict(sorted(found.items()))

    def heading(self, chunk: Chunk) -> str:
        """Give of the headings above a chunk those that an agent may see."""
        key = (chunk.path, chunk.heading)
        if chunk.heading and key not in self._headings:
            self._headings[key] = self._heading(chunk)
        return self._headings.get(key, "")

    def may_say(self, text: str) -> bool:
        """Tell whether an agent may be told some words, wherever they come from: a title, a tag, the name of a file."""
        if not text:
            return True
        rules = self.rules
        held = rules.unspoken.find([(1, text)]) or rules.forgotten.holds(text) or _seen(rules, 1, text)
        return not held and not _steers(text)

    def is_signed(self, entry: str) -> bool:
        """Tell whether an entry of a gated file stands as it was signed."""
        return entry in self._signed

    def verdict(self, chunk: Chunk) -> str:
        """Give in a word or two why a chunk is withheld as a whole because one of its lines is; empty where it may be shown."""
        return next(iter(self.held(chunk).values()), "")

    def _heading(self, chunk: Chunk) -> str:
        shown = f"{JOINT}{chunk.heading}{JOINT}"
        if chunk.kind in _WHY_NOT_OWN:
            read = self._read(chunk)
            if read is None:
                return ""
            for title in read.held_titles:
                while f"{JOINT}{title}{JOINT}" in shown:
                    shown = shown.replace(f"{JOINT}{title}{JOINT}", JOINT)
        left = JOINT.join(part for part in shown.split(JOINT) if part and self.may_say(part))
        return left if self.may_say(left) else ""

    def _may_name(self, path: str) -> bool:
        if path not in self._names:
            plain = all(map(_is_plain, path.split("/"))) and self.may_say(path)
            self._names[path] = plain or path in self._home.identity.gated
        return self._names[path]

    def _whole(self, chunk: Chunk) -> str:
        if not self._may_name(chunk.path):
            return NAME
        if chunk.kind is Kind.MEMORY and not self.is_signed(chunk.entry):
            return UNSIGNED
        return NOTE if chunk.kind is Kind.OUTCOME and chunk.heading == NOTE_HEADING else ""

    def _by_rules(self, chunk: Chunk) -> Held:
        """Lines that say what is not to be said, alone or with lines around them, those of the next chunk included."""
        lines = _lines(chunk)
        around = self._read(chunk)
        forgotten = self._forgotten(chunk.kind)
        found = {n: why for n, why in around.unspoken.items() if n in lines} if around else {}
        if around is None or not around.holds(lines):
            found |= self.rules.unspoken.find(lines.items())
            told = forgotten.told_in(list(lines.values()))
            found |= dict.fromkeys((chunk.first_line - 1 + n for n in told), FORGOTTEN)
        if forgotten:
            found |= {n: FORGOTTEN for n, line in lines.items() if forgotten.holds(_bare(line))}
        return found

    def _forgotten(self, kind: Kind) -> Forgotten:
        return self._of_signed if kind is Kind.MEMORY else self.rules.forgotten

    def _scanned(self, chunk: Chunk) -> Held:
        """Lines in which scanners see a secret, something hidden, or something that steers."""
        found = self._seen_in(*self._window(chunk, _AROUND))
        if chunk.kind is Kind.OUTCOME and _steers(chunk.text):
            found[chunk.first_line] = STEERING
        return {n: why for n, why in found.items() if chunk.first_line <= n <= chunk.last_line}

    def _seen_in(self, first: int, window: str) -> Held:
        """Scan a window once: all parts of a long line have the same one."""
        if len(window) < _LONG:
            return _seen(self.rules, first, window)
        if (first, window) not in self._seen:
            self._seen[first, window] = _seen(self.rules, first, window)
        return dict(self._seen[first, window])

    def _window(self, chunk: Chunk, beside: int) -> tuple[int, str]:
        """Give a chunk with lines of its file on either side, where it still stands there, and the number of the first."""
        around = self._read(chunk)
        if around is None:
            return chunk.first_line, chunk.text
        first = max(1, chunk.first_line - beside)
        window = "\n".join(around.lines[first - 1 : chunk.last_line + beside])
        return (first, window) if chunk.text in window else (chunk.first_line, chunk.text)

    def _not_own(self, chunk: Chunk) -> Held:
        read = self._read(chunk)
        own, why = (read.own, _WHY_NOT_OWN[chunk.kind]) if read else (frozenset[int](), NOT_JUDGED)
        return {n: why for n in range(chunk.first_line, chunk.last_line + 1) if n not in own}

    def _read(self, chunk: Chunk) -> _File | None:
        """Give the file of a chunk; None for what is no text with lines, and where it cannot be read."""
        if chunk.kind not in _OF_LINES:
            return None
        if chunk.path not in self._files:
            self._files[chunk.path] = self._read_file(chunk.path, chunk.kind)
        return self._files[chunk.path]

    def _read_file(self, path: str, kind: Kind) -> _File | None:
        try:
            raw, _ = read_source(self._home, path, kind)
        except NightledgerError:
            return None
        text = raw.decode("utf-8", "surrogateescape")
        lines = text.split("\n")
        unspoken = self.rules.unspoken.find(enumerate(lines, 1))
        unspoken |= dict.fromkeys(self._forgotten(kind).told_in(lines), FORGOTTEN)
        own = _own_lines(text, kind)
        held = (line for n, line in enumerate(lines, 1) if n in unspoken or n not in own)
        titles = frozenset(title for line in held if (title := title_of(line)))
        return _File(lines=lines, unspoken=unspoken, own=own, held_titles=titles)


def _own_lines(text: str, kind: Kind) -> frozenset[int]:
    """Give the lines of a file that are its writer's own, or open items."""
    if kind is Kind.HANDOFF:
        return frozenset(item.line for item in read_open_items(text))
    if kind is Kind.MEMORY:
        return frozenset()  # what is told of goes by entries that are signed
    lines = read_daylog("", text, date.min).lines
    return frozenset(one.number for one in lines if one.region in _OWN_WORDS and one.origin in _OWN_VOICE)


def without(chunk: Chunk, held: Held) -> str:
    """Give a chunk's text with the lines that are withheld left blank: the others keep their numbers."""
    return "\n".join("" if number in held else line for number, line in _lines(chunk).items())


def _lines(chunk: Chunk) -> dict[int, str]:
    return dict(enumerate(chunk.text.split("\n"), chunk.first_line))


def _bare(line: str) -> str:
    return line.strip().lstrip("-*+ ")


def _steers(text: str) -> bool:
    """Tell whether identifiers steer, read as the words that they are made of."""
    return "_" in text and any(
        finding.severity is Severity.QUARANTINE for finding in scan(text.replace("_", " "))
    )


def _seen(rules: Rules, first: int, text: str) -> Held:
    """Give the lines in which scanners see what they hold back.

    Args:
        rules: The operator's own rows among them.
        first: Number of the text's first line.
        text: Lines.
    """
    found: Held = {}
    for finding in scan(text):
        if finding.severity is not Severity.FLAG:
            why = LEAKED if finding.severity is Severity.BLOCK else STEERING
            found |= _span(first, text, finding.start, finding.end, why)
    if rules.own is not None:
        from nightledger.text.scanners.rule_file import find_own

        for seen in find_own(rules.own, text):
            found |= _span(first, text, seen.start, seen.end, OWN_RULE)
    return found


def _span(first: int, text: str, start: int, end: int, why: str) -> Held:
    top = first + text.count("\n", 0, start)
    last = first + text.count("\n", 0, max(start, end - 1))
    return dict.fromkeys(range(top, last + 1), why)


def _is_plain(name: str) -> bool:
    """Tell whether a name is one: without spaces and short, since anybody can write a sentence there."""
    words = re.fullmatch(rf"[\w.-]{{1,{_NAME_LENGTH}}}", name)
    return bool(words) and sum(not letter.isascii() for letter in name) <= _UNSPACED
