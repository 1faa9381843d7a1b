"""Take a pin, or with --tag a tag, from entries of memory.

Reads   the gated files, audit/
Writes  audit/decisions/, the audit log
Changes no memory: from now on the retention policy judges them like any other.
"""

from nightledger.surfaces.verbs.pin import run

__all__ = ["OPTIONS", "run"]

OPTIONS = {
    "entry": {
        "nargs": "+",
        "help": "its id, the beginning of it, its place (MEMORY.md:15), or some of its words",
    },
    "--tag": {"metavar": "TAG", "default": "", "help": "take this tag instead"},
}
