"""Which entries of memory and which daily logs, and extracts of transcripts, may be let go, and what is proposed of them.

Invariant: pins and tags come from signed decisions, and an entry is judged under the id that it keeps.

Invariant: one month of logs is in memory at a time; a name that is a link, has a second name or
cannot be read is named and left alone.
"""

import hashlib
import os
import posixpath
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from itertools import groupby

from msgspec import Struct

from nightledger.domain import pruning
from nightledger.domain.errors import NightledgerError
from nightledger.domain.periods import log_day
from nightledger.domain.proposal import Change, Draft, Op, Origin
from nightledger.domain.states import REFUSED, ChangeState
from nightledger.domain.transcript import EXTRACTS
from nightledger.domain.words import count_of
from nightledger.files.configuration import home_zone
from nightledger.files.home import Home
from nightledger.gate.forgetting.forgotten import read_forgotten
from nightledger.gate.forgetting.letting_go import archival, compression, copy_path
from nightledger.gate.gated import read_gated, read_target
from nightledger.gate.memory.naming import NO_MARK, Mark, find_standing, read_marks
from nightledger.gate.proposing.proposing import Submission
from nightledger.hosts.daylogs import LogFile, find_daylogs, preset, read_daylogs
from nightledger.jobs.prune.frame import Citable, Run, Tally, room
from nightledger.text.forgetting.status import Status, find_statuses, summarise_daily
from nightledger.text.forgetting.traces import count_lines
from nightledger.text.markdown.entries import Entry
from nightledger.text.phrases import HashedPhrases
from nightledger.text.similar import fold
from nightledger.text.statements.daylog import read_daylog


class _Gone(Struct, frozen=True, kw_only=True):
    """An entry that may go."""

    path: str
    entry: Entry
    status: Status
    since: date


def prune_entries(run: Run) -> Tally:
    """Propose to archive closed entries: a proposal for each month in which some were closed, the oldest first."""
    tally, home = Tally(op=Op.ARCHIVE), run.gate.home
    texts = {path: read_gated(home, path).decode("utf-8", "surrogateescape") for path in home.identity.gated}
    open_now = run.close(tally, lambda change: change.hunk.removed not in texts.get(change.target, ""))
    tally.waiting = len(open_now)
    standing = find_standing(home, run.ledger.book)
    looker = _looker(run)
    found = []
    for path, text in texts.items():
        entries = [placed.entry for placed in standing.entries.values() if placed.path == path]
        tally.looked += len(entries)
        gone = list(looker.look(path, entries, tally))
        if gone:
            file = Citable(path, text)
            drafts = [looker.draft(one, file) for one in gone]
            found += [run.submission(*one) for one in _monthly(gone, drafts, path, len(text))]
    run.submit(sorted(found, key=lambda one: one.period), tally, room(open_now))
    return tally


def _looker(run: Run) -> "_Looker":
    signed: dict[str, date] = {}
    zone = home_zone(run.gate.home, run.gate.settings)
    for op in (Op.ADD, Op.REPLACE):
        for item, change in run.states(op, {ChangeState.APPLIED}):
            since = run.ledger.book.proposals[item.proposal.id].changes[change.n].since
            if since:
                wording = fold(change.hunk.added)
                signed[wording] = max(log_day(since, zone), signed.get(wording, date.min))
    return _Looker(
        marks=read_marks(run.gate, run.ledger),
        signed=signed,
        blocked=pruning.blocked_words(run.gate.consent),
        today=run.today,
    )


