"""Propose to let go of weak links, closed entries, old daily logs.

Reads   outcomes, the gated files, daily logs, the audit log and what it refers
        to
Writes  memory/state/proposals/, memory/state/tc-prune-request.json, the audit
        log
Changes no memory: it proposes.
"""

import argparse
from typing import Any

from nightledger.codec.records import to_plain
from nightledger.domain.periods import log_day
from nightledger.domain.pruning import CLOSED_DAYS, LINK_DAYS, LOG_DAYS
from nightledger.files.configuration import home_zone
from nightledger.jobs.prune import Pruned, Tally, prune
from nightledger.surfaces.context import Context
from nightledger.surfaces.screen import say, sentences
from nightledger.surfaces.session import reading, writing

_DAYS = {"links": LINK_DAYS, "closed": CLOSED_DAYS, "logs": LOG_DAYS}
MOST_NAMED = 20
"""Things left alone that are named one by one; ``--json`` names all."""


def run(options: argparse.Namespace, context: Context) -> int:
    """Prune, and say what was proposed and what was left alone."""
    with reading(context) if options.dry_run else writing(context) as session:
        today = log_day(session.moment.at, home_zone(session.gate.home, session.gate.settings))
        pruned = prune(session.gate, session.ledger, today, session.moment, dry_run=options.dry_run)
    _report(context, pruned, dry_run=options.dry_run)
    return 0


def _report(context: Context, pruned: Pruned, *, dry_run: bool) -> None:
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
