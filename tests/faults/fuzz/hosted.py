"""What the hosts of agents keep for themselves and we look into or add to: JSON, JSON5, TOML and YAML of four hosts."""

import json
import os
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from tests.faults.fuzz.records import DEEP, dumped
from tests.faults.fuzz.target import NothingError, Target, given, repeated, scratch, seeds, written

from nightledger.domain.states import Writer
from nightledger.hosts.configured import Unread
from nightledger.hosts.daylogs import CLAUDE_CODE, CODEX, HERMES, OPENCLAW
from nightledger.hosts.hooking import HookCall, has_hooks, with_hooks, without_hooks
from nightledger.hosts.workspaces import Rival, find_mark, find_rivals

HOSTS = (CLAUDE_CODE, CODEX, HERMES, OPENCLAW)
CALL = HookCall(
    python="/usr/bin/python3", script="/opt/nl/scripts/prompt_hook.py", home="/home/ada", home_id="f" * 32
)
OTHER = '{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "beep"}]}]}}'
_OWN = "hooks:\n  on_session_end:\n    - command: /my/own.sh # mine\n      timeout: 9\n"


# our hooks in their files

Hooked = tuple[str, str]
"""A configuration with our hooks, and without them again."""


def _parts(raw: bytes) -> tuple[str, str]:
    """Give host and text: the first byte says which host."""
    return HOSTS[raw[0] % 3] if raw else CLAUDE_CODE, raw[1:].decode()


def _read_hooks(raw: bytes) -> Hooked:
    host, text = _parts(raw)
    has_hooks(host, text, CALL)
    added = with_hooks(host, text, CALL)
    return added, without_hooks(host, added, CALL)


def _check_hooks(raw: bytes, read: Hooked) -> None:
    host, text = _parts(raw)
    added, left = read
    assert has_hooks(host, added, CALL)
    assert with_hooks(host, added, CALL) == added
    assert not has_hooks(host, left, CALL)
    assert without_hooks(host, left, CALL) == left
    before, after = (_plain(host, one) for one in (without_hooks(host, text, CALL), left))
    assert _written(_bare(before)) == _written(_bare(after))


def _plain(host: str, text: str) -> Any:
    if host == HERMES:
        return yaml.safe_load(text) or {}
    return json.loads(text.removeprefix("\ufeff")) if text.strip("\ufeff \t\r\n") else {}


def _written(value: Any) -> str:
    """Return a value as YAML: what stands in many places is written once, however often it is named (and NaN is itself)."""
    return yaml.safe_dump(value, sort_keys=False)


def _bare(config: dict[str, Any]) -> list[Any]:
    """Give what a configuration says, without lists of hooks that are empty: these may go with ours."""
    hooks = config.get("hooks")
    kept = {key: one for key, one in hooks.items() if one} if isinstance(hooks, dict) else {}
    rest = {key: one for key, one in config.items() if key != "hooks"}
    return [sorted(told.items(), key=lambda item: repr(item[0])) for told in (kept, rest)]


@cache
def _hooked() -> tuple[bytes, ...]:
    texts = {
        0: ("", "{}\n", OTHER),
        1: (OTHER, '\ufeff{"a": [1e3, NaN], "hooks": {"Stop": []}}'),
        2: ("model: x", _OWN),
    }
    plain = [bytes([n]) + text.encode() for n, told in texts.items() for text in told if text != _OWN]
    ours = [bytes([n]) + with_hooks(HOSTS[n], told[0], CALL).encode() for n, told in texts.items()]
    mixed = with_hooks(HERMES, "model: x\n", CALL).replace("hooks:\n", _OWN, 1)
    odd = (
        b"\x02a: !!bool x",
        b"\x02a: &a [*a]",
        b"\x02hooks: {}\na: !!timestamp x\nb: !!int ''",
        b"\x02? [a]\n: 1\n",
    )
    nested = b"\x02" + b"".join(b"a%d: &a%d [*a%d, *a%d]\n" % (n, n, n - 1, n - 1) for n in range(1, 30))
    return (*plain, *ours, b"\x02" + mixed.encode(), *odd, nested.replace(b"*a0", b"1"))


# what their settings say


Told = tuple[tuple[Rival | Unread, ...], ...]
"""By host: which other writers there are."""
_FILES = (
    ("claude_code/settings.json", "codex/config.toml", "hermes/config.yaml", "openclaw/openclaw.json"),
    ("workspace/.claude/settings.local.json", "codex/hooks.json", "hermes/shell-hooks-allowlist.json"),
)
"""Files that hold what stands before a NUL, and behind it."""