class _Looker(Struct, frozen=True, kw_only=True):
    """What entries are judged by.

    Attributes:
        marks: What operators signed about entries, by their ids.
        signed: For each wording that came through the gate the newest day on which it did.
        blocked: Names of blocked actions.
        today: The date in the home's zone.
    """

    marks: Mapping[str, Mark]
    signed: Mapping[str, date]
    blocked: Collection[str]
    today: date

    def look(self, path: str, entries: Sequence[Entry], tally: Tally) -> Iterator[_Gone]:
        """Give the entries of one file that may go; count and name those that stay."""
        wordings = Counter(fold(entry.text) for entry in entries)
        signed = {entry.id: day for entry in entries if (day := self.signed.get(fold(entry.text)))}
        for entry, status in find_statuses(entries, self.today, signed):
            since = status.since
            if status.kept is None and since and not pruning.is_long_closed(since, self.today):
                continue
            tally.old += 1
            kept = status.kept or self._why_kept(entry)
            if kept is None and wordings[fold(entry.text)] > 1:
                kept = pruning.Kept.TWICE
            if kept or since is None:
                tally.leave(f"{path}:{entry.first_line}", kept or pruning.Kept.NO_DATE)
            else:
                yield _Gone(path=path, entry=entry, status=status, since=since)

    def _why_kept(self, entry: Entry) -> pruning.Kept | None:
        if self.marks.get(entry.id, NO_MARK).pinned:
            return pruning.Kept.PINNED
        if pruning.names_blocked(entry.text, self.blocked):
            return pruning.Kept.CONSENT
        return None

    def draft(self, gone: _Gone, file: Citable) -> Draft:
        """Give the draft that archives an entry."""
        entry, since = gone.entry, gone.since
        reason = f"{gone.status.closure.value} since {since}, {(self.today - since).days} days ago"
        cited = file.cite(entry.first_line, entry.last_line, Origin.UNKNOWN)
        return archival(gone.path, entry, self.today, reason, (cited,))


def _monthly(
    gone: Sequence[_Gone], drafts: Sequence[Draft], path: str, total: int
) -> Iterator[tuple[str, str, Sequence[Draft]]]:
    """Return month, title and drafts of each proposal, within the budget of its file."""
    months = defaultdict[str, list[Draft]](list)
    for one, draft in zip(gone, drafts, strict=True):
        months[pruning.month_of(one.since)].append(draft)
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
    looker = _LogLooker(
        home=home,
        today=today,
        places=run.places,
        refused={change.target for _, change in run.states(Op.COMPRESS, REFUSED)},
        expunged=read_forgotten(run.gate, (), run.ledger.book).expunged,
    )
    months = [
        (month, list(group)) for month, group in groupby(old, key=lambda log: pruning.month_of(log.day))
    ]
    for n, (month, group) in enumerate(months):
        tally.months_left = len(months) - n - 1
        if month in busy:
            tally.waiting += len(group)
            continue
        taken: set[str] = set()
        looked = [(log, looker.look(log, taken)) for log in group]
        for log, found in looked:
            if isinstance(found, tuple):
                tally.leave(log.path, *found)
        if drafts := [found for _, found in looked if isinstance(found, Draft)]:
            yield run.submission(month, f"Compress {count_of(len(drafts), 'log')} of {month}", drafts)


class _LogLooker(Struct, frozen=True, kw_only=True):
    """What a log is judged by.

    Attributes:
        home: Whose.
        today: The date in the home's zone.
        places: Names of the files that must stay as they are, whatever folder an outcome gave.
        refused: Logs whose compression the operator rejected or took back, whatever was written to them since.
        expunged: What was expunged: no copy is made of a log that says it.
    """

    home: Home
    today: date
    places: Collection[str]
    refused: Collection[str]
    expunged: HashedPhrases

    def look(self, log: LogFile, taken: set[str]) -> Draft | tuple[pruning.Kept, str]:
        """Return the draft of a log's compression, or why it stays."""
        if log.path in self.refused:
            return pruning.Kept.REFUSED, ""
        if posixpath.basename(log.path) in self.places:
            return pruning.Kept.REFERENCED, ""
        content, problem = _read(self.home, log)
        if problem:
            return pruning.Kept.ODD_FILE, problem
        try:
            copy = copy_path(self.home, log.path, hashlib.sha256(content).hexdigest(), taken)
        except NightledgerError as error:
            return pruning.Kept.ODD_FILE, str(error)
        text = content.decode("utf-8", "surrogateescape")
        if self.expunged.lines_in(text.split("\n")):
            return pruning.Kept.ODD_FILE, f"{log.path} holds a text that was expunged"
        made = summarise_daily(read_daylog(log.path, text, log.day), content, copy)
        if isinstance(made, pruning.Kept):
            return made, ""
        taken.add(copy)
        days, lines = (self.today - log.day).days, count_lines(content)
        reason = f"{_noun(log.path)} of {log.day}, {days} days ago: {lines} lines become {count_lines(made.text.encode())}, the full text goes to {copy}"
        cited = Citable(log.path, text).cite(1, lines, Origin.AGENT)
        return compression(log.path, content, made.text, copy, reason, (cited,))


def _noun(path: str) -> str:
    return "transcript" if path.startswith(f"{EXTRACTS}/") else "daily log"


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
