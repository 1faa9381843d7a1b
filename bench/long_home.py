"""A simulated home with years behind it: its log, and what the log names, on disk.

The mix is that of a home lived in for 40 busy nights (``bench.bench_growth``): a heartbeat
each night; in seven nights of ten a proposal that is signed and applied the next day; in
a third of the nights a text that scanners held back. Every proposal, decision, signature,
daily log and consolidation is there and is as the log says; they are written at once and
not synced, so that a home of 100,000 events is made within a minute.
"""

import hashlib
import os
import random  # noqa: TID251 - seeded
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

from bench.living import make_home

from nightledger.codec.records import dump_line, dump_record
from nightledger.domain.consolidation import Consolidation, SourceRead
from nightledger.domain.decision import Actor, Decision, DecisionTarget, DecisionType, EventName, LogHead
from nightledger.domain.periods import Run, RunOutcome
from nightledger.domain.proposal import (
    Anchor,
    Change,
    Evidence,
    Hunk,
    Kind,
    Op,
    Origin,
    Proposal,
    SizeMeter,
    Target,
)
from nightledger.files.atomic import BlobStore
from nightledger.gate.founding import PRINCIPAL
from nightledger.gate.keeping import NAMES_AN_ENTRY
from nightledger.gate.opening import Gate, log_key
from nightledger.gate.stored import sign
from nightledger.trust import audit
from nightledger.trust.event import NewEvent
from nightledger.trust.keys import LogKey, load_operator_key, operator_key_path
from nightledger.trust.pin import read_head
from nightledger.trust.sshsig import Signer

FIRST = date(1971, 1, 1)
BATCH_NIGHTS = 40
RECENT = 30
"""Versions of memory that are kept, more than can still be undone."""
JOBS, SATURDAY = ("link", "consolidate", "curate", "prune", "close_day"), 5
"""What a night runs; the pruner's week ends with its Saturday."""
PROPOSING, HOLDING = 0.7, 1 / 3
"""How many of a lived home's nights proposed something, and held something back."""


@dataclass(slots=True)
class _Life:
    """The home as it grows; lives only inside :func:`make_long_home`."""

    gate: Gate
    key: LogKey
    signer: Signer
    rng: random.Random
    memory: bytes
    blobs: list[str] = field(default_factory=list)
    recent: deque[bytes] = field(default_factory=lambda: deque(maxlen=RECENT))
    outcomes: "_Growing" = field(init=False)
    consolidations: "_Growing" = field(init=False)
    head: LogHead = field(init=False)
    runs: list[bytes] = field(default_factory=list)

    def __post_init__(self) -> None:
        home = self.gate.home
        self.outcomes = _Growing(home.outcomes, home.relative(home.outcomes))
        self.consolidations = _Growing(home.consolidation_log, home.relative(home.consolidation_log))


class _Growing:
    """A file that is only appended to, with the hash of all that is in it."""

    def __init__(self, path: str, name: str) -> None:
        self.path, self.name, self.size = path, name, 0
        self._digest = hashlib.sha256()
        self._pieces: list[bytes] = []

    def append(self, line: bytes) -> None:
        self._digest.update(line)
        self._pieces.append(line)
        self.size += len(line)

    def input(self) -> dict[str, object]:
        return {"path": self.name, "size": self.size, "sha256": self._digest.hexdigest()}

    def write(self) -> None:
        Path(self.path).write_bytes(b"".join(self._pieces))


def make_long_home(root: Path, events: int, seed: int = 1) -> Gate:
    """Make a home whose audit log holds at least ``events`` entries under a signed checkpoint.

    Args:
        root: A directory; the home is ``root/home``, its keys ``root/keys``.
        events: How many entries, at least; the last nights are written whole.
        seed: Of everything that is random in it.
    """
    gate = make_home(root / "home", root / "keys", FIRST)
    signer = load_operator_key(operator_key_path(gate.ring, gate.home.identity.id))
    memory = Path(gate.home.path("MEMORY.md"))
    life = _Life(
        gate=gate, key=log_key(gate), signer=signer, rng=random.Random(seed), memory=memory.read_bytes()
    )
    for directory in (gate.home.proposals_dir, gate.home.decisions_dir, gate.home.path("memory/daily")):
        os.makedirs(directory, exist_ok=True)
    size, day = 1, FIRST
    while size < events:
        head = read_head(life.key.directory)
        assert head is not None
        life.head = LogHead(size=head.range.size, root=head.range.root().hex())
        batch: list[NewEvent] = []
        for _ in range(BATCH_NIGHTS):
            batch += _night(life, day)
            day += timedelta(days=1)
            if size + len(batch) >= events:
                break
        audit.append(gate.home, life.key, batch)
        size += len(batch)
    undoable = {BlobStore(gate.home.blobs_dir).put(content) for content in life.recent}
    audit.append(gate.home, life.key, list(_expired([one for one in life.blobs if one not in undoable], day)))
    memory.write_bytes(life.memory)
    life.outcomes.write()
    life.consolidations.write()
    Path(gate.home.runs).write_bytes(b"".join(life.runs))
    audit.sign_head(gate.home, life.key, gate.ring, now=datetime.combine(day, time(13), UTC))
    return gate


