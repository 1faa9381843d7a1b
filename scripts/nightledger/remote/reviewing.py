"""Review on this machine what waits on another: shown, answered and signed here, sent back signed.

Invariant: the other machine needs no private key of the operator, and this one asks it for
nothing but bytes: what is shown is worked out from them here, and what is signed is what was shown.
"""

from collections.abc import Sequence
from datetime import UTC, datetime

from msgspec.structs import replace

from nightledger.codec.records import load_record
from nightledger.domain.decision import NAMESPACE, Decision
from nightledger.domain.errors import RefusedError
from nightledger.domain.message import Peer, Reply, Status, Waiting
from nightledger.files.durable import read_optional
from nightledger.files.home import Home
from nightledger.gate.review.composing import compose_by
from nightledger.gate.review.reviewing import Answer, Item, Refusal, Verb
from nightledger.gate.stored import Signed, sign
from nightledger.remote.letters import (
    MAX_REPLY_ENVELOPE_BYTES,
    Delivery,
    believe,
    deliver,
    prepare,
    reply_path,
)
from nightledger.remote.waiting import RemoteReview, unpack
from nightledger.surfaces import screen, signing
from nightledger.surfaces.context import Context
from nightledger.surfaces.listing import item_record
from nightledger.surfaces.session import Session, reading
from nightledger.surfaces.signing import Settled, tell_settled
from nightledger.surfaces.verbs.review import keeping, questions_of, tell_unsigned
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
        peer, waiting, said_at = _fetch(context, name)
        review = _ready(session, waiting, peer)
        context.emit([item_record(item) for item in review.items])
        _open(context, waiting, review, f"on {peer.name}, which said so at {said_at:%Y-%m-%d %H:%M} UTC")
        if not asks:
            for at, item in enumerate(review.items, 1):
                context.print_lines(screen.item_lines(item, at, len(review.items)))
            return 0
        again = f"nightledger review --remote {name}"
        questions = questions_of(context, session, [*review.items], lambda item: _evidence(review, item))
        with keeping(questions, again):
            given = questions.ask_all()
            answers = [answer for answer in given if answer.verb is not Verb.LATER]
            signed, refusals = _sign(context, session, waiting, review, answers) if answers else ([], [])
    if questions.given and not given:
        tell_unsigned(questions, again)
    failed = [not _send(context, name, decision, what) for decision, what in signed]
    if given and not any(failed):
        questions.keep({})
    tell_settled(context, Settled(decisions=(), refusals=tuple(refusals)))
    return 1 if refusals or any(failed) else 0


def _ready(session: Session, waiting: Waiting, peer: Peer) -> RemoteReview:
    """Unpack what came; no approval lives longer than this machine's own settings let one live."""
    review = unpack(waiting, peer.home)
    days = min(review.terms.decision_expires_days, session.gate.settings.decision_expires_days)
    return replace(review, terms=replace(review.terms, decision_expires_days=days))


def _fetch(context: Context, name: str) -> tuple[Peer, Waiting, datetime]:
    """Ask the machine, or take its newest answer from the spool, and when it was given."""
    outgoing = prepare(context, name, "proposals", {})
    reply: Reply | None
    if outgoing.address.url:
        reply = deliver(context, outgoing).reply
    else:
        kept = reply_path(Home(context.home_path), name, "proposals")
        raw = read_optional(kept, MAX_REPLY_ENVELOPE_BYTES)
        reply = believe(context, raw, outgoing.peer) if raw else None
    if reply is None:
        raise RefusedError(
            f"{name} has not said what waits",
            hint=f"nightledger channel send proposals --to {name}, then nightledger channel receive",
        )
    if reply.status is not Status.EXECUTED:
        raise RefusedError(f"{name} does not say what waits: {reply.reason}")
    waiting = load_record(Waiting, dict(reply.body), where=f"the answer of {name}")
    return outgoing.peer, waiting, datetime.fromtimestamp(reply.iat, UTC)


def _open(context: Context, waiting: Waiting, review: RemoteReview, where: str) -> None:
    proposals = {item.stored.proposal.id for item in review.items}
    told = [f"{len(review.items)} change(s) in {len(proposals)} proposal(s) wait {where}."]
    kept = "are masked here; what is signed of the file is what is shown."
    told += [f"Secrets in {path} {kept}" for path in review.masked]
    if waiting.left_out:
        told.append(
            f"{len(waiting.left_out)} more must be answered there: drift, or a text that may not travel."
        )
    for text in told:
        context.print_lines(screen.wrap(screen.shown(text), indent=screen.INSIDE, first=""))
    context.print()


def _evidence(review: RemoteReview, item: Item) -> list[str]:
    rows = []
    for excerpt in review.excerpts[item.stored.proposal.id]:
        if excerpt.n == item.change.n:
            changed = "" if excerpt.same else ": these lines have changed since, or are gone"
            rows += screen.wrap(screen.shown(f"{excerpt.place}{changed}"), indent="      ", first="  in: ")
            for line in excerpt.text.split("\n"):
                rows += screen.text_lines(line, indent=screen.INSIDE)
    return rows


def _sign(
    context: Context, session: Session, waiting: Waiting, review: RemoteReview, answers: Sequence[Answer]
) -> tuple[list[tuple[Decision, Signed]], list[Refusal]]:
    """Sign with this machine's operator key; its name comes from the signers of the other home."""
    signer = signing.signer_of(session.gate, context)
    context.renew()
    session.moment = context.moment  # a person took their time since
    terms = signing.prepare(session, _principal(waiting, signer, session), waiting.log)
    decisions, refusals = compose_by(review.terms, review.items, answers, review.documents, terms)
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
    body = {"decision": signed.content.decode(), "signature": signed.signature}
    delivery = deliver(context, prepare(context, name, "decide", body))
    told = f"{decision.type.value} {decision.proposal}: {_became(delivery, decision)}"
    context.print_lines(screen.wrap(told, indent=screen.INSIDE, first=""))
    return delivery.spooled or (delivery.reply is not None and delivery.reply.status is Status.EXECUTED)


def _became(delivery: Delivery, decision: Decision) -> str:
    if delivery.spooled:
        return "in the spool; 'nightledger channel receive' takes the answer in"
    if delivery.reply is None:
        return f"not delivered: {screen.shown(delivery.error)}"
    if delivery.reply.status is Status.EXECUTED:
        return f"recorded there; it cools until {decision.not_before:%Y-%m-%d %H:%M} UTC at least"
    return f"refused there: {screen.shown(delivery.reply.reason)}"
