"""What the texts of a home tell as secrets: a value told on one line is masked on every other.

Invariant: whatever shows a change masks the values that the gated files and the changes shown
with it tell; a file that cannot be read tells nothing and stops nothing.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress

from nightledger.domain.errors import NightledgerError
from nightledger.domain.proposal import Change, Proposal
from nightledger.files.home import Home
from nightledger.gate.gated import read_gated
from nightledger.text.scan import told_values

NOTHING: frozenset[str] = frozenset()
"""What an empty file tells."""


def told_by(documents: Mapping[str, str], proposals: Iterable[Proposal]) -> frozenset[str]:
    """Give the values that gated files and proposals tell as secrets.

    Args:
        documents: Each gated file's text, by path.
        proposals: Those that are shown.
    """
    texts = [*documents.values(), *(t for p in proposals for change in p.changes for t in _texts(change))]
    return NOTHING.union(*map(told_values, dict.fromkeys(texts)))


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
    """Give a change's texts, each as it stands between the lines around it: these may be what tells."""
    hunk = change.hunk
    for lines in (hunk.removed, hunk.added):
        yield f"{hunk.context_before}{lines}{hunk.context_after}"
    yield from (change.before, change.after, change.reason)
