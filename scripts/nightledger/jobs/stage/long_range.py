"""Long-range memory: from each stretch of the past what mattered most, of entries and of daily logs."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from nightledger.domain.staging.rules import StagingRules, WindowRules
from nightledger.domain.staging.values import Candidate, Source
from nightledger.domain.staging.windows import Past, choose_windows
from nightledger.jobs.stage.events import place_of
from nightledger.jobs.stage.library import Library
from nightledger.jobs.stage.logs import Logs, Said
from nightledger.jobs.stage.remembered import Known, days_ago, entry_candidate, entry_chunk
from nightledger.text.statements.additions import Known as KnownWordings


@dataclass(slots=True, kw_only=True)
class _Fitting:
    """Asks of few statements what they say now, and whether it may be shown; lives for one run."""

    logs: Logs
    library: Library
    entries: KnownWordings
    texts: dict[Said, str]

    def fits(self, said: Said) -> bool:
        if self.library.lines_of(said.log.path, said.lines) is None:
            return False
        statement = self.logs.statement(said)
        if statement is None or self.entries.holds(statement.text):
            return False  # memory says it, and memory is read anyway
        self.texts[said] = " / ".join(line.strip().removeprefix("- ") for line in statement.text.split("\n"))
        return True


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
    texts = [one.one.placed.entry.text for one in known]
    fitting = _Fitting(logs=logs, library=library, entries=KnownWordings(texts), texts={})
    past = [
        *(one.past for one in known),
        *(
            Past(day=said.log.day, importance=said.importance, place=place_of(said.log.path, said.lines), n=n)
            for n, said in enumerate(logs.said, len(known))
        ),
    ]
    chosen = choose_windows(
        past,
        rules.windows,
        rules.window_percent,
        today,
        lambda one: (
            library.may_show(entry_chunk(known[one.n].one))
            if one.n < len(known)
            else fitting.fits(logs.said[one.n - len(known)])
        ),
    )
    found = []
    for window, one in chosen:
        why = _why(window, one, today)
        if one.n < len(known):
            found.append(entry_candidate(known[one.n], Source.LONG_RANGE, why, one.importance))
            continue
        said = logs.said[one.n - len(known)]
        found.append(
            Candidate(
                source=Source.LONG_RANGE,
                text=fitting.texts[said],
                place=one.place,
                why=why,
                score=one.importance,
                path=said.log.path,
            )
        )
    return found


def _why(window: WindowRules, one: Past, today: date) -> str:
    ends = "over" if window.until_days is None else f"{window.from_days} to"
    stretch = f"{ends} {window.from_days if window.until_days is None else window.until_days} days"
    ago = days_ago(one.day, today) if one.day else ""
    return f"{ago}, among the most important of {stretch} back"
