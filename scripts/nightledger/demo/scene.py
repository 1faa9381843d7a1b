"""Where the demo plays: its home, the time it is there, and what was checked so far.

Invariant: everything is done by the real command line; what is checked is read from the home's files and from what
the commands print.
"""

import json
import subprocess
import sys
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from nightledger.demo.answers import Change, Check, answers, read_changes
from nightledger.demo.narrator import Narrator
from nightledger.demo.shell import Ran, Shell
from nightledger.demo.story import Story
from nightledger.domain.errors import NightledgerError
from nightledger.surfaces.hook.events import SCRIPTS

REASON = "true that day, no use later"


class WalkError(NightledgerError):
    """A step of the demo did not do what it promises."""

    hint = "this is a bug; the demo's home is left as it is"


@dataclass(slots=True, kw_only=True)
class Scene:
    """The stage of one walk.

    Attributes:
        story: The recorded world.
        shell: The command line on the demo's folders.
        narrator: Where it is told.
        now: The simulated time.
        checks: What was checked on the way.
        given: All that an agent was given to read.
        proposed: Every change that was ever proposed, by proposal and number; a home forgets its texts after a week.
    """

    story: Story
    shell: Shell
    narrator: Narrator
    now: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    checks: list[Check] = field(default_factory=list)
    given: list[str] = field(default_factory=list)
    proposed: dict[tuple[str, int], Change] = field(default_factory=dict)

    def at(self, day: date, clock: str, heading: str = "") -> None:
        """Set the simulated time, ``07:30`` in the home's zone, and begin a part of the story where there is a heading."""
        local = datetime.combine(day, time.fromisoformat(clock), tzinfo=ZoneInfo(self.story.zone))
        self.now = local.astimezone(UTC)
        if heading:
            self.narrator.heading(f"{day:%a %m-%d}, {clock}: {heading}")

    def read(self, path: str) -> str:
        """Return the text of a file of the home."""
        return (self.shell.home / path).read_bytes().decode("utf-8")

    def write(self, files: dict[str, str]) -> None:
        """Write files into the home, as the agent or a stranger would."""
        for path, text in files.items():
            place = self.shell.home / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text.encode("utf-8"))

    def run(self, *words: str, stdin: str = "", typed: list[str] | None = None, status: int = 0) -> Ran:
        """Run a command without showing it.

        Raises:
            WalkError: It ends with another status.
        """
        ran = self.shell.run(*words, now=self.now, stdin=stdin, typed=typed)
        if ran.status != status:
            said = f"{ran.out}{ran.err}".strip()
            raise WalkError(f"'nightledger {' '.join(words)}' ended with {ran.status}:\n{said}")
        return ran

    def show(self, *words: str, status: int = 0, limit: int = 40, tail: int = 0) -> Ran:
        """Run a command and show what it says, its status where that is not 0."""
        ran = self.run(*words, status=status)
        self.narrator.command(words)
        self.narrator.output(ran.out, limit=limit, tail=tail)
        self.narrator.output(ran.err)
        if status:
            self.narrator.say(f"exit status {status}")
        return ran

    def hook(self, event: str, **sent: Any) -> dict[str, Any]:
        """Call the hook of an event as the agent's host does, in a process of its own; return what it answers; {} where it is silent."""
        payload = {"session_id": "demo", "cwd": str(self.shell.home), "hook_event_name": event, **sent}
        script = [sys.executable, "-I", "-S", str(Path(SCRIPTS) / "prompt_hook.py"), "--home", payload["cwd"]]
        words = [*script, "--now", self.now.isoformat(), "claude-code", event]
        stdin = json.dumps(payload).encode()
        done = subprocess.run(words, input=stdin, stdout=subprocess.PIPE, timeout=60, check=True)  # noqa: S603 - our own program, by its full path
        self.shell.heard.append(done.stdout.decode())
        answer: dict[str, Any] = json.loads(done.stdout or b"{}").get("hookSpecificOutput", {})
        return answer

    def review(self, typed: list[str] | None = None) -> None:
        """Hold a review and show it; the owner answers as recorded, or as told."""
        ran = self.run("review", typed=typed or keystrokes(answers(self.story, self.waiting())))
        self.narrator.command(ran.words)
        self.narrator.questions(ran.out)

    def check(self, name: str, seen: str, *, holds: bool) -> None:
        """Note something that must hold."""
        self.checks.append(Check(name=name, seen=seen, holds=holds))

    def waiting(self) -> tuple[Change, ...]:
        """Return the changes that ``review`` will ask about, in its order."""
        items = json.loads(self.run("review", "--json").out)
        return read_changes({"id": item["id"], "changes": [item]} for item in items)

    def changes(self) -> tuple[Change, ...]:
        """Return every change of every proposal as it stands now, and keep what was not seen before."""
        proposals: list[dict[str, Any]] = json.loads(self.run("proposals", "--json", "--all").out)
        found = read_changes(proposals)
        self.proposed = {(change.proposal, change.n): change for change in found} | self.proposed
        return found


def keystrokes(signed: list[bool]) -> list[str]:
    """Return what the owner types into ``review`` for these answers, the last one before they are signed."""
    typed = [line for yes in signed for line in (["y"] if yes else ["n", REASON])]
    return [*typed, "y"]
