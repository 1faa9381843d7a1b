"""Reinforce what proved useful after each forty active hours, and propose to let go of what faded, unasked or asked.

Reads   memory/system/ (outcomes, exposures, reinforcements), the gated files, audit/
Writes  memory/system/reinforcements.jsonl, proposals, the audit log
Changes no memory: it proposes.

Each period of active hours is reinforced once, however often a pass runs, and by what had
happened until its end. The constitution is reinforced with each, whether it was recalled or not.
``hygiene`` judges every entry and does what the operator says of those that faded: no entry is proposed
that is pinned or permanent, and what the operator does not answer stays as it is.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING

from msgspec import Struct

from nightledger.codec.canonical import canonical
from nightledger.domain import pruning, retention
from nightledger.domain.consolidation import AnalystRun
from nightledger.domain.decision import Moment
from nightledger.domain.judge import JOB, MOST_DELETIONS, OPERATOR
from nightledger.domain.periods import log_day
from nightledger.domain.proposal import Draft, Kind, Op, Origin
from nightledger.domain.pruning import in_portions, month_of
from nightledger.domain.words import content_id, dump_moment
from nightledger.files.configuration import home_zone
from nightledger.files.link_index import folded_links
from nightledger.gate import remembering
from nightledger.gate.forgotten import link_rules
from nightledger.gate.gated import read_gated
from nightledger.gate.naming import evidence_of, signed_entries
from nightledger.gate.opening import Gate, Ledger, read_ledger
from nightledger.gate.proposing import Outcome, Submission, propose
from nightledger.gate.recalling import read_principles
from nightledger.gate.removals import Grounds, archival, unseen_link_deletion
from nightledger.gate.stored import Stored, read_stored
from nightledger.text.markdown.document import parse_markdown
from nightledger.text.markdown.entries import Entry
from nightledger.text.similar import fold
from nightledger.trust.event import collector_at_rest

if TYPE_CHECKING:  # most homes ask no model
    from nightledger.think.analyst import Analyst

UNTOLD = "no outcome names what was shown before it, so nothing can have proved useful"
ASKED = "faded entries are asked about once a month"


class Curated(Struct, frozen=True, kw_only=True):
    """What one pass did.

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
        return {
            "periods": len(self.periods),
            "reinforced": self.reinforced,
            "constitutional_reinforced": self.constitutional_reinforced,
            "weak_links": self.weak_links,
            "faded": self.faded,
            "kept": self.kept,
            "proposals": len(self.proposals),
            **({"model_tokens": self.analyst.tokens} if self.analyst else {}),
        }


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
    facts = remembering.read_facts(gate, ledger, moment, stored=stored)
    last = _last_period(gate)
    periods = retention.periods_due(facts.now_hour, last)
    if not periods:
        hours = facts.now_hour - (last or 0)
        return Curated(reason=f"{max(0, hours)} of {retention.PERIOD_HOURS} active hours since the last pass")
    one = _Pass(gate, ledger, facts, stored, moment, dry_run=dry_run)
    weak, asked = one.propose_weak()
    second = _Second(gate, analyst, one.day) if analyst else None
    faded, kept, made, reason = one.propose_faded(second)
    chosen = one.most_useful(periods)
    standing = read_principles(gate.home, ledger, moment)
    principles = [one.id for one in standing.principles] if standing else []
    for period, entries in chosen.items() if not dry_run else ():
        ids = [*entries, *principles]
        remembering.reinforce(gate.home, retention.ReinforcementKind.CURATE, str(period), period, ids)
    return Curated(
        periods=periods,
        reinforced=sum(map(len, chosen.values())),
        constitutional_reinforced=len(principles) * len(periods),
        weak_links=weak,
        faded=faded,
        kept=kept,
        proposals=(*asked, *made),
        reason=reason,
        analyst=second.run if second else None,
    )


