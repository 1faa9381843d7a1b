"""The walk of `make demo`: ten recorded days, each with its night and its morning, then the last morning; and its command.

A step without which the story cannot go on ends it with an error; whatever else must hold is a check.

Invariant: everything is done by the real command line; what is checked is read from the home's files and from what the
commands print. Only folders that an earlier demo marked as its own are ever emptied; nothing of the user's is touched,
their key folder least of all.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from msgspec import Struct, field

from nightledger.demo.shell import Narrator, Ran, Shell
from nightledger.demo.story import (
    WORLD,
    Change,
    Check,
    Story,
    answers,
    check_answers,
    check_learned,
    load_story,
    read_changes,
    told_lines,
)
from nightledger.domain.errors import EXIT_ALARM, EXIT_REFUSED, NightledgerError, RefusedError
from nightledger.domain.transcript import EXTRACTS
from nightledger.files.durable import make_dir
from nightledger.surfaces.hook.running import SCRIPTS

REASON = "true that day, no use later"
MEMORY = "MEMORY.md"
HANDOFF = "memory/state/session-handoff.md"
PAGE = "memory/state/tc-restore-pending.md"
AUDIT_LOG = "audit/trusted-channel-audit.jsonl"
# What is done to a copy of the home, to which file, and how.
TAMPERINGS: tuple[tuple[str, str, Callable[[bytes], bytes]], ...] = (
    ("a past event was edited", AUDIT_LOG, lambda raw: raw.replace(b":00Z", b":01Z", 1)),
    ("the last events were cut off", AUDIT_LOG, lambda raw: b"\n".join(raw.split(b"\n")[:-4]) + b"\n"),
    ("MEMORY.md was edited by hand", MEMORY, lambda raw: raw + b"\n- Orders need no approval\n"),
)
REPORT, REPORT_BYTES = ".nightledger/report.html", 60 << 10
_DAY_WIDTH = 11


class WalkError(NightledgerError):
    """A step of the demo did not do what it promises."""

    hint = "this is a bug; the demo's home is left as it is"


class Scene(Struct, kw_only=True):
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
        answer: dict[str, Any] = json.loads(done.stdout or b"{}").get("hookSpecificOutput", {})
        return answer

    def review(self, typed: list[str] | None = None) -> None:
        """Hold a review and show it; the owner answers as recorded, or as told."""
        ran = self.run("review", typed=typed or keystrokes(answers(self.story, self.waiting())))
        self.narrator.command(ran.words)
        self.narrator.output(ran.out, limit=24, tail=6)

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


def walk(scene: Scene) -> list[Check]:
    """Walk through the whole world and return what was checked.

    Raises:
        NightledgerError: A step failed without which the story cannot go on.
    """
    learned = _hold_session(scene)
    _adopt(scene)
    _check_learned(scene, learned)
    _pass_days(scene)
    today = max(scene.story.days) + timedelta(days=1)
    _stage(scene, today)
    _begin_session(scene)
    _decide(scene, today)
    _ask_model(scene, today)
    _report(scene)
    tamper(scene)
    answered = check_answers(scene.story, [*scene.proposed.values()], scene.read(MEMORY), scene.given)
    return [*answered, *scene.checks]


def _hold_session(scene: Scene) -> str:
    """Put the transcript of a session where Claude Code keeps it, show what it holds, and return what it teaches."""
    story, home = scene.story, scene.shell.home
    told = f"{story.owner} and {story.agent} talk in Claude Code, which writes it down"
    scene.narrator.heading(f"{story.session_day:%a %m-%d}: {told}")
    for name, text in story.sessions(home).items():
        place = scene.shell.host / name
        place.parent.mkdir(parents=True)
        place.write_text(text, encoding="utf-8")
        for label, said in told_lines(text):
            scene.narrator.item(label, said, width=25)
    return next(one.text for one in story.worth if one.path.startswith(EXTRACTS))


def _check_learned(scene: Scene, sentence: str) -> None:
    """Follow a lesson back: from MEMORY.md to its proposal, to the line that was kept, to that of the transcript."""
    proposals = json.loads(scene.run("proposals", "--json", "--all").out)
    changes = [one for proposal in proposals for one in proposal["changes"]]
    checks, place = check_learned(scene.story, scene.shell.home, sentence, changes, scene.read)
    scene.narrator.say(f"It came from {place}, that line of the transcript.")
    scene.checks += checks


def _adopt(scene: Scene) -> None:
    story, first = scene.story, scene.story.adopted
    scene.write(story.start_files())
    scene.at(first, "06:00", f"the workspace of {story.agent} is adopted")
    words = ("--adopt", "--simulated", "--no-passphrase", "--zone", story.zone)
    scene.show("init", *words, limit=1, tail=1)
    scene.show("import", "claude-code", "--yes")
    scene.show("consolidate", "--since", f"{story.session_day}")
    scene.show("check", limit=5, tail=1)
    scene.changes()
    scene.at(first, "07:30", f"{story.owner} reads what is proposed, answers, and signs once")
    scene.review()
    scene.at(first, "10:00", "what was signed has cooled")
    scene.show("apply")


# ---------------------------------------------------------------- the days
def _pass_days(scene: Scene) -> None:
    scene.narrator.heading("Ten days pass: logs by day, each night a run, a look in the morning")
    for day, told in scene.story.days.items():
        scene.narrator.item(f"{day:%a %m-%d}", told, width=_DAY_WIDTH)
        scene.write(scene.story.logs(day))
        scene.at(day, "23:00")
        if lines := scene.story.outcomes(day):
            scene.run("log", "--stdin", stdin=lines)
        morning = day + timedelta(days=1)
        scene.at(morning, "03:30")
        night = scene.run("night").out
        scene.changes()
        if day == max(scene.story.days):
            return
        _look(scene, morning, night)
        if morning == scene.story.edit_day:
            _edit_silently(scene, morning)
            scene.narrator.heading("The days go on")


def _look(scene: Scene, day: date, night: str) -> None:
    """Answer what waits in the morning, and apply what was signed when it has cooled."""
    scene.at(day, "07:30")
    waiting = scene.waiting()
    away = day in scene.story.away
    if away or not waiting:
        told = f"{scene.story.owner} is away" if away else " ".join(night.split())
        scene.narrator.item("", told, width=_DAY_WIDTH)
        return
    signed = answers(scene.story, waiting)
    for change, yes in zip(waiting, signed, strict=True):
        scene.narrator.item("  signed" if yes else "  rejected", change.line, width=_DAY_WIDTH)
    scene.run("review", typed=keystrokes(signed))
    scene.at(day, "10:00")
    scene.run("apply")


def _edit_silently(scene: Scene, day: date) -> None:
    story, before = scene.story, scene.read(MEMORY)
    scene.at(day, "12:00", "something rewrites a line of MEMORY.md")
    scene.write({MEMORY: before.replace(story.edited_line, story.edited_to)})
    scene.show("guard")
    scene.show("verify", status=EXIT_ALARM)
    scene.review(typed=["n", "y"])
    scene.run("verify")
    scene.check("silent edit", "noticed, and taken back to the byte", holds=scene.read(MEMORY) == before)


# ---------------------------------------------------------------- the last morning
def _stage(scene: Scene, today: date) -> None:
    story, keys = scene.story, scene.shell.keys
    scene.at(today, "07:25", f"what {story.agent} will need is staged")
    (keys / "demo.ics").write_text(story.text("calendar.ics"), encoding="utf-8")
    settings = f"addresses: [owner@example.org]\ncalendars:\n  demo: {{file: '{keys / 'demo.ics'}'}}\n"
    (keys / "operator.yaml").write_text(settings, encoding="utf-8")
    scene.write({HANDOFF: story.text("handoff.md")})
    scene.run("stage")
    page = scene.read(PAGE)
    scene.run("stage")
    scene.narrator.command(("stage",))
    scene.narrator.output(page, limit=11, tail=1)
    holds = HANDOFF in page and "calendar demo" in page and scene.read(PAGE) == page
    scene.check("staged page", "names handoff and calendar; the same when run again", holds=holds)


def _begin_session(scene: Scene) -> None:
    """Begin a session, ask what memory knows, and try to write MEMORY.md, as the agent's host does."""
    story, say = scene.story, scene.narrator.say
    scene.narrator.heading(f"A session of {story.agent} begins; its host calls the hooks")
    page = scene.hook("SessionStart", source="startup").get("additionalContext", "")
    say(f"SessionStart: it is given the staged page, {len(page)} characters")
    # In another session: what a session has on its staged page is not shown to it again.
    asked = scene.hook("UserPromptSubmit", prompt=story.question, session_id="older")
    notes = asked.get("additionalContext", "")
    say(f"UserPromptSubmit, in an older session: {story.question}")
    scene.narrator.output(notes)
    tool = {"file_path": str(scene.shell.home / MEMORY), "content": "mine"}
    verdict = scene.hook("PreToolUse", tool_name="Write", tool_input=tool)
    denied = verdict.get("permissionDecision") == "deny"
    say(f"PreToolUse, Write MEMORY.md: {'deny' if denied else 'nothing is said'}")
    recalled = scene.show("recall", "--agent", "-n", "2", story.question).out
    scene.given += [page, notes, recalled]
    scene.check("session", "is given the page, may not write MEMORY.md", holds=HANDOFF in page and denied)
    found = all(story.answer in " ".join(text.split()) for text in (notes, recalled))
    scene.check("recall", "a prompt and a query find the signed lesson", holds=found)


