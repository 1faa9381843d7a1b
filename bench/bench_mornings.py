"""Live through a workspace's history day by day: what would its operator have seen each morning?

Its daily logs appear in their order; each night runs, and in the morning what `status`, `ATTENTION.md` and `review` show
is written down and answered out of a file: the text of a change, and `y`, `n` with a reason, `e` with another wording, or
`s`. What has no answer is put off and named. What is asked for again after a no is told: a defect.

Reads   WORKSPACE/MEMORY.md and WORKSPACE/memory/YYYY-MM-DD*.md, ANSWERS
Writes  OUT: what was shown; below it the home as it is in the end

Usage: bench_mornings.py WORKSPACE OUT [--memory FILE] [--answers ANSWERS] [--days N]
"""

import argparse
import json
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from datetime import time as clock
from pathlib import Path
from typing import Any, TextIO

from tests.blackbox.world import World

_LOG = re.compile(r"(\d{4}-\d\d-\d\d).*\.md")
_PLACE = re.compile(r"^\[(\d+)/\d+\]", re.MULTILINE)
_INIT = "init --adopt --simulated --no-passphrase --zone UTC --no-seed --host openclaw"
Answers = Mapping[str, list[str]]


@dataclass(slots=True, kw_only=True)
class Operator:
    """Who sits at the screen.

    Attributes:
        answers: By the text of a change, its white space single.
        wording: Writes what the editor is to save.
        items: What waits this morning.
        given: Answers so far, by text.
        mornings: On how many something waited.
        seen: What waited so far, what it does by its place.
    """

    answers: Answers
    wording: Callable[[str], object]
    items: list[dict[str, Any]] = field(default_factory=list)
    given: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    mornings: int = 0
    seen: dict[tuple[str, int], str] = field(default_factory=dict)
    reason: str = ""
    text: str = ""
    is_worded: bool = False

    def sit_down(self, items: list[dict[str, Any]]) -> None:
        """Begin a morning."""
        self.items, self.mornings = items, self.mornings + bool(items)
        self.seen |= {(one["id"], one["n"]): one["op"] for one in items}

    def __call__(self, shown: str) -> str:
        """Answer what the screen asks."""
        asked = shown.rstrip()
        if asked.endswith("reason >"):
            return self.reason
        if not asked.endswith("quit >"):
            return "y"
        if self.is_worded:  # shown again in these words
            self.is_worded = False
            return "y"
        if places := _PLACE.findall(shown):
            self.text = text_of(self.items[int(places[-1]) - 1])
        answer, told, *_ = *self.answers.get(self.text, ["s"]), ""
        self.given[self.text].append(answer)
        self.reason, self.is_worded = told or "not worth keeping", answer == "e"
        self.wording(told)
        return answer


def text_of(item: Mapping[str, Any]) -> str:
    """Return the text by which a change is answered."""
    return " ".join(str(item["after"] or f"- {item['before']}").split())


def main() -> None:
    """Run the nights and print what they came to."""
    options = _options()
    days = _days(options.workspace)
    world = World(root=options.out, now=datetime.combine(days[0][0], clock(6), UTC))
    world.write("MEMORY.md", (options.memory or options.workspace / "MEMORY.md").read_bytes())
    world.ok(*_INIT.split())
    world.use_editor(f'#!/bin/sh\ncp "{options.out}/wording" "$1"\n')
    answers = json.loads(options.answers.read_text()) if options.answers else {}
    given = {" ".join(text.split()): answer for text, answer in answers.items()}
    operator = Operator(answers=given, wording=(options.out / "wording").write_text)
    start = len(world.read())
    with (options.out / "shown.txt").open("w") as stream:
        nights = [_live(world, operator, *day, stream) for day in days[: options.days]]
    print(
        f"{len(nights)} nights, {operator.mornings} mornings with something to review; {dict(Counter(operator.seen.values()))}"
    )
    print(f"last answers: {dict(Counter(answers[-1] for answers in operator.given.values()))}")
    again = [text for text, answers in operator.given.items() if answers.count("n") > 1]
    print(f"asked again after a no: {len(again)}", *(f"  {text[:100]}" for text in again), sep="\n")
    print(f"a night: {nights[0]:.2f} s CPU at first, {nights[-1]:.2f} at last, {max(nights):.2f} at most")
    print(f"MEMORY.md: {start:,} to {len(world.read()):,} characters; verify {world.run('verify').status}")
    print("without an answer:", *(f"  {text}" for text in operator.given if text not in given), sep="\n")


def _days(workspace: Path) -> list[tuple[date, list[Path]]]:
    """Return each day from the first log to the last, with its logs."""
    logs: dict[date, list[Path]] = defaultdict(list)
    for path in sorted((workspace / "memory").iterdir()):
        if named := _LOG.fullmatch(path.name):
            logs[date.fromisoformat(named[1])].append(path)
    days = ((min(logs) + timedelta(days=n)) for n in range((max(logs) - min(logs)).days + 1))
    return [(day, logs[day]) for day in days]


def _live(world: World, operator: Operator, day: date, logs: list[Path], stream: TextIO) -> float:
    """Live through a day, its night and the next morning; return the CPU seconds of the night."""
    for path in logs:
        world.write(f"memory/{path.name}", path.read_bytes())
    world.now = datetime.combine(day + timedelta(days=1), clock(3, 10), UTC)
    began = time.process_time()
    night = world.run("night")
    took = time.process_time() - began
    world.now = world.now.replace(hour=8)
    operator.sit_down(world.json("review"))
    parts = [night.out + night.err, world.ok("status"), world.attention()]
    parts += [world.run("review", typed=operator).out] if operator.items else []
    print(f"\n==== {day}", *parts, sep="\n", file=stream)
    world.wait(hours=3)
    world.ok("apply")
    return took


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("workspace", type=Path)
    parser.add_argument("out", type=Path, help="a directory that is not there yet")
    parser.add_argument("--memory", type=Path, help="MEMORY.md as it was before the first day")
    parser.add_argument("--answers", type=Path)
    parser.add_argument("--days", type=int, help="no more than so many")
    return parser.parse_args()


if __name__ == "__main__":
    main()
