import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.surfaces.calling import Caller, make_caller

from nightledger.domain.errors import ConfigurationError, FileChangedError, RefusedError
from nightledger.surfaces.hook.installing import BACKUP, plan_install, take

SETTINGS = '{\n  "model": "x",\n  "hooks": {\n    "Stop": [{"hooks": [{"type": "command", "command": "beep"}]}]\n  }\n}\n'


@pytest.fixture
def caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Caller:
    return make_caller(tmp_path, monkeypatch, capsys)


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    user = tmp_path / "user"
    for name in (".claude", ".openclaw", ".hermes"):
        (user / name).mkdir(parents=True)
    monkeypatch.setenv("HOME", str(user))
    for variable in (
        "OPENCLAW_STATE_DIR",
        "CLAUDE_CONFIG_DIR",
        "CODEX_HOME",
        "HERMES_HOME",
        "CLAUDECODE",
        "AI_AGENT",
    ):
        monkeypatch.delenv(variable, raising=False)
    return user


def snapshot(user: Path) -> dict[str, tuple[bytes, int]]:
    return {
        path.relative_to(user).as_posix(): (path.read_bytes(), path.stat().st_mode)
        for path in sorted(user.rglob("*"))
        if path.is_file()
    }


def state_of(caller: Caller, host: str) -> Any:
    return next(one for one in caller.record("hosts")["hosts"] if one["host"] == host)


def test_hosts_that_are_here_are_listed(caller: Caller, user: Path) -> None:
    text = caller.text("hosts")
    assert "codex: not found" in text
    assert (
        "claude-code: no hooks for this home; 'nightledger hosts install claude-code' shows what to add"
        in text
    )
    assert [one["host"] for one in caller.record("hosts")["hosts"]] == [
        "claude_code",
        "codex",
        "hermes",
        "openclaw",
    ]
    (user / ".claude" / "settings.json").write_text("// mine")
    assert "left as it is" in caller.text("hosts")
    assert state_of(caller, "claude_code")["installed"] is None


@pytest.mark.parametrize("host", ["claude-code", "codex", "hermes", "openclaw"])
def test_without_yes_nothing_changes_and_all_is_shown(caller: Caller, user: Path, host: str) -> None:
    before = snapshot(user)
    assert "Nothing was changed; --yes does it." in caller.text("hosts", "install", host)
    printed = "\n".join(caller.lines("hosts", "install", host, "--print"))
    assert "prompt_hook.py" in printed
    assert caller.home.root in printed
    assert "Nothing" not in printed
    assert snapshot(user) == before
    if host in ("claude-code", "codex"):
        assert set(json.loads(printed)) == {"hooks"}
    assert caller.record("hosts", "install", host, "--print")["files"]


@pytest.mark.parametrize(
    ("host", "name", "content"),
    [
        ("claude-code", ".claude/settings.json", SETTINGS),
        ("claude-code", ".claude/settings.json", "{}"),
        ("claude-code", ".claude/settings.json", '{"hooks": {}}\r\n'),
        ("claude-code", ".claude/settings.json", '\ufeff{"a": 1,\n\t"hooks": {"PreToolUse": []}}'),
        ("claude-code", ".claude/settings.json", ""),
        ("codex", ".codex/hooks.json", SETTINGS),
        ("hermes", ".hermes/config.yaml", "model: x # mine\nmemory:\n    write_approval: true"),
        ("hermes", ".hermes/config.yaml", ""),
    ],
)
def test_what_was_added_is_taken_out_byte_for_byte(
    caller: Caller, user: Path, host: str, name: str, content: str
) -> None:
    path = user / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content.encode())
    path.chmod(0o640)
    before = snapshot(user)
    assert caller.run("hosts", "install", host, "--yes") == 0
    assert Path(f"{path}{BACKUP}").read_bytes() == content.encode()
    installed = snapshot(user)
    assert state_of(caller, host.replace("-", "_"))["installed"] is True
    assert "Nothing to do: the hooks are there." in caller.text("hosts", "install", host, "--yes")
    assert snapshot(user) == installed
    assert "Nothing was changed" in caller.text("hosts", "remove", host)
    assert caller.run("hosts", "remove", host, "--yes") == 0
    assert snapshot(user) == before
    assert "Nothing to do: there are no hooks for this home." in caller.text("hosts", "remove", host, "--yes")
    assert snapshot(user) == before


@pytest.mark.parametrize("host", ["claude-code", "codex", "hermes", "openclaw"])
def test_what_was_not_there_is_gone_again(caller: Caller, user: Path, host: str) -> None:
    assert caller.run("hosts", "install", host, "--yes") == 0
    made = snapshot(user)
    assert made
    assert all(mode & 0o777 == 0o600 for _, mode in made.values())
    assert caller.run("hosts", "remove", host, "--yes") == 0
    assert snapshot(user) == {}
    if host == "openclaw":
        assert list((user / ".openclaw" / "hooks").iterdir()) == []


def test_what_the_user_added_since_stays(caller: Caller, user: Path) -> None:
    path = user / ".claude" / "settings.json"
    path.write_text(SETTINGS)
    caller.run("hosts", "install", "claude-code", "--yes")
    changed = json.loads(path.read_text())
    changed["model"] = "y"
    path.write_text(json.dumps(changed))
    caller.run("hosts", "remove", "claude-code", "--yes")
    assert json.loads(path.read_text()) == {**json.loads(SETTINGS), "model": "y"}


