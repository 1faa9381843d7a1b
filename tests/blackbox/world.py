"""A home seen from outside: its files, the commands, and what they print; no module of the program.

A new layout of the code changes nothing here but ``PROGRAM`` and ``VERIFIER``. Commands run in this process, through the
script that a user calls, with an environment of their own; ``process`` runs the real command where that is the point.
"""

import contextlib
import gc
import hashlib
import http.server
import io
import json
import os
import runpy
import shutil
import signal
import socketserver
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, NoReturn
from unittest.mock import patch

import pytest
from tests.second_verifier import second_look

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "scripts" / "command.py"
VERIFIER = ROOT / "scripts" / "independent_verifier.py"
START = datetime(2026, 3, 1, 6, 0, tzinfo=UTC)
MEMORY = """# MEMORY.md

## Decisions

- Keep backups for 30 days.

## Lessons

- Restart the relay after an upgrade.

## Projects
"""
TEXT = "Label both ends of a cable."
SECRET = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
GRAPH = "config/nightledger/consent-graph.json"
OUTCOMES = "memory/system/outcome-records.jsonl"
SETTINGS = "config/nightledger/nightledger.yaml"
HANDOFF = "memory/state/session-handoff.md"
LAMPS = "".join(f"- Looked at lamp {n} in the long corridor\n" for n in range(40))
LOG = "audit/trusted-channel-audit.jsonl"
LABELLED = MEMORY.replace("upgrade.\n", f"upgrade.\n- {TEXT}\n")
Folder = Callable[[], Path]
"""Gives a new folder at each call."""
Answer = Callable[[str, str, bytes], tuple[Any, ...]]
"""What is answered to a path, an ``Authorization`` and a body: status and content, and more headers."""
Typed = Sequence[str] | Callable[[str], str]
"""What a person types: the lines, or an answer to what the screen has shown since the last one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """A finished command: its words, exit status and output."""

    words: tuple[str, ...]
    status: int
    out: str
    err: str

    @property
    def text(self) -> str:
        """All that was printed, as one line of words."""
        return " ".join((self.out + "\n" + self.err).split())


@dataclass(slots=True, kw_only=True)
class World:
    """A home, its keys and its clock; ``root/home`` and ``root/keys``.

    Attributes:
        root: The folder of both.
        now: What time it is for each command; aware.
        environment: Variables of each command beside the keys' folder.
        is_real: Whether the home is no trial: its clock is that of the machine, and no command is told the time.
    """

    root: Path
    now: datetime = START
    environment: dict[str, str] = field(default_factory=dict)
    is_real: bool = False

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def keys(self) -> Path:
        return self.root / "keys"

    @property
    def own_keys(self) -> Path:
        """The folder of this home's keys."""
        home_id: str = json.loads((self.home / "config/nightledger/home.json").read_text())["id"]
        return self.keys / home_id

    # ------------------------------------------------------------ commands
    def run(self, *words: str, typed: Typed | None = None, stdin: str = "", home: Path | None = None) -> Ran:
        """Run a command at ``now``; ``typed`` lines come from a person at a terminal of 80 columns."""
        return call([*words, *self._at(home)], env=self._variables(), typed=typed, stdin=stdin)

    def _at(self, home: Path | None = None) -> list[str]:
        """Give the words that name the home, and the time in a trial."""
        return ["--home", str(home or self.home), *([] if self.is_real else ["--now", self.now.isoformat()])]

    def ok(self, *words: str, typed: Typed | None = None, stdin: str = "") -> str:
        """Run a command that must succeed and give its standard output."""
        ran = self.run(*words, typed=typed, stdin=stdin)
        assert ran.status == 0, (words, ran)
        return ran.out

    def tells(
        self, told: str, *words: str, status: int = 0, typed: Typed | None = None, stdin: str = ""
    ) -> str:
        """Run a command that must end with ``status`` and say ``told``; give all that it printed, as one line of words."""
        ran = self.run(*words, typed=typed, stdin=stdin)
        assert (ran.status, told in ran.text) == (status, True), (told, ran)
        return ran.text

    def json(self, *words: str) -> Any:
        """Run a command with ``--json`` and give its document, whatever the exit status."""
        ran = self.run(*words, "--json")
        assert ran.out, (words, ran)
        return json.loads(ran.out)

    def process(
        self,
        *words: str,
        timeout_s: float = 120.0,
        stdin: str = "",
        through: Sequence[str] = (),
        started: type["subprocess.Popen[str]"] | None = None,
    ) -> Ran:
        """Run the real command in a process of its own, or in one that another program starts.

        A fork of this process saves the command's start; where others run meanwhile, or the start is a point,
        ``started`` is ``subprocess.Popen``.
        """
        argv = [*through, sys.executable, str(PROGRAM), *words, *self._at()]
        made = started or (subprocess.Popen if through else Forked)
        return run_process(argv, env=self._variables(), timeout_s=timeout_s, stdin=stdin, started=made)

    def prompted(self, prompt: str) -> str:
        """Give what the hook of Claude Code adds to the first prompt of a session."""
        asked = json.dumps({"hook_event_name": "UserPromptSubmit", "session_id": prompt, "prompt": prompt})
        return self.process("hook", "claude-code", "UserPromptSubmit", stdin=asked).out

    def second_look(self, *words: str) -> tuple[int, str]:
        """Run the second verifier in this process: its exit status and output."""
        return second_look(self.home, self.keys, *words)

    def independent(self, *words: str) -> Ran:
        """Run the second verifier, as anybody would: another process, nothing of ours on its path."""
        argv = [sys.executable, "-I", str(VERIFIER), str(self.home), "--keys", str(self.keys), *words]
        return run_process(argv, env={"PATH": os.environ["PATH"]})

    def _variables(self) -> dict[str, str]:
        return {
            "NIGHTLEDGER_KEYS": str(self.keys),
            "COLUMNS": "80",
            "LINES": "24",
            "NO_COLOR": "1",
            **self.environment,
        }

    # ------------------------------------------------------------ time
    def wait(self, **by: float) -> None:
        """Let time pass: ``hours=3``, ``minutes=10``, ``days=1``."""
        self.now += timedelta(**by)

    # ------------------------------------------------------------ files
    def read(self, name: str = "MEMORY.md") -> str:
        return (self.home / name).read_bytes().decode("utf-8", "replace")

    def write(self, name: str, text: str | bytes) -> Path:
        """Write a file of the workspace as the agent or a person would."""
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def log_day(self, day: str, *lines: str) -> Path:
        """Write a daily log: one list item a line, unless it begins with ``#``."""
        body = "\n".join(line if line.startswith("#") else f"- {line}" for line in lines)
        return self.write(f"memory/{day}.md", f"# {day}\n\n{body}\n")

    def events(self) -> list[dict[str, Any]]:
        """Give the audit log's events."""
        return [json.loads(line) for line in (self.home / LOG).read_bytes().splitlines()]

    def kinds(self, since: int = 0) -> list[str]:
        """Give the names of the events from a line of the log on."""
        return [one["event"] for one in self.events()[since:]]

    def named(self, event: str, since: int = 0) -> list[dict[str, Any]]:
        """Give the events of that name from a line of the log on."""
        return [one for one in self.events()[since:] if one["event"] == event]

    def decisions(self, since: int = 0) -> list[dict[str, Any]]:
        """Give the decisions that were recorded from a line of the log on."""
        return [self.decision(one["decision"]) for one in self.named("decision.recorded", since)]

    def decision(self, name: str) -> dict[str, Any]:
        """Give a decision as its file has it."""
        return dict(json.loads(self.read(f"audit/decisions/{name}.json")))

    def alter(self, name: str, old: str | bytes, new: str | bytes, times: int = -1) -> Path:
        """Write something else in the place of what stands in a file of the home; give the file."""
        path = self.home / name
        was, now = (text.encode() if isinstance(text, str) else text for text in (old, new))
        content = path.read_bytes()
        assert was in content, content
        path.chmod(0o600)
        path.write_bytes(content.replace(was, now, times))
        return path

    def operator_says(self, settings: str | dict[str, Any]) -> Path:
        """Write the operator's own settings on this machine; give the file."""
        path = self.keys / "operator.yaml"
        path.write_text(settings if isinstance(settings, str) else json.dumps(settings))
        path.chmod(0o600)
        return path

    def own_rules(self, rules: str) -> Path:
        """Have the operator name a file of rules of their own; give the file."""
        path = self.root / "rules.toml"
        path.write_text(rules)
        self.operator_says({"rule_files": [str(path)]})
        return path

    def blob(self, sha256: str) -> Path:
        return self.home / "audit" / "blobs" / "sha256" / sha256[:2] / sha256

    def attention(self) -> str:
        """Give ``ATTENTION.md``, empty where there is none."""
        path = self.home / "memory/state/ATTENTION.md"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def notify_into(self, name: str = "notified.json") -> Path:
        """Have the notifier write what it is told into a file outside the home, and give that file."""
        target = self.root / name
        script = self.root / "notifier.sh"
        script.write_text(f'#!/bin/sh\n{{ echo "$@"; cat; echo; }} >> "{target}"\n')
        script.chmod(0o755)
        self.operator_says({"notify": [str(script)]})
        return target

    # ------------------------------------------------------------ the gate, as its operator uses it
    def proposals(self, *words: str) -> list[dict[str, Any]]:
        """Give what ``proposals --json`` lists."""
        found: list[dict[str, Any]] = self.json("proposals", *words)
        return found

    def propose(self, text: str, *words: str, section: str = "Lessons") -> str:
        """Propose an addition as an agent does and give its id."""
        made = self.json("propose", "--text", text, "--section", section, "--reason", "it helped", *words)
        assert made.get("id"), made
        return str(made["id"])

    def approve(self, name: str, *words: str) -> Ran:
        """Sign a proposal with a key without passphrase."""
        return self.run("approve", name, *words)

    def removal(self, entry: str, *, section: str, reason: str = "r") -> str:
        """Propose to take an entry out and give the proposal's id."""
        words = ("--remove", "--entry", entry, "--section", section, "--reason", reason)
        return str(self.json("propose", *words).get("id"))

    def signed(self, text: str, *words: str, section: str = "Lessons") -> str:
        """Propose and sign; give the proposal's id."""
        name = self.propose(text, *words, section=section)
        assert (ran := self.approve(name)).status == 0, ran
        return name

    def apply_cooled(self) -> None:
        """Let what is signed cool, and apply it."""
        self.wait(hours=3)
        self.ok("apply")

    def try_apply(self) -> Ran:
        """Let what is signed cool, and have it applied as far as that can be."""
        self.wait(hours=3)
        return self.run("apply")

    def next_night(self) -> str:
        """Let a day go by and the night after it be run; give what it printed, as one line of words."""
        self.wait(days=1)
        return self.said("night")

    def said(self, *words: str) -> str:
        """Run a command that must succeed and give its standard output, as one line of words."""
        return " ".join(self.ok(*words).split())

    def log(self, kind: str, tags: str, resolution: str, **more: str) -> Ran:
        """Log an outcome as an agent does: a success of one of the logs, where nothing else is said."""
        told = {"outcome": "success", "source": "memory/2026-02-28.md", **more}
        words = (word for name, text in told.items() for word in (f"--{name}", text))
        return self.run("log", "--task-type", kind, "--tags", tags, "--resolution", resolution, *words)

    def files(self) -> dict[Path, bytes]:
        """Give the bytes of every file of the home."""
        return {path: path.read_bytes() for path in sorted(self.home.rglob("*")) if path.is_file()}

    def holding(self, text: str) -> list[Path]:
        """Give the files of the home in which a text stands."""
        return [path for path, content in self.files().items() if text.encode() in content]

    def drift(self) -> list[dict[str, Any]]:
        """Give the items that ask about what changed outside."""
        return [one for one in self.proposals() if one["kind"] == "drift"]

    def stored(self, name: str) -> dict[str, Any]:
        """Give a proposal as its file has it."""
        return dict(json.loads(self.read(f"memory/state/proposals/{name}.json")))

    def accept(self, name: str, *words: str) -> None:
        """Sign a proposal with a key without passphrase, let it cool, and apply it."""
        self.ok("approve", name, *words)
        self.apply_cooled()

    def night(self, day: int) -> None:
        """Let the night before a day of the clock's month be run, as cron does at ten past three."""
        self.now = self.now.replace(day=day, hour=3, minute=10)
        self.ok("night")

    def applied(self, text: str, *, section: str = "Lessons") -> str:
        """Propose, sign, wait, apply; give the proposal's id."""
        name = self.signed(text, section=section)
        self.apply_cooled()
        assert text in self.read(), self.read()
        return name

    def edit(self, change: Callable[[str], str]) -> Ran:
        """Edit MEMORY.md the operator's own way, through an editor that makes ``change``."""
        wanted = self.root / "wanted.md"
        wanted.write_bytes(change(self.read()).encode())
        before = dict(self.environment)
        self.use_editor(f'#!/bin/sh\ncp "{wanted}" "$1"\n')
        try:
            return self.run("edit", typed=["y"])
        finally:
            self.environment = before

    def use_editor(self, script: str) -> None:
        """Have the commands that follow open this script as the operator's editor."""
        editor = self.root / "editor.sh"
        editor.write_text(script)
        editor.chmod(0o755)
        self.environment |= {"EDITOR": str(editor), "VISUAL": str(editor)}

    def copy(self, to: Path) -> "World":
        """Give a copy of home and keys in another folder."""
        shutil.copytree(self.root, to, symlinks=True, dirs_exist_ok=True)
        return World(root=to, now=self.now, environment=dict(self.environment), is_real=self.is_real)


