"""Verify an audit log of 100,000 events, beside SHA-256 of each of its lines once; then the whole verb.

The home has what the log names on disk (``bench.long_home``): some 17,000 proposals and as
many signed decisions, 24,000 daily logs. The first table is about the log; the second
takes the verb apart. What an operator signed is verified signature by signature at each
look, and no cache may spare that: whoever could write it could forge a decision.

Run with ``PYTHONPATH=scripts .venv/bin/python -m bench.bench_verify [EVENTS]``.
"""

import gc
import hashlib
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from bench.long_home import make_long_home

from bench import measure
from nightledger.domain.event import Actor, EventName
from nightledger.domain.moment import Moment
from nightledger.gate.checking import find_altered, find_drift
from nightledger.gate.deciding import read_signed, signer_of
from nightledger.gate.inputs import find_rewrites
from nightledger.gate.opening import Gate, Ledger, fold_log, log_key
from nightledger.gate.trusting import read_signers
from nightledger.surfaces.context import Context
from nightledger.surfaces.verbs import verify
from nightledger.trust import audit, reading
from nightledger.trust.event import NewEvent
from nightledger.trust.merkle import Tree
from nightledger.trust.pin import Pin, read_pin
from nightledger.trust.signed_head import read_signed_head

EVENTS = 100_000
VERB_ROUNDS = 5
LATER = datetime(2100, 1, 1, tzinfo=UTC)
LOG_AIM = "verify <= 4x, signatures <= 5 % of verify"
VERB_AIM = "the log, its entries and drift <= 4x; what each file and signature costs is said"
Candidates = Mapping[str, Callable[[], object]]


def log_parts(gate: Gate, pin: Pin) -> Candidates:
    """Give what is measured of the log alone."""
    home = gate.home
    raw = Path(home.audit_log).read_bytes()
    lines = raw.splitlines()
    leaves = [b"\0" + line for line in lines]
    digests = [hashlib.sha256(leaf).digest() for leaf in leaves]

    def hash_file() -> None:
        with open(home.audit_log, "rb") as stream:
            for line in stream:
                hashlib.sha256(line).digest()

    def read_file() -> None:
        with open(home.audit_log, "rb") as stream:
            while stream.read(1 << 16):
                pass

    def grow() -> None:
        Tree().extend(digests)

    log = reading.check_log(home, pin)
    return {
        "read the log, SHA-256 of each line once": hash_file,
        "verify (the library: hashes, tree, heads)": lambda: reading.verify(home, pin),
        "  reading": read_file,
        "  leaf hashes, lines in memory": lambda: [hashlib.sha256(leaf).digest() for leaf in leaves],
        "  tree over leaf hashes": grow,
        "  signatures of the checkpoint": lambda: read_signed_head(home.checkpoint, pin.origin, pin.vkeys),
        "verify, every line judged (thorough)": lambda: reading.verify(home, pin, thorough=True),
        "entries, decoded and judged": lambda: sum(1 for _ in log.entries()),
        "entries, states and heartbeats": lambda: fold_log(log, keep={EventName.HEARTBEAT}),
        "the log, its entries and drift (the verb, files apart)": lambda: _log_and_drift(gate, pin),
    }


def _log_and_drift(gate: Gate, pin: Pin) -> None:
    log = reading.check_log(gate.home, pin)
    assert log.report.ok
    book, _ = fold_log(log, keep={EventName.HEARTBEAT})
    assert not find_drift(gate.home, book)


def verb_parts(gate: Gate, pin: Pin, ledger: Ledger) -> Candidates:
    """Give the whole verb and what it does to the files that the log names."""
    home, book = gate.home, ledger.book
    context = Context(verb="verify", home=home.root, now_text=None, json=True)
    context.keys_dir = str(gate.ring.directory)
    heartbeats = fold_log(ledger.log, keep={EventName.HEARTBEAT})[1]
    proposals = replace(ledger, book=replace(book, decisions={}))
    decisions = replace(ledger, book=replace(book, proposals={}))
    at = Moment(at=LATER)
    signers = read_signers(home, ledger, at)
    signed = [(read_signed(home, status), status.recorded) for status in book.decisions.values()]
    return {
        "the log, its entries and drift": lambda: _log_and_drift(gate, pin),
        "the whole verb": lambda: _run(context),
        "  proposals: read and hashed": lambda: find_altered(home, proposals, at),
        "  decisions: read, hashed, signatures verified": lambda: find_altered(home, decisions, at),
        "    their signatures alone": lambda: [signer_of(one, signers, at) for one, at in signed],
        "  inputs: what each night read": lambda: find_rewrites(home, heartbeats),
        "  gated files: drift": lambda: find_drift(home, book),
    }


def _run(context: Context) -> None:
    seen = verify.look(context)
    assert seen.holds


def append_cost(gate: Gate, times: int = 50) -> float:
    """Give the median CPU milliseconds of appending one event, keys loaded."""
    key, costs = log_key(gate), []
    for number in range(times):
        event = NewEvent(
            event="heartbeat", actor=Actor.CRON, at=LATER, fields={"day": "2038-01-01", "waiting": number}
        )
        before = time.process_time()
        audit.append(gate.home, key, [event])
        costs.append(time.process_time() - before)
    return sorted(costs)[times // 2] * 1000


def main() -> None:
    """Print the ratios."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else EVENTS
    with tempfile.TemporaryDirectory(prefix="nightledger-verify-") as directory:
        gate = make_long_home(Path(directory), count)
        pin = read_pin(gate.ring, gate.home.identity.id)
        log = reading.check_log(gate.home, pin)
        assert log.report.ok
        assert log.report.signed_size == log.size >= count
        size = Path(gate.home.audit_log).stat().st_size / log.size
        parts = log_parts(gate, pin)
        gc.collect()
        gc.freeze()  # what the measuring itself keeps is not to be searched again and again
        of_log = measure.compare(parts)
        measure.report(f"audit log: {log.size:,} events, {size:.0f} bytes each", of_log, aim=LOG_AIM)
        share = of_log[5].cpu_s / of_log[1].cpu_s
        print(f"  signatures are {share:.2%} of verify")
        ledger = Ledger(log=log, book=fold_log(log)[0])
        files = verb_parts(gate, pin, ledger)
        gc.collect()
        gc.freeze()
        base = {"read the log, SHA-256 of each line once": parts["read the log, SHA-256 of each line once"]}
        of_verb = measure.compare({**base, **files}, rounds=VERB_ROUNDS)
        proposals, decisions = len(ledger.book.proposals), len(ledger.book.decisions)
        measure.report(
            f"the verb: {proposals:,} proposals, {decisions:,} decisions on disk", of_verb, aim=VERB_AIM
        )
        each = [of_verb[3].cpu_s / proposals, of_verb[4].cpu_s / decisions, of_verb[5].cpu_s / decisions]
        told = [f"{seconds * 1e6:.0f} us" for seconds in each]
        print(f"  a proposal {told[0]}, a decision {told[1]}, of which its signature {told[2]}")
        print(f"  append of one event at this size: {append_cost(gate):.2f} ms CPU")


if __name__ == "__main__":
    main()
