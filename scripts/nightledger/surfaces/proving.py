"""Prove what is in this log, or that one head continues another; check proofs: ``verify`` with ``--prove`` and the like.

A proof of an entry (C2SP tlog-proof) holds the inclusion proof and the signed head, with the witnesses' lines where there
are any; one between heads is what a witness is asked with (C2SP tlog-witness). Proofs are checked without a home.
"""

import argparse
import shlex
from collections.abc import Sequence

from nightledger.domain.errors import IntegrityError, RefusedError, UsageError
from nightledger.domain.words import number_of
from nightledger.files.atomic import replace_file
from nightledger.files.durable import read_regular
from nightledger.gate.trusting import find_leaves, read_cosignatures
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context
from nightledger.surfaces.screen import say
from nightledger.surfaces.session import Session, reading
from nightledger.trust import policy as proofs
from nightledger.trust.event import MAX_LEAF_BYTES
from nightledger.trust.heads import CosignedHead, read_anchor
from nightledger.trust.note import MAX_NOTE_BYTES, encode_base64, parse_head, parse_vkey
from nightledger.trust.pin import read_pin
from nightledger.trust.policy import MAX_POLICY_BYTES, Policy, parse_policy
from nightledger.trust.report import contradicts

HEADS = 2
"""An older one and one that continues it."""


def prove(options: argparse.Namespace, context: Context) -> int:
    """Prove or check; 4 when a proof does not hold, or one head does not continue the other."""
    if len(options.continues or ()) > HEADS:
        raise UsageError("--continues takes a head and the one before it", hint="nightledger verify --help")
    asked = [options.prove is not None, bool(options.continues), options.proof is not None]
    if options.against or (options.policy and not asked[2]) or (asked[0] and sum(asked) > 1):
        raise UsageError(
            "--prove, --continues and --proof check nothing else, and --policy goes with --proof",
            hint="call 'verify' again for it",
        )
    if options.proof is not None:
        return (_check_continuation if options.continues else _check_entry)(options, context)
    with reading(context) as session:
        return (_prove_continuation if options.continues else _prove_entry)(options, context, session)


def _prove_entry(options: argparse.Namespace, context: Context, session: Session) -> int:
    index = place_of(session, options.prove)
    head, cosigned = find_head(session, over=index + 1)
    log = session.ledger.log
    proof = proofs.LogProof(
        index=index,
        hashes=log.tree.inclusion_proof(index, head.checkpoint.size),
        checkpoint=head.raw,
        extra=log.line(index) if options.with_line else b"",
    )
    record = {
        "entry": index,
        "line": log.line(index).decode("utf-8", "replace"),
        "size": head.checkpoint.size,
        "cosigned": cosigned,
    }
    told = f"Entry {index} is under the head of {head.checkpoint.size} entries"
    _give(context, options.out, proofs.dump_proof(proof), told, {**record, **_facts(head, proof.hashes)})
    if not cosigned:
        context.note("note: the policy's witnesses have not cosigned a head over it yet")
    return 0


def _prove_continuation(options: argparse.Namespace, context: Context, session: Session) -> int:
    old, *new = options.continues
    old_size = size_of(session, old)
    wanted = {"size": size_of(session, new[0])} if new else {"over": old_size}
    head, _ = find_head(session, **wanted)
    size = head.checkpoint.size
    hashes = session.ledger.log.tree.consistency_proof(old_size, size)
    proof = proofs.Continuation(old_size=old_size, hashes=hashes, checkpoint=head.raw)
    told = f"The head of {size} entries continues that of {old_size}"
    content = proofs.dump_continuation(proof)
    _give(context, options.out, content, told, {"old": old_size, "new": size, **_facts(head, hashes)})
    return 0


def _facts(head: CosignedHead, hashes: Sequence[bytes]) -> dict[str, object]:
    return {"origin": head.checkpoint.origin, "hashes": [encode_base64(digest) for digest in hashes]}


def _give(context: Context, out: str | None, content: bytes, told: str, record: dict[str, object]) -> None:
    """Write a proof to the file that is named, or print it."""
    context.emit({**record, "proof": content.decode(), "path": out})
    if out is None:
        context.print(content.decode().removesuffix("\n"))
        return
    replace_file(out, content)
    context.print(f"{told}: {out}")


def _check_continuation(options: argparse.Namespace, context: Context) -> int:
    if len(options.continues) < HEADS or any(word.isdecimal() for word in options.continues):
        raise UsageError(
            "a proof is checked between two checkpoints' files",
            hint="nightledger verify --continues OLD NEW --proof FILE",
        )
    old, new = (parse_head(read_regular(path, MAX_NOTE_BYTES))[1] for path in options.continues)
    proof = proofs.parse_continuation(read_regular(options.proof, proofs.MAX_PROOF_BYTES))
    proofs.verify_continuation(proof, old, new)
    context.emit({"origin": new.origin, "old": old.size, "new": new.size, "ok": True})
    origin = screen.shown(new.origin)
    context.print(f"It holds: the head of {new.size} entries of {origin} continues that of {old.size}.")
    context.print("Whether the log signed them was not checked.")
    return 0


