"""Pin entries of memory: no policy lets them go. Or tag them, so that they fade at another rate.

An entry is named by its id, the beginning of it, or its place as 'recall' prints it
(MEMORY.md:15, MEMORY.md:15-16); some of its words list the entries that fit.
Without an entry what is pinned or tagged is listed. A pin is signed and counts at once; it
changes no bytes.

--tag self/value, self/constraint, self/goal   durable: fades ten times slower
--tag self/style, self/context                 says what it is; fades as before
--tag observation                              ephemeral: fades five times faster

Reads   the gated files, audit/
Writes  audit/decisions/, the audit log
Changes no memory.
"""

import argparse

from nightledger.domain.decision import DecisionType
from nightledger.surfaces.context import Context
from nightledger.surfaces.pinning import Asked, mark, show_marks


def configure(parser: argparse.ArgumentParser) -> None:
    """Name the options of ``pin``."""
    parser.add_argument(
        "entry", nargs="*", help="its id, the beginning of it, its place (MEMORY.md:15), or some of its words"
    )
    parser.add_argument("--tag", metavar="TAG", default="", help="give it a tag instead")


def run(options: argparse.Namespace, context: Context) -> int:
    """List, or sign."""
    if not options.entry:
        return show_marks(context)
    return mark(context, Asked(kind=DecisionType.PIN, words=options.entry, tag=options.tag))
