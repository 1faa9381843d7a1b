"""Weekly: look for what may be let go, and propose it: weak links, closed entries, old daily logs and extracts of transcripts.

Reads   outcomes, the gated files, daily logs, the audit log and what it refers to
Writes  memory/state/proposals/, the audit log
Changes no memory: it proposes.

Invariant: the same home and the same day give the same proposals; one that waits is not made again. Whatever was old
enough is counted once: proposed, waiting, left alone with its reason, or for another run. Pins and tags come from signed
decisions, and an entry is judged under the id that it keeps. One month of logs is in memory at a time; a name that is a
link, has a second name or cannot be read is named and left alone.
"""

import hashlib
import os
import posixpath
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import date
from itertools import groupby

from msgspec import Struct, field

from nightledger.codec.rows import read_outcome_rows
from nightledger.domain import pruning
from nightledger.domain.consent import SELF_MODIFICATION, Tier
from nightledger.domain.decision import Moment
from nightledger.domain.errors import NightledgerError
from nightledger.domain.judge import JOB, MOST_DELETIONS
from nightledger.domain.outcome import Link
from nightledger.domain.periods import log_day
from nightledger.domain.proposal import Change, Draft, Evidence, Kind, Op, Origin, Proposal
from nightledger.domain.states import OPEN_STATES, REFUSED, ChangeState
from nightledger.domain.transcript import EXTRACTS
from nightledger.domain.words import count_of
from nightledger.files.configuration import home_zone
from nightledger.files.home import Home
from nightledger.files.line_log import LineLog
from nightledger.files.link_index import folded_links
from nightledger.gate import removals
from nightledger.gate.forgotten import link_rules, read_forgotten
from nightledger.gate.gated import read_gated, read_target
from nightledger.gate.naming import NO_MARK, find_standing, read_marks
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.proposing import Submission, propose, supersede
from nightledger.gate.stored import Stored, read_stored
from nightledger.hosts.daylogs import LogFile, find_daylogs, preset, read_daylogs
from nightledger.text.forgetting import Status, count_lines, find_statuses, summarise_daily
from nightledger.text.markdown.document import encode
from nightledger.text.markdown.entries import Entry
from nightledger.text.scanners.scan import told_values, veil
from nightledger.text.similar import fold
from nightledger.text.statements.daylog import read_daylog

ACTION = "prune_stale_memory"
"""As the consent graph calls it."""


class Left(Struct, frozen=True, kw_only=True):
    """Something that is old enough and stays as it is.

    Attributes:
        what: A link, a place in a gated file or a log.
        kept: Why.
        detail: One sentence where there is more to say.
    """

    what: str
    kept: pruning.Kept
    detail: str = ""


class Tally(Struct, kw_only=True):
    """Counts of one run for one kind; added up while it goes.

    Attributes:
        op: What is proposed for this kind.
        looked: How many there are.
        old: How many are old enough.
        waiting: How many of these wait for an answer already.
        proposals: What was proposed, or would be.
        suppressed: How many were answered before.
        no_room: How many wait for another run.
        months_left: Months with candidates that this run did not come to.
        closed: How many proposed changes were closed because they hold no longer.
        left: What stays, and why.
        unfit: Why candidates could not be proposed.
    """

    op: Op
    looked: int = 0
    old: int = 0
    waiting: int = 0
    proposals: list[Proposal] = field(default_factory=list)
    suppressed: int = 0
    no_room: int = 0
    months_left: int = 0
    closed: int = 0
    left: list[Left] = field(default_factory=list)
    unfit: list[str] = field(default_factory=list)

    @property
    def proposed(self) -> int:
        """How many changes were proposed."""
        return sum(len(proposal.changes) for proposal in self.proposals)

    @property
    def kept(self) -> dict[str, int]:
        """How many stay, by reason."""
        found = Counter(item.kept for item in self.left)
        return {kept.value: found[kept] for kept in pruning.Kept if found[kept]}


class Pruned(Struct, frozen=True, kw_only=True):
    """What a run did.

    Attributes:
        today: By which day ages were told.
        tallies: What became of each kind.
        reason: Why nothing at all was looked for; empty where it was.
    """

    today: date
    tallies: tuple[Tally, ...] = ()
    reason: str = ""