def found(
    root: Path,
    *,
    memory: str | bytes | None = MEMORY,
    beside: Mapping[str, str] | None = None,
    words: Sequence[str] = (),
    seeded: bool = False,
    is_real: bool = False,
) -> World:
    """Adopt a workspace under ``root/home``: a key without passphrase, UTC, no principles unless ``seeded``, a trial unless real.

    ``beside`` are files that are gated beside MEMORY.md.
    """
    world = World(root=root, is_real=is_real)
    world.home.mkdir(parents=True, exist_ok=True)
    if memory is not None:
        world.write("MEMORY.md", memory)
    for name, text in (beside or {}).items():
        world.write(name, text)
        words = (*words, "--gated", "MEMORY.md", "--gated", name)
    words = (*words, *(() if seeded else ("--no-seed",)), *(() if is_real else ("--simulated",)))
    ran = world.run("init", "--adopt", "--no-passphrase", "--zone", "UTC", *words)
    assert ran.status == 0, ran
    return world


def copied(of: str, which: str = "") -> Any:
    """Give a fixture: a copy, which a test may write to, of another fixture's home, or of that one of its homes."""

    @pytest.fixture
    def copy(request: pytest.FixtureRequest, tmp_path: Path) -> World:
        found = request.getfixturevalue(of)
        home: World = found[which] if which else found
        return home.copy(tmp_path)

    return copy


