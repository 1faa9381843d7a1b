"""Reject one proposal, with a reason.

Reads   memory/state/proposals/, audit/
Writes  audit/decisions/ and the audit log
Changes no memory. What was rejected returns only with new independent evidence.
A proposal whose file was altered or lost is closed, all of it: 'verify' then
names it as a note.
"""

import argparse

from nightledger.gate.reviewing import Verb
from nightledger.surfaces.context import Context
from nightledger.surfaces.verbs.approve import answer_one


def run(options: argparse.Namespace, context: Context) -> int:
    """Sign the rejection."""
    return answer_one(context, options.id, options.only, Verb.REJECT, reason=options.reason)
