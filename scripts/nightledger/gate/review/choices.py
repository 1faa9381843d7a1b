"""What may be answered to a change, to several at once, and what answers come to."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import takewhile

from nightledger.domain.kept import LETTING_GO
from nightledger.domain.proposal import Kind, Op
from nightledger.gate.review.masking import changed_lines
from nightledger.gate.review.reviewing import Answer, Item, Verb
from nightledger.text.changes.masked import mask_diff

_WORDS = {Verb.APPROVE: "sign", Verb.REJECT: "reject", Verb.LATER: "leave"}
_DRIFT_WORDS = {Verb.APPROVE: "keep", Verb.REJECT: "take back", Verb.LATER: "leave"}


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


def first_line(item: Item) -> str:
    """Return the first line that a change puts in or takes out, secrets masked; empty where it has none."""
    lines = changed_lines(mask_diff(item.diff or item.change.diff, told=item.told))
    return next((line for line in lines if line[1:].strip()), "")
