"""A review of what waits on another machine: what came is made ready, shown, answered, signed and sent.

Invariant: the other machine needs no private key of the operator, and this one asks it for
nothing but bytes: what is shown, hashed and signed is worked out from them here, and never taken from what the other
machine says about them.
"""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from msgspec import Struct
from msgspec.structs import replace

from nightledger.codec.records import load_record, parse_record
from nightledger.domain.decision import NAMESPACE, Cooling, Decision, DecisionType, Moment
from nightledger.domain.errors import RefusedError
from nightledger.domain.judge import EDIT_LANE
from nightledger.domain.kept import Places, files_of, is_kept, why_forbidden
from nightledger.domain.message import Excerpt, Status, Travelling, Waiting
from nightledger.domain.proposal import Proposal, place_of
from nightledger.domain.states import ChangeStatus, ProposalStatus
from nightledger.domain.words import count_of
from nightledger.files.durable import read_optional
from nightledger.files.home import Home
from nightledger.gate.deciding import Terms, compose
from nightledger.gate.reviewing import Answer, Item, Refusal, Verb, items_in
from nightledger.gate.stored import Signed, Stored, sign
from nightledger.hosts.configured import Cap
from nightledger.remote import letters
from nightledger.surfaces import screen, signing
from nightledger.surfaces.context import Context
from nightledger.surfaces.listing import item_record
from nightledger.surfaces.screen import say
from nightledger.surfaces.session import Session, reading
from nightledger.surfaces.verbs.review import keeping, questions_of, tell_unsigned
from nightledger.trust.note import decode_base64
from nightledger.trust.signers import parse_allowed_signers
from nightledger.trust.sshsig import Signer


def review_remote(context: Context, name: str) -> int:
    """Show what waits on another machine; on a terminal ask, sign, and send the decisions.

    Raises:
        UsageError: There is no such machine.
        RefusedError: It does not answer, or its answer does not hold together.
    """
    asks = context.interactive() and not context.json
    with reading(context, person=asks) as session:
        review = _fetch(context, session, name)
        context.emit([item_record(item) for item in review.items])
        if not asks:
            for at, item in enumerate(review.items, 1):
                context.print_lines(screen.item_lines(item, at, len(review.items)))
            return 0
        again = f"nightledger review --remote {name}"
        questions = questions_of(context, session, [*review.items], lambda item: _evidence(review, item))
        with keeping(questions, again):
            given = questions.ask_all()
            answers = [answer for answer in given if answer.verb is not Verb.LATER]
            signed, refusals = _sign(context, session, review, answers) if answers else ([], [])
    if questions.given and not given:
        tell_unsigned(questions, again)
    failed = [not _send(context, name, decision, what) for decision, what in signed]
    if given and not any(failed):
        questions.keep({})
    signing.tell_settled(context, signing.Settled(decisions=(), refusals=tuple(refusals)))
    return 1 if refusals or any(failed) else 0


def _fetch(context: Context, session: Session, name: str) -> "RemoteReview":
    """Ask the machine, else take its newest answer from the spool; tell what came, and make it ready.

    No approval lives longer than this machine's own settings let one live.
    """
    outgoing = letters.prepare(context, name, "proposals", {})
    reply = letters.deliver(context, outgoing).reply if outgoing.address.url else None
    kept = letters.reply_path(Home(context.home_path), name, "proposals")
    if reply is None and (raw := read_optional(kept, letters.MAX_REPLY_ENVELOPE_BYTES)):
        reply = letters.believe(context, raw, outgoing.peer)
    if reply is None:
        raise RefusedError(
            f"{name} has not said what waits",
            hint=f"nightledger channel send proposals --to {name}, then nightledger channel receive",
        )
    if reply.status is not Status.EXECUTED:
        raise RefusedError(f"{name} does not say what waits: {reply.reason}")
    waiting = load_record(Waiting, dict(reply.body), where=f"the answer of {name}")
    review = unpack(waiting, outgoing.peer.home)
    days = min(review.terms.decision_expires_days, session.gate.settings.decision_expires_days)
    at = f"{datetime.fromtimestamp(reply.iat, UTC):%Y-%m-%d %H:%M} UTC"
    changes = count_of(len(review.items), "change waits", "changes wait")
    say(context, f"{changes} on {name}, in {count_of(len(review.excerpts), 'proposal')}; it said so at {at}.")
    what = "are masked here; what is signed of the file is what is shown."
    say(context, *(f"Secrets in {path} {what}" for path in review.masked))
    if left := len(waiting.left_out):
        say(context, f"{left} more must be answered there: drift, or a text that may not travel.")
    context.print()
    return replace(review, terms=replace(review.terms, decision_expires_days=days))


