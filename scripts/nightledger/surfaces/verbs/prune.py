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
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context
from nightledger.surfaces.session import reading, writing

MOST_NAMED = 20
"""Things left alone that are named one by one; ``--json`` names all."""
_IN_ORDER = frozenset({"bridge", "pinned", "referenced", "refused", "short", "summary"})
"""Reasons to leave something alone that ask nothing of the operator: these are only counted."""
_WHY = {
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
_COUNTED = {
    "referenced": "on which a sure link rests",
    "pinned": "pinned",
    "consent": "about what the consent graph blocks",
    "bridge": "holding groups of tags together",
    "no_date": "without a date",
    "impossible_date": "with an impossible date",
    "future_date": "with a date still to come",
    "revisit": "to be looked at again later",
    "of_section": "speaking for a section",
    "twice": "standing there twice",
    "refused": "left at your word (--again asks anew)",
    "short": "too short to gain by it",
    "summary": "a summary already",
    "odd_file": "no plain file",
}
"""What stays, as it is counted."""
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
        context.print_lines(screen.wrap(f"Nothing pruned: {pruned.reason}.", first="", indent="  "))
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
    def say(text: str, first: str = "  ", indent: str = "    ") -> None:
        context.print_lines(screen.wrap(text, first=first, indent=indent))

    one, many, old, aim = _NOUNS[tally.op.value]
    counts = [f"{tally.old} {old}"]
    counts += [f"{count} {_COUNTED[word]}" for word, count in tally.kept.items()]
    counts += [
        f"{count} {word}"
        for count, word in (
            (tally.waiting, "waiting for your answer already"),
            (tally.suppressed, "answered before"),
            (tally.closed, "closed, for they hold no longer"),
            (tally.no_room, "left for another run"),
            (tally.months_left, "more months for another run"),
        )
        if count
    ]
    noun = one if tally.looked == 1 else many
    verb = "would be proposed" if dry_run else "proposed"
    say(f"{tally.looked:,} {noun}: {', '.join(counts)}; {tally.proposed} {verb} {aim}.", "", "  ")
    for proposal in tally.proposals:
        say(f"{'' if dry_run else f'{proposal.id}: '}{screen.shown(proposal.title)}")
    named = [left for left in tally.left if left.what and left.kept not in _IN_ORDER]
    for left in named[:MOST_NAMED]:
        why = screen.shown(left.detail) or _WHY[left.kept.value]
        say(f"left alone: {screen.shown(left.what)}: {why}")
    if len(named) > MOST_NAMED:
        say(f"and {len(named) - MOST_NAMED} more; --json names them all")
    for reason in tally.unfit:
        say(f"not proposed: {screen.shown(reason)}")