def prune(gate: Gate, ledger: Ledger, today: date, moment: Moment, *, dry_run: bool = False) -> Pruned:
    """Propose what may be let go; the caller holds the home's lock.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        today: The date in the home's zone by which ages are told.
        moment: The clocks.
        dry_run: Say what would be proposed and write nothing.

    Raises:
        UnreadableError: A gated file or the outcomes cannot be read.
    """
    if gate.consent.tier(SELF_MODIFICATION, ACTION) is Tier.BLOCKED:
        return Pruned(today=today, reason=f"the consent graph blocks {ACTION}")
    run = _Run(gate, ledger, today, moment, dry_run=dry_run)
    sure, faint, weak, looked = set[str](), set[str](), list[Link](), 0
    rules = link_rules(gate, ledger, home_zone(gate.home, gate.settings))
    with folded_links(gate.home, rules) as index:
        for one in index.every():  # there may be a million: few are kept
            looked += 1
            weak += [one.link] if pruning.is_weak(one.link, today) else []
            faint.update([one.link.key] if pruning.is_faint(one.link, one.confidence, today) else ())
            sure.update(one.link.best.sources if one.confidence >= pruning.REFERENCED_FROM else ())
    places = _places(gate.home, sure)
    return Pruned(today=today, tallies=(run.links(looked, weak, faint), run.entries(), run.logs(places)))


