"""Reinforce what proved useful and the constitution; propose to let go of what faded.

Due after each 40 active hours (hours in which the agent recorded or was shown something);
the night calls it. The five entries that proved most useful in the period are reinforced,
and every principle, once a period. Weak links and faded entries are proposed only;
--ask asks about each faded entry now (curate --ask --help).

Reads   memory/system/, MEMORY.md, audit/
Writes  memory/system/reinforcements.jsonl, memory/state/proposals/, the audit log
Changes no memory: it proposes.
"""

import argparse

from nightledger.codec.records import to_plain
from nightledger.jobs.curate import curate
from nightledger.surfaces.context import Context
from nightledger.surfaces.hints import say
from nightledger.surfaces.session import reading, writing

OPTIONS = {
    "--dry-run": "say what would be done, and write nothing",
}


def run(options: argparse.Namespace, context: Context) -> int:
    """Curate, and say what came of it."""
    with reading(context) if options.dry_run else writing(context) as session:
        done = curate(session.gate, session.ledger, session.moment, dry_run=options.dry_run)
    context.emit(to_plain(done))
    if not done.periods:
        context.print(f"Nothing to do: {done.reason}.")
        return 0
    would, is_ = ("Would reinforce", "would be") if options.dry_run else ("Reinforced", "is")
    say(
        context,
        f"{would} {done.reinforced} entries and {done.constitutional_reinforced} principles.",
        f"Weak links: {done.weak_links}. Faded entries: {done.faded}. Of these stay: {done.kept}.",
        *(f"{name} {is_} proposed; 'nightledger review' asks." for name in done.proposals),
        f"Not proposed: {done.reason}." if done.reason else "",
    )
    return 0
