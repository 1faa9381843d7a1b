"""Answers are given without the lock: before they are signed, what they are about is looked at again.

Invariant: an answer stands only for the very bytes that were shown, and only while its
change still waits for one; what fell away is named, and takes no other answer with it.
"""

from collections.abc import Mapping, Sequence

from nightledger.domain.decision import DecisionType
from nightledger.domain.errors import AlteredError
from nightledger.domain.kept import files_of
from nightledger.domain.proposal import Kind
from nightledger.domain.states import OPEN_STATES, Book
from nightledger.gate.opening import Gate
from nightledger.gate.review.composing import Refusal
from nightledger.gate.review.hiding import accepted_texts, changed_lines
from nightledger.gate.review.reviewing import Answer, Item, Verb, items_in
from nightledger.gate.stored import read_proposal

OTHER = "its file has changed since it was shown: look at it again"
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
    gate: Gate,
    book: Book,
    items: Sequence[Item],
    answers: Sequence[Answer],
    documents: Mapping[str, str],
) -> tuple[list[Answer], list[Refusal]]:
    """Part answers into those whose changes look as they did and those whose do not, each with why.

    Line numbers may move. What stands around a change may, too, where its files are what was
    accepted by now: the operator has just taken back what drifted beside it. The headings and
    labels above it may not.

    Args:
        gate: The home; the caller holds its lock.
        book: What the log says now, drift settled.
        items: What was shown.
        answers: What the operator said to it, and what still waits.
        documents: The files as they are now.
    """
    accepted = accepted_texts(gate, book)
    shown = {_key(item): item for item in items}
    waiting = {
        item.status.id: (item.stored, book.proposals[item.status.id]) for item in items if _places(item, book)
    }
    found = items_in([*waiting.values()], DecisionType.APPROVE, documents, accepted=accepted)
    fresh = {_key(item): item for item in found}
    readable = [path for path in gate.home.identity.gated if path in documents]
    watched = {path: accepted.texts.get(path) == documents[path] for path in readable}
    standing: list[Answer] = []
    fallen: list[Refusal] = []
    for answer in answers:
        key = (answer.proposal, answer.n)
        now = fresh.get(key) if answer.verb is Verb.APPROVE else None
        why = _why_other(shown[key], now, watched) if now else ""
        if why:
            fallen.append(Refusal(proposal=f"{answer.proposal}#{answer.n}", reason=why))
        else:
            standing.append(answer)
    return standing, fallen


def _key(item: Item) -> tuple[str, int]:
    return item.status.id, item.change.n


def _places(item: Item, book: Book) -> bool:
    """Tell whether its change is to be placed in files; what drifted stands there already."""
    return item.status.kind is not Kind.DRIFT and item.status.id in book.proposals


def _why_other(shown: Item, now: Item, watched: Mapping[str, bool]) -> str:
    """Say why a change must be looked at again; what rests on another by now was shown where it stood alone.

    Args:
        shown: As the operator saw it.
        now: As it would be signed.
        watched: The gated files, and whether each is as it was accepted.
    """
    if now.unplaced:
        return now.unplaced
    clean = all(watched.get(path, True) for path in files_of([now.change]))
    if now.moved != shown.moved or now.stands != shown.stands or now.effect - shown.effect:
        return OTHER
    lines = changed_lines if clean else _without_places
    return "" if lines(now.diff) == lines(shown.diff) else OTHER


def _without_places(diff: str) -> list[str]:
    return [line for line in diff.split("\n") if not line.startswith("@@")]


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
