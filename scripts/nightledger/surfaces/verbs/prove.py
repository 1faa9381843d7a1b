"""Prove to somebody else that an entry is in this log.

The proof (C2SP tlog-proof) holds the inclusion proof and the signed head, with the
witnesses' lines where there are any; 'nightledger prove --check FILE --policy FILE' checks
it without a home. 'prove --from OLD [NEW]' proves that one head of the log continues another.
--check --help and --from --help tell more.

Reads   audit/
Writes  the file that is named
Changes no memory.
"""

import argparse

from nightledger.files.atomic import replace_file
from nightledger.surfaces.context import Context
from nightledger.surfaces.proving import newest_head, place_of
from nightledger.surfaces.session import Session, reading
from nightledger.trust.note import encode_base64
from nightledger.trust.proof import LogProof, dump_proof

OPTIONS = {
    "entry": {"metavar": "ID", "help": "a proposal, decision or apply, or an entry's number"},
    "--out": ("FILE", "write the proof there (default: print it)"),
    "--with-line": "put the line itself in, so that the proof can be read alone",
}


def run(options: argparse.Namespace, context: Context) -> int:
    """Write a proof."""
    with reading(context) as session:
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
