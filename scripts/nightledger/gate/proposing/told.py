"""What the texts of a home tell as secrets: a value told on one line is masked on every other.

Invariant: whatever shows a change masks the values that the gated files and the changes shown
with it tell; a file that cannot be read tells nothing and stops nothing.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress

from nightledger.domain.errors import NightledgerError
from nightledger.domain.proposal import Change, Proposal
from nightledger.files.home import Home
from nightledger.gate.gated import read_gated
from nightledger.text.changes.place import Placed, place
from nightledger.text.changes.veil import HOLE, secrets_between
from nightledger.text.scanners.scan import told_values
from nightledger.text.scanners.secrets import SHORTEST_REPEATED

NOTHING: frozenset[str] = frozenset()
"""What an empty file tells."""


def told_by(documents: Mapping[str, str], proposals: Iterable[Proposal]) -> frozenset[str]:
    """Give the values that gated files and proposals tell as secrets.

    Args:
        documents: Each gated file's text, by path.
        proposals: Those that are shown.
    """
    changes = [change for proposal in proposals for change in proposal.changes]
    texts = [*documents.values(), *(text for change in changes for text in _texts(change))]
    veiled = (frozenset(_behind_holes(documents, change)) for change in changes)
    return NOTHING.union(*map(told_values, dict.fromkeys(texts)), *veiled)


def _behind_holes(documents: Mapping[str, str], change: Change) -> Iterator[str]:
    """Give what stands in a file where a change has holes: the line that told it may be gone by now."""
    hunk, document = change.hunk, documents.get(change.target, "")
    placed = place(document, hunk) if HOLE in hunk.removed else None
    if isinstance(placed, Placed):
        found = secrets_between(document[placed.start : placed.end], hunk.removed)
        yield from (value for value in found if len(value) >= SHORTEST_REPEATED and " " not in value)


def told_at_home(home: Home, proposals: Iterable[Proposal]) -> frozenset[str]:
    """Give what the gated files of now and proposals tell; see :func:`told_by`."""
    return told_by(_documents(home), proposals)


def _documents(home: Home) -> dict[str, str]:
    documents = {}
    for path in home.identity.gated:
        with suppress(NightledgerError):
            documents[path] = read_gated(home, path).decode("utf-8", "surrogateescape")
    return documents


def _texts(change: Change) -> Iterable[str]:
    return (change.hunk.removed, change.hunk.added, change.before, change.after, change.reason)
