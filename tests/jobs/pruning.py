"""A home that has things to let go: old logs, closed entries, weak links; and the weekly run over it."""

from datetime import date
from pathlib import Path
from typing import Any

from tests.gate.homes import Desk
from tests.jobs.nights import Nights

from nightledger.domain.periods import log_day
from nightledger.domain.proposal import Op
from nightledger.files.configuration import home_zone
from nightledger.jobs.prune import Pruned, Tally, prune

LESSON = "- Lesson: water the basil in the morning, or mildew comes by the evening"
LOG = (
    "\n".join(
        ["# Greenhouse", "", LESSON, "", *(f"- Looked at lamp {n} in the long corridor" for n in range(40))]
    )
    + "\n"
)
CLOSED = "- The pump leaks. STATUS: Resolved (2025-11-03)\n"


def today_of(desk: Desk) -> date:
    """Give the date in the home's zone."""
    return log_day(desk.moment.at, home_zone(desk.home, desk.gate.settings))


def run(nights: Nights, *, dry_run: bool = False) -> Pruned:
    """Prune as the weekly job does."""
    desk = nights.desk
    return prune(desk.gate, desk.ledger(), today_of(desk), desk.moment, dry_run=dry_run)


def tally(nights: Nights, op: Op, **asked: Any) -> Tally:
    """Prune, and give the tally of one kind."""
    return next(one for one in run(nights, **asked).tallies if one.op is op)


def remember(nights: Nights, *entries: str) -> None:
    """Put entries into MEMORY.md by the operator's hand."""
    text = nights.desk.text().rstrip("\n")
    nights.desk.edit(f"{text}\n\n### Projects\n\n{''.join(entries)}".encode())


def left(found: Tally) -> dict[str, str]:
    """Give what stays and why."""
    return {item.what: item.kept.value for item in found.left}


def answer(nights: Nights, found: Tally) -> None:
    """Approve and apply everything that was proposed."""
    for proposal in found.proposals:
        nights.desk.approve(proposal)
    nights.desk.wait(hours=3)
    nights.desk.apply()


def read(nights: Nights, path: str) -> bytes:
    """Give a file of the home; empty where it is missing."""
    file = Path(nights.desk.home.path(path))
    return file.read_bytes() if file.exists() else b""
