"""Simulated homes for tests of the gate: made fast, in a temporary directory, alone."""

import atexit
import hashlib
import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from nightledger.domain.decision import Actor, Decision, DecisionType, EventName, LogHead, Moment
from nightledger.domain.judge import AGENT, OPERATOR
from nightledger.domain.proposal import Draft, Evidence, Hunk, Kind, Op, Origin, Proposal
from nightledger.files.home import Home
from nightledger.gate import deciding
from nightledger.gate.applying import Attempt, apply_one
from nightledger.gate.drifting import carry_out
from nightledger.gate.editing import propose_edit
from nightledger.gate.founding import PRINCIPAL, Founding, found
from nightledger.gate.guarding import Sighting, guard
from nightledger.gate.opening import Gate, Ledger, open_gate, read_ledger, record, sign_head
from nightledger.gate.proposing import Outcome, Submission, propose, submit_changes
from nightledger.gate.reviewing import Answer, Documents, Item, Refusal, Verb, items_of, list_items
from nightledger.gate.stored import Signed, read_proposal, sign
from nightledger.gate.undoing import Undo, plan_undo, undo_choice
from nightledger.gate.writing import write_all
from nightledger.trust.keys import KeyRing, load_operator_key, operator_key_path

START = Moment(at=datetime(2026, 3, 1, 6, 0, tzinfo=UTC))
MEMORY = "# MEMORY.md\n\n## Decisions\n\n- Keep backups for 30 days.\n\n## Lessons\n\n- Restart the relay after an upgrade.\n\n## Projects\n"
HOME_ID = "0123456789abcdef0123456789abcdef"


def this_machine() -> str:
    """Give the name under which verbs know this machine."""
    return os.uname().nodename


def later(moment: Moment, **by: float) -> Moment:
    """Give a moment that many hours, minutes or days later."""
    return replace(moment, at=moment.at + timedelta(**by))


def _draft(op: Op, key: str, **fields: Any) -> Draft:
    values = {"target": "MEMORY.md", "section": (), "confidence": 0.5, "rank": 0.5, **fields}
    return Draft(op=op, statement_key=key, **values)


def addition(
    text: str, *, section: str = "Lessons", rank: float = 0.5, path: str = "memory/2026-02-28.md"
) -> Draft:
    """Give a draft that adds one item."""
    said = {"reason": "it was said", "evidence": (evidence(path),), "rank": rank}
    return _draft(Op.ADD, text.lower(), section=(section,), after=f"- {text}", **said)


def removal(line: str, *, target: str = "MEMORY.md") -> Draft:
    """Give a draft that removes one line."""
    said = {"reason": "it is over", "evidence": (evidence("MEMORY.md"),), "target": target}
    return _draft(Op.REMOVE, f"remove {line}", before=f"{line}\n", after="", **said)


def evidence(path: str, line: int = 1) -> Evidence:
    """Give evidence that points to a line."""
    digest = hashlib.sha256(path.encode()).hexdigest()
    return Evidence(path=path, lines=(line, line), sha256=digest, origin=Origin.AGENT)


def answers_to(proposal: Proposal, *only: int, verb: Verb = Verb.APPROVE, reason: str = "") -> list[Answer]:
    """Give the same answer to some changes of a proposal, or to all."""
    numbers = only or [change.n for change in proposal.changes]
    return [Answer(proposal=proposal.id, n=n, verb=verb, reason=reason) for n in numbers]


