"""Which entries of memory have faded: archive them, show mercy, or leave them.

Every entry is judged by the retention policy (docs/decisions/0042). On a terminal you are asked
about each that has faded: y archives it (proposed, signed once at the end, cools like any other
change, and can be undone), n shows mercy (it counts as made anew), q leaves it and the rest as they
are, which is also what a bare return does. Y and N answer for all that are left. Without a
terminal the counts are printed and nothing is done.

Reads   the gated files, outcomes, exposures, reinforcements, audit/
Writes  memory/state/proposals/, audit/, memory/system/reinforcements.jsonl
Changes no memory: 'nightledger apply' does, when the cooling period is over.
"""

import argparse

from nightledger.surfaces.context import Context
from nightledger.surfaces.hygiene import Wishes, clean


def configure(parser: argparse.ArgumentParser) -> None:
    """Name the options of ``hygiene``."""
    parser.add_argument(
        "--policy", choices=("measured", "classic"), default="measured", help="which rule judges"
    )
    parser.add_argument(
        "--project",
        metavar="TAG",
        default="",
        help="only entries with this tag: signed, a heading, a #hashtag",
    )
    parser.add_argument(
        "--compare", action="store_true", help="show both policies side by side, and ask nothing"
    )
    parser.add_argument("--all", action="store_true", help="list every entry that has faded")
    parser.add_argument(
        "--force",
        action="store_true",
        help="archive all that faded without asking; it is signed all the same",
    )
    parser.add_argument("--dry-run", action="store_true", help="look, and do nothing")


def run(options: argparse.Namespace, context: Context) -> int:
    """Judge, say, ask, do."""
    return clean(
        context,
        Wishes(
            policy=options.policy,
            project=options.project,
            compare=options.compare,
            every=options.all,
            force=options.force,
            dry_run=options.dry_run,
        ),
    )
