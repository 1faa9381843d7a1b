"""Let the operator edit: their editor, on a copy outside the home."""

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from nightledger.domain.errors import ConfigurationError, NightledgerError, UsageError
from nightledger.files.reading import read_regular
from nightledger.gate.gated import MAX_GATED_BYTES
from nightledger.gate.review.editing import revise
from nightledger.gate.review.rechecking import recheck
from nightledger.gate.review.reviewing import Answer, Item, Verb
from nightledger.surfaces.context import Context
from nightledger.surfaces.session import writing


def edit_text(text: bytes, *, suffix: str = ".md") -> bytes:
    """Open a copy of the text in ``$VISUAL``, else ``$EDITOR``, else ``vi``, and give what was saved.

    Raises:
        UsageError: No editor is named, and ``vi`` would wait for ever on what is no terminal.
        ConfigurationError: The editor cannot be run or failed.
        UnreadableError: What it left is a link or no file: its text would be another one.
    """
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    if not editor and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            "there is no terminal for an editor", hint="name the new text: --from FILE; or set EDITOR"
        )
    editor = editor or "vi"
    with tempfile.TemporaryDirectory(prefix="nightledger-edit-") as directory:
        path = os.path.join(directory, f"edit{suffix}")
        with open(path, "wb") as stream:
            stream.write(text)
        try:
            status = subprocess.run([*shlex.split(editor), path], check=False).returncode  # noqa: S603 - the operator's own editor
        except (OSError, ValueError) as error:
            raise ConfigurationError(
                f"the editor {editor!r} cannot be run: {error}", hint="set EDITOR"
            ) from error
        if status:
            raise ConfigurationError(f"the editor {editor!r} ended with status {status}; nothing was changed")
        return read_regular(path, MAX_GATED_BYTES)


def revise_change(context: Context, item: Item) -> str | None:
    """Let the operator word a change anew; give the new proposal's id, or None when nothing came of it.

    The home's lock is taken once the editor is closed.
    """
    before = item.change.after.encode("utf-8", "surrogateescape")
    after = edit_text(before)
    if after == before or not after.strip():
        return None
    answer = Answer(proposal=item.stored.proposal.id, n=item.change.n, verb=Verb.LATER)
    with writing(context, keep_head=True, person=True, answered=True) as session:
        _, fallen = recheck(session.gate, session.ledger.book, [item], [answer])
        if fallen:
            context.print(f"  not taken: {fallen[0].reason}")
            return None
        wording = after.decode("utf-8", "replace")
        outcome = revise(session.gate, session.ledger, item.stored, item.change.n, wording, session.moment)
    return outcome.proposal.id if outcome.proposal else None


@contextmanager
def kept_aside(text: bytes | None) -> Iterator[None]:
    """Keep what the operator typed in a file outside the home when what follows fails.

    Args:
        text: The text; None where it is in a file of the operator's already.
    """
    try:
        yield
    except NightledgerError as error:
        if text is not None:
            descriptor, path = tempfile.mkstemp(prefix="nightledger-edit-", suffix=".md")
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(text)
            error.hint = (
                f"{error.hint}; your text is kept in {path}" if error.hint else f"your text is in {path}"
            )
        raise
