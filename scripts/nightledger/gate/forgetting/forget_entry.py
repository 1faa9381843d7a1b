"""Forget one entry: propose its removal, which once signed keeps it from being learned again.

What that means is in ``gate/forgetting/forgotten.py``.

Invariant: an entry is taken out whole and nothing else; its removal waits, cools and is undone
like any other.
"""

from nightledger.domain.errors import UsageError
from nightledger.domain.lanes import OPERATOR
from nightledger.domain.moment import Moment
from nightledger.domain.proposal import Draft, Kind, Op, Origin
from nightledger.domain.states import ChangeState
from nightledger.gate.memory.naming import Placed, evidence_of, find_standing
from nightledger.gate.memory.pinning import find_takers
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.proposing.proposing import Outcome, Submission, propose
from nightledger.gate.stored import find_status, read_proposal
from nightledger.text.similar import fold


def forget(
    gate: Gate, ledger: Ledger, placed: Placed, moment: Moment, *, period: str, dry_run: bool = False
) -> Outcome:
    """Propose that an entry is forgotten; the caller holds the home's lock.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        placed: The entry.
        moment: The clocks.
        period: The log day.
        dry_run: Say what would be proposed and write nothing.

    Raises:
        UsageError: Its forgetting waits already, for an answer or to be applied.
    """
    takers = (name for name, _, _ in find_takers(gate, ledger, [placed.entry.id]))
    waiting = next((name for name in takers if ledger.book.proposals[name].kind is Kind.FORGET), "")
    if waiting:
        raise UsageError(
            f"to forget this entry was proposed already, as {waiting}",
            hint=f"'nightledger show {waiting[:10]}' says what it waits for",
        )
    submission = Submission(
        kind=Kind.FORGET,
        lane=OPERATOR,
        period=period,
        title=f"Forget one entry of {placed.path}",
        drafts=[_draft(placed)],
    )
    return propose(gate, ledger, submission, moment, dry_run=dry_run)


def _draft(placed: Placed) -> Draft:
    entry = placed.entry
    return Draft(
        op=Op.REMOVE,
        target=placed.path,
        section=entry.section,
        before=entry.text,
        line=entry.first_line,
        after="",
        reason="The operator has it forgotten: it is not learned again.",
        evidence=(evidence_of(placed, Origin.OWNER),),
        confidence=1.0,
        rank=1.0,
        statement_key=f"forget {entry.id}",
        entry=entry.id,
    )


def entry_of_change(gate: Gate, ledger: Ledger, name: str, n: int) -> Placed:
    """Return the entry that an applied change put in.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        name: The proposal, or the beginning of its id.
        n: Number of the change.

    Raises:
        UsageError: There is no such change, it was not applied, or what it put in stands there no more.
    """
    status = find_status(ledger.book, name)
    if n not in status.changes:
        raise UsageError(
            f"{status.id} has no change {n}", hint=f"'nightledger show {status.id[:10]}' lists them"
        )
    if status.state_of(n) is not ChangeState.APPLIED:
        raise UsageError(
            f"change {n} of {status.id} is {status.state_of(n).value}; only what was applied can be forgotten",
            hint=f"'nightledger reject {status.id[:10]} --only {n} --reason ...' turns down what waits",
        )
    added = fold(read_proposal(gate, status).proposal.changes[n - 1].hunk.added)
    for placed in find_standing(gate.home, ledger.book).entries.values():
        if added and fold(placed.entry.text) == added:
            return placed
    raise UsageError(
        f"what change {n} of {status.id} put in does not stand there as one entry any more",
        hint="name the entry itself: 'nightledger pin' with some of its words lists those that fit",
    )
