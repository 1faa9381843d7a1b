"""What the operator had forgotten, expunged or deleted, as a fold of proposals and of the log: nobody proposes it again.

Invariant: from when a forgetting is signed until it is undone, or its operator puts the very
words back, no job's and no agent's draft says it again, with new evidence or in other words. What
was expunged is not said again in the same words, whatever their case, punctuation and spacing. A link is deleted by a
decision that verifies; undone, it is as if it had never been.
"""

import hashlib
from collections.abc import Iterable, Sequence
from datetime import datetime

from nightledger.codec.rows import read_outcome_rows
from nightledger.domain.decision import DecisionType
from nightledger.domain.event import Actor
from nightledger.domain.judge import EDIT_LANE
from nightledger.domain.links import Pair, split_key
from nightledger.domain.proposal import Kind, Op
from nightledger.domain.states import Apply, Book, ChangeState
from nightledger.files.home import Home
from nightledger.files.line_log import LineLog
from nightledger.files.reading import read_optional
from nightledger.gate.integrity.trusting import Trust, read_verified
from nightledger.gate.opening import Gate, Ledger, log_key, open_gate, read_ledger
from nightledger.gate.stored import Stored, each_change, is_altered, read_proposal
from nightledger.text.forgetting.forgotten import Forgotten
from nightledger.text.phrases import NO_PHRASES, HashedPhrases, hash_phrase, telling_lines
from nightledger.text.similar import fold

MOST_HASHES = 80
"""They stand in the reason of a decision, which has at most 2,000 characters."""
_SIGNED = frozenset({ChangeState.APPROVED, ChangeState.APPLIED})
MAX_LOG_BYTES = 1 << 31
"""Centuries of entries; a larger log is none of ours."""
DELETED, EXPUNGED = b'"outcomes":', b'"withheld":'
"""What every entry has, as it stands in the log, that deletes a link, and that withholds an expunged text."""


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


def left_out_of_links(
    home: Home, keys_dir: str, actor: Actor
) -> tuple[dict[Pair, int], HashedPhrases | None]:
    """Return the links that are deleted now, as :func:`tombstones`, and the hashes of what was expunged, None for nothing.

    A log that names neither is not opened for that: a job needs no keys.

    Args:
        home: Whose.
        keys_dir: Where its private keys and its pin live.
        actor: Who called.

    Raises:
        IntegrityError: The log or its signatures are not what was signed.
        KeyFileError: Something was expunged, and the log's key is missing.
    """
    raw = read_optional(home.audit_log, MAX_LOG_BYTES, within=home.root) or b""
    if DELETED not in raw and EXPUNGED not in raw:
        return {}, None
    gate = open_gate(home.root, keys_dir, actor=actor)
    ledger = read_ledger(gate)
    expunged = read_forgotten(gate, (), ledger.book).expunged if EXPUNGED in raw else None
    return tombstones(gate, ledger), expunged


def tombstones(gate: Gate, ledger: Ledger) -> dict[Pair, int]:
    """Return the links that are deleted now, and how many outcomes there were when each was.

    Those outcomes count for it no longer; later ones start it anew.

    Args:
        gate: The home.
        ledger: Its log, as checked.
    """
    found: dict[Pair, int] = {}
    for apply in ledger.book.applies.values():
        if apply.outcomes is not None and apply.outcome != "aborted":
            found |= dict.fromkeys(_deleted(gate, ledger, apply), apply.outcomes)
    return found


def _deleted(gate: Gate, ledger: Ledger, apply: Apply) -> list[Pair]:
    """Return the links that an apply deleted and that are not back."""
    status = ledger.book.proposals.get(apply.proposal)
    decision = ledger.book.decisions.get(apply.decision)
    if not status or not decision or decision.type is not DecisionType.APPROVE:
        return []  # of what the log never named nothing was signed
    standing = [n for n in apply.changes if status.state_of(n) is ChangeState.APPLIED]
    if not standing:
        return []
    signed = read_verified(gate.home, ledger, Trust(gate.home, ledger), decision)
    if signed is None or is_altered(gate.home, status):
        return []  # 'verify' names it; what cannot be shown to be signed deletes nothing
    return [
        split_key(change.hunk.removed)
        for change in read_proposal(gate, status).proposal.changes
        if change.n in standing and change.n in signed.changes and change.op is Op.DELETE_LINK
    ]


def count_outcomes(home: Home) -> int:
    """Return how many outcomes a home has, each counted once, as links count them."""
    with LineLog(home.outcomes) as log:
        chunks = enumerate(log.chunks(0), 1)  # a byte order mark stands in the first one only
        return len({row.id for n, chunk in chunks for row in read_outcome_rows(chunk, first_line=n).rows})