def _night(life: _Life, day: date) -> Iterator[NewEvent]:
    night = datetime.combine(day + timedelta(days=1), time(3, 5), UTC)
    text = f"# {day}\n\n- kept {life.rng.getrandbits(64):x}\n".encode()
    log = f"memory/daily/{day}.md"
    Path(life.gate.home.path(log)).write_bytes(text)
    life.outcomes.append(b'{"note":"an outcome as long as most","number":%d}\n' % life.rng.getrandbits(60))
    if life.rng.random() < HOLDING:
        fields = {"sha256": _hash(life), "rules": ["unicode.bidi"], "path": log, "line": 3}
        yield _event(EventName.QUARANTINED, Actor.CRON, night, fields)
    life.runs += [_run(life, job, day, night) for job in JOBS if job != "prune" or day.weekday() == SATURDAY]
    proposal = _propose(life, day, log, text, night) if life.rng.random() < PROPOSING else None
    if proposal:
        yield _event(EventName.PROPOSED, Actor.CRON, night, _proposed(proposal))
    life.consolidations.append(_consolidation(life, day, log, text, night, proposal))
    heartbeat: dict[str, object] = {
        "day": day.isoformat(),
        "waiting": 1 if proposal else 0,
        "inputs": [life.outcomes.input(), life.consolidations.input()],
    }
    yield _event(EventName.HEARTBEAT, Actor.CRON, night, heartbeat)
    if proposal:
        yield from _morning(life, proposal, night + timedelta(hours=5))


def _morning(life: _Life, proposal: Proposal, at: datetime) -> Iterator[NewEvent]:
    before = hashlib.sha256(life.memory).hexdigest()
    life.recent.append(life.memory)
    life.memory = b"# MEMORY.md\n\n## Lessons\n\n" + proposal.changes[0].after.encode() + b"\n"
    after = hashlib.sha256(life.memory).hexdigest()
    life.recent.append(life.memory)
    decision = _decide(life, proposal, before, after, at)
    content = dump_record(decision)
    path = life.gate.home.decision(decision.id)
    Path(path).write_bytes(content)
    signature = sign(decision, life.signer).signature
    Path(f"{path}.sig").write_text(signature)
    about: dict[str, object] = {"decision": decision.id, "proposal": proposal.id, "changes": [1]}
    hashes = {
        "sha256": hashlib.sha256(content).hexdigest(),
        "signature_sha256": hashlib.sha256(signature.encode()).hexdigest(),
    }
    recorded = {**about, **hashes, "type": "approve"}
    yield _event(EventName.DECIDED, Actor.HUMAN, at, recorded)
    apply = _id(life, "a")
    target = {
        "path": "MEMORY.md",
        "before": before,
        "after": after,
        "signed_base": before,
        "signed_result": after,
    }
    life.blobs += [before, after]
    noon = at + timedelta(hours=4)
    yield _event(EventName.APPLY_INTENT, Actor.CRON, noon, {"apply": apply, **about, "targets": [target]})
    yield _event(EventName.APPLY_DONE, Actor.CRON, noon, {"apply": apply})


def _run(life: _Life, job: str, day: date, at: datetime) -> bytes:
    return dump_line(
        Run(
            v=2,
            id=_id(life, "r"),
            job=job,
            period=day.isoformat(),
            attempt=1,
            started_at=at,
            finished_at=at,
            outcome=RunOutcome.DONE,
            counts={},
            reason="",
        )
    )


