"""What machines may ask for, carried out.

Invariant: each may be begun again after a crash at any moment: what it made the first time is
found by the message's id, and is not made twice. What leaves is masked, a proposal that holds a secret stays, and of the staged context the page alone leaves,
once it is in the exposure ledger. What comes of a daily log is proposed in the lane of machines, each change with the
class of a tool's text and the name of the machine; nothing of it is read again by a later night.
"""

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import date

from msgspec import Struct
from msgspec.structs import replace

from nightledger.codec.canonical import CanonicalError, canonical, parse_json
from nightledger.codec.records import decode_record, parse_record, to_plain
from nightledger.domain import errors
from nightledger.domain import message as messages
from nightledger.domain import proposal as proposals
from nightledger.domain.decision import Decision, DecisionType, LogHead, Moment
from nightledger.domain.exposure import parse_page
from nightledger.domain.judge import DRIFT, EDIT_LANE
from nightledger.domain.kept import files_of
from nightledger.domain.periods import log_day
from nightledger.domain.states import ProposalStatus
from nightledger.files.atomic import replace_file
from nightledger.files.configuration import home_zone
from nightledger.files.durable import make_dir, read_regular
from nightledger.files.home import Home
from nightledger.files.hook_state import append_exposure
from nightledger.files.staged import read_staged
from nightledger.gate.agent_lane import Wish, propose_wish
from nightledger.gate.deciding import accept
from nightledger.gate.forgotten import cited, read_forgotten
from nightledger.gate.gated import read_gated, read_target, require_watched
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.proposing import Submission, propose
from nightledger.gate.stored import Signed, read_logged, read_proposal, read_stored, without_unanswered
from nightledger.gate.trusting import Trust
from nightledger.hosts.daylogs import LogFile
from nightledger.jobs.consolidate import target_of
from nightledger.jobs.consolidate.statements import Night, StatementFindings, find_in_logs
from nightledger.jobs.prune import prune
from nightledger.text.markdown.document import parse_markdown
from nightledger.text.scanners.scan import mask_lines, mask_secrets, scan_secrets
from nightledger.trust.note import encode_base64

HOST = "channel"
"""How the exposure ledger names an agent on another machine."""
MAX_HEARTBEAT_BYTES = 1 << 20
REFUSALS = (errors.RefusedError, errors.RecordError, errors.UnreadableError)
"""What keeps a message from being carried out, and is answered; it may have left nothing behind."""
MAX_RECORD_BYTES = 4 << 20
MAX_EXCERPTS = 5
"""Places of evidence that travel with a change, the strongest; its proposal names all."""
_MAX_EXCERPT_CHARACTERS = 4_000
_AROUND = 40
"""Lines around evidence that scanners read with it; a log of outcomes may have a hundred thousand."""
TRAVELLING = (DecisionType.APPROVE, DecisionType.REJECT)
"""Decisions that are acted on later, by ``apply``; what an operator does at once is done on the home's own machine."""


class Work(Struct, frozen=True, kw_only=True):
    """A message that was taken in and is to be carried out.

    Attributes:
        gate: The home; for an action that writes, the caller holds its lock.
        ledger: Its log, as checked.
        message: What is asked.
        peer: By whom.
        moment: The clocks.
    """

    gate: Gate
    ledger: Ledger
    message: messages.Message
    peer: messages.Peer
    moment: Moment


class Done(Struct, frozen=True, kw_only=True):
    """What became of a message.

    Attributes:
        status: In a word.
        reason: Why it was rejected; empty otherwise.
        body: What the answer carries; the names of what it made where nothing else is said.
        proposal: The proposal that it made; empty where it made none.
        decision: The decision that it brought; empty where it brought none.
    """

    status: messages.Status
    reason: str = ""
    body: Mapping[str, object] | None = None
    proposal: str = ""
    decision: str = ""

    def names(self) -> dict[str, str]:
        """Return what it made, by the names that the log and an answer have for it."""
        made = {"proposal": self.proposal, "decision": self.decision}
        return {name: value for name, value in made.items() if value}


def find_made(work: Work) -> proposals.Proposal | None:
    """Return the proposal that a message made before a crash; None where it made none."""
    home = work.gate.home
    path = home.relative(home.received(work.message.id))
    for status in work.ledger.book.proposals.values():
        if status.lane != messages.PEER:  # an agent may name that path in a proposal of its own
            continue
        with suppress(errors.NightledgerError):
            proposal = read_proposal(work.gate, status).proposal
            if any(e.path == path for change in proposal.changes for e in change.evidence):
                return proposal
    return None


