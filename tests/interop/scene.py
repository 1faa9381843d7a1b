"""A home of its own, made by the command line, and the real hosts beside it with nothing of the user's."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.interop.fake_model import FakeModel, Script, Turn, answering

from nightledger.hosts.hooking import HookCall

COMMAND = Path(__file__).resolve().parents[2] / "scripts" / "command.py"
KEY = "an-invented-key-of-a-model-that-is-none"
WAIT_S = 120.0
"""Far more than a session takes."""
SENSOR = "- The greenhouse sensor reports in Fahrenheit; convert before comparing thresholds."
ZONE = "- Set the zone explicitly in every crontab; the machine runs on UTC."
MEMORY = f"# Memory\n\n## Greenhouse\n\n{SENSOR}\n{ZONE}\n- Marta prefers summaries by mail on Fridays, never by phone.\n"
ASK_SENSOR = "which unit does the greenhouse sensor report for its thresholds?"
ASK_ZONE = "which zone do the crontab lines need on this machine?"
HANDOFF = "# Handoff\n\n## Open\n\n- [ ] Ask the plumber about the pump\n"
STAGED = "the handoff leaves 1 open"
NOTES = "<reference-notes>"


def claude_variables(model: FakeModel) -> dict[str, str]:
    """Give what points Claude Code at a model, and keeps it from asking anybody else."""
    quiet = (
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
        "DISABLE_AUTOUPDATER",
        "DISABLE_TELEMETRY",
        "DISABLE_ERROR_REPORTING",
    )
    return {**dict.fromkeys(quiet, "1"), "ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": KEY}


def codex_settings(model: FakeModel) -> list[str]:
    """Give the words that point Codex at a model, and keep it from asking anybody else."""
    settings = (
        'model_provider="fake"',
        f'model_providers.fake={{name = "fake", base_url = "{model.url}/v1", wire_api = "responses"}}',
        "check_for_update_on_startup=false",
        "analytics.enabled=false",
    )
    return [word for setting in settings for word in ("-c", setting)]


@dataclass(kw_only=True)
class Ran:
    """What came of one run of a host.

    Attributes:
        model: What it was asked.
        status: The host's exit status.
        out: What the host printed, JSON lines parsed where they are such.
        err: What it said beside.
        hooks_s: For each event of which the host tells start and end, how long that took.
    """

    model: FakeModel
    status: int = 0
    out: list[Any] = field(default_factory=list)
    err: str = ""
    hooks_s: list[tuple[str, float]] = field(default_factory=list)

    @property
    def session(self) -> str:
        """The session's id, as the host tells it at its end (Claude Code) or its start (Codex)."""
        told = [one.get("session_id") or one.get("thread_id") for one in self.out]
        return next(str(one) for one in reversed(told) if one)

    def hooks(self, event: str) -> list[dict[str, Any]]:
        """What Claude Code tells of hooks of an event that have ended."""
        ended = [one for one in self.out if one.get("subtype") == "hook_response"]
        return [one for one in ended if one["hook_event"] == event]


