"""A review of another machine's proposals: what travelled, made ready to be shown and signed.

Invariant: what is hashed and signed is worked out here from the bytes that came, never taken from
what the other machine says about them.
"""

import hashlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from nightledger.codec.records import parse_record
from nightledger.domain.cooling import Cooling
from nightledger.domain.decision import DecisionType
from nightledger.domain.errors import RefusedError
from nightledger.domain.judge import EDIT_LANE
from nightledger.domain.kept import Places, files_of, is_kept, why_forbidden
from nightledger.domain.moment import Moment
from nightledger.domain.proposal import Proposal, place_of
from nightledger.domain.states import ChangeStatus, ProposalStatus
from nightledger.domain.waiting import Excerpt, Travelling, Waiting
from nightledger.gate.review.composing import Terms
from nightledger.gate.review.reviewing import Item, items_in
from nightledger.gate.stored import Stored
from nightledger.trust.base64_strict import decode_base64


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteReview:
    """What another home waits for, as a review shows it.

    Attributes:
        terms: What that home asks of decisions.
        documents: Its gated files as they came, secrets masked.
        masked: Files of which something is masked: their hashes in a decision are of what was shown.
        items: Its changes.
        excerpts: What they rest on, by proposal.
    """

    terms: Terms
    documents: dict[str, str]
    masked: tuple[str, ...]
    items: tuple[Item, ...]
    excerpts: dict[str, tuple[Excerpt, ...]]


def unpack(waiting: Waiting, home_id: str) -> RemoteReview:
    """Make ready what travelled.

    Args:
        waiting: As it came, its envelope verified.
        home_id: Id of the home that it must be about.

    Raises:
        RefusedError: It is about another home, or does not hold together.
        RecordError: A proposal in it is none.
    """
    if waiting.origin.rpartition("/")[2] != home_id:
        raise RefusedError("the answer is about another home than the machine that sent it")
    documents: dict[str, str] = {}
    masked: list[str] = []
    for document in waiting.documents:
        content = decode_base64(document.content)
        if content is None:
            raise RefusedError(f"what came as {document.path} is not base64")
        documents[document.path] = content.decode("utf-8", "surrogateescape")
        if hashlib.sha256(content).hexdigest() != document.sha256:
            masked.append(document.path)
    terms = waiting.terms
    unpacked = [_unpack_one(item, documents) for item in waiting.proposals]
    _require_once([items[0].stored.proposal.id for items, _ in unpacked if items])
    return RemoteReview(
        terms=Terms(
            origin=waiting.origin,
            cooling=Cooling(
                after_proposal_s=terms.cooling_after_proposal_s,
                after_signature_s=terms.cooling_after_signature_s,
            ),
            decision_expires_days=terms.decision_expires_days,
            cap_characters=terms.cap_characters,
        ),
        documents=documents,
        masked=tuple(masked),
        items=tuple(item for items, _ in unpacked for item in items),
        excerpts={items[0].stored.proposal.id: excerpts for items, excerpts in unpacked if items},
    )


def _unpack_one(travelling: Travelling, documents: dict[str, str]) -> tuple[list[Item], tuple[Excerpt, ...]]:
    content = travelling.record.encode()
    proposal = parse_record(Proposal, content, where="a proposal that came")
    numbers = {change.n for change in proposal.changes}
    missing = set(files_of(proposal.changes)) - documents.keys()
    if proposal.lane == EDIT_LANE or missing or not set(travelling.changes) <= numbers:
        raise RefusedError(f"{proposal.id} came without what is needed to review it")
    _require_allowed(proposal, documents)
    _require_named(proposal, travelling.excerpts)
    stored = Stored(proposal=proposal, sha256=hashlib.sha256(content).hexdigest())
    status = ProposalStatus(
        id=proposal.id,
        sha256=stored.sha256,
        kind=proposal.kind,
        lane=proposal.lane,
        created=Moment(at=travelling.created_at),
        changes={n: ChangeStatus() for n in travelling.changes},
    )
    return items_in([(stored, status)], DecisionType.APPROVE, documents), travelling.excerpts


def _require_named(proposal: Proposal, excerpts: Iterable[Excerpt]) -> None:
    """Refuse lines that are said to be evidence of a change and stand where it names none."""
    named = {(change.n, place_of(evidence)) for change in proposal.changes for evidence in change.evidence}
    if other := [excerpt.place for excerpt in excerpts if (excerpt.n, excerpt.place) not in named]:
        raise RefusedError(f"{proposal.id} came with lines of {other[0]}, on which it does not rest")


def _require_once(names: Collection[str]) -> None:
    """Refuse two proposals of one name: an answer to one of them would sign the other."""
    if len(set(names)) < len(names):
        raise RefusedError(
            "two of the proposals that came have one name, so that nobody can answer one of them"
        )


def _require_allowed(proposal: Proposal, documents: Collection[str]) -> None:
    """Refuse changes that no gate carries out: what they are shown as would not be what their hunks write.

    Which files are gated is the other home's word; daily logs never travel.
    """
    places = Places(gated=tuple(path for path in documents if not is_kept(path)))
    reasons = [reason for change in proposal.changes for reason in why_forbidden(change, places)]
    if reasons:
        raise RefusedError(f"{proposal.id} came as no gate carries it out: {reasons[0]}")
