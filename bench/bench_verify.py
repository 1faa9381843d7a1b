"""Verify an audit log of 100,000 events, beside SHA-256 of each of its lines once; then the whole verb.

The home has what the log names on disk (``bench.long_home``): some 17,000 proposals and as
many signed decisions, 24,000 daily logs. The first table is about the log; the aim of 4x is that
of the log alone, as the library verifies it: hashes, tree, heads. The second takes the verb
apart, which also reads the entries, folds them and looks at files: no ratio is aimed at there.
What an operator signed is verified signature by signature at each look, and no cache may spare
that: whoever could write it could forge a decision. For the same reason no book is kept from one
look to the next: the states that it holds are what the log's key could forge. A realistic year is
365 nights of this home, some 1,500 events with 250 decisions; what it costs is printed last, and
so is what one decision costs.

Run with ``PYTHONPATH=scripts .venv/bin/python -m bench.bench_verify [EVENTS]``.
"""

import gc
import hashlib
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from bench.long_home import make_long_home
from msgspec.structs import replace

from bench import measure
from nightledger.domain.decision import Actor, Moment
from nightledger.gate.applies import look_at_applies
from nightledger.gate.checking import Held, find_altered, find_drift, verify_decisions
from nightledger.gate.keeping import find_rewrites
from nightledger.gate.opening import Gate, Ledger, fold_log, log_key
from nightledger.gate.stored import read_signed, signed_by
from nightledger.gate.trusting import Trust
from nightledger.surfaces.context import Context
from nightledger.surfaces.verbs import verify
from nightledger.trust import audit
from nightledger.trust.event import NewEvent
from nightledger.trust.heads import read_signed_head
from nightledger.trust.merkle import Tree
from nightledger.trust.pin import Pin, read_pin

EVENTS = 100_000
VERB_ROUNDS = 5
LATER = datetime(2100, 1, 1, tzinfo=UTC)
NIGHTS_A_YEAR = 365
LOG_AIM = (
    f"verify (the library) <= 4x; at {EVENTS:,} events the checkpoint's signatures <= 5 % of it; no other row"
)
VERB_AIM = "one decision verified alone < 5 ms; no row: what the log with its entries and drift costs is told"
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

    log = audit.check_log(home, pin)
    return {
        "read the log, SHA-256 of each line once": hash_file,
        "verify (the library: hashes, tree, heads)": lambda: audit.verify(home, pin),
        "  reading": read_file,
        "  leaf hashes, lines in memory": lambda: [hashlib.sha256(leaf).digest() for leaf in leaves],
        "  tree over leaf hashes": grow,
        "  signatures of the checkpoint": lambda: read_signed_head(home.checkpoint, pin.origin, pin.vkeys),
        "verify, every line judged (thorough)": lambda: audit.verify(home, pin, thorough=True),
        "entries, decoded and judged": lambda: sum(1 for _ in log.entries()),
        "entries and the states they add up to": lambda: fold_log(gate.home, log),
        "the log, its entries and drift (the verb, files apart)": lambda: _log_and_drift(gate, pin),
    }


def _log_and_drift(gate: Gate, pin: Pin) -> None:
    log = audit.check_log(gate.home, pin)
    assert log.report.ok
    book = fold_log(gate.home, log)
    assert not find_drift(gate.home, book)


def verb_parts(gate: Gate, pin: Pin, ledger: Ledger) -> Candidates:
    """Give the whole verb and what it does to the files that the log names."""
    home, book = gate.home, ledger.book
    context = Context(verb="verify", home=home.root, now_text=None, json=True)
    context.keys_dir = str(gate.ring.directory)
    at, held = Moment(at=LATER), verify_decisions(home, ledger)
    none = Held(decisions={}, keys={}, away=frozenset(), altered=())
    signers = Trust(home, ledger).signers(at)
    signed = [(read_signed(home, status), status.recorded) for status in book.decisions.values()]
    return {
        "the log, its entries and drift": lambda: _log_and_drift(gate, pin),
        "the whole verb": lambda: _run(context),
        "  proposals: read and hashed": lambda: find_altered(home, ledger, at, none),
        "  decisions: read, hashed, signatures verified": lambda: verify_decisions(home, ledger),
        "    their signatures alone": lambda: [signed_by(one, signers, at) for one, at in signed],
        "  applies: each against its decision": lambda: look_at_applies(home, ledger, held, at),
        "  inputs: what each night read": lambda: find_rewrites(home, ledger),
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


def say_verb(of_verb: Sequence[measure.Measured], ledger: Ledger) -> None:
    """Print the verb taken apart, what one of each costs, and what a year costs."""
    cost = {one.name.strip().partition(":")[0]: one.cpu_s for one in of_verb}
    proposals, decisions = len(ledger.book.proposals), len(ledger.book.decisions)
    applies = len(ledger.book.begun)
    title = f"the verb: {proposals:,} proposals, {decisions:,} decisions, {applies:,} applies on disk"
    measure.report(title, of_verb, aim=VERB_AIM)
    each = {
        "a proposal": cost["proposals"] / proposals,
        "a decision": cost["decisions"] / decisions,
        "of which its signature": cost["their signatures alone"] / decisions,
        "an apply": cost["applies"] / applies,
        "an event of the log, its entry and state": cost["the log, its entries and drift"] / ledger.log.size,
    }
    print("  " + ", ".join(f"{name} {seconds * 1e6:.1f} us" for name, seconds in each.items()))
    whole, signatures = cost["the whole verb"], cost["their signatures alone"]
    print(f"  Ed25519 apart, the verb takes {whole - signatures:.2f} s of its {whole:.2f} s")
    nights = sum(1 for name, _, _ in ledger.log.entries() if name == "heartbeat")
    share = NIGHTS_A_YEAR / nights
    print(
        f"  a year of such nights: {ledger.log.size * share:,.0f} events, {decisions * share:,.0f} decisions, "
        f"{whole * share * 1e3:.0f} ms, of which signatures {signatures * share * 1e3:.0f} ms"
    )


def one_decision_ms(gate: Gate, ledger: Ledger, times: int = 200) -> float:
    """Give the median wall milliseconds of verifying one decision: read, hash, parse, signature, log head."""
    names = list(ledger.book.decisions)[:times]
    costs = []
    for name in names:
        one = replace(ledger, book=replace(ledger.book, decisions={name: ledger.book.decisions[name]}))
        before = time.perf_counter()
        assert verify_decisions(gate.home, one).decisions
        costs.append(time.perf_counter() - before)
    return sorted(costs)[len(costs) // 2] * 1000


def main() -> None:
    """Print the ratios."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else EVENTS
    with tempfile.TemporaryDirectory(prefix="nightledger-verify-") as directory:
        gate = make_long_home(Path(directory), count)
        pin = read_pin(gate.ring, gate.home.identity.id)
        log = audit.check_log(gate.home, pin)
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
        ledger = Ledger(log=log, book=fold_log(gate.home, log))
        files = verb_parts(gate, pin, ledger)
        gc.collect()
        gc.freeze()
        base = {"read the log, SHA-256 of each line once": parts["read the log, SHA-256 of each line once"]}
        of_verb = measure.compare({**base, **files}, rounds=VERB_ROUNDS)
        say_verb(of_verb, ledger)
        print(f"  one decision verified alone, signers read anew: {one_decision_ms(gate, ledger):.2f} ms")
        print(f"  append of one event at this size: {append_cost(gate):.2f} ms CPU")


if __name__ == "__main__":
    main()
