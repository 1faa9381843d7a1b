import json
import os
import re
import tarfile
from pathlib import Path

import pytest
from tests.gate.homes import addition, make_desk
from tests.recall.asking import put
from tests.surfaces.console import Console

from nightledger.files.archive import read_archive, write_archive
from nightledger.gate.opening import sign_head
from nightledger.trust.keys import KeyRing

PUBLIC = ["head.json", "machine-ed25519.pub", "operator.pub", "pin.json"]
PRIVATE = ["log-ed25519", "log-mldsa44", "machine-ed25519", "operator"]
RECORD = "home/config/nightledger/home.json"


@pytest.fixture
def console(console: Console) -> Console:
    put(console.desk, "memory/2026-02-28.md", "- the relay restarted\n")
    sign_head(console.desk.gate, console.desk.moment)
    return console


@pytest.fixture
def path(console: Console) -> Path:
    """Where a backup is put."""
    return console.desk.root / "b.tar.gz"


def names_in(path: Path) -> list[str]:
    with tarfile.open(path) as tar:
        return tar.getnames()


def keys_in(path: Path) -> list[str]:
    return sorted(Path(name).name for name in names_in(path) if name.startswith("keys/"))


def nothing_of(console: Console, backup: Path) -> str:
    """Restore what is no backup of ours, see that nothing comes of it, and give what is said."""
    said = console.refused("restore", str(backup), status=4, home=console.desk.root / "new")
    assert not [one for one in console.desk.root.iterdir() if "restoring" in one.name or one.name == "new"]
    return said


def test_private_keys_are_in_it_only_when_asked_for(console: Console, path: Path) -> None:
    console.out("backup", str(path))
    assert keys_in(path) == PUBLIC
    path.unlink()
    said = console.run("backup", str(path), "--with-keys").err
    assert keys_in(path) == sorted([*PUBLIC, *PRIVATE])
    assert "which no passphrase protects" in said
    assert "it holds the operator's key without a passphrase" in said


def test_what_is_no_regular_file_of_the_home_is_left_out_and_named_and_no_key_comes_in_by_a_link(
    console: Console, path: Path
) -> None:
    os.symlink("/etc", Path(console.home.state_dir, "link"))
    os.mkfifo(Path(console.home.memory_dir, "2026-02-27.md"))
    Path(console.home.archive_dir).symlink_to(console.keys)
    console.desk.memory.unlink()
    console.desk.memory.symlink_to(console.keys / "operator")
    record = console.record("backup", str(path))
    archived = {f"memory/archive/{name}" for name in os.listdir(console.keys)}
    assert {*record["skipped"]} == {"MEMORY.md", "memory/2026-02-27.md", "memory/state/link", *archived}
    assert record["files"] == len(names_in(path)) - 1
    assert not [name for name in names_in(path) if "archive" in name or "MEMORY" in name]


def test_a_gated_file_that_lies_outside_the_home_is_left_out_and_named(console: Console, path: Path) -> None:
    outside = console.desk.root / "outside.md"
    console.desk.memory.rename(outside)
    console.desk.memory.symlink_to(outside)
    assert console.record("backup", str(path))["skipped"] == ["MEMORY.md"]
    assert "home/MEMORY.md" not in names_in(path)


def test_a_damaged_log_is_backed_up_with_an_alarm_and_never_restored(console: Console, path: Path) -> None:
    console.desk.proposal(addition("Use the blue switch."))
    sign_head(console.desk.gate, console.desk.moment)
    log = Path(console.home.audit_log)
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:-1]))
    assert "the log was damaged already" in console.refused("backup", str(path), status=4)
    nothing_of(console, path)


def test_another_machine_can_look_and_is_told_what_is_missing(tmp_path: Path, path: Path) -> None:
    attic = Console(desk=make_desk(tmp_path / "attic", machine="attic"))
    sign_head(attic.desk.gate, attic.desk.moment)
    attic.out("backup", str(path))
    attic.desk.ring = KeyRing(tmp_path / "other keys")
    new = tmp_path / "new"
    record = attic.record("restore", str(path), home=new)
    assert record["machine"] == "attic"
    assert record["pinned_from_backup"]
    assert (record["missing"], sorted(record["keys"])) == (PRIVATE, PUBLIC)
    assert attic.run("verify", home=new).status == 0
    assert attic.keys.stat().st_mode & 0o777 == 0o700
    text = attic.text("restore", str(path), home=tmp_path / "other")
    assert "had never seen this home" not in text
    assert "attic writes it; --take-over makes this machine the one" in text
    assert "Not here: log-ed25519" in text


def test_keys_that_are_here_are_never_overwritten(console: Console, path: Path) -> None:
    console.out("backup", str(path), "--with-keys")
    before = {p.name: p.read_bytes() for p in console.keys.iterdir()}
    console.run("restore", str(path), home=console.desk.root / "new")
    assert {p.name: p.read_bytes() for p in console.keys.iterdir()} == before


def test_a_tar_that_holds_no_home_or_something_else_is_refused(console: Console, path: Path) -> None:
    stray = console.desk.root / "stray"
    stray.write_text("x")
    write_archive(str(path), {"home/x": str(stray)}, {})
    assert "holds no home" in nothing_of(console, path)
    path.unlink()
    write_archive(str(path), {RECORD: console.home.identity_file, "keys/x/authorized": str(stray)}, {})
    assert "which no backup of ours does" in nothing_of(console, path)


def with_more(console: Console, backup: Path, name: str, content: bytes) -> Path:
    """Give a copy of a backup with one file more, or another one in its place."""
    console.out("backup", str(backup))
    unpacked, made = console.desk.root / "unpacked", console.desk.root / "forged.tar.gz"
    archive = read_archive(str(backup), str(unpacked))
    (unpacked / name).parent.mkdir(exist_ok=True)
    (unpacked / name).write_bytes(content)
    names = sorted({name, *(member["path"] for member in archive.members)})
    write_archive(str(made), {each: str(unpacked / each) for each in names}, {})
    return made


@pytest.mark.parametrize("name", ["home/.claude/settings.json", "home/AGENTS.md", "home/memory/x.py"])
def test_a_file_that_no_backup_of_this_home_holds_is_put_nowhere(
    console: Console, path: Path, name: str
) -> None:
    said = nothing_of(console, with_more(console, path, name, b"{}"))
    assert f"holds '{name}', which no backup of ours does" in said


def test_a_backup_whose_record_names_other_gated_files_than_its_log_is_refused(
    console: Console, path: Path
) -> None:
    record = json.loads(Path(console.home.identity_file).read_bytes())
    record["gated"].append("AGENTS.md")
    said = nothing_of(console, with_more(console, path, RECORD, json.dumps(record).encode()))
    assert re.search(r"ALTERED .*gated was .* at init, and is .*AGENTS", said)
