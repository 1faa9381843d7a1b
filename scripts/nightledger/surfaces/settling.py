"""Record what a person answered: the lock is held while it is signed, never while they read.

Invariant: an answer is lost to nothing but its own change: a run at work is waited for, and
what was settled elsewhere meanwhile is named while the rest is signed.
"""

from collections.abc import Callable, Sequence

from msgspec import Struct

from nightledger.domain.decision import Decision, DecisionTarget, DecisionType
from nightledger.domain.errors import FileChangedError, RefusedError
from nightledger.domain.event import EventName
from nightledger.domain.proposal import Kind, Proposal
from nightledger.domain.states import ProposalStatus
from nightledger.gate.guard.drifting import carry_out
from nightledger.gate.opening import record
from nightledger.gate.review.answers import recheck
from nightledger.gate.review.composing import (
    close_choice,
    compose,
    compose_settlements,
    make_decision,
    make_unproposed,
)
from nightledger.gate.review.reviewing import (
    Answer,
    Item,
    Refusal,
    Verb,
    accepted_texts,
    items_of,
    read_documents,
)
from nightledger.gate.stored import is_altered
from nightledger.remote.witness_asking import ask_behind
from nightledger.surfaces import screen, signing
from nightledger.surfaces.context import Context
from nightledger.surfaces.screen import say
from nightledger.surfaces.session import Session, look_after, reading, writing
from nightledger.trust import keys
from nightledger.trust.sshsig import Signer


class Settled(Struct, frozen=True, kw_only=True):
    """What became of answers.

    Attributes:
        decisions: What was signed and recorded.
        refusals: What was not, and why.
    """

    decisions: tuple[Decision, ...]
    refusals: tuple[Refusal, ...]


def settle(context: Context, seen: Session, items: Sequence[Item], answers: Sequence[Answer]) -> Settled:
    """Sign and record answers; what does not stand any more is left out and named.

    Args:
        context: The command's surroundings.
        seen: The home as it was shown, without its lock.
        items: What was shown.
        answers: What the operator said to it.

    Raises:
        LockedError: A run was at work for longer than anyone waits; nothing was recorded.
        RefusedError: The key may not sign, or cannot be unlocked here; nothing was recorded.
    """
    if not answers:
        return Settled(decisions=(), refusals=())
    signs = any(answer.verb is not Verb.LATER for answer in answers)
    signer = signing.unlock(seen, context) if signs else None
    with writing(context, keep_head=True, person=True, answered=True) as session:
        standing, fallen = recheck(session.gate, session.ledger.book, items, answers)
        _defer(session, [answer for answer in standing if answer.verb is Verb.LATER])
        decided = [answer for answer in standing if answer.verb is not Verb.LATER]
        if signer is None or not decided:
            return Settled(decisions=(), refusals=tuple(fallen))
        settled, unsettled = _settle_drift(session, items, decided, signer)
        documents = read_documents(session.gate)
        decisions, refusals = compose(session.gate, items, decided, documents, signing.prepare(session))
        accepted = signing.sign_all(session, decisions, signer)
    ask_behind(context)
    return Settled(decisions=(*settled, *accepted), refusals=(*fallen, *unsettled, *refusals))


def _settle_drift(
    session: Session, items: Sequence[Item], answers: Sequence[Answer], signer: Signer
) -> tuple[list[Decision], list[Refusal]]:
    """Sign what was said about drift, one decision a file, and carry it out at once; it comes first.

    What was left for later is offered anew, against the bytes that are accepted now.
    """
    gate = session.gate
    if not any(item.stored.proposal.kind is Kind.DRIFT for item in items):
        return [], []
    shared = signing.prepare(session)
    settlements, refusals = compose_settlements(gate, session.ledger.book, items, answers, shared)
    done = []
    for settlement in settlements:
        accepted = signing.sign_all(session, [settlement.decision], signer)[0]
        status = session.ledger.book.decisions[accepted.id]
        try:
            carry_out(gate, session.ledger, status, settlement.taken_back, session.moment)
        except RefusedError as error:  # somebody wrote to the file while it was signed
            refusals.append(Refusal(proposal=accepted.proposal, reason=str(error)))
            continue
        finally:
            session.reread()
        done.append(accepted)
    if settlements:
        look_after(session)
    return done, refusals


