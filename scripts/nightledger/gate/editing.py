"""What answers a change may get and what they come to; the operator's own wording, and edits.

Invariant: an edit becomes hunks that give exactly the edited bytes, and it is signed and
logged like anything else; what could not be applied, or would copy a secret, is not even recorded.

Those that are not signed yet stand in ``$NIGHTLEDGER_KEYS/<home id>/review-draft.json``, outside the home, where an agent
that writes its workspace cannot answer for its operator. Invariant: an answer stands only for the very bytes that were
shown, and only while its change still waits for one; what fell away is named, and takes no other answer with it.
"""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, MutableMapping, MutableSequence, Sequence
from contextlib import suppress
from itertools import accumulate, takewhile
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from nightledger.codec.canonical import parse_json
from nightledger.domain.decision import DecisionType, Moment
from nightledger.domain.errors import AlteredError, NightledgerError, RefusedError
from nightledger.domain.judge import EDIT_LANE, OPERATOR
from nightledger.domain.kept import LETTING_GO
from nightledger.domain.proposal import HOLE, Anchor, Change, Draft, Hunk, Kind, Op, Origin, Proposal
from nightledger.domain.states import OPEN_STATES, Book, ChangeState
from nightledger.files.atomic import replace_file
from nightledger.files.durable import read_optional
from nightledger.gate.applying import ELSEWHERE, check_result, own_write
from nightledger.gate.drafting import line_at, make_changes, read_base
from nightledger.gate.gated import read_gated
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.proposing import Outcome, Submission, propose, submit_changes
from nightledger.gate.reviewing import Answer, Item, Refusal, Verb, changed_lines
from nightledger.gate.stored import Stored, read_proposal
from nightledger.gate.writing import Write
from nightledger.text.changes.diff import UNJOINED, trace
from nightledger.text.changes.place import NOT_UTF8, Unplaced, place
from nightledger.text.changes.sections import SHOWN_SECTION
from nightledger.text.markdown import document as markdown
from nightledger.text.scanners.scan import mask_diff, readable_diff, told_values, veil, veil_blocked

_UNSIGNED = frozenset({ChangeState.PENDING, ChangeState.DEFERRED})


def revise(gate: Gate, ledger: Ledger, stored: Stored, n: int, wording: str, moment: Moment) -> Outcome:
    """Propose a change in the operator's wording; it supersedes the one that was shown.

    It is scanned and shown again like any other proposal. Where it has no room under the host's cap by itself, what
    waits in the same proposal to make room goes over to the new one.

    Raises:
        RefusedError: It archives, compresses or forgets something: there is nothing to word.
    """
    change = next(change for change in stored.proposal.changes if change.n == n)
    if change.op in LETTING_GO:
        raise RefusedError("there is nothing to word in it", hint="answer it with y or n")
    document = markdown.decode(read_gated(gate.home, change.target))
    before, line = lines_of(document, change)
    like = draft_like(change, "worded by the operator")
    key = f"{like.statement_key}: {wording.strip()}"
    draft = replace(like, before=before, line=line, after=wording, statement_key=key)
    return put_in_place(gate, ledger, stored, n, draft, moment)


def draft_like(change: Change, how: str) -> Draft:
    """Return a draft that says the same as a change, to be altered, and how it came about."""
    return Draft(
        op=change.op,
        target=change.target,
        section=change.hunk.section,
        after=change.after,
        reason=f"{change.reason} ({how})",
        evidence=change.evidence,
        confidence=change.confidence,
        rank=1.0,
        statement_key=f"{change.key} as {how}",
        scope=change.scope,
        entry=change.entry,
    )


def put_in_place(gate: Gate, ledger: Ledger, stored: Stored, n: int, draft: Draft, moment: Moment) -> Outcome:
    """Propose what the operator wants in the place of a change that waits."""
    submission = Submission(
        kind=stored.proposal.kind,
        lane=OPERATOR,
        period=stored.proposal.period,
        title=stored.proposal.title,
        drafts=[draft],
        supersedes=stored.proposal.id,
        superseded_changes=(n,),
    )
    outcome = propose(gate, ledger, submission, moment)
    return _with_room(gate, ledger, stored, submission, moment) if outcome.over_cap else outcome


