"""Change a gated file yourself: your editor, the diff, one signature.

Where the key has a passphrase, that is typed below the diff; else you are
asked.

Reads   the gated file
Writes  the gated file, audit/
Changes memory: the operator edits and signs it here.
"""

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from nightledger.domain import errors
from nightledger.domain.decision import DecisionType
from nightledger.domain.proposal import Proposal
from nightledger.domain.states import DecisionStatus
from nightledger.files.durable import read_regular
from nightledger.gate.applying import apply_one
from nightledger.gate.deciding import Choice, decide, place_changes, terms_of
from nightledger.gate.editing import propose_edit, recheck, revise
from nightledger.gate.gated import MAX_GATED_BYTES, read_gated, require_watched
from nightledger.gate.opening import Gate
from nightledger.gate.proposing import Outcome
from nightledger.gate.reviewing import Answer, Documents, Item, Verb, items_of
from nightledger.gate.stored import read_proposal, undo_of
from nightledger.surfaces import screen, signing
from nightledger.surfaces.context import Context
from nightledger.surfaces.screen import say
from nightledger.surfaces.session import Session, reading, writing
from nightledger.text.markdown.document import decode
from nightledger.text.scanners.scan import readable_diff
from nightledger.trust.sshsig import Signer


def run(options: argparse.Namespace, context: Context) -> int:
    """Edit, show, sign, apply; the home's lock is held for the last two only."""
    with reading(context, person=True) as seen:
        path = options.path or seen.gate.home.identity.gated[0]
        require_watched(seen.gate.home, seen.ledger.book, path)
        before = read_gated(seen.gate.home, path)
        edited = read_regular(options.source, MAX_GATED_BYTES) if options.source else edit_text(before)
    if edited == before:
        context.emit({"changed": False})
        context.print("Nothing was changed.")
        return 0
    with kept_aside(None if options.source else edited):
        context.print_lines(screen.diff_lines(readable_diff(decode(before), decode(edited), path=path)))
        # where no passphrase asks: whoever writes to the editor's file is not whoever sits at it
        asks = not options.source and not signing.asks(seen.gate) and context.interactive()
        if asks and screen.ask("Apply it? [y/N]").lower() != "y":
            raise errors.RefusedError(
                "it is not applied", hint="'nightledger edit --from FILE' takes it from a file"
            )
        signer = signing.unlock(seen, context)
        with writing(context, keep_head=True, person=True, answered=True) as session:
            if read_gated(session.gate.home, path) != before:
                raise errors.FileChangedError(
                    f"{path} was changed meanwhile; nothing was signed",
                    hint=f"'nightledger edit {path}' opens it as it is now",
                )
            proposal = apply_edit(session, path, edited, signer)
            numbers = [change.n for change in proposal.changes]
            undo = undo_of(session.gate, session.reread().book, proposal.id, numbers)
    context.emit({"changed": True, "proposal": proposal.id})
    say(context, f"Applied; {undo}")
    return 0


def edit_text(text: bytes) -> bytes:
    """Open a copy of the text in ``$VISUAL``, else ``$EDITOR``, else ``vi``, and give what was saved.

    Raises:
        UsageError: No editor is named, and ``vi`` would wait for ever on what is no terminal.
        ConfigurationError: The editor cannot be run or failed.
        UnreadableError: What it left is a link or no file: its text would be another one.
    """
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    if not editor and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise errors.UsageError(
            "there is no terminal for an editor", hint="name the new text: --from FILE; or set EDITOR"
        )
    editor = editor or "vi"
    with tempfile.TemporaryDirectory(prefix="nightledger-edit-") as directory:
        path = os.path.join(directory, "edit.md")
        with open(path, "wb") as stream:
            stream.write(text)
        try:
            status = subprocess.run([*shlex.split(editor), path], check=False).returncode  # noqa: S603 - the operator's own editor
        except (OSError, ValueError) as error:
            raise errors.ConfigurationError(
                f"the editor {editor!r} cannot be run: {error}", hint="set EDITOR"
            ) from error
        if status:
            raise errors.ConfigurationError(
                f"the editor {editor!r} ended with status {status}; nothing was changed"
            )
        return read_regular(path, MAX_GATED_BYTES)


