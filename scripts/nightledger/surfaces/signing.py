"""Get the operator's signature: one passphrase or one touch for everything answered."""

import getpass
import secrets
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from nightledger.domain.decision import NAMESPACE, Decision, DecisionTarget, DecisionType, EventName, LogHead
from nightledger.domain.errors import FileChangedError, RefusedError, UsageError
from nightledger.domain.proposal import Kind, Proposal
from nightledger.domain.states import ProposalStatus
from nightledger.domain.words import count_of
from nightledger.gate import deciding, reviewing
from nightledger.gate.deciding import accept
from nightledger.gate.drifting import carry_out
from nightledger.gate.editing import answer_of, recheck
from nightledger.gate.opening import Gate, record, require_settings, sign_head
from nightledger.gate.stored import is_altered, sign
from nightledger.gate.trusting import Trust
from nightledger.remote.witness_asking import ask_behind
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context
from nightledger.surfaces.screen import say
from nightledger.surfaces.session import Session, look_after, reading, this_machine, writing
from nightledger.trust import keys
from nightledger.trust.sshsig import ED25519, PublicKey, Signer

NONCE_BYTES = 16
PASSPHRASE_TRIES = 3
"""A slip of the finger must not cost the answers of a whole review."""


def operator_path(gate: Gate) -> Path:
    """Give the operator's key file of this home."""
    return keys.operator_key_path(gate.ring, gate.home.identity.id)


def prepare(session: Session, principal: str = "", head: LogHead | None = None) -> deciding.Signing:
    """Fix what the decisions of this run share: head, machine, principal, clocks.

    Args:
        session: The home, its lock held.
        principal: Who signs; empty takes the name of this machine's operator key.
        head: The head that the decisions name; None signs that of the whole log first, and keeps it.
    """
    principal = principal or principal_of(session)
    if head is None:
        signed = sign_head(session.gate, session.moment, keep=True)
        head = LogHead(size=signed.size, root=signed.root.hex())
        if head.size != session.ledger.log.size:  # it closed what a crash had left at the log's end
            session.reread()
    return deciding.Signing(
        principal=principal,
        machine=this_machine(),
        head=head,
        moment=session.moment,
        fresh_nonce=lambda: secrets.token_hex(NONCE_BYTES),
    )


def principal_of(session: Session) -> str:
    """Give the name that ``allowed_signers`` has for this machine's operator key.

    Raises:
        RefusedError: No key is here, or it is not among those who may sign.
    """
    path = operator_path(session.gate)
    public = public_path(path)
    if not public.exists():
        raise RefusedError(
            f"no operator's key is here to sign with: {public} is missing",
            hint="restore it from a backup; where it is on another machine, sign there or lend it: docs/machines.md",
        )
    return principal_at(session, path, keys.public_key_of(public), NAMESPACE)


def principal_at(session: Session, path: Path, key: PublicKey, namespace: str) -> str:
    """Give the name that the signers in force have for a key.

    Args:
        session: The home.
        path: The key's file, for messages.
        key: Its public side.
        namespace: What it is to sign for.

    Raises:
        RefusedError: The key is not among those who may sign for that.
    """
    signers = Trust(session.gate.home, session.ledger).signers(session.moment)
    for signer in signers.able(namespace, session.moment.at):
        if signer.key == key:
            return signer.principals[0]
    raise RefusedError(
        f"the key {path} may not sign for this home", hint="'nightledger key list' shows who may"
    )


def unlock(
    session: Session,
    context: Context,
    path: Path | None = None,
    namespace: str = NAMESPACE,
    passphrase: bytes | None = None,
) -> Signer:
    """Unlock the operator's key, or another that may sign, asking for its passphrase; the home's lock need not be held.

    Raises:
        RefusedError: The key may not sign for this home, or wants a passphrase and nobody can be asked.
    """
    if path is None:
        principal_of(session)
        return signer_at(operator_path(session.gate), context, passphrase)
    signer = signer_at(path, context)
    principal_at(session, path, signer.public_key, namespace)
    return signer


def asks(gate: Gate) -> bool:
    """Tell whether the operator's key wants a passphrase or a touch before it signs; an agent's key may not."""
    path = operator_path(gate)
    return path.exists() and (keys.public_key_of(path).kind != ED25519 or keys.needs_passphrase(path))


def sign_all(session: Session, decisions: Sequence[Decision], signer: Signer) -> list[Decision]:
    """Sign decisions and have the gate accept each; the caller holds the home's lock.

    A hardware key is touched meanwhile, for the seconds that it waits for that.
    """
    accepted = []
    for decision in decisions:
        accepted.append(accept(session.gate, session.ledger, sign(decision, signer), session.moment))
        session.reread()
    return accepted