def _with_room(gate: Gate, ledger: Ledger, stored: Stored, reworded: Submission, moment: Moment) -> Outcome:
    """Propose a wording that has no room by itself with what waits in its proposal to make room."""
    (draft,), (n,) = reworded.drafts, reworded.superseded_changes
    status = ledger.book.proposals[stored.proposal.id]
    going = [
        one
        for one in stored.proposal.changes
        if one.op is not Op.ADD and one.target == draft.target and status.state_of(one.n) in _UNSIGNED
    ]
    base = read_base(gate, draft.target)
    placed, _ = make_changes(base.text, [draft], divided=base.divided) if going else ((), ())
    if not placed:
        return Outcome(proposal=None, over_cap=1)
    changes = [replace(one, n=at) for at, one in enumerate((*going, *placed), 1)]
    submission = replace(reworded, superseded_changes=(*(one.n for one in going), n))
    return Outcome(proposal=submit_changes(gate, ledger, submission, draft.target, changes, moment))


def lines_of(document: str, change: Change) -> tuple[str, int]:
    """Give what a change takes out, as it stands in the file, and its first line.

    The line is 0 where the change takes nothing out or what it takes is not there any more.
    """
    placed = place(document, change.hunk)
    if not change.hunk.removed or isinstance(placed, Unplaced):
        return change.before, 0
    removed = document[placed.start : placed.end]
    body = removed.lstrip()  # a removal may take blank lines along
    line = line_at(document, placed.end - len(body))
    if HOLE not in change.hunk.removed:
        return change.before, line
    lines = markdown.split_lines(document[document.rfind("\n", 0, placed.end - len(body)) + 1 : placed.end])
    while len(lines) > 1 and markdown.is_blank(lines[-1]):
        lines.pop()
    return "".join(lines), line


def propose_edit(gate: Gate, ledger: Ledger, path: str, edited: bytes, moment: Moment) -> Proposal | None:
    """Turn an operator's edit of a gated file into a proposal of its own lane.

    Returns:
        The proposal, to be signed at once; None when nothing was changed.

    Raises:
        RefusedError: It could not be applied, it puts in a secret or a line with one, or it touches
            bytes that are not UTF-8, which no record can hold, or lines that repeat so often
            that nothing tells their place.
    """
    before = read_gated(gate.home, path)
    if reasons := check_result(gate, Write(path=path, before=before, after=edited)):
        raise RefusedError("the edit cannot be applied:\n  " + "\n  ".join(reasons))
    if own_write(gate, ledger.book, path, before, edited) == ELSEWHERE:
        raise RefusedError(f"the edit cannot be applied: {ELSEWHERE}")
    changes = list(_edit_changes(path, markdown.decode(before), markdown.decode(edited), moment))
    if not changes:
        return None
    submission = Submission(
        kind=Kind.BEHAVIOUR,
        lane=EDIT_LANE,
        period=moment.at.date().isoformat(),
        title=f"The operator's edit of {path}",
        drafts=(),
    )
    return submit_changes(gate, ledger, submission, path, changes, moment)


def _not_recorded(path: str, reason: str) -> RefusedError:
    return RefusedError(
        f"the edit of {path} cannot be recorded: {reason}",
        hint="change it in your own editor; 'nightledger verify' then shows it as drift",
    )


