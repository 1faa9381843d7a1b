"""Check a proof that an entry is in a log; needs no home, only whose signatures count.

Reads   the proof, the line, the policy
Writes  nothing
Changes no memory.
"""

import argparse

from nightledger.domain.errors import UsageError
from nightledger.files.reading import read_regular
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context
from nightledger.surfaces.hints import say
from nightledger.trust.event import MAX_LEAF_BYTES
from nightledger.trust.note import parse_vkey
from nightledger.trust.policy import MAX_POLICY_BYTES, Policy, parse_policy
from nightledger.trust.proof import MAX_PROOF_BYTES, LogProof, Proven, parse_proof, verify_proof


def configure(parser: argparse.ArgumentParser) -> None:
    """Name the options of ``prove --check``."""
    parser.add_argument("proof", metavar="FILE", help="what 'nightledger prove' wrote")
    line = parser.add_mutually_exclusive_group()
    line.add_argument("--leaf", metavar="FILE", help="a file with the line, with or without its line end")
    line.add_argument("--line", metavar="TEXT", help="the line itself (default: the one in the proof)")
    trust = parser.add_mutually_exclusive_group(required=True)
    trust.add_argument("--policy", metavar="FILE", help="logs, witnesses and quorum (C2SP tlog-policy)")
    trust.add_argument(
        "--log", action="append", metavar="VKEY", help="a verifier key of the log; may be given again"
    )


def run(options: argparse.Namespace, context: Context) -> int:
    """Say what the proof proves; 4 when it does not hold."""
    policy = _policy(options)
    proof = parse_proof(read_regular(options.proof, MAX_PROOF_BYTES))
    line = _line(options, proof)
    proven = verify_proof(proof, line, policy)
    _tell(context, proof, proven, line)
    return 0


def _policy(options: argparse.Namespace) -> Policy:
    if options.policy is not None:
        return parse_policy(read_regular(options.policy, MAX_POLICY_BYTES), where=options.policy)
    return Policy(logs=tuple(map(parse_vkey, options.log)))


def _line(options: argparse.Namespace, proof: LogProof) -> bytes:
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


def _tell(context: Context, proof: LogProof, proven: Proven, line: bytes) -> None:
    head, text = proven.checkpoint, line.decode("utf-8", "surrogateescape")
    context.emit(
        {
            "entry": proof.index,
            "origin": head.origin,
            "size": head.size,
            "root": head.root.hex(),
            "cosigned": {name: f"{at:%Y-%m-%dT%H:%M:%SZ}" for name, at in sorted(proven.times.items())},
            "line": text,
        }
    )
    say(context, f"It holds: this is entry {proof.index} of {head.origin}, under {head.size} entries:")
    context.print(screen.shown(text))
    for name, at in sorted(proven.times.items()):
        context.print(f"cosigned by {screen.shown(name)} at {at:%Y-%m-%d %H:%M:%S} UTC")
    if not proven.times:
        say(context, "No witness of the policy cosigned that head: the log's own word is all there is.")
