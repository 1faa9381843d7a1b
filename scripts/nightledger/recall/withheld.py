"""What an agent may not see of what a home holds, line by line, and why.

Withheld is: what scanners hold back; what an operator had forgotten; what a proposal says that waits, or
was rejected, withdrawn, undone or replaced, wherever else it stands, unless it stands signed in a gated
file; entries of a gated file that are not as they were signed; what others or tools wrote into a log; of
a handoff all but its open items; and the note of an outcome.

Invariant: whatever is not known to be allowed is withheld; an operator sees all of it, marked.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
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
from nightledger.text.scanners.rule import Table
from nightledger.text.scanners.scan import scan
from nightledger.text.similar import fold
from nightledger.text.staging.handoff import read_open_items
from nightledger.text.statements.daylog import read_daylog
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
_SHORTEST = 12
"""Characters of folded wording below which a claim names nothing that could be told apart. Our choice."""
_OWN_WORDS = frozenset({Region.PROSE, Region.HEADING, Region.RULE, Region.BLANK})
_OWN_VOICE = frozenset({Origin.AGENT, Origin.OWNER})
_WHY_NOT_OWN: Mapping[Kind, str] = {Kind.DAILY: FOREIGN, Kind.ARCHIVE: FOREIGN, Kind.HANDOFF: NOT_OPEN}
_MAX_BYTES = 32_000_000
Held = dict[int, str]
"""Line to the reason why it is withheld."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What the log and the proposals of a home say that nobody may tell an agent.

    Attributes:
        forgotten: What was forgotten.
        unspoken: Folded claims of proposals that are not in force, and of the lines they rest on, with
            why; under the first word of each.
        own: Rows of the operator's rule files.
        version: Hex SHA-256 of all that: another one means that verdicts are to be reached anew.
    """

    forgotten: Forgotten
    unspoken: Mapping[str, Mapping[str, str]]
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
    by_word: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for claim, why in sorted(unspoken.items()):
        by_word[claim.split(" ", 1)[0]][claim] = why
    taken_out = [
        change.hunk.removed
        for item in stored
        if item.proposal.kind is ProposalKind.FORGET
        for change in item.proposal.changes
    ]
    own = own_rules(gate)
    rows = _rule_files(gate) if own is not None else {}
    said = repr((__version__, taken_out, bool(forgotten), sorted(unspoken.items()), sorted(rows.items())))
    return Rules(
        forgotten=forgotten,
        unspoken=by_word,
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
        folded = fold(part)
        if len(folded) >= _SHORTEST:
            yield folded


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


class Judge:
    """Says of chunks which of their lines an agent may not see.

    Args:
        home: The home.
        rules: What its log and proposals say.
        signed: Ids of the entries that stand as they were signed.
    """

    __slots__ = ("_home", "_lines", "_signed", "rules")

    def __init__(self, home: Home, rules: Rules, signed: frozenset[str]) -> None:
        self.rules = rules
        self._home = home
        self._signed = signed
        self._lines: dict[str, frozenset[int] | None] = {}

    def held(self, chunk: Chunk) -> Held:
        """Give the lines of a chunk that an agent may not see, each with why; empty where it may see all."""
        whole = self._whole(chunk)
        if whole:
            return dict.fromkeys(range(chunk.first_line, chunk.last_line + 1), whole)
        found = self._by_rules(chunk) | self._scanned(chunk)
        if chunk.kind in _WHY_NOT_OWN:
            found = self._not_own(chunk) | found
        return dict(sorted(found.items()))

    def is_signed(self, entry: str) -> bool:
        """Tell whether an entry of a gated file stands as it was signed."""
        return entry in self._signed

    def verdict(self, chunk: Chunk) -> str:
        """Give in a word or two why a chunk is withheld as a whole because one of its lines is; empty where it may be shown."""
        return next(iter(self.held(chunk).values()), "")

    def _whole(self, chunk: Chunk) -> str:
        if chunk.kind is Kind.MEMORY and not self.is_signed(chunk.entry):
            return UNSIGNED
        return NOTE if chunk.kind is Kind.OUTCOME and chunk.heading == NOTE_HEADING else ""

    def _by_rules(self, chunk: Chunk) -> Held:
        lines = _lines(chunk)
        found: Held = {}
        folded = f" {fold(chunk.text)} "
        for word in dict.fromkeys(folded.split()):
            for claim, why in self.rules.unspoken.get(word, {}).items():
                if f" {claim} " in folded:
                    found |= _where(claim, why, lines) or dict.fromkeys(lines, why)
        forgotten = self.rules.forgotten
        told = {n: FORGOTTEN for n, line in lines.items() if forgotten.holds(_bare(line))}
        if not told and forgotten.holds(chunk.text):
            told = dict.fromkeys(lines, FORGOTTEN)
        return found | told

    def _scanned(self, chunk: Chunk) -> Held:
        """Lines in which scanners see a secret, something hidden, or something that steers."""
        found: Held = {}
        for finding in scan(chunk.text):
            if finding.severity is not Severity.FLAG:
                why = LEAKED if finding.severity is Severity.BLOCK else STEERING
                found |= _span(chunk, finding.start, finding.end, why)
        if self.rules.own is not None:
            from nightledger.text.scanners.rule_file import find_own

            for seen in find_own(self.rules.own, chunk.text):
                found |= _span(chunk, seen.start, seen.end, OWN_RULE)
        return found

    def _not_own(self, chunk: Chunk) -> Held:
        if chunk.path not in self._lines:
            self._lines[chunk.path] = self._own_lines(chunk.path, chunk.kind)
        own = self._lines[chunk.path]
        why = _WHY_NOT_OWN[chunk.kind] if own is not None else NOT_JUDGED
        return {n: why for n in range(chunk.first_line, chunk.last_line + 1) if n not in (own or ())}

    def _own_lines(self, path: str, kind: Kind) -> frozenset[int] | None:
        """Give the lines of a file that may be told of: its writer's own, or open items; None where it cannot be read."""
        try:
            raw = read_optional(self._home.path(path), _MAX_BYTES, within=self._home.root)
        except NightledgerError:
            return None
        if raw is None:
            return None
        text = raw.decode("utf-8", "surrogateescape")
        if kind is Kind.HANDOFF:
            return frozenset(item.line for item in read_open_items(text))
        log = read_daylog(path, text, date.min)
        return frozenset(
            line.number for line in log.lines if line.region in _OWN_WORDS and line.origin in _OWN_VOICE
        )


def without(chunk: Chunk, held: Held) -> str:
    """Give a chunk's text with the lines that are withheld left blank: the others keep their numbers."""
    return "\n".join("" if number in held else line for number, line in _lines(chunk).items())


def _lines(chunk: Chunk) -> dict[int, str]:
    return dict(enumerate(chunk.text.split("\n"), chunk.first_line))


def _bare(line: str) -> str:
    return line.strip().lstrip("-*+ ")


def _where(claim: str, why: str, lines: Mapping[int, str]) -> Held:
    """Give the lines that say a claim, each by itself; none where it goes over a line's end."""
    return {number: why for number, line in lines.items() if f" {claim} " in f" {fold(line)} "}


def _span(chunk: Chunk, start: int, end: int, why: str) -> Held:
    first = chunk.first_line + chunk.text.count("\n", 0, start)
    last = chunk.first_line + chunk.text.count("\n", 0, max(start, end - 1))
    return dict.fromkeys(range(first, last + 1), why)