def sha256(data: bytes | str) -> str:
    """Give a digest in hex."""
    raw = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
    return hashlib.sha256(raw).hexdigest()


def yes(_shown: str) -> str:
    """Say yes to whatever is shown."""
    return "y"


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        answer: Answer = self.server.answer  # type: ignore[attr-defined]
        status, content, *more = answer(self.path, self.headers.get("Authorization", ""), body)
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **dict(*more)}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST  # noqa: N815 - the base class's name

    def log_message(self, *_: object) -> None:  # type: ignore[explicit-override]
        """Say nothing."""


@contextlib.contextmanager
def answered_by(answer: "Answer") -> Iterator[str]:
    """Have requests answered while the block lasts; give the address."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    server.answer = answer  # type: ignore[attr-defined]
    with serving(server):
        yield f"http://127.0.0.1:{server.server_port}"


@contextlib.contextmanager
def serving(server: socketserver.BaseServer) -> Iterator[None]:
    """Have a server answer while the block lasts."""
    with server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield
        server.shutdown()
        thread.join()


def run_process(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    timeout_s: float = 120.0,
    stdin: str = "",
    started: type["subprocess.Popen[str]"] = subprocess.Popen,
) -> Ran:
    """Run a program with that environment and nothing else."""
    variables = {"PATH": os.environ["PATH"], "HOME": env.get("NIGHTLEDGER_KEYS", "/nonexistent"), **env}
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with started(list(argv), env=variables, text=True, errors="replace", **pipes) as process:
        try:
            out, err = process.communicate(stdin, timeout_s)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    return Ran(words=tuple(argv), status=process.returncode, out=out, err=err)


@cache
def _main() -> Callable[[list[str]], int]:
    main: Callable[[list[str]], int] = runpy.run_path(str(PROGRAM), run_name="nightledger_command")["main"]
    return main


class Forked(subprocess.Popen[Any]):
    """The real command as a fork of this process, which has loaded it before: to serve and be asked, without its start."""

    def _execute_child(self, argv: Sequence[str], *given: Any) -> None:
        env, streams = given[5], given[9:15]  # as ``Popen`` calls it, Python 3.11 to 3.14
        _main()
        self.pid = os.fork()
        if self.pid == 0:
            become(argv, env, streams)
        self._child_created = True
        self._close_pipe_fds(*streams)  # type: ignore[attr-defined]  # one of its own


def become(
    argv: Sequence[str], env: Mapping[str, str], streams: Sequence[int] = (-1, -1, -1, -1, -1, -1)
) -> NoReturn:
    """Carry the command out in this fork, with nothing of the tests' but what they have loaded, and leave."""
    status = 1
    try:
        gc.freeze()  # no file of the tests is closed by the number that one of the command's has
        for number, end in enumerate((streams[0], streams[3], streams[5])):
            if end != -1:
                os.dup2(end, number)
        os.closerange(3, 4096)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.environ.clear()
        os.environ.update(env)
        sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w", 1)  # noqa: SIM115 - to the end
        sys.argv = list(argv[1:])
        status = _main()(sys.argv[1:])
    except SystemExit as leaving:
        status = leaving.code if isinstance(leaving.code, int) else 1
    except BaseException:  # noqa: BLE001 - told, whatever it is
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def call(argv: list[str], *, env: Mapping[str, str], typed: Typed | None = None, stdin: str = "") -> Ran:
    """Run the command in this process, with streams and variables of its own."""
    with _streams(stdin, typed) as (out, err), _environment(env):
        try:
            status = _main()(argv)
        except SystemExit as leaving:
            status = leaving.code if isinstance(leaving.code, int) else 1
        sys.stdout.flush()
        sys.stderr.flush()
        return Ran(words=tuple(argv), status=status, out=_text(out), err=_text(err))