def revise_change(context: Context, item: Item) -> Sequence[Item]:
    """Let the operator word a change anew; give what waits then in its place, nothing when nothing came of it.

    The home's lock is taken once the editor is closed.
    """
    before = item.change.after.encode("utf-8", "surrogateescape")
    after = edit_text(before)
    if after.strip() in (b"", before.strip()):
        context.print("  nothing was changed")
        return ()
    worded, why = word_change(context, item, after.decode("utf-8", "replace"))
    if why:
        context.print(f"  not taken: {why}; your text is in {keep_aside(after)}")
    return worded


def word_change(context: Context, item: Item, wording: str) -> tuple[Sequence[Item], str]:
    """Propose a change in the operator's words; return what waits then in its place, or why nothing came of it."""

    def propose(session: Session) -> Outcome:
        stored, n = item.stored, item.change.n
        return revise(session.gate, session.ledger, stored, n, wording, session.moment)

    return put_instead(context, item, propose)


def put_instead(
    context: Context, item: Item, make: Callable[[Session], Outcome]
) -> tuple[Sequence[Item], str]:
    """Propose something in the place of what waits; return what waits then, or why nothing came of it.

    Args:
        context: The command's surroundings.
        item: What waits.
        make: Proposes it, under the home's lock.
    """
    answer = Answer(proposal=item.stored.proposal.id, n=item.change.n, verb=Verb.LATER)
    with writing(context, keep_head=True, person=True, answered=True) as session:
        gate, (_, fallen) = session.gate, recheck(session.gate, session.ledger.book, [item], [answer])
        if fallen:
            return (), fallen[0].reason
        outcome = make(session)
        if outcome.proposal is None:
            return (), _why(gate, item.change.target, outcome)
        book = session.reread().book
        status = book.proposals[outcome.proposal.id]
        return items_of(gate, book, status, DecisionType.APPROVE, Documents(gate)), ""


def _why(gate: Gate, path: str, outcome: Outcome) -> str:
    """Tell why a wording was not proposed."""
    if outcome.held:
        return f"scanners hold it back ({', '.join(outcome.held[0].rules)})"
    if outcome.over_cap:
        return f"it has no room: the host shows {gate.cap_of(path).told}"
    return outcome.unfit[0].reason if outcome.unfit else "it says what was asked, or forgotten, before"


def keep_aside(text: bytes) -> str:
    """Write what the operator typed into a file outside the home, and give its path."""
    descriptor, path = tempfile.mkstemp(prefix="nightledger-edit-", suffix=".md")
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(text)
    return path


@contextmanager
def kept_aside(text: bytes | None) -> Iterator[None]:
    """Keep what the operator typed in a file outside the home when what follows fails.

    Args:
        text: The text; None where it is in a file of the operator's already.
    """
    try:
        yield
    except errors.NightledgerError as error:
        if text is not None:
            error.hint = "; ".join(filter(None, (error.hint, f"your text is in {keep_aside(text)}")))
        raise


def apply_edit(session: Session, path: str, edited: bytes, signer: Signer) -> Proposal:
    """Propose an edit, sign it and apply it; the caller holds the home's lock.

    Raises:
        RefusedError: It does not fit, would take the file over its cap, or could not be applied.
    """
    proposal = propose_edit(session.gate, session.ledger, path, edited, session.moment)
    if proposal is None:
        raise errors.FileChangedError(f"{path} reads so already", hint="nothing is left to be done")
    session.reread()
    decision = approve_edit(session, proposal, signer)
    attempt = apply_one(session.gate, session.ledger, decision, session.moment)
    if not attempt.changes:
        why = "; ".join([*attempt.reasons, *(reason for _, reason in attempt.stale)])
        raise errors.RefusedError(f"the edit was not applied: {why}")
    return proposal


def approve_edit(session: Session, proposal: Proposal, signer: Signer) -> DecisionStatus:
    """Sign all changes of an edit and have the gate record the decision.

    Raises:
        RefusedError: The edit does not fit the file any more, or would take it over its cap.
    """
    gate, terms = session.gate, terms_of(session.gate)
    status = session.ledger.book.proposals[proposal.id]
    stored = read_proposal(gate, status)
    numbers = tuple(change.n for change in proposal.changes)
    documents = Documents(gate)
    placed = place_changes(terms, stored, numbers, documents, documents)
    if isinstance(placed, str):
        raise errors.RefusedError(f"the edit cannot be signed: {placed}")
    choice = Choice(type=DecisionType.APPROVE, changes=numbers, targets=placed[0])
    decision = decide(terms, choice, signing.prepare(session), status)
    accepted = signing.sign_all(session, [decision], signer)[0]
    return session.ledger.book.decisions[accepted.id]
