"""What an agent may not see of what a home holds, line by line, and why: decided when a file is indexed.

Withheld is: what scanners hold back; what an operator had forgotten; what a proposal says that waits, or
was rejected, withdrawn, undone or replaced, wherever else it stands, unless it stands signed in a gated
file; entries of a gated file that are not as they were signed; what others or tools wrote into a log; of
a handoff all but its open items; and the note of an outcome.

Invariant: what stands signed in a gated file may be said, whatever became of other proposals that say it, but for what
was forgotten; an operator sees all of it, marked.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from hashlib import sha256
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from nightledger import __version__
from nightledger.domain.consolidation import Region
from nightledger.domain.decision import EventName
from nightledger.domain.errors import NightledgerError
from nightledger.domain.finding import Severity
from nightledger.domain.proposal import Change, Op, Origin
from nightledger.domain.proposal import Kind as ProposalKind
from nightledger.domain.search import Kind
from nightledger.domain.states import Book, ChangeState
from nightledger.files.configuration import load_operator, read_rule_files
from nightledger.files.durable import read_optional
from nightledger.files.home import Home
from nightledger.files.search_index import SearchStore, SearchWriter
from nightledger.gate.forgotten import cited, read_forgotten
from nightledger.gate.gated import read_accepted
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.screening import own_rules
from nightledger.gate.stored import Stored, read_stored
from nightledger.recall.sources import NOTE_HEADING, Changed, Cut
from nightledger.text.handoff import read_open_items
from nightledger.text.markdown.chunks import JOINT, titles_at
from nightledger.text.phrases import Forgotten, Phrases, phrase, phrases_of
from nightledger.text.scanners.rule import Table
from nightledger.text.scanners.scan import scan
from nightledger.text.similar import UNSPACED
from nightledger.text.statements.daylog import read_daylog
from nightledger.text.statements.wording import claims_of

if TYPE_CHECKING:
    from nightledger.files.search_index import NewChunk

FORGOTTEN = "forgotten"
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
_JUDGED_BY = 10
"""Raised when text is judged otherwise here, so that verdicts that an index keeps are reached anew."""
_TITLE_WORDS = 4
"""Words from which a heading or an entry's title is a claim of its own: "Decisions made" stands in many logs. Our choice."""
_MAX_BYTES = 32_000_000
LEAKED = "a secret"
STEERING = "held by scanners"
OWN_RULE = "held by a rule file of the operator"
UNSIGNED = "not signed: it was changed outside Nightledger"
FOREIGN = "written by others or by a tool"
NOT_OPEN = "of a handoff only open items are shown"
NOTE = "the note of an outcome is for the operator"
NOT_JUDGED = "cannot be judged: its file cannot be read"
HEADING = "its heading may not be shown"
BEFORE = "what stands before it may not be shown"
NAME = "the name of its file may not be shown"
_OWN_WORDS = frozenset({Region.PROSE, Region.HEADING, Region.RULE, Region.BLANK})
_OWN_VOICE = frozenset({Origin.AGENT, Origin.OWNER})
_WHY_NOT_OWN: Mapping[Kind, str] = {Kind.DAILY: FOREIGN, Kind.ARCHIVE: FOREIGN, Kind.HANDOFF: NOT_OPEN}
_NAME, _UNSPACED = re.compile(r"[\w.-]{1,52}"), 8
"""A file's name that an agent is told, and how many of its characters may be of scripts that write sentences without
spaces: a day and a few words. Our choice."""
Held = dict[int, str]
"""Line to the reason why it is withheld."""


class Rules(Struct, frozen=True, kw_only=True):
    """What the log and the proposals of a home say that nobody may tell an agent.

    Attributes:
        forgotten: What was forgotten.
        unspoken: Claims of proposals that are not in force, of the lines they rest on, and of what was
            forgotten, each with why.
        own: Rows of the operator's rule files.
        version: Hex SHA-256 of all that: another one means that verdicts are to be reached anew.
        scanned_by: Hex SHA-256 of what scanners go by: as long as it is the same, so is what they see in the same text.
        archived: Blocks that the log says moved to a file of the archive and stay there: the file, the block, the
            decision that says so, unverified, and hex SHA-256 of the proposal.
    """

    forgotten: Forgotten
    unspoken: Phrases
    own: Table | None
    version: str
    scanned_by: str = ""
    archived: tuple[tuple[str, str, str, str, int], ...] = ()


