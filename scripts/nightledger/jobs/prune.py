"""Weekly: look for what may be let go, and propose it: weak links, closed entries, old daily logs.

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
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from itertools import groupby

from msgspec import Struct, field
from msgspec.structs import replace

from nightledger.codec.rows import read_outcome_rows
from nightledger.domain import pruning
from nightledger.domain.consent import SELF_MODIFICATION, Tier
from nightledger.domain.decision import Moment
from nightledger.domain.errors import NightledgerError
from nightledger.domain.judge import JOB, MOST_DELETIONS
from nightledger.domain.links import link_key
from nightledger.domain.periods import log_day
from nightledger.domain.proposal import Change, Draft, Evidence, Kind, Op, Origin, Proposal
from nightledger.domain.pruning import REFERENCED_FROM, LinkUse, by_age, is_faint, is_weak
from nightledger.domain.states import OPEN_STATES, REFUSED, ChangeState
from nightledger.domain.transcript import EXTRACTS
from nightledger.domain.words import count_of
from nightledger.files.configuration import home_zone
from nightledger.files.home import Home
from nightledger.files.line_log import LineLog
from nightledger.files.link_index import LinkIndex, Rules, folded_links
from nightledger.gate.forgetting.forgotten import read_forgotten, tombstones
from nightledger.gate.forgetting.letting_go import (
    archival,
    compression,
    copy_path,
    link_use,
    unseen_link_deletion,
)
from nightledger.gate.gated import read_gated, read_target
from nightledger.gate.memory.naming import NO_MARK, Mark, find_standing, read_marks
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.proposing.proposing import Submission, propose, supersede
from nightledger.gate.stored import Stored, each_change, read_stored
from nightledger.hosts.daylogs import LogFile, find_daylogs, preset, read_daylogs
from nightledger.text.forgetting.status import find_statuses, summarise_daily
from nightledger.text.forgetting.traces import count_lines
from nightledger.text.markdown.document import encode
from nightledger.text.markdown.entries import Entry
from nightledger.text.phrases import HashedPhrases
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

    def leave(self, what: str, kept: pruning.Kept, detail: str = "") -> None:
        """Count something that stays."""
        self.left.append(Left(what=what, kept=kept, detail=detail))


class Pruned(Struct, frozen=True, kw_only=True):
    """What a run did.

    Attributes:
        today: By which day ages were told.
        tallies: What became of each kind: links, entries, logs.
        reason: Why nothing at all was looked for; empty where it was.
    """

    today: date
    tallies: tuple[Tally, ...] = ()
    reason: str = ""


class Run(Struct, frozen=True, kw_only=True):
    """One run over one home: what it judges by, what waits already, and how it proposes.

    Attributes:
        gate: The home.
        ledger: Its log, as checked.
        today: The date in the home's zone by which ages are told.
        dry_run: Say what would be proposed and write nothing.
        moment: The clocks.
        stored: Everything that was ever proposed.
        places: Names of the files that outcomes of sure links come from, whatever folder these gave.
    """

    gate: Gate
    ledger: Ledger
    today: date
    dry_run: bool
    moment: Moment
    stored: Sequence[Stored]
    places: Collection[str]

    def states(self, op: Op, states: Collection[ChangeState]) -> list[tuple[Stored, Change]]:
        """Return the changes of a kind that stand so, whoever made them."""
        return [
            (item, change)
            for item in self.stored
            for change in item.proposal.changes
            if change.op is op and self.ledger.book.proposals[item.proposal.id].state_of(change.n) in states
        ]

    def waiting(self, op: Op) -> list[tuple[Stored, Change]]:
        """Return the changes of a kind, made by the pruner, that wait for an answer."""
        found = self.states(op, OPEN_STATES)
        return [one for one in found if (one[0].proposal.kind, one[0].proposal.lane) == (Kind.PRUNE, JOB)]

    def close(self, tally: Tally, is_over: Callable[[Change], bool]) -> list[tuple[Stored, Change]]:
        """Close what waits and holds no longer; return what still waits."""
        found = self.waiting(tally.op)
        over = [(item, change) for item, change in found if is_over(change)]
        tally.closed = len(over)
        if not self.dry_run:
            supersede(self.gate, [(item.proposal.id, change.n) for item, change in over], self.moment)
        return [one for one in found if one not in over]

    def submission(self, period: str, title: str, drafts: Sequence[Draft]) -> Submission:
        """Return what is to become one proposal: of a month, or of the day of the run."""
        return Submission(kind=Kind.PRUNE, lane=JOB, period=period, title=title, drafts=list(drafts))

    def submit(self, submissions: Iterable[Submission], tally: Tally, most: int) -> None:
        """Put submissions before the operator, so many at most; the rest competes again."""
        waiting = {change.key for _, change in self.waiting(tally.op)}
        for submission in submissions:
            drafts = [draft for draft in submission.drafts if draft.statement_key not in waiting]
            if len(tally.proposals) >= most:
                tally.no_room += len(drafts)
                return
            one = replace(submission, drafts=drafts)
            outcome = propose(self.gate, self.ledger, one, self.moment, dry_run=self.dry_run)
            tally.proposals += [outcome.proposal] if outcome.proposal else []
            tally.suppressed += outcome.suppressed
            tally.no_room += outcome.no_room
            tally.unfit += [f"{one.draft.target}: {one.reason}" for one in outcome.unfit]
            tally.unfit += [
                f"{one.path}: scanners hold it back ({', '.join(one.rules)})" for one in outcome.held
            ]


def room(waiting: Iterable[tuple[Stored, Change]]) -> int:
    """Return how many more proposals of a kind may wait for an answer."""
    return pruning.MOST_MONTHS - len({item.proposal.id for item, _ in waiting})


class Citable:
    """A file of which lines are cited; what it tells as secrets is looked for once."""

    def __init__(self, path: str, text: str) -> None:
        """Take a file's path, relative to the home, and its text (``surrogateescape``)."""
        self.path = path
        self._lines = text.split("\n")
        self._told = told_values(text)

    def cite(self, first: int, last: int, origin: Origin) -> Evidence:
        """Give the evidence of some lines, counted from 1; of secrets only their length is in its hash."""
        veiled = veil("\n".join(self._lines[first - 1 : last]), told=self._told)
        sha256 = hashlib.sha256(encode(veiled)).hexdigest()
        return Evidence(path=self.path, lines=(first, last), sha256=sha256, origin=origin)


