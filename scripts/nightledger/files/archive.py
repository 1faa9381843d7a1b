"""Backups: one .tar.gz whose last member names every other with its SHA-256.

Invariant: a backup has its name only when it was read back whole; what is read from one
goes into the directory that was named and nowhere else. Same files, same bytes: names are
in order, owners are left out, times are those of the files.
"""

import gzip
import hashlib
import io
import json
import os
import stat
import tarfile
import zlib
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from nightledger.domain.errors import IntegrityError, MissingFileError, UnreadableError
from nightledger.files.atomic import TEMP_SUFFIX, create_file
from nightledger.files.durable import FILE_MODE, make_dir, read_regular, sync_directory, sync_file

MANIFEST = "manifest.json"
MAX_MEMBER_BYTES = 1 << 30
"""Of one file, which is held in memory."""
VERSION = 1
_BLOCK_BYTES = 1 << 20
_LEVEL = 6
_LATEST_S = 1 << 40
"""Seconds from 1970, either way; the largest times of file systems are far nearer."""
_NAME_BYTES = 255
"""NAME_MAX of Linux and macOS."""
_PATH_BYTES = 3_072
"""PATH_MAX of Linux is 4096, and what is unpacked lies in some directory. Our choice."""


class ArchiveError(IntegrityError):
    """A backup is damaged, cut short, or none of ours."""

    hint = "take another copy of the backup"


class Archive(Struct, frozen=True, kw_only=True):
    """What a backup says of itself, checked against what is in it.

    Attributes:
        about: What its maker said of it.
        members: Of each file, in order, ``path``, ``size_bytes``, ``sha256`` (hex) and ``mode`` (permission bits).
    """

    about: Mapping[str, Any]
    members: list[dict[str, Any]]


def write_archive(path: str, sources: Mapping[str, str], about: Mapping[str, Any]) -> Archive:
    """Make a backup (0600); read back whole and on disk when this returns.

    Args:
        path: A free name.
        sources: Where each file is, by its name in the backup: relative, with ``/``.
        about: What the manifest says of it; JSON values.

    Raises:
        FileExistsError: The name is taken; what is there was left as it is.
        UnreadableError: A source is no regular file, or may not be read.
        ArchiveError: What was written could not be read back.
    """
    temp = f"{path}.{os.getpid()}{TEMP_SUFFIX}"
    descriptor = os.open(temp, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, FILE_MODE)
    try:
        with open(descriptor, "wb") as raw:
            with gzip.GzipFile("", "wb", _LEVEL, raw, mtime=0) as packed:
                _write_members(packed, sources, about)
            raw.flush()
            sync_file(raw.fileno(), temp)
        written = read_archive(temp)
        os.link(temp, path)  # unlike rename(2), link(2) never replaces
    finally:
        os.unlink(temp)
    sync_directory(os.path.dirname(path) or ".")
    return written


