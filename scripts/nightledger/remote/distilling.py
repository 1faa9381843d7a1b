"""A daily log that another machine sent: distilled like the home's own, and trusted less.

Invariant: what comes of it is proposed in the lane of machines, each change with the class of a
tool's text and the name of the machine; nothing of it is read again by a later night.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from zoneinfo import ZoneInfo

from nightledger.domain.errors import RefusedError
from nightledger.domain.message import PEER
from nightledger.domain.periods import log_day
from nightledger.domain.proposal import Draft, Evidence, Flag, Kind, Origin, Proposal, least_trusted
from nightledger.domain.words import read_moment
from nightledger.gate.forgetting.forgotten import read_forgotten
from nightledger.gate.gated import read_gated
from nightledger.gate.proposing.proposing import Submission, propose
from nightledger.gate.stored import read_stored, without_unanswered
from nightledger.hosts.daylogs import LogFile
from nightledger.jobs.consolidate.prose import Target
from nightledger.jobs.consolidate.statements import StatementFindings, find_in_logs
from nightledger.remote.handlers import drop_text, keep_text, queued
from nightledger.remote.work import Done, Work, find_made
from nightledger.text.changes.masked import mask_lines
from nightledger.text.markdown.document import parse_markdown


def consolidate_received(work: Work) -> Done:
    """Propose what is worth keeping of a log that a machine sent.

    Raises:
        RefusedError: The lane is full, the day is none, or nothing is left to propose.
    """
    made = find_made(work)
    if made is None:
        _require_room(work)
        made = _propose(work)
    return queued(made)


def _propose(work: Work) -> Proposal:
    day = _day(work)
    text = read_forgotten(work.gate, (), work.ledger.book).expunged.without(work.message.body["text"])
    evidence = keep_text(work, text)
    found = _find(work, LogFile(path=evidence.path, day=day), text)
    submission = Submission(
        kind=Kind.CONSOLIDATE,
        lane=PEER,
        period=day.isoformat(),
        title=f"Log of {day} from the machine {work.peer.name}",
        drafts=_trusted_less(found.drafts, work.peer.name, mask_lines(text)),
        held=found.held,
    )
    outcome = propose(work.gate, work.ledger, submission, work.moment)
    if outcome.proposal is None:
        drop_text(work)
        held = f"; the scanners hold {len(outcome.held)} back" if outcome.held else ""
        raise RefusedError(f"nothing in it is worth keeping that is not remembered or proposed already{held}")
    return outcome.proposal


def _day(work: Work) -> date:
    try:
        return date.fromisoformat(work.message.body["date"])
    except ValueError as error:
        raise RefusedError(f"{work.message.body['date']} is no day") from error


def _require_room(work: Work) -> None:
    """Make sure that machines have not filled their lane.

    Raises:
        RefusedError: They have.
    """
    waiting = sum(
        status.lane == PEER and bool(status.open_changes()) for status in work.ledger.book.proposals.values()
    )
    if waiting >= work.gate.settings.agent_waiting:
        raise RefusedError(
            f"{waiting} proposals of machines wait already", hint="the operator has to answer them first"
        )


def _find(work: Work, log: LogFile, text: str) -> StatementFindings:
    home = work.gate.home
    adopted = log_day(read_moment(home.identity.created_at), ZoneInfo(home.identity.zone))
    target = Target(path=home.identity.gated[0], adopted=adopted)
    document = parse_markdown(read_gated(home, target.path).decode("utf-8", "surrogateescape"))
    stored = without_unanswered(read_stored(work.gate, work.ledger.book), work.ledger.book)
    return find_in_logs({log: text.encode()}, document, stored, target, work.gate.settings.nightly_additions)


def _trusted_less(drafts: Sequence[Draft], peer: str, kept: str) -> list[Draft]:
    """Give the drafts the class of what a tool said, and evidence in the text as it is kept: masked."""
    flag = Flag(rule="peer", message=f"the machine {peer} sent it")
    lines = kept.encode().split(b"\n")
    return [
        replace(
            draft,
            evidence=tuple(_in(evidence, lines) for evidence in draft.evidence),
            flags=(*draft.flags, flag),
        )
        for draft in drafts
    ]


def _in(evidence: Evidence, lines: Sequence[bytes]) -> Evidence:
    first, last = evidence.lines
    digest = hashlib.sha256(b"\n".join(lines[first - 1 : last])).hexdigest()
    return replace(evidence, sha256=digest, origin=least_trusted((evidence.origin, Origin.TOOL)))
