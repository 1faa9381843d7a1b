"""Which daily logs may be compressed, a month at a time.

Invariant: one month of logs is in memory at a time; a name that is a link, has a second name or
cannot be read is named and left alone.
"""

import hashlib
import os
import posixpath
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby

from nightledger.domain.errors import NightledgerError
from nightledger.domain.proposal import Draft, Origin
from nightledger.domain.pruning import Kept, is_old_log, month_of
from nightledger.domain.states import Book
from nightledger.files.home import Home
from nightledger.gate.forgetting.letting_go import Grounds, compression, copy_path
from nightledger.hosts.daylogs import LogFile, find_daylogs, read_daylogs
from nightledger.hosts.presets import preset
from nightledger.jobs.prune.tally import Batch, Citable, Tally, Told
from nightledger.text.forgetting.compressed import count_lines
from nightledger.text.forgetting.daily_summary import summarise_daily
from nightledger.text.phrases import HashedPhrases
from nightledger.text.statements.daylog import read_daylog


@dataclass(frozen=True, slots=True, kw_only=True)
class Looker:
    """Looks at the daily logs of a home.

    Attributes:
        home: Whose.
        book: What its log adds up to; it knows which logs are compressed.
        places: Names of files that must stay (`places_of`).
        today: The date in the home's zone.
        refused: Logs that stay because the operator said so.
        expunged: What was expunged: no copy is made of a log that says it.
        tally: Counts; what stays is added.
    """

    home: Home
    book: Book
    places: Collection[str]
    today: date
    refused: Collection[str]
    expunged: HashedPhrases
    tally: Tally

    def months(self, busy: Collection[str]) -> Iterator[Batch]:
        """Give what is to be compressed, a batch a month, the oldest first.

        Args:
            busy: Months of which a proposal waits: they have their turn when it is answered.
        """
        logs = find_daylogs(self.home, preset(self.home.identity.host).daily)
        self.tally.looked = len(logs)
        for log in logs:
            if log.day > self.today:
                self.tally.leave(log.path, Kept.FUTURE_DATE)
        old = [log for log in logs if is_old_log(log.day, self.today) and log.path not in self.book.copies]
        self.tally.old = len(old)
        months = [(month, list(group)) for month, group in groupby(old, key=lambda log: month_of(log.day))]
        for n, (month, group) in enumerate(months):
            self.tally.months_left = len(months) - n - 1
            if month in busy:
                self.tally.waiting += len(group)
            elif drafts := self._drafts(group):
                logs_word = "1 daily log" if len(drafts) == 1 else f"{len(drafts)} daily logs"
                yield Batch(period=month, title=f"Compress {logs_word} of {month}", drafts=drafts)

    def _drafts(self, logs: Sequence[LogFile]) -> tuple[Draft, ...]:
        """Give the drafts of one month's logs; count and name those that stay."""
        taken: set[str] = set()
        return tuple(draft for log in logs if (draft := self._draft(log, taken)))

    def _draft(self, log: LogFile, taken: set[str]) -> Draft | None:
        if log.path in self.refused:
            self.tally.leave(log.path, Kept.REFUSED)
            return None
        if posixpath.basename(log.path) in self.places:
            self.tally.leave(log.path, Kept.REFERENCED)
            return None
        content, problem = _read(self.home, log)
        if problem:
            self.tally.leave(log.path, Kept.ODD_FILE, problem)
            return None
        try:
            copy = copy_path(self.home, log.path, hashlib.sha256(content).hexdigest(), taken)
        except NightledgerError as error:
            self.tally.leave(log.path, Kept.ODD_FILE, str(error))
            return None
        text = content.decode("utf-8", "surrogateescape")
        if self.expunged.lines_in(text.split("\n")):
            self.tally.leave(log.path, Kept.ODD_FILE, f"{log.path} holds a text that was expunged")
            return None
        made = summarise_daily(read_daylog(log.path, text, log.day), content, copy)
        if isinstance(made, Kept):
            self.tally.leave(log.path, made)
            return None
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


def places_of(told: Told) -> frozenset[str]:
    """Give the names of the files that must stay as they are, whatever folder an outcome gave."""
    return frozenset(posixpath.basename(place) for place in told.places)
