"""Weekly: look for what may be let go, and propose it: weak links, closed entries, old daily logs.

Reads   outcomes, the gated files, daily logs, the audit log and what it refers to
Writes  memory/state/proposals/, the audit log
Changes no memory: it proposes.

Invariant: the same home and the same day give the same proposals; one that waits is not made again.
"""

from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from hashlib import sha256

from nightledger.domain.consent import SELF_MODIFICATION, Tier
from nightledger.domain.errors import NightledgerError
from nightledger.domain.lanes import JOB, MOST_DELETIONS
from nightledger.domain.links import link_key
from nightledger.domain.moment import Moment
from nightledger.domain.proposal import Change, Kind, Op
from nightledger.domain.pruning import MOST_MONTHS, Kept, clock_problem
from nightledger.domain.states import REFUSED
from nightledger.files.configuration import home_zone
from nightledger.gate.forgetting.forgotten import read_forgotten
from nightledger.gate.forgetting.tombstones import tombstones
from nightledger.gate.gated import read_gated
from nightledger.gate.kept_files import read_target
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.proposing.proposing import Submission, propose, supersede
from nightledger.gate.stored import Stored, read_stored
from nightledger.jobs.prune.entries import entry_batches
from nightledger.jobs.prune.links import Looked, draft_of, look_at_links
from nightledger.jobs.prune.logs import Looker, places_of
from nightledger.jobs.prune.tally import Basis, Batch, Tally, Told, read_told

__all__ = ["ACTION", "EVERYTHING", "Asked", "Pruned", "Tally", "prune"]

ACTION = "prune_stale_memory"
"""As the consent graph calls it."""
EVERYTHING = (Op.DELETE_LINK, Op.ARCHIVE, Op.COMPRESS)
"""What is looked for, in this order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a run is asked to do.

    Attributes:
        today: The date in the home's zone by which ages are told.
        ops: What to look for.
        dry_run: Say what would be proposed and write nothing.
        again: Also ask about daily logs whose compression was rejected or taken back.
    """

    today: date
    ops: Collection[Op] = EVERYTHING
    dry_run: bool = False
    again: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    """What a run did.

    Attributes:
        today: By which day ages were told.
        tallies: What became of each kind that was asked for.
        reason: Why nothing at all was looked for; empty where it was.
    """

    today: date
    tallies: tuple[Tally, ...] = ()
    reason: str = ""


def prune(gate: Gate, ledger: Ledger, asked: Asked, moment: Moment) -> Pruned:
    """Propose what may be let go; the caller holds the home's lock.

    Raises:
        UnreadableError: A gated file or the outcomes cannot be read.
    """
    if gate.consent.tier(SELF_MODIFICATION, ACTION) is Tier.BLOCKED:
        return Pruned(today=asked.today, reason=f"the consent graph blocks {ACTION}")
    run = _Run(gate, ledger, asked, moment)
    if problem := clock_problem(moment.at, run.newest()):
        return Pruned(today=asked.today, reason=f"{problem}: by such a clock nothing is old")
    parts: dict[Op, Callable[[], Tally]] = {
        Op.DELETE_LINK: run.prune_links,
        Op.ARCHIVE: run.prune_entries,
        Op.COMPRESS: run.prune_logs,
    }
    return Pruned(today=asked.today, tallies=tuple(parts[op]() for op in EVERYTHING if op in asked.ops))


