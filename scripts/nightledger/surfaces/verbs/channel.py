"""Messages between machines: signed, each taken in once.

They travel over HTTP or a shared directory.

  keygen [--new]                       this machine's public line
  peer list | add NAME | remove NAME   who may send, and what (signed)
  send ACTION --to NAME [--body FILE]  one message and its answer
  serve [--listen ADDRESS] [--port N]  answer over HTTP
  receive                              empty the shared directories, once (cron)
  status                               last contact, what waits, dead letters

Reads   peers.json by the log, operator.yaml in $NIGHTLEDGER_KEYS (addresses)
Writes  what a message brings about: proposals, decisions, the audit log
Changes no memory: whatever a message asks for waits for the operator's
signature.
"""

import argparse

from nightledger.surfaces.context import Context

COMMANDS = ("keygen", "peer", "send", "serve", "receive", "status")
OPTIONS = {
    "command": {"choices": COMMANDS, "metavar": "COMMAND", "help": ", ".join(COMMANDS)},
    "words*": argparse.SUPPRESS,
    "--new": "keygen: make another key, which signs from now on",
    "--line": ("LINE", "peer: what 'channel keygen' prints on that machine"),
    "--actions": ("A,B", "peer: what it may ask for"),
    "--to": ("NAME", "send: the machine, as 'channel peer list' names it"),
    "--body": ("FILE", "send: what the action needs, JSON; - is standard input"),
    "--listen": ("ADDRESS", "serve: default 127.0.0.1", "127.0.0.1"),
    "--port": ("N", "serve: default 18799", 18_799),
    "--insecure-plain-http": "serve: listen beyond this machine; whoever is on the way can read, not "
    "change, what is said",
}  # fmt: skip


def run(options: argparse.Namespace, context: Context) -> int:
    """Do what the command says: each is a function of ``remote/channel.py``."""
    from nightledger.remote import channel

    status: int = getattr(channel, options.command)(options, context)
    return status