@dataclass(frozen=True, kw_only=True)
class Scene:
    """Where everything is.

    Attributes:
        root: The directory that holds all of it.
        host: ``claude-code`` or ``codex``.
        program: The host's program.
    """

    root: Path
    host: str
    program: str

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def memory(self) -> Path:
        return self.home / "MEMORY.md"

    @property
    def ledger(self) -> Path:
        """The exposure ledger."""
        return self.home / "memory" / "system" / "exposures.jsonl"

    @property
    def config(self) -> Path:
        """The host's own directory."""
        return self.root / self.host

    @property
    def settings(self) -> Path:
        """The file that our hooks are put into."""
        return self.config / ("settings.json" if self.host == "claude-code" else "hooks.json")

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.root / "user"),
            "CLAUDE_CONFIG_DIR": str(self.root / "claude-code"),
            "CODEX_HOME": str(self.root / "codex"),
            "NIGHTLEDGER_KEYS": str(self.root / "keys"),
        }

    def make(self) -> "Scene":
        """Adopt a small workspace, as an operator does; stage what is open."""
        for name in ("home", "user", "claude-code", "codex", "keys"):
            (self.root / name).mkdir(parents=True)
        self.memory.write_text(MEMORY)
        host = self.host.replace("-", "_")
        self.nightledger("init", "--adopt", "--no-passphrase", "--zone", "UTC", "--host", host)
        handoff = self.home / "memory" / "state" / "session-handoff.md"
        handoff.write_text(HANDOFF)
        self.nightledger("stage")
        return self

    def nightledger(self, *words: str) -> str:
        """Run a command of ours that succeeds; give what it printed."""
        argv = [sys.executable, str(COMMAND), *words, "--home", str(self.home)]
        ran = subprocess.run(
            argv,
            env=self.environment,
            cwd=self.root,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    def command(self, *words: str) -> str:
        """Give a command of ours as an agent's shell would run it."""
        return " ".join([sys.executable, str(COMMAND), *words, "--home", str(self.home)])

    def install(self) -> None:
        self.nightledger("hosts", "install", self.host, "--yes")

    def standing(self) -> Any:
        """Give what ``hosts`` tells of this host."""
        hosts = json.loads(self.nightledger("hosts", "--json"))["hosts"]
        return next(one for one in hosts if one["host"] == self.host.replace("-", "_"))

    def call(self) -> HookCall:
        """Give how the host calls us."""
        found = json.loads((self.home / "config" / "nightledger" / "home.json").read_text())
        script = COMMAND.with_name("prompt_hook.py")
        return HookCall(
            python=sys.executable, script=str(script), home=str(self.home), home_id=str(found["id"])
        )

    def exposures(self) -> list[dict[str, Any]]:
        """Give what the exposure ledger holds."""
        lines = self.ledger.read_text().splitlines() if self.ledger.exists() else []
        return [json.loads(line) for line in lines]

    def claude(
        self, script: Sequence[Turn] | Script, *words: str, cwd: Path | None = None, **more: str
    ) -> Ran:
        """Run Claude Code without a person, for some words or a prompt, and watch its hooks."""
        argv = [self.program, "-p", *words, "--output-format", "stream-json", "--verbose"]
        argv += ["--include-hook-events", "--permission-mode", "acceptEdits"]
        argv += ["--allowedTools", "Bash,Write,Edit,Read,Agent"]
        with answering(script) as model:
            return self._watch(argv, model, cwd, {**claude_variables(model), **more})

    def codex(self, script: Sequence[Turn] | Script, *words: str, model: str, cwd: Path | None = None) -> Ran:
        """Run Codex without a person; its ``config.toml`` keeps what stands there."""
        with answering(script) as fake:
            argv = [self.program, "exec", *words, "--json", "--skip-git-repo-check"]
            argv += ["--dangerously-bypass-approvals-and-sandbox", "-m", model, *codex_settings(fake)]
            return self._watch(argv, fake, cwd, {})

    def _watch(self, argv: list[str], model: FakeModel, cwd: Path | None, more: dict[str, str]) -> Ran:
        ran = Ran(model=model)
        begun: dict[str, float] = {}
        end = time.monotonic() + WAIT_S
        with (
            (self.root / "host.err").open("w+") as errors,
            subprocess.Popen(
                argv,
                cwd=cwd or self.home,
                env={**self.environment, **more},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            ) as process,
        ):
            assert process.stdout
            for line in process.stdout:
                assert time.monotonic() < end, "the host does not end"
                told = json.loads(line) if line.startswith("{") else {"text": line}
                ran.out.append(told)
                if told.get("subtype") == "hook_started":
                    begun[told["hook_id"]] = time.monotonic()
                elif told.get("subtype") == "hook_response":
                    ran.hooks_s.append((told["hook_event"], time.monotonic() - begun[told["hook_id"]]))
            ran.status = process.wait(WAIT_S)
            errors.seek(0)
            ran.err = errors.read()
        return ran