def read_rules(gate: Gate, ledger: Ledger) -> Rules:
    """Read what is withheld from agents now.

    Raises:
        UnreadableError: A gated file cannot be read.
        ConfigurationError: A rule file of the operator cannot be used.
    """
    stored = read_stored(gate, ledger.book)
    forgotten = read_forgotten(gate, stored, ledger.book)
    said = _quarantined(gate.home, ledger) | _proposed(gate.home, ledger.book, stored)
    # whoever has a text held back chooses what is in it: what stands signed may be said
    standing = _standing(gate.home, ledger.book, said)
    unspoken = {claim: why for claim, why in said.items() if claim not in standing}
    unspoken |= dict.fromkeys(forgotten.phrases, FORGOTTEN)
    taken_out = [
        change.hunk.removed
        for item in stored
        if item.proposal.kind is ProposalKind.FORGET
        for change in item.proposal.changes
    ]
    archived = tuple(_archived(ledger.book, stored))
    own = own_rules(gate)
    rows = read_rule_files(load_operator(str(gate.ring.directory)), gate.home) if own is not None else {}
    judged = (__version__, _JUDGED_BY, taken_out, bool(forgotten), forgotten.expunged.hashes)
    version = repr((*judged, sorted(unspoken.items()), sorted(rows.items()), archived))
    return Rules(
        forgotten=forgotten,
        unspoken=Phrases(unspoken),
        own=own,
        version=sha256(version.encode("utf-8", "replace")).hexdigest(),
        scanned_by=sha256(repr((__version__, _JUDGED_BY, sorted(rows.items()))).encode()).hexdigest(),
        archived=archived,
    )


def _archived(book: Book, stored: Iterable[Stored]) -> Iterator[tuple[str, str, str, str, int]]:
    for item in stored:
        for change in item.proposal.changes:
            status = book.proposals[item.proposal.id].changes.get(change.n)
            if change.op is Op.ARCHIVE and status and status.state is ChangeState.APPLIED and status.decision:
                yield from (
                    (part.target, part.hunk.added, status.decision, item.sha256, change.n)
                    for part in change.also
                )


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


def _proposed(home: Home, book: Book, stored: Iterable[Stored]) -> dict[str, str]:
    """Return the claims of what is not in force, and of the lines that it rests on."""
    said: dict[str, str] = {}
    changes = [
        (change, why, {*_statements(change.hunk.added)}) for change, why in _not_in_force(stored, book)
    ]
    standing = _standing(home, book, {claim for _, _, claims in changes for claim in claims})
    for change, why, claims in changes:
        if left := claims - standing:
            said |= dict.fromkeys(left, why)
            said |= {claim: why for line in _rests_on(home, change) for claim in _claims(line)}
    return said


def _standing(home: Home, book: Book, claims: Iterable[str]) -> frozenset[str]:
    """Give those of some claims that the signed text of a gated file says, alone or within a longer line."""
    wanted = Phrases({claim: claim for claim in claims})
    found: set[str] = set()
    for path in home.identity.gated:
        text = (read_accepted(home, book, path) or b"").decode("utf-8", "surrogateescape")
        found |= {claim for _, _, claim in wanted.places(enumerate(text.split("\n"), 1))}
    return frozenset(found)


def _claims(text: str) -> Iterator[str]:
    """Give what a text claims, folded: its claims, and each of its lines."""
    for part in dict.fromkeys((*claims_of(text), *text.split("\n"))):
        yield from phrases_of(part)