@contextlib.contextmanager
def hurried() -> Iterator[None]:
    """Have a command in this process that waits for another run wait it out at once."""
    slept, now = [0.0], time.monotonic

    def sleep(seconds: float, /) -> None:
        slept[0] += seconds

    with patch.multiple(time, sleep=sleep, monotonic=lambda: now() + slept[0]):
        yield


def _text(stream: io.BytesIO) -> str:
    return stream.getvalue().decode("utf-8", "replace")


class _Screen(io.TextIOWrapper):
    def isatty(self) -> bool:  # type: ignore[explicit-override]  # typing.override is newer than Python 3.11
        return True


class _Keyboard:
    """What a person types; each line that is read appears on the screen."""

    def __init__(self, typed: Typed, screen: io.BytesIO) -> None:
        self._typed = typed if callable(typed) else list(typed)
        self._screen = screen
        self._read = 0

    def isatty(self) -> bool:
        return True

    def readline(self, _size: int = -1, /) -> str:
        sys.stdout.flush()
        if callable(self._typed):
            shown = self._screen.getvalue()[self._read :].decode("utf-8", "replace")
            self._read = len(self._screen.getvalue())
            line = f"{self._typed(shown)}\n"
        elif self._typed:
            line = f"{self._typed.pop(0)}\n"
        else:
            return ""
        sys.stdout.write(line)
        return line


