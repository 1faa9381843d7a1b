"""Write the MEMORY.md with which a simulated home begins."""

from collections.abc import Sequence
from datetime import date, timedelta

from bench.worlds.cast import Cast
from bench.worlds.dice import Dice
from bench.worlds.page import Page
from bench.worlds.phrases import Phrases
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


class MemoryWriter:
    """Draws and writes one MEMORY.md; used once."""

    def __init__(self, world: World, phrases: Phrases, dice: Dice, first_day: date) -> None:
        """Prepare; every date in it lies before ``first_day``."""
        self._world = world
        self._memory = phrases.memory
        self._dice = dice
        self._first_day = first_day
        self._entries: dict[str, list[str]] = {section: [] for section in _SECTION_OF.values()}
        self._decisions: list[dict[str, str]] = []

    def write(self, page: Page, remembered: Sequence[str]) -> None:
        """Write the page: what is good, what the plot needs, and what is doubtful."""
        for group, section in _SECTION_OF.items():
            low, high = _KEPT[group]
            for text in self._dice.some(self._memory[group], self._dice.between(low, high)):
                self._insert(section, self._fill(text))
        for text in remembered:
            self._insert("Key Context", text)
        self._decide()
        self._doubt()
        self._lay_out(page)

    def _fill(self, text: str) -> str:
        return Cast(self._world, self._dice, self._first_day).fill(text)

    def _insert(self, section: str, text: str) -> None:
        entries = self._entries[section]
        entries.insert(self._dice.between(0, len(entries)), text)

    def _decide(self) -> None:
        blocks = list(self._dice.some(self._memory["decisions"], self._dice.between(2, 3)))
        blocks.insert(self._dice.between(0, len(blocks)), self._dice.pick(self._memory["settled"]))
        for block in blocks:
            cast = Cast(self._world, self._dice, self._first_day)
            self._decisions.append({key: cast.fill(text) for key, text in block.items()})

    def _doubt(self) -> None:
        for kind, count in (("stale", 3), ("closed", 2), ("live", 2)):
            for text in self._dice.some(self._memory[kind], count):
                self._insert(self._dice.pick(("Key Context", "Projects")), self._fill(text))
        lessons = self._entries["Lessons"]
        twice = lessons.pop(self._dice.between(0, len(lessons) - 1))
        self._insert("Lessons", twice)
        self._insert(self._dice.pick(("Lessons", "Key Context")), twice)
        cast = Cast(self._world, self._dice, self._first_day)
        for text in self._dice.pick(self._memory["near"]):
            self._insert("Lessons", cast.fill(text))

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
        for number, text in enumerate(self._entries[section]):
            if airy and number:
                page.add()
            page.add(f"{marker} {text}")

    def _lay_out_decisions(self, page: Page) -> None:
        for number, block in enumerate(self._decisions):
            if number:
                page.add()
            taken = self._first_day - timedelta(days=self._dice.between(100, _LONG_AGO))
            page.add(f"DECISION: {block['decision']}")
            page.add(f"DATE: {taken.isoformat()}")
            page.add(f"WHY: {block['why']}")
            page.add(f"IMPACTS: {block['impacts']}")
            page.add(f"REVISIT: {(taken + timedelta(days=365)).isoformat()}")
            page.add(f"STATUS: {block['status']}")
