"""Outcomes: what became of a task, as the agent or a tool recorded it; and links: what resolved tasks that had two tags in common.

Invariant: an outcome's id is derived from everything in it but the time we received it,
so equal ids are equal records.

Invariant: a link is a fold of outcomes. Counts are exact however the outcomes were split
into runs; only the named sources and rivals are bounded. A link counts the outcomes that
carry both of its tags, because a resolution belongs to an outcome, not to a session.
"""

import math
from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from operator import attrgetter
from typing import Annotated, Literal, NamedTuple

from msgspec import Meta, Struct

from nightledger.domain.proposal import Origin
from nightledger.domain.words import MAX_TAGS


class Result(StrEnum):
    """How it ended; never inferred from silence."""

    SUCCESS = "success"
    PARTIAL = "partial"
    FAILURE = "failure"


class Signal(StrEnum):
    """What told the result."""

    EXPLICIT = "explicit"
    """The agent or the owner said it."""
    EXIT_CODE = "exit_code"
    TEST = "test"
    TOOL_ERROR = "tool_error"
    USER_CORRECTION = "user_correction"
    REVERT = "revert"


class OutcomeEvidence(Struct, frozen=True, kw_only=True):
    r"""Lines that show the result.

    The fields stand in the order of the canonical line.

    Attributes:
        lines: First and last line, counted from 1, split on ``\\n`` only.
        path: File, relative to the home.
        sha256: Hex SHA-256 of those lines' bytes, joined by ``\\n``.
    """

    lines: tuple[int, int]
    path: str
    sha256: str


