"""Options of whatever searches; plain, because help and tags load them, too."""

import argparse


def add_filters(parser: argparse.ArgumentParser) -> None:
    """Name the options that narrow a query."""
    parser.add_argument("--since", metavar="DATE", help="only what is dated from this day on: 2026-02-28")
    parser.add_argument("--until", metavar="DATE", help="only what is dated up to this day")
    parser.add_argument(
        "--any-time",
        action="store_true",
        help="search all times, though the query names one: it is preferred then",
    )
    parser.add_argument(
        "--scope",
        metavar="KINDS",
        help="where to look: memory,daily,archive,outcome,handoff,principle",
    )
    parser.add_argument("--agent", action="store_true", help="answer as an agent is answered")