def signer_at(path: Path, context: Context, passphrase: bytes | None = None) -> Signer:
    """Unlock a key: in this process, or through ``ssh-keygen`` for hardware keys and agents.

    Args:
        path: Its private file; where there is only ``PATH.pub``, an agent has it.
        context: The command's surroundings.
        passphrase: What was typed elsewhere; None asks for it on the terminal.

    Raises:
        RefusedError: It wants a passphrase and nobody can be asked.
    """
    if not path.exists():
        return keys.keygen_signer(public_path(path))
    if keys.public_key_of(path).kind != ED25519:
        return keys.keygen_signer(path)
    if not keys.needs_passphrase(path):
        return keys.load_operator_key(path)
    if passphrase is not None:
        return keys.load_operator_key(path, passphrase=passphrase)
    if not context.interactive():
        raise RefusedError(
            f"the key {path} has a passphrase, and there is no terminal to ask on",
            hint="run it on a terminal",
        )
    for _ in range(PASSPHRASE_TRIES - 1):
        try:
            return _unlock(path)
        except keys.KeyFileError as error:
            context.note(f"error: {error}; once more")
    return _unlock(path)


def _unlock(path: Path) -> Signer:
    name = "the operator's key" if path.name == keys.OPERATOR else path.name
    passphrase = getpass.getpass(f"Passphrase of {name}: ").encode("utf-8", "surrogateescape")
    return keys.load_operator_key(path, passphrase=passphrase)


def fresh_passphrase(context: Context, *, without: bool) -> bytes | None:
    """Ask for the passphrase of a new key.

    Args:
        context: The command's surroundings.
        without: Whether the operator wants none.

    Raises:
        UsageError: Nobody can be asked, or the two answers differ.
    """
    if without:
        return None
    if not context.interactive():
        raise UsageError(
            "the operator's new key wants a passphrase, and there is no terminal to ask on",
            hint="run it on a terminal, or add --no-passphrase (then anyone who can read your files can sign)",
        )
    first = getpass.getpass("Passphrase for the operator's new key: ")
    if not first or first != getpass.getpass("Once more: "):
        raise UsageError("the two are not the same, or empty", hint="run it again; nothing was made")
    return first.encode("utf-8", "surrogateescape")


def public_path(path: Path) -> Path:
    """Give the file of a key's public side."""
    return path.with_name(f"{path.name}.pub")


class Settled(Struct, frozen=True, kw_only=True):
    """What became of answers.

    Attributes:
        decisions: What was signed and recorded.
        refusals: What was not, and why.
    """

    decisions: tuple[Decision, ...]
    refusals: tuple[reviewing.Refusal, ...]


def settle(
    context: Context,
    seen: Session,
    items: Sequence[reviewing.Item],
    answers: Sequence[reviewing.Answer],
    passphrase: bytes | None = None,
) -> Settled:
    """Sign and record answers; what does not stand any more is left out and named.

    Args:
        context: The command's surroundings.
        seen: The home as it was shown, without its lock.
        items: What was shown.
        answers: What the operator said to it.
        passphrase: What was typed for it elsewhere; None asks for it on the terminal.

    Raises:
        LockedError: A run was at work for longer than anyone waits; nothing was recorded.
        RefusedError: The key may not sign, or cannot be unlocked here; nothing was recorded.
    """
    if not answers:
        return Settled(decisions=(), refusals=())
    if any(answer.verb is reviewing.Verb.APPROVE for answer in answers):
        require_settings(seen.gate)  # a broken file must not make a wait shorter than it says
    signs = any(answer.verb is not reviewing.Verb.LATER for answer in answers)
    signer = unlock(seen, context, passphrase=passphrase) if signs else None
    with writing(context, keep_head=True, person=True, answered=True) as session:
        standing, fallen = recheck(session.gate, session.ledger.book, items, answers)
        _defer(session, [answer for answer in standing if answer.verb is reviewing.Verb.LATER])
        decided = [answer for answer in standing if answer.verb is not reviewing.Verb.LATER]
        if signer is None or not decided:
            return Settled(decisions=(), refusals=tuple(fallen))
        settled, unsettled = _settle_drift(session, items, decided, signer)
        documents = reviewing.Documents(session.gate)
        decisions, refusals = deciding.compose(
            deciding.terms_of(session.gate), items, decided, documents, prepare(session)
        )
        accepted = sign_all(session, decisions, signer)
    ask_behind(context)
    return Settled(decisions=(*settled, *accepted), refusals=(*fallen, *unsettled, *refusals))


