"""What the log, the proposals and the rule files of a home say that nobody may tell an agent.

Invariant: what stands signed in a gated file may be said, whatever became of other proposals that say it;
but for what was forgotten.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256

from nightledger import __version__
from nightledger.domain.errors import NightledgerError
from nightledger.domain.event import EventName
from nightledger.domain.proposal import Change, Op
from nightledger.domain.proposal import Kind as ProposalKind
from nightledger.domain.states import Book, ChangeState
from nightledger.files.configuration import load_operator, read_rule_files
from nightledger.files.home import Home
from nightledger.files.reading import read_optional
from nightledger.gate.apply.placing import read_accepted
from nightledger.gate.forgetting.citing import cited
from nightledger.gate.forgetting.forgotten import read_forgotten
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.proposing.screening import own_rules
from nightledger.gate.stored import Stored, read_stored
from nightledger.text.forgetting.forgotten import Forgotten
from nightledger.text.phrases import Phrases, phrase, phrases_of
from nightledger.text.scanners.rule import Table
from nightledger.text.similar import UNSPACED
from nightledger.text.statements.wording import claims_of

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
_JUDGED_BY = 6
"""Raised when text is judged otherwise here or in ``withheld.py``, so that verdicts that an index keeps are reached anew."""
_TITLE_WORDS = 4
"""Words from which a heading or an entry's title is a claim of its own: "Decisions made" stands in many logs. Our choice."""
_MAX_BYTES = 32_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What the log and the proposals of a home say that nobody may tell an agent.

    Attributes:
        forgotten: What was forgotten.
        unspoken: Claims of proposals that are not in force, of the lines they rest on, and of what was
            forgotten, each with why.
        own: Rows of the operator's rule files.
        version: Hex SHA-256 of all that: another one means that verdicts are to be reached anew.
        archived: Blocks that the log says moved to a file of the archive and stay there: the file, the block, the
            decision that says so, unverified, and hex SHA-256 of the proposal.
    """

    forgotten: Forgotten
    unspoken: Phrases
    own: Table | None
    version: str
    archived: tuple[tuple[str, str, str, str], ...] = ()


def read_rules(gate: Gate, ledger: Ledger) -> Rules:
    """Read what is withheld from agents now.

    Raises:
        UnreadableError: A gated file cannot be read.
        ConfigurationError: A rule file of the operator cannot be used.
    """
    stored = read_stored(gate, ledger.book)
    forgotten = read_forgotten(gate, stored, ledger.book)
    unspoken = _quarantined(gate.home, ledger)
    unspoken |= _proposed(gate.home, ledger.book, stored)
    unspoken |= dict.fromkeys(forgotten.phrases, FORGOTTEN)
    taken_out = [
        change.hunk.removed
        for item in stored
        if item.proposal.kind is ProposalKind.FORGET
        for change in item.proposal.changes
    ]
    archived = tuple(_archived(ledger.book, stored))
    own = own_rules(gate)
    rows = _rule_files(gate) if own is not None else {}
    judged = (__version__, _JUDGED_BY, taken_out, bool(forgotten), forgotten.expunged.hashes)
    said = repr((*judged, sorted(unspoken.items()), sorted(rows.items()), archived))
    return Rules(
        forgotten=forgotten,
        unspoken=Phrases(unspoken),
        own=own,
        version=sha256(said.encode("utf-8", "replace")).hexdigest(),
        archived=archived,
    )


def _archived(book: Book, stored: Iterable[Stored]) -> Iterator[tuple[str, str, str, str]]:
    for item in stored:
        for change in item.proposal.changes:
            status = book.proposals[item.proposal.id].changes.get(change.n)
            if change.op is Op.ARCHIVE and status and status.state is ChangeState.APPLIED and status.decision:
                yield from (
                    (part.target, part.hunk.added, status.decision, item.sha256) for part in change.also
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


def _proposed(home: Home, book: Book, stored: Iterable[Stored]) -> dict[str, str]:
    """Give the claims of what is not in force, and of the lines that it rests on, but what stands signed."""
    said: dict[str, str] = {}
    changes = [
        (change, why, {*_statements(change.hunk.added)}) for change, why in _not_in_force(stored, book)
    ]
    standing = _standing(home, book, {claim for _, _, claims in changes for claim in claims})
    for change, why, claims in changes:
        if left := claims - standing:
            said |= dict.fromkeys(left, why)
            said |= {claim: why for line in _rests_on(home, change) for claim in _claims(line)}
    standing = _standing(home, book, said)
    return {claim: why for claim, why in said.items() if claim not in standing}


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
    short = {wording for line in titles if _is_short(phrase(line)) for wording in phrases_of(line)}
    yield from (claim for claim in _claims(text) if claim not in short)


def _is_short(wording: str) -> bool:
    return len(wording.split()) + len(UNSPACED.findall(wording)) // 2 < _TITLE_WORDS


def _quarantined(home: Home, ledger: Ledger) -> dict[str, str]:
    """Give the claims of what scanners held back, but what stands signed: whoever has a text held back chooses what is in it."""
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
    standing = _standing(home, ledger.book, said)
    return {claim: why for claim, why in said.items() if claim not in standing}