_ID = re.compile(rb'"id":"(o-[a-z2-7]{26})"')


def read_places(home: Home, sure: Collection[str]) -> frozenset[str]:
    """Return the names of the files that outcomes name, whatever folder these gave.

    Args:
        home: Whose.
        sure: Ids of the outcomes.

    Raises:
        UnreadableError: When the outcome log is a link, a directory, a FIFO or a device.
        FileChangedError: When it was cut while it was read.
    """
    places: set[str] = set()
    with LineLog(home.outcomes) as log:
        for line in (line for chunk in log.chunks(0) for line in chunk.split(b"\n")[:-1]):
            found = _ID.search(line)
            if found and found[1].decode("ascii") in sure:
                for outcome in read_outcome_rows(line).rows:
                    named = (outcome.source_file, *(evidence.path for evidence in outcome.evidence))
                    places |= {posixpath.basename(name.partition("#")[0]) for name in named}
    return frozenset(places)


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
    rules, sure = (
        Rules(zone=home_zone(gate.home, gate.settings), forgotten=tombstones(gate, ledger)),
        set[str](),
    )
    with folded_links(gate.home, rules) as index:
        links = list(_uses(index, sure))
    run = Run(
        gate=gate,
        ledger=ledger,
        today=today,
        dry_run=dry_run,
        moment=moment,
        stored=read_stored(gate, ledger.book),
        places=read_places(gate.home, sure),
    )
    return Pruned(today=today, tallies=(prune_links(run, links), prune_entries(run), prune_logs(run)))


def _uses(index: LinkIndex, sure: set[str]) -> Iterator[LinkUse]:
    """Yield how each link was used; add the ids of the outcomes on which those of .7 or more rest."""
    for one in index.every():
        if one.confidence >= REFERENCED_FROM:
            sure.update(one.link.best.sources)
        yield link_use(one)


