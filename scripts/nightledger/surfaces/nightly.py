"""Jobs of the night, called by name: consolidate, prune. Each reads, proposes and says what came of it."""

import argparse
from datetime import date, timedelta
from typing import Any

from nightledger.codec.records import to_plain
from nightledger.domain.errors import UsageError
from nightledger.domain.periods import log_day
from nightledger.domain.proposal import Proposal
from nightledger.domain.pruning import CLOSED_DAYS, LINK_DAYS, LOG_DAYS
from nightledger.domain.words import count_of
from nightledger.files.configuration import home_zone, load_settings
from nightledger.files.home import Home
from nightledger.jobs.consolidate import Asked, Done
from nightledger.jobs.prune import Pruned, Tally, prune
from nightledger.surfaces import screen
from nightledger.surfaces.analyst import consolidate_home, tell_analyst
from nightledger.surfaces.clock import YEARS
from nightledger.surfaces.context import Context
from nightledger.surfaces.screen import say, sentences
from nightledger.surfaces.session import reading, require_machine, writing
from nightledger.surfaces.verbs.recall import read_day

SHOWN = 3
"""Texts that scanners held back which are named; the rest is counted."""


def run_consolidate(options: argparse.Namespace, context: Context) -> int:
    """Distil a day's logs and outcomes into proposed changes.

    Reads   daily logs, memory/system/outcome-records.jsonl, the gated file
    Writes  memory/state/proposals/, memory/system/consolidation-log.jsonl, the
            audit log
    Changes no memory: it proposes.
    """
    home = Home(context.home_path).require()
    require_machine(home)
    zone = home_zone(home, load_settings(home))
    yesterday = log_day(context.moment.at, zone) - timedelta(days=1)
    day = read_day(options.day, "--day") or yesterday
    _require_over(day, yesterday, zone.key)
    since = read_day(options.since, "--since")
    done = consolidate_home(context, Asked(day=day, since=since, dry_run=options.dry_run))
    _report(context, done, dry_run=options.dry_run)
    return 0


def _require_over(day: date, yesterday: date, zone: str) -> None:
    """Refuse a day whose log may still grow: its night would have read half of it.

    Raises:
        UsageError: It is not over in the home's zone, or of a year before which no days can be counted.
    """
    if day.year < YEARS[0]:
        raise UsageError(f"--day {day} is too far away", hint=f"give a year from {YEARS[0]}")
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


_DAYS = {"links": LINK_DAYS, "closed": CLOSED_DAYS, "logs": LOG_DAYS}
MOST_NAMED = 20
"""Things left alone that are named one by one; ``--json`` names all."""


def run_prune(options: argparse.Namespace, context: Context) -> int:
    """Propose to let go of weak links, closed entries, old daily logs.

    Reads   outcomes, the gated files, daily logs, the audit log and what it refers
            to
    Writes  memory/state/proposals/, memory/state/tc-prune-request.json, the audit
            log
    Changes no memory: it proposes.
    """
    with reading(context) if options.dry_run else writing(context) as session:
        today = log_day(session.moment.at, home_zone(session.gate.home, session.gate.settings))
        pruned = prune(session.gate, session.ledger, today, session.moment, dry_run=options.dry_run)
    _report_pruned(context, pruned, dry_run=options.dry_run)
    return 0


def _report_pruned(context: Context, pruned: Pruned, *, dry_run: bool) -> None:
    context.emit(
        {
            "today": pruned.today.isoformat(),
            "dry_run": dry_run,
            "reason": pruned.reason,
            "kinds": [_record(tally) for tally in pruned.tallies],
        }
    )
    if pruned.reason:
        say(context, f"Nothing pruned: {pruned.reason}.")
    for tally in pruned.tallies:
        _say(context, tally, dry_run=dry_run)
    if dry_run:
        context.print("Nothing was written (--dry-run).")


def _record(tally: Tally) -> dict[str, Any]:
    return {
        **to_plain(tally),
        "proposed": tally.proposed,
        "proposals": [
            {"id": made.id, "period": made.period, "title": made.title, "changes": len(made.changes)}
            for made in tally.proposals
        ],
        "kept": tally.kept,
    }


def _say(context: Context, tally: Tally, *, dry_run: bool) -> None:
    told = sentences("prune")
    counted, odd = told["counted"], told["named"]
    one, many, old, aim = (text.format(**_DAYS) for text in told["nouns"][tally.op.value])
    left_alone = sum(count for word, count in tally.kept.items() if word not in counted)
    counts = [f"{tally.old} {old}"]
    counts += [f"{count} {counted[word]}" for word, count in tally.kept.items() if word in counted]
    counts += [f"{left_alone} left alone"] if left_alone else []
    counts += [f"{count} {text}" for name, text in told["counts"].items() if (count := getattr(tally, name))]
    noun, verb = one if tally.looked == 1 else many, "would be proposed" if dry_run else "proposed"
    say(context, f"{tally.looked:,} {noun}: {', '.join(counts)}; {tally.proposed} {verb} {aim}.")
    named = [left for left in tally.left if left.kept in odd]
    rows = [f"{'' if dry_run else f'{made.id}: '}{made.title}" for made in tally.proposals]
    rows += [f"left alone: {left.what}: {left.detail or odd[left.kept.value]}" for left in named[:MOST_NAMED]]
    rows += [f"and {len(named) - MOST_NAMED} more; --json names them all"] * (len(named) > MOST_NAMED)
    rows += [f"not proposed: {reason}" for reason in tally.unfit]
    say(context, *rows, first="  ", indent="    ")
