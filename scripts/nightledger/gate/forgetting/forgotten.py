"""What the operator had forgotten, as a fold of proposals, or expunged, as hashes in the log: nobody proposes it again.

Invariant: from when a forgetting is signed until it is undone, or its operator puts the very
words back, no job's and no agent's draft says it again, with new evidence or in other words. What
was expunged is not said again in the same words, whatever their case, punctuation and spacing.
"""

import hashlib
from collections.abc import Iterable, Sequence
from datetime import datetime

from nightledger.domain.judge import EDIT_LANE
from nightledger.domain.proposal import Kind
from nightledger.domain.states import Book, ChangeState
from nightledger.gate.opening import Gate, log_key
from nightledger.gate.stored import Stored, each_change
from nightledger.text.forgetting.forgotten import Forgotten
from nightledger.text.phrases import NO_PHRASES, HashedPhrases, hash_phrase, telling_lines
from nightledger.text.similar import fold

MOST_HASHES = 80
"""They stand in the reason of a decision, which has at most 2,000 characters."""
_SIGNED = frozenset({ChangeState.APPROVED, ChangeState.APPLIED})


def read_forgotten(gate: Gate, stored: Iterable[Stored], book: Book) -> Forgotten:
    """Return what is forgotten now.

    Args:
        gate: The home.
        stored: All proposals; none for what was expunged alone.
        book: What became of them.

    Raises:
        KeyFileError: Something was expunged, and the log's key, without which it is not known again, is missing.
    """
    changes = list(each_change(stored, book))
    taken_out = [
        (change.hunk.removed, status.since)
        for proposal, change, status in changes
        if proposal.kind is Kind.FORGET and status.state in _SIGNED
    ]
    put_back = _newest(
        (change.hunk.added, status.since)
        for proposal, change, status in changes
        if proposal.lane == EDIT_LANE or proposal.kind is Kind.REVERSAL
        if status.state is ChangeState.APPLIED
    )
    hashes = {one for each in book.withheld.values() for one in each}
    return Forgotten(
        (text for text, since in taken_out if since and put_back.get(fold(text), since) <= since),
        HashedPhrases(hashes, _key(gate)) if hashes else NO_PHRASES,
    )


def _newest(texts: Iterable[tuple[str, datetime | None]]) -> dict[str, datetime]:
    """Return when each wording was put in last."""
    newest: dict[str, datetime] = {}
    for text, since in texts:
        if text and since:
            newest[fold(text)] = max(since, newest.get(fold(text), since))
    return newest


def hash_expunged(gate: Gate, lines: Sequence[str]) -> tuple[str, ...]:
    """Return what is kept of an expunged text so that it is known again: keyed hashes of the lines that tell, the longest.

    Raises:
        KeyFileError: The log's key is missing.
    """
    key = _key(gate)
    hashes = dict.fromkeys(one for line in telling_lines(lines) for one in hash_phrase(line, key))
    return tuple(sorted(hashes, key=lambda one: -int(one.partition(":")[0]))[:MOST_HASHES])


def _key(gate: Gate) -> bytes:
    """Derive a key of its own from the log's: a copy of the home alone tells nobody whether a guess was the text."""
    private = log_key(gate).ed25519.private_bytes_raw()
    return hashlib.blake2b(private, digest_size=32, person=b"expunged-text-v1").digest()
