"""Approve one proposal without the review screen.

Reads   memory/state/proposals/, the gated files, audit/
Writes  audit/decisions/ and the audit log
Changes no memory: 'nightledger apply' does, when the cooling period is over.
"""

import argparse

from nightledger.gate.review.reviewing import Verb
from nightledger.surfaces.answering import answer_one
from nightledger.surfaces.context import Context

OPTIONS = {
    "id": "the proposal, or the beginning of its id",
    "--only": ("1,3", "only these changes; the rest stay as they are"),
    "--diff-sha256": ("HEX", "sign only if the diff has this SHA-256 ('show --json' gives it)"),
}


def run(options: argparse.Namespace, context: Context) -> int:
    """Show the diff and sign it."""
    return answer_one(context, options.id, options.only, Verb.APPROVE, diff_sha256=options.diff_sha256)
