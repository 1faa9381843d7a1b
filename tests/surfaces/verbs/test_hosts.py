import json
import os
import textwrap
from pathlib import Path

import pytest
import yaml
from tests.rows import from_corpus
from tests.surfaces.calling import Caller

from nightledger.domain.errors import ConfigurationError, FileChangedError, RefusedError
from nightledger.surfaces.hook.installing import plan_install, take

SETTINGS = '{\n  "model": "x",\n  "hooks": {\n    "Stop": [{"hooks": [{"type": "command", "command": "beep"}]}]\n  }\n}\n'


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


@pytest.mark.parametrize("host", ["claude-code", "codex", "hermes", "openclaw"])
def test_without_yes_nothing_changes_and_all_is_shown(caller: Caller, user: Path, host: str) -> None:
    before = snapshot(user)
    printed = caller.text("hosts", "install", host)
    assert "Nothing was changed; --yes does it." in printed
    assert "prompt_hook.py" in printed
    assert caller.home.root in printed
    told = caller.record("hosts", "install", host)["files"]
    assert snapshot(user) == before
    if host in ("claude-code", "codex"):
        assert set(json.loads(told[0]["shown"])) == {"hooks"}


@pytest.mark.parametrize(("host", "name"), [("claude-code", "settings.json"), ("hermes", "config.yaml")])
def test_what_cannot_be_edited_safely_is_left_and_what_to_add_by_hand_is_shown(
    caller: Caller, user: Path, host: str, name: str
) -> None:
    path = user / f".{host.partition('-')[0]}" / name
    told = caller.record("hosts", "install", host)["files"][0]["shown"]
    path.write_text("hooks: {a: [\n")
    with pytest.raises(ConfigurationError, match="left as it is") as caught:
        caller.run("hosts", "install", host, "--yes")
    assert textwrap.dedent(caught.value.hint.partition("\n")[2]).strip() == told.strip()
    assert path.read_text() == "hooks: {a: [\n"


def test_what_the_user_added_since_stays(caller: Caller, user: Path) -> None:
    path = user / ".claude" / "settings.json"
    path.write_text(SETTINGS)
    caller.run("hosts", "install", "claude-code", "--yes")
    changed = json.loads(path.read_text())
    changed["model"] = "y"
    path.write_text(json.dumps(changed))
    caller.run("hosts", "remove", "claude-code", "--yes")
    assert json.loads(path.read_text()) == {**json.loads(SETTINGS), "model": "y"}


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


def test_a_file_that_changes_under_our_hands_is_not_overwritten(caller: Caller, user: Path) -> None:
    path = user / ".claude" / "settings.json"
    path.write_text(SETTINGS)
    (step,) = plan_install(caller.home, "claude_code", str(user / ".claude"))
    path.write_text("{}")
    with pytest.raises(FileChangedError):
        take(step)
    assert path.read_text() == "{}"


@from_corpus("surfaces-verbs-hosts")
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


YAML = "# mine\nmodel: x  # the good one\n"


def test_comments_of_yaml_come_back_also_where_a_moved_home_was_hooked_again(
    caller: Caller, user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = user / ".hermes" / "config.yaml"
    path.write_text(YAML)
    caller.run("hosts", "install", "hermes", "--yes")
    (tmp_path / "other-keys").symlink_to(tmp_path / "keys")
    monkeypatch.setenv("NIGHTLEDGER_KEYS", str(tmp_path / "other-keys"))
    caller.run("hosts", "install", "hermes", "--yes")
    assert "other-keys" in path.read_text()
    caller.run("hosts", "remove", "hermes", "--yes")
    assert path.read_text() == YAML


def test_a_copy_with_comments_stays_where_yaml_was_edited_since(caller: Caller, user: Path) -> None:
    path, copy = user / ".hermes" / "config.yaml", user / ".hermes" / "config.yaml.before-nightledger"
    path.write_text(YAML)
    caller.run("hosts", "install", "hermes", "--yes")
    path.write_text(path.read_text().replace("model: x", "model: y"))
    assert "config.yaml.before-nightledger stays" in caller.text(
        "hosts", "remove", "hermes", "--yes"
    ).replace("\n  ", " ")
    assert (path.read_text(), copy.read_text()) == ("model: y\n", YAML)


def test_comments_that_stand_in_no_copy_are_not_taken_away(caller: Caller, user: Path) -> None:
    path = user / ".hermes" / "config.yaml"
    path.write_text("model: 'a # b'\n")
    caller.run("hosts", "install", "hermes", "--yes")
    hooked = path.read_text()
    path.write_text(f"{hooked}# mine\n")
    with pytest.raises(RefusedError, match="has comments, which would go"):
        caller.run("hosts", "remove", "hermes", "--yes")
    assert path.read_text() == f"{hooked}# mine\n"
    path.write_text(hooked)
    caller.run("hosts", "remove", "hermes", "--yes")
    assert path.read_text() == "model: 'a # b'\n"


def test_hooks_of_two_events_that_share_their_list_get_each_its_own(caller: Caller, user: Path) -> None:
    path = user / ".hermes" / "config.yaml"
    path.write_text("hooks:\n  pre_llm_call: &all [{command: mine}]\n  pre_tool_call: *all\n")
    caller.run("hosts", "install", "hermes", "--yes")
    hooks = yaml.safe_load(path.read_text())["hooks"]
    assert [len(hooks[event]) for event in ("pre_llm_call", "pre_tool_call")] == [2, 2]
