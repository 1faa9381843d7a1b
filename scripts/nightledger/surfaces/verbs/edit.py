"""Change a gated file yourself: your editor, the diff, one signature, applied at once.

Where the key has a passphrase, that is typed below the diff; else you are asked.

Reads   the gated file
Writes  the gated file, audit/
Changes memory: the operator edits and signs it here.
"""

import argparse

from nightledger.domain.errors import RefusedError
from nightledger.files.reading import read_regular
from nightledger.gate.gated import MAX_GATED_BYTES, read_gated
from nightledger.gate.stored import undo_of
from nightledger.surfaces import screen, signing
from nightledger.surfaces.context import Context
from nightledger.surfaces.editing import apply_edit, edit_text, kept_aside, rebase
from nightledger.surfaces.hints import say
from nightledger.surfaces.session import reading, writing
from nightledger.text.changes.veil import readable_diff
from nightledger.text.markdown.document import decode

OPTIONS = {
    "path": {"nargs": "?", "help": "the gated file (default: the main one)"},
    "--from": {
        "dest": "source",
        "metavar": "FILE",
        "help": "take the new text from a file instead of an editor",
    },
}


def run(options: argparse.Namespace, context: Context) -> int:
    """Edit, show, sign, apply; the home's lock is held for the last two only."""
    with reading(context, person=True) as seen:
        path = options.path or seen.gate.home.identity.gated[0]
        before = read_gated(seen.gate.home, path)
        edited = _edited(options, before)
    if edited == before:
        context.emit({"changed": False})
        context.print("Nothing was changed.")
        return 0
    with kept_aside(None if options.source else edited):
        context.print_lines(screen.diff_lines(readable_diff(decode(before), decode(edited), path=path)))
        if not options.source and not signing.asks(seen.gate) and not _agreed(context):
            raise RefusedError(
                "it is not applied", hint="'nightledger edit --from FILE' takes it from a file"
            )
        signer = signing.unlock(seen, context)
        with writing(context, keep_head=True, person=True, answered=True) as session:
            wanted = rebase(before, edited, read_gated(session.gate.home, path), path)
            proposal = apply_edit(session, path, wanted, signer)
            numbers = [change.n for change in proposal.changes]
            undo = undo_of(session.gate, session.reread().book, proposal.id, numbers)
    context.emit({"changed": True, "proposal": proposal.id})
    say(context, f"Applied; {undo}")
    return 0


def _agreed(context: Context) -> bool:
    """Ask, where no passphrase does: whoever writes to the editor's file is not whoever sits at it."""
    return not context.interactive() or screen.ask("Apply it? [y/N]").lower() == "y"


def _edited(options: argparse.Namespace, before: bytes) -> bytes:
    return read_regular(options.source, MAX_GATED_BYTES) if options.source else edit_text(before)