@dataclass(slots=True, kw_only=True)
class Desk:
    """A home with its operator at hand."""

    gate: Gate
    ring: KeyRing
    moment: Moment
    nonces: "count[int]"

    @property
    def home(self) -> Home:
        return self.gate.home

    @property
    def memory(self) -> Path:
        return Path(self.home.path("MEMORY.md"))

    @property
    def root(self) -> Path:
        return self.ring.directory.parent

    def set(self, **settings: Any) -> None:
        """Give the home other settings."""
        self.gate = replace(self.gate, settings=replace(self.gate.settings, **settings))

    def text(self) -> str:
        return self.memory.read_bytes().decode()

    def record(self, event: str, **fields: Any) -> None:
        """Append an event as the gate would."""
        record(self.gate, [(EventName(event), fields)], self.moment)

    def events(self) -> list[str]:
        return [event.event for event in self.ledger().log.events]

    def states(self, proposal: Proposal) -> list[str]:
        status = self.ledger().book.proposals[proposal.id]
        return [status.state_of(n).value for n in sorted(status.changes)]

    def proposal_of(self, name: str) -> Proposal:
        return read_proposal(self.gate, self.ledger().book.proposals[name]).proposal

    def ledger(self) -> Ledger:
        return read_ledger(self.gate)

    def propose(
        self, *drafts: Draft, lane: str = OPERATOR, period: str = "2026-02-28", dry_run: bool = False
    ) -> Outcome:
        submission = Submission(
            kind=Kind.CONSOLIDATE, lane=lane, period=period, title="a test", drafts=drafts
        )
        return propose(self.gate, self.ledger(), submission, self.moment, dry_run=dry_run)

    def proposal(self, *drafts: Draft, **how: Any) -> Proposal:
        made = self.propose(*drafts, **how).proposal
        assert made is not None
        return made

    def items(self) -> list[Item]:
        return list_items(self.gate, self.ledger(), Documents(self.gate))

    def signing(self, *, sign: bool = True) -> deciding.Signing:
        if sign:
            sign_head(self.gate, self.moment, keep=True)
        log = self.ledger().log
        return deciding.Signing(
            principal=PRINCIPAL,
            machine=this_machine(),
            head=LogHead(size=log.size, root=log.root_at(log.size).hex()),
            moment=self.moment,
            fresh_nonce=lambda: f"{next(self.nonces):032x}",
        )

    def compose(
        self, *answers: Answer, items: Sequence[Item] | None = None
    ) -> tuple[list[Decision], list[Refusal]]:
        shown = self.items() if items is None else items
        return deciding.compose(
            deciding.terms_of(self.gate), shown, answers, Documents(self.gate), self.signing()
        )

    def compose_all(self, *proposals: Proposal) -> tuple[list[Decision], list[Refusal]]:
        """Compose approvals of every change, unsigned."""
        return self.compose(*(answer for one in proposals for answer in answers_to(one)))

    def accept(self, decision: Decision) -> Decision:
        signer = load_operator_key(operator_key_path(self.ring, self.home.identity.id))
        return self.accept_signed(sign(decision, signer))

    def accept_signed(self, signed: Signed) -> Decision:
        return deciding.accept(self.gate, self.ledger(), signed, self.moment)

    def approve(self, *proposals: Proposal, only: Sequence[int] = ()) -> list[Decision]:
        decisions, refusals = self.compose(*(said for one in proposals for said in answers_to(one, *only)))
        assert not refusals, refusals
        return [self.accept(decision) for decision in decisions]

    def reject(self, proposal: Proposal, *only: int, reason: str = "no") -> list[Decision]:
        """Reject changes, approved ones that cool included."""
        return self._answer(proposal, DecisionType.REJECT, *only, reason=reason)

    def _answer(self, proposal: Proposal, kind: DecisionType, *only: int, reason: str = "") -> list[Decision]:
        """Answer what a decision of this kind may be about, and sign."""
        book = self.ledger().book
        items = items_of(self.gate, book, book.proposals[proposal.id], kind, Documents(self.gate))
        said = answers_to(proposal, *only, verb=Verb(kind.value), reason=reason)
        decisions, refusals = self.compose(*said, items=items)
        assert not refusals, refusals
        return [self.accept(decision) for decision in decisions]

    def undo(self, proposal: Proposal, *only: int) -> bool:
        """Plan an undo, sign it, and carry it out."""
        planned = self.plan_undo(proposal, *only)
        assert not planned.problem
        signed = deciding.decide(
            deciding.terms_of(self.gate), undo_choice(planned), self.signing(), planned.status
        )
        decision = self.accept(signed)
        return write_all(self.gate, decision, decision.changes, planned.writes, self.moment)

    def guard(self) -> tuple[Sighting, ...]:
        """Let the guard look."""
        return guard(self.gate, self.ledger(), {}, self.moment)

    def drift(self) -> Proposal:
        """Give the item of what drifted in MEMORY.md."""
        drift = self.ledger().book.open_drift("MEMORY.md")
        assert drift is not None
        return self.proposal_of(drift.proposal)

    def compose_drift(
        self, keep: Sequence[int], take_back: Sequence[int] = (), item: Proposal | None = None
    ) -> tuple[list[deciding.Settlement], list[Refusal]]:
        """Answer what drifted, unsigned; what is not named waits."""
        proposal, book = item or self.drift(), self.ledger().book
        items = items_of(self.gate, book, book.proposals[proposal.id], DecisionType.DRIFT, {})
        said = [answer for n in keep for answer in answers_to(proposal, n)]
        said += [answer for n in take_back for answer in answers_to(proposal, n, verb=Verb.REJECT)]
        return deciding.compose_settlements(self.gate, book, items, said, self.signing())

    def settle(
        self, keep: Sequence[int] = (), take_back: Sequence[int] = (), *, item: Proposal | None = None
    ) -> list[Refusal]:
        """Answer what drifted, sign, and carry it out."""
        found, refusals = self.compose_drift(keep, take_back, item)
        for one in found:
            decision, ledger = self.accept(one.decision), self.ledger()
            carry_out(self.gate, ledger, ledger.book.decisions[decision.id], one.taken_back, self.moment)
        return refusals

    def edit(self, content: bytes) -> Proposal:
        """Edit MEMORY.md as its operator: propose, sign, apply at once."""
        proposal = propose_edit(self.gate, self.ledger(), "MEMORY.md", content, self.moment)
        assert proposal is not None
        self._answer(proposal, DecisionType.APPROVE)
        self.apply(proposal)
        return proposal

    def forge(self, *hunks: Hunk, target: str = "MEMORY.md") -> Proposal:
        """Put a proposal into the log that the gate itself would not have made."""
        (like,) = self.proposal(addition("Forged."), dry_run=True).changes
        like = replace(like, op=Op.REPLACE, target=target, diff="", evidence=(), reason="because")
        changes = [
            replace(like, n=n, before=hunk.removed, after=hunk.added, hunk=hunk, key=f"forged {n}")
            for n, hunk in enumerate(hunks, 1)
        ]
        made = Submission(kind=Kind.BEHAVIOUR, lane=AGENT, period="2026-02-28", title="forged", drafts=())
        return submit_changes(self.gate, self.ledger(), made, "MEMORY.md", changes, self.moment)

    def plan_undo(self, proposal: Proposal, *only: int) -> Undo:
        ledger = self.ledger()
        return plan_undo(self.gate, ledger, ledger.book.proposals[proposal.id], only, self.moment)

    def wait(self, **by: float) -> None:
        self.moment = later(self.moment, **by)

    def apply(self, *only: Proposal) -> list[Attempt]:
        names = {proposal.id for proposal in only}
        return [
            apply_one(self.gate, self.ledger(), decision, self.moment)
            for decision in self.ledger().book.approvals_to_apply()
            if not names or decision.proposal in names
        ]

    def applied(self, *drafts: Draft) -> Proposal:
        """Propose, approve, wait and apply."""
        proposal = self.proposal(*drafts)
        self.approve(proposal)
        self.wait(hours=3)
        self.apply(proposal)
        return proposal


