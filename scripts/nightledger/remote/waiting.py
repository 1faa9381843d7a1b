"""What waits, put together for a review on another machine, and made ready there to be shown and signed.

Invariant: no secret leaves: a proposal that holds one stays, files and evidence are masked. What is hashed and signed is
worked out from the bytes that came, never taken from what the other machine says about them.
"""

import hashlib
from collections.abc import Iterator
from contextlib import suppress

from msgspec import Struct

from nightledger.codec.records import parse_record, to_plain
from nightledger.domain.decision import Cooling, DecisionType, LogHead, Moment
from nightledger.domain.errors import NightledgerError, RefusedError
from nightledger.domain.judge import DRIFT, EDIT_LANE
from nightledger.domain.kept import Places, files_of, is_kept, why_forbidden
from nightledger.domain.message import Document, Excerpt, HomeTerms, Status, Travelling, Waiting
from nightledger.domain.proposal import Change, Op, Proposal, place_of
from nightledger.domain.states import ChangeStatus, ProposalStatus
from nightledger.files.durable import read_regular
from nightledger.files.home import Home
from nightledger.gate.forgetting.forgotten import cited, read_forgotten
from nightledger.gate.gated import read_target
from nightledger.gate.integrity.trusting import Trust
from nightledger.gate.review.composing import Terms
from nightledger.gate.review.reviewing import Item, items_in
from nightledger.gate.stored import Stored, read_proposal
from nightledger.hosts.configured import Cap
from nightledger.remote.handlers import Done, Work
from nightledger.text.scanners.scan import mask_lines, scan_secrets
from nightledger.trust.note import decode_base64, encode_base64

MAX_RECORD_BYTES = 4 << 20
MAX_EXCERPTS = 5
"""Places of evidence that travel with a change, the strongest; its proposal names all."""
_MAX_EXCERPT_CHARACTERS = 4_000
_AROUND = 40
"""Lines around evidence that scanners read with it; a log of outcomes may have a hundred thousand."""


def list_waiting(work: Work) -> Done:
    """Answer with everything that waits and may travel."""
    return Done(status=Status.EXECUTED, body=to_plain(waiting_of(work)))


def waiting_of(work: Work) -> Waiting:
    """Put together what waits."""
    gate, ledger = work.gate, work.ledger
    documents: dict[str, Document] = {}
    proposals: list[Travelling] = []
    left_out: list[str] = []
    for status in ledger.book.live():
        if status.lane == EDIT_LANE or not status.open_changes():
            continue
        if found := _travelling(work, status):
            for path in sorted(set(files_of(found[0].changes)) - documents.keys()):
                documents[path] = _document(gate.home, path)
            proposals.append(found[1])
        else:
            left_out.append(status.id)
    signers = Trust(gate.home, ledger).content("allowed_signers", work.moment)
    return Waiting(
        v=1,
        origin=gate.home.identity.origin,
        log=LogHead(size=ledger.log.size, root=ledger.log.root_at(ledger.log.size).hex()),
        allowed_signers=signers.decode("utf-8", "replace"),
        terms=HomeTerms(
            cooling_after_proposal_s=gate.cooling.after_proposal_s,
            cooling_after_signature_s=gate.cooling.after_signature_s,
            decision_expires_days=gate.settings.decision_expires_days,
            cap_characters=gate.most_characters(gate.home.identity.gated[0]),
        ),
        documents=tuple(documents.values()),
        proposals=tuple(proposals),
        left_out=tuple(left_out),
    )


def _travelling(work: Work, status: ProposalStatus) -> tuple[Proposal, Travelling] | None:
    """Give a proposal as it travels; None where it must be answered on its own machine."""
    if status.lane == DRIFT:
        return None
    try:
        stored = read_proposal(work.gate, status)
        record = read_regular(work.gate.home.proposal(status.id), MAX_RECORD_BYTES).decode()
    except NightledgerError:
        return None
    if any(change.op is Op.COMPRESS for change in stored.proposal.changes):
        return None  # a month of raw notes stays where it is
    if any(map(work.ledger.book.is_disputed, files_of(stored.proposal.changes))):
        return None  # bytes that nobody signed are no base for a signature elsewhere
    if any(scan_secrets(text) for change in stored.proposal.changes for text in _texts(change)):
        return None
    waits = [change for change in stored.proposal.changes if change.n in status.open_changes()]
    return stored.proposal, Travelling(
        record=record,
        created_at=status.created.at,
        changes=status.open_changes(),
        excerpts=tuple(excerpt for change in waits for excerpt in _excerpts(work, change)),
    )


