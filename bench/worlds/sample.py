"""What a simulated home is: its files and its outcomes."""

from dataclasses import dataclass
from datetime import date
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleFile:
    """One file of the simulated home.

    Attributes:
        path: Relative to the home.
        day: Log day at whose end it is complete; None for what was there at the start.
        content: Its bytes.
    """

    path: str
    day: date | None
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleOutcome:
    """One outcome record, as an agent would log it.

    Attributes:
        day: Log day on which it was logged.
        record: The JSON object, without ``id`` and ``received_at``, which the logger adds.
    """

    day: date
    record: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleHome:
    """Sixty days of an agent, all of it a function of the seed.

    Attributes:
        seed: Where it came from.
        owner: First name of its owner.
        agent: Name of the agent.
        zone: IANA zone of the home; log days are dates there.
        first_day: The first log day.
        last_day: The last log day.
        files: MEMORY.md, AGENTS.md and the daily logs, oldest first.
        outcomes: Outcome records in the order in which they were logged.
    """

    seed: int
    owner: str
    agent: str
    zone: str
    first_day: date
    last_day: date
    files: tuple[SampleFile, ...]
    outcomes: tuple[SampleOutcome, ...]