def _check_entry(options: argparse.Namespace, context: Context) -> int:
    """Say what a proof proves."""
    if (options.policy is None) is (options.log is None) or None not in (options.leaf, options.line):
        raise UsageError(
            "--proof needs one of --policy and --log, and takes one of --leaf and --line",
            hint="nightledger verify --help",
        )
    policy = (
        Policy(logs=tuple(map(parse_vkey, options.log)))
        if options.policy is None
        else parse_policy(read_regular(options.policy, MAX_POLICY_BYTES), where=options.policy)
    )
    proof = proofs.parse_proof(read_regular(options.proof, proofs.MAX_PROOF_BYTES))
    line = _line(options, proof)
    proven = proofs.verify_proof(proof, line, policy)
    head, times = proven.checkpoint, sorted(proven.times.items())
    text = line.decode("utf-8", "surrogateescape")
    context.emit(
        {
            "entry": proof.index,
            "origin": head.origin,
            "size": head.size,
            "root": head.root.hex(),
            "cosigned": {name: f"{at:%Y-%m-%dT%H:%M:%SZ}" for name, at in times},
            "line": text,
        }
    )
    say(context, f"It holds: this is entry {proof.index} of {head.origin}, under {head.size} entries:")
    context.print(screen.shown(text))
    for name, at in times:
        context.print(f"cosigned by {screen.shown(name)} at {at:%Y-%m-%d %H:%M:%S} UTC")
    if not times:
        say(context, "No witness of the policy cosigned that head: the log's own word is all there is.")
    return 0


def _line(options: argparse.Namespace, proof: proofs.LogProof) -> bytes:
    if options.leaf is not None:
        return read_regular(options.leaf, MAX_LEAF_BYTES + 1).removesuffix(b"\n")
    if options.line is not None:
        return str(options.line).encode("utf-8", "surrogateescape")
    if not proof.extra:
        raise UsageError(
            "the proof does not hold the line that it is of",
            hint="give it with --leaf FILE or --line TEXT, or ask for a proof made --with-line",
        )
    return proof.extra


def find_head(session: Session, *, over: int = 0, size: int | None = None) -> tuple[CosignedHead, bool]:
    """Return the head that proofs are made under, the newest that the quorum cosigned, else the newest; and whether it did.

    Args:
        session: The home.
        over: How many lines it must cover.
        size: How many it covers; None takes any number.

    Raises:
        RefusedError: No signed head covers so many.
        UsageError: None of this size is kept.
    """
    known = read_cosignatures(session.gate.home, session.ledger, session.moment)
    fit = [
        (known.policy.is_met(head.times.keys()), head.checkpoint.size, head)
        for head in (*known.present(), *(() if size is None else known.kept(size)))
        if head.checkpoint.size >= over and size in (None, head.checkpoint.size)
    ]
    if fit:
        cosigned, _, head = max(fit, key=lambda one: one[:2])
        return head, cosigned
    if size is not None:
        raise UsageError(
            f"no signed head of {size} entries is kept", hint="leave NEW out: then the newest head is proved"
        )
    raise RefusedError(
        f"no signed head covers line {over} yet",
        hint="the run that wrote it signs one at its end; try again in a moment",
    )


def size_of(session: Session, text: str) -> int:
    """Give the size that is meant: a number, or that of a checkpoint's file, which must be of this log.

    Raises:
        UsageError: The log never had that size.
        NoteError: The file holds no head that this log signed.
        IntegrityError: It holds one that this log does not continue.
    """
    tree = session.ledger.log.tree
    if text.isdecimal():
        if not 0 < number_of(text) <= tree.size:
            raise UsageError(f"the log has {tree.size} entries, not {text}", hint="name a size from 1")
        return number_of(text)
    pin = read_pin(session.gate.ring, session.gate.home.identity.id)
    head = read_anchor(text, pin.origin, pin.signed_by)
    damage = contradicts(head, tree)
    if damage is not None:
        raise IntegrityError(
            f"{damage.value.upper()} {text}: this log of {tree.size} entries does not continue that head of {head.size}",
            hint=f"nightledger verify --against {shlex.quote(text)}",
        )
    return head.size


def place_of(session: Session, text: str) -> int:
    """Return the entry that is meant: by its number, or the last one that an id, or its beginning, has of its own.

    Raises:
        UsageError: There is none, or more than one id begins so.
    """
    log = session.ledger.log
    if not text.isdecimal():
        return find_leaves(log, _whole_id(session, text))[-1]
    if number_of(text) >= log.size:
        raise UsageError(f"the log has no entry {text}", hint=f"its last one is {log.size - 1}")
    return number_of(text)


def _whole_id(session: Session, text: str) -> str:
    book = session.ledger.book
    found = [name for name in (*book.proposals, *book.decisions, *book.applies) if name.startswith(text)]
    if not text or (len(found) > 1 and text not in found):  # an empty one is of a variable that is not set
        raise UsageError(f"{text!r} fits {len(found)} ids", hint="give more of the id")
    return found[0] if len(found) == 1 else text