class _Run:
    """One run over one home."""

    def __init__(self, gate: Gate, ledger: Ledger, today: date, moment: Moment, *, dry_run: bool) -> None:
        self._gate, self._ledger, self._today, self._moment = gate, ledger, today, moment
        self._dry_run = dry_run
        self._stored = read_stored(gate, ledger.book)
        self._expunged = read_forgotten(gate, (), ledger.book).expunged

    def _states(self, op: Op, states: Collection[ChangeState]) -> list[tuple[Stored, Change]]:
        """Return the changes of a kind that stand so, whoever made them."""
        proposals = self._ledger.book.proposals
        return [
            (item, change)
            for item in self._stored
            for change in item.proposal.changes
            if change.op is op and proposals[item.proposal.id].state_of(change.n) in states
        ]

    def _waiting(self, tally: Tally) -> list[tuple[Stored, Change]]:
        """Return the changes of a kind, made by the pruner, that wait for an answer."""
        found = self._states(tally.op, OPEN_STATES)
        return [one for one in found if (one[0].proposal.kind, one[0].proposal.lane) == (Kind.PRUNE, JOB)]

    def _close(self, tally: Tally, is_over: Callable[[Change], bool]) -> list[tuple[Stored, Change]]:
        """Close what waits and holds no longer; return what still waits."""
        found = self._waiting(tally)
        over = [(item, change) for item, change in found if is_over(change)]
        tally.closed = len(over)
        if not self._dry_run:
            supersede(self._gate, [(item.proposal.id, change.n) for item, change in over], self._moment)
        return [one for one in found if one not in over]

    def _submit(self, found: Iterable[tuple[str, str, Sequence[Draft]]], tally: Tally, most: int) -> None:
        """Put proposals, each by period, title and drafts, before the operator, so many at most; the rest competes again."""
        waiting = {change.key for _, change in self._waiting(tally)}
        for period, title, every in found:
            drafts = [draft for draft in every if draft.statement_key not in waiting]
            if len(tally.proposals) >= most:
                tally.no_room += len(drafts)
                return
            asked = Submission(kind=Kind.PRUNE, lane=JOB, period=period, title=title, drafts=drafts)
            outcome = propose(self._gate, self._ledger, asked, self._moment, dry_run=self._dry_run)
            tally.proposals += [outcome.proposal] if outcome.proposal else []
            tally.suppressed += outcome.suppressed
            tally.no_room += outcome.no_room
            tally.unfit += outcome.problems

    def links(self, looked: int, old: Sequence[Link], faint: Collection[str]) -> Tally:
        """Propose to delete weak links, one by one, the longest unseen first.

        Args:
            looked: How many there are.
            old: Those that are weak.
            faint: Names of those that are hardly believed, about which curation asks.
        """
        today = self._today
        weak = {one.key: one for one in sorted(old, key=pruning.by_age)}
        tally = Tally(op=Op.DELETE_LINK, looked=looked, old=len(weak))
        open_now = self._close(tally, lambda change: change.hunk.removed not in {*weak, *faint})
        tally.waiting = sum(change.hunk.removed in weak for _, change in open_now)
        said = {change.key for item in self._stored for change in item.proposal.changes}
        drafts = ((name, removals.unseen_link_deletion(one, today)) for name, one in weak.items())
        fresh = [(name, draft) for name, draft in drafts if draft.statement_key not in said]
        asked = ((today.isoformat(), f"Forget the link {name}", [draft]) for name, draft in fresh)
        self._submit(asked, tally, MOST_DELETIONS - len(open_now))
        tally.suppressed = len(weak) - len(fresh) - tally.waiting
        tally.no_room = len(fresh) - tally.proposed
        return tally

    def entries(self) -> Tally:
        """Propose to archive closed entries: a proposal for each month in which some were closed, the oldest first."""
        tally, home = Tally(op=Op.ARCHIVE), self._gate.home
        texts = {
            path: read_gated(home, path).decode("utf-8", "surrogateescape") for path in home.identity.gated
        }
        open_now = self._close(tally, lambda change: change.hunk.removed not in texts.get(change.target, ""))
        tally.waiting = len(open_now)
        standing = find_standing(home, self._ledger.book).entries.values()
        found = list[tuple[str, str, Sequence[Draft]]]()
        for path, text in texts.items():
            entries = [placed.entry for placed in standing if placed.path == path]
            tally.looked += len(entries)
            told, months = told_values(text), defaultdict[str, list[Draft]](list)
            for entry, status, since in self._closed(path, entries, tally):
                lines = (entry.first_line, entry.last_line)
                reason = f"{status.closure.value} since {since}, {(self._today - since).days} days ago"
                cited = _cite(path, text, lines, Origin.UNKNOWN, told)
                grounds = removals.Grounds(reason=reason, evidence=(cited,))
                months[pruning.month_of(since)].append(removals.archival(path, entry, self._today, grounds))
            for month, drafts in months.items():
                for members, part in pruning.in_portions(drafts, len(text)):
                    count = count_of(len(members), "entry", "entries")
                    found.append((month, f"Archive {count} of {path}, closed in {month}{part}", members))
        self._submit(sorted(found, key=lambda one: one[0]), tally, _room(open_now))
        return tally

    def _closed(
        self, path: str, entries: Sequence[Entry], tally: Tally
    ) -> Iterator[tuple[Entry, Status, date]]:
        """Give the entries of one file that may go, each with since when it is closed; count and name those that stay."""
        marks, blocked = read_marks(self._gate, self._ledger), pruning.blocked_words(self._gate.consent)
        wordings, days = Counter(fold(entry.text) for entry in entries), self._signed_days()
        signed = {entry.id: day for entry in entries if (day := days.get(fold(entry.text)))}
        for entry, status in find_statuses(entries, self._today, signed):
            since, kept = status.since, status.kept
            if kept is None and since and not pruning.is_long_closed(since, self._today):
                continue
            tally.old += 1
            if kept is None and marks.get(entry.id, NO_MARK).pinned:
                kept = pruning.Kept.PINNED
            elif kept is None and pruning.names_blocked(entry.text, blocked):
                kept = pruning.Kept.CONSENT
            elif kept is None and wordings[fold(entry.text)] > 1:
                kept = pruning.Kept.TWICE
            if kept or since is None:
                tally.left.append(Left(what=f"{path}:{entry.first_line}", kept=kept or pruning.Kept.NO_DATE))
            else:
                yield entry, status, since

    def _signed_days(self) -> dict[str, date]:
        """Return for each wording that came through the gate the newest day on which it did."""
        found, zone = dict[str, date](), home_zone(self._gate.home, self._gate.settings)
        applied = (self._states(op, {ChangeState.APPLIED}) for op in (Op.ADD, Op.REPLACE))
        for item, change in (one for group in applied for one in group):
            if since := self._ledger.book.proposals[item.proposal.id].changes[change.n].since:
                wording = fold(change.hunk.added)
                found[wording] = max(log_day(since, zone), found.get(wording, date.min))
        return found

    def logs(self, places: Collection[str]) -> Tally:
        """Propose to compress old daily logs, a proposal a month, the oldest first.

        Months of which a proposal waits have their turn when it is answered.

        Args:
            places: Names of the files that outcomes of sure links come from: they stay as they are.
        """
        tally = Tally(op=Op.COMPRESS)
        open_now = self._close(tally, self._has_changed)
        busy = {item.proposal.period for item, _ in open_now}
        self._submit(self._months(tally, busy, places), tally, _room(open_now))
        return tally

    def _has_changed(self, change: Change) -> bool:
        with suppress(NightledgerError):
            content = read_target(self._gate.home, change.target)
            return hashlib.sha256(content).hexdigest() != change.hunk.removed
        return True

    def _months(
        self, tally: Tally, busy: Collection[str], places: Collection[str]
    ) -> Iterator[tuple[str, str, list[Draft]]]:
        home, today = self._gate.home, self._today
        logs = find_daylogs(home, (*preset(home.identity.host).daily, EXTRACTS))
        tally.left += [Left(what=log.path, kept=pruning.Kept.FUTURE_DATE) for log in logs if log.day > today]
        copies = self._ledger.book.copies
        old = [log for log in logs if pruning.is_old_log(log.day, today) and log.path not in copies]
        tally.looked, tally.old = len(logs), len(old)
        # whatever was written to them since
        refused = {change.target for _, change in self._states(Op.COMPRESS, REFUSED)}
        months = [
            (month, list(group)) for month, group in groupby(old, key=lambda log: pruning.month_of(log.day))
        ]
        for n, (month, group) in enumerate(months):
            tally.months_left = len(months) - n - 1
            if month in busy:
                tally.waiting += len(group)
                continue
            taken, drafts = set[str](), list[Draft]()
            for log in group:
                kept = pruning.Kept.REFUSED if log.path in refused else None
                kept = kept or (pruning.Kept.REFERENCED if posixpath.basename(log.path) in places else None)
                found = kept or self._compressed(log, taken)
                if isinstance(found, Draft):
                    drafts.append(found)
                elif isinstance(found, pruning.Kept):
                    tally.left.append(Left(what=log.path, kept=found))
                else:
                    tally.left.append(Left(what=log.path, kept=pruning.Kept.ODD_FILE, detail=found))
            if drafts:
                yield month, f"Compress {count_of(len(drafts), 'log')} of {month}", drafts

    def _compressed(self, log: LogFile, taken: set[str]) -> Draft | pruning.Kept | str:
        """Return the draft of a log's compression, or why it stays: what is odd about the file in words."""
        home = self._gate.home
        content, problem = _read(home, log)
        if problem:
            return problem
        try:
            copy = removals.copy_path(home, log.path, hashlib.sha256(content).hexdigest(), taken)
        except NightledgerError as error:
            return str(error)
        text = content.decode("utf-8", "surrogateescape")
        if self._expunged.lines_in(text.split("\n")):
            return f"{log.path} holds a text that was expunged"
        made = summarise_daily(read_daylog(log.path, text, log.day), content, copy)
        if isinstance(made, pruning.Kept):
            return made
        taken.add(copy)
        noun = "transcript" if log.path.startswith(f"{EXTRACTS}/") else "daily log"
        days, lines = (self._today - log.day).days, count_lines(content)
        reason = f"{noun} of {log.day}, {days} days ago: {lines} lines become {count_lines(made.encode())}, the full text goes to {copy}"
        cited = _cite(log.path, text, (1, lines), Origin.AGENT, told_values(text))
        return removals.compression(
            log.path, content, made, copy, removals.Grounds(reason=reason, evidence=(cited,))
        )