def _statements(text: str) -> Iterator[str]:
    """Give what a text claims, without short titles of what it claims."""
    title, *children = text.split("\n  - ")
    titles = {line for line in text.split("\n") if line.startswith("#")}
    titles |= set(title.split("\n")) if children else set()
    sizes = {line: len(phrase(line).split()) + len(UNSPACED.findall(phrase(line))) // 2 for line in titles}
    short = {wording for line in titles if sizes[line] < _TITLE_WORDS for wording in phrases_of(line)}
    yield from (claim for claim in _claims(text) if claim not in short)


def _quarantined(home: Home, ledger: Ledger) -> dict[str, str]:
    """Return the claims of what scanners held back."""
    said: dict[str, str] = {}
    for event in ledger.log.events:
        if event.event == EventName.QUARANTINED:
            named = str(event.fields["sha256"])
            try:
                raw = read_optional(f"{home.quarantine_dir}/{named}.txt", _MAX_BYTES, within=home.root) or b""
            except NightledgerError:
                continue  # scanners find it again where it stands
            if sha256(raw).hexdigest() == named:
                said |= dict.fromkeys(_claims(raw.decode("utf-8", "surrogateescape")), QUARANTINED)
    return said


class Judge:
    """Says which lines of a file, and which words, an agent may not see.

    Args:
        home: The home.
        rules: What its log and proposals say.
        signed: Ids of the entries that stand as they were signed.
    """

    __slots__ = ("_home", "_of_signed", "_said", "rules", "signed")

    def __init__(self, home: Home, rules: Rules, signed: frozenset[str]) -> None:
        self.rules = rules
        self._of_signed = rules.forgotten.of_signed()
        self._home = home
        self.signed = signed
        self._said: dict[str, bool] = {}

    def by_itself(self, path: str, kind: Kind, lines: Sequence[str]) -> Held:
        """Return the lines of a file that are withheld for what they say: as long as the text is the same, so is this."""
        text = "\n".join(lines)
        found = {} if kind not in _WHY_NOT_OWN else _not_own(path, text, kind)
        found |= _seen(self.rules.own, text)
        if kind is Kind.OUTCOME:
            found |= {n: STEERING for n, line in enumerate(lines, 1) if _steers(line)}
        return found

    def by_rules(self, path: str, kind: Kind, lines: Sequence[str]) -> Held:
        """Return the lines of a file that say what is not to be said, alone or with lines around them."""
        if not self._may_name(path):
            return dict.fromkeys(range(1, len(lines) + 1), NAME)
        forgotten = self._of_signed if kind is Kind.MEMORY else self.rules.forgotten
        found = self.rules.unspoken.find(enumerate(lines, 1))
        found |= dict.fromkeys(forgotten.told_in(lines), FORGOTTEN)
        if forgotten:
            found |= {
                n: FORGOTTEN
                for n, line in enumerate(lines, 1)
                if forgotten.holds(line.strip().lstrip("-*+ "))
            }
        return found

    def heading(self, heading: str, withheld: Iterable[str]) -> str:
        """Return of the headings above a chunk those that an agent may see.

        Args:
            heading: All of them, joined.
            withheld: Those that stand in lines which are withheld.
        """
        shown = f"{JOINT}{heading}{JOINT}"
        for title in withheld:
            while f"{JOINT}{title}{JOINT}" in shown:
                shown = shown.replace(f"{JOINT}{title}{JOINT}", JOINT)
        left = JOINT.join(part for part in shown.split(JOINT) if part and not self._is_unsaid(part))
        return "" if self._is_unsaid(left) else left

    def may_say(self, text: str) -> bool:
        """Tell whether an agent may be told some words, wherever they come from: a title, a tag, the name of a file."""
        return not text or not (self._is_unsaid(text) or _seen(self.rules.own, text) or _steers(text))

    def _is_unsaid(self, text: str) -> bool:
        if text not in self._said:
            self._said[text] = bool(self.rules.unspoken.find([(1, text)]) or self.rules.forgotten.holds(text))
        return self._said[text]

    def _may_name(self, path: str) -> bool:
        """Tell whether a path is names without spaces, and short: anybody can write a sentence there."""
        plain = all(
            _NAME.fullmatch(name) and sum(not letter.isascii() for letter in name) <= _UNSPACED
            for name in path.split("/")
        )
        return path in self._home.identity.gated or (plain and self.may_say(path))


def _not_own(path: str, text: str, kind: Kind) -> Held:
    """Return the lines of a file that are not its writer's own, or no open items."""
    if kind is Kind.HANDOFF:
        own = {item.line for item in read_open_items(text)}
    else:
        said = read_daylog(path, text, date.min).lines
        own = {one.number for one in said if one.region in _OWN_WORDS and one.origin in _OWN_VOICE}
    return {n: _WHY_NOT_OWN[kind] for n in range(1, text.count("\n") + 2) if n not in own}


def _steers(text: str) -> bool:
    """Tell whether identifiers steer, read as the words that they are made of."""
    return "_" in text and any(
        finding.severity is Severity.QUARANTINE for finding in scan(text.replace("_", " "))
    )


def _seen(own: Table | None, text: str) -> Held:
    """Return the lines in which scanners, or the operator's own rows, see what they hold back."""
    findings = [finding for finding in scan(text) if finding.severity is not Severity.FLAG]
    seen = [(one, LEAKED if one.severity is Severity.BLOCK else STEERING) for one in findings]
    seen += [(one, OWN_RULE) for one in (own.find(text) if own is not None else ())]
    ends, found = [*accumulate(len(line) + 1 for line in text.split("\n"))], Held()
    for one, why in seen:
        first, last = (bisect_right(ends, at) + 1 for at in (one.start, max(one.start, one.end - 1)))
        found |= dict.fromkeys(range(first, last + 1), why)
    return found


def without(text: str, first: int, held: Held) -> str:
    """Return a text with the lines that are withheld left blank: the others keep their numbers.

    Args:
        text: Lines.
        first: Number of the first.
        held: Those that are withheld.
    """
    return "\n".join("" if n in held else line for n, line in enumerate(text.split("\n"), first))


def describe(held: Held) -> str:
    """Return which lines are withheld, and why: ``line 4: forgotten``; empty where none are."""
    by_reason: dict[str, list[int]] = {}
    for number, why in held.items():
        by_reason.setdefault(why, []).append(number)
    return "; ".join(f"line {', '.join(map(str, lines))}: {why}" for why, lines in by_reason.items())


BY_LINES = frozenset({Kind.MEMORY, Kind.DAILY, Kind.ARCHIVE, Kind.HANDOFF})
"""Kinds whose chunks are lines of their file; of the others it is their words that are judged."""
_KEY = "verdict {}"
"""Of the index's notes, for the path of a file."""


class Verdict(Struct, frozen=True, kw_only=True):
    """What is withheld of a file.

    Attributes:
        scanned_by: What scanners went by (``Rules.scanned_by``).
        lines: How many lines the file has, as far as it is read.
        by_itself: Lines that are withheld for what they say.
        by_rules: Lines that say what is not to be said.
    """

    scanned_by: str = ""
    lines: int = 0
    by_itself: Held = field(default_factory=dict)
    by_rules: Held = field(default_factory=dict)

    @property
    def held(self) -> Held:
        """Each line that is withheld, with why."""
        return dict(sorted((self.by_itself | self.by_rules).items()))


def read_verdict(store: SearchStore, path: str) -> Verdict | None:
    """Return what is withheld of a file, as it was when it was indexed; None for a file that is not in the index."""
    stored = store.meta(_KEY.format(path))
    return msgspec.json.decode(stored, type=Verdict) if stored else None


def keep_verdict(writer: SearchWriter, path: str, verdict: Verdict | None) -> None:
    """Keep what is withheld of a file; None for a file that went."""
    writer.note(_KEY.format(path), msgspec.json.encode(verdict).decode() if verdict else "")


def judge_file(judge: Judge, store: SearchStore, changed: Changed, lines: Sequence[str]) -> Verdict:
    """Return what is withheld of a file now; what it says by itself is known as long as it is the same.

    Args:
        judge: Says what is withheld.
        store: The index, which knows what was withheld before.
        changed: The file.
        lines: Its lines, or what its records say.
    """
    source, before = changed.source, read_verdict(store, changed.source.path) or Verdict()
    is_known = before.scanned_by == judge.rules.scanned_by
    by_itself = before.by_itself
    if changed.fresh or not is_known:
        known: set[str] = set()
        if is_known and source.kind is Kind.OUTCOME:  # outcomes are many, and come one by one
            known = {chunk.text for chunk in store.chunks_of(source.path) if not chunk.held}
        by_itself = judge.by_itself(
            source.path, source.kind, ["" if line in known else line for line in lines]
        )
    return Verdict(
        scanned_by=judge.rules.scanned_by,
        lines=len(lines),
        by_itself=by_itself,
        by_rules=judge.by_rules(source.path, source.kind, lines),
    )


def for_each(judge: Judge, kind: Kind, cut: Cut, lines: Sequence[str], verdict: Verdict) -> Cut:
    """Return chunks as the operator may see them, and behind them those of which something is withheld as an agent may.

    Args:
        judge: Says what of headings is withheld, and which entries are signed.
        kind: Of the file.
        cut: The file's chunks.
        lines: As for :func:`judge_file`.
        verdict: What is withheld of the file.
    """
    held, pieces, size = verdict.held, [cut.text], len(cut.text)
    starts = [0, *(at + 1 for at, letter in enumerate(cut.text) if letter == "\n")]
    chunks: list[NewChunk] = []
    told: list[NewChunk] = []
    headings: dict[str, str] = {}
    titles = titles_at("\n".join(lines), held) if held else ()
    for one in cut.chunks:
        lead, text = cut.text[one.start - one.lead : one.start], cut.text[one.start : one.end]
        first = one.first_line if kind in BY_LINES else bisect_right(starts, one.start)
        above = first - lead.count("\n")
        own = {n: held[n] for n in range(first, first + text.count("\n") + 1) if n in held}
        before = {n: held[n] for n in range(above, first) if n in held}
        if kind is Kind.MEMORY and one.entry not in judge.signed:
            own = dict.fromkeys(range(first, first + text.count("\n") + 1), UNSIGNED)
        elif kind is Kind.OUTCOME and one.heading == NOTE_HEADING:
            own = {first: NOTE}
        if one.heading not in headings:
            headings[one.heading] = judge.heading(one.heading, titles)
        heading = headings[one.heading]
        why = describe(own) or (HEADING if heading != one.heading else BEFORE if before else "")
        chunks.append(replace(one, held=why))
        left = without(text, first, own)
        if why and left.strip():
            pieces += ["\n", without(lead, above, before), left]
            start = size + 1 + len(pieces[-2])
            size = start + len(left)
            shown: dict[str, Any] = {"start": start, "end": size, "lead": len(pieces[-2]), "heading": heading}
            told.append(replace(one, held=None, **shown))
    return Cut(text="".join(pieces), chunks=(*chunks, *told))
