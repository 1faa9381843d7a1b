"""Sign proposals that the operator has just asked for; see ``settling.py``."""

from collections.abc import Sequence

from nightledger.domain.decision import DecisionType
from nightledger.domain.proposal import Proposal
from nightledger.gate.review.hiding import accepted_texts
from nightledger.gate.review.reviewing import Answer, Item, Verb, items_of, read_documents
from nightledger.surfaces import signing
from nightledger.surfaces.context import Context
from nightledger.surfaces.session import Session, reading
from nightledger.surfaces.settling import Settled, settle
from nightledger.trust import keys


def key_at_hand(session: Session, context: Context) -> bool:
    """Tell whether the operator's key can sign now: a person can be asked, or it has no passphrase."""
    path = signing.operator_path(session.gate)
    return context.interactive() or (path.exists() and not keys.needs_passphrase(path))


def sign_proposals(context: Context, proposals: Sequence[Proposal]) -> Settled:
    """Approve every change of some proposals, with one signature of the operator.

    Raises:
        RefusedError: The key may not sign, or cannot be unlocked here; they wait for a review.
    """
    with reading(context, person=True) as seen:
        documents = read_documents(seen.gate)
        accepted = accepted_texts(seen.gate, seen.ledger.book)
        items: list[Item] = []
        for proposal in proposals:
            status = seen.ledger.book.proposals[proposal.id]
            items += items_of(seen.gate, status, DecisionType.APPROVE, documents, accepted=accepted)
        answers = [
            Answer(proposal=item.stored.proposal.id, n=item.change.n, verb=Verb.APPROVE) for item in items
        ]
        return settle(context, seen, items, answers)
