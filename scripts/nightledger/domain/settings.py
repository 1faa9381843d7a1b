"""What an operator may set, with the defaults.

Invariant: a home's file can make the gate stricter than these defaults and never laxer;
the bounds stand in ``schemas/settings.schema.json``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import time

from nightledger.domain.cooling import Cooling
from nightledger.domain.frames import PUBLISHED, FrameRules
from nightledger.domain.lanes import Lanes


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The shipped ``config/nightledger.yaml`` with the home's own over it.

    Attributes:
        zone: IANA zone in which log days begin and end; None is the one recorded at ``init``.
        nightly_at: Local time at which the jobs of the day before are due.
        prune_at: Local time on Sundays at which the weekly pruning is due.
        catch_up_periods: How many missed periods one run of ``night`` makes up for each job.
        cap_characters: For each host, the characters of a memory file that it shows its
            agent; None where it shows all.
        cooling_hours: From a proposal's leaf to its earliest apply.
        cooling_after_signature_minutes: From its signature to its earliest apply.
        undo_days: How long an applied change can be undone.
        decision_expires_days: How long an approval that was not applied stays good.
        nightly_additions: Additions that all jobs together may propose for one period.
        waiting_changes: Changes of jobs that may wait at a time.
        reviewable_days: Days on which someone could have reviewed, after which a proposal is withdrawn.
        agent_waiting: Proposals of agents that may wait at a time.
        agent_bytes: Size of one agent's proposal, in bytes of UTF-8.
        pattern_sources: Sessions or days from which a pattern is learned.
        frames: How each frame of ``recall`` chooses.
    """

    zone: str | None = None
    nightly_at: time = time(3, 5)
    prune_at: time = time(3, 0)
    catch_up_periods: int = 7
    cap_characters: Mapping[str, int | None] = field(
        default_factory=lambda: {
            "openclaw": 20_000,
            "claude_code": None,
            "codex": None,
            "hermes": 2_200,
            "generic": None,
        }
    )
    cooling_hours: int = 2
    cooling_after_signature_minutes: int = 10
    undo_days: int = 7
    decision_expires_days: int = 7
    nightly_additions: int = 5
    waiting_changes: int = 15
    reviewable_days: int = 14
    agent_waiting: int = 3
    agent_bytes: int = 8192
    pattern_sources: int = 2
    frames: Mapping[str, FrameRules] = field(default_factory=lambda: dict(PUBLISHED))

    @property
    def cooling(self) -> Cooling:
        """The two waits before an apply."""
        return Cooling(
            after_proposal_s=self.cooling_hours * 3600,
            after_signature_s=self.cooling_after_signature_minutes * 60,
        )

    @property
    def lanes(self) -> Lanes:
        """How much may wait."""
        return Lanes(
            nightly_additions=self.nightly_additions,
            waiting_changes=self.waiting_changes,
            agent_waiting=self.agent_waiting,
            agent_bytes=self.agent_bytes,
            reviewable_days=self.reviewable_days,
        )


def stricter(one: Settings, other: Settings) -> Settings:
    """Give of each setting the stricter of two: longer waits and undo, smaller lanes and caps.

    The zone is the one recorded at ``init``; when jobs are due and how frames choose is the second's.
    """
    caps = [dict(settings.cap_characters) for settings in (one, other)]
    return Settings(
        nightly_at=other.nightly_at,
        prune_at=other.prune_at,
        catch_up_periods=min(one.catch_up_periods, other.catch_up_periods),
        cap_characters={
            host: _smaller(caps[0].get(host), caps[1].get(host)) for host in {**caps[0], **caps[1]}
        },
        cooling_hours=max(one.cooling_hours, other.cooling_hours),
        cooling_after_signature_minutes=max(
            one.cooling_after_signature_minutes, other.cooling_after_signature_minutes
        ),
        undo_days=max(one.undo_days, other.undo_days),
        decision_expires_days=min(one.decision_expires_days, other.decision_expires_days),
        nightly_additions=min(one.nightly_additions, other.nightly_additions),
        waiting_changes=min(one.waiting_changes, other.waiting_changes),
        reviewable_days=max(one.reviewable_days, other.reviewable_days),
        agent_waiting=min(one.agent_waiting, other.agent_waiting),
        agent_bytes=min(one.agent_bytes, other.agent_bytes),
        pattern_sources=max(one.pattern_sources, other.pattern_sources),
        frames=other.frames,
    )


def _smaller(one: int | None, other: int | None) -> int | None:
    known = [cap for cap in (one, other) if cap is not None]
    return min(known, default=None)
