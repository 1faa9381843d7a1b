"""What curation proposes to let go: links that nothing speaks for, entries that faded.

Invariant: everything is a proposal in the pruner's lane. Links are asked about one by one; faded
entries once a month, all in one proposal that stays within the budget of what it removes.
"""

from collections.abc import Sequence
from datetime import date

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.lanes import JOB, MOST_DELETIONS
from nightledger.domain.moment import Moment
from nightledger.domain.proposal import Draft, Kind, Op, Origin
from nightledger.domain.pruning import (
    blocked_words,
    find_weak,
    in_portions,
    month_of,
    names_blocked,
)
from nightledger.domain.retention import MOST_ARCHIVED, fades
from nightledger.files.configuration import home_zone
from nightledger.files.link_index import folded_links
from nightledger.gate.forgetting.letting_go import Grounds, archival, link_use, unseen_link_deletion
from nightledger.gate.forgetting.tombstones import tombstones
from nightledger.gate.gated import read_gated
from nightledger.gate.memory.naming import evidence_of
from nightledger.gate.memory.remembering import Facts, Remembered, read_network
from nightledger.gate.opening import Gate, Ledger, read_ledger
from nightledger.gate.proposing.proposing import Submission, propose
from nightledger.gate.stored import Stored
from nightledger.text.markdown.document import decode
from nightledger.text.similar import fold

UNTOLD = "no outcome names what was shown before it, so nothing can have proved useful"
ASKED = "faded entries are asked about once a month"


class LetGo(Struct, frozen=True, kw_only=True):
    """What was found, and what was proposed of it.

    Attributes:
        found: How many there are.
        kept: How many of them stay: links that hold others together, entries that speak of what
            the consent graph blocks.
        proposals: Ids of the proposals made.
        reason: Why nothing was proposed; empty where something was, or there was nothing.
    """

    found: int = 0
    kept: int = 0
    proposals: tuple[str, ...] = ()
    reason: str = ""


class Known(Struct, frozen=True, kw_only=True):
    """What a pass knows of a home's entries.

    Attributes:
        facts: Of every entry.
        signed: Those that stand as they were signed.
        stored: All proposals.
    """

    facts: Facts
    signed: Sequence[Remembered]
    stored: Sequence[Stored]


def propose_weak(
    gate: Gate, ledger: Ledger, known: Known, moment: Moment, day: date, *, dry_run: bool
) -> LetGo:
    """Propose to delete links whose confidence is under a tenth; the caller holds the home's lock.

    However often one occurred: the pruner asks about what occurred once, this about what is believed no
    more. Both judge by `find_weak`, so nothing is asked twice, and neither closes what the other asked.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        known: What is known of it.
        moment: The clocks.
        day: The date in the home's zone.
        dry_run: Count, and propose nothing.
    """
    zone = home_zone(gate.home, gate.settings)
    with folded_links(gate.home, zone, tombstones(gate, ledger)) as index:
        weak = find_weak(map(link_use, index.every()), day)
    faint = [link for link in weak.removable if link.faint]
    drafts = [unseen_link_deletion(link, day, why="its confidence is under a tenth; ") for link in faint]
    kept = sum(link.faint for link in weak.bridges)
    said = {change.key for item in known.stored for change in item.proposal.changes}
    made: list[str] = []
    for draft in [draft for draft in drafts if draft.statement_key not in said][:MOST_DELETIONS]:
        name = draft.before.partition(": ")[0]
        made += _submit(gate, [draft], day.isoformat(), f"Forget the link {name}", moment, dry_run=dry_run)
    return LetGo(found=len(drafts) + kept, kept=kept, proposals=tuple(made))


def propose_faded(gate: Gate, known: Known, moment: Moment, day: date, *, dry_run: bool) -> LetGo:
    """Propose to archive entries that faded, the most faded first; the caller holds the home's lock.

    Args:
        gate: The home.
        known: What is known of its entries.
        moment: The clocks.
        day: The date in the home's zone.
        dry_run: Count, and propose nothing.
    """
    signed, facts = known.signed, known.facts
    network = read_network(gate.home)
    degrees = [network.degree(fold(one.placed.entry.text).split()) for one in signed]
    words = blocked_words(gate.consent)
    faded = [signed[at] for at in fades([one.memory for one in signed], degrees, facts.now_hour)]
    free = [one for one in faded if not names_blocked(one.placed.entry.text, words)]
    found = LetGo(found=len(faded), kept=len(faded) - len(free))
    if not free:
        return found
    changes = [(item.proposal, change) for item in known.stored for change in item.proposal.changes]
    asked = [(proposal, change) for proposal, change in changes if change.op is Op.ARCHIVE]
    if any((p.kind, p.lane, p.period) == (Kind.PRUNE, JOB, month_of(day)) for p, _ in asked):
        return replace(found, reason=ASKED)  # one a month is what a person reads
    if not facts.named:
        return replace(found, reason=UNTOLD)
    before = {change.entry for _, change in asked}
    free.sort(key=lambda one: one.memory.id in before)  # what was refused stands behind what was not asked
    made: list[str] = []
    few = free[:MOST_ARCHIVED]
    for path in dict.fromkeys(one.placed.path for one in few):
        drafts = _archivals(gate, [one for one in few if one.placed.path == path], facts, day)
        made += _submit(gate, drafts, month_of(day), f"Archive what faded of {path}", moment, dry_run=dry_run)
    return replace(found, proposals=tuple(made))


def _archivals(gate: Gate, faded: Sequence[Remembered], facts: Facts, day: date) -> list[Draft]:
    """Return the drafts of one file, as many as one proposal may remove of it."""
    path = faded[0].placed.path
    size = len(decode(read_gated(gate.home, path)))
    drafts = []
    for at, one in enumerate(faded):
        entry, memory = one.placed.entry, one.memory
        idle = facts.now_hour - max(memory.created_hour, memory.used_hour)
        grounds = Grounds(
            reason=f"It was of no use for {idle} active hours ({memory.tier.name} memories fade so fast).",
            evidence=(evidence_of(one.placed, Origin.UNKNOWN),),
            rank=-float(at),
        )
        drafts.append(archival(path, entry, day, grounds))
    return list(next(in_portions(drafts, size))[0])


def _submit(
    gate: Gate, drafts: Sequence[Draft], period: str, title: str, moment: Moment, *, dry_run: bool
) -> list[str]:
    submission = Submission(kind=Kind.PRUNE, lane=JOB, period=period, title=title, drafts=drafts)
    outcome = propose(gate, read_ledger(gate), submission, moment, dry_run=dry_run)
    return [outcome.proposal.id] if outcome.proposal else []
