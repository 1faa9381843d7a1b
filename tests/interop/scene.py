"""Claude Code and Codex beside a home of their own, with nothing of the user's, and what a model asks of their tools."""

import json
import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from tests.interop.agent_home import NOTES, AgentHome
from tests.interop.model import Call, Model, Script, Turn, answering

from nightledger.hosts.hooking import HookCall

KEY = "an-invented-key-of-a-model-that-is-none"
WAIT_S = 120.0
"""Far more than a session takes."""
SENSOR = "- The greenhouse sensor reports in Fahrenheit; convert before comparing thresholds."
ZONE = "- Set the zone explicitly in every crontab; the machine runs on UTC."
MEMORY = f"# Memory\n\n## Greenhouse\n\n{SENSOR}\n{ZONE}\n- Marta prefers summaries by mail on Fridays, never by phone.\n"
ASK_SENSOR = "which unit does the greenhouse sensor report for its thresholds?"
ASK_ZONE = "which zone do the crontab lines need on this machine?"
STAGED = "the handoff leaves 1 open"
REASON = "MEMORY.md changes only by what its operator signs. Propose instead: "
TRUSTED = "--dangerously-bypass-hook-trust"
"""As if each hook of Codex had been trusted."""
DIRECT, IN_SCRIPTS = "gpt-5.5", "gpt-6.1-sol"
"""Models that Codex knows: one calls tools itself, the other in scripts that Codex runs."""


@dataclass(kw_only=True)
class Ran:
    """What came of one run of a host.

    Attributes:
        model: What it was asked.
        status: The host's exit status.
        out: What the host printed, JSON lines parsed where they are such.
        err: What it said beside.
    """

    model: Model
    status: int = 0
    out: list[Any] = field(default_factory=list)
    err: str = ""

    @property
    def session(self) -> str:
        """The session's id, as the host tells it at its end (Claude Code) or its start (Codex)."""
        told = [one.get("session_id") or one.get("thread_id") for one in self.out]
        return next(str(one) for one in reversed(told) if one)

    def hooks(self, event: str) -> list[dict[str, Any]]:
        """What Claude Code tells of hooks of an event that have ended."""
        ended = [one for one in self.out if one.get("subtype") == "hook_response"]
        return [one for one in ended if one["hook_event"] == event]

    def was_told_nothing(self) -> bool:
        """Whether nothing of ours was in the first request, and no hook failed."""
        text = self.model.first.text()
        failed = "Failed" in self.err or "Blocked" in self.err
        return NOTES not in text and STAGED not in text and not failed


@dataclass(frozen=True, kw_only=True)
class Scene:
    """Where everything is, and how a host is run; one class a host.

    Attributes:
        root: The directory that holds all of it.
        program: The host's program.
    """

    root: Path
    program: str
    name: ClassVar[str]
    shown: ClassVar[str]
    """As our messages call it."""
    variable: ClassVar[str]
    """Names the program."""
    hooks_file: ClassVar[str]
    transcripts: ClassVar[str]

    @property
    def host(self) -> str:
        return self.name.replace("-", "_")

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def memory(self) -> Path:
        return self.home / "MEMORY.md"

    @property
    def config(self) -> Path:
        """The host's own directory."""
        return self.root / self.name

    @property
    def settings(self) -> Path:
        """The file that our hooks are put into."""
        return self.config / self.hooks_file

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.root / "user"),
            "CLAUDE_CONFIG_DIR": str(self.root / "claude-code"),
            "CODEX_HOME": str(self.root / "codex"),
            "NIGHTLEDGER_KEYS": str(self.root / "keys"),
        }

    @property
    def ours(self) -> AgentHome:
        return AgentHome(root=self.home, memory=self.memory, environment=self.environment)

    def make(self) -> None:
        """Adopt a small workspace, as an operator does; stage what is open."""
        for name in ("home", "user", "claude-code", "codex", "keys"):
            (self.root / name).mkdir(parents=True)
        self.ours.adopt("--host", self.host, memory=MEMORY)

    def standing(self) -> Any:
        """Return what ``hosts`` tells of this host."""
        hosts = json.loads(self.ours.run("hosts", "--json"))["hosts"]
        return next(one for one in hosts if one["host"] == self.host)

    def call(self) -> HookCall:
        """Return how the host calls us."""
        found = json.loads((self.home / "config" / "nightledger" / "home.json").read_text())
        python, script, *_ = self.ours.command()
        script = str(Path(script).with_name("prompt_hook.py"))
        return HookCall(python=python, script=script, home=str(self.home), home_id=str(found["id"]))

    def watch(
        self, argv: Sequence[str], model: Model, cwd: Path | None, more: Mapping[str, str] | None = None
    ) -> Ran:
        """Run the host to its end, and keep what it tells of its hooks."""
        ran = Ran(model=model)
        end = time.monotonic() + WAIT_S
        with (
            (self.root / "host.err").open("w+") as errors,
            subprocess.Popen(
                argv, cwd=cwd or self.home, env={**self.environment, **(more or {})}, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=errors, text=True,
            ) as process,
        ):  # fmt: skip
            assert process.stdout
            for line in process.stdout:
                assert time.monotonic() < end, "the host does not end"
                told = json.loads(line) if line.startswith("{") else {"text": line}
                ran.out.append(told)
            ran.status = process.wait(WAIT_S)
            errors.seek(0)
            ran.err = errors.read()
        return ran


