"""Put something that is no file in the place of each file of a lived-in home, and run the main verbs there.

``python -m tests.faults.strange_files [--planted NAME] WORK KIND all|few PREFIX...`` prints JSON
``{points, failed: [...]}`` (tests only).
PREFIX is how the names of the files begin, for example ``home/.nightledger/``. With a fault of ``controls.py`` planted
it ends with the first that failed.
A program of its own: it forks for every verb, which a test runner with threads must not do.
"""

import contextlib
import json
import os
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.faults.controls import planted

from nightledger.demo.shell import Ran, Shell

PATIENCE_S = 60.0
"""How long a verb may take that takes a tenth of a second: no time is measured, a hang is met."""
PLANTED_PATIENCE_S = 15.0
"""The same where a fault is planted and a hang is expected."""
LEADS_TO = "nothing"
"""What a dangling link points at: nobody may make it."""
FOUNDED = datetime(2026, 3, 2, 7, 0, tzinfo=UTC)
LATER = datetime(2026, 3, 6, 9, 0, tzinfo=UTC)
SOURCE = "memory/2026-03-02.md"
SENT = b'{"session_id":"s1","prompt":"why did the backup fail","hook_event_name":"UserPromptSubmit","source":"startup"}'
MAY_BE = (
    "home/.git", "home/.gitignore", "home/.nightledger/search/index.db-journal", "home/.nightledger/search/index.db-shm",
    "home/.nightledger/search/index.db-wal", "home/.nightledger/prompts", "home/CLAUDE.md", "home/HEARTBEAT.md",
    "home/audit/cosigned", "home/config/nightledger/consent-graph.json", "home/config/nightledger/nightledger.yaml",
    "home/config/nightledger/peers.json", "home/config/nightledger/staging-rules.json", "home/memory/2026-03-06.md",
    "home/memory/archive", "home/memory/archive/2026.md", "home/memory/daily", "home/memory/state/session-handoff.md",
    "home/memory/state/tc-dead-letters.jsonl", "home/memory/state/tc-heartbeat.json",
    "home/memory/state/tc-restore-pending.md", "home/memory/system/constitution.json",
    "home/memory/system/exposures.jsonl", "home/memory/system/reinforcements.jsonl", "keys/operator.yaml",
)  # fmt: skip
"""Names that a home need not have, and that something may have all the same."""
MANY = ("audit/blobs", "audit/checkpoints", "audit/decisions", "memory/state/proposals")
"""Folders whose files are of one kind: the first of each kind stands for all."""
VERBS: tuple[tuple[str, float], ...] = (
    ("status", 0), ("recall backup", 0), ("review", 0),
    ("propose --section Lessons --text Xylophones_are_loud --reason r", 0.1),
    (f"log --task-type t --tags a,b --outcome failure --resolution r --source {SOURCE}", 0.1),
    ("stage", 0.1), ("apply", 4), ("guard", 4), ("night", 20), ("history", 21), ("verify", 21), ("doctor", 21),
    ("prune", 21), ("doctor --rebuild --dry-run", 21), ("backup OUT", 21),
)  # fmt: skip
"""Each with the hours since ``LATER``."""
FEW = ("hook UserPromptSubmit", "recall", "propose", "stage", "apply", "night", "verify", "doctor")
"""Those that between them open nearly everything."""


def make_lived(root: Path) -> None:
    """Make a small home in which everything happened once that leaves a file."""
    home, keys = root / "home", root / "keys"
    (home / "memory").mkdir(parents=True)
    (home / "MEMORY.md").write_text(
        "# MEMORY.md\n\n## Decisions\n\n- Keep backups for 30 days.\n\n## Lessons\n"
    )
    shell = Shell(home=home, keys=keys)
    _must(
        shell.run(
            "init", "--adopt", "--simulated", "--no-passphrase", "--no-seed", "--zone", "UTC", now=FOUNDED
        )
    )
    for name in ("SOUL.md", "AGENTS.md"):
        (home / name).write_text("Be kind.\n")
    for day in range(2, 6):
        (home / f"memory/2026-03-0{day}.md").write_text(
            f"# 2026-03-0{day}\n\n- Decision: we keep backup number {day} for {day * 10} days.\n"
            f"- Lesson: the relay {day} needs a restart after an upgrade; root cause: cron has no PATH.\n"
        )
    outcome = "log --task-type t --tags cron,path --outcome failure --resolution reinstall --source"
    _must(shell.run(*outcome.split(), SOURCE, now=FOUNDED + timedelta(days=1)))
    for day in range(1, 4):
        _must(shell.run("night", now=FOUNDED + timedelta(days=day, hours=-3)))
    _sign_all(shell, LATER - timedelta(hours=20))
    for words, hours in (("apply", -16.0), ("recall backup", -15), ("stage", -15), ("guard", -15)):
        _must(shell.run(*words.split(), now=LATER + timedelta(hours=hours)))
    for text, hours in (("Relay_naps", -4.0), ("Relay_sings", -1.0)):
        words = f"propose --section Lessons --text {text} --reason seen"
        _must(shell.run(*words.split(), now=LATER + timedelta(hours=hours)))
        if hours < -1:
            _sign_all(shell, LATER + timedelta(hours=hours + 0.5))


def _sign_all(shell: Shell, now: datetime) -> None:
    for one in json.loads(_must(shell.run("proposals", "--json", now=now)).out):
        if one["state"] == "pending":
            _must(shell.run("approve", one["id"], now=now))


def _must(ran: Ran) -> Ran:
    if ran.status:
        raise SystemExit(f"{ran.words}: {ran.status} {ran.out}{ran.err}")
    return ran