def propose_change(work: Work) -> Done:
    """Put one change that a machine asks for before the operator.

    Raises:
        RefusedError: The lane is full, the text too long or held back, the entry unknown.
    """
    if made := find_made(work):
        return queued(made)
    body = work.message.body
    text, entry = body.get("text", ""), body.get("entry", "")
    if not text.strip() and not entry:
        raise errors.RefusedError(
            "it has neither a text nor an entry", hint="say what to put in, or what to take out"
        )
    with kept_text(work, f"{text}\n\n{body['reason']}\n") as evidence:
        wish = Wish(
            target=body.get("target", work.gate.home.identity.gated[0]),
            section=tuple(part.strip() for part in body.get("section", "Lessons").split(" > ")),
            text=text,
            entry=entry,
            reason=body["reason"],
            evidence=(evidence,),
            lane=messages.PEER,
            asker=f"The machine {work.peer.name}",
        )
        outcome = propose_wish(work.gate, work.ledger, wish, work.moment)
        if outcome.proposal is None:
            rules = sorted({rule for held in outcome.held for rule in held.rules})
            raise errors.RefusedError(f"the scanners hold it back ({', '.join(rules)})")
    return queued(outcome.proposal)


def queued(proposal: proposals.Proposal) -> Done:
    """Answer with a proposal that waits, and its diff."""
    body = {"proposal": proposal.id, "diff": "\n".join(change.diff for change in proposal.changes)}
    return Done(status=messages.Status.QUEUED, proposal=proposal.id, body=body)


@contextmanager
def kept_text(work: Work, text: str) -> Iterator[proposals.Evidence]:
    """Keep what a message said where a review can show it, as evidence; removed again where what rests on it is refused.

    Secrets are masked. The file is the message's own, so that a proposal that rests on it is this message's proposal.
    """
    content = mask_lines(text).encode()
    path = work.gate.home.received(work.message.id)
    make_dir(os.path.dirname(path), ignored_by_git=True)
    replace_file(path, content)
    lines = (1, content.count(b"\n") + 1)
    sha256 = hashlib.sha256(content).hexdigest()
    try:
        yield proposals.Evidence(
            path=work.gate.home.relative(path), lines=lines, sha256=sha256, origin=proposals.Origin.TOOL
        )
    except (*REFUSALS, errors.ConfigurationError):  # that one may come again, and its text with it
        with suppress(OSError):  # what an agent put there is not ours, and no reason to stop
            os.unlink(path)
        raise


def load_memory_file(work: Work) -> Done:
    """Give the text of a gated file, secrets masked.

    Raises:
        RefusedError: It is no gated file.
    """
    path = work.message.body["path"]
    require_watched(work.gate.home, work.ledger.book, path)
    content = read_gated(work.gate.home, path)
    text = content.decode("utf-8", "backslashreplace")
    shown, sha256 = mask_secrets(text), hashlib.sha256(content).hexdigest()
    body = {"path": path, "sha256": sha256, "masked": shown != text, "text": shown}
    return Done(status=messages.Status.EXECUTED, body=body)


def update_heartbeat(work: Work) -> Done:
    """Keep what a machine says of itself: identifiers and numbers, the newest of each."""
    path, beats = work.gate.home.heartbeat, dict[str, object]()
    with suppress(errors.NightledgerError, CanonicalError, KeyError, TypeError, ValueError):
        kept = dict(parse_json(read_regular(path, MAX_HEARTBEAT_BYTES), path)["heartbeats"])
        canonical(kept)  # as it is written again
        beats = kept  # else: the log has that they came; what they said is only of now
    at = f"{work.moment.at:%Y-%m-%dT%H:%M:%SZ}"
    beats[work.peer.name] = {"at": at, "state": work.message.body["state"]}
    if os.path.lexists(path) and not stat.S_ISREG(os.lstat(path).st_mode):
        os.rename(path, f"{path}.{work.message.id}")  # an agent may put anything there; it is kept beside it
    replace_file(path, canonical({"v": 1, "heartbeats": beats}) + b"\n")
    return Done(status=messages.Status.EXECUTED)


def decide(work: Work) -> Done:
    """Take in a decision that an operator signed on another machine; where it comes from counts for nothing.

    Raises:
        RecordError: The bytes are no decision.
        RefusedError: With every reason at once.
    """
    content = work.message.body["decision"].encode()
    decision = parse_record(Decision, content, where="the decision")
    if decision.type not in TRAVELLING:
        raise errors.RefusedError(
            f"a decision of the type {decision.type.value} does not travel",
            hint="make it on the machine that writes the home",
        )
    status = work.ledger.book.decisions.get(decision.id)
    if status is None or status.sha256 != hashlib.sha256(content).hexdigest():
        signed = Signed(content=content, signature=work.message.body["signature"])
        accept(work.gate, work.ledger, signed, work.moment)
    return Done(status=messages.Status.EXECUTED, decision=decision.id)


