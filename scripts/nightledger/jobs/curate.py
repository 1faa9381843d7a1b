"""Reinforce what proved useful after each forty active hours, and propose to let go of what faded, unasked or asked.

Reads   memory/system/ (outcomes, exposures, reinforcements), the gated files, audit/
Writes  memory/system/reinforcements.jsonl, proposals, the audit log
Changes no memory: it proposes.

Each period of active hours is reinforced once, however often a pass runs, and by what had
happened until its end. The constitution is reinforced with each, whether it was recalled or not.
``hygiene`` judges every entry and does what the operator says of those that faded: no entry is proposed
that is pinned or permanent, and what the operator does not answer stays as it is.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING

from msgspec import Struct

from nightledger.codec.canonical import canonical
from nightledger.domain import retention
from nightledger.domain.consolidation import AnalystRun
from nightledger.domain.decision import Moment
from nightledger.domain.judge import JOB, MOST_DELETIONS, OPERATOR
from nightledger.domain.links import Pair
from nightledger.domain.periods import log_day
from nightledger.domain.proposal import Change, Draft, Kind, Op, Origin, Proposal
from nightledger.domain.pruning import blocked_words, by_age, in_portions, is_faint, month_of, names_blocked
from nightledger.domain.retention import MOST_ARCHIVED, Memory, ReinforcementKind, fades
from nightledger.domain.words import content_id, dump_moment
from nightledger.files.configuration import home_zone
from nightledger.files.link_index import Rules, folded_links
from nightledger.gate.forgetting.forgotten import tombstones
from nightledger.gate.forgetting.letting_go import archival, link_use, unseen_link_deletion
from nightledger.gate.gated import read_gated
from nightledger.gate.memory.naming import evidence_of, signed_entries
from nightledger.gate.memory.recalling import read_principles
from nightledger.gate.memory.remembering import (
    Facts,
    Remembered,
    read_facts,
    read_network,
    read_proofs,
    read_reinforcements,
    reinforce,
)
from nightledger.gate.opening import Gate, Ledger, read_ledger
from nightledger.gate.proposing.proposing import Outcome, Submission, propose
from nightledger.gate.stored import read_stored
from nightledger.text.markdown.document import decode, parse_markdown
from nightledger.text.markdown.entries import Entry
from nightledger.text.similar import fold
from nightledger.trust.event import collector_at_rest

if TYPE_CHECKING:  # most homes ask no model
    from nightledger.think.analyst import Analyst

UNTOLD = "no outcome names what was shown before it, so nothing can have proved useful"
ASKED = "faded entries are asked about once a month"
_COUNTED = ("reinforced", "constitutional_reinforced", "weak_links", "faded", "kept")


class Curated(Struct, kw_only=True):
    """What one pass did; added up while it goes.

    Attributes:
        periods: Periods of active hours that it reinforced, by the count at their end.
        reinforced: Entries that it reinforced, over all of them.
        constitutional_reinforced: Principles that it reinforced, over all of them.
        weak_links: Links that nothing speaks for any more.
        faded: Entries that faded.
        kept: How many of these two stay, because something speaks for them.
        proposals: Ids of the proposals that it made.
        reason: Why it did nothing, or did not propose; else empty.
        analyst: What came of asking a model which of them may go; None where none was asked.
    """

    periods: tuple[int, ...] = ()
    reinforced: int = 0
    constitutional_reinforced: int = 0
    weak_links: int = 0
    faded: int = 0
    kept: int = 0
    proposals: tuple[str, ...] = ()
    reason: str = ""
    analyst: AnalystRun | None = None

    @property
    def counts(self) -> dict[str, int]:
        """What the run ledger says of it."""
        told = {name: getattr(self, name) for name in _COUNTED}
        told |= {"periods": len(self.periods), "proposals": len(self.proposals)}
        return told | ({"model_tokens": self.analyst.tokens} if self.analyst else {})


class _Pass(Struct, frozen=True, kw_only=True):
    """What a pass knows of a home.

    Attributes:
        gate: The home.
        moment: The clocks.
        day: The date in the home's zone.
        facts: What is known of every entry.
        signed: The entries that stand as they were signed.
        changes: Everything that was ever proposed.
        dry_run: Whether nothing is written.
    """

    gate: Gate
    moment: Moment
    day: date
    facts: Facts
    signed: Sequence[Remembered]
    changes: Sequence[tuple[Proposal, Change]]
    dry_run: bool

    def submit(self, done: Curated, drafts: Sequence[Draft], period: str, title: str) -> None:
        """Propose drafts in one proposal."""
        submission = Submission(kind=Kind.PRUNE, lane=JOB, period=period, title=title, drafts=drafts)
        outcome = propose(self.gate, read_ledger(self.gate), submission, self.moment, dry_run=self.dry_run)
        done.proposals += (outcome.proposal.id,) if outcome.proposal else ()


@collector_at_rest()
def curate(
    gate: Gate, ledger: Ledger, moment: Moment, *, dry_run: bool = False, analyst: "Analyst | None" = None
) -> Curated:
    """Curate every period of active hours that is over; the caller holds the home's lock.

    What is proposed comes first and the lines of the ledger last: a pass that died is done again,
    and what it had proposed is not proposed twice.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        moment: The clocks.
        dry_run: Say what would be done, and write nothing.
        analyst: A model that is asked which of what faded its owner would not miss; None lets all of it be proposed.

    Raises:
        UnreadableError: A gated file or a ledger cannot be read.
    """
    stored = read_stored(gate, ledger.book)
    facts = read_facts(gate, ledger, moment, stored=stored)
    last = max(
        (one.active_hours for one in read_reinforcements(gate.home) if one.kind is ReinforcementKind.CURATE),
        default=None,
    )
    done = Curated(periods=retention.periods_due(facts.now_hour, last))
    if not done.periods:
        hours = max(0, facts.now_hour - (last or 0))
        return Curated(reason=f"{hours} of {retention.PERIOD_HOURS} active hours since the last pass")
    accepted = signed_entries(gate.home, ledger.book)
    one = _Pass(
        gate=gate,
        moment=moment,
        day=log_day(moment.at, home_zone(gate.home, gate.settings)),
        facts=facts,
        signed=[one for one in facts.memories if one.placed in accepted],
        changes=[(item.proposal, change) for item in stored for change in item.proposal.changes],
        dry_run=dry_run,
    )
    _propose_weak(one, tombstones(gate, ledger), done)
    _propose_faded(one, _Second(gate, analyst, one.day) if analyst else None, done)
    _reinforce(one, ledger, done)
    return done


def _propose_weak(one: _Pass, forgotten: dict[Pair, int], done: Curated) -> None:
    """Propose to delete links whose confidence is under a tenth.

    However often one occurred: the pruner asks about what occurred once, this about what is believed no
    more; neither closes what the other asked.
    """
    zone = home_zone(one.gate.home, one.gate.settings)
    with folded_links(one.gate.home, Rules(zone=zone, forgotten=forgotten)) as index:
        faint = [link for link in map(link_use, index.every()) if is_faint(link, one.day)]
    done.weak_links = len(faint)
    said = {change.key for _, change in one.changes}
    drafts = [
        unseen_link_deletion(link, one.day, why="its confidence is under a tenth; ")
        for link in sorted(faint, key=by_age)
    ]
    for draft in [draft for draft in drafts if draft.statement_key not in said][:MOST_DELETIONS]:
        name = draft.before.partition(": ")[0]
        one.submit(done, [draft], one.day.isoformat(), f"Forget the link {name}")


def _propose_faded(one: _Pass, second: "_Second | None", done: Curated) -> None:
    """Propose to archive entries that faded, the most faded first."""
    network, words = read_network(one.gate.home), blocked_words(one.gate.consent)
    degrees = [network.degree(fold(entry.placed.entry.text).split()) for entry in one.signed]
    faded = fades([entry.memory for entry in one.signed], degrees, one.facts.now_hour)
    free = [one.signed[at] for at in faded if not names_blocked(one.signed[at].placed.entry.text, words)]
    done.faded, done.kept, month = len(faded), len(faded) - len(free), month_of(one.day)
    if not free:
        return
    asked = [(proposal, change) for proposal, change in one.changes if change.op is Op.ARCHIVE]
    if any((p.kind, p.lane, p.period) == (Kind.PRUNE, JOB, month) for p, _ in asked):
        done.reason = ASKED  # one a month is what a person reads
        return
    if not one.facts.named:
        done.reason = UNTOLD
        return
    before = {change.entry for _, change in asked}
    # what was refused stands behind what was not asked
    free.sort(key=lambda entry: entry.memory.id in before)
    few = free[:MOST_ARCHIVED]
    said = second(few) if second else dict.fromkeys((entry.memory.id for entry in few), "")
    done.analyst = second.run if second else None
    done.kept += sum(entry.memory.id not in said for entry in few)
    few = [entry for entry in few if entry.memory.id in said]
    for path in dict.fromkeys(entry.placed.path for entry in few):
        own = [entry for entry in few if entry.placed.path == path]
        reasons = [_why_faded(entry.memory, one.facts) + said[entry.memory.id] for entry in own]
        drafts = _archivals(one.gate, own, reasons, one.day)
        one.submit(done, next(drafts)[0], month, f"Archive what faded of {path}")


def _why_faded(memory: Memory, facts: Facts) -> str:
    idle = facts.now_hour - max(memory.created_hour, memory.used_hour)
    return f"It was of no use for {idle} active hours ({memory.tier.name} memories fade so fast)"


def _archivals(
    gate: Gate, faded: Sequence[Remembered], reasons: Sequence[str], day: date
) -> Iterator[tuple[Sequence[Draft], str]]:
    """Yield the drafts that archive entries of one file, the first first, as many as one proposal may remove of it."""
    placed = [entry.placed for entry in faded]
    drafts = [
        archival(one.path, one.entry, day, f"{reason}.", (evidence_of(one, Origin.UNKNOWN),), -float(at))
        for at, (one, reason) in enumerate(zip(placed, reasons, strict=True))
    ]
    if drafts:
        yield from in_portions(drafts, len(decode(read_gated(gate.home, placed[0].path))))


def _reinforce(one: _Pass, ledger: Ledger, done: Curated) -> None:
    """Reinforce the entries that each period found useful, and every principle."""
    standing = read_principles(one.gate.home, ledger, one.moment)
    principles = [principle.id for principle in standing.principles] if standing else []
    proofs = read_proofs(one.gate.home, ledger.book.names, one.facts.hours, done.periods)
    done.constitutional_reinforced = len(principles) * len(done.periods)
    for period in done.periods:
        utilities = {
            entry.memory.id: retention.measured_utility(entry.memory, period) for entry in one.signed
        }
        entries = retention.most_useful(proofs[period], utilities)
        done.reinforced += len(entries)
        if not one.dry_run:
            reinforce(one.gate.home, ReinforcementKind.CURATE, str(period), period, [*entries, *principles])


class _Second:
    """A model as the second opinion: of what faded only that is proposed of which it says that it may go, as in a check-up.

    Where it gives no usable answer, all that faded is, as without it.

    Attributes:
        run: What came of asking; None before.
    """

    def __init__(self, gate: Gate, analyst: "Analyst", day: date) -> None:
        self._gate = gate
        self._analyst = analyst
        self._day = day
        self.run: AnalystRun | None = None

    def __call__(self, faded: Sequence[Remembered]) -> dict[str, str]:
        """Give ids of entries that may go, and what the model says of each."""
        said: dict[str, str] = {}
        for path in dict.fromkeys(one.placed.path for one in faded):
            entries = {one.memory.id: one.placed.entry for one in faded if one.placed.path == path}
            said |= self._ask(path, entries)
        return said

    def _ask(self, path: str, entries: Mapping[str, Entry]) -> dict[str, str]:
        from nightledger.text.checkup.checkup import PAIRED
        from nightledger.think.checkup import choose

        document = parse_markdown(read_gated(self._gate.home, path).decode("utf-8", "surrogateescape"))
        free = {n for one in entries.values() for n in range(one.first_line, one.last_line + 1)}
        staying = set(range(1, len(document.lines) + 1)) - free
        chosen = choose(self._analyst, document, self._day, staying, self.run)
        self.run = chosen.run
        if self.run and self.run.problem:
            return dict.fromkeys(entries, "")
        reasons = {one.lines[0]: one.reason for one in chosen.doubts if PAIRED not in one.signs}
        told = {name: reasons.get(one.first_line) for name, one in entries.items()}
        return {name: f", and {reason}" for name, reason in told.items() if reason}


class Judged(Struct, frozen=True, kw_only=True):
    """What retention says of one entry.

    Attributes:
        remembered: The entry with all that is known of it.
        utility: How far it is worth its place, 0..1.
        status: Active, or pending decay.
    """

    remembered: Remembered
    utility: float
    status: retention.Status

    @property
    def id(self) -> str:
        """The entry's id."""
        return self.remembered.memory.id