def _expired(blobs: list[str], day: date) -> Iterator[NewEvent]:
    """Say that the bytes of old applies went when their undo windows had closed, as they do."""
    going, at = sorted(set(blobs)), datetime.combine(day, time(12), UTC)
    for first in range(0, len(going), NAMES_AN_ENTRY):
        yield _event(
            EventName.BLOBS_REMOVED, Actor.CRON, at, {"sha256s": going[first : first + NAMES_AN_ENTRY]}
        )


def _event(name: EventName, actor: Actor, at: datetime, fields: dict[str, object]) -> NewEvent:
    clocks = {"boot": "7f3c2a5e9d414b6f8a0c1d2e3f405162", "boot_s": int(at.timestamp())}
    return NewEvent(event=name.value, actor=actor, at=at, fields={**fields, **clocks})


def _propose(life: _Life, day: date, log: str, text: bytes, at: datetime) -> Proposal:
    line = f"- What was kept on {day}: {life.rng.getrandbits(64):x} and how it came about, in a sentence.\n"
    lines = text.split(b"\n")
    change = Change(
        n=1,
        op=Op.ADD,
        target="MEMORY.md",
        section="Lessons",
        before="",
        after=line.rstrip("\n"),
        diff=f"--- a/MEMORY.md\n+++ b/MEMORY.md\n@@ -3,2 +3,3 @@ Lessons\n ## Lessons\n+{line}",
        hunk=Hunk(anchor=Anchor.SECTION_END, section=("Lessons",), added=line),
        reason="It was kept in a log of that day.",
        evidence=(
            Evidence(
                path=log, lines=(3, 3), sha256=hashlib.sha256(lines[2]).hexdigest(), origin=Origin.AGENT
            ),
        ),
        provenance=(Origin.AGENT,),
        confidence=0.6,
        key=line,
    )
    meter = SizeMeter(before_characters=200, after_characters=290, cap_characters=None)
    target = Target(path="MEMORY.md", base_sha256=hashlib.sha256(life.memory).hexdigest(), meter=meter)
    proposal = Proposal(
        v=1,
        id=_id(life, "p"),
        kind=Kind.CONSOLIDATE,
        lane="job",
        created_at=at,
        period=day.isoformat(),
        title=f"What {day} taught",
        targets=(target,),
        changes=(change,),
    )
    Path(life.gate.home.proposal(proposal.id)).write_bytes(dump_record(proposal))
    return proposal


def _proposed(proposal: Proposal) -> dict[str, object]:
    return {
        "proposal": proposal.id,
        "sha256": _sha256_of(proposal),
        "kind": proposal.kind.value,
        "lane": proposal.lane,
        "changes": len(proposal.changes),
    }


def _decide(life: _Life, proposal: Proposal, before: str, after: str, at: datetime) -> Decision:
    return Decision(
        v=1,
        id=_id(life, "d"),
        type=DecisionType.APPROVE,
        origin=life.gate.home.identity.origin,
        host=life.gate.home.identity.machine,
        proposal=proposal.id,
        proposal_sha256=_sha256_of(proposal),
        changes=(1,),
        targets=(DecisionTarget(path="MEMORY.md", base=before, result=after, hunks_sha256=_hash(life)),),
        not_before=at + timedelta(minutes=10),
        expires=at + timedelta(days=7),
        nonce=f"{life.rng.getrandbits(128):032x}",
        log=life.head,
        principal=PRINCIPAL,
    )


def _consolidation(
    life: _Life, day: date, log: str, text: bytes, at: datetime, proposal: Proposal | None
) -> bytes:
    read = SourceRead(path=log, sha256=hashlib.sha256(text).hexdigest(), size_bytes=len(text))
    return dump_line(
        Consolidation(
            v=1,
            id=_id(life, "c"),
            period=day.isoformat(),
            at=at,
            logs=(read,),
            outcome_records=None,
            outcomes=1,
            statements=1,
            patterns=0,
            proposal=proposal.id if proposal else None,
            proposed=1 if proposal else 0,
            suppressed=0,
            no_room=0,
            held=0,
        )
    )


def _sha256_of(proposal: Proposal) -> str:
    return hashlib.sha256(dump_record(proposal)).hexdigest()


def _hash(life: _Life) -> str:
    return f"{life.rng.getrandbits(256):064x}"


def _id(life: _Life, prefix: str) -> str:
    return f"{prefix}-" + "".join(life.rng.choices("abcdefghijklmnopqrstuvwxyz234567", k=26))
