"""Protected files as the guard sees them: their changes are told, never taken back by us.

Invariant: files of ours that change by themselves (the log, its checkpoint), trust files (the
constitution among them) and the consent graph, which count as far as they were signed, are not
among them.
"""

from collections.abc import Mapping

from nightledger.domain.consent import PROTECTED_FILES
from nightledger.domain.errors import NightledgerError
from nightledger.domain.states import Book
from nightledger.files.home import Home
from nightledger.files.reading import read_optional
from nightledger.gate.gated import read_gated

MAX_PROTECTED_BYTES = 8 << 20
"""More than any host reads; a larger file is looked at by nobody. Our choice."""


def protected_now(home: Home) -> dict[str, bytes]:
    """Give the bytes of the protected files that are there and can be read."""
    found = {}
    for path in PROTECTED_FILES:
        try:
            content = read_optional(home.path(path), MAX_PROTECTED_BYTES, within=home.root)
        except NightledgerError:
            continue
        if content is not None:
            found[path] = content
    return found


def read_watched(home: Home, path: str) -> bytes:
    """Give the bytes of a gated or a watched protected file; none where it is missing.

    Raises:
        UnreadableError: It is no regular file of this home, or too large.
        RefusedError: It is neither.
    """
    if path not in PROTECTED_FILES:
        return read_gated(home, path)
    return read_optional(home.path(path), MAX_PROTECTED_BYTES, within=home.root) or b""


def first_seen(book: Book, present: Mapping[str, bytes]) -> tuple[str, ...]:
    """Give the files that the log does not know yet, sorted."""
    return tuple(sorted(set(present) - set(book.protected) - set(book.gated)))
