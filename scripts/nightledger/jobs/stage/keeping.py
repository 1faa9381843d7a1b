"""What a page is made of, and how long it holds where nothing of that changes (``gate/kept_page.py``); its record."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from msgspec.structs import asdict

from nightledger.domain.periods import DAY, local_moment
from nightledger.domain.staging.page import parse_page
from nightledger.domain.staging.values import Routine
from nightledger.files.configuration import OPERATOR, home_zone, load_operator
from nightledger.files.shipped import SHIPPED
from nightledger.gate.kept_page import Basis, keep
from nightledger.gate.opening import Gate
from nightledger.hosts.presets import preset
from nightledger.jobs.stage.inquiry import stamp

if TYPE_CHECKING:
    from nightledger.jobs.stage import Staged

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def basis_of(gate: Gate) -> Basis:
    """Return how all that a page is made of looks now: to be asked before anything of it is read.

    Raises:
        NightledgerError: What was shown, or the operator's file, cannot be read.
    """
    home, keys_dir = gate.home, os.fspath(gate.ring.directory)
    code = (one for one, _, _ in os.walk(_PACKAGE) if not one.endswith("__pycache__"))
    blobs = (one for one, _, _ in os.walk(home.blobs_dir))
    logs = map(home.path, preset(home.identity.host).daily)
    folders = [
        *(home.config_dir, home.system_dir, home.proposals_dir, home.link_index_dir, home.archive_dir),
        *(
            home.archive_daily_dir,
            home.audit_dir,
            home.checkpoints_dir,
            home.decisions_dir,
            home.quarantine_dir,
        ),
        *(os.fspath(gate.ring.home_dir(home.identity.id)), SHIPPED, *logs, *blobs, *code),
    ]
    operator = load_operator(keys_dir)
    beside = (home.handoff, os.path.join(keys_dir, OPERATOR), *operator.rule_files)
    return Basis(home, list(dict.fromkeys(folders)), [*home.gated_paths(), *beside])


def keep_page(
    gate: Gate,
    basis: Basis,
    staged: "Staged",
    routines: tuple[Routine, ...],
    now: datetime,
    *,
    by_the_hour: bool,
) -> None:
    """Keep what a page was made of, where only a changed file or time can make it another.

    Args:
        gate: The home.
        basis: What the page is made of, as it was before it was made.
        staged: What was staged.
        routines: When these begin or end, the page is another.
        now: Aware, UTC.
        by_the_hour: Whether the page depends on the hour, as that of associations does.
    """
    keys_dir = os.fspath(gate.ring.directory)
    until = min(_ends(routines, now, home_zone(gate.home, gate.settings), by_the_hour=by_the_hour))
    told: dict[str, Any] = {
        "record": {**record_of(staged), "changed": False},
        "since": now.timestamp(),
        "until": until.timestamp(),
        "calendars": bool(load_operator(keys_dir).calendars),
    }
    keep(gate.home, keys_dir, basis, told)


def _ends(
    routines: tuple[Routine, ...], now: datetime, zone: ZoneInfo, *, by_the_hour: bool
) -> Iterator[datetime]:
    """Give when time alone makes another page: a day ends, here or in UTC, an hour does, a routine begins or ends."""
    today = now.astimezone(zone).date()
    times = {time(), *(at for one in routines for at in (one.begins, one.ends))}
    yield from (
        at for one in times for day in (today, today + DAY) if (at := local_moment(day, one, zone)) > now
    )
    yield datetime.combine(now.date() + DAY, time(), UTC)
    if by_the_hour:
        yield now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)


def record_of(staged: "Staged") -> dict[str, Any]:
    """Return a staging as ``--json`` has it."""
    page = parse_page(staged.text)
    lines = page.lines if page else ()
    return {
        "changed": staged.changed,
        "tokens": staged.tokens,
        "budget_tokens": staged.budget,
        "good_until": stamp(staged.good_until),
        "lines": [
            {
                "source": one.source.value,
                "line": line,
                "place": one.place,
                "why": one.why,
                "score": one.score,
                "until": stamp(one.until) if one.until else None,
                "shown": list(one.shown),
            }
            for one, line in zip(staged.lines, lines, strict=True)
        ],
        "left_out": asdict(staged.left_out),
        "held": dict(staged.held),
        "notes": list(staged.notes),
        "text": staged.text,
    }
