import gzip
import io
import os
import tarfile
from pathlib import Path

import pytest

from nightledger.domain.errors import MissingFileError, UnreadableError
from nightledger.files.archive import ArchiveError, read_archive, write_archive


def sources(tmp_path: Path, **texts: str) -> dict[str, str]:
    found = {}
    for name, text in texts.items():
        path = tmp_path / f"{name}.txt"
        path.write_text(text)
        os.utime(path, (1_700_000_000, 1_700_000_000))
        path.chmod(0o640)
        found[f"home/{name}.txt"] = str(path)
    return found


def make(path: Path, members: list[tuple[tarfile.TarInfo, bytes]]) -> str:
    with tarfile.open(path, "w:gz") as tar:
        for info, content in members:
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return str(path)


def test_any_cut_and_any_flipped_byte_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "b"
    write_archive(str(path), sources(tmp_path, one="1" * 300, two="2" * 50), {})
    whole = path.read_bytes()
    for at in range(10, len(whole), 7):
        path.write_bytes(whole[:at])
        with pytest.raises(ArchiveError):
            read_archive(str(path))
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with pytest.raises(ArchiveError):
            read_archive(str(path))


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *((name, tarfile.REGTYPE) for name in ("/etc/x", "../x", "a/../../x", "a//b", "./a", "a/.", "..", "a/..")),
        *(("home/x", kind) for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE)),
    ],
)  # fmt: skip
def test_what_leads_out_or_is_no_file_is_refused_before_anything_is_written(
    name: str, kind: bytes, tmp_path: Path
) -> None:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, "/etc/passwd"
    target = tmp_path / "deep" / "out"
    target.mkdir(parents=True)
    with pytest.raises(ArchiveError, match="which no backup of ours does"):
        read_archive(make(tmp_path / "b", [(info, b"x" if kind == tarfile.REGTYPE else b"")]), str(target))
    assert list(target.iterdir()) == []


def manifest(text: str) -> tuple[tarfile.TarInfo, bytes]:
    return tarfile.TarInfo("manifest.json"), text.encode()


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ([], "has no manifest"),
        ([manifest("nonsense")], "has no manifest"),
        ([manifest('{"v": 1, "about": {}, "files": [{"path": "x"}]}')], "made: x differs from its manifest"),
        ([manifest('{"v": 1, "about": {}, "files": 1}')], "has no manifest"),
        ([manifest("[" * 5_000)], "has no manifest"),
        ([manifest('{"v": 2, "about": {}, "files": []}')], "of version 2"),
        ([manifest('{"v":1,"about":{},"files":[{"path":["x"],"size_bytes":1,"sha256":"","mode":0}]}')], "x.* differs from its"),
        ([(tarfile.TarInfo("home/x"), b"1"), manifest('{"v": 1, "about": {}, "files": []}')], "home/x differs"),
        ([manifest('{"v": 1, "about": {}, "files": []}'), (tarfile.TarInfo("home/x"), b"1")], "where nothing should be"),
    ],
)  # fmt: skip
def test_what_the_manifest_does_not_say_is_refused(
    members: list[tuple[tarfile.TarInfo, bytes]], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ArchiveError, match=message):
        read_archive(make(tmp_path / "b", members))


def test_what_is_no_backup_at_all_is_named(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("hello")
    (tmp_path / "packed").write_bytes(gzip.compress(b"hello"))
    for name in ("text", "packed"):
        with pytest.raises(ArchiveError):
            read_archive(str(tmp_path / name))
    with pytest.raises(MissingFileError, match="is missing"):
        read_archive(str(tmp_path / "none"))
    with pytest.raises(UnreadableError, match="is a directory"):
        read_archive(str(tmp_path))
