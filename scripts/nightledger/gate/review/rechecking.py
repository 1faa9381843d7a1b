"""Answers are given without the lock: before they are signed, what they are about is looked at again.

Invariant: an answer stands only for the very bytes that were shown, and only while its
change still waits for one; what fell away is named, and takes no other answer with it.
"""

from collections.abc import Mapping, Sequence

from nightledger.domain.decision import DecisionType
from nightledger.domain.errors import AlteredError
from nightledger.domain.proposal import Kind
from nightledger.domain.states import OPEN_STATES, Book
from nightledger.gate.opening import Gate
from nightledger.gate.review.composing import Refusal
from nightledger.gate.review.reviewing import Answer, Item, Verb, items_in
from nightledger.gate.stored import read_proposal

OTHER = "its file has changed since it was shown, in the section of this change: look at it again"
"""Why an approval is not signed: it would be about lines that nobody read."""


def recheck(
    gate: Gate, book: Book, items: Sequence[Item], answers: Sequence[Answer]
) -> tuple[list[Answer], list[Refusal]]:
    """Part answers into those that still stand and those that do not, each with why.

    Args:
        gate: The home; the caller holds its lock.
        book: What the log says now.
        items: What was shown.
        answers: What the operator said to it.
    """
    shown = {item.stored.proposal.id: item.stored.sha256 for item in items}
    standing: list[Answer] = []
    fallen: list[Refusal] = []
    for answer in answers:
        why = _why_fallen(gate, book, answer, shown[answer.proposal])
        if why:
            fallen.append(Refusal(proposal=f"{answer.proposal}#{answer.n}", reason=why))
        else:
            standing.append(answer)
    return standing, fallen


def recheck_shown(
    book: Book, items: Sequence[Item], answers: Sequence[Answer], documents: Mapping[str, str]
) -> tuple[list[Answer], list[Refusal]]:
    """Part answers into those whose changes stand in the sections that were shown and those that do not, each with why.

    Args:
        book: What the log says now, drift settled.
        items: What was shown.
        answers: What the operator said to it, and what still waits.
        documents: The files as they are now.
    """
    waiting = {
        item.status.id: (item.stored, book.proposals[item.status.id])
        for item in items
        if item.status.kind is not Kind.DRIFT and item.status.id in book.proposals
    }
    fresh = {_key(item): item for item in items_in([*waiting.values()], DecisionType.APPROVE, documents)}
    shown = {_key(item): item for item in items}
    standing: list[Answer] = []
    fallen: list[Refusal] = []
    for answer in answers:
        key = (answer.proposal, answer.n)
        now = fresh.get(key) if answer.verb is Verb.APPROVE else None
        why = now.unplaced or (OTHER if now.shown != shown[key].shown else "") if now else ""
        if why:
            fallen.append(Refusal(proposal=f"{answer.proposal}#{answer.n}", reason=why))
        else:
            standing.append(answer)
    return standing, fallen


def _key(item: Item) -> tuple[str, int]:
    return item.status.id, item.change.n


def _why_fallen(gate: Gate, book: Book, answer: Answer, sha256: str) -> str:
    status = book.proposals.get(answer.proposal)
    if status is None:
        return "the log does not know it any more"
    state = status.state_of(answer.n)
    if answer.verb is Verb.LATER:
        still = state in OPEN_STATES
    elif status.kind is Kind.DRIFT:
        still = answer.n in status.answerable(DecisionType.DRIFT)
    else:
        still = answer.n in status.answerable(DecisionType(answer.verb.value))
    if not still:
        return f"it is {state.value} meanwhile"
    try:
        now = read_proposal(gate, status).sha256
    except AlteredError:
        return "its file was altered meanwhile; 'nightledger verify' names it"
    return "" if now == sha256 else "it is not the proposal that was shown"