class Claude(Scene):
    """Claude Code."""

    name, shown, variable = "claude-code", "Claude Code", "CLAUDE"
    hooks_file, transcripts = "settings.json", "projects/*/{}.jsonl"

    def variables(self, model: Model) -> dict[str, str]:
        """Return what points it at a model, and keeps it from asking anybody else."""
        quiet = (
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY", "DISABLE_ERROR_REPORTING",
        )  # fmt: skip
        return {**dict.fromkeys(quiet, "1"), "ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": KEY}

    def run(self, script: Sequence[Turn] | Script, *words: str, cwd: Path | None = None) -> Ran:
        """Run it without a person, for some words or a prompt; it ends well, and no hook was an error or a word to it."""
        argv = [self.program, "-p", *words, "--output-format", "stream-json", "--verbose"]
        argv += ["--include-hook-events", "--permission-mode", "acceptEdits"]
        argv += ["--allowedTools", "Bash,Write,Edit,Read,Agent"]
        with answering(script) as model:
            ran = self.watch(argv, model, cwd, self.variables(model))
        assert (ran.status, ran.err) == (0, "")
        assert ran.out[-1]["is_error"] is False
        for event in ("SessionStart", "UserPromptSubmit", "PreToolUse"):
            assert all((one["exit_code"], one["stderr"]) == (0, "") for one in ran.hooks(event))
        return ran

    def ask(
        self, script: Sequence[Turn] | Script, prompt: str, *, again: bool = False, cwd: Path | None = None
    ) -> Ran:
        return self.run(script, prompt, *(("--continue",) if again else ()), cwd=cwd)

    def overwrite(self) -> Turn:
        return Call("Write", {"file_path": str(self.memory), "content": "gone\n"})

    def write(self, path: Path) -> Turn:
        return Call("Write", {"file_path": str(path), "content": "x\n"})

    def shell(self, command: str) -> Turn:
        return Call("Bash", {"command": command, "description": "run it"})


class Codex(Scene):
    """Codex; its ``config.toml`` keeps what stands there."""

    name, shown, variable = "codex", "Codex", "CODEX"
    hooks_file, transcripts = "hooks.json", "sessions/*/*/*/rollout-*{}.jsonl"

    def words(self, model: Model) -> list[str]:
        """Return the words that point it at a model, and keep it from asking anybody else."""
        settings = (
            'model_provider="fake"',
            f'model_providers.fake={{name = "fake", base_url = "{model.url}/v1", wire_api = "responses"}}',
            "check_for_update_on_startup=false",
            "analytics.enabled=false",
        )
        return [word for setting in settings for word in ("-c", setting)]

    def run(
        self, script: Sequence[Turn] | Script, *words: str, model: str = DIRECT, cwd: Path | None = None, trusted: bool = True
    ) -> Ran:  # fmt: skip
        """Run it without a person; it ends well."""
        with answering(script) as fake:
            argv = [self.program, "exec", *words, *((TRUSTED,) if trusted else ()), "--json"]
            argv += ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "-m", model]
            ran = self.watch([*argv, *self.words(fake)], fake, cwd)
        assert ran.status == 0, ran.err
        return ran

    def ask(
        self, script: Sequence[Turn] | Script, prompt: str, *, again: bool = False, cwd: Path | None = None
    ) -> Ran:
        return self.run(script, *(("resume", "--last") if again else ()), prompt, cwd=cwd)

    def overwrite(self) -> Turn:
        return Call("apply_patch", update("MEMORY.md"))

    def write(self, path: Path) -> Turn:
        return Call("apply_patch", add(path.name))

    def shell(self, command: str) -> Turn:
        return Call("exec_command", {"cmd": command, "yield_time_ms": 20_000})


def update(path: object) -> str:
    """Return a patch of the gated file."""
    return f"*** Begin Patch\n*** Update File: {path}\n@@\n-{SENSOR}\n+- Eve was here.\n*** End Patch\n"


def add(path: object) -> str:
    """Return a patch that makes a file."""
    return f"*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n"


Host = Claude | Codex
"""Each asks (``ask``), writes the gated file by a tool (``overwrite``), makes another in its folder (``write``), runs a
command (``shell``)."""
HOSTS: dict[str, type[Host]] = {one.name: one for one in (Claude, Codex)}
