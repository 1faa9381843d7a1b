"""Links that the operator deleted: what an apply of such a decision left in the log.

Invariant: a link is deleted by a decision that verifies, over a proposal that is the one that was
logged, and by nothing else; undone, it is as if it had never been deleted.
"""

from nightledger.codec.rows import read_outcome_rows
from nightledger.domain.decision import DecisionType
from nightledger.domain.event import Actor
from nightledger.domain.links import Pair, split_key
from nightledger.domain.proposal import Op
from nightledger.domain.states import Apply, ChangeState
from nightledger.files.home import Home
from nightledger.files.line_log import LineLog
from nightledger.files.reading import read_optional
from nightledger.gate.forgetting.forgotten import read_forgotten
from nightledger.gate.integrity.trusting import Trust, read_verified
from nightledger.gate.opening import Gate, Ledger, open_gate, read_ledger
from nightledger.gate.stored import is_altered, read_proposal
from nightledger.text.phrases import HashedPhrases

MAX_LOG_BYTES = 1 << 31
"""Centuries of entries; a larger log is none of ours."""
DELETED, EXPUNGED = b'"outcomes":', b'"withheld":'
"""What every entry has, as it stands in the log, that deletes a link, and that withholds an expunged text."""


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
