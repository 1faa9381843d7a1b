"""``config/staging-rules.json``: what is staged, when, and how much of it.

Invariant: whole numbers and words only, so that no rounding enters a comparison of settings.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from nightledger.domain.staging.values import Source

PERCENT = 100
DEFAULT_HOST = "generic"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRules:
    """How one source takes part.

    Attributes:
        weight: What its candidates count, 0..100; 0 leaves the source out.
        most: How many lines of it at most; 0 leaves the source out.
        share: How much of the budget it gets before every other source had its turn, in percent.
    """

    weight: int
    most: int
    share: int

    @property
    def takes_part(self) -> bool:
        """Whether anything of it can be staged."""
        return self.weight > 0 and self.most > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowRules:
    """A stretch of the past of which the most important is staged.

    Attributes:
        from_days: How many days ago it ends; that day is in it.
        until_days: How many days ago it begins; that day is not in it. None has no beginning.
        most: How many lines of it at most.
    """

    from_days: int
    until_days: int | None
    most: int

    def holds(self, days: int) -> bool:
        """Tell whether something of so many days ago belongs to it."""
        return days >= self.from_days and (self.until_days is None or days < self.until_days)


@dataclass(frozen=True, slots=True, kw_only=True)
class Routine:
    """Something that the operator wants looked up at certain times.

    Attributes:
        name: What the operator calls it.
        query: What is searched for.
        weekdays: Counted from Monday 0; () is every day.
        begins: Local time from which it is staged.
        ends: Local time until which it is; before ``begins`` it runs over midnight.
    """

    name: str
    query: str
    weekdays: tuple[int, ...]
    begins: time
    ends: time

    def is_on(self, local: datetime) -> bool:
        """Tell whether it is on, by the wall clock in the home's zone."""
        at = local.time()
        if self.begins <= self.ends:
            return self.begins <= at < self.ends and self._on_day(local)
        if at >= self.begins:
            return self._on_day(local)
        return at < self.ends and self._on_day(local - timedelta(days=1))

    def _on_day(self, day: datetime) -> bool:
        return not self.weekdays or day.weekday() in self.weekdays


@dataclass(frozen=True, slots=True, kw_only=True)
class StagingRules:
    """What is staged, when, and how much; every key is described in the schema.

    Attributes:
        lookahead_hours: How far ahead events are looked for.
        good_for_days: For how many days after its own a page is good.
        line_characters: The longest text of a line; more is cut, and says so.
        budget_tokens: For each host, the tokens of a whole page.
        sources: How each source takes part.
        documents_each: Documents for one event or routine at most.
        shown_days: How many days back something counts as shown lately.
        association_percent: Confidence from which an association is staged.
        habit_weeks: How many weeks back tells what is done at this time of the week.
        habit_hours: How many hours before and after now count as this time.
        habit_days: On how many days a kind of task must have been done then.
        windows: Stretches of the past.
        window_percent: Importance from which something of a window is staged.
        landmark_percent: Importance from which an entry is a landmark.
        routines: What the operator wants looked up at certain times.
    """

    lookahead_hours: int
    good_for_days: int
    line_characters: int
    budget_tokens: Mapping[str, int]
    sources: Mapping[Source, SourceRules]
    documents_each: int
    shown_days: int
    association_percent: int
    habit_weeks: int
    habit_hours: int
    habit_days: int
    windows: tuple[WindowRules, ...]
    window_percent: int
    landmark_percent: int
    routines: tuple[Routine, ...] = ()

    def budget_of(self, host: str) -> int:
        """Give the tokens of a page for a host; those of a generic one where it has none of its own."""
        return self.budget_tokens.get(host, self.budget_tokens[DEFAULT_HOST])