def _edit_changes(path: str, document: str, edited: str, moment: Moment) -> Iterator[Change]:
    """Yield each run of changed lines as a change, with its diff against the document as those before it left it."""
    told = told_values(document) | told_values(edited)
    veiled, blocked = veil(document, told=told), veil_blocked(edited, told=told)
    course, parsed = trace(document, edited, most=UNJOINED), markdown.parse_markdown(document)
    old, new = ([0, *accumulate(map(len, lines))] for lines in (course.old, course.new))
    for n, before, after in course.steps():
        run, added = course.runs[n - 1], course.added(n)
        if not markdown.is_utf8(course.removed(n) + added):
            raise _not_recorded(path, NOT_UTF8)
        if blocked[new[run.new_start] : new[run.new_stop]] != added:
            raise _not_recorded(path, f"at line {run.new_start + 1} it puts in a line with a secret")
        section = markdown.section_of(parsed, run.old_start + 1, run.old_stop).path
        hunk = Hunk(
            anchor=Anchor.FILE_LINES,
            section=tuple(veil(markdown.readable(title), told=told) for title in section),
            line=run.new_start,
            removed=veiled[old[run.old_start] : old[run.old_stop]],
            added=added,
        )
        yield _edit_change(n, path, hunk, readable_diff(before, after, path=path, told=told), moment)


def _edit_change(n: int, path: str, hunk: Hunk, diff: str, moment: Moment) -> Change:
    return Change(
        n=n,
        op=Op.REPLACE if hunk.removed and hunk.added else Op.ADD if hunk.added else Op.REMOVE,
        target=path,
        section=SHOWN_SECTION.join(hunk.section),
        before=hunk.removed,
        after=hunk.added,
        diff=diff,
        hunk=hunk,
        reason="The operator edited the file.",
        evidence=(),
        provenance=(Origin.OWNER,),
        confidence=1.0,
        key=f"edit {moment.at.isoformat()} {n}",
    )


_WORDS = {Verb.APPROVE: "sign", Verb.REJECT: "reject", Verb.LATER: "leave"}
_DRIFT_WORDS = {Verb.APPROVE: "keep", Verb.REJECT: "take back", Verb.LATER: "leave"}
MOST_REASON_CHARACTERS = 2_000
"""Of a decision (schemas/decision.schema.json)."""
FILE = "review-draft.json"
_MAX_BYTES = 1 << 22


def is_drift(item: Item) -> bool:
    """Tell whether it was changed outside Nightledger."""
    return item.stored.proposal.kind is Kind.DRIFT


def can_word(item: Item) -> bool:
    """Tell whether a change has words that the operator may put otherwise."""
    return not is_drift(item) and item.change.op not in LETTING_GO


def why_not(item: Item, verb: Verb | None, reason: str = "") -> str:
    """Return why a change cannot be answered so; empty where it can."""
    if len(reason) > MOST_REASON_CHARACTERS:
        return f"a reason has at most {MOST_REASON_CHARACTERS:,} characters"
    if verb is Verb.APPROVE:
        return item.unplaced or item.unread
    return item.unplaced if verb is Verb.REJECT and is_drift(item) else ""


def alike(items: Sequence[Item], at: int) -> range:
    """Return the places of what a proposal archives or compresses from here on, where that is more than one and all has a place."""
    name = items[at].stored.proposal.id
    rest = list(takewhile(lambda item: item.stored.proposal.id == name, items[at:]))
    whole = all(item.change.op in (Op.ARCHIVE, Op.COMPRESS) and not item.unplaced for item in rest)
    return range(at, at + len(rest)) if whole and len(rest) > 1 else range(0)


def answer_of(item: Item, verb: Verb, reason: str = "") -> Answer:
    """Return an answer to a change."""
    return Answer(proposal=item.stored.proposal.id, n=item.change.n, verb=verb, reason=reason)


def answer_each(items: Sequence[Item], places: Collection[int], verb: Verb, reason: str) -> dict[int, Answer]:
    """Return the same answer for several changes, by their place."""
    return {n: answer_of(item, verb, reason) for n, item in enumerate(items) if n in places}


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
    """Return the first line that a change puts in or takes out, secrets masked, a heading only where it has no other; else empty."""
    lines = changed_lines(mask_diff(item.diff or item.change.diff, told=item.told))
    ended = {line[1:] for line in lines if line[:1] == "-"} & {line[1:] for line in lines if line[:1] == "+"}
    words = [
        line for line in lines if line[1:].strip().strip("§") and line[1:] not in ended
    ]  # one gets a line end
    return next((line for line in words if line[1:2] != "#"), words[0] if words else "")


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
