"""Outcomes: what became of a task, as the agent or a tool recorded it.

Invariant: an outcome's id is derived from everything in it but the time we received it,
so equal ids are equal records.
"""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

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
