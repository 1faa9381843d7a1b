"""Prove that one head of the log continues another, or check such a proof without a home.

    nightledger prove --from OLD [NEW]             prove it by this home's log
    nightledger prove --from OLD NEW --proof FILE  check one; needs no home

OLD and NEW are files with signed checkpoints, or sizes; NEW is the newest head unless
named. The proof is what a witness is asked with (C2SP tlog-witness).

Reads   audit/, or the files that are named
Writes  the file that is named
Changes no memory.
"""

import argparse

from nightledger.domain.errors import UsageError
from nightledger.files.atomic import replace_file
from nightledger.files.reading import read_regular
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context
from nightledger.surfaces.proving import head_at, newest_head, size_of
from nightledger.surfaces.session import Session, reading
from nightledger.trust.checkpoint import Checkpoint, parse_checkpoint
from nightledger.trust.note import MAX_NOTE_BYTES, encode_base64, parse_note
from nightledger.trust.proof import (
    MAX_PROOF_BYTES,
    Continuation,
    dump_continuation,
    parse_continuation,
    verify_continuation,
)

OPTIONS = {
    "old": "a checkpoint's file, or a size",
    "new": {"nargs": "?", "help": "likewise (default: the newest signed head)"},
    "--out": ("FILE", "write the proof there (default: print it)"),
    "--proof": ("FILE", "check this proof between two checkpoints' files"),
}


def run(options: argparse.Namespace, context: Context) -> int:
    """Prove or check; 4 when one does not continue the other."""
    if options.proof is not None:
        return _check(options, context)

    with reading(context) as session:
        return _prove(options, context, session)


def _check(options: argparse.Namespace, context: Context) -> int:
    if options.new is None or options.old.isdecimal() or options.new.isdecimal():
        raise UsageError(
            "a proof is checked between two checkpoints' files",
            hint="nightledger prove --from OLD NEW --proof FILE",
        )
    old, new = _read(options.old), _read(options.new)
    verify_continuation(parse_continuation(read_regular(options.proof, MAX_PROOF_BYTES)), old, new)
    context.emit({"origin": new.origin, "old": old.size, "new": new.size, "ok": True})
    context.print(
        f"It holds: the head of {new.size} entries of {screen.shown(new.origin)} continues that of {old.size}."
    )
    context.print("Whether the log signed them was not checked.")
    return 0


def _read(path: str) -> Checkpoint:
    return parse_checkpoint(parse_note(read_regular(path, MAX_NOTE_BYTES)).text)


def _prove(options: argparse.Namespace, context: Context, session: Session) -> int:
    old_size = size_of(session, options.old)
    if options.new is None:
        head = newest_head(session, over=old_size)
    else:
        head = head_at(session, size_of(session, options.new))
    hashes = session.ledger.log.tree.consistency_proof(old_size, head.checkpoint.size)
    content = dump_continuation(Continuation(old_size=old_size, hashes=hashes, checkpoint=head.raw))
    context.emit(
        {
            "origin": head.checkpoint.origin,
            "old": old_size,
            "new": head.checkpoint.size,
            "hashes": [encode_base64(digest) for digest in hashes],
            "proof": content.decode(),
            "path": options.out,
        }
    )
    if options.out is None:
        context.print(content.decode().removesuffix("\n"))
        return 0
    replace_file(options.out, content)
    context.print(f"The head of {head.checkpoint.size} entries continues that of {old_size}: {options.out}")
    return 0