class _Pass:
    """One pass over the entries that stand as they were signed."""

    def __init__(
        self,
        gate: Gate,
        ledger: Ledger,
        facts: remembering.Facts,
        stored: Sequence[Stored],
        moment: Moment,
        *,
        dry_run: bool,
    ) -> None:
        self._gate, self._ledger, self._facts, self._moment = gate, ledger, facts, moment
        self._dry_run = dry_run
        self._changes = [(item.proposal, change) for item in stored for change in item.proposal.changes]
        accepted = signed_entries(gate.home, ledger.book)
        self._signed = [one for one in facts.memories if one.placed in accepted]
        self._zone = home_zone(gate.home, gate.settings)
        self.day = log_day(moment.at, self._zone)

    def _propose(self, drafts: Sequence[Draft], period: str, title: str) -> list[str]:
        submission = Submission(kind=Kind.PRUNE, lane=JOB, period=period, title=title, drafts=drafts)
        ledger = read_ledger(self._gate)
        outcome = propose(self._gate, ledger, submission, self._moment, dry_run=self._dry_run)
        return [outcome.proposal.id] if outcome.proposal else []

    def propose_weak(self) -> tuple[int, list[str]]:
        """Propose to delete links whose confidence is under a tenth; return how many there are, and the proposals.

        However often one occurred: the pruner asks about what occurred once, this about what is believed no
        more; neither closes what the other asked.
        """
        rules = link_rules(self._gate, self._ledger, self._zone)
        with folded_links(self._gate.home, rules) as index:
            faint = [
                one.link for one in index.every() if pruning.is_faint(one.link, one.confidence, self.day)
            ]
        why = "its confidence is under a tenth; "
        drafts = [unseen_link_deletion(link, self.day, why=why) for link in sorted(faint, key=pruning.by_age)]
        said = {change.key for _, change in self._changes}
        made: list[str] = []
        for draft in [draft for draft in drafts if draft.statement_key not in said][:MOST_DELETIONS]:
            title = f"Forget the link {draft.before.partition(': ')[0]}"
            made += self._propose([draft], self.day.isoformat(), title)
        return len(drafts), made

    def propose_faded(self, second: "_Second | None") -> tuple[int, int, list[str], str]:
        """Propose to archive entries that faded, the most faded first.

        Return how many faded, how many of these stay, the proposals, and why there is none.
        """
        signed, month = self._signed, pruning.month_of(self.day)
        network, words = remembering.read_network(self._gate.home), pruning.blocked_words(self._gate.consent)
        degrees = [network.degree(fold(one.placed.entry.text).split()) for one in signed]
        places = retention.fades([one.memory for one in signed], degrees, self._facts.now_hour)
        faded = [signed[at] for at in places]
        free = [one for one in faded if not pruning.names_blocked(one.placed.entry.text, words)]
        asked = [(proposal, change) for proposal, change in self._changes if change.op is Op.ARCHIVE]
        this_month = (Kind.PRUNE, JOB, month)
        reason = "" if self._facts.named else UNTOLD
        if any((p.kind, p.lane, p.period) == this_month for p, _ in asked):
            reason = ASKED  # one a month is what a person reads
        if reason or not free:
            return len(faded), len(faded) - len(free), [], reason if free else ""
        before = {change.entry for _, change in asked}
        # what was refused stands behind what was not asked
        free.sort(key=lambda one: one.memory.id in before)
        few = free[: retention.MOST_ARCHIVED]
        said = second(few) if second else dict.fromkeys((one.memory.id for one in few), "")
        going = [one for one in few if one.memory.id in said]
        made: list[str] = []
        for path in dict.fromkeys(one.placed.path for one in going):
            drafts = [
                self._archival(one, said[one.memory.id], -float(at))
                for at, one in enumerate(one for one in going if one.placed.path == path)
            ]
            size = len(read_gated(self._gate.home, path).decode("utf-8", "surrogateescape"))
            portion, _ = next(in_portions(drafts, size))
            made += self._propose(portion, month, f"Archive what faded of {path}")
        return len(faded), len(faded) - len(free) + len(few) - len(going), made, ""

    def _archival(self, one: remembering.Remembered, said: str, rank: float) -> Draft:
        memory = one.memory
        idle = self._facts.now_hour - max(memory.created_hour, memory.used_hour)
        reason = f"It was of no use for {idle} active hours ({memory.tier.name} memories fade so fast){said}."
        evidence = (evidence_of(one.placed, Origin.UNKNOWN),)
        grounds = Grounds(reason=reason, evidence=evidence, rank=rank)
        return archival(one.placed.path, one.placed.entry, self.day, grounds)

    def most_useful(self, periods: Sequence[int]) -> dict[int, tuple[str, ...]]:
        """Return the entries that each period reinforces."""
        memories = [one.memory for one in self._signed]
        proofs = remembering.read_proofs(self._gate.home, self._ledger.book.names, self._facts.hours, periods)
        return {
            period: retention.most_useful(
                proofs[period], {memory.id: retention.measured_utility(memory, period) for memory in memories}
            )
            for period in periods
        }


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

    def __call__(self, faded: Sequence[remembering.Remembered]) -> dict[str, str]:
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


