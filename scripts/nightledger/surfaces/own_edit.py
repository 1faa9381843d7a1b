"""An operator's own edit: rebased on what the file is by now, signed, applied; it does not cool."""

from nightledger.domain.decision import DecisionType
from nightledger.domain.errors import FileChangedError, RefusedError
from nightledger.domain.proposal import Proposal
from nightledger.domain.states import DecisionStatus
from nightledger.gate.apply.applying import apply_one, check_result
from nightledger.gate.apply.writing import Write
from nightledger.gate.proposing.hunks import readable_diff
from nightledger.gate.review.composing import Choice, make_decision, place_changes
from nightledger.gate.review.editing import propose_edit
from nightledger.gate.review.reviewing import read_documents
from nightledger.gate.stored import read_proposal
from nightledger.surfaces import signing
from nightledger.surfaces.session import Session
from nightledger.text.changes.merge import Merged, merge3
from nightledger.text.changes.standing import effect_between, shown_between
from nightledger.trust.sshsig import Signer


def rebase(before: bytes, edited: bytes, now: bytes, path: str) -> bytes:
    """Give the edit made of ``before`` on the bytes of now; the diff that was shown stays what it was.

    So do the headings and labels above its lines, however far off.

    Raises:
        FileChangedError: The file was changed in, beside or above the lines that were edited.
    """
    if now == before:
        return edited
    old, wanted, new = (text.decode("utf-8", "surrogateescape") for text in (before, edited, now))
    merged = merge3(old, wanted, new)
    if isinstance(merged, Merged):
        shown = _without_places(readable_diff(old, wanted, path=path))
        elsewhere = effect_between(new, merged.text) - shown_between(old, wanted)
        if not elsewhere and _without_places(readable_diff(new, merged.text, path=path)) == shown:
            return merged.text.encode("utf-8", "surrogateescape")
    raise FileChangedError(
        f"{path} was changed meanwhile, in, beside or above the lines that you edited; nothing was signed",
        hint=f"'nightledger edit {path}' opens it as it is now",
    )


def _without_places(diff: str) -> list[str]:
    """Give a diff's lines without the numbers that say where each part stands."""
    return [line for line in diff.split("\n") if not line.startswith("@@")]


def apply_edit(session: Session, path: str, edited: bytes, signer: Signer) -> Proposal:
    """Propose an edit, sign it and apply it; the caller holds the home's lock.

    Raises:
        RefusedError: It does not fit, would take the file over its cap, or could not be applied.
    """
    proposal = propose_edit(session.gate, session.ledger, path, edited, session.moment)
    if proposal is None:
        raise FileChangedError(f"{path} reads so already", hint="nothing is left to be done")
    session.reread()
    decision = approve_edit(session, proposal, signer)
    attempt = apply_one(session.gate, session.ledger, decision, session.moment)
    if not attempt.changes:
        why = "; ".join([*attempt.reasons, *(reason for _, reason in attempt.stale)])
        raise RefusedError(f"the edit was not applied: {why}")
    return proposal


def approve_edit(session: Session, proposal: Proposal, signer: Signer) -> DecisionStatus:
    """Sign all changes of an edit and have the gate record the decision.

    Raises:
        RefusedError: The edit does not fit the file any more, or would take it over its cap.
    """
    gate = session.gate
    status = session.ledger.book.proposals[proposal.id]
    stored = read_proposal(gate, status)
    numbers = tuple(change.n for change in proposal.changes)
    documents = read_documents(gate)
    placed = place_changes(gate, stored, numbers, documents)
    if isinstance(placed, str):
        raise RefusedError(f"the edit cannot be signed: {placed}")
    writes = [
        Write(
            path=target.path,
            before=documents[target.path].encode("utf-8", "surrogateescape"),
            after=placed.documents[target.path].encode("utf-8", "surrogateescape"),
        )
        for target in placed.targets
    ]
    if reasons := [reason for write in writes for reason in check_result(gate, write)]:
        raise RefusedError("the edit cannot be applied:\n  " + "\n  ".join(reasons))
    choice = Choice(type=DecisionType.APPROVE, changes=numbers, targets=placed.targets)
    decision = make_decision(gate, status, choice, signing.prepare(session))
    accepted = signing.sign_all(session, [decision], signer)[0]
    return session.ledger.book.decisions[accepted.id]