def restore_context(work: Work) -> Done:
    """Stage for the sender and answer with the page.

    Raises:
        RefusedError: Nothing could be staged, or what is shown could not be recorded, and why.
    """
    from nightledger.surfaces.outside import prepare, stage_home

    gate, moment = work.gate, work.moment
    try:
        prepared = prepare(gate.home, os.fspath(gate.ring.directory), moment.at)
        staged = stage_home(gate, work.ledger, moment, prepared)
        at = f"{moment.at:%Y-%m-%dT%H:%M:%SZ}"
        if page := read_staged(gate.home, at):
            shown, places = page.shown, page.places
            append_exposure(gate.home, at=at, shown=shown, host=HOST, event="session_start", places=places)
    except (errors.ConfigurationError, OSError) as error:
        raise errors.RefusedError(str(error), hint=getattr(error, "hint", "")) from error
    fence = parse_page(staged.text)
    body = {
        "text": staged.text,
        "sha256": fence.sha256 if fence else "",
        "good_until": fence.good_until if fence else "",
        "lines": len(staged.lines),
        "notes": list(staged.notes),
    }
    return Done(status=messages.Status.EXECUTED, body=body)


def prune_received(work: Work) -> Done:
    """Look for what may be let go and propose it; the answer names the proposals and counts what waits.

    Raises:
        RefusedError: Nothing was looked for, and why.
    """
    zone = home_zone(work.gate.home, work.gate.settings)
    pruned = prune(work.gate, work.ledger, log_day(work.moment.at, zone), work.moment)
    if pruned.reason:
        raise errors.RefusedError(pruned.reason)
    made = [proposal for tally in pruned.tallies for proposal in tally.proposals]
    waiting = {tally.op.value: tally.waiting for tally in pruned.tallies}
    return Done(
        status=messages.Status.QUEUED if made or any(waiting.values()) else messages.Status.EXECUTED,
        proposal=made[0].id if len(made) == 1 else "",
        body={"proposals": [proposal.id for proposal in made], "waiting": waiting},
    )


def consolidate_received(work: Work) -> Done:
    """Propose what is worth keeping of a log that a machine sent.

    Raises:
        RefusedError: The lane is full, the day is none, or nothing is left to propose.
    """
    if made := find_made(work):
        return queued(made)
    waiting = sum(
        status.lane == messages.PEER and bool(status.open_changes()) for status in work.ledger.book.live()
    )
    if waiting >= work.gate.settings.agent_waiting:
        raise errors.RefusedError(
            f"{waiting} proposals of machines wait already", hint="the operator has to answer them first"
        )
    try:
        day = date.fromisoformat(work.message.body["date"])
    except ValueError as error:
        raise errors.RefusedError(f"{work.message.body['date']} is no day") from error
    text = mask_lines(
        read_forgotten(work.gate, (), work.ledger.book).expunged.without(work.message.body["text"])
    )
    with kept_text(work, text) as evidence:
        found = _find_worth(work, LogFile(path=evidence.path, day=day), text)
        submission = Submission(
            kind=proposals.Kind.CONSOLIDATE,
            lane=messages.PEER,
            period=day.isoformat(),
            title=f"Log of {day} from the machine {work.peer.name}",
            drafts=[_trusted_less(draft, work.peer.name) for draft in found.drafts],
            held=found.held,
        )
        outcome = propose(work.gate, work.ledger, submission, work.moment)
        if outcome.proposal is None:
            held = f"; the scanners hold {len(outcome.held)} back" if outcome.held else ""
            told = f"nothing in it is worth keeping that is not remembered or proposed already{held}"
            raise errors.RefusedError(told)
    return queued(outcome.proposal)


def _find_worth(work: Work, log: LogFile, text: str) -> StatementFindings:
    gate, book = work.gate, work.ledger.book
    target = target_of(gate, book, home_zone(gate.home, gate.settings))
    document = parse_markdown(read_gated(gate.home, target.path).decode("utf-8", "surrogateescape"))
    night = Night(day=log.day, limit=gate.settings.nightly_additions)
    stored = without_unanswered(read_stored(gate, book), book)
    return find_in_logs({log: text.encode()}, document, stored, target, night)