def _texts(change: Change) -> tuple[str, ...]:
    hunk = change.hunk
    texts = (hunk.removed, hunk.added, change.before, change.after)
    return (*texts, change.reason, change.section, *(part.hunk.added for part in change.also))


def _document(home: Home, path: str) -> Document:
    content = read_target(home, path)
    masked = mask_lines(content.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    return Document(path=path, sha256=hashlib.sha256(content).hexdigest(), content=encode_base64(masked))


def _excerpts(work: Work, change: Change) -> Iterator[Excerpt]:
    expunged = read_forgotten(work.gate, (), work.ledger.book).expunged
    for evidence in change.evidence[:MAX_EXCERPTS]:
        same, text = False, ""
        with suppress(NightledgerError):
            found = cited(work.gate.home, evidence)
            lines = expunged.without(found.content.decode("utf-8", "replace")).split("\n")
            same, text = found.same, _masked(lines, *evidence.lines)[:_MAX_EXCERPT_CHARACTERS]
        yield Excerpt(n=change.n, place=place_of(evidence), same=same, text=text)


def _masked(lines: list[str], first: int, last: int) -> str:
    """Give lines with their secrets masked: what stands around them may tell that a line is one."""
    start = max(0, first - 1 - _AROUND)
    around = "\n".join(lines[start : last + _AROUND])
    return "\n".join(mask_lines(around).split("\n")[first - 1 - start : last - start])


class RemoteReview(Struct, frozen=True, kw_only=True):
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
    excerpts = {stored.proposal.id: travelling.excerpts for stored, _, travelling in unpacked}
    if len(excerpts) < len(unpacked):  # an answer to one of them would sign the other
        raise RefusedError(
            "two of the proposals that came have one name, so that nobody can answer one of them"
        )
    return RemoteReview(
        terms=Terms(
            origin=waiting.origin,
            cooling=Cooling(
                after_proposal_s=terms.cooling_after_proposal_s,
                after_signature_s=terms.cooling_after_signature_s,
            ),
            decision_expires_days=terms.decision_expires_days,
            cap_of=lambda _: Cap(characters=terms.cap_characters),
        ),
        documents=documents,
        masked=tuple(masked),
        items=tuple(items_in([one[:2] for one in unpacked], DecisionType.APPROVE, documents, {})),
        excerpts=excerpts,
    )


def _unpack_one(
    travelling: Travelling, documents: dict[str, str]
) -> tuple[Stored, ProposalStatus, Travelling]:
    """Read a proposal that came, and refuse one that cannot be reviewed, or that no gate carries out.

    What such changes are shown as would not be what their hunks write. Which files are gated is the other home's word;
    daily logs never travel. Nor may lines stand as evidence where the change names none.
    """
    content = travelling.record.encode()
    proposal = parse_record(Proposal, content, where="a proposal that came")
    numbers = {change.n for change in proposal.changes}
    missing = set(files_of(proposal.changes)) - documents.keys()
    if proposal.lane == EDIT_LANE or missing or not set(travelling.changes) <= numbers:
        raise RefusedError(f"{proposal.id} came without what is needed to review it")
    places = Places(gated=tuple(path for path in documents if not is_kept(path)))
    if reasons := [reason for change in proposal.changes for reason in why_forbidden(change, places)]:
        raise RefusedError(f"{proposal.id} came as no gate carries it out: {reasons[0]}")
    named = {(change.n, place_of(evidence)) for change in proposal.changes for evidence in change.evidence}
    for excerpt in travelling.excerpts:
        if (excerpt.n, excerpt.place) not in named:
            raise RefusedError(f"{proposal.id} came with lines of {excerpt.place}, on which it does not rest")
    stored = Stored(proposal=proposal, sha256=hashlib.sha256(content).hexdigest())
    status = ProposalStatus(
        id=proposal.id,
        sha256=stored.sha256,
        kind=proposal.kind,
        lane=proposal.lane,
        created=Moment(at=travelling.created_at),
        changes={n: ChangeStatus() for n in travelling.changes},
    )
    return stored, status, travelling