def _decide(scene: Scene, today: date) -> None:
    """Review, apply too early, apply, and take one change back."""
    scene.at(today, "07:30", f"{scene.story.owner} is back and looks at what three nights brought")
    before = scene.read(MEMORY)
    scene.review()
    signed = [change for change in scene.changes() if change.state in ("approved", "cooling")]
    if not signed:
        raise WalkError("nothing was signed on the last morning")
    scene.at(today, "07:35", "nothing has changed yet: what is signed cools first")
    scene.show("apply", signed[-1].proposal, status=EXIT_REFUSED)
    scene.check("too early", "refused, nothing changed", holds=scene.read(MEMORY) == before)
    scene.at(today, "10:00", "it has cooled")
    scene.show("apply")
    after = scene.read(MEMORY)
    holds = all(change.after.strip() in after for change in signed)
    scene.check("apply", f"{len(signed)} signed changes stand in MEMORY.md", holds=holds)
    _take_back(scene, signed[-1])


def _take_back(scene: Scene, change: Change) -> None:
    scene.narrator.heading("Any of it can be taken back for a week")
    left = scene.read(MEMORY).replace(change.after.strip("\n") + "\n", "")
    scene.show("undo", f"{change.proposal}#{change.n}", limit=4, tail=3)
    holds = scene.read(MEMORY).split() == left.split()
    scene.check("undo", "took out that entry and nothing else", holds=holds)
    scene.show("verify")