@cache
def _root() -> Path:
    root = scratch() / "hosts"
    for host in HOSTS:
        (root / host).mkdir(parents=True)
    (root / "workspace" / ".claude").mkdir(parents=True)
    return root


def _read_told(raw: bytes) -> Told:
    first, _, second = raw.partition(b"\0")
    for names, content in zip(_FILES, (first, second), strict=True):
        for name in names:
            written(_root() / name, content)
    root, workspace = str(_root()), str(_root() / "workspace")
    return tuple(find_rivals(host, os.path.join(root, host), workspace) for host in HOSTS)


def _check_told(raw: bytes, found: Told) -> None:
    assert len(found) == len(HOSTS)
    first = raw.partition(b"\0")[0]
    for rivals in found:
        assert len({one.path for one in rivals if isinstance(one, Unread)}) <= 2
        assert all(one.reason and "\n" not in one.reason for one in rivals if isinstance(one, Unread))
        assert all(one.is_on is not False and one.setting for one in rivals if isinstance(one, Rival))
    config = _json_of(first)
    if config is not None:
        assert not any(
            isinstance(one, Unread) and "workspace" not in one.path for one in (*found[0], *found[3])
        )
    table = _toml_of(first)
    assert any(isinstance(one, Unread) for one in found[1]) == (table is None)
    if table is not None:
        features = table.get("features")
        on = isinstance(features, dict) and features.get("memories") is True
        assert any(isinstance(one, Rival) for one in found[1]) == on


def _json_of(raw: bytes) -> Any:
    """Give what plain JSON says; None where it is none, or half a surrogate pair or repeated keys might be read otherwise."""
    try:
        return json.loads(raw.decode().removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return None


def _toml_of(raw: bytes) -> dict[str, Any] | None:
    try:
        return tomllib.loads(raw.decode())
    except (ValueError, RecursionError):
        return None


def _settings() -> list[bytes]:
    openclaw = {
        "hooks": {
            "internal": {"enabled": True, "entries": {"nightledger-ffffffff": {}, "session-memory": {}}}
        },
        "plugins": {"slots": {"memory": "memory-core"}, "entries": {"memory-core": {"enabled": True}}},
    }
    claude = {
        "disableAllHooks": True,
        "env": {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "No"},
        "autoDreamEnabled": True,
    }
    state = b'[hooks.state."/x:session_start:0:0"]\ntrusted_hash = "sha256:00"\n'
    folder = dumped({"autoMemoryEnabled": True, "autoMemoryDirectory": "~/x"})
    return [
        dumped(openclaw) + b"\0" + with_hooks(CODEX, OTHER, CALL).encode(),
        dumped(claude) + b"\0" + folder,
        folder.replace(b"~/x", b"\\u0000"),
        b"// a\n{hooks: {internal: {entries: 'nightledger-ffffffff', load: {extraDirs: ['x',]}}}}",
        b"[features]\nhooks = false\nmemories = true\n" + state + b"\0" + with_hooks(CODEX, "", CALL).encode(),
        with_hooks(HERMES, "model: x\nmemory: {write_approval: true}\n", CALL).encode()
        + b'\0{"approvals": [{"event": "pre_llm_call", "command": "x"}, {"event": []}]}',
        b"a: !!bool x\n",
        b"a: !!int ''\n",
        b"a: !!timestamp x\n",
        *(one[:500] for one in DEEP),
    ]  # fmt: skip


# marks of what hosts write by themselves


def _read_mark(raw: bytes) -> Writer:
    """Look for marks in the lines, and in one line of 32 KB that says a part of them again and again."""
    find_mark([repeated(raw, 1 << 15).decode("utf-8", "replace")])
    return given(find_mark(raw.decode("utf-8", "replace").split("\n")))


def _check_mark(raw: bytes, found: Writer) -> None:
    lines = raw.decode("utf-8", "replace").split("\n")
    alone = {find_mark([line]) for line in lines} - {None}
    assert found is (Writer.DREAMING if Writer.DREAMING in alone else Writer.EXTRACTION)
    assert any(line.startswith("#") or "<!--" in line or "[score=" in line for line in lines)


_MARKED = seeds("hosted_marked")


TARGETS = (
    Target("host-hooks", _read_hooks, _check_hooks, _hooked, ValueError, max_bytes=1536, cost=10),
    Target("host-settings", _read_told, _check_told, _settings, max_bytes=768, cost=10),
    Target("writers-marks", _read_mark, _check_mark, _MARKED, NothingError),
)
