"""The skill that tells an agent when to record and hand off: shown, costed, put in, and every command in it works."""

import re
import subprocess

import pytest
from tests.blackbox.world import Folder, World
from tests.rows import each_row

PLACES = {
    "claude-code": ("CLAUDE_CONFIG_DIR", "claude/skills"),
    "codex": ("CODEX_HOME", "own/.agents/skills"),
    "hermes": ("HERMES_HOME", "hermes/skills"),
    "openclaw": ("OPENCLAW_STATE_DIR", "openclaw/skills"),
}


@each_row("host", PLACES)
def test_it_is_shown_with_its_cost_put_in_once_the_owner_says_so_and_taken_out(
    new_folder: Folder, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    from tests.blackbox.world import found

    world = found(new_folder())
    monkeypatch.setenv("HOME", str(world.root / "own"))
    variable, place = PLACES[host]
    world.environment |= {variable: str(world.root / place.split("/")[0]), "HOME": str(world.root / "own")}
    folder = world.root / place
    own = folder / "mine" / "SKILL.md"
    own.parent.mkdir(parents=True)
    own.write_text("mine")
    shown = world.run("hosts", "install", host, "--skill")
    assert "Nothing was changed" in shown.text
    assert list(folder.iterdir()) == [own.parent]
    always, read = map(int, re.findall(r"costs (\d+) tokens in each session.* and (\d+) more", shown.text)[0])
    world.ok("hosts", "install", host, "--skill", "--yes")
    (path,) = folder.glob("nightledger-*/SKILL.md")
    size = len(path.read_bytes())
    assert always + read <= size // 3 + 2
    assert always < 60
    assert f"name: {path.parent.name}\n" in path.read_text()
    assert str(world.home) in path.read_text()
    assert "the skill is there" in world.ok("hosts", "install", host, "--skill")
    world.ok("hosts", "remove", host, "--yes")
    assert list(folder.iterdir()) == [own.parent]
    assert own.read_text() == "mine"


def test_an_agent_can_run_each_command_that_it_names(world: World) -> None:
    text = world.json("hosts", "install", "claude-code", "--skill")["files"][0]["shown"]
    program, home = re.findall(
        r"^`nightledger` is `(.+)`; end each command with ` --home (.+)`", text, re.MULTILINE
    )[0]
    commands = re.findall(r"`((?:echo .+ \| )?nightledger [a-z].+?)`", text)
    assert len(commands) == 8
    last = ""
    for command in commands:
        line = command.replace("ID", last).replace("nightledger", f"{program}", 1)
        words = ["/bin/sh", "-c", f"{line} --json --home {home} --now {world.now.isoformat()}"]
        ran = subprocess.run(words, capture_output=True, text=True, check=False, env={"NIGHTLEDGER_KEYS": str(world.keys), "PATH": "/usr/bin:/bin", "CLAUDECODE": "1"})  # fmt: skip
        assert ran.returncode == 0, (command, ran.stderr)
        last = next(iter(re.findall(r'"id": ?"([a-z]-[a-z2-7]{26})"', ran.stdout)), "")
    ended = world.json("record", "decision", "list", "--all") + world.json("record", "trail", "list", "--all")
    assert [one["state"] for one in ended] == ["resolved", "resolved"]


def test_an_agent_cannot_put_it_in_and_no_protected_file_is_written(world: World) -> None:
    world.environment |= {"CLAUDE_CONFIG_DIR": str(world.root / "claude"), "CLAUDECODE": "1"}
    ran = world.run("hosts", "install", "claude-code", "--skill", "--yes")
    del world.environment["CLAUDECODE"]
    if ran.status == 0:  # a simulated home lets anybody play the person
        world.ok("hosts", "remove", "claude-code", "--yes")
    folder = next((world.root / "claude" / "skills").glob("nightledger-*"), None)
    assert folder is None
    text = world.read()
    world.ok("hosts", "install", "claude-code", "--skill", "--yes")
    (path,) = (world.root / "claude" / "skills").glob("nightledger-*/SKILL.md")
    path.unlink()
    path.symlink_to(world.home / "MEMORY.md")
    world.tells("protected file", "hosts", "install", "claude-code", "--skill", "--yes", status=1)
    assert world.read() == text


@pytest.mark.parametrize("is_linked", [False, True])
def test_what_is_not_the_skill_stays_when_that_is_taken_out(world: World, *, is_linked: bool) -> None:
    world.environment |= {"CLAUDE_CONFIG_DIR": str(world.root / "claude")}
    world.ok("hosts", "install", "claude-code", "--skill", "--yes")
    (path,) = (world.root / "claude" / "skills").glob("nightledger-*/SKILL.md")
    mine = world.root / "mine.txt" if is_linked else path
    if is_linked:
        path.unlink()
        path.symlink_to(mine)
    mine.write_text("mine")
    assert "nothing of this home" in world.ok("hosts", "remove", "claude-code", "--yes")
    assert (mine.read_text(), path.read_text()) == ("mine", "mine")