def prune_links(run: Run, links: Sequence[LinkUse]) -> Tally:
    """Propose to delete weak links, one by one; those that are hardly believed curation asks about."""
    today = run.today
    weak = sorted((link for link in links if is_weak(link, today)), key=by_age)
    drafts = {link_key(*link.pair): unseen_link_deletion(link, today) for link in weak}
    faint = {link_key(*link.pair) for link in links if is_faint(link, today)}
    said = {change.key for item in run.stored for change in item.proposal.changes}
    fresh = {name: draft for name, draft in drafts.items() if draft.statement_key not in said}
    tally = Tally(op=Op.DELETE_LINK, looked=len(links), old=len(weak))
    free = MOST_DELETIONS - len(run.waiting(Op.DELETE_LINK))
    open_now = run.close(tally, lambda change: change.hunk.removed not in drafts.keys() | faint)
    tally.waiting = sum(change.hunk.removed in drafts for _, change in open_now)
    submissions = (
        run.submission(today.isoformat(), f"Forget the link {name}", [draft]) for name, draft in fresh.items()
    )
    run.submit(submissions, tally, free + tally.closed)
    tally.suppressed = len(weak) - len(fresh) - tally.waiting
    tally.no_room = len(fresh) - tally.proposed
    return tally


def prune_entries(run: Run) -> Tally:
    """Propose to archive closed entries: a proposal for each month in which some were closed, the oldest first."""
    tally, home = Tally(op=Op.ARCHIVE), run.gate.home
    texts = {path: read_gated(home, path).decode("utf-8", "surrogateescape") for path in home.identity.gated}
    open_now = run.close(tally, lambda change: change.hunk.removed not in texts.get(change.target, ""))
    tally.waiting = len(open_now)
    standing = find_standing(home, run.ledger.book)
    zone, marks = home_zone(home, run.gate.settings), read_marks(run.gate, run.ledger)
    signed: dict[str, date] = {}
    for _, change, status in each_change(run.stored, run.ledger.book):
        if status.state is ChangeState.APPLIED and change.op in (Op.ADD, Op.REPLACE) and status.since:
            wording = fold(change.hunk.added)
            signed[wording] = max(log_day(status.since, zone), signed.get(wording, date.min))
    found = []
    for path, text in texts.items():
        entries = [placed.entry for placed in standing.entries.values() if placed.path == path]
        tally.looked += len(entries)
        gone = list(_closed(run, Citable(path, text), entries, signed, marks, tally))
        found += [run.submission(*one) for one in _monthly(gone, path, len(text))]
    run.submit(sorted(found, key=lambda one: one.period), tally, room(open_now))
    return tally


def _closed(
    run: Run,
    file: Citable,
    entries: Sequence[Entry],
    signed: Mapping[str, date],
    marks: Mapping[str, Mark],
    tally: Tally,
) -> Iterator[tuple[date, Draft]]:
    """Give since when each entry of a file that may go is closed, and its draft; count and name those that stay."""
    wordings = Counter(fold(entry.text) for entry in entries)
    days = {entry.id: day for entry in entries if (day := signed.get(fold(entry.text)))}
    blocked = pruning.blocked_words(run.gate.consent)
    for entry, status in find_statuses(entries, run.today, days):
        since, kept = status.since, status.kept
        if kept is None and since and not pruning.is_long_closed(since, run.today):
            continue
        tally.old += 1
        if kept is None and marks.get(entry.id, NO_MARK).pinned:
            kept = pruning.Kept.PINNED
        elif kept is None and pruning.names_blocked(entry.text, blocked):
            kept = pruning.Kept.CONSENT
        elif kept is None and wordings[fold(entry.text)] > 1:
            kept = pruning.Kept.TWICE
        if kept or since is None:
            tally.leave(f"{file.path}:{entry.first_line}", kept or pruning.Kept.NO_DATE)
        else:
            reason = f"{status.closure.value} since {since}, {(run.today - since).days} days ago"
            cited = file.cite(entry.first_line, entry.last_line, Origin.UNKNOWN)
            yield since, archival(file.path, entry, run.today, reason, (cited,))