class Outcome(Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One recorded result of one task.

    A line of ``memory/system/outcome-records.jsonl``; the wire form is
    ``schemas/outcome.schema.json``.

    The fields stand in the order of the canonical line.

    Attributes:
        v: Version of the record, 1.
        id: ``o-`` and 26 characters; derived from all fields but ``received_at``.
        timestamp: When the result was known; aware, UTC.
        received_at: When the logger took it in; aware, UTC.
        task_type: What kind of task it was, for example ``debug_cron``.
        context_tags: Canonical tags (NFC, casefolded), sorted, at least one.
        resolution: What was done; an identifier, not prose.
        outcome: success, partial or failure; never inferred from silence.
        source_file: Where it was recorded: ``memory/daily/2026-02-28.md#cron-fix``.
        session: The agent's session, where it is known.
        host: Machine or agent host on which it happened.
        origin: Who said it; None is unknown.
        signal: What told the result.
        evidence: Lines that show it.
        shown: Entries and links that the agent had been shown before the task.
        project: What it was part of.
        duration_s: How long the task took, in seconds, to the millisecond.
        note: Free text for the operator; never shown to an agent.
    """

    context_tags: Annotated[tuple[str, ...], Meta(min_length=1, max_length=MAX_TAGS)]
    duration_s: int | float | None = None
    evidence: tuple[OutcomeEvidence, ...] = ()
    host: str | None = None
    id: Annotated[str, Meta(pattern="^o-[a-z2-7]{26}$")]
    note: str | None = None
    origin: Origin | None = None
    outcome: Result
    project: str | None = None
    received_at: Annotated[datetime, Meta(tz=True)]
    resolution: str
    session: str | None = None
    shown: tuple[str, ...] = ()
    signal: Signal | None = None
    source_file: str
    task_type: str
    timestamp: Annotated[datetime, Meta(tz=True)]
    v: Literal[1]


AFTER_ONE_SUCCESS = 0.40
AFTER_THREE_SUCCESSES = 0.85
FAILURE_WEIGHT = 2
"""A failure takes back two successes: one that fails every third time gains nothing."""
CAP = 0.98
"""Outcomes are reports of an agent about itself; no number of them is certainty."""
SHOWN_FROM = 0.7
"""Confidence from which a resolution is shown before a task (the published prior)."""
HALF_LIFE_ACTIVE_DAYS = 90
"""What lasts ("durable" in the published tiers) fades by .001 an active hour, a half-life of
693 active hours; 8 of them make a day, which gives 87, here rounded."""
DIGITS = 4
"""Computed numbers are rounded before they are written, so that every machine writes the same."""


def _logit(chance: float) -> float:
    return math.log(chance / (1 - chance))


SUCCESS_LOG_ODDS = (_logit(AFTER_THREE_SUCCESSES) - _logit(AFTER_ONE_SUCCESS)) / 2
"""b in ``sigmoid(a + b * evidence)``; 1.0700."""
PRIOR_LOG_ODDS = _logit(AFTER_ONE_SUCCESS) - SUCCESS_LOG_ODDS
"""a in ``sigmoid(a + b * evidence)``; -1.4755, which is .1861 before any outcome."""


def evidence(successes: int, failures: int, *, shown_successes: int = 0, shown_failures: int = 0) -> int:
    """Give what outcomes say for a resolution, in successes; below zero when it mostly failed.

    What the agent did because we had shown it is one source, however often it was repeated:
    together such outcomes count for one success at most, against it as often as they failed.

    Args:
        successes: All successes, those after a showing included.
        failures: All failures, those after a showing included.
        shown_successes: Successes of which the resolution had been shown to the agent before.
        shown_failures: The same for failures.
    """
    own = (successes - shown_successes) - FAILURE_WEIGHT * (failures - shown_failures)
    return own + min(1, shown_successes - FAILURE_WEIGHT * shown_failures)


def confidence_of(evidence: int) -> float:
    """Give the confidence, 0 to .98, rounded to 4 decimals, for a number of :func:`evidence`."""
    log_odds = PRIOR_LOG_ODDS + SUCCESS_LOG_ODDS * evidence
    if log_odds < 0:  # both forms are the logistic function; each is used where it cannot overflow
        odds = math.exp(max(log_odds, -700.0))
        return round(odds / (1 + odds), DIGITS)
    return round(min(CAP, 1 / (1 + math.exp(-log_odds))), DIGITS)


def confidence(successes: int, failures: int) -> float:
    """Give the confidence for outcomes of which none followed a showing of ours."""
    return confidence_of(evidence(successes, failures))


def decayed(confidence: float, idle_days: int) -> float:
    """Give what is left of a confidence, rounded to 4 decimals.

    Only days on which the agent recorded anything count, so that a pause forgets nothing
    and reading twice changes nothing.

    Args:
        confidence: As stored, undecayed.
        idle_days: Active days since the link last occurred, 0 or more.
    """
    return round(confidence * math.pow(0.5, idle_days / HALF_LIFE_ACTIVE_DAYS), DIGITS)


Pair = tuple[str, str]
"""Two tags, sorted by code point."""
MAX_SOURCES = 5
"""Newest outcomes named for a resolution: enough to look at, few enough for a line."""
MAX_RIVALS = 5
"""Other resolutions named for a link; how many there are is counted."""
SEPARATOR = " + "
"""Between two tags in a key; a tag holds no space, so a key has one reading."""


class Tally(NamedTuple):
    """What became of one resolution under one pair of tags; a plain tuple, because there may be a million.

    Attributes:
        resolution: Identifier of what was done.
        successes: Outcomes that ended so, all of them.
        partials: Counted, and for neither side of the confidence.
        failures: Outcomes that ended so, all of them.
        shown_successes: Successes of which the resolution had been shown to the agent before.
        shown_failures: The same for failures.
        last_day: Newest log day, as a proleptic Gregorian ordinal (``date.toordinal``).
        sources: Ids of the newest outcomes in the order they were recorded, newest first.
    """

    resolution: str
    successes: int = 0
    partials: int = 0
    failures: int = 0
    shown_successes: int = 0
    shown_failures: int = 0
    last_day: int = 0
    sources: tuple[str, ...] = ()

    def after(self, older: "Tally") -> "Tally":
        """Return the sum with what was recorded before, under the same pair and with the same resolution."""
        return Tally(
            self.resolution,
            self.successes + older.successes,
            self.partials + older.partials,
            self.failures + older.failures,
            self.shown_successes + older.shown_successes,
            self.shown_failures + older.shown_failures,
            max(self.last_day, older.last_day),
            (self.sources + older.sources)[:MAX_SOURCES],
        )

    @property
    def evidence(self) -> int:
        """What the outcomes say for it, in successes."""
        return evidence(
            self.successes,
            self.failures,
            shown_successes=self.shown_successes,
            shown_failures=self.shown_failures,
        )

    @property
    def rank(self) -> tuple[int, int, int, int, str]:
        """Sorts the best first: evidence, successes, fewer failures, the newer, the name."""
        return (-self.evidence, -self.successes, self.failures, -self.last_day, self.resolution)


class Link:
    """An association of two tags with what resolved the tasks that had both.

    Attributes:
        first: The tag that sorts first, by code point.
        second: The other one.
        co_occurrences: Distinct sessions (log days, where no session is given) with an outcome
            that carries both tags, however it ended.
        best: The resolution with the most evidence.
        rivals: The next best, at most five.
        resolutions: How many resolutions there are, those that are not named included.
        last_day: Newest log day on which both tags occurred, whatever was done; an ordinal.
    """

    __slots__ = ("best", "co_occurrences", "first", "last_day", "resolutions", "rivals", "second")

    def __init__(
        self, pair: Pair, *, co_occurrences: int, tallies: Sequence[Tally], resolutions: int, last_day: int
    ) -> None:
        """Rank the resolutions.

        Args:
            pair: The tags, sorted.
            co_occurrences: Distinct sessions.
            tallies: The best resolutions at least, in any order.
            resolutions: How many there are.
            last_day: Newest of all their days.
        """
        ranked = sorted(tallies, key=attrgetter("rank"))
        self.first, self.second = pair
        self.co_occurrences = co_occurrences
        self.best = ranked[0]
        self.rivals = tuple(ranked[1 : 1 + MAX_RIVALS])
        self.resolutions = resolutions
        self.last_day = last_day

    @property
    def pair(self) -> Pair:
        """Its two tags, sorted."""
        return self.first, self.second

    @property
    def key(self) -> str:
        """Name of the link: ``cron + timezone``."""
        return link_key(self.first, self.second)

    def counted(self, tally: Tally) -> int:
        """Give the evidence for one of its resolutions that counts: one for each session at most.

        Repeating is not confirming: whoever records one session's success ten thousand times has one source.
        """
        return min(tally.evidence, self.co_occurrences)

    def confidence(self, tally: Tally) -> float:
        """Give how far one of its resolutions is believed, undecayed, rounded to 4 decimals."""
        return confidence_of(self.counted(tally))


def link_key(first: str, second: str) -> str:
    """Give the name of the link between two canonical tags, in either order."""
    return SEPARATOR.join(sorted((first, second)))


def was_shown(resolution: str, tags: Iterable[str], shown: Iterable[str]) -> bool:
    """Tell whether what was done had been shown to the agent before the task.

    Args:
        resolution: What was done.
        tags: The outcome's canonical tags.
        shown: What the agent had been shown: a resolution by its identifier, a link by its
            name, an entry by its id. An entry's id names no resolution and tells nothing here.
    """
    items = frozenset(shown)
    if resolution in items:
        return True
    known = frozenset(tags)
    return any(SEPARATOR in item and known.issuperset(item.split(SEPARATOR)) for item in items)


def is_name(key: str) -> bool:
    """Tell whether a text is the name of a link: two tags, sorted."""
    first, found, second = key.partition(SEPARATOR)
    return bool(found and first and second) and SEPARATOR not in second and first < second


def split_key(key: str) -> tuple[str, str]:
    """Give the two tags of a link's name, sorted.

    Raises:
        ValueError: When it is no such name.
    """
    first, _, second = key.partition(SEPARATOR)
    if not is_name(key):
        raise ValueError(f"{key!r} is not the name of a link; write it as 'cron + timezone', sorted")
    return first, second
