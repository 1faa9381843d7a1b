"""Answers to what a review shows: which may be given, kept through an interrupt, and looked at again before they are signed.

Those that are not signed yet stand in ``$NIGHTLEDGER_KEYS/<home id>/review-draft.json``, outside the home, where an agent
that writes its workspace cannot answer for its operator. Invariant: an answer stands only for the very bytes that were
shown, and only while its change still waits for one; what fell away is named, and takes no other answer with it.
"""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Collection, Mapping, MutableMapping, MutableSequence, Sequence
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from nightledger.codec.strict_json import parse_json
from nightledger.domain.decision import DecisionType
from nightledger.domain.errors import AlteredError, NightledgerError
from nightledger.domain.kept import LETTING_GO
from nightledger.domain.proposal import Kind, Op
from nightledger.domain.states import OPEN_STATES, Book
from nightledger.files.atomic import replace_file
from nightledger.files.reading import read_optional
from nightledger.gate.opening import Gate
from nightledger.gate.review.reviewing import Answer, Item, Refusal, Verb, changed_lines
from nightledger.gate.stored import read_proposal
from nightledger.text.changes.veil import mask_diff

_WORDS = {Verb.APPROVE: "sign", Verb.REJECT: "reject", Verb.LATER: "leave"}
_DRIFT_WORDS = {Verb.APPROVE: "keep", Verb.REJECT: "take back", Verb.LATER: "leave"}
FILE = "review-draft.json"
_MAX_BYTES = 1 << 22


def is_drift(item: Item) -> bool:
    """Tell whether it was changed outside Nightledger."""
    return item.stored.proposal.kind is Kind.DRIFT


def can_word(item: Item) -> bool:
    """Tell whether a change has words that the operator may put otherwise."""
    return not is_drift(item) and item.change.op not in LETTING_GO


def why_not(item: Item, verb: Verb | None) -> str:
    """Return why a change cannot be answered so; empty where it can."""
    if verb is Verb.APPROVE:
        return item.unplaced or item.unread
    return item.unplaced if verb is Verb.REJECT and is_drift(item) else ""


def alike(items: Sequence[Item], at: int) -> range:
    """Return the places of what a proposal archives or compresses from here on, where that is more than one and all has a place."""
    name = items[at].stored.proposal.id
    rest = list(takewhile(lambda item: item.stored.proposal.id == name, items[at:]))
    whole = all(item.change.op in (Op.ARCHIVE, Op.COMPRESS) and not item.unplaced for item in rest)
    return range(at, at + len(rest)) if whole and len(rest) > 1 else range(0)


def answer_each(items: Sequence[Item], places: Collection[int], verb: Verb, reason: str) -> dict[int, Answer]:
    """Return the same answer for several changes, by their place."""
    return {
        n: Answer(proposal=item.stored.proposal.id, n=item.change.n, verb=verb, reason=reason)
        for n, item in enumerate(items)
        if n in places
    }


def word_of(item: Item, answer: Answer) -> str:
    """Return what an answer does: ``sign``, ``take back``, ``leave``."""
    return (_DRIFT_WORDS if is_drift(item) else _WORDS)[answer.verb]


def counts_of(items: Sequence[Item], given: Mapping[int, Answer]) -> str:
    """Return how many changes get which answer: ``sign 3, reject 1, 4 left``."""
    said = Counter(word_of(items[at], answer) for at, answer in given.items())
    told = [f"{word} {said[word]}" for word in ("sign", "reject", "keep", "take back") if said[word]]
    return ", ".join([*told, f"{len(items) - sum(said.values()) + said['leave']} left"])


def put_worded(
    items: MutableSequence[Item], given: MutableMapping[int, Answer], at: int, worded: Sequence[Item]
) -> None:
    """Put a new wording, and what went over to its proposal with it, in the places of what they replace."""
    for one in worded:
        old = (one.stored.proposal.supersedes, one.change.key)
        place = next((n for n, i in enumerate(items) if (i.stored.proposal.id, i.change.key) == old), at)
        items[place] = one
        if place in given:
            given[place] = replace(given[place], proposal=one.stored.proposal.id, n=one.change.n)
    given.pop(at, None)


def first_line(item: Item) -> str:
    """Return the first line that a change puts in or takes out, secrets masked; empty where it has none."""
    lines = changed_lines(mask_diff(item.diff or item.change.diff, told=item.told))
    return next((line for line in lines if line[1:].strip()), "")


def shown_sha256(item: Item) -> str:
    """Return the hex SHA-256 of what a review shows of a change: proposal, diff of now, and its section."""
    shown = [item.shown.section_sha256, item.shown.above_sha256] if item.shown else []
    facts = [item.stored.sha256, item.change.n, item.diff, item.unplaced, item.unread, shown]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def read_draft(gate: Gate, items: Sequence[Item]) -> tuple[dict[int, Answer], int]:
    """Return kept answers by the place of their item, and how many are about what has changed since.

    A draft that cannot be read holds none: whatever was answered is asked again.
    """
    given, changed = {}, 0
    kept = {(row["proposal"], row["n"]): row for row in _rows(_path(gate))}
    for at, item in enumerate(items):
        name, n = item.stored.proposal.id, item.change.n
        row = kept.get((name, n))
        if row and row["shown"] == shown_sha256(item):
            given[at] = Answer(proposal=name, n=n, verb=Verb(row["verb"]), reason=row["reason"])
        elif row:
            changed += 1
    return given, changed


def keep_draft(gate: Gate, items: Sequence[Item], given: Mapping[int, Answer]) -> None:
    """Keep answers, durably, beside those about what is not shown; none at all leaves no file.

    Args:
        gate: The home.
        items: What is shown.
        given: Answers by the place of their item.

    Raises:
        OSError: It cannot be written.
    """
    path, shown = _path(gate), {(item.stored.proposal.id, item.change.n) for item in items}
    rows = [row for row in _rows(path) if (row["proposal"], row["n"]) not in shown]
    rows += [
        {
            "proposal": answer.proposal,
            "n": answer.n,
            "verb": answer.verb.value,
            "reason": answer.reason,
            "shown": shown_sha256(items[at]),
        }
        for at, answer in given.items()
    ]
    if rows:
        text = json.dumps({"v": 1, "answers": rows}, indent=1, sort_keys=True)
        replace_file(str(path), f"{text}\n".encode(), disposable=True)
        return
    with suppress(FileNotFoundError):
        os.unlink(path)


def _path(gate: Gate) -> Path:
    return gate.ring.path(gate.home.identity.id, FILE)


def _rows(path: Path) -> list[dict[str, Any]]:
    try:
        rows = parse_json(read_optional(str(path), _MAX_BYTES) or b"{}", str(path)).get("answers", [])
        for row in rows:
            Verb(row["verb"])
            _ = (row["proposal"] + row["reason"] + row["shown"], row["n"] + 0)
    except (NightledgerError, KeyError, TypeError, ValueError, AttributeError):
        return []
    return list(rows)


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