@contextlib.contextmanager
def _streams(stdin: str, typed: Typed | None) -> Iterator[tuple[io.BytesIO, io.BytesIO]]:
    before = sys.stdin, sys.stdout, sys.stderr
    out, err = io.BytesIO(), io.BytesIO()
    keyboard: Any = (
        _Keyboard(typed, out) if typed is not None else io.TextIOWrapper(io.BytesIO(stdin.encode()))
    )
    sys.stdin = keyboard
    sys.stdout = (io.TextIOWrapper if typed is None else _Screen)(out, encoding="utf-8", write_through=True)
    sys.stderr = io.TextIOWrapper(err, encoding="utf-8", write_through=True)
    try:
        yield out, err
    finally:
        sys.stdin, sys.stdout, sys.stderr = before


AGENT_VARIABLES = ("CLAUDECODE", "AI_AGENT", "OPENCLAW_SHELL", "NIGHTLEDGER_HOME", "VISUAL", "EDITOR")
"""Variables of whoever runs the tests that no command of theirs may see."""


@contextlib.contextmanager
def _environment(given: Mapping[str, str]) -> Iterator[None]:
    hidden = (
        name
        for name in os.environ
        if name in AGENT_VARIABLES or name.startswith(("AGENT", "CODEX_", "CURSOR_", "HERMES_"))
    )
    before = {name: os.environ.get(name) for name in (*hidden, *given, "NIGHTLEDGER_KEYS")}
    for name in before:
        os.environ.pop(name, None)
    os.environ.update(given)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
