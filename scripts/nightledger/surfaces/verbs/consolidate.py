"""Distil a day's logs and outcomes into proposed changes.

Reads   daily logs, memory/system/outcome-records.jsonl, the gated file
Writes  memory/state/proposals/, memory/system/consolidation-log.jsonl, the
        audit log
Changes no memory: it proposes.
"""

import argparse
from datetime import date, timedelta

from msgspec.structs import replace

from nightledger.codec.records import to_plain
from nightledger.domain.errors import UsageError
from nightledger.domain.periods import log_day
from nightledger.domain.proposal import Proposal
from nightledger.domain.words import count_of
from nightledger.files.configuration import home_zone, load_settings
from nightledger.files.home import Home
from nightledger.jobs.consolidate import Asked, Done, consolidate
from nightledger.surfaces import screen
from nightledger.surfaces.analyst import analyst_of, ask_ahead, consolidating, tell_analyst
from nightledger.surfaces.context import Context
from nightledger.surfaces.screen import say
from nightledger.surfaces.session import require_machine, writing
from nightledger.surfaces.verbs.recall import read_day

SHOWN = 3
"""Texts that scanners held back which are named; the rest is counted."""


def run(options: argparse.Namespace, context: Context) -> int:
    """Consolidate, and say what was proposed or why nothing was."""
    home = Home(context.home_path).require()
    require_machine(home)
    zone = home_zone(home, load_settings(home))
    yesterday = log_day(context.moment.at, zone) - timedelta(days=1)
    day = read_day(options.day, "--day") or yesterday
    _require_over(day, yesterday, zone.key)
    analyst = analyst_of(context.keys_dir, home, context.moment.at, "draft", dry_run=options.dry_run)
    asked = Asked(day=day, since=read_day(options.since, "--since"), dry_run=options.dry_run)
    asked = replace(asked, analyst=ask_ahead(context, analyst, consolidating(asked)))
    with writing(context) as session:
        done = consolidate(session.gate, session.ledger, asked, session.moment)
    _report(context, done, dry_run=options.dry_run)
    return 0


def _require_over(day: date, yesterday: date, zone: str) -> None:
    """Refuse a day whose log may still grow: its night would have read half of it.

    Raises:
        UsageError: It is not over in the home's zone.
    """
    if day > yesterday:
        raise UsageError(
            f"--day {day} is not over in the home's zone, {zone}",
            hint=f"the newest day that is over is {yesterday}; the night reads each day once it is",
        )


def _report(context: Context, done: Done, *, dry_run: bool) -> None:
    context.emit(to_plain(done.record))
    held, record = done.outcome.held, done.record
    say(context, *(f"held back: {one.path}:{one.line} ({', '.join(one.rules)})" for one in held[:SHOWN]))
    if more := len(held[SHOWN:]):
        context.print(f"and {more} more{'' if dry_run else ': nightledger status --held'}")
    for reason in record.skipped:
        context.print(f"passed over: {screen.shown(reason)}")  # it may hold a command to copy
    if record.analyst:
        tell_analyst(context, record.analyst)
    for proposal in filter(None, (done.proposal, done.skill)):
        _report_proposal(context, proposal, dry_run=dry_run)
    if record.reason:
        nothing = done.proposal is None and done.skill is None
        say(context, f"{'Nothing' if nothing else 'Not'} proposed: {record.reason}.")


def _report_proposal(context: Context, proposal: Proposal, *, dry_run: bool) -> None:
    changes = count_of(len(proposal.changes), "change")
    review = "" if context.guided else "; 'nightledger review' shows them"
    made = f"{proposal.id}: {changes} proposed{review}."
    say(context, f"Would propose {changes}; nothing was written (--dry-run)." if dry_run else made)
    for change in () if context.guided else proposal.changes:
        told = f"{screen.headline(change)}: {screen.shown(change.after or change.before)}"
        context.print_lines(screen.wrap(told, first="  ", indent="    "))
