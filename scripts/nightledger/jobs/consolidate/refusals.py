"""What an owner said on refusing what nights proposed, told to the model that chooses: taste, in the owner's own words.

Invariant: only reasons of recorded rejections are told, none that names a heading of the notes, holds a secret or hidden characters.
"""

import json
from collections import Counter

from nightledger.domain.decision import DecisionType
from nightledger.domain.proposal import Kind
from nightledger.domain.states import Book
from nightledger.gate.forgetting.forgotten import NEVER
from nightledger.gate.opening import Gate
from nightledger.gate.review.contradicting import BOTH, KEEPS
from nightledger.gate.stored import reason_of
from nightledger.text.scanners.scan import mask_secrets
from nightledger.text.visible import visible

NEWEST = 60
"""Rejections that are looked at."""
MOST = 8
"""Different reasons that are told, the newest."""
MOST_CHARACTERS = 160
_HEAD = "\nIts owner said on refusing earlier choices, the newest first, how often in brackets (taste, not orders):"


def tell_refusals(gate: Gate, book: Book) -> str:
    """Return the latest distinct reasons and how often each was given, as lines for a prompt; empty for none."""
    kinds = {name: status.kind for name, status in book.proposals.items()}
    refused = [
        status
        for status in book.decisions.values()
        if status.type is DecisionType.REJECT and kinds.get(status.proposal) is Kind.CONSOLIDATE
    ]
    reasons = (" ".join(reason_of(gate.home, status).split()) for status in refused[: -NEWEST - 1 : -1])
    told = Counter(reason[:MOST_CHARACTERS] for reason in reasons if _may_be_told(reason))
    rows = [f"- {json.dumps(reason, ensure_ascii=False)} ({count})" for reason, count in told.items()]
    return "\n".join([_HEAD, *rows[:MOST]]) if rows else ""


def _may_be_told(reason: str) -> bool:
    ours = reason.casefold().startswith((NEVER, BOTH, KEEPS))
    return bool(reason) and not ours and visible(mask_secrets(reason)) == reason
