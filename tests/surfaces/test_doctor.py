"""What ``doctor`` finds and prints."""

import os
import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from tests.gate.homes import Desk
from tests.homes import make_home
from tests.rows import from_corpus
from tests.surfaces.calling import Caller, make_caller
from tests.trust.ssh_keys import SoftKey

from nightledger.files.home import Home
from nightledger.files.owner import Flag
from nightledger.gate import gated as locking
from nightledger.surfaces.doctor_home import (
    agent_lines,
    check_locks,
    check_program,
    check_rivals,
    check_staging,
    offer,
)
from nightledger.surfaces.doctor_keys import Check, Protection, State, check_keys, protection
from nightledger.surfaces.screen import sentences
from nightledger.trust import note
from nightledger.trust.sshsig import ED25519, SK_ECDSA_P256, SK_ED25519


@pytest.fixture
def caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Caller:
    monkeypatch.setattr(shutil, "which", lambda _: None)  # no crontab of this machine
    return make_caller(tmp_path, monkeypatch, capsys)


def keys_of(caller: Caller) -> Path:
    return caller.root / "keys" / caller.home.identity.id


def files_of(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_it_says_what_holds_and_what_an_agent_could_still_do(caller: Caller) -> None:
    level = "Level: one user on one machine, operator's key without passphrase."
    assert level in caller.text("doctor")
    text = caller.text("doctor", "--level")
    assert level in text
    assert "read the operator's key and sign in your name" in text
    assert "write to MEMORY.md directly" in text
    assert "Not in this version: - " in text
    assert "a model behind the consolidator" in text


def test_a_key_in_an_agent_is_one_of_which_only_the_public_half_is_here(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    (keys_of(caller) / "operator").unlink()
    monkeypatch.setenv("SSH_AUTH_SOCK", "/run/user/agent")
    assert "operator's key in an agent" in caller.text("doctor")
    text = caller.text("doctor", "--all")
    assert "may sign, as 'operator'" in text
    assert "ok the operator's key is in an agent" in text
    monkeypatch.delenv("SSH_AUTH_SOCK")
    text = caller.text("doctor", "--all")
    assert "-- the operator's key is not in a file here, and $SSH_AUTH_SOCK names no agent" in text
    assert "key reset --passphrase-forgotten" in text


def test_a_key_that_others_may_read_comes_with_the_command_that_mends_it(caller: Caller) -> None:
    path = keys_of(caller) / "operator"
    path.chmod(0o644)
    keys_of(caller).chmod(0o750)
    fixes = [c["fix"] for c in caller.record("doctor")["checks"] if c["state"] == "bad"]
    assert f"chmod 700 '{path.parent}'" in fixes
    assert any(fix.startswith(f"chmod 600 '{path}'") for fix in fixes)
    assert caller.record("doctor")["level"].endswith("without passphrase")


def test_without_a_home_only_the_program_is_looked_at(caller: Caller, tmp_path: Path) -> None:
    assert caller.run("doctor", home=tmp_path / "nowhere") == 1
    record = caller.record("doctor", home=tmp_path / "nowhere")
    assert {check["area"] for check in record["checks"]} == {"program", "home"}
    assert record["level"] is None
    assert "init --home" in caller.text("doctor", home=tmp_path / "nowhere")


def test_the_lines_for_the_agent_are_shown_to_be_pasted_and_written_nowhere(caller: Caller) -> None:
    path = Path(caller.home.root, "AGENTS.md")
    path.write_text("# House rules\n\nBe kind.")
    before = files_of(caller.root)
    record = caller.record("doctor")
    assert record["instructions"]["path"] == "AGENTS.md"
    assert f"+{agent_lines()[1]}\n" in record["instructions"]["diff"]
    assert "AGENTS.md lacks lines" in caller.text("doctor")
    assert caller.lines("doctor", "--paste")[0] == "## Memory"
    assert files_of(caller.root) == before


def test_no_line_but_a_command_is_wider_than_a_narrow_terminal(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    caller.desk.memory.write_text("mine")
    key = caller.desk.ring.path(caller.home.identity.id, "operator")
    lines = [line for words in ((), ("--all",), ("--level",)) for line in caller.lines("doctor", *words)]
    wide = [line.strip(" >") for line in lines if len(line) > 40]
    assert f"ssh-keygen -p -f '{key}'" in wide
    assert {line.split()[0].strip("'") for line in wide} <= set(sentences("commands")["programs"])


def look(home: Home) -> list[Check]:
    return list(check_locks(home))


def flags(monkeypatch: pytest.MonkeyPatch, answer: object) -> None:
    monkeypatch.setattr(locking, "read_flags", answer)


def test_a_staged_page_that_is_over_is_to_be_mended(caller: Caller) -> None:
    assert caller.run("stage") == 0
    assert not list(check_staging(caller.home, caller.desk.moment.at))
    (over,) = check_staging(caller.home, caller.desk.moment.at + timedelta(days=9))
    assert (over.state, "nothing stages" in over.message) == (State.BAD, True)
    Path(caller.home.path("config/nightledger/staging-rules.json")).write_text('{"a": 1}')
    found = [(one["area"], one["message"]) for one in caller.record("doctor")["checks"]]
    assert "staging" in [area for area, told in found if "staging-rules.json is not valid" in told]
    assert any("no notifier is set" in told for area, told in found if area == "home")


def test_with_locks_it_says_who_applies(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(path: str) -> frozenset[Flag]:
        os.lstat(path)  # what is not there cannot be looked at
        return frozenset({Flag.IMMUTABLE}) if path.endswith("MEMORY.md") else frozenset()

    flags(monkeypatch, answer)
    locked, rest, who = look(desk.home)
    assert (locked.state, locked.message) == (State.GOOD, "locked by the operating system: MEMORY.md")
    assert rest.message == "not locked: audit/trusted-channel-audit.jsonl"
    assert "only root applies" in who.message


def messages(state: State) -> list[str]:
    return [c.message for c in check_program() if c.state is state]


def test_what_the_platform_lacks_is_noted_and_not_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(note, "has_mldsa", lambda: False)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    notes = messages(State.NOTE)
    assert any("has no ML-DSA" in message for message in notes)
    assert any("ssh-keygen is missing" in message for message in notes)
    assert messages(State.BAD) == []


def checkout(tmp_path: Path, text: str) -> str:
    (tmp_path / "checkout" / "docs").mkdir(parents=True)
    (tmp_path / "checkout" / "docs" / "agent-instructions.md").write_text(text)
    return str(tmp_path / "checkout")


TEXT = "# Title\n\n```markdown\n## Memory\n- One.\n- Two.\n```\n\n```sh\nls\n```\n"


def added(diff: str) -> list[str]:
    return [line[1:] for line in diff.splitlines() if line.startswith("+") and not line.startswith("+++")]


@from_corpus("surfaces-doctor")
def test_only_what_is_missing_is_offered(before: str | None, expected: list[str], tmp_path: Path) -> None:
    home = make_home(tmp_path / "home")
    if before is not None:
        Path(home.root, "AGENTS.md").write_text(before)
    assert added(offer(home, checkout=checkout(tmp_path, TEXT)).diff) == expected


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a user's own directory without anything of the tester's."""
    for name in (
        "OPENCLAW_CONFIG_PATH",
        "OPENCLAW_STATE_DIR",
        "CLAUDE_CONFIG_DIR",
        "CODEX_HOME",
        "HERMES_HOME",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "ann"))
    return tmp_path / "ann"


def rivals_of(tmp_path: Path, host: str) -> list[Check]:
    return list(check_rivals(make_home(tmp_path / host, host=host)))


def test_a_configuration_that_a_variable_names_is_looked_into(
    user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = user / "elsewhere.json"
    config.parent.mkdir()
    config.write_text('{plugins: {entries: {"memory-core": {config: {dreaming: {enabled: true}}}}}}')
    monkeypatch.setenv("OPENCLAW_CONFIG_PATH", str(config))
    (check,) = rivals_of(tmp_path, "openclaw")
    assert check.fix == (
        f"to turn it off, set plugins.entries.memory-core.config.dreaming.enabled: false in {config}"
    )
    config.write_text("{plugins: {slots: {memory: 'none'}}}")
    (check,) = rivals_of(tmp_path, "openclaw")
    assert check.state is State.GOOD


def operator(desk: Desk) -> Path:
    return desk.ring.path(desk.home.identity.id, "operator")


@pytest.mark.parametrize(
    ("kind", "expected"),
    [(SK_ED25519, Protection.HARDWARE), (SK_ECDSA_P256, Protection.HARDWARE), (ED25519, Protection.AGENT)],
)
def test_the_public_side_tells_hardware_from_an_agent(desk: Desk, kind: str, expected: Protection) -> None:
    operator(desk).unlink()
    operator(desk).with_name("operator.pub").write_text(f"{SoftKey(kind).public.line}\n")
    assert protection(desk.home, desk.ring) is expected


def test_a_home_whose_peers_sign_holds_public_keys_only(desk: Desk) -> None:
    operator(desk).unlink()
    operator(desk).with_name("operator.pub").unlink()
    assert protection(desk.home, desk.ring) is Protection.MISSING
    Path(desk.home.root, "config", "nightledger", "peers.json").write_text("{}")
    assert protection(desk.home, desk.ring) is Protection.OTHER_MACHINE
    assert any(
        "decisions are signed on another machine" in c.message for c in check_keys(desk.home, desk.ring)
    )