def places(root: Path, prefixes: tuple[str, ...]) -> Iterator[str]:
    """Name what is replaced: each file and directory, and what might be there; of ``MANY`` one of each kind."""
    seen = set()
    there = [path.relative_to(root).as_posix() for path in sorted(root.rglob("*"))]
    for name in [*there, *MAY_BE]:
        kind = next((f"{many}{Path(name).suffix}" for many in MANY if f"{many}/" in name), name)
        if (
            name.startswith(prefixes)
            and not name.endswith((".gitignore", "/.nightledger"))
            and kind not in seen
        ):
            seen.add(kind)
            if name not in ("home", "keys", "home/audit", "home/config"):
                yield name


def put(kind: str, place: Path, beside: Path) -> None:
    """Put something of a kind there, whatever was there before."""
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    place.unlink(missing_ok=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    makers: dict[str, Callable[[], object]] = {
        "fifo": lambda: os.mkfifo(place),
        "directory": lambda: (place / "in").mkdir(parents=True),
        "dangling": lambda: place.symlink_to(beside / LEADS_TO),
        "loop": lambda: place.symlink_to(place.name),
        "device": lambda: place.symlink_to("/dev/zero"),
        "led to a fifo": lambda: place.symlink_to(beside / "elsewhere"),
    }
    makers[kind]()


def forked(step: Callable[[], int], said: Path, patience_s: float = PATIENCE_S) -> int | None:
    """Run a step in a process of its own; give its status, None where it hangs."""
    child = os.fork()
    if not child:
        status = 70
        with contextlib.suppress(BaseException):
            os.setsid()
            descriptor = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            for number in (1, 2):
                os.dup2(descriptor, number)
            try:
                status = step()
            except BaseException:  # noqa: BLE001 - whatever it is, it is told
                os.write(2, traceback.format_exc().encode())
        os._exit(status)
    deadline = time.monotonic() + patience_s
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def verb(shell: Shell, words: str, hours: float) -> Callable[[], int]:
    """Give the step that runs a verb."""

    def step() -> int:
        out = str(shell.home.parent / "backup")
        given = [out if word == "OUT" else word for word in words.split()]
        ran = shell.run(*given, now=LATER + timedelta(hours=hours))
        os.write(1, (ran.out + ran.err).encode())
        return ran.status

    return step


def hook(shell: Shell, event: str) -> Callable[[], int]:
    """Give the step that runs a hook as a host does."""

    def step() -> int:
        from nightledger.surfaces.hook import running

        pipe = os.pipe()
        os.write(pipe[1], SENT)
        os.close(pipe[1])
        os.dup2(pipe[0], 0)
        running.main(["--home", str(shell.home), "--keys", str(shell.keys), "claude-code", event])
        return 70

    return step


def steps(shell: Shell) -> Iterator[tuple[str, Callable[[], int]]]:
    """Give what is run on a home, in order, with its name."""
    for event in ("SessionStart", "UserPromptSubmit", "PreToolUse"):
        yield f"hook {event}", hook(shell, event)
    for words, hours in VERBS:
        yield words, verb(shell, words, hours)


def wrong_about(place: str, name: str, status: int | None, said: str) -> Iterator[str]:
    """Name what is wrong with how a verb ended."""
    names = [Path(part).stem for part in Path(place).parts[-2:] if part not in ("home", ".nightledger")]
    if status is None:
        yield f"{name} hangs"
    elif status not in (0, 1, 2, 4, 75) or "Traceback" in said or "this is a bug" in said:
        yield f"{name} ends with {status}: {said[-400:]}"
    elif status in (1, 2, 75) and not any(part in said.replace(" ", "-") for part in names):
        yield f"{name} ends with {status} and does not say why: {said[-400:]}"


def tried(
    work: Path, kind: str, verbs: str, prefixes: tuple[str, ...], patience_s: float
) -> Iterator[list[str]]:
    """Give for each file and each verb what is wrong."""
    lived, root, led_to = work / "lived", work / "one", work / LEADS_TO
    for place in places(lived, prefixes):
        shutil.copytree(lived, root, symlinks=True)
        put(kind, root / place, work)
        for name, step in steps(Shell(home=root / "home", keys=root / "keys")):
            if verbs == "few" and not name.startswith(FEW):
                continue
            status = forked(step, work / "said", patience_s)
            said = (work / "said").read_text(errors="replace")
            wrong = [f"{kind} {place}: {one}" for one in wrong_about(place, name, status, said)]
            if led_to.exists():
                led_to.unlink() if led_to.is_file() else shutil.rmtree(led_to)
                wrong.append(f"{kind} {place}: {name} writes where the link leads")
            yield wrong
        shutil.rmtree(root)


def main(work: Path, kind: str, verbs: str, *prefixes: str, control: str = "") -> None:
    """Sweep, and print what was found."""
    os.mkfifo(work / "elsewhere")
    os.environ["NIGHTLEDGER_KEYS"] = str(work / "one" / "keys")
    make_lived(work / "lived")
    points, failed = 0, list[str]()
    with planted(control) if control else contextlib.nullcontext():
        for wrong in tried(work, kind, verbs, prefixes, PLANTED_PATIENCE_S if control else PATIENCE_S):
            points += 1
            failed += wrong
            if control and wrong:
                break
    print(json.dumps({"points": points, "failed": failed}))


if __name__ == "__main__":
    words = sys.argv[1:]
    named = words[1] if words[0] == "--planted" else ""
    main(Path(words[2 * bool(named)]), *words[2 * bool(named) + 1 :], control=named)
