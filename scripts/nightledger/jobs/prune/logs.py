"""Which daily logs may be compressed, a month at a time.

Invariant: one month of logs is in memory at a time; a name that is a link, has a second name or
cannot be read is named and left alone.
"""

import hashlib
import os
import posixpath
from collections.abc import Collection, Iterator
from contextlib import suppress
from datetime import date
from itertools import groupby

from msgspec import Struct

from nightledger.domain.errors import NightledgerError
from nightledger.domain.proposal import Change, Draft, Op, Origin
from nightledger.domain.pruning import Kept, is_old_log, month_of
from nightledger.domain.states import REFUSED
from nightledger.files.home import Home
from nightledger.gate.forgetting.forgotten import read_forgotten
from nightledger.gate.forgetting.letting_go import Grounds, compression, copy_path
from nightledger.gate.gated import read_target
from nightledger.gate.proposing.proposing import Submission
from nightledger.hosts.daylogs import LogFile, find_daylogs, preset, read_daylogs
from nightledger.jobs.prune.frame import Citable, Run, Tally, room
from nightledger.text.forgetting.status import summarise_daily
from nightledger.text.forgetting.traces import count_lines
from nightledger.text.phrases import HashedPhrases
from nightledger.text.statements.daylog import read_daylog


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
    home, today = run.gate.home, run.asked.today
    logs = find_daylogs(home, preset(home.identity.host).daily)
    for log in logs:
        if log.day > today:
            tally.leave(log.path, Kept.FUTURE_DATE)
    old = [log for log in logs if is_old_log(log.day, today) and log.path not in run.ledger.book.copies]
    tally.looked, tally.old = len(logs), len(old)
    looker = _Looker(
        home=home,
        today=today,
        places=frozenset(map(posixpath.basename, run.told.places)),
        refused={change.target for _, change in run.states(Op.COMPRESS, REFUSED)},
        expunged=read_forgotten(run.gate, (), run.ledger.book).expunged,
    )
    months = [(month, list(group)) for month, group in groupby(old, key=lambda log: month_of(log.day))]
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
            noun = "1 daily log" if len(drafts) == 1 else f"{len(drafts)} daily logs"
            yield run.submission(month, f"Compress {noun} of {month}", drafts)


class _Looker(Struct, frozen=True, kw_only=True):
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

    def look(self, log: LogFile, taken: set[str]) -> Draft | tuple[Kept, str]:
        """Return the draft of a log's compression, or why it stays."""
        if log.path in self.refused:
            return Kept.REFUSED, ""
        if posixpath.basename(log.path) in self.places:
            return Kept.REFERENCED, ""
        content, problem = _read(self.home, log)
        if problem:
            return Kept.ODD_FILE, problem
        try:
            copy = copy_path(self.home, log.path, hashlib.sha256(content).hexdigest(), taken)
        except NightledgerError as error:
            return Kept.ODD_FILE, str(error)
        text = content.decode("utf-8", "surrogateescape")
        if self.expunged.lines_in(text.split("\n")):
            return Kept.ODD_FILE, f"{log.path} holds a text that was expunged"
        made = summarise_daily(read_daylog(log.path, text, log.day), content, copy)
        if isinstance(made, Kept):
            return made, ""
        taken.add(copy)
        days, lines = (self.today - log.day).days, count_lines(content)
        reason = f"daily log of {log.day}, {days} days ago: {lines} lines become {count_lines(made.text.encode())}, the full text goes to {copy}"
        cited = Citable(log.path, text).cite(1, lines, Origin.AGENT)
        return compression(log.path, content, made.text, copy, Grounds(reason=reason, evidence=(cited,)))


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
