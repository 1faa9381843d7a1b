"""How ``status`` tells of what was changed outside the gate."""

from collections.abc import Iterator

from nightledger.domain.states import Book
from nightledger.files.home import Home
from nightledger.gate.integrity.checking import DISPUTED, accepted_since, find_drift, find_unsettled


def drift_alarms(home: Home, book: Book) -> Iterator[tuple[str, str, str]]:
    """Give kind, message and next step of each: gated files first, then protected ones."""
    drifted = find_drift(home, book)
    for path in home.identity.gated:
        if book.is_disputed(path):
            hint = "'nightledger verify' names the entry, and 'nightledger review' asks about what stands in the file"
            yield "integrity", f"{path}: {DISPUTED}", hint
    for path in drifted:
        at = accepted_since(home, book, path)
        message = f"{path} is not as it was last signed: it was changed outside the gate"
        if at:
            message = f"{path} went back to what was accepted on {at:%Y-%m-%d %H:%M} UTC"
        yield "drift", message, "'nightledger review' asks about each hunk"
    for path in find_unsettled(home, book):
        if path not in drifted:
            message = f"{path}, a protected file, has changed since it was first seen or acknowledged"
            yield "changed", message, "'nightledger review' shows how; it is never changed by us"