class _Run:
    """One run over one home."""

    def __init__(self, gate: Gate, ledger: Ledger, asked: Asked, moment: Moment) -> None:
        self._gate = gate
        self._ledger = ledger
        self._asked = asked
        self._moment = moment
        self._zone = home_zone(gate.home, gate.settings)
        self._stored = read_stored(gate, ledger.book)
        self._room = MOST_DELETIONS - len(self._open(Op.DELETE_LINK))
        self._links, self._told = self._look()

    def newest(self) -> datetime | None:
        """Give when the newest entry of the audit log was made; the time in an outcome is its writer's word."""
        newest = self._ledger.log.newest
        return newest.at if newest else None

    def prune_links(self) -> Tally:
        """Propose to delete weak links, one by one."""
        tally = Tally(op=Op.DELETE_LINK, looked=self._links.links)
        tally.old = len(self._links.weak) + self._links.bridges
        for _ in range(self._links.bridges):
            tally.leave("", Kept.BRIDGE)
        weak = {link_key(*link.pair) for link in self._links.weak}
        standing = weak | self._links.faint
        open_now = self._close(tally, lambda change: change.hunk.removed not in standing)
        tally.waiting = sum(change.hunk.removed in weak for _, change in open_now)
        fresh = [link for link in self._links.weak if link.pair in self._links.sources]
        period = self._asked.today.isoformat()
        batches = (
            Batch(
                period=period,
                title=f"Forget the link {link_key(*link.pair)}",
                drafts=(draft_of(link, self._asked.today, self._told, self._links.sources[link.pair]),),
            )
            for link in fresh
        )
        self._submit(batches, tally, self._room + tally.closed)
        tally.suppressed = self._links.answered - tally.waiting
        tally.no_room = len(self._links.weak) - self._links.answered - tally.proposed
        return tally

    def prune_entries(self) -> Tally:
        """Propose to archive closed entries, a proposal a month."""
        tally = Tally(op=Op.ARCHIVE)
        home = self._gate.home
        texts = {
            path: read_gated(home, path).decode("utf-8", "surrogateescape") for path in home.identity.gated
        }
        open_now = self._close(tally, lambda change: change.hunk.removed not in texts.get(change.target, ""))
        tally.waiting = len(open_now)
        basis = Basis(
            gate=self._gate,
            ledger=self._ledger,
            stored=self._stored,
            told=self._told,
            today=self._asked.today,
            zone=self._zone,
        )
        self._submit(entry_batches(basis, tally), tally, _room(open_now))
        return tally

    def prune_logs(self) -> Tally:
        """Propose to compress old daily logs, a proposal a month."""
        tally = Tally(op=Op.COMPRESS)
        open_now = self._close(tally, self._has_changed)
        busy = {item.proposal.period for item, _ in open_now}
        looker = Looker(
            home=self._gate.home,
            book=self._ledger.book,
            places=places_of(self._told),
            today=self._asked.today,
            refused=frozenset() if self._asked.again else self._refused_logs(),
            expunged=read_forgotten(self._gate, (), self._ledger.book).expunged,
            tally=tally,
        )
        self._submit(looker.months(busy), tally, _room(open_now))
        return tally

    def _refused_logs(self) -> frozenset[str]:
        """Give the logs whose compression the operator rejected or took back, whatever was written to them since."""
        return frozenset(
            {
                change.target
                for item in self._stored
                for change in item.proposal.changes
                if change.op is Op.COMPRESS
                and self._ledger.book.proposals[item.proposal.id].state_of(change.n) in REFUSED
            }
        )

    # ------------------------------------------------------------ what waits

    def _open(self, op: Op) -> list[tuple[Stored, Change]]:
        """Give the changes of this kind, made by the pruner, that wait for an answer."""
        return [
            (item, change)
            for item in self._stored
            if item.proposal.kind is Kind.PRUNE and item.proposal.lane == JOB
            for change in item.proposal.changes
            if change.op is op and change.n in self._ledger.book.proposals[item.proposal.id].open_changes()
        ]

    def _close(self, tally: Tally, is_over: Callable[[Change], bool]) -> list[tuple[Stored, Change]]:
        """Close what waits and holds no longer; give what still waits."""
        found = self._open(tally.op)
        over = [(item, change) for item, change in found if is_over(change)]
        tally.closed = len(over)
        if not self._asked.dry_run:
            supersede(self._gate, [(item.proposal.id, change.n) for item, change in over], self._moment)
        return [one for one in found if one not in over]

    def _has_changed(self, change: Change) -> bool:
        with suppress(NightledgerError):
            return sha256(read_target(self._gate.home, change.target)).hexdigest() != change.hunk.removed
        return True

    # ------------------------------------------------------------ looking and proposing

    def _look(self) -> tuple[Looked, Told]:
        home = self._gate.home
        said = {change.key for item in self._stored for change in item.proposal.changes}
        forgotten = tombstones(self._gate, self._ledger)
        links = look_at_links(home, self._zone, forgotten, self._asked.today, said, MOST_DELETIONS)
        asked = {name for sources in links.sources.values() for name in sources}
        return links, read_told(home, links.sure, asked)

    def _submit(self, batches: Iterable[Batch], tally: Tally, most: int) -> None:
        """Put batches before the operator, so many at most; the rest competes again."""
        waiting = {change.key for _, change in self._open(tally.op)}
        for batch in batches:
            drafts = [draft for draft in batch.drafts if draft.statement_key not in waiting]
            if len(tally.proposals) >= most:
                tally.no_room += len(drafts)
                return
            submission = Submission(
                kind=Kind.PRUNE,
                lane=JOB,
                period=batch.period,
                title=batch.title,
                drafts=drafts,
                asked=self._asked.again and tally.op is Op.COMPRESS,
            )
            outcome = propose(self._gate, self._ledger, submission, self._moment, dry_run=self._asked.dry_run)
            tally.proposals += [outcome.proposal] if outcome.proposal else []
            tally.suppressed += outcome.suppressed
            tally.no_room += outcome.no_room
            tally.unfit += [f"{one.draft.target}: {one.reason}" for one in outcome.unfit]
            tally.unfit += [
                f"{one.path}: scanners hold it back ({', '.join(one.rules)})" for one in outcome.held
            ]


def _room(waiting: Iterable[tuple[Stored, Change]]) -> int:
    """Give how many more proposals of a kind may wait for an answer."""
    return MOST_MONTHS - len({item.proposal.id for item, _ in waiting})
