"""Messages between machines: signed, each taken in once.

They travel over HTTP or a shared directory.

  keygen [--new]                       this machine's public line
  peer list | add NAME | remove NAME   who may send, and what (signed)
  send ACTION --to NAME [--body FILE]  one message and its answer
  serve [--listen ADDRESS] [--port N]  answer over HTTP
  receive                              empty the shared directories, once (cron)

Reads   peers.json by the log, operator.yaml in $NIGHTLEDGER_KEYS (addresses)
Writes  what a message brings about: proposals, decisions, the audit log
Changes no memory: whatever a message asks for waits for the operator's
signature.
"""

import argparse

from nightledger.surfaces.context import Context


def run(options: argparse.Namespace, context: Context) -> int:
    """Do what the command says: each is a function of ``remote/channel.py``."""
    from nightledger.remote import channel

    status: int = getattr(channel, options.command)(options, context)
    return status
