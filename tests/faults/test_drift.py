"""An agent that edits behind the gate by habit, several times a day for a month.

What must hold: no byte is lost, nothing unsigned is ever accepted, one item a file, signed
changes go on around the drift.
"""

import random  # noqa: TID251 - seeded: the same month each time
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.faults.sweep_report import report, whole
from tests.gate.homes import MEMORY, Desk, addition, make_desk
from tests.second_verifier import disagreement

from nightledger.gate.checking import find_altered, find_drift
from nightledger.gate.keeping import close_day

DAYS = 30 if whole() else 8


@dataclass(slots=True, kw_only=True)
class Month:
    """Days of a workspace whose agent edits MEMORY.md several times a day."""

    desk: Desk
    dice: random.Random
    written: list[str] = field(default_factory=list)
    most_items: int = 0

    def run(self, edits_a_day: int, review_each: int) -> None:
        for day in range(1, DAYS + 1):
            for _ in range(edits_a_day):
                self.edit(day)
                self.desk.wait(hours=2)
                self.watch()
            self.night(day)
            if day % review_each == 0:
                self.review()
            self.desk.wait(hours=24 - 2 * edits_a_day - 3)

    def edit(self, day: int) -> None:
        """Edit as agents do: append to a section, reword a line of their own, promote, tidy."""
        text = self.desk.text()
        line = f"- Day {day}: note {len(self.written)} about the garden and the pump.\n"
        kind = self.dice.random()
        if kind < 0.6 or not self.written:
            at = text.index("## Lessons")
            place = self.dice.choice([at, len(text)])
            text = f"{text[:place]}{line}\n{text[place:]}" if place == at else text + line
        elif kind < 0.9:
            old = self.dice.choice(self.written)
            text = text.replace(old, line) if old in text else text + line
        else:
            text += f"\n## Promoted From Short-Term Memory (day {day})\n\n{line}"
        self.written.append(line)
        self.desk.memory.write_text(text)

    def watch(self) -> None:
        self.desk.guard()
        book = self.desk.ledger().book
        drifts = [s for s in book.proposals.values() if s.lane == "drift" and s.open_changes()]
        self.most_items = max(self.most_items, len(drifts))

    def night(self, day: int) -> None:
        """Propose a lesson, apply what has cooled, end the day."""
        self.desk.apply()
        self.desk.guard()
        proposal = self.desk.proposal(
            addition(f"Lesson of day {day}: check the valve number {day}.", rank=0.9)
        )
        self.desk.approve(proposal)
        self.desk.wait(hours=3)
        self.desk.apply()
        self.desk.guard()
        close_day(self.desk.gate, self.desk.ledger(), f"2026-03-{day:02d}", self.desk.moment)

    def review(self) -> None:
        """Answer every hunk: two in three are kept."""
        book = self.desk.ledger().book
        drift = book.open_drift("MEMORY.md")
        if drift is not None:
            item = self.desk.proposal_of(drift.proposal)
            kept = [change.n for change in item.changes if self.dice.random() < 0.67]
            back = [change.n for change in item.changes if change.n not in kept]
            assert self.desk.settle(keep=kept, take_back=back, item=item) == []
        open_now = [one for one in self.desk.ledger().book.proposals.values() if one.lane == "drift"]
        assert not any(one.open_changes() for one in open_now)
        self.desk.guard()


def live_through(root: Path) -> Month:
    memory = MEMORY.replace("## Projects\n", "## Projects\n\n- The pump house.\n")
    desk = make_desk(root, memory=memory.encode(), host="openclaw")
    desk.set(cap_characters={"openclaw": None})
    lived = Month(desk=desk, dice=random.Random(7))  # noqa: S311 - no secret
    lived.run(edits_a_day=3, review_each=3)
    return lived


@pytest.mark.slow
def test_a_home_whose_agent_edits_by_habit_stays_usable_for_a_month(tmp_path: Path) -> None:
    lived = live_through(tmp_path)
    desk, book = lived.desk, lived.desk.ledger().book
    waiting = [s for s in book.proposals.values() if s.open_changes()]
    assert lived.most_items <= 1
    assert len(waiting) <= lived.most_items
    lived.review()
    desk.wait(hours=3)
    desk.apply()
    assert [f"Lesson of day {day}:" in desk.text() for day in range(1, DAYS + 1)] == [True] * DAYS
    assert desk.guard() == ()
    assert find_drift(desk.home, desk.ledger().book) == ()
    assert find_altered(desk.home, desk.ledger(), desk.moment) == ()
    assert disagreement(desk.root, 4 if find_drift(desk.home, desk.ledger().book) else 0) == []
    held = "".join(p.read_text() for p in Path(desk.home.blobs_dir).rglob("*") if p.is_file()) + desk.text()
    assert [line for line in lived.written if line not in held] == []
    report("edits behind the gate, in a month of habit", points=len(lived.written))
