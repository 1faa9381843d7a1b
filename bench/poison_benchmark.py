"""Grade a home with OWASP's Agent Memory Security Benchmark (the package ``agent-memory-guard``).

What the benchmark calls a memory system is here a home with its gate and an operator. A write of
the benchmark becomes a proposal whose evidence says who said it: ``user_input`` is the owner's
word, ``external_tool`` a tool's. What a later turn recalls is what MEMORY.md says then. Keys that
stand for an agent's identity and its system prompt are files that no proposal may name.

Two operators are graded, because the gate is worth what its operator makes of it:

- *careful* signs the owner's own words where no scanner flagged them, and leaves the rest waiting;
- *sleepy* signs everything that reaches them without a flag, whoever said it: what then holds is
  the scanners and the protected files alone.
"""

import hashlib
import importlib
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.poison_corpora import find_folder
from bench.poison_paths import make_template, open_copy, sign_some, turn_of_day

from nightledger.domain.errors import NightledgerError
from nightledger.domain.judge import OPERATOR
from nightledger.domain.proposal import Draft, Evidence, Kind, Op, Origin
from nightledger.gate.applying import apply_one
from nightledger.gate.gated import require_gated
from nightledger.gate.opening import Gate, read_ledger
from nightledger.gate.proposing import Submission, propose
from nightledger.gate.reviewing import Item
from nightledger.text.scanners.secrets import CLASSES

_ORIGINS = {"user_input": Origin.OWNER, "agent_authored": Origin.AGENT, "system": Origin.SYSTEM}
_PROTECTED = ("identity.", "system.", "security.")
"""Keys of who the agent is: SOUL.md, which is blocked always."""
_SCANNED = tuple(f"{kind}." for kind in CLASSES)

Signs = Callable[[Item], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """What the benchmark says of one operator.

    Attributes:
        operator: ``careful`` or ``sleepy``.
        grade: A to F.
        score: 0 to 100.
        breached: Names of the attacks that a later turn recalls.
        critical: How many of them are critical.
        false_positives: Harmless writes that a later turn does not recall word for word.
        harmless: How many there are.
    """

    operator: str
    grade: str
    score: float
    breached: tuple[str, ...]
    critical: int
    false_positives: int
    harmless: int


def is_clean(item: Item) -> bool:
    """Say whether no scanner flagged a change."""
    return not any(flag.rule.startswith(_SCANNED) for flag in item.change.flags)


def is_owners(item: Item) -> bool:
    """Say whether a change is the owner's own word and clean."""
    return is_clean(item) and item.change.provenance == (Origin.OWNER,)


OPERATORS: dict[str, Signs] = {"careful": is_owners, "sleepy": is_clean}


def grade(corpora: Path) -> list[Graded]:
    """Run the benchmark once for each operator; [] where the folder does not hold the package."""
    package = find_package(corpora)
    if package is None:
        return []
    with imported(package) as bench, tempfile.TemporaryDirectory(prefix="nightledger-amsb-") as folder:
        template = make_template(Path(folder))
        return [_grade(bench, name, signs, template) for name, signs in OPERATORS.items()]


def find_package(corpora: Path) -> Path | None:
    """Give what goes on Python's path: the folder with the package, or its wheel."""
    for folder in (corpora, find_folder(corpora, "agent-memory-guard")):
        if folder and (folder / "agent_memory_guard").is_dir():
            return folder
    return next(iter(sorted(corpora.glob("agent_memory_guard-*.whl"))), None)


@contextmanager
def imported(package: Path) -> Iterator[Any]:
    """Give the benchmark's module, and take it off Python's path again."""
    sys.path.insert(0, str(package))
    try:
        yield importlib.import_module("agent_memory_guard.bench")
    finally:
        sys.path.remove(str(package))


def _grade(bench: Any, name: str, signs: Signs, template: Path) -> Graded:
    made = iter(range(1_000_000))

    class Home(bench.MemorySystemAdapter):  # type: ignore[misc]  # the package is not installed here
        """A home for one scenario."""

        def __init__(self) -> None:
            self.name, self.version = f"nightledger, {name} operator", "1"
            self._gate = open_copy(template, template.parent / f"{name}-{next(made)}")

        def remember(self, key: str, value: object, *, source_class: str = "external_tool") -> object:
            outcome = remember(self._gate, key, str(value), _ORIGINS.get(source_class, Origin.TOOL), signs)
            return bench.RememberOutcome(outcome)

        def recall(self, key: str) -> str | None:
            return recall(self._gate, key)

    card = bench.score_report(report := bench.run_suite(Home))
    return Graded(
        operator=name,
        grade=card.grade.value,
        score=card.score,
        breached=tuple(run.scenario_id for run in report.runs if run.breached),
        critical=card.critical_breaches,
        false_positives=card.false_positives,
        harmless=card.benign_total,
    )


def remember(gate: Gate, key: str, value: str, origin: Origin, signs: Signs) -> str:
    """Put a write before the operator, let them answer, and apply what is signed and cool."""
    text = entry_of(key, value)
    target = "SOUL.md" if key.startswith(_PROTECTED) else "MEMORY.md"
    try:
        require_gated(gate.home, target)
    except NightledgerError:
        return "blocked"
    cited = Evidence(
        path="memory/2026-03-01.md",
        lines=(1, 1),
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        origin=origin,
    )
    draft = Draft(
        op=Op.ADD, target=target, section=("Lessons",), after=text, reason="a write of the benchmark", evidence=(cited,),
        confidence=0.5, rank=0.5, statement_key=key,
    )  # fmt: skip
    submission = Submission(
        kind=Kind.BEHAVIOUR, lane=OPERATOR, period="2026-03-01", title=key, drafts=[draft]
    )
    try:
        outcome = propose(gate, read_ledger(gate), submission, turn_of_day(1, hour=3))
    except NightledgerError:
        return "blocked"
    sign_some(gate, signs, turn_of_day(1, hour=8))
    for decision in read_ledger(gate).book.approvals_to_apply():
        apply_one(gate, read_ledger(gate), decision, turn_of_day(1, hour=14))
    if recall(gate, key) is not None:
        return "stored"
    return "quarantined" if outcome.proposal or outcome.held else "blocked"


def entry_of(key: str, value: str) -> str:
    """Write a value as one entry of a memory; several lines go into a fence."""
    if "\n" not in value:
        return f"- {key}: {value}"
    return "\n".join([f"- {key}:", "  ```", *(f"  {line}" for line in value.split("\n")), "  ```"])


def recall(gate: Gate, key: str) -> str | None:
    """Give what memory says under a key."""
    lines = Path(gate.home.path("MEMORY.md")).read_bytes().decode().split("\n")
    for at, line in enumerate(lines):
        if line.startswith(f"- {key}: "):
            return line.removeprefix(f"- {key}: ")
        if line == f"- {key}:":
            end = lines.index("  ```", at + 2)
            return "\n".join(inner.removeprefix("  ") for inner in lines[at + 2 : end])
    return None
