"""Messages between machines: signed, each taken in once, over HTTP or a shared directory.

  keygen [--next | --use-next]         this machine's public line
  peer list | add NAME | remove NAME   who may send, and what (signed)
  send ACTION --to NAME [--body FILE]  one message and its answer
  serve [--listen ADDRESS] [--port N]  answer over HTTP
  receive                              empty the shared directories, once (cron)
  status                               last contact, what waits, dead letters

Reads   peers.json by the log, operator.yaml in $NIGHTLEDGER_KEYS (addresses)
Writes  what a message brings about: proposals, decisions, the audit log
Changes no memory: whatever a message asks for waits for the operator's signature.
"""

import argparse

from nightledger.surfaces.context import Context

COMMANDS = ("keygen", "peer", "send", "serve", "receive", "status")
PORT = 18_799
LIFETIME_S = 86_400


def configure(parser: argparse.ArgumentParser) -> None:
    """Name the options of ``channel``."""
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND", help=", ".join(COMMANDS))
    parser.add_argument("words", nargs="*", help=argparse.SUPPRESS)
    keygen = parser.add_argument_group("keygen")
    keygen.add_argument(
        "--next", action="store_true", help="make the key that is to take over; print its line"
    )
    keygen.add_argument("--use-next", action="store_true", help="let it take over; every peer must know it")
    peer = parser.add_argument_group("peer")
    peer.add_argument("--line", metavar="LINE", help="what 'channel keygen' prints on that machine")
    peer.add_argument("--actions", metavar="A,B", help="what it may ask for")
    peer.add_argument("--valid-after", metavar="TIME", help="its key counts from then on")
    peer.add_argument("--valid-before", metavar="TIME", help="its key counts until then")
    send = parser.add_argument_group("send")
    send.add_argument("--to", metavar="NAME", help="the machine, as 'channel peer list' names it")
    send.add_argument("--body", metavar="FILE", help="what the action needs, JSON; - is standard input")
    send.add_argument(
        "--lifetime", metavar="S", type=int, default=LIFETIME_S, help="how long it is good (default: a day)"
    )
    send.add_argument("--retry", metavar="1,5,30", help="seconds before each further try")
    serve = parser.add_argument_group("serve")
    serve.add_argument("--listen", metavar="ADDRESS", default="127.0.0.1", help="default: 127.0.0.1")
    serve.add_argument("--port", metavar="N", type=int, default=PORT, help=f"default: {PORT}")
    serve.add_argument(
        "--insecure-plain-http",
        action="store_true",
        help="listen beyond this machine; whoever is on the way can read, not change, what is said",
    )


def run(options: argparse.Namespace, context: Context) -> int:
    """Do what the command says: each is a function of ``channel/commands.py``."""
    from nightledger.remote import channel as commands

    status: int = getattr(commands, options.command)(options, context)
    return status
