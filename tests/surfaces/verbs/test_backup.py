import json
import os
import tarfile
from pathlib import Path

import pytest
from tests.gate.homes import addition
from tests.surfaces.calling import Caller, make_caller, write_identity

from nightledger.domain.errors import (
    ConfigurationError,
    IntegrityError,
    LockedError,
    RefusedError,
)
from nightledger.files.archive import ArchiveError, Source, read_archive, write_archive
from nightledger.files.atomic import TEMP_SUFFIX
from nightledger.files.home import Home
from nightledger.files.lock import Lock
from nightledger.gate.opening import sign_head
from nightledger.surfaces import session
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


def records(root: Path) -> dict[str, bytes]:
    """Give every file of a home that is not disposable."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".nightledger" not in path.parts
    }


def elsewhere(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make it another machine, without keys."""
    keys = caller.root / "other keys"
    monkeypatch.setenv("NIGHTLEDGER_KEYS", str(keys))
    return keys


def test_a_backup_restored_is_the_same_home(caller: Caller) -> None:
    caller.desk.applied(addition("Use the blue switch."))
    path = backup(caller)
    target = caller.root / "new"
    assert caller.run("restore", str(path), home=target) == 0
    assert records(target) == records(Path(caller.home.root))
    assert caller.run("verify", home=target) == 0
    assert (target / "MEMORY.md").stat().st_mode == caller.desk.memory.stat().st_mode


def test_a_backup_holds_records_and_logs_and_nothing_else(caller: Caller) -> None:
    Path(caller.home.root, "secret-notes.md").write_text("mine")
    Path(caller.home.state_dir, f".x.1.0{TEMP_SUFFIX}").write_text("half")
    names = names_in(backup(caller))
    assert "home/MEMORY.md" in names
    assert "home/memory/2026-02-28.md" in names
    assert "home/audit/trusted-channel-audit.jsonl" in names
    assert "home/config/nightledger/home.json" in names
    assert names[-1] == "manifest.json"
    assert not [name for name in names if ".nightledger/" in name or "notes" in name or TEMP_SUFFIX in name]


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


def test_a_gated_file_that_is_a_link_within_the_home_comes_back_as_a_file(caller: Caller) -> None:
    real = Path(caller.home.root, "real.md")
    caller.desk.memory.rename(real)
    caller.desk.memory.symlink_to("real.md")
    caller.run("restore", str(backup(caller)), home=caller.root / "new")
    assert (caller.root / "new" / "MEMORY.md").read_bytes() == real.read_bytes()
    assert not (caller.root / "new" / "MEMORY.md").is_symlink()


def test_a_private_key_comes_into_no_backup_by_a_link(caller: Caller) -> None:
    keys = caller.desk.ring.home_dir(caller.home.identity.id)
    Path(caller.home.archive_dir).symlink_to(keys)
    caller.desk.memory.unlink()
    caller.desk.memory.symlink_to(keys / "operator")
    path = caller.root / "b.tar.gz"
    record = caller.record("backup", str(path))
    assert {"MEMORY.md", "memory/archive/operator", "memory/archive/log-ed25519"} <= set(record["skipped"])
    assert not [name for name in names_in(path) if "archive" in name or "MEMORY" in name]


def test_a_directory_of_ours_that_is_a_link_is_backed_up_and_named(caller: Caller) -> None:
    memory, vault = Path(caller.home.memory_dir), caller.root / "vault"
    memory.rename(vault)
    memory.symlink_to(vault)
    path = backup(caller)
    assert f"memory is a link to {vault}: what lies there is in it, too" in caller.capsys.readouterr().err
    caller.run("restore", str(path), home=caller.root / "new")
    assert (caller.root / "new" / "memory" / "2026-02-28.md").is_file()


def test_a_backup_never_takes_a_name_that_is_taken_or_lies_in_the_home(caller: Caller) -> None:
    path = backup(caller)
    before = path.read_bytes()
    with pytest.raises(RefusedError, match="exists"):
        caller.run("backup", str(path))
    assert path.read_bytes() == before
    with pytest.raises(RefusedError, match="lies in the home"):
        caller.run("backup", str(Path(caller.home.root, "b.tar.gz")))
    with pytest.raises(ConfigurationError, match="is no directory"):
        caller.run("backup", str(caller.root / "none" / "b.tar.gz"))


def test_a_backup_waits_for_a_run_that_is_at_work(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "LOCK_TIMEOUT_S", 0.0)
    with Lock(caller.home.lock_path()), pytest.raises(LockedError):
        caller.run("backup", str(caller.root / "b.tar.gz"))
    assert not (caller.root / "b.tar.gz").exists()


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


def test_a_directory_that_is_not_empty_is_never_touched(caller: Caller) -> None:
    path = backup(caller)
    target = caller.root / "new"
    target.mkdir()
    (target / "mine").write_text("mine")
    with pytest.raises(RefusedError, match="is not empty"):
        caller.run("restore", str(path), home=target)
    assert [p.name for p in target.iterdir()] == ["mine"]
    with pytest.raises(RefusedError, match="is no directory"):
        caller.run("restore", str(path), home=target / "mine")
    (target / "mine").unlink()
    assert caller.run("restore", str(path), home=target) == 0


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


def test_another_machine_with_the_keys_takes_over_and_goes_on(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_identity(caller.home, machine="attic")
    path = backup(caller, "--with-keys")
    keys = elsewhere(caller, monkeypatch)
    text = caller.text("restore", str(path), "--take-over", home=caller.root / "new")
    assert "Put into" in text
    assert "had never seen this home" in text
    home = Home(caller.root / "new")
    assert home.identity.machine == session.this_machine()
    assert oct((keys / home.identity.id / "operator").stat().st_mode)[-3:] == "600"
    assert caller.run("verify", home=caller.root / "new") == 0
    new = caller.root / "new.md"
    new.write_text("# MEMORY.md\n")
    assert caller.run("edit", "--from", str(new), home=caller.root / "new") == 0


def test_keys_that_are_here_are_never_overwritten(caller: Caller) -> None:
    path = backup(caller, "--with-keys")
    keys = KeyRing(caller.root / "keys").home_dir(caller.home.identity.id)
    before = {p.name: p.read_bytes() for p in keys.iterdir()}
    caller.run("restore", str(path), home=caller.root / "new")
    assert {p.name: p.read_bytes() for p in keys.iterdir()} == before


def test_a_tar_that_holds_no_home_or_something_else_is_refused(caller: Caller) -> None:
    stray = caller.root / "stray"
    stray.write_text("x")
    write_archive(str(caller.root / "a"), [Source(name="home/x", path=str(stray))], {})
    identity = Source(name="home/config/nightledger/home.json", path=caller.home.identity_file)
    write_archive(str(caller.root / "c"), [identity, Source(name="keys/x/authorized", path=str(stray))], {})
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
    names = sorted({name, *(member.path for member in archive.members)})
    write_archive(str(made), [Source(name=each, path=str(unpacked / each)) for each in names], {})
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
