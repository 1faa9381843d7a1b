"""How much may wait for an operator, and what has had its turn.

Invariant: a lane is full for whoever fills it, never for another; what had no room is
not lost, it competes again.
"""

from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct

from nightledger.domain.kept import is_copy
from nightledger.domain.proposal import MAXIM, Change, Draft, Evidence, Flag, Op

JOB = "job"
AGENT = "agent"
OPERATOR = "operator"
"""Asked for by the operator (check, forget, a reversal): outside the caps."""
MOST_FORGOTTEN = 100
"""Changes of one proposal to archive or compress. Our choice: three logs a day of a month, and some."""
TARGET_BYTES = 380
"""What the log says of one file of an apply besides its path: four hashes and their names."""
MOST_DELETIONS = 10
"""Deletions of links that may wait; each is answered alone. Our choice: what a person reads in a morning."""
DRIFT = "drift"
"""Made by the guard of what was written outside Nightledger: one item a file, outside the caps."""


class Said(Struct, frozen=True, kw_only=True):
    """A change that was proposed before: what suppression remembers of it.

    Attributes:
        key: Folded wording.
        target: The file.
        adds: Whether it put text in.
        closed: Whether it was rejected, withdrawn or undone, and so may return with new evidence.
        evidence: What it rested on.
        lines: What it took out and what it put in, as they stand in the file.
    """

    key: str
    target: str
    adds: bool
    closed: bool
    evidence: tuple[Evidence, ...]
    lines: tuple[str, str] = ("", "")


def choose(drafts: Iterable[Draft], *, additions: int, room: int) -> list[Draft]:
    """Take the best drafts that fit, best first.

    Args:
        drafts: Candidates; of those with one target and key, the best ranked is taken.
        additions: How many may put new text in.
        room: How many changes fit in all.
    """
    chosen: list[Draft] = []
    seen: set[tuple[str, str, bool]] = set()
    for draft in sorted(drafts, key=_order):
        adds = draft.op is Op.ADD
        place = (draft.target, draft.statement_key, adds)
        if place in seen or len(chosen) >= room or (adds and additions <= 0):
            continue
        seen.add(place)
        additions -= adds
        chosen.append(draft)
    return chosen


def turn_of(confidence: float, flags: Iterable[Flag]) -> float:
    """Return what decides whose turn it is in the queue: how sure a change is, and below all others what is a maxim."""
    return confidence - any(flag.rule == MAXIM for flag in flags)


def admit(drafts: Iterable[Draft], waiting: Sequence[float], free: int) -> list[Draft]:
    """Return the surest drafts: those that fit, and those that are surer than what would make room for them.

    Args:
        drafts: Candidates.
        waiting: The turn of each change that may make room, the weakest first.
        free: How many fit as it is; negative where too many wait.
    """
    surest = sorted(drafts, key=lambda draft: (-turn_of(draft.confidence, draft.flags), *_order(draft)))
    kept = [
        draft
        for at, draft in enumerate(surest, -free)
        if at < 0 or (at < len(waiting) and waiting[at] < turn_of(draft.confidence, draft.flags))
    ]
    return sorted(kept, key=_order)


def choose_to_forget(drafts: Iterable[Draft], *, deletions: int, leaf_bytes: int) -> list[Draft]:
    """Take what one proposal of the pruner may hold: one deletion of a link, or whatever else fits.

    Args:
        drafts: Candidates.
        deletions: How many more deletions may wait.
        leaf_bytes: What the entry of the log that applies them may hold for their files.
    """
    ranked = choose(drafts, additions=0, room=MOST_FORGOTTEN)
    if ranked and ranked[0].op is Op.DELETE_LINK:
        return ranked[:1] if deletions > 0 else []
    chosen = []
    for draft in ranked:
        paths = (draft.target, *(part.target for part in draft.also))
        leaf_bytes -= sum(len(path.encode("utf-8", "surrogateescape")) + TARGET_BYTES for path in paths)
        if draft.op is not Op.DELETE_LINK and leaf_bytes >= 0:
            chosen.append(draft)
    return chosen


def _order(draft: Draft) -> tuple[float, str, int, str]:
    return (-draft.rank, draft.target, draft.line, draft.statement_key)


def may_return(draft: Draft, said: Sequence[Said], *, asked: bool = False) -> bool:
    """Tell whether a draft may be proposed, given all that was proposed before.

    What waits, was applied or is being undone is not proposed twice; what was closed
    returns only when it rests on a source that none of its earlier forms had, or when the
    operator asks for this very change.

    Args:
        draft: The candidate.
        said: All that was proposed before.
        asked: Whether the operator asked for this very change: a reversal.
    """
    earlier = [
        s
        for s in said
        if s.key == draft.statement_key and s.target == draft.target and s.adds == (draft.op is Op.ADD)
    ]
    return _may_return(earlier, draft.evidence, asked=asked)


def is_repeated(change: Change, said: Sequence[Said], *, asked: bool = False) -> bool:
    """Tell whether a change takes out and puts in the very lines of an earlier one, and may not return.

    The key tells what a change says, these lines what it does: one that was answered is not
    asked about again because somebody words its key otherwise. The deletion of a link takes out
    no lines: its key tells what had been seen of the link, and later outcomes start it anew.

    Args:
        change: The candidate, placed.
        said: All that was proposed before.
        asked: Whether the operator asked for this very change.
    """
    if change.op is Op.DELETE_LINK:
        return False
    earlier = [
        s for s in said if s.target == change.target and s.lines == (change.hunk.removed, change.hunk.added)
    ]
    return not _may_return(earlier, change.evidence, asked=asked)


def _may_return(earlier: Sequence[Said], evidence: Iterable[Evidence], *, asked: bool) -> bool:
    if any(not s.closed for s in earlier):
        return False
    return not earlier or asked or has_new_source(evidence, [e for s in earlier for e in s.evidence])


def has_new_source(evidence: Iterable[Evidence], known: Collection[Evidence]) -> bool:
    """Tell whether some evidence comes from a document that the known evidence does not.

    One document is one source, however often it repeats itself (DESIGN section 4); outcomes
    are told apart by their ids, all other evidence by its file. A daily log and its full text in
    the archive are one document. Outcomes are new where they are as many as those that are known:
    there is one more after every task (decision 3).
    """
    documents = {_source(e) for e in known}
    full_texts = {_name(e) for e in known if is_copy(e.path)}
    names = {_name(e) for e in known}
    new = [
        e
        for e in evidence
        if _source(e) not in documents and _name(e) not in (names if is_copy(e.path) else full_texts)
    ]
    outcomes, before = {e.outcome for e in new if e.outcome}, {e.outcome for e in known if e.outcome}
    return any(not e.outcome for e in new) or len(outcomes) >= max(1, len(before))


def _source(evidence: Evidence) -> str:
    return evidence.outcome or evidence.path


def _name(evidence: Evidence) -> str:
    """Give the name under which a log and its full text in the archive are one document; an outcome's is its id."""
    return evidence.outcome or evidence.path.rpartition("/")[2]
