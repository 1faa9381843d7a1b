import json
from pathlib import Path

import pytest
from tests.rows import from_corpus

from nightledger.hosts.configured import Unread
from nightledger.hosts.workspaces import Rival, find_rivals

DREAMING = "plugins.entries.memory-core.config.dreaming.enabled: false"


def openclaw(root: Path, text: str) -> tuple[Rival | Unread, ...]:
    (root / "openclaw.json").write_text(text)
    return find_rivals("openclaw", str(root), str(root / "workspace"))


def test_dreaming_that_is_on_is_named_with_its_setting(tmp_path: Path) -> None:
    (rival,) = openclaw(
        tmp_path, '{plugins: {entries: {"memory-core": {config: {dreaming: {enabled: true,}}}}}}'
    )
    assert isinstance(rival, Rival)
    assert (rival.is_on, rival.setting) == (True, DREAMING)
    assert rival.path == str(tmp_path / "openclaw.json")


def test_dreaming_without_a_setting_may_be_on_and_turned_off_is_not_named(tmp_path: Path) -> None:
    (rival,) = openclaw(tmp_path, "{}")
    assert isinstance(rival, Rival)
    assert rival.is_on is None
    off = '{plugins: {entries: {"memory-core": {config: {dreaming: {enabled: false}}}}}}'
    assert openclaw(tmp_path, off) == ()


@pytest.mark.parametrize(
    ("internal", "named"), [("", True), ("enabled: false,", False), ("enabled: true,", True)]
)
def test_the_session_memory_hook_is_named_where_hooks_run(internal: str, named: bool, tmp_path: Path) -> None:  # noqa: FBT001 - a case
    text = f"{{hooks: {{internal: {{{internal} entries: {{'session-memory': {{enabled: true}}}}}}}}}}"
    names = [one.name for one in openclaw(tmp_path, text) if isinstance(one, Rival)]
    assert ("OpenClaw's session-memory hook" in names) is named


def test_a_configuration_that_cannot_be_read_is_said_to_be(tmp_path: Path) -> None:
    (unread,) = openclaw(tmp_path, "{ what: is this")
    assert isinstance(unread, Unread)
    assert unread.path.endswith("openclaw.json")
    (tmp_path / "config.yaml").write_text("a: [")
    assert isinstance(find_rivals("hermes", str(tmp_path), str(tmp_path))[0], Unread)
    (tmp_path / "settings.json").mkdir()
    found = find_rivals("claude_code", str(tmp_path), str(tmp_path / "home"))
    assert [type(one) for one in found] == [Unread, Rival, Rival]


def claude(root: Path, **settings: object) -> list[str]:
    (root / "settings.json").write_text(json.dumps(settings))
    found = find_rivals("claude_code", str(root), str(root / "home"))
    return [one.name for one in found if isinstance(one, Rival)]


def test_auto_memory_is_on_unless_a_setting_says_no(tmp_path: Path) -> None:
    assert claude(tmp_path, autoDreamEnabled=False) == ["Claude Code auto memory"]
    assert claude(tmp_path, autoMemoryEnabled=False, autoDreamEnabled=True) == []
    assert claude(tmp_path, autoDreamEnabled=True) == ["Claude Code auto memory", "Claude Code auto dream"]


@from_corpus("hosts-rivals")
def test_a_variable_in_the_settings_says_more_than_the_setting(
    variable: object,
    setting: bool | None,  # noqa: FBT001 - a case
    named: bool,  # noqa: FBT001 - a case
    tmp_path: Path,
) -> None:
    found = claude(
        tmp_path,
        env={"CLAUDE_CODE_DISABLE_AUTO_MEMORY": variable},
        autoDreamEnabled=False,
        **({} if setting is None else {"autoMemoryEnabled": setting}),
    )
    assert found == (["Claude Code auto memory"] if named else [])


def test_where_auto_memory_is_kept_is_told(tmp_path: Path) -> None:
    def told(folder: object) -> str:
        claude(tmp_path, autoMemoryDirectory=folder, autoDreamEnabled=False)
        (rival,) = find_rivals("claude_code", str(tmp_path), str(tmp_path / "home"))
        assert isinstance(rival, Rival)
        return rival.writes

    assert told(None) == "keeps a memory of its own under projects/*/memory, beside yours"
    assert told("/elsewhere") == "keeps a memory of its own in /elsewhere, beside yours"
    assert told(f"{tmp_path}/home/").startswith("is told to write MEMORY.md here, past the gate")


@from_corpus("hosts-rivals")
def test_codex_memories_are_named_where_they_are_turned_on(text: str, named: bool, tmp_path: Path) -> None:  # noqa: FBT001 - a case
    (tmp_path / "config.toml").write_text(text)
    found = find_rivals("codex", str(tmp_path), str(tmp_path))
    assert [one.name for one in found if isinstance(one, Rival)] == (["Codex memories"] if named else [])
    (tmp_path / "config.toml").write_text("[")
    assert isinstance(find_rivals("codex", str(tmp_path), str(tmp_path))[0], Unread)


@from_corpus("hosts-rivals")
def test_hermes_writes_unless_it_asks_first(text: str, named: bool, tmp_path: Path) -> None:  # noqa: FBT001 - a case
    """With its own memory off it keeps its user's profile still."""
    (tmp_path / "config.yaml").write_text(text)
    assert bool(find_rivals("hermes", str(tmp_path), str(tmp_path))) is named