def _monthly(
    gone: Sequence[tuple[date, Draft]], path: str, total: int
) -> Iterator[tuple[str, str, Sequence[Draft]]]:
    """Return month, title and drafts of each proposal, within the budget of its file."""
    months = defaultdict[str, list[Draft]](list)
    for since, draft in gone:
        months[pruning.month_of(since)].append(draft)
    for month, own in sorted(months.items()):
        for members, part in pruning.in_portions(own, total):
            entries = count_of(len(members), "entry", "entries")
            yield month, f"Archive {entries} of {path}, closed in {month}{part}", members


def prune_logs(run: Run) -> Tally:
    """Propose to compress old daily logs, a proposal a month, the oldest first.

    Months of which a proposal waits have their turn when it is answered.
    """
    tally = Tally(op=Op.COMPRESS)
    open_now = run.close(tally, lambda change: _has_changed(run.gate.home, change))
    run.submit(_months(run, tally, {item.proposal.period for item, _ in open_now}), tally, room(open_now))
    return tally


def _has_changed(home: Home, change: Change) -> bool:
    with suppress(NightledgerError):
        return hashlib.sha256(read_target(home, change.target)).hexdigest() != change.hunk.removed
    return True


def _months(run: Run, tally: Tally, busy: Collection[str]) -> Iterator[Submission]:
    home, today = run.gate.home, run.today
    logs = find_daylogs(home, (*preset(home.identity.host).daily, EXTRACTS))
    for log in logs:
        if log.day > today:
            tally.leave(log.path, pruning.Kept.FUTURE_DATE)
    old = [
        log for log in logs if pruning.is_old_log(log.day, today) and log.path not in run.ledger.book.copies
    ]
    tally.looked, tally.old = len(logs), len(old)
    refused = {change.target for _, change in run.states(Op.COMPRESS, REFUSED)}
    expunged = read_forgotten(run.gate, (), run.ledger.book).expunged
    months = [
        (month, list(group)) for month, group in groupby(old, key=lambda log: pruning.month_of(log.day))
    ]
    for n, (month, group) in enumerate(months):
        tally.months_left = len(months) - n - 1
        if month in busy:
            tally.waiting += len(group)
            continue
        taken: set[str] = set()
        looked = [
            (log, (pruning.Kept.REFUSED, "") if log.path in refused else _look(run, log, expunged, taken))
            for log in group
        ]
        for log, found in looked:
            if isinstance(found, tuple):
                tally.leave(log.path, *found)
        if drafts := [found for _, found in looked if isinstance(found, Draft)]:
            yield run.submission(month, f"Compress {count_of(len(drafts), 'log')} of {month}", drafts)


def _look(
    run: Run, log: LogFile, expunged: HashedPhrases, taken: set[str]
) -> Draft | tuple[pruning.Kept, str]:
    """Return the draft of a log's compression, or why it stays; no copy is made of a log that says what was expunged."""
    if posixpath.basename(log.path) in run.places:
        return pruning.Kept.REFERENCED, ""
    content, problem = _read(run.gate.home, log)
    if problem:
        return pruning.Kept.ODD_FILE, problem
    try:
        copy = copy_path(run.gate.home, log.path, hashlib.sha256(content).hexdigest(), taken)
    except NightledgerError as error:
        return pruning.Kept.ODD_FILE, str(error)
    text = content.decode("utf-8", "surrogateescape")
    if expunged.lines_in(text.split("\n")):
        return pruning.Kept.ODD_FILE, f"{log.path} holds a text that was expunged"
    made = summarise_daily(read_daylog(log.path, text, log.day), content, copy)
    if isinstance(made, pruning.Kept):
        return made, ""
    taken.add(copy)
    days, lines = (run.today - log.day).days, count_lines(content)
    noun = "transcript" if log.path.startswith(f"{EXTRACTS}/") else "daily log"
    reason = f"{noun} of {log.day}, {days} days ago: {lines} lines become {count_lines(made.encode())}, the full text goes to {copy}"
    cited = Citable(log.path, text).cite(1, lines, Origin.AGENT)
    return compression(log.path, content, made, copy, reason, (cited,))


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