def test_hooks_of_a_checkout_that_moved_are_named_and_replaced(caller: Caller, user: Path) -> None:
    path = user / ".claude" / "settings.json"
    caller.run("hosts", "install", "claude-code", "--yes")
    here = path.read_text()
    path.write_text(here.replace("/scripts/prompt_hook.py", "/old/scripts/prompt_hook.py"))
    assert "claude-code: calls another checkout" in caller.text("hosts")
    assert state_of(caller, "claude_code")["installed"] is True
    caller.run("hosts", "install", "claude-code", "--yes")
    assert path.read_text() == here
    assert "claude-code: calls this home at SessionStart, UserPromptSubmit, PreToolUse" in caller.text(
        "hosts"
    )


def test_a_project_may_have_hooks_of_its_own(caller: Caller, user: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    caller.run("hosts", "install", "claude-code", "--yes", "--project", str(project))
    assert (project / ".claude" / "settings.local.json").exists()
    assert not (user / ".claude" / "settings.json").exists()
    caller.run("hosts", "install", "codex", "--yes", "--project", str(project))
    assert (project / ".codex" / "hooks.json").exists()
    for host in ("hermes", "openclaw"):
        with pytest.raises(ConfigurationError, match=r"own directory only|in a project"):
            caller.run("hosts", "install", host, "--project", str(project))


def test_a_link_is_followed_to_the_file_that_is_edited(caller: Caller, user: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text(SETTINGS)
    link = user / ".claude" / "settings.json"
    link.symlink_to(real)
    caller.run("hosts", "install", "claude-code", "--yes")
    assert link.is_symlink()
    assert "prompt_hook.py" in real.read_text()
    caller.run("hosts", "remove", "claude-code", "--yes")
    assert real.read_text() == SETTINGS


@pytest.mark.parametrize("name", ["AGENTS.md", "SOUL.md", "CLAUDE.md", "MEMORY.md"])
def test_no_hook_is_put_into_a_protected_file(caller: Caller, user: Path, name: str) -> None:
    target = Path(caller.home.path(name))
    target.write_text("" if not target.exists() else target.read_text())
    before = target.read_bytes()
    link = user / ".claude" / "settings.json"
    for make in (link.symlink_to, lambda path: os.link(path, link)):
        make(target)
        if name != "CLAUDE.md" or link.is_symlink():
            with pytest.raises(RefusedError, match="protected file"):
                caller.run("hosts", "install", "claude-code", "--yes")
        link.unlink()
    assert target.read_bytes() == before


@pytest.mark.parametrize("content", ["// mine\n{}", "[]", "{", '{"hooks": []}', "\ufeff"])
def test_settings_that_cannot_be_edited_safely_are_left_alone(
    caller: Caller, user: Path, content: str
) -> None:
    path = user / ".claude" / "settings.json"
    path.write_text(content)
    if content == "\ufeff":
        assert caller.run("hosts", "install", "claude-code") == 0
        return
    with pytest.raises(ConfigurationError, match="left as it is") as caught:
        caller.run("hosts", "install", "claude-code", "--yes")
    assert "--print" in caught.value.hint
    assert path.read_text() == content


def test_a_file_that_changes_under_our_hands_is_not_overwritten(caller: Caller, user: Path) -> None:
    path = user / ".claude" / "settings.json"
    path.write_text(SETTINGS)
    (step,) = plan_install(caller.home, "claude_code", str(user / ".claude"))
    path.write_text("{}")
    with pytest.raises(FileChangedError):
        take(step)
    assert path.read_text() == "{}"


def test_an_agent_may_look_but_not_put_hooks_in(
    caller: Caller, user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    identity = json.loads(Path(caller.home.identity_file).read_text())
    Path(caller.home.identity_file).write_text(json.dumps({**identity, "simulated": False}))
    monkeypatch.setenv("CLAUDECODE", "1")
    for action in ("install", "remove"):
        with pytest.raises(RefusedError, match="for the operator"):
            caller.run("hosts", action, "claude-code", "--yes")
    assert caller.run("hosts", "install", "claude-code", "--print") == 0
    assert snapshot(user) == {}


@pytest.mark.parametrize(
    ("host", "name", "content"),
    [
        ("claude-code", "settings.json", ""),
        ("claude-code", "settings.json", "{}"),
        ("claude-code", "settings.json", "{ }"),
        ("claude-code", "settings.json", '{"hooks": {}}\n'),
        ("claude-code", "settings.json", '{\n  "hooks": {"SessionStart": []},\n "x": [1,\n2]}\n'),
        ("hermes", "config.yaml", ""),
        ("hermes", "config.yaml", "model: x"),
    ],
)
def test_a_file_behind_a_link_comes_back_byte_for_byte_and_the_link_stays(
    caller: Caller, user: Path, tmp_path: Path, host: str, name: str, content: str
) -> None:
    dotfiles = tmp_path / "dotfiles"
    dotfiles.mkdir()
    (dotfiles / name).write_text(content)
    link = user / (".claude" if host == "claude-code" else ".hermes") / name
    link.symlink_to(os.path.relpath(dotfiles / name, link.parent))
    for _ in range(2):
        assert caller.run("hosts", "install", host, "--yes") == 0
        assert "prompt_hook.py" in (dotfiles / name).read_text()
        assert caller.run("hosts", "remove", host, "--yes") == 0
        assert link.is_symlink()
        assert (dotfiles / name).read_text() == content
        assert os.listdir(dotfiles) == [name]
        assert os.listdir(link.parent) == [name]
