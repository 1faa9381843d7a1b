"""What waits, put together for a review on another machine.

Invariant: no secret leaves: a proposal that holds one stays, files and evidence are masked.
"""

import hashlib
from collections.abc import Iterator

from nightledger.codec.records import to_plain
from nightledger.domain.decision import LogHead
from nightledger.domain.errors import NightledgerError
from nightledger.domain.judge import EDIT_LANE
from nightledger.domain.kept import files_of
from nightledger.domain.lanes import DRIFT
from nightledger.domain.message import Status
from nightledger.domain.proposal import Change, Op, Proposal, place_of
from nightledger.domain.states import ProposalStatus
from nightledger.domain.waiting import Document, Excerpt, HomeTerms, Travelling, Waiting
from nightledger.files.home import Home
from nightledger.files.reading import read_regular
from nightledger.gate.forgetting.citing import cited
from nightledger.gate.forgetting.forgotten import read_forgotten
from nightledger.gate.integrity.trusting import Trust
from nightledger.gate.kept_files import read_target
from nightledger.gate.stored import read_proposal
from nightledger.remote.work import Done, Work
from nightledger.text.changes.masked import mask_lines
from nightledger.text.scanners.scan import scan_secrets
from nightledger.trust.base64_strict import encode_base64

MAX_TRAVELLING_BYTES = 4 << 20
"""Of all proposals in one answer, files and evidence included; what has no room comes when others are answered."""
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
    room = MAX_TRAVELLING_BYTES
    for status in ledger.book.proposals.values():
        if status.lane == EDIT_LANE or not status.open_changes():
            continue
        found = _travelling(work, status)
        added = [] if found is None else _documents(gate.home, found[0], documents)
        size = 0 if found is None else _size(found[1]) + sum(len(document.content) for document in added)
        if found is None or size > room:
            left_out.append(status.id)
            continue
        room -= size
        proposals.append(found[1])
        documents |= {document.path: document for document in added}
    return Waiting(
        v=1,
        origin=gate.home.identity.origin,
        log=LogHead(size=ledger.log.size, root=ledger.log.root_at(ledger.log.size).hex()),
        allowed_signers=Trust(gate.home, ledger)
        .content("allowed_signers", work.moment)
        .decode("utf-8", "replace"),
        terms=HomeTerms(
            cooling_after_proposal_s=gate.cooling.after_proposal_s,
            cooling_after_signature_s=gate.cooling.after_signature_s,
            decision_expires_days=gate.settings.decision_expires_days,
            cap_characters=gate.cap_characters,
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
        record = read_regular(work.gate.home.proposal(status.id), MAX_TRAVELLING_BYTES).decode()
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
    texts = (hunk.removed, hunk.added, hunk.context_before, hunk.context_after, change.before, change.after)
    return (*texts, change.reason, change.section, *(part.hunk.added for part in change.also))


def _documents(home: Home, proposal: Proposal, known: dict[str, Document]) -> list[Document]:
    paths = sorted(set(files_of(proposal.changes)) - known.keys())
    return [_document(home, path) for path in paths]


def _document(home: Home, path: str) -> Document:
    content = read_target(home, path)
    masked = mask_lines(content.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    return Document(path=path, sha256=hashlib.sha256(content).hexdigest(), content=encode_base64(masked))


def _excerpts(work: Work, change: Change) -> Iterator[Excerpt]:
    expunged = read_forgotten(work.gate, (), work.ledger.book).expunged
    for evidence in change.evidence[:MAX_EXCERPTS]:
        first, last = evidence.lines
        place = place_of(evidence)
        try:
            found = cited(work.gate.home, evidence)
        except NightledgerError:
            yield Excerpt(n=change.n, place=place, same=False, text="")
            continue
        yield Excerpt(
            n=change.n,
            place=place,
            same=found.same,
            text=_masked(expunged.without(found.content.decode("utf-8", "replace")).split("\n"), first, last)[
                :_MAX_EXCERPT_CHARACTERS
            ],
        )


def _masked(lines: list[str], first: int, last: int) -> str:
    """Give lines with their secrets masked: what stands around them may tell that a line is one."""
    start = max(0, first - 1 - _AROUND)
    around = "\n".join(lines[start : last + _AROUND])
    return "\n".join(mask_lines(around).split("\n")[first - 1 - start : last - start])


def _size(travelling: Travelling) -> int:
    return len(travelling.record) + sum(len(excerpt.text) for excerpt in travelling.excerpts)