def make_founding(root: Path, **fields: Any) -> Founding:
    """Give what ``init`` is asked for: a workspace ``root/home`` to be adopted, keys in ``root/keys``."""
    values: dict[str, Any] = {
        "home": Home(str(root / "home")),
        "ring": KeyRing(root / "keys"),
        "home_id": HOME_ID,
        "machine": this_machine(),
        "zone": "UTC",
        "host": "generic",
        "gated": ("MEMORY.md",),
        "simulated": True,
        "adopt": True,
        "track": False,
    }
    return Founding(**{**values, **fields})


def make_desk(
    root: Path, *, memory: bytes | None = MEMORY.encode(), passphrase: bytes | None = None, **fields: Any
) -> Desk:
    """Make a simulated home of an adopted workspace under ``root``: each kind is founded once and copied."""
    if (root / "home").exists() or (root / "keys").exists():
        _found(root, memory, passphrase, fields)
    else:
        kind = repr((memory, passphrase, sorted(fields.items())))
        if kind not in _FOUNDED:
            _FOUNDED[kind] = Path(tempfile.mkdtemp(dir=_folder()))
            _found(_FOUNDED[kind], memory, passphrase, fields)
        shutil.copytree(_FOUNDED[kind], root, symlinks=True, dirs_exist_ok=True)
    return open_desk(root)


_FOUNDED: dict[str, Path] = {}
"""Homes that nobody writes to, by what they were founded with."""


@cache
def _folder() -> str:
    folder = tempfile.mkdtemp(prefix="nightledger-homes-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _found(root: Path, memory: bytes | None, passphrase: bytes | None, fields: dict[str, Any]) -> None:
    workspace = root / "home"
    workspace.mkdir(exist_ok=True)
    if memory is not None:
        (workspace / "MEMORY.md").write_bytes(memory)
    found(make_founding(root, **fields), passphrase, START)


def open_desk(root: Path, *, actor: Actor = Actor.HUMAN) -> Desk:
    """Open a home that was made before, or a copy of one: founding costs more than copying."""
    gate = open_gate(str(root / "home"), str(root / "keys"), actor=actor)
    return Desk(gate=gate, ring=gate.ring, moment=START, nonces=count(1))
