"""Cosign the logs of other machines, or have this home's log cosigned.

The protocol is C2SP tlog-witness.

On the machine that is the witness; it needs no home:
  keygen NAME     make a witness; prints the lines for a home's policy
  add WORD ...    cosign for a log: its verifier keys, or a home's policy file
  serve           answer over HTTP until it is told to stop

On the machine that writes the home:
  trust FILE      sign a policy: the witnesses and the quorum of FILE, with this
                  home's log
  ask             ask every witness now; nights and applies do so by themselves

Reads   the witness's directory, or audit/ and operator.yaml in
        $NIGHTLEDGER_KEYS
Writes  the witness's directory; audit/checkpoint, audit/cosigned,
        audit/checkpoints/
Changes no memory. trust is for the operator.
"""

import argparse
import os

from nightledger.remote import cosigner
from nightledger.surfaces.context import Context


def run(options: argparse.Namespace, context: Context) -> int:
    """Do what was asked for; 4 when a witness remembers a log that this one does not continue."""
    options.directory = os.path.abspath(options.dir or os.path.join(context.keys_dir, "witness"))
    status: int = getattr(cosigner, options.action)(options, context)
    return status