def _ask_model(scene: Scene, today: date) -> None:
    """Have the last day read in a home that begins anew, by the rules and by a model whose answer is recorded."""
    story, day = scene.story, max(scene.story.days)
    with tempfile.TemporaryDirectory(prefix="demo-") as folder:
        shell = Shell(home=Path(folder) / "home", keys=Path(folder) / "keys")
        other = Scene(story=story, shell=shell, narrator=scene.narrator, given=scene.given)
        other.write({MEMORY: story.text(f"start/{MEMORY}")})
        other.at(day, "06:00")
        other.run("init", "--adopt", "--simulated", "--no-passphrase", "--no-seed", "--zone", story.zone)
        other.write(story.logs(day))
        other.at(today, "10:30", f"{day} once more, in a new home; with a model")
        words = ("consolidate", "--day", f"{day}")
        other.show(*words, "--dry-run")
        answers = (story.folder / "answers").as_uri()
        (shell.keys / "operator.yaml").write_text(f"analyst: {{url: '{answers}', model: recorded}}\n")
        scene.narrator.say("These were the rules. Now a model, by recorded answers; no network is asked:")
        run = json.loads(other.run(*words, "--dry-run", "--json").out)["analyst"]
        other.show(*words)
    holds = run["calls"] == 1 and not run["problem"]
    seen = f"{run['proposed']} of its {run['operations']} choices proposed, in words of the notes"
    told = seen if holds else "another question; make bench-think RECORD=1"
    scene.check("recorded model", told, holds=holds)


def _report(scene: Scene) -> None:
    page = Path(scene.run("report").out.strip()).read_bytes()
    holds = b"verify: all holds" in page and b"default-src 'none'" in page and len(page) <= REPORT_BYTES
    seen = f"{page.count(b'<svg')} pictures, {len(page) >> 10} KB, loads and runs nothing"
    scene.check("report", seen, holds=holds and not re.search(rb"<script|<img|<link|src=|href=|url\(", page))


