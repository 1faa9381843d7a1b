"""Stage a small home, with everything that may provoke a line."""

from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec.structs import replace
from tests.gate.homes import Desk

from nightledger.domain.staging import Candidate, Event, Source, StagingRules
from nightledger.files.configuration import load_staging_rules
from nightledger.jobs.stage import Asked, Staged, stage
from nightledger.jobs.stage.inquiry import Shelves


def rules_of(desk: Desk, **changed: Any) -> StagingRules:
    return replace(load_staging_rules(desk.home), **changed)


def run(
    desk: Desk,
    *events: Event,
    problems: Sequence[tuple[str, str]] = (),
    dry_run: bool = False,
    **changed: Any,
) -> Staged:
    ledger = desk.ledger()
    with closing(Shelves(desk.gate, ledger, desk.moment)) as library:
        asked = Asked(
            rules=rules_of(desk, **changed),
            library=library,
            events=events,
            problems=tuple(problems),
            dry_run=dry_run,
        )
        return stage(desk.gate, ledger, asked, desk.moment)


def only(staged: Staged, source: Source) -> list[Candidate]:
    return [one for one in staged.lines if one.source is source]


def texts(staged: Staged, source: Source) -> list[str]:
    return [one.text for one in only(staged, source)]


def event(desk: Desk, title: str, *, hours: float = 1, **fields: Any) -> Event:
    starts = desk.moment.at + timedelta(hours=hours)
    values = {
        "starts_at": starts,
        "ends_at": starts + timedelta(hours=1),
        "all_day": False,
        "calendar": "work",
        "own": True,
    }
    return Event(title=title, **{**values, **fields})


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
