"""Look for what may be let go, and propose it: weak links, closed entries, old daily logs.

Reads   outcomes, the gated files, daily logs, the audit log and what it refers to
Writes  memory/state/proposals/, memory/state/tc-prune-request.json, the audit log
Changes no memory: it proposes.
"""

import argparse
from typing import Any

from nightledger.codec.records import to_plain
from nightledger.domain.periods import log_day
from nightledger.domain.proposal import Op
from nightledger.domain.pruning import CLOSED_DAYS, LINK_DAYS, LOG_DAYS
from nightledger.files.configuration import home_zone
from nightledger.jobs.prune import EVERYTHING, Asked, Pruned, Tally, prune
from nightledger.surfaces.context import Context
from nightledger.surfaces.hints import say
from nightledger.surfaces.session import reading, writing

MOST_NAMED = 20
"""Things left alone that are named one by one; ``--json`` names all."""
_KEPT = {
    "referenced": "on which a sure link rests",
    "pinned": "pinned",
    "bridge": "holding groups of tags together",
    "refused": "left at your word (--again asks anew)",
    "short": "too short to gain by it",
    "summary": "a summary already",
}
"""Reasons to leave something alone that ask nothing of the operator: these are only counted."""
_ODD = {
    "consent": "it names what the consent graph blocks",
    "no_date": "it does not say since when it is over",
    "impossible_date": "its date is none",
    "future_date": "its date is still to come",
    "revisit": "it is to be looked at again, on a day still to come",
    "of_section": "it is nothing but a status, and speaks for its section",
    "twice": "it stands there twice, in the same words",
    "odd_file": "it is no plain file of its own",
}
"""The other reasons, each as the operator reads it behind the place of what stays."""
_COUNTS = {
    "waiting": "waiting for your answer already",
    "suppressed": "answered before",
    "closed": "closed, for they hold no longer",
    "no_room": "left for another run",
    "months_left": "more months for another run",
}
_NOUNS = {
    "delete_link": (
        "link",
        "links",
        f"seen in one session only and not for {LINK_DAYS} days",
        "to forget",
    ),
    "archive": ("entry", "entries", f"closed for more than {CLOSED_DAYS} days", "to archive"),
    "compress": ("daily log", "daily logs", f"older than {LOG_DAYS} days", "to compress"),
}


OPTIONS = {
    "--links": "look at links",
    "--entries": "look at entries of the gated files",
    "--logs": "look at daily logs (default: at all three)",
    "--dry-run": "show what would be proposed, and write nothing",
    "--again": "also ask about daily logs that you rejected or took back",
}


def run(options: argparse.Namespace, context: Context) -> int:
    """Prune, and say what was proposed and what was left alone."""
    with reading(context) if options.dry_run else writing(context) as session:
        today = log_day(session.moment.at, home_zone(session.gate.home, session.gate.settings))
        asked = Asked(today=today, ops=_ops(options), dry_run=options.dry_run, again=options.again)
        pruned = prune(session.gate, session.ledger, asked, session.moment)
    _report(context, pruned, dry_run=options.dry_run)
    return 0


def _ops(options: argparse.Namespace) -> tuple[Op, ...]:
    chosen = ((options.links, Op.DELETE_LINK), (options.entries, Op.ARCHIVE), (options.logs, Op.COMPRESS))
    return tuple(op for is_asked, op in chosen if is_asked) or EVERYTHING


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
        "left": [to_plain(left) for left in tally.left if left.what],
    }


def _say(context: Context, tally: Tally, *, dry_run: bool) -> None:
    one, many, old, aim = _NOUNS[tally.op.value]
    odd = sum(count for word, count in tally.kept.items() if word not in _KEPT)
    counts = [f"{tally.old} {old}"]
    counts += [f"{count} {_KEPT[word]}" for word, count in tally.kept.items() if word in _KEPT]
    counts += [f"{odd} left alone"] if odd else []
    counts += [f"{count} {told}" for name, told in _COUNTS.items() if (count := getattr(tally, name))]
    noun, verb = one if tally.looked == 1 else many, "would be proposed" if dry_run else "proposed"
    say(context, f"{tally.looked:,} {noun}: {', '.join(counts)}; {tally.proposed} {verb} {aim}.")
    named = [left for left in tally.left if left.what and left.kept in _ODD]
    told = [f"{'' if dry_run else f'{made.id}: '}{made.title}" for made in tally.proposals]
    told += [
        f"left alone: {left.what}: {left.detail or _ODD[left.kept.value]}" for left in named[:MOST_NAMED]
    ]
    told += [f"and {len(named) - MOST_NAMED} more; --json names them all"] * (len(named) > MOST_NAMED)
    told += [f"not proposed: {reason}" for reason in tally.unfit]
    say(context, *told, first="  ", indent="    ")