def tell_settled(context: Context, settled: Settled) -> None:
    """Say what was signed, when it can be applied, and what was not signed and why."""
    for refusal in settled.refusals:
        say(context, f"not signed: {refusal.proposal}: {refusal.reason}", indent=screen.INSIDE)
    by_type: dict[DecisionType, list[Decision]] = {}
    for decision in settled.decisions:
        by_type.setdefault(decision.type, []).append(decision)
    for decision in by_type.get(DecisionType.DRIFT, ()):
        say(context, f"Settled {decision.targets[0].path}: {_kept(decision)}.", indent=screen.INSIDE)
    counts = {kind: sum(len(one.changes) for one in found) for kind, found in by_type.items()}
    if rejected := counts.get(DecisionType.REJECT):
        context.print(f"Rejected {rejected} change(s).")
    if approved := by_type.get(DecisionType.APPROVE):
        when = max(decision.not_before for decision in approved)
        applies = "" if context.guided else "; 'nightledger apply' then applies them"
        count = f"Signed {counts[DecisionType.APPROVE]} change(s)"
        say(context, f"{count}. They cool until {when:%Y-%m-%d %H:%M} UTC{applies}.")


def require_signed(settled: Settled) -> None:
    """Make sure that nothing was refused.

    Raises:
        RefusedError: Something was; the rest is signed.
    """
    for refusal in settled.refusals:
        raise RefusedError(
            f"{refusal.proposal} cannot be signed: {refusal.reason}",
            hint="'nightledger review' shows it as it is now",
        )


def _kept(decision: Decision) -> str:
    """Say what was kept of what had drifted in one file, and what was not."""
    if not decision.changes:
        return "took back every change that you answered"
    took = decision.targets[0].base != decision.targets[0].result
    return f"kept {len(decision.changes)} change(s){', the rest you answered was taken back' if took else ''}"


def close(context: Context, seen: Session, status: ProposalStatus, reason: str) -> Decision:
    """Sign and record that a proposal, whose file is not what was logged, is given up.

    Args:
        context: The command's surroundings.
        seen: The home as it was looked at, without its lock.
        status: The proposal.
        reason: The operator's words.

    Raises:
        FileChangedError: Its file was put back, or it was closed, meanwhile.
        LockedError: A run was at work for longer than anyone waits; nothing was recorded.
        RefusedError: The key may not sign, or cannot be unlocked here; nothing was recorded.
    """
    signer = signing.unlock(seen, context)
    with writing(context, keep_head=True, person=True, answered=True) as session:
        book = session.ledger.book
        if status.id in book.closed() or not is_altered(session.gate.home, status):
            raise FileChangedError(f"{status.id} was put back or closed meanwhile; nothing was signed")
        choice = close_choice(book.proposals[status.id], reason)
        decision = make_decision(session.gate, status, choice, signing.prepare(session))
        (accepted,) = signing.sign_all(session, [decision], signer)
    return accepted


def sign_unproposed(
    context: Context,
    seen: Session,
    kind: DecisionType,
    targets_of: Callable[[Session], Sequence[DecisionTarget]],
    *,
    reason: str = "",
) -> tuple[Decision, Session]:
    """Sign and record a decision about what no proposal asks; return it, and the home as it is then.

    Args:
        context: The command's surroundings.
        seen: The home as it was shown, without its lock.
        kind: What is decided.
        targets_of: Works out what is decided about; asked again under the lock.
        reason: For the record.

    Raises:
        FileChangedError: It is not what was shown any more; nothing was signed.
    """
    shown = list(targets_of(seen))
    signer = signing.unlock(seen, context)
    with writing(context, keep_head=True, person=True, answered=True) as session:
        targets = list(targets_of(session))
        if targets != shown:
            raise FileChangedError(
                "what is decided about was changed meanwhile; nothing was signed", hint="run it again"
            )
        decision = make_unproposed(session.gate, kind, targets, signing.prepare(session), reason=reason)
        (accepted,) = signing.sign_all(session, [decision], signer)
    return accepted, session


def _defer(session: Session, later: Sequence[Answer]) -> None:
    events: list[tuple[EventName, dict[str, object]]] = [
        (EventName.DEFERRED, {"proposal": answer.proposal, "changes": [answer.n]}) for answer in later
    ]
    if events:
        record(session.gate, events, session.moment)
        session.reread()


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
