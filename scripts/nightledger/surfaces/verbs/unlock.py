"""Remove the operating system's locks from gated and protected files and from the audit log.

Reads   the files' flags
Writes  the files' flags, the audit log
Changes no memory.
"""

from nightledger.surfaces.verbs.lock import run

__all__ = ["run"]
