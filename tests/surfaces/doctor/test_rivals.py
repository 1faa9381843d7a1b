from pathlib import Path

import pytest
from tests.homes import make_home

from nightledger.surfaces.doctor.around import check_rivals
from nightledger.surfaces.doctor.checks import Check, State


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a user's own directory without anything of the tester's."""
    for name in (
        "OPENCLAW_HOME",
        "OPENCLAW_CONFIG_PATH",
        "OPENCLAW_STATE_DIR",
        "CLAUDE_CONFIG_DIR",
        "CODEX_HOME",
        "HERMES_HOME",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "ann"))
    return tmp_path / "ann"


def look(tmp_path: Path, host: str) -> list[Check]:
    return list(check_rivals(make_home(tmp_path / host, host=host)))


def test_a_rival_is_named_with_the_setting_and_the_file(user: Path, tmp_path: Path) -> None:
    config = user / ".openclaw" / "openclaw.json"
    config.parent.mkdir(parents=True)
    config.write_text('{plugins: {entries: {"memory-core": {config: {dreaming: {enabled: true}}}}}}')
    (check,) = look(tmp_path, "openclaw")
    assert check.state is State.NOTE
    assert check.message == "OpenClaw dreaming promotes lines to MEMORY.md by itself"
    assert check.fix == (
        f"to turn it off, set plugins.entries.memory-core.config.dreaming.enabled: false in {config}"
    )


def test_a_setting_that_is_not_there_is_said_not_to_be(user: Path, tmp_path: Path) -> None:
    config = user / ".openclaw" / "openclaw.json"
    config.parent.mkdir(parents=True)
    config.write_text("{}")
    (check,) = look(tmp_path, "openclaw")
    assert "does not say whether it is on" in check.message


def test_a_configuration_that_a_variable_names_is_looked_into(
    user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = user / "elsewhere.json"
    config.parent.mkdir()
    config.write_text('{plugins: {entries: {"memory-core": {config: {dreaming: {enabled: true}}}}}}')
    monkeypatch.setenv("OPENCLAW_CONFIG_PATH", str(config))
    (check,) = look(tmp_path, "openclaw")
    assert check.fix == (
        f"to turn it off, set plugins.entries.memory-core.config.dreaming.enabled: false in {config}"
    )
    config.write_text("{plugins: {slots: {memory: 'none'}}}")
    (check,) = look(tmp_path, "openclaw")
    assert check.state is State.GOOD
