import json
import os
import tarfile
from pathlib import Path

import pytest
from tests.gate.homes import addition
from tests.surfaces.calling import Caller, make_caller, write_identity

from nightledger.domain.errors import (
    IntegrityError,
)
from nightledger.files.archive import ArchiveError, read_archive, write_archive
from nightledger.gate.opening import sign_head
from nightledger.trust.keys import KeyRing


@pytest.fixture
def caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Caller:
    made = make_caller(tmp_path, monkeypatch, capsys)
    Path(made.home.memory_dir, "2026-02-28.md").write_text("- the relay restarted\n")
    return made


def backup(caller: Caller, *words: str) -> Path:
    sign_head(caller.desk.gate, caller.desk.moment)
    path = caller.root / "b.tar.gz"
    assert caller.run("backup", str(path), *words) == 0
    return path


def names_in(path: Path) -> list[str]:
    with tarfile.open(path) as tar:
        return tar.getnames()


def elsewhere(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make it another machine, without keys."""
    keys = caller.root / "other keys"
    monkeypatch.setenv("NIGHTLEDGER_KEYS", str(keys))
    return keys


def test_private_keys_are_in_it_only_when_asked_for(caller: Caller) -> None:
    plain = names_in(backup(caller))
    assert {Path(name).name for name in plain if name.startswith("keys/")} == {
        "pin.json",
        "head.json",
        "operator.pub",
        "machine-ed25519.pub",
    }
    (caller.root / "b.tar.gz").unlink()
    caller.capsys.readouterr()
    full = names_in(backup(caller, "--with-keys"))
    said = caller.capsys.readouterr().err
    assert {Path(name).name for name in set(full) - set(plain)} == {
        "log-ed25519",
        "log-mldsa44",
        "machine-ed25519",
        "operator",
    }
    assert "which no passphrase protects" in said
    assert "it holds the operator's key without a passphrase" in said


def test_what_is_no_regular_file_is_left_out_and_named(caller: Caller) -> None:
    os.symlink("/etc", Path(caller.home.state_dir, "link"))
    os.mkfifo(Path(caller.home.memory_dir, "2026-02-27.md"))
    path = caller.root / "b.tar.gz"
    record = caller.record("backup", str(path))
    assert record["skipped"] == ["memory/2026-02-27.md", "memory/state/link"]
    assert record["files"] == len(names_in(path)) - 1


def test_a_private_key_comes_into_no_backup_by_a_link(caller: Caller) -> None:
    keys = caller.desk.ring.home_dir(caller.home.identity.id)
    Path(caller.home.archive_dir).symlink_to(keys)
    caller.desk.memory.unlink()
    caller.desk.memory.symlink_to(keys / "operator")
    path = caller.root / "b.tar.gz"
    record = caller.record("backup", str(path))
    assert {"MEMORY.md", "memory/archive/operator", "memory/archive/log-ed25519"} <= set(record["skipped"])
    assert not [name for name in names_in(path) if "archive" in name or "MEMORY" in name]


def test_a_gated_file_that_lies_outside_the_home_is_left_out_and_named(caller: Caller) -> None:
    outside = caller.root / "outside.md"
    caller.desk.memory.rename(outside)
    caller.desk.memory.symlink_to(outside)
    path = caller.root / "b.tar.gz"
    assert caller.record("backup", str(path))["skipped"] == ["MEMORY.md"]
    assert "home/MEMORY.md" not in names_in(path)


def test_a_damaged_log_is_backed_up_with_an_alarm_and_never_restored(caller: Caller) -> None:
    caller.desk.proposal(addition("Use the blue switch."))
    sign_head(caller.desk.gate, caller.desk.moment)
    log = Path(caller.home.audit_log)
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:-1]))
    path = caller.root / "b.tar.gz"
    assert caller.run("backup", str(path)) == 4
    assert "the log was damaged already" in caller.capsys.readouterr().err
    with pytest.raises(IntegrityError):
        caller.run("restore", str(path), home=caller.root / "new")
    assert not (caller.root / "new").exists()


def test_another_machine_can_look_and_is_told_what_is_missing(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_identity(caller.home, machine="attic")
    path = backup(caller)
    keys = elsewhere(caller, monkeypatch)
    record = caller.record("restore", str(path), home=caller.root / "new")
    assert record["machine"] == "attic"
    assert record["pinned_from_backup"]
    assert record["missing"] == ["log-ed25519", "log-mldsa44", "machine-ed25519", "operator"]
    assert sorted(record["keys"]) == ["head.json", "machine-ed25519.pub", "operator.pub", "pin.json"]
    assert caller.run("verify", home=caller.root / "new") == 0
    assert (keys / caller.home.identity.id).stat().st_mode & 0o777 == 0o700
    text = caller.text("restore", str(path), home=caller.root / "other")
    assert "had never seen this home" not in text
    assert "attic writes it; --take-over makes this machine the one" in text
    assert "Not here: log-ed25519" in text


def test_keys_that_are_here_are_never_overwritten(caller: Caller) -> None:
    path = backup(caller, "--with-keys")
    keys = KeyRing(caller.root / "keys").home_dir(caller.home.identity.id)
    before = {p.name: p.read_bytes() for p in keys.iterdir()}
    caller.run("restore", str(path), home=caller.root / "new")
    assert {p.name: p.read_bytes() for p in keys.iterdir()} == before


def test_a_tar_that_holds_no_home_or_something_else_is_refused(caller: Caller) -> None:
    stray = caller.root / "stray"
    stray.write_text("x")
    write_archive(str(caller.root / "a"), {"home/x": str(stray)}, {})
    identity = {"home/config/nightledger/home.json": caller.home.identity_file}
    write_archive(str(caller.root / "c"), {**identity, "keys/x/authorized": str(stray)}, {})
    for name, message in (("a", "holds no home"), ("c", "which no backup of ours does")):
        with pytest.raises(ArchiveError, match=message):
            caller.run("restore", str(caller.root / name), home=caller.root / "new")
    assert not [p for p in caller.root.iterdir() if "restoring" in p.name]


def with_more(caller: Caller, backup: Path, name: str, content: bytes) -> Path:
    """Give a copy of a backup with one file more, or another one in its place."""
    unpacked, made = caller.root / "unpacked", caller.root / "forged.tar.gz"
    archive = read_archive(str(backup), str(unpacked))
    (unpacked / name).parent.mkdir(exist_ok=True)
    (unpacked / name).write_bytes(content)
    names = sorted({name, *(member["path"] for member in archive.members)})
    write_archive(str(made), {each: str(unpacked / each) for each in names}, {})
    return made


@pytest.mark.parametrize("name", ["home/.claude/settings.json", "home/AGENTS.md", "home/memory/x.py"])
def test_a_file_that_no_backup_of_this_home_holds_is_put_nowhere(caller: Caller, name: str) -> None:
    forged = with_more(caller, backup(caller), name, b"{}")
    with pytest.raises(ArchiveError, match=f"holds '{name}', which no backup of ours does"):
        caller.run("restore", str(forged), home=caller.root / "new")
    assert not (caller.root / "new").exists()


def test_a_backup_whose_record_names_other_gated_files_than_its_log_is_refused(caller: Caller) -> None:
    record = json.loads(Path(caller.home.identity_file).read_bytes())
    record["gated"].append("AGENTS.md")
    name = "home/config/nightledger/home.json"
    forged = with_more(caller, backup(caller), name, json.dumps(record).encode())
    with pytest.raises(IntegrityError, match=r"ALTERED .*gated was .* at init, and is .*AGENTS"):
        caller.run("restore", str(forged), home=caller.root / "new")
    assert not (caller.root / "new").exists()
