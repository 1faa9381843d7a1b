import json
import os
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from tests.rows import from_corpus
from tests.surfaces.console import Console

from nightledger.domain.errors import FileChangedError
from nightledger.surfaces.hook.installing import plan_install, take
from nightledger.trust.keys import KeyRing

YAML = "# mine\nmodel: x  # the good one\n"


@pytest.fixture
def user(console: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the own directory of somebody who has three hosts; Claude Code's is where the console says."""
    user = tmp_path / "user"
    for name in (".openclaw", ".hermes"):
        (user / name).mkdir(parents=True)
    (console.desk.ring.directory / "claude").mkdir()
    (user / ".claude").symlink_to(console.desk.ring.directory / "claude")
    monkeypatch.setenv("HOME", str(user))
    for variable in ("OPENCLAW_STATE_DIR", "CODEX_HOME", "HERMES_HOME"):
        monkeypatch.delenv(variable, raising=False)
    return user


@pytest.fixture
def config(user: Path) -> Path:
    """Hermes' own, with what its user wrote."""
    path = user / ".hermes" / "config.yaml"
    path.write_text(YAML)
    return path


def install(console: Console, host: str) -> str:
    return console.out("hosts", "install", host, "--yes")


def remove(console: Console, host: str) -> str:
    return console.out("hosts", "remove", host, "--yes")


def snapshot(console: Console) -> dict[Path, tuple[bytes, int]]:
    files = (path for path in console.desk.root.rglob("*") if path.is_file())
    return {path: (path.read_bytes(), path.stat().st_mode) for path in files}


@pytest.mark.usefixtures("user")
@pytest.mark.parametrize("host", ["claude-code", "codex", "hermes", "openclaw"])
def test_without_yes_nothing_changes_and_all_is_shown(console: Console, host: str) -> None:
    before = snapshot(console)
    printed = console.text("hosts", "install", host)
    assert "Nothing was changed; --yes does it." in printed
    assert "prompt_hook.py" in printed
    assert console.home.root in printed
    told = console.record("hosts", "install", host)["files"]
    assert snapshot(console) == before
    if host in ("claude-code", "codex"):
        assert set(json.loads(told[0]["shown"])) == {"hooks"}


@pytest.mark.parametrize(("host", "name"), [("claude-code", "settings.json"), ("hermes", "config.yaml")])
def test_what_cannot_be_edited_safely_is_left_and_what_to_add_by_hand_is_shown(
    console: Console, user: Path, host: str, name: str
) -> None:
    path = user / f".{host.partition('-')[0]}" / name
    told = console.record("hosts", "install", host)["files"][0]["shown"]
    path.write_text("hooks: {a: [\n")
    ran = console.run("hosts", "install", host, "--yes")
    assert (ran.status, "left as it is" in ran.err) == (2, True)
    by_hand = textwrap.dedent(ran.err.partition("hint: ")[2].partition("\n")[2])
    assert by_hand.strip() == told.strip()
    assert path.read_text() == "hooks: {a: [\n"


@pytest.mark.parametrize("name", ["AGENTS.md", "SOUL.md", "CLAUDE.md", "MEMORY.md"])
def test_no_hook_is_put_into_a_protected_file(console: Console, user: Path, name: str) -> None:
    target = Path(console.home.path(name))
    target.write_text("" if not target.exists() else target.read_text())
    before = target.read_bytes()
    link = user / ".claude" / "settings.json"
    for make in (link.symlink_to, lambda path: os.link(path, link)):
        make(target)
        if name != "CLAUDE.md" or link.is_symlink():
            assert "protected file" in console.refused("hosts", "install", "claude-code", "--yes")
        link.unlink()
    assert target.read_bytes() == before


def test_a_file_that_changes_under_our_hands_is_not_overwritten(console: Console, user: Path) -> None:
    settings = user / ".claude" / "settings.json"
    settings.write_text('{"model": "x"}')
    (step,) = plan_install(console.home, "claude_code", str(settings.parent))
    settings.write_text("{}")
    with pytest.raises(FileChangedError):
        take(step)
    assert settings.read_text() == "{}"


@from_corpus("surfaces-verbs-hosts")
def test_a_file_behind_a_link_comes_back_byte_for_byte_and_the_link_stays(
    console: Console, user: Path, tmp_path: Path, host: str, name: str, content: str
) -> None:
    dotfiles = tmp_path / "dotfiles"
    dotfiles.mkdir()
    (dotfiles / name).write_text(content)
    link = (user / (".claude" if host == "claude-code" else ".hermes")).resolve() / name
    link.symlink_to(os.path.relpath(dotfiles / name, link.parent))
    for _ in range(2):
        install(console, host)
        assert "prompt_hook.py" in (dotfiles / name).read_text()
        remove(console, host)
        assert link.is_symlink()
        assert (dotfiles / name).read_text() == content
        assert os.listdir(dotfiles) == [name]
        assert os.listdir(link.parent) == [name]


def test_comments_of_yaml_come_back_also_where_a_moved_home_was_hooked_again(
    console: Console, config: Path, tmp_path: Path
) -> None:
    install(console, "hermes")
    (tmp_path / "other-keys").symlink_to(tmp_path / "keys")
    moved = Console(desk=replace(console.desk, ring=KeyRing(tmp_path / "other-keys")))
    install(moved, "hermes")
    assert "other-keys" in config.read_text()
    remove(moved, "hermes")
    assert config.read_text() == YAML


def test_a_copy_with_comments_stays_where_yaml_was_edited_since(console: Console, config: Path) -> None:
    copy = config.with_name("config.yaml.before-nightledger")
    install(console, "hermes")
    config.write_text(config.read_text().replace("model: x", "model: y"))
    assert f"{copy.name}stays:" in "".join(remove(console, "hermes").split())
    assert (config.read_text(), copy.read_text()) == ("model: y\n", YAML)


def test_comments_that_stand_in_no_copy_are_not_taken_away(console: Console, config: Path) -> None:
    config.write_text("model: 'a # b'\n")
    install(console, "hermes")
    hooked = config.read_text()
    config.write_text(f"{hooked}# mine\n")
    said = console.refused("hosts", "remove", "hermes", "--yes")
    assert "has comments, which would go" in said
    assert config.read_text() == f"{hooked}# mine\n"
    config.write_text(hooked)
    remove(console, "hermes")
    assert config.read_text() == "model: 'a # b'\n"


def test_hooks_of_two_events_that_share_their_list_get_each_its_own(console: Console, config: Path) -> None:
    config.write_text("hooks:\n  pre_llm_call: &all [{command: mine}]\n  pre_tool_call: *all\n")
    install(console, "hermes")
    hooks = yaml.safe_load(config.read_text())["hooks"]
    assert [len(hooks[event]) for event in ("pre_llm_call", "pre_tool_call")] == [2, 2]
