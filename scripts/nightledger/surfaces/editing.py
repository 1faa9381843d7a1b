"""Let the operator edit: their editor, on a copy outside the home."""

import os
import shlex
import subprocess
import tempfile

from nightledger.domain.errors import ConfigurationError
from nightledger.gate.editing import revise
from nightledger.gate.reviewing import Item
from nightledger.surfaces.session import Session


def edit_text(text: bytes, *, suffix: str = ".md") -> bytes:
    """Open a copy of the text in ``$VISUAL``, else ``$EDITOR``, else ``vi``, and give what was saved.

    Raises:
        ConfigurationError: The editor cannot be run or failed.
    """
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
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
        with open(path, "rb") as stream:
            return stream.read()


def revise_change(session: Session, item: Item) -> str | None:
    """Let the operator word a change anew; give the new proposal's id, or None when nothing came of it."""
    before = item.change.after.encode("utf-8", "surrogateescape")
    after = edit_text(before)
    if after == before or not after.strip():
        return None
    outcome = revise(
        session.gate,
        session.ledger,
        item.stored,
        item.change.n,
        after.decode("utf-8", "replace"),
        session.moment,
    )
    session.reread()
    return outcome.proposal.id if outcome.proposal else None