def _last_period(gate: Gate) -> int | None:
    lines = (
        line
        for line in remembering.read_reinforcements(gate.home)
        if line.kind is retention.ReinforcementKind.CURATE
    )
    return max((line.active_hours for line in lines), default=None)


class Judged(Struct, frozen=True, kw_only=True):
    """What retention says of one entry.

    Attributes:
        remembered: The entry with all that is known of it.
        utility: How far it is worth its place, 0..1.
        faded: Whether the policy would let it go.
    """

    remembered: remembering.Remembered
    utility: float
    faded: bool


def survey(facts: remembering.Facts) -> list[Judged]:
    """Judge the entries of a home by what is known of them, in the order of files and lines."""
    return [
        Judged(
            remembered=one,
            utility=round(retention.measured_utility(one.memory, facts.now_hour), 4),
            faded=retention.has_faded(one.memory, facts.now_hour),
        )
        for one in facts.memories
    ]


def pending(judged: Sequence[Judged]) -> list[Judged]:
    """Return the entries that the policy would let go, the most faded first."""
    return sorted((one for one in judged if one.faded), key=lambda one: one.utility)


def why(judged: Judged, facts: remembering.Facts) -> str:
    """Say in one sentence what speaks for letting an entry go, or for keeping it."""
    memory = judged.remembered.memory
    age = max(0, facts.now_hour - memory.created_hour)
    known, of = "nothing is known to have come of it", memory.useful + memory.harmful
    if of:
        known = f"{memory.useful} of {of} tasks succeeded after it was shown, {memory.expected:.0%} of such tasks do without it"
    return f"{known}; {age} active hours old, {memory.tier.name}, utility {judged.utility:.2f}"


def propose_archive(
    gate: Gate, ledger: Ledger, chosen: Sequence[Judged], facts: remembering.Facts, moment: Moment
) -> list[Outcome]:
    """Propose to archive entries, file by file, within the budget of what one proposal removes.

    The caller holds the home's lock.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        chosen: The entries.
        facts: What is known of them.
        moment: The clocks.
    """
    today, outcomes = log_day(moment.at, home_zone(gate.home, gate.settings)), list[Outcome]()
    for path in gate.home.identity.gated:
        drafts = [
            archival(
                path,
                one.remembered.placed.entry,
                today,
                Grounds(reason=f"Hygiene: {why(one, facts)}.", rank=1 - one.utility),
            )
            for one in chosen
            if one.remembered.placed.path == path
        ]
        total = len(read_gated(gate.home, path).decode("utf-8", "surrogateescape"))
        for portion, part in in_portions(drafts, total):
            submission = Submission(
                kind=Kind.PRUNE,
                lane=OPERATOR,
                period=month_of(today),
                title=f"Archive what faded in {path}{part}",
                drafts=portion,
                asked=True,
            )
            outcomes.append(propose(gate, ledger, submission, moment))
            ledger = read_ledger(gate)
    return outcomes


def show_mercy(gate: Gate, chosen: Sequence[Judged], facts: remembering.Facts, moment: Moment) -> bool:
    """Let entries count as made anew; the caller holds the home's lock.

    Returns:
        Whether it was recorded: the same answer of the same second is recorded once.
    """
    ids = sorted({one.remembered.memory.id for one in chosen})
    period = f"{dump_moment(moment.at)} {content_id('m', canonical(ids))}"
    return remembering.reinforce(gate.home, retention.ReinforcementKind.MERCY, period, facts.now_hour, ids)