class Survey(Struct, frozen=True, kw_only=True):
    """What retention says of the entries of a home.

    Attributes:
        judged: Each entry, in the order of files and lines.
        facts: What it rests on.
    """

    judged: tuple[Judged, ...]
    facts: Facts

    @property
    def pending(self) -> tuple[Judged, ...]:
        """Those that the policy would let go, the most faded first."""
        faded = [one for one in self.judged if one.status is retention.Status.PENDING_DECAY]
        return tuple(sorted(faded, key=lambda one: one.utility))

    @property
    def immune(self) -> int:
        """How many no policy lets go."""
        return sum(one.remembered.memory.immune for one in self.judged)

    @property
    def active(self) -> int:
        """How many are worth their place, those that are immune apart."""
        return len(self.judged) - len(self.pending) - self.immune


def survey(facts: Facts) -> Survey:
    """Judge the entries of a home by what is known of them."""
    return Survey(
        judged=tuple(
            Judged(
                remembered=one,
                utility=round(retention.measured_utility(one.memory, facts.now_hour), 4),
                status=retention.status_of(one.memory, facts.now_hour),
            )
            for one in facts.memories
        ),
        facts=facts,
    )


def why(judged: Judged, facts: Facts) -> str:
    """Say in one sentence what speaks for letting an entry go, or for keeping it."""
    memory = judged.remembered.memory
    age = max(0, facts.now_hour - memory.created_hour)
    known, of = "nothing is known to have come of it", memory.useful + memory.harmful
    if of:
        known = f"{memory.useful} of {of} tasks succeeded after it was shown, {memory.expected:.0%} of such tasks do without it"
    return f"{known}; {age} active hours old, {memory.tier.name}, utility {judged.utility:.2f}"