def _room(waiting: Iterable[tuple[Stored, Change]]) -> int:
    """Return how many more proposals of a kind may wait for an answer."""
    return pruning.MOST_MONTHS - len({item.proposal.id for item, _ in waiting})


def _cite(path: str, text: str, lines: tuple[int, int], origin: Origin, told: frozenset[str]) -> Evidence:
    """Give the evidence of some lines of a file, counted from 1; of secrets only their length is in its hash."""
    first, last = lines
    veiled = veil("\n".join(text.split("\n")[first - 1 : last]), told=told)
    sha256 = hashlib.sha256(encode(veiled)).hexdigest()
    return Evidence(path=path, lines=lines, sha256=sha256, origin=origin)


def _read(home: Home, log: LogFile) -> tuple[bytes, str]:
    """Give a log's bytes, or why it is left alone."""
    path = home.path(log.path)
    if os.path.realpath(path) != os.path.join(os.path.realpath(home.root), *log.path.split("/")):
        return b"", f"{log.path} is reached through a link"
    contents, skipped = read_daylogs(home, [log])
    if skipped:
        return b"", skipped[0].reason
    if os.stat(path).st_nlink > 1:
        return b"", f"{log.path} has a second name (a hard link)"
    return contents[log], ""


def _places(home: Home, sure: Collection[str]) -> frozenset[str]:
    """Return the names of the files that some outcomes name, whatever folder these gave.

    Raises:
        UnreadableError: When the outcome log is a link, a directory, a FIFO or a device.
        FileChangedError: When it was cut while it was read.
    """
    with LineLog(home.outcomes) as log:
        rows = (row for chunk in log.chunks(0) for row in read_outcome_rows(chunk).rows)
        names = [
            name
            for row in rows
            if row.id in sure
            for name in (row.source_file, *(evidence.path for evidence in row.evidence))
        ]
    return frozenset(posixpath.basename(name.partition("#")[0]) for name in names)
