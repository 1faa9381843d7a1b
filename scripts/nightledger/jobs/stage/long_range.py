"""Long-range memory: from each stretch of the past what mattered most, of entries and of daily logs."""

from collections.abc import Sequence
from datetime import date

from nightledger.domain.staging.rules import StagingRules, WindowRules
from nightledger.domain.staging.values import Candidate, Source
from nightledger.domain.staging.windows import Past, choose_windows
from nightledger.jobs.stage.library import Library
from nightledger.jobs.stage.lines import place_of, plain
from nightledger.jobs.stage.logs import Logs, Said
from nightledger.jobs.stage.remembered import Known, days_ago, entry_candidate, entry_chunk
from nightledger.text.statements.additions import Known as KnownWordings


def long_range(
    known: Sequence[Known], logs: Logs, library: Library, rules: StagingRules, today: date
) -> list[Candidate]:
    """Give the most important of each stretch of the past.

    Args:
        known: Signed entries with their importance.
        logs: Daily logs.
        library: Search: it knows what may be shown.
        rules: Which stretches, and how much of each.
        today: The log day.
    """
    if not rules.sources[Source.LONG_RANGE].takes_part:
        return []
    shelf = _Shelf(known=known, logs=logs, library=library)
    chosen = choose_windows(shelf.past(), rules.windows, rules.window_percent, today, shelf.fits)
    return [shelf.candidate(one, _why(window, one, today)) for window, one in chosen]


class _Shelf:
    """Entries and statements of logs side by side; lives for one run. Few are asked whether they may be shown."""

    def __init__(self, *, known: Sequence[Known], logs: Logs, library: Library) -> None:
        self._known, self._logs, self._library = known, logs, library
        self._wordings = KnownWordings([one.one.placed.entry.text for one in known])
        self._texts: dict[int, str] = {}

    def past(self) -> list[Past]:
        """Give all of them, entries first."""
        count = len(self._known)
        return [
            *(one.past for one in self._known),
            *(
                Past(
                    day=said.log.day,
                    importance=said.importance,
                    place=place_of(said.log.path, said.lines),
                    n=n,
                )
                for n, said in enumerate(self._logs.said, count)
            ),
        ]

    def fits(self, one: Past) -> bool:
        """Tell whether one may be shown, and is not said by memory, which is read anyway."""
        if one.n < len(self._known):
            return self._library.may_show(entry_chunk(self._known[one.n].one))
        said = self._said(one)
        chunk = self._library.lines_of(said.log.path, said.lines)
        if chunk is None or self._wordings.holds(chunk.text):
            return False
        self._texts[one.n] = plain(chunk.text.split("\n"))
        return True

    def candidate(self, one: Past, why: str) -> Candidate:
        """Give one that fits as a candidate."""
        if one.n < len(self._known):
            return entry_candidate(self._known[one.n], Source.LONG_RANGE, why, one.importance)
        return Candidate(
            source=Source.LONG_RANGE,
            text=self._texts[one.n],
            place=one.place,
            why=why,
            score=one.importance,
            path=self._said(one).log.path,
        )

    def _said(self, one: Past) -> Said:
        return self._logs.said[one.n - len(self._known)]


def _why(window: WindowRules, one: Past, today: date) -> str:
    ends = "over" if window.until_days is None else f"{window.from_days} to"
    stretch = f"{ends} {window.from_days if window.until_days is None else window.until_days} days"
    ago = days_ago(one.day, today) if one.day else ""
    return f"{ago}, among the most important of {stretch} back"