def tamper(scene: Scene) -> None:
    """Tamper with copies of the home, which are gone afterwards, and have ``verify`` find it."""
    scene.narrator.heading("Somebody tampers with copies of the home")
    passed = []
    for what, path, change in TAMPERINGS:
        with tempfile.TemporaryDirectory(prefix="demo-") as folder:
            copy = shutil.copytree(scene.shell.home, Path(folder) / "copy", symlinks=True)
            (copy / path).write_bytes(change((copy / path).read_bytes()))
            ran = scene.shell.on(copy).run("verify", now=scene.now)
        scene.narrator.command(("verify", f"({what})"))
        scene.narrator.output(ran.out.replace(f"{copy}/", ""), limit=3)
        scene.narrator.say(f"exit status {ran.status}")
        passed += [what] if ran.status != EXIT_ALARM else []
    seen = f"{len(TAMPERINGS) - len(passed)} of {len(TAMPERINGS)} copies refused; the home itself verifies"
    scene.check("tampering", seen, holds=not passed)


MARK = ".nightledger-demo"
_MARK_TEXT = "Made by 'make demo', which empties this folder at its next run.\n"


def main(argv: list[str] | None = None, world: Path = WORLD) -> int:
    """Run the demo and return its exit status: 0 only where everything holds.

    Args:
        argv: Words after the program's name; None reads them from the process.
        world: The folder of the recorded world.
    """
    parser = argparse.ArgumentParser(
        prog="demo", description=(__doc__ or "").partition("\n")[0], allow_abbrev=False
    )
    where = "where it is made; its keys go to DIR.keys"
    parser.add_argument("--home", type=Path, default=Path("demo-home"), metavar="DIR", help=where)
    options = parser.parse_args(argv)
    try:
        return _demo(load_story(world), options.home.resolve(), Narrator(sys.stdout))
    except NightledgerError as error:
        sys.stdout.flush()
        sys.stderr.write(f"error: {error}\n" + (f"hint: {error.hint}\n" if error.hint else ""))
        return error.exit_status


def _demo(story: Story, home: Path, narrator: Narrator) -> int:
    clear_stage(home)
    shell = Shell(home=home, keys=keys_beside(home))
    narrator.heading(f"Nightledger demo: ten recorded days of {story.agent}, the agent of {story.owner}")
    checks = walk(Scene(story=story, shell=shell, narrator=narrator))
    _tell_checks(narrator, checks)
    narrator.heading("Look at")
    narrator.say(f"{_shown(home)}, and one page, in any browser:")
    narrator.say(_shown(home / REPORT))
    return 0 if all(check.holds for check in checks) else EXIT_REFUSED


def _tell_checks(narrator: Narrator, checks: list[Check]) -> None:
    narrator.heading("What was checked")
    for check in checks:
        narrator.item(f"{'ok' if check.holds else 'FAILED':<7}{check.name}", check.seen)
        for line in check.details:
            narrator.item("", line, width=6)
    failed = sum(not check.holds for check in checks)
    narrator.say(f"{failed} of {len(checks)} checks failed." if failed else f"All {len(checks)} checks hold.")


def _shown(path: Path) -> str:
    """Name a path as the reader would: below the current folder where it is, else in full."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def keys_beside(home: Path) -> Path:
    """Return the folder of the demo's keys: ``demo-home.keys`` beside ``demo-home``."""
    return home.with_name(f"{home.name}.keys")


def clear_stage(home: Path) -> None:
    """Leave both folders empty but for their mark, made anew where they were missing.

    Raises:
        RefusedError: When a folder holds something that no demo made; nothing is removed then.
    """
    folders = (home, keys_beside(home))
    for folder in folders:
        _require_ours(folder)
    for folder in folders:
        if folder.is_dir():
            shutil.rmtree(folder)
        make_dir(str(folder))
        (folder / MARK).write_text(_MARK_TEXT, encoding="utf-8")


def _require_ours(folder: Path) -> None:
    empty = folder.is_dir() and not any(folder.iterdir())
    ours = not folder.exists() or empty or (folder / MARK).is_file()
    if folder.is_symlink() or not ours:
        where = "name another place with DEMO_HOME=dir"
        raise RefusedError(f"{folder} is not empty, or no folder, and no demo made it", hint=where)