def read_archive(path: str, directory: str | None = None) -> Archive:
    """Read a backup whole, check every byte, and unpack it where a directory is named.

    Args:
        path: The backup.
        directory: An empty directory; None only checks. After an error it may hold a part.

    Raises:
        MissingFileError: There is no such file.
        ArchiveError: It is damaged, cut short, or holds what no backup of ours does: links,
            devices, names that lead out, names that come twice.
    """
    try:
        with open(path, "rb") as raw, gzip.GzipFile(fileobj=raw) as packed:
            with tarfile.open(fileobj=packed, mode="r|") as tar:
                members, manifest = _read_members(tar, path, directory)
            while packed.read(_BLOCK_BYTES):  # up to its end: only there gzip checks its own sum
                pass
    except FileNotFoundError as error:
        raise MissingFileError(f"{path} is missing", hint="check the name of the backup") from error
    except IsADirectoryError as error:
        raise UnreadableError(f"{path} is a directory", hint="name the backup's file") from error
    except (tarfile.TarError, gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ArchiveError(f"{path} is damaged or cut short: {error}") from error
    return _checked(path, members, manifest)


def _write_members(packed: gzip.GzipFile, sources: Mapping[str, str], about: Mapping[str, Any]) -> None:
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        files = [_write_member(tar, name, path) for name, path in sorted(sources.items())]
        manifest = {"v": VERSION, "about": dict(about), "files": files}
        content = json.dumps(manifest, sort_keys=True, indent=1).encode("ascii") + b"\n"
        info = tarfile.TarInfo(MANIFEST)
        info.size, info.mode = len(content), FILE_MODE
        tar.addfile(info, io.BytesIO(content))


def _write_member(tar: tarfile.TarFile, name: str, path: str) -> dict[str, Any]:
    content, status = read_regular(path, MAX_MEMBER_BYTES), os.stat(path)
    info = tarfile.TarInfo(name)
    info.size, info.mode, info.mtime = len(content), stat.S_IMODE(status.st_mode), int(status.st_mtime)
    tar.addfile(info, io.BytesIO(content))
    return _member(info, content)


def _member(info: tarfile.TarInfo, content: bytes) -> dict[str, Any]:
    sha256 = hashlib.sha256(content).hexdigest()
    return {"path": info.name, "size_bytes": len(content), "sha256": sha256, "mode": info.mode & 0o777}


def _read_members(
    tar: tarfile.TarFile, path: str, directory: str | None
) -> tuple[list[dict[str, Any]], bytes]:
    members: dict[str, dict[str, Any]] = {}
    folders: set[str] = set()
    manifest = b""
    for info in tar:
        if manifest or info.name in members:
            raise ArchiveError(f"{path} holds {info.name!r} where nothing should be")
        above = _folders_of(info.name)
        if not _is_ours(info) or info.name in folders or not above.isdisjoint(members):
            raise ArchiveError(f"{path} holds {info.name!r}, which no backup of ours does")
        folders |= above
        stream = tar.extractfile(info)
        if stream is None or info.size > MAX_MEMBER_BYTES:
            raise ArchiveError(f"{info.name!r} has {info.size} bytes, more than any of ours")
        content = stream.read()
        if info.name == MANIFEST:
            manifest = content
            continue
        members[info.name] = _member(info, content)
        if directory is not None:
            _unpack(info, content, directory)
    return list(members.values()), manifest


def _is_ours(info: tarfile.TarInfo) -> bool:
    """Tell whether a member may be one of ours; a time may be anything in a header, also no number."""
    fits = info.size >= 0 and abs(info.mtime) <= _LATEST_S
    return fits and info.isreg() and not info.issparse() and _is_plain(info.name)


def _folders_of(name: str) -> set[str]:
    """Give the directories above a name, each as a name."""
    parts = name.split("/")
    return {"/".join(parts[:n]) for n in range(1, len(parts))}


def _is_plain(name: str) -> bool:
    parts = name.split("/")
    fits = (
        all(len(os.fsencode(part)) <= _NAME_BYTES for part in parts) and len(os.fsencode(name)) <= _PATH_BYTES
    )
    return fits and "\0" not in name and not any(part in ("", ".", "..") for part in parts)


def _unpack(info: tarfile.TarInfo, content: bytes, directory: str) -> None:
    target = os.path.join(directory, info.name)
    make_dir(os.path.dirname(target))
    create_file(target, content, mode=info.mode & 0o777)
    os.utime(target, (info.mtime, info.mtime))


def _checked(path: str, members: list[dict[str, Any]], manifest: bytes) -> Archive:
    try:
        record = json.loads(manifest)
        version, about, files = record["v"], dict(record["about"]), list(map(dict, record["files"]))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ArchiveError(f"{path} has no manifest: it is cut short, or no backup of ours") from error
    if version != VERSION:
        raise ArchiveError(f"{path} is a backup of version {version!r}", hint="use a newer Nightledger")
    if files != members:
        told = [one["path"] for one in members if one not in files]
        told += [one.get("path") for one in files if one not in members] or ["their order"]
        raise ArchiveError(f"{path} is not as it was made: {told[0]} differs from its manifest")
    return Archive(about=about, members=members)