def _trusted_less(draft: proposals.Draft, peer: str) -> proposals.Draft:
    """Return a draft with the class of what a tool said."""
    flag = proposals.Flag(rule="peer", message=f"the machine {peer} sent it")
    origins = (proposals.least_trusted((one.origin, proposals.Origin.TOOL)) for one in draft.evidence)
    evidence = tuple(map(lambda one, origin: replace(one, origin=origin), draft.evidence, origins))
    return replace(draft, evidence=evidence, flags=(*draft.flags, flag))


def list_waiting(work: Work) -> Done:
    """Answer with everything that waits and may travel."""
    return Done(status=messages.Status.EXECUTED, body=to_plain(waiting_of(work)))


def waiting_of(work: Work) -> messages.Waiting:
    """Put together what waits and may travel: a proposal that holds a secret stays, files and evidence are masked."""
    gate, ledger = work.gate, work.ledger
    documents: dict[str, messages.Document] = {}
    travelling, left_out = list[messages.Travelling](), list[str]()
    for status in ledger.book.live():
        if status.lane == EDIT_LANE or not status.open_changes():
            continue
        if found := _travelling(work, status):
            for path in sorted(set(files_of(found[0].changes)) - documents.keys()):
                documents[path] = _document(gate.home, path)
            travelling.append(found[1])
        else:
            left_out.append(status.id)
    signers = Trust(gate.home, ledger).content("allowed_signers", work.moment)
    return messages.Waiting(
        v=1,
        origin=gate.home.identity.origin,
        log=LogHead(size=ledger.log.size, root=ledger.log.root_at(ledger.log.size).hex()),
        allowed_signers=signers.decode("utf-8", "replace"),
        terms=messages.HomeTerms(
            cooling_after_proposal_s=gate.cooling.after_proposal_s,
            cooling_after_signature_s=gate.cooling.after_signature_s,
            decision_expires_days=gate.settings.decision_expires_days,
            cap_characters=gate.most_characters(gate.home.identity.gated[0]),
        ),
        documents=tuple(documents.values()),
        proposals=tuple(travelling),
        left_out=tuple(left_out),
    )


def _travelling(work: Work, status: ProposalStatus) -> tuple[proposals.Proposal, messages.Travelling] | None:
    """Give a proposal as it travels; None where it must be answered on its own machine."""
    if status.lane == DRIFT:
        return None
    try:
        record = read_logged(work.gate.home, status)
        proposal = decode_record(proposals.Proposal, record, where=status.id)
    except errors.NightledgerError:
        return None
    changes = proposal.changes
    if (
        len(record) > MAX_RECORD_BYTES
        or any(change.op is proposals.Op.COMPRESS for change in changes)  # a month of raw notes stays here
        or any(map(work.ledger.book.is_disputed, files_of(changes)))  # signed by nobody: no base elsewhere
        or any(scan_secrets(text) for change in changes for text in _texts(change))
    ):
        return None
    waits = [change for change in changes if change.n in status.open_changes()]
    return proposal, messages.Travelling(
        record=record.decode(),
        created_at=status.created.at,
        changes=status.open_changes(),
        excerpts=tuple(excerpt for change in waits for excerpt in _excerpts(work, change)),
    )


def _texts(change: proposals.Change) -> tuple[str, ...]:
    hunk = change.hunk
    texts = (hunk.removed, hunk.added, change.before, change.after)
    return (*texts, change.reason, change.section, *(part.hunk.added for part in change.also))


def _document(home: Home, path: str) -> messages.Document:
    content = read_target(home, path)
    masked = mask_lines(content.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    sha256 = hashlib.sha256(content).hexdigest()
    return messages.Document(path=path, sha256=sha256, content=encode_base64(masked))


def _excerpts(work: Work, change: proposals.Change) -> Iterator[messages.Excerpt]:
    expunged = read_forgotten(work.gate, (), work.ledger.book).expunged
    for one in change.evidence[:MAX_EXCERPTS]:
        same, text = False, ""
        with suppress(errors.NightledgerError):
            found = cited(work.gate.home, one)
            lines = expunged.without(found.content.decode("utf-8", "replace")).split("\n")
            same, text = found.same, _masked(lines, *one.lines)[:_MAX_EXCERPT_CHARACTERS]
        place = proposals.place_of(one.path, one.lines)
        yield messages.Excerpt(n=change.n, place=place, same=same, text=text)


def _masked(lines: list[str], first: int, last: int) -> str:
    """Give lines with their secrets masked: what stands around them may tell that a line is one."""
    start = max(0, first - 1 - _AROUND)
    around = "\n".join(lines[start : last + _AROUND])
    return "\n".join(mask_lines(around).split("\n")[first - 1 - start : last - start])
