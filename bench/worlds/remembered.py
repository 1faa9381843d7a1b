"""Write the MEMORY.md with which a simulated home begins.

Invariant: every entry that is not planted as doubtful is planted as one to keep.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from bench.worlds.cast import Cast
from bench.worlds.dice import Dice
from bench.worlds.page import Page
from bench.worlds.phrases import Phrases
from bench.worlds.plot import Mark, Remembered
from bench.worlds.sample import PlantKind
from bench.worlds.world import World

_KEPT = {"context": (5, 8), "lessons": (4, 6), "projects": (2, 3), "threads": (2, 3)}
_SECTION_OF = {
    "context": "Key Context",
    "lessons": "Lessons",
    "projects": "Projects",
    "threads": "Open Strategy Threads",
}
_MARKERS = ("-", "-", "-", "*")
_LONG_AGO = 150
"""Days before the first log day on which the oldest decision was taken."""


@dataclass(slots=True)
class _Draft:
    """Entries by section while memory is drawn."""

    entries: dict[str, list[tuple[Mark | None, str]]] = field(default_factory=dict)
    decisions: list[tuple[Mark | None, dict[str, str]]] = field(default_factory=list)


class MemoryWriter:
    """Draws and writes one MEMORY.md; used once."""

    def __init__(self, world: World, phrases: Phrases, dice: Dice, first_day: date) -> None:
        """Prepare; every date in it lies before ``first_day``."""
        self._world = world
        self._memory = phrases.memory
        self._dice = dice
        self._first_day = first_day
        self._draft = _Draft(entries={section: [] for section in _SECTION_OF.values()})

    def write(self, page: Page, remembered: Sequence[Remembered]) -> None:
        """Write the page: what is good, what the plot needs, and what is doubtful."""
        for group, section in _SECTION_OF.items():
            low, high = _KEPT[group]
            for number, text in enumerate(
                self._dice.some(self._memory[group], self._dice.between(low, high))
            ):
                self._keep(section, f"{group}.{number}", self._fill(text))
        for entry in remembered:
            self._insert("Key Context", entry.mark or _mark(PlantKind.KEEP, f"keep.{entry.text}"), entry.text)
        self._decide()
        self._doubt()
        self._lay_out(page)

    def _fill(self, text: str) -> str:
        return Cast(self._world, self._dice, self._first_day).fill(text)

    def _keep(self, section: str, name: str, text: str) -> None:
        self._insert(section, _mark(PlantKind.KEEP, f"keep.{name}"), text)

    def _insert(self, section: str, mark: Mark | None, text: str) -> None:
        entries = self._draft.entries[section]
        entries.insert(self._dice.between(0, len(entries)), (mark, text))

    def _decide(self) -> None:
        blocks = [
            (_mark(PlantKind.KEEP, f"keep.decision.{number}"), block)
            for number, block in enumerate(
                self._dice.some(self._memory["decisions"], self._dice.between(2, 3))
            )
        ]
        settled = self._dice.pick(self._memory["settled"])
        blocks.insert(
            self._dice.between(0, len(blocks)), (_mark(PlantKind.CLOSED, "closed.decision"), settled)
        )
        for mark, block in blocks:
            cast = Cast(self._world, self._dice, self._first_day)
            self._draft.decisions.append((mark, {key: cast.fill(text) for key, text in block.items()}))

    def _doubt(self) -> None:
        for kind, count in ((PlantKind.STALE, 3), (PlantKind.CLOSED, 2), (PlantKind.LIVE, 2)):
            for number, text in enumerate(self._dice.some(self._memory[kind], count)):
                section = self._dice.pick(("Key Context", "Projects"))
                self._insert(section, _mark(kind, f"{kind}.{number}"), self._fill(text))
        self._repeat_word_for_word()
        cast = Cast(self._world, self._dice, self._first_day)
        self._twin(
            PlantKind.NEAR_DUPLICATE,
            "Lessons",
            [cast.fill(text) for text in self._dice.pick(self._memory["near"])],
        )

    def _repeat_word_for_word(self) -> None:
        lessons = self._draft.entries["Lessons"]
        _, text = lessons.pop(self._dice.between(0, len(lessons) - 1))
        self._twin(PlantKind.DUPLICATE, self._dice.pick(("Lessons", "Key Context")), [text, text])

    def _twin(self, kind: PlantKind, section: str, texts: list[str]) -> None:
        """Insert two entries of which one is too many; either may go."""
        self._insert("Lessons", Mark(kind=kind, name=kind, main=False), texts[0])
        self._insert(section, Mark(kind=kind, name=kind), texts[1])

    def _lay_out(self, page: Page) -> None:
        page.add("# MEMORY.md")
        intro = self._fill(self._dice.pick(self._memory["intro"]))
        if intro:
            page.add()
            page.add(intro)
        marker, airy = self._dice.pick(_MARKERS), self._dice.chance(0.2)
        for section in self._memory["sections"]:
            page.add()
            page.add(f"## {section}")
            page.add()
            if section == "Decisions":
                self._lay_out_decisions(page)
            else:
                self._lay_out_entries(page, section, marker, airy=airy)

    def _lay_out_entries(self, page: Page, section: str, marker: str, *, airy: bool) -> None:
        for number, (mark, text) in enumerate(self._draft.entries[section]):
            if airy and number:
                page.add()
            page.add(f"{marker} {text}", mark, text)

    def _lay_out_decisions(self, page: Page) -> None:
        for number, (mark, block) in enumerate(self._draft.decisions):
            if number:
                page.add()
            taken = self._first_day - timedelta(days=self._dice.between(100, _LONG_AGO))
            page.add(f"DECISION: {block['decision']}", mark, block["decision"])
            page.add(f"DATE: {taken.isoformat()}")
            page.add(f"WHY: {block['why']}")
            page.add(f"IMPACTS: {block['impacts']}")
            page.add(f"REVISIT: {(taken + timedelta(days=365)).isoformat()}")
            page.add(f"STATUS: {block['status']}")


def _mark(kind: PlantKind, name: str) -> Mark:
    return Mark(kind=kind, name=name)
