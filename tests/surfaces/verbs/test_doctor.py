import shutil
from pathlib import Path

import pytest
from tests.surfaces.calling import Caller, make_caller, write_identity

from nightledger.surfaces.hints import PROGRAMS
from nightledger.surfaces.instructions import agent_lines
from nightledger.trust.keys import create_operator_key


@pytest.fixture
def caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Caller:
    monkeypatch.setattr(shutil, "which", lambda _: None)  # no crontab of this machine
    return make_caller(tmp_path, monkeypatch, capsys)


def keys_of(caller: Caller) -> Path:
    return caller.root / "keys" / caller.home.identity.id


def found(caller: Caller, state: str) -> list[str]:
    return [c["message"] for c in caller.record("doctor")["checks"] if c["state"] == state]


def files_of(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_a_sound_home_has_nothing_to_mend(caller: Caller) -> None:
    assert caller.run("doctor") == 0
    assert found(caller, "bad") == []
    assert caller.lines("doctor")[-1] == "All that is needed is there."


def test_it_says_what_holds_and_what_an_agent_could_still_do(caller: Caller) -> None:
    level = "Level: one user on one machine, operator's key without passphrase."
    assert level in caller.text("doctor")
    text = caller.text("doctor", "--level")
    assert level in text
    assert "read the operator's key and sign in your name" in text
    assert "write to MEMORY.md directly" in text
    assert "Not in this version: - " in text
    assert "a model behind the consolidator" in text


def test_a_passphrase_raises_the_level(caller: Caller) -> None:
    for name in ("operator", "operator.pub"):
        (keys_of(caller) / name).unlink()
    create_operator_key(caller.desk.ring, caller.home.identity.id, passphrase=b"a long one")
    text = caller.text("doctor", "--level")
    assert "operator's key with a passphrase" in text
    assert "the memory of a review for the passphrase, and then sign in your name" in text
    assert "no key here may sign" in caller.text("doctor")


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


def test_a_missing_operator_key_is_to_be_mended(caller: Caller) -> None:
    for name in ("operator", "operator.pub"):
        (keys_of(caller) / name).unlink()
    assert caller.run("doctor") == 1
    text = caller.text("doctor")
    assert "nobody can sign here" in text
    assert "no key here may sign; allowed_signers has: operator" in text
    assert "2 things to mend" in text


def test_a_key_that_others_may_read_comes_with_the_command_that_mends_it(caller: Caller) -> None:
    path = keys_of(caller) / "operator"
    path.chmod(0o644)
    keys_of(caller).chmod(0o750)
    fixes = [c["fix"] for c in caller.record("doctor")["checks"] if c["state"] == "bad"]
    assert f"chmod 700 '{path.parent}'" in fixes
    assert any(fix.startswith(f"chmod 600 '{path}'") for fix in fixes)
    assert caller.record("doctor")["level"].endswith("without passphrase")


def test_no_keys_at_all_names_where_they_were_looked_for(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NIGHTLEDGER_KEYS", str(caller.root / "elsewhere"))
    assert any(str(caller.root / "elsewhere") in message for message in found(caller, "bad"))
    assert any("has not pinned the log's keys" in message for message in found(caller, "note"))


def test_a_log_key_without_post_quantum_line_is_noted(caller: Caller) -> None:
    (keys_of(caller) / "log-mldsa44").unlink()
    assert any("no ML-DSA-44 key" in message for message in found(caller, "note"))


def test_a_file_over_the_cap_of_its_host_is_noted(caller: Caller) -> None:
    write_identity(caller.home, host="openclaw")
    assert any("of the 20,000 characters" in message for message in found(caller, "good"))
    caller.desk.memory.write_text("x" * 21_000)
    assert any(
        "21,000 of the 20,000 characters that its host shows (agents.defaults.bootstrapMaxChars" in message
        for message in found(caller, "note")
    )
    assert any(
        "its files look like generic; it is recorded as host openclaw" in m for m in found(caller, "note")
    )


def test_daily_logs_are_counted_and_silence_is_noted(caller: Caller) -> None:
    assert any("no daily logs in memory" in message for message in found(caller, "note"))
    for day in ("2026-02-26", "2026-02-27"):
        Path(caller.home.memory_dir, f"{day}.md").write_text("- a line\n")
    assert "2 daily logs in memory, the newest of 2026-02-27" in found(caller, "good")
    caller.desk.wait(days=5)
    assert any("nothing for 7 days" in message for message in found(caller, "note"))


def test_settings_that_are_not_valid_are_named(caller: Caller) -> None:
    Path(caller.home.settings).write_text("cooling_hours: 0\n")
    assert any("cooling_hours" in message for message in found(caller, "bad"))
    Path(caller.home.settings).write_text("cooling_hours: 3\n")
    assert any("shipped, and config/nightledger/nightledger.yaml" in m for m in found(caller, "good"))


def test_a_log_from_the_future_tells_that_the_clock_is_wrong(caller: Caller) -> None:
    record = caller.record("doctor", now="2026-02-27T06:00:00Z")
    wrong = [c for c in record["checks"] if c["area"] == "clock" and c["state"] == "bad"]
    assert "of 2026-03-01 06:00 UTC, which is still to come" in wrong[0]["message"]


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


def test_instructions_that_have_the_lines_are_left_alone(caller: Caller) -> None:
    Path(caller.home.root, "AGENTS.md").write_text("\n".join(agent_lines()) + "\n")
    assert caller.record("doctor")["instructions"]["diff"] == ""
    assert "lacks lines" not in caller.text("doctor")
    assert caller.lines("doctor", "--paste") == []


def test_no_line_but_a_command_is_wider_than_a_narrow_terminal(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    caller.desk.memory.write_text("mine")
    key = caller.desk.ring.path(caller.home.identity.id, "operator")
    lines = [line for words in ((), ("--all",), ("--level",)) for line in caller.lines("doctor", *words)]
    wide = [line.strip(" >") for line in lines if len(line) > 40]
    assert f"ssh-keygen -p -f '{key}'" in wide
    assert {line.split()[0].strip("'") for line in wide} <= set(PROGRAMS)
