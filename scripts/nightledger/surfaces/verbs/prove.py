"""Prove to somebody else that an entry is in this log, or export the whole log as static files.

The proof (C2SP tlog-proof) holds the inclusion proof and the signed head, with the
witnesses' lines where there are any; 'nightledger prove --check FILE' needs nothing else
to check it. 'prove --from OLD [NEW]' proves that one head of the log continues another.
--check --help and --from --help tell more.

Reads   audit/
Writes  the file or directory that is named
Changes no memory.
"""

import argparse

from nightledger.domain.errors import UsageError
from nightledger.files.atomic import replace_file
from nightledger.surfaces.context import Context
from nightledger.surfaces.proving import newest_head, place_of
from nightledger.surfaces.session import Session, reading
from nightledger.trust.base64_strict import encode_base64
from nightledger.trust.proof import LogProof, dump_proof
from nightledger.trust.tile_export import export_tiles

OPTIONS = {
    "entry": {"nargs": "?", "metavar": "ID", "help": "a proposal, decision or apply, or an entry's number"},
    "--out": ("FILE", "write the proof there (default: print it)"),
    "--with-line": "put the line itself in, so that the proof can be read alone",
    "--tiles": ("DIR", "export the log there, for anybody to serve (C2SP tlog-tiles)"),
}


def run(options: argparse.Namespace, context: Context) -> int:
    """Write a proof or an export."""
    if (options.entry is None) == (options.tiles is None):
        raise UsageError(
            "name an entry to prove, or a directory to export to",
            hint="nightledger prove d-... --out FILE, or nightledger prove --tiles DIR",
        )
    with reading(context) as session:
        if options.tiles is not None:
            return _export(context, session, options.tiles)
        return _prove(context, session, options)


def _prove(context: Context, session: Session, options: argparse.Namespace) -> int:
    index = place_of(session, options.entry)
    head = newest_head(session, over=index + 1)
    log = session.ledger.log
    proof = LogProof(
        index=index,
        hashes=log.tree.inclusion_proof(index, head.checkpoint.size),
        checkpoint=head.raw,
        extra=log.line(index) if options.with_line else b"",
    )
    content = dump_proof(proof)
    if options.out is not None:
        replace_file(options.out, content)
        context.print(f"Entry {index} is under the head of {head.checkpoint.size} entries: {options.out}")
    else:
        context.print(content.decode().removesuffix("\n"))
    if not head.cosigned:
        context.note("note: the policy's witnesses have not cosigned a head over it yet")
    context.emit(
        {
            "entry": index,
            "line": log.line(index).decode("utf-8", "replace"),
            "origin": head.checkpoint.origin,
            "size": head.checkpoint.size,
            "hashes": [encode_base64(digest) for digest in proof.hashes],
            "cosigned": head.cosigned,
            "proof": content.decode(),
            "path": options.out,
        }
    )
    return 0


def _export(context: Context, session: Session, directory: str) -> int:
    log = session.ledger.log
    export = export_tiles(directory, log.tree, log.lines(), newest_head(session).raw)
    context.emit(
        {"size": export.size, "written": export.written, "present": export.present, "path": directory}
    )
    context.print(
        f"{export.size} entries are in {directory}: {export.written} files written, {export.present} were there."
    )
    return 0