class Archived(Struct, frozen=True, kw_only=True):
    """What became of entries that the operator wants archived.

    Attributes:
        proposals: Made now, to be signed.
        suppressed: How many wait already.
        problems: Why others could not be proposed.
    """

    proposals: tuple[Proposal, ...]
    suppressed: int
    problems: tuple[str, ...]


def propose_archive(
    gate: Gate, ledger: Ledger, chosen: Sequence[Judged], facts: Facts, today: date, moment: Moment
) -> Archived:
    """Propose to archive entries, file by file, within the budget of what one proposal removes.

    The caller holds the home's lock.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        chosen: The entries.
        facts: What is known of them.
        today: The date in the home's zone.
        moment: The clocks.
    """
    outcomes: list[Outcome] = []
    for submission in _submissions(gate, chosen, facts, today):
        outcomes.append(propose(gate, ledger, submission, moment))
        ledger = read_ledger(gate)
    return Archived(
        proposals=tuple(outcome.proposal for outcome in outcomes if outcome.proposal),
        suppressed=sum(outcome.suppressed for outcome in outcomes),
        problems=tuple(_problems(outcomes)),
    )


def _submissions(gate: Gate, chosen: Sequence[Judged], facts: Facts, today: date) -> Iterator[Submission]:
    for path in gate.home.identity.gated:
        own = [one for one in chosen if one.remembered.placed.path == path]
        reasons = [f"Hygiene: {why(one, facts)}" for one in own]
        for portion, part in _archivals(gate, [one.remembered for one in own], reasons, today):
            yield Submission(
                kind=Kind.PRUNE,
                lane=OPERATOR,
                period=month_of(today),
                title=f"Archive what faded in {path}{part}",
                drafts=portion,
                asked=True,
            )


def _problems(outcomes: Sequence[Outcome]) -> Iterator[str]:
    for outcome in outcomes:
        yield from (f"{unfit.draft.target}:{unfit.draft.line}: {unfit.reason}" for unfit in outcome.unfit)
        yield from (f"{held.path}: scanners hold it back ({', '.join(held.rules)})" for held in outcome.held)


def show_mercy(gate: Gate, chosen: Sequence[Judged], facts: Facts, moment: Moment) -> bool:
    """Let entries count as made anew; the caller holds the home's lock.

    Returns:
        Whether it was recorded: the same answer of the same second is recorded once.
    """
    ids = sorted({one.id for one in chosen})
    period = f"{dump_moment(moment.at)} {content_id('m', canonical(ids))}"
    return reinforce(gate.home, ReinforcementKind.MERCY, period, facts.now_hour, ids)
