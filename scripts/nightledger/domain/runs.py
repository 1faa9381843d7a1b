"""The run ledger: which job did which period, and what came of it.

Invariant: the ledger alone says what is done; a job that died before its line was
written is due again, and its rerun gives the same bytes.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

AHEAD = timedelta(hours=1)
"""How far ahead of ``now`` a run may have started and still count as one of the past.

A night is due three hours after its log day ended, so a clock that was wrong by less than
this cannot have run it too early; and a clock set back a little does not repeat the night.
"""
FIRST_RETRY = timedelta(minutes=30)
"""How often ``night`` is called; a failed job is tried again at the next call ..."""
LAST_RETRY = timedelta(hours=8)
"""... and, doubling, three times a day at the least, so that a broken job does not fill the ledger."""


class RunOutcome(StrEnum):
    """How a run ended."""

    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One attempt of one job at one period: a line of ``memory/system/runs.jsonl``.

    Attributes:
        v: Version of the record, 1.
        id: ``r-`` and 26 characters; derived from job, period and attempt.
        job: Name of the job, ``consolidate``.
        period: Key of the period, ``2026-02-28``.
        attempt: Counted from 1 for each job and period.
        started_at: Aware, UTC.
        finished_at: Aware, UTC.
        outcome: done or failed; a failed period stays due.
        counts: What it did, in whole numbers: ``{"proposed": 2}``.
        reason: One line: why it proposed nothing, or why it failed; empty where the counts say it all.
    """

    v: int
    id: str
    job: str
    period: str
    attempt: int
    started_at: datetime
    finished_at: datetime
    outcome: RunOutcome
    counts: Mapping[str, int]
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobReport:
    """What a job tells its caller.

    Attributes:
        counts: What it did, in whole numbers, by enumerated words.
        reason: One line that says why there was nothing to do or to propose; else empty.
    """

    counts: Mapping[str, int]
    reason: str = ""


def last_done(runs: Iterable[Run], job: str, now: datetime) -> str | None:
    """Give the newest period that the job has done; None before the first.

    A run that started in the future proves that the clock was wrong then, and counts for
    nothing: better a period again, which changes nothing, than a period lost.
    """
    done = (
        run.period for run in runs if run.job == job and run.outcome is RunOutcome.DONE and _past(run, now)
    )
    return max(done, default=None)


def attempts(runs: Iterable[Run], job: str, period: str) -> int:
    """Count the runs of a job at a period, whatever came of them."""
    return sum(run.job == job and run.period == period for run in runs)


def retry_at(runs: Iterable[Run], job: str, period: str, now: datetime) -> datetime | None:
    """Give from when on a failed period is tried again; None where it did not fail.

    The wait doubles from 30 minutes to 8 hours with each failure.
    """
    failed = [
        run
        for run in runs
        if (run.job, run.period, run.outcome) == (job, period, RunOutcome.FAILED) and _past(run, now)
    ]
    if not failed:
        return None
    doublings = min(len(failed) - 1, 10)  # 2**10 half hours are far beyond LAST_RETRY
    return failed[-1].finished_at + min(FIRST_RETRY * (1 << doublings), LAST_RETRY)


def _past(run: Run, now: datetime) -> bool:
    return run.started_at <= now + AHEAD