def _evidence(review: "RemoteReview", item: Item) -> list[str]:
    rows = []
    for excerpt in review.excerpts[item.stored.proposal.id]:
        if excerpt.n == item.change.n:
            changed = "" if excerpt.same else ": these lines have changed since, or are gone"
            rows += screen.wrap(screen.shown(f"{excerpt.place}{changed}"), indent="      ", first="  in: ")
            for line in excerpt.text.split("\n"):
                rows += screen.text_lines(line, indent=screen.INSIDE)
    return rows


def _sign(
    context: Context, session: Session, review: "RemoteReview", answers: Sequence[Answer]
) -> tuple[list[tuple[Decision, Signed]], list[Refusal]]:
    """Sign with this machine's operator key; its name comes from the signers of the other home."""
    signer = signing.signer_at(signing.operator_path(session.gate), context)
    context.renew()
    session.moment = context.moment  # a person took their time since
    terms = signing.prepare(session, _principal(review.waiting, signer, session), review.waiting.log)
    decisions, refusals = compose(review.terms, review.items, answers, review.documents, terms)
    return [(decision, sign(decision, signer)) for decision in decisions], refusals


def _principal(waiting: Waiting, signer: Signer, session: Session) -> str:
    for line in parse_allowed_signers(waiting.allowed_signers, where="its allowed_signers"):
        if line.key == signer.public_key and NAMESPACE in (line.namespaces or (NAMESPACE,)):
            return line.principals[0]
    raise RefusedError(
        f"the key {signing.operator_path(session.gate)} may not sign for that home",
        hint="there: nightledger key add, with this machine's operator.pub",
    )


def _send(context: Context, name: str, decision: Decision, signed: Signed) -> bool:
    """Send a decision, tell what became of it, and return whether it arrived or is on its way."""
    body = {"decision": signed.content.decode(), "signature": signed.signature}
    delivery = letters.deliver(context, letters.prepare(context, name, "decide", body))
    reply, arrived = delivery.reply, delivery.spooled
    if delivery.spooled:
        became = "in the spool; 'nightledger channel receive' takes the answer in"
    elif reply is None:
        became = f"not delivered: {delivery.error}"
    elif arrived := reply.status is Status.EXECUTED:
        became = f"recorded there; it cools until {decision.not_before:%Y-%m-%d %H:%M} UTC at least"
    else:
        became = f"refused there: {reply.reason}"
    say(context, f"{decision.type.value} {decision.proposal}: {became}")
    return arrived


class RemoteReview(Struct, frozen=True, kw_only=True):
    """What another home waits for, as a review shows it.

    Attributes:
        waiting: As it came.
        terms: What that home asks of decisions.
        documents: Its gated files as they came, secrets masked.
        masked: Files of which something is masked: their hashes in a decision are of what was shown.
        items: Its changes.
        excerpts: What they rest on, by proposal.
    """

    waiting: Waiting
    terms: Terms
    documents: dict[str, str]
    masked: tuple[str, ...]
    items: tuple[Item, ...]
    excerpts: Mapping[str, tuple[Excerpt, ...]]


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
    documents, masked = dict[str, str](), list[str]()
    for document in waiting.documents:
        content = decode_base64(document.content)
        if content is None:
            raise RefusedError(f"what came as {document.path} is not base64")
        documents[document.path] = content.decode("utf-8", "surrogateescape")
        if hashlib.sha256(content).hexdigest() != document.sha256:
            masked.append(document.path)
    unpacked = [_unpack_one(travelling, documents) for travelling in waiting.proposals]
    ids = [stored.proposal.id for stored, _ in unpacked]
    if len(set(ids)) < len(ids):  # an answer to one of them would sign the other
        raise RefusedError("two proposals came with one name, so that nobody can answer one of them")
    terms = waiting.terms
    cooling = Cooling(
        after_proposal_s=terms.cooling_after_proposal_s, after_signature_s=terms.cooling_after_signature_s
    )
    return RemoteReview(
        waiting=waiting,
        terms=Terms(
            origin=waiting.origin,
            cooling=cooling,
            decision_expires_days=terms.decision_expires_days,
            cap_of=lambda _: Cap(characters=terms.cap_characters),
        ),
        documents=documents,
        masked=tuple(masked),
        items=tuple(items_in(unpacked, DecisionType.APPROVE, documents, {})),
        excerpts=dict(zip(ids, (travelling.excerpts for travelling in waiting.proposals), strict=True)),
    )


def _unpack_one(travelling: Travelling, documents: dict[str, str]) -> tuple[Stored, ProposalStatus]:
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
    named = {(change.n, place_of(e.path, e.lines)) for change in proposal.changes for e in change.evidence}
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
    return stored, status
