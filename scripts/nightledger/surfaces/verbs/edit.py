"""Change a gated file yourself: your editor, the diff, one signature, applied at once.

Reads   the gated file
Writes  the gated file, audit/
Changes memory: the operator edits and signs it here.
"""

import argparse

from nightledger.surfaces.context import Context


def configure(parser: argparse.ArgumentParser) -> None:
    """Name the options of ``edit``."""
    parser.add_argument("path", nargs="?", help="the gated file (default: the main one)")
    parser.add_argument(
        "--from", dest="source", metavar="FILE", help="take the new text from a file instead of an editor"
    )


def run(options: argparse.Namespace, context: Context) -> int:
    """Edit, show, sign, apply."""
    from nightledger.domain.errors import RefusedError
    from nightledger.gate.applying import apply_one
    from nightledger.gate.editing import propose_edit
    from nightledger.gate.gated import read_gated
    from nightledger.surfaces import screen
    from nightledger.surfaces.own_edit import approve_edit
    from nightledger.surfaces.session import writing

    with writing(context, keep_head=True, person=True) as session:
        path = options.path or session.gate.home.identity.gated[0]
        before = read_gated(session.gate.home, path)
        edited = _edited(options, before)
        proposal = propose_edit(session.gate, session.ledger, path, edited, session.moment)
        if proposal is None:
            context.emit({"changed": False})
            context.print("Nothing was changed.")
            return 0
        session.reread()
        for change in proposal.changes:
            for line in screen.diff_lines(change.diff):
                context.print(line)
        decision = approve_edit(session, context, proposal)
        attempt = apply_one(session.gate, session.ledger, decision, session.moment)
    if not attempt.changes:
        why = "; ".join([*attempt.reasons, *(reason for _, reason in attempt.stale)])
        raise RefusedError(f"the edit was not applied: {why}")
    context.emit({"changed": True, "proposal": proposal.id})
    context.print(f"Applied; 'nightledger undo {proposal.id}' takes it back.")
    return 0


def _edited(options: argparse.Namespace, before: bytes) -> bytes:
    from nightledger.files.reading import read_regular
    from nightledger.gate.gated import MAX_GATED_BYTES
    from nightledger.surfaces.editing import edit_text

    return read_regular(options.source, MAX_GATED_BYTES) if options.source else edit_text(before)
