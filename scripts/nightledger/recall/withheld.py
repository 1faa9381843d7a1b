"""What an agent may not see of what a home holds, line by line, and why.

Withheld is: what scanners hold back; what an operator had forgotten; what a proposal says that waits, or
was rejected, withdrawn, undone or replaced, wherever else it stands, unless it stands signed in a gated
file; entries of a gated file that are not as they were signed; what others or tools wrote into a log; of
a handoff all but its open items; and the note of an outcome.

Invariant: whatever is not known to be allowed is withheld; an operator sees all of it, marked.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256

from nightledger import __version__
from nightledger.domain.daylog import Region
from nightledger.domain.errors import NightledgerError
from nightledger.domain.event import EventName
from nightledger.domain.finding import Severity
from nightledger.domain.proposal import Change, Op, Origin
from nightledger.domain.proposal import Kind as ProposalKind
from nightledger.domain.search.values import Chunk, Kind
from nightledger.domain.states import Book, ChangeState
from nightledger.files.configuration import load_operator, read_rule_files
from nightledger.files.home import Home
from nightledger.files.reading import read_optional
from nightledger.gate.apply.around import read_accepted
from nightledger.gate.forgetting.citing import cited
from nightledger.gate.forgetting.forgotten import read_forgotten
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.proposing.screening import own_rules
from nightledger.gate.stored import Stored, read_stored
from nightledger.recall.outcomes import NOTE_HEADING
from nightledger.text.forgetting.forgotten import Forgotten
from nightledger.text.phrases import Phrases, is_telling, phrase
from nightledger.text.scanners.rule import Table
from nightledger.text.scanners.scan import scan
from nightledger.text.search.chunks import JOINT, title_of
from nightledger.text.staging.handoff import read_open_items
from nightledger.text.statements.daylog import find_origins
from nightledger.text.statements.wording import claims_of

LEAKED = "a secret"
STEERING = "held by scanners"
OWN_RULE = "held by a rule file of the operator"
FORGOTTEN = "forgotten"
UNSIGNED = "not signed: it was changed outside the gate"
FOREIGN = "written by others or by a tool"
NOT_OPEN = "of a handoff only open items are shown"
NOTE = "the note of an outcome is for the operator"
NOT_JUDGED = "cannot be judged: its file cannot be read"
_WAITS = "proposed, and waits for the operator"
_REASONS: Mapping[ChangeState, str] = {
    ChangeState.PENDING: _WAITS,
    ChangeState.DEFERRED: _WAITS,
    ChangeState.STALE: _WAITS,
    ChangeState.REJECTED: "proposed, and rejected",
    ChangeState.WITHDRAWN: "proposed, and withdrawn",
    ChangeState.SUPERSEDED: "proposed, and replaced by another proposal",
    ChangeState.UNDONE: "applied, and undone",
}
"""States whose text an agent may not see, with the words for it."""
QUARANTINED = "quarantined"
HEADING = "its heading may not be shown"
_JUDGED_BY = 3
"""Raised when this module judges otherwise, so that verdicts that an index keeps are reached anew."""
_AROUND = 3
"""Lines on either side of a chunk that scanners see with it: what steers may go over its border. Our choice."""
_REST = 20
"""Lines on either side that may be the rest of what a chunk begins or ends in. Our choice."""
_OWN_WORDS = frozenset({Region.PROSE, Region.HEADING, Region.RULE, Region.BLANK})
_OWN_VOICE = frozenset({Origin.AGENT, Origin.OWNER})
_WHY_NOT_OWN: Mapping[Kind, str] = {Kind.DAILY: FOREIGN, Kind.ARCHIVE: FOREIGN, Kind.HANDOFF: NOT_OPEN}
_OF_LINES = frozenset({*_WHY_NOT_OWN, Kind.MEMORY})
"""Kinds whose chunks are lines of their file; of a long one its whole lines are judged, all parts alike."""
_BEGINS = re.compile(r"\s*(?:[-*+]|\d+[.)]|#+)\s|\s*\|")
"""An item of a list, a heading or a row of a table: not the rest of the line above."""
_MAX_BYTES = 32_000_000
Held = dict[int, str]
"""Line to the reason why it is withheld."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What the log and the proposals of a home say that nobody may tell an agent.

    Attributes:
        forgotten: What was forgotten.
        unspoken: Claims of proposals that are not in force, of the lines they rest on, and of what was
            forgotten, each with why.
        own: Rows of the operator's rule files.
        version: Hex SHA-256 of all that: another one means that verdicts are to be reached anew.
    """

    forgotten: Forgotten
    unspoken: Phrases
    own: Table | None
    version: str


def read_rules(gate: Gate, ledger: Ledger) -> Rules:
    """Read what is withheld from agents now.

    Raises:
        UnreadableError: A gated file cannot be read.
        ConfigurationError: A rule file of the operator cannot be used.
    """
    stored = read_stored(gate, ledger.book)
    forgotten = read_forgotten(stored, ledger.book)
    standing = _standing(gate.home, ledger.book)
    unspoken = dict(_quarantined(gate.home, ledger))
    for change, why in _not_in_force(stored, ledger.book):
        claims = [claim for claim in _claims(change.hunk.added) if claim not in standing]
        unspoken |= dict.fromkeys(claims, why)
        for line in _rests_on(gate.home, change) if claims else ():
            unspoken.update((claim, why) for claim in _claims(line) if claim not in standing)
    unspoken |= dict.fromkeys(forgotten.phrases, FORGOTTEN)
    taken_out = [
        change.hunk.removed
        for item in stored
        if item.proposal.kind is ProposalKind.FORGET
        for change in item.proposal.changes
    ]
    own = own_rules(gate)
    rows = _rule_files(gate) if own is not None else {}
    said = repr(
        (__version__, _JUDGED_BY, taken_out, bool(forgotten), sorted(unspoken.items()), sorted(rows.items()))
    )
    return Rules(
        forgotten=forgotten,
        unspoken=Phrases(unspoken),
        own=own,
        version=sha256(said.encode("utf-8", "replace")).hexdigest(),
    )


def _rule_files(gate: Gate) -> dict[str, bytes]:
    return read_rule_files(load_operator(str(gate.ring.directory)), gate.home)


def _rests_on(home: Home, change: Change) -> Iterator[str]:
    """Give the lines of logs that a change cites, where they still are; headings say too little to be known by."""
    for evidence in change.evidence:
        if evidence.outcome is None:
            try:
                found = cited(home, evidence)
            except NightledgerError:
                continue
            lines = found.content.decode("utf-8", "surrogateescape").split("\n") if found.same else []
            first, last = evidence.lines
            yield from (line for line in lines[first - 1 : last] if not line.startswith("#"))


def _not_in_force(stored: Iterable[Stored], book: Book) -> Iterator[tuple[Change, str]]:
    """Give changes that would put words into memory and do not, each with why."""
    for item in stored:
        status = book.proposals[item.proposal.id]
        for change in item.proposal.changes:
            why = _REASONS.get(status.state_of(change.n))
            if why and change.op in (Op.ADD, Op.REPLACE):
                yield change, why


def _standing(home: Home, book: Book) -> frozenset[str]:
    """Give the folded lines that stand signed in the gated files."""
    texts = (read_accepted(home, book, path) or b"" for path in home.identity.gated)
    return frozenset(claim for text in texts for claim in _claims(text.decode("utf-8", "surrogateescape")))


def _claims(text: str) -> Iterator[str]:
    """Give what a text claims, folded: its claims, and each of its lines."""
    for part in dict.fromkeys((*claims_of(text), *text.split("\n"))):
        if is_telling(wording := phrase(part)):
            yield wording


def _quarantined(home: Home, ledger: Ledger) -> Iterator[tuple[str, str]]:
    for event in ledger.log.events:
        if event.event == EventName.QUARANTINED:
            name = f"{home.quarantine_dir}/{event.fields['sha256']}.txt"
            try:
                raw = read_optional(name, _MAX_BYTES, within=home.root) or b""
            except NightledgerError:
                continue  # scanners find it again where it stands
            for claim in _claims(raw.decode("utf-8", "surrogateescape")):
                yield claim, QUARANTINED


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


class Judge:
    """Says of chunks which of their lines an agent may not see.

    Args:
        home: The home.
        rules: What its log and proposals say.
        signed: Ids of the entries that stand as they were signed.
    """

    __slots__ = ("_files", "_headings", "_home", "_signed", "rules")

    def __init__(self, home: Home, rules: Rules, signed: frozenset[str]) -> None:
        self.rules = rules
        self._home = home
        self._signed = signed
        self._files: dict[str, _File | None] = {}
        self._headings: dict[tuple[str, str], str] = {}

    def held(self, chunk: Chunk) -> Held:
        """Give the lines of a chunk that an agent may not see, each with why; empty where it may see all."""
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
        left = JOINT.join(part for part in shown.split(JOINT) if part and not self._is_held(part))
        return "" if self._is_held(left) else left

    def _is_held(self, text: str) -> bool:
        """Tell whether the words of a text may not be said, wherever they come from."""
        rules = self.rules
        return bool(rules.unspoken.find([(1, text)]) or rules.forgotten.holds(text) or _seen(rules, 1, text))

    def _whole(self, chunk: Chunk) -> str:
        if chunk.kind is Kind.MEMORY and not self.is_signed(chunk.entry):
            return UNSIGNED
        return NOTE if chunk.kind is Kind.OUTCOME and chunk.heading == NOTE_HEADING else ""

    def _by_rules(self, chunk: Chunk) -> Held:
        """Lines that say what is not to be said, alone or with lines around them, those of the next chunk included."""
        lines = _lines(chunk)
        found = self.rules.unspoken.find(lines.items())
        around = self._read(chunk)
        if around is not None:
            found = {n: why for n, why in around.unspoken.items() if n in lines} | found
        forgotten = self.rules.forgotten
        if forgotten:
            found |= {n: FORGOTTEN for n, line in lines.items() if forgotten.holds(_bare(line))}
            first, text = self._window(chunk, _REST)
            beside = dict(enumerate(text.split("\n"), first))
            for told in _told_together(beside):
                here = [n for n in told if n in lines]
                if here and forgotten.holds(" ".join(_bare(beside[n]) for n in told)):
                    found = dict.fromkeys(here, FORGOTTEN) | found
        return found

    def _scanned(self, chunk: Chunk) -> Held:
        """Lines in which scanners see a secret, something hidden, or something that steers."""
        found = _seen(self.rules, *self._window(chunk, _AROUND))
        return {n: why for n, why in found.items() if chunk.first_line <= n <= chunk.last_line}

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
            raw = read_optional(self._home.path(path), _MAX_BYTES, within=self._home.root)
        except NightledgerError:
            return None
        if raw is None:
            return None
        text = raw.decode("utf-8", "surrogateescape")
        lines = text.split("\n")
        unspoken = self.rules.unspoken.find(enumerate(lines, 1))
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
    said = enumerate(find_origins(text), 1)
    return frozenset(n for n, (region, origin) in said if region in _OWN_WORDS and origin in _OWN_VOICE)


def without(chunk: Chunk, held: Held) -> str:
    """Give a chunk's text with the lines that are withheld left blank: the others keep their numbers."""
    return "\n".join("" if number in held else line for number, line in _lines(chunk).items())


def _lines(chunk: Chunk) -> dict[int, str]:
    return dict(enumerate(chunk.text.split("\n"), chunk.first_line))


def _told_together(lines: Mapping[int, str]) -> Iterator[list[int]]:
    """Give the numbers of the lines of each item and each paragraph: what is wrapped is judged as if it were not."""
    told: list[int] = []
    for number, line in lines.items():
        if told and (not line.strip() or _BEGINS.match(line) or lines[told[-1]].startswith("#")):
            yield told
            told = []
        if line.strip():
            told.append(number)
    if told:
        yield told


def _bare(line: str) -> str:
    return line.strip().lstrip("-*+ ")


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
