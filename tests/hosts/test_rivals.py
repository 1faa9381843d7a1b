"""What a host's own settings say of writers beside the gate."""

import json
from pathlib import Path

import pytest
from tests.rows import from_corpus

from nightledger.hosts.configured import Unread
from nightledger.hosts.workspaces import Rival, find_rivals


def rivals(host: str, root: Path) -> list[Rival]:
    found = find_rivals(host, str(root), str(root / "home"))
    return [one for one in found if isinstance(one, Rival)]


@from_corpus("hosts-rivals")
def test_what_writes_beside_the_gate_is_named_where_settings_say_so_or_say_nothing(
    host: str, file: str, text: str, named: dict[str, bool | None], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Of Hermes with its own memory off: it keeps its user's profile still."""
    root = tmp_path_factory.mktemp(host)
    (root / file).write_text(text)
    assert {one.name: one.is_on for one in rivals(host, root)} == named


def test_a_writer_is_told_with_the_file_and_the_setting_that_turns_it_off(tmp_path: Path) -> None:
    (tmp_path / "openclaw.json").write_text("{}")
    (rival,) = rivals("openclaw", tmp_path)
    assert rival.path == str(tmp_path / "openclaw.json")
    assert rival.setting == "plugins.entries.memory-core.config.dreaming.enabled: false"


@from_corpus("hosts-rivals")
def test_a_configuration_that_cannot_be_read_is_said_to_be(
    tmp_path_factory: pytest.TempPathFactory, host: str, file: str
) -> None:
    root = tmp_path_factory.mktemp(host)
    (root / file).write_text("[")
    unread, *others = find_rivals(host, str(root), str(root / "home"))
    assert isinstance(unread, Unread)
    assert (unread.path, len(others)) == (str(root / file), 2 if host == "claude_code" else 0)


def test_where_auto_memory_is_kept_is_told(tmp_path: Path) -> None:
    def told(folder: object) -> str:
        settings = {"autoMemoryDirectory": folder, "autoDreamEnabled": False}
        (tmp_path / "settings.json").write_text(json.dumps(settings))
        (rival,) = rivals("claude_code", tmp_path)
        return rival.writes

    assert told(None) == "keeps a memory of its own under projects/*/memory, beside yours"
    assert told("/elsewhere") == "keeps a memory of its own in /elsewhere, beside yours"
    assert told(f"{tmp_path}/home/").startswith("is told to write MEMORY.md here, past the gate")
