"""What ``doctor`` finds and prints."""

import os
import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from tests.gate.homes import Desk
from tests.homes import make_home
from tests.rows import from_corpus
from tests.surfaces.console import Console
from tests.trust.ssh_keys import SoftKey

from nightledger.files.owner import Flag
from nightledger.gate import gated as locking
from nightledger.surfaces import doctor_home
from nightledger.surfaces.doctor_keys import Protection, State, check_keys, protection
from nightledger.trust import note
from nightledger.trust.sshsig import ED25519, SK_ECDSA_P256, SK_ED25519

TEXT = "# Title\n\n```markdown\n## Memory\n- One.\n- Two.\n```\n\n```sh\nls\n```\n"


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)  # no crontab of this machine, and no ssh-keygen


@pytest.fixture
def desk(console: Console) -> Desk:
    return console.desk


def test_a_key_in_an_agent_is_one_of_which_only_the_public_half_is_here(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    (console.keys / "operator").unlink()
    monkeypatch.setenv("SSH_AUTH_SOCK", "/run/user/agent")
    assert "operator's key in an agent" in console.text("doctor")
    text = console.text("doctor", "--all")
    assert "may sign, as 'operator'" in text
    assert "ok the operator's key is in an agent" in text
    monkeypatch.delenv("SSH_AUTH_SOCK")
    text = console.text("doctor", "--all")
    assert "-- the operator's key is not in a file here, and $SSH_AUTH_SOCK names no agent" in text
    assert "key reset --passphrase-forgotten" in text


def test_a_key_that_others_may_read_comes_with_the_command_that_mends_it(console: Console) -> None:
    path = console.keys / "operator"
    path.chmod(0o644)
    console.keys.chmod(0o750)
    record = console.record("doctor")
    fixes = [check["fix"] for check in record["checks"] if check["state"] == "bad"]
    assert f"chmod 700 '{path.parent}'" in fixes
    assert any(fix.startswith(f"chmod 600 '{path}'") for fix in fixes)
    assert record["level"].endswith("without passphrase")


def test_without_a_home_only_the_program_is_looked_at(console: Console, tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere"
    ran, record = console.run("doctor", home=nowhere), console.record("doctor", home=nowhere)
    assert (ran.status, "init --home" in ran.out) == (1, True)
    assert {check["area"] for check in record["checks"]} == {"program", "home"}
    assert record["level"] is None


def test_the_lines_for_the_agent_are_shown_to_be_pasted_and_written_nowhere(console: Console) -> None:
    path = Path(console.home.root, "AGENTS.md")
    path.write_text("# House rules\n\nBe kind.")
    shown = console.record("doctor")["instructions"]
    assert (shown["path"], f"+{doctor_home.agent_lines()[1]}\n" in shown["diff"]) == ("AGENTS.md", True)
    assert "AGENTS.md lacks lines" in console.text("doctor")
    assert console.out("doctor", "--paste").startswith("## Memory\n")
    assert path.read_text() == "# House rules\n\nBe kind."


@from_corpus("surfaces-doctor")
def test_only_what_is_missing_is_offered(before: str | None, expected: list[str], tmp_path: Path) -> None:
    home, page = make_home(tmp_path / "home"), tmp_path / "docs" / "agent-instructions.md"
    page.parent.mkdir()
    page.write_text(TEXT)
    if before is not None:
        Path(home.root, "AGENTS.md").write_text(before)
    lines = doctor_home.offer(home, checkout=str(tmp_path)).diff.splitlines()
    assert [row[1:] for row in lines if row.startswith("+") and not row.startswith("+++")] == expected


def test_a_staged_page_that_is_over_is_to_be_mended(console: Console) -> None:
    console.out("stage")
    assert not list(doctor_home.check_staging(console.home, console.desk.moment.at))
    (over,) = doctor_home.check_staging(console.home, console.desk.moment.at + timedelta(days=9))
    assert (over.state, "nothing stages" in over.message) == (State.BAD, True)
    Path(console.home.path("config/nightledger/staging-rules.json")).write_text('{"a": 1}')
    found = [(one["area"], one["message"]) for one in console.record("doctor")["checks"]]
    assert "staging" in [area for area, told in found if "staging-rules.json is not valid" in told]
    assert any("no notifier is set" in told for area, told in found if area == "home")


def test_with_locks_it_says_who_applies(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(path: str) -> frozenset[Flag]:
        os.lstat(path)  # what is not there cannot be looked at
        return frozenset({Flag.IMMUTABLE}) if path.endswith("MEMORY.md") else frozenset()

    monkeypatch.setattr(locking, "read_flags", answer)
    locked, rest, who = doctor_home.check_locks(desk.home)
    assert (locked.state, locked.message) == (State.GOOD, "locked by the operating system: MEMORY.md")
    assert rest.message == "not locked: audit/trusted-channel-audit.jsonl"
    assert "only root applies" in who.message


def test_what_the_platform_lacks_is_noted_and_not_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(note, "has_mldsa", lambda: False)
    found = list(doctor_home.check_program())
    notes = [check.message for check in found if check.state is State.NOTE]
    assert any("has no ML-DSA" in message for message in notes)
    assert any("ssh-keygen is missing" in message for message in notes)
    assert not [check for check in found if check.state is State.BAD]


def test_a_configuration_that_a_variable_names_is_looked_into(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, home = tmp_path / "elsewhere.json", make_home(tmp_path / "openclaw", host="openclaw")
    config.write_text('{plugins: {entries: {"memory-core": {config: {dreaming: {enabled: true}}}}}}')
    monkeypatch.setenv("OPENCLAW_CONFIG_PATH", str(config))
    (check,) = doctor_home.check_rivals(home)
    setting = "plugins.entries.memory-core.config.dreaming.enabled: false"
    assert check.fix == f"to turn it off, set {setting} in {config}"
    config.write_text("{plugins: {slots: {memory: 'none'}}}")
    (check,) = doctor_home.check_rivals(home)
    assert check.state is State.GOOD


def test_the_public_side_of_a_key_tells_hardware_an_agent_and_peers_that_sign(desk: Desk) -> None:
    key = desk.ring.path(desk.home.identity.id, "operator")
    key.unlink()
    for kind, expected in (
        (SK_ED25519, Protection.HARDWARE),
        (SK_ECDSA_P256, Protection.HARDWARE),
        (ED25519, Protection.AGENT),
    ):
        key.with_name("operator.pub").write_text(f"{SoftKey(kind).public.line}\n")
        assert protection(desk.home, desk.ring) is expected
    key.with_name("operator.pub").unlink()
    assert protection(desk.home, desk.ring) is Protection.MISSING
    Path(desk.home.root, "config", "nightledger", "peers.json").write_text("{}")
    assert protection(desk.home, desk.ring) is Protection.OTHER_MACHINE
    told = [check.message for check in check_keys(desk.home, desk.ring)]
    assert any("decisions are signed on another machine" in message for message in told)
