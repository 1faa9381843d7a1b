"""Sign an operator's own edit; it does not cool."""

from nightledger.domain.decision import DecisionType
from nightledger.domain.errors import RefusedError
from nightledger.domain.proposal import Proposal
from nightledger.domain.states import DecisionStatus
from nightledger.gate.applying import Write, check_result
from nightledger.gate.composing import Choice, make_decision, place_changes
from nightledger.gate.reviewing import read_documents
from nightledger.gate.stored import read_proposal
from nightledger.surfaces import signing
from nightledger.surfaces.context import Context
from nightledger.surfaces.session import Session


def approve_edit(session: Session, context: Context, proposal: Proposal) -> DecisionStatus:
    """Sign all changes of an edit and have the gate record the decision.

    Raises:
        RefusedError: The edit does not fit the file any more, or would take it over its cap.
    """
    gate = session.gate
    status = session.ledger.book.proposals[proposal.id]
    stored = read_proposal(gate, status)
    numbers = tuple(change.n for change in proposal.changes)
    documents = read_documents(gate)
    placed = place_changes(gate, stored, numbers, documents)
    if isinstance(placed, str):
        raise RefusedError(f"the edit cannot be signed: {placed}")
    writes = [
        Write(
            path=target.path,
            before=documents[target.path].encode("utf-8", "surrogateescape"),
            after=placed.documents[target.path].encode("utf-8", "surrogateescape"),
        )
        for target in placed.targets
    ]
    if reasons := [reason for write in writes for reason in check_result(gate, write)]:
        raise RefusedError("the edit cannot be applied:\n  " + "\n  ".join(reasons))
    choice = Choice(type=DecisionType.APPROVE, changes=numbers, targets=placed.targets)
    decision = make_decision(gate, stored, status, choice, signing.prepare(session))
    accepted = signing.sign_all(session, [decision], context)[0]
    return session.ledger.book.decisions[accepted.id]