def _settle_drift(
    session: Session, items: Sequence[reviewing.Item], answers: Sequence[reviewing.Answer], signer: Signer
) -> tuple[list[Decision], list[reviewing.Refusal]]:
    """Sign what was said about drift, one decision a file, and carry it out at once; it comes first.

    What was left for later is offered anew, against the bytes that are accepted now.
    """
    gate = session.gate
    if not any(item.stored.proposal.kind is Kind.DRIFT for item in items):
        return [], []
    shared = prepare(session)
    settlements, refusals = deciding.compose_settlements(gate, session.ledger.book, items, answers, shared)
    done = []
    for settlement in settlements:
        accepted = sign_all(session, [settlement.decision], signer)[0]
        status = session.ledger.book.decisions[accepted.id]
        try:
            carry_out(gate, session.ledger, status, settlement.taken_back, session.moment)
        except RefusedError as error:  # somebody wrote to the file while it was signed
            refusals.append(reviewing.Refusal(proposal=accepted.proposal, reason=str(error)))
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
    for sentence in settled_sentences(settled, guided=context.guided):
        say(context, sentence, indent=screen.INSIDE)


def settled_sentences(settled: Settled, *, guided: bool = False) -> Iterator[str]:
    """Yield what was signed, and when it can be applied."""
    by_type: dict[DecisionType, list[Decision]] = {}
    for decision in settled.decisions:
        by_type.setdefault(decision.type, []).append(decision)
    for decision in by_type.get(DecisionType.DRIFT, ()):
        yield f"Settled {decision.targets[0].path}: {_kept(decision)}."
    counts = {kind: sum(len(one.changes) for one in found) for kind, found in by_type.items()}
    if rejected := counts.get(DecisionType.REJECT):
        yield f"Rejected {count_of(rejected, 'change')}."
    if approved := by_type.get(DecisionType.APPROVE):
        when = max(decision.not_before for decision in approved)
        applies = "" if guided else "; 'nightledger apply' then applies them"
        signed = f"Signed {count_of(counts[DecisionType.APPROVE], 'change')}"
        yield f"{signed}. Cooling until {when:%Y-%m-%d %H:%M} UTC{applies}."


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
    return f"kept {count_of(len(decision.changes), 'change')}{', the rest you answered was taken back' if took else ''}"


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
    signer = unlock(seen, context)
    with writing(context, keep_head=True, person=True, answered=True) as session:
        book = session.ledger.book
        if status.id in book.closed() or not is_altered(session.gate.home, status):
            raise FileChangedError(f"{status.id} was put back or closed meanwhile; nothing was signed")
        numbers = tuple(sorted(book.proposals[status.id].changes))
        choice = deciding.Choice(type=DecisionType.CLOSE, changes=numbers, targets=(), reason=reason)
        decision = deciding.decide(deciding.terms_of(session.gate), choice, prepare(session), status)
        (accepted,) = sign_all(session, [decision], signer)
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
    signer = unlock(seen, context)
    with writing(context, keep_head=True, person=True, answered=True) as session:
        targets = list(targets_of(session))
        if targets != shown:
            raise FileChangedError(
                "what is decided about was changed meanwhile; nothing was signed", hint="run it again"
            )
        decision = deciding.make_unproposed(session.gate, kind, targets, prepare(session), reason=reason)
        (accepted,) = sign_all(session, [decision], signer)
    return accepted, session


def _defer(session: Session, later: Sequence[reviewing.Answer]) -> None:
    events: list[tuple[EventName, dict[str, object]]] = [
        (EventName.DEFERRED, {"proposal": answer.proposal, "changes": [answer.n]}) for answer in later
    ]
    if events:
        record(session.gate, events, session.moment)
        session.reread()


def key_at_hand(session: Session, context: Context) -> bool:
    """Tell whether the operator's key can sign now: a person can be asked, or it has no passphrase."""
    path = operator_path(session.gate)
    return context.interactive() or (path.exists() and not keys.needs_passphrase(path))


def sign_proposals(context: Context, proposals: Sequence[Proposal]) -> Settled:
    """Approve every change of some proposals, with one signature of the operator.

    Raises:
        RefusedError: The key may not sign, or cannot be unlocked here; they wait for a review.
    """
    with reading(context, person=True) as seen:
        documents, book = reviewing.Documents(seen.gate), seen.ledger.book
        items = [
            item
            for proposal in proposals
            for status in [book.proposals[proposal.id]]
            for item in reviewing.items_of(seen.gate, book, status, DecisionType.APPROVE, documents)
        ]
        return settle(context, seen, items, [answer_of(item, reviewing.Verb.APPROVE) for item in items])
