"""Forget one entry of memory: it is taken out, and not learned again.

ID is an entry's id or the beginning of it, its place as 'recall' prints it (MEMORY.md:15), or
PROPOSAL#N (also PROPOSAL:N) for what an applied change put in; some words of an entry list those
that fit. The removal is proposed and signed in
one go where your key is at hand; else it waits for 'nightledger review'. It cools like any other
change and can be undone for a week. From the signature on, what says the same in other words is
held back, whatever new evidence it has, until the forgetting is undone.

What must not stay anywhere, a leaked secret for example, is for 'nightledger expunge'.

Reads   the gated files, audit/
Writes  memory/state/proposals/, audit/decisions/, the audit log
Changes no memory: 'nightledger apply' does, when the cooling period is over.
"""

import argparse

from nightledger.surfaces.context import Context
from nightledger.surfaces.forgetting import forget_one


def configure(parser: argparse.ArgumentParser) -> None:
    """Name the options of ``forget``."""
    parser.add_argument(
        "id", help="the entry's id or the beginning of it, its place, PROPOSAL#N, or some of its words"
    )
    parser.add_argument("--dry-run", action="store_true", help="show what would go, and propose nothing")


def run(options: argparse.Namespace, context: Context) -> int:
    """Show it, propose it, sign it."""
    return forget_one(context, options.id, dry_run=options.dry_run)
