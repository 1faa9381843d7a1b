"""Stand at every call of this process that changes the disk below a directory.

Every write of the program goes through ``os``, ``fcntl.flock`` and, for an exchange, the C
library's ``renameat2``: those are stood before, so that a run can be recorded step by step, or
made to fail at one of them. Nothing of it is left when the watch ends.
"""

import contextlib
import ctypes
import fcntl
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.faults.crash_disk import Disk, Kind, Step, read_disk

from nightledger.surfaces.context import Context

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC

Fault = Callable[[int, str, str], int]
"""Asked before each call with its number, name and path; gives the error that it meets, or 0."""


class Watch:
    """What a run did to the disk.

    Attributes:
        start: What was there.
        disk: The model, every step done.
        steps: The steps.
        calls: Name and path of each call.
    """

    def __init__(self, root: Path, fault: Fault | None = None) -> None:
        self.root = os.path.realpath(root)
        self.start: Disk = read_disk(root)
        self.disk = self.start.copy()
        self.steps: list[Step] = []
        self.calls: list[tuple[str, str]] = []
        self._fault = fault
        self._files: dict[int, tuple[int, str, int]] = {}

    # ------------------------------------------------------------ before and after a call
    def relative(self, path: Any) -> str | None:
        """Give a path below the root; None for any other."""
        if isinstance(path, int):
            return self._files[path][1] if path in self._files else None
        text = os.path.normpath(os.path.join(os.getcwd(), os.fsdecode(path)))
        inside = text == self.root or text.startswith(self.root + os.sep)
        return os.path.relpath(text, self.root) if inside else None

    def ask(self, call: str, path: str) -> None:
        """Count a call; raise the error that it is to meet."""
        self.calls.append((call, path))
        code = self._fault(len(self.calls), call, path) if self._fault else 0
        if code:
            raise OSError(code, os.strerror(code), os.path.join(self.root, path))

    def did(self, kind: Kind, path: str, **fields: Any) -> None:
        """Note a step that was done."""
        step = Step(kind=kind, path=path, **fields)
        self.steps.append(step)
        self.disk.do(step)

    # ------------------------------------------------------------ the calls
    def open(self, real: Any, path: Any, flags: int, mode: int = 0o777, **options: Any) -> int:
        here = self.relative(path)
        if here is None:
            return int(real(path, flags, mode, **options))
        if flags & WRITING:
            self.ask("open", here)
        descriptor = int(real(path, flags, mode, **options))
        node = self.disk.find(here)
        if node < 0:
            node = self._make(here, os.fstat(descriptor).st_mode & 0o777, folder=False)
        elif flags & os.O_TRUNC and self.disk.nodes[node].content:
            self.did(Kind.CUT, here, node=node, at=0)
        self._files[descriptor] = (node, here, flags)
        return descriptor

    def close(self, real: Any, descriptor: int) -> None:
        self._files.pop(descriptor, None)
        real(descriptor)

    def write(self, real: Any, descriptor: int, content: Any) -> int:
        if descriptor not in self._files:
            return int(real(descriptor, content))
        node, path, flags = self._files[descriptor]
        self.ask("write", path)
        end = len(self.disk.nodes[node].content)
        at = end if flags & os.O_APPEND else os.lseek(descriptor, 0, os.SEEK_CUR)
        taken = int(real(descriptor, content))
        self.did(Kind.WRITE, path, node=node, at=at, content=bytes(content[:taken]))
        return taken

    def sync(self, real: Any, descriptor: int) -> None:
        if descriptor in self._files:
            node, path, _ = self._files[descriptor]
            self.ask(real.__name__, path)
            self.did(Kind.SYNC, path, node=node)
        # a model says what lasts: the machine's own disk need not be waited for

    def ftruncate(self, real: Any, descriptor: int, size: int) -> None:
        if descriptor in self._files:
            node, path, _ = self._files[descriptor]
            self.ask("ftruncate", path)
            if len(self.disk.nodes[node].content) != size:
                self.did(Kind.CUT, path, node=node, at=size)
        real(descriptor, size)

    def fchmod(self, real: Any, descriptor: Any, mode: int, **options: Any) -> None:
        here = self.relative(descriptor)
        if here is not None:
            self.ask("chmod", here)
            node = self.disk.find(here) if not isinstance(descriptor, int) else self._files[descriptor][0]
            if self.disk.nodes[node].mode != mode:
                self.did(Kind.MODE, here, node=node, at=mode)
        real(descriptor, mode, **options)

    def mkdir(self, real: Any, path: Any, mode: int = 0o777) -> None:
        here = self.relative(path)
        if here is not None:
            self.ask("mkdir", here)
        real(path, mode)
        if here is not None:
            self._make(here, os.stat(path).st_mode & 0o777, folder=True)

    def unlink(self, real: Any, path: Any, **options: Any) -> None:
        here = None if options else self.relative(path)  # beside an open folder only what is not ours goes
        if here is not None:
            self.ask("unlink", here)
        real(path, **options)
        if here is not None:
            parent, name = self.disk.place(here)
            self.did(Kind.UNLINK, here, parent=parent, name=name, node=self.disk.find(here))

    def link(self, real: Any, source: Any, target: Any, **options: Any) -> None:
        here, there = self.relative(source), self.relative(target)
        if here is not None and there is not None:
            self.ask("link", there)
        real(source, target, **options)
        if here is not None and there is not None:
            parent, name = self.disk.place(there)
            self.did(Kind.LINK, there, parent=parent, name=name, node=self.disk.find(here))

    def rename(self, real: Any, source: Any, target: Any) -> None:
        here, there = self.relative(source), self.relative(target)
        if here is None or there is None:
            real(source, target)
            return
        self.ask("rename", there)
        real(source, target)
        self._named(Kind.RENAME, here, there)

    def exchange(self, _at: int, source: bytes, _to: int, target: bytes, _flags: int) -> int:
        """Do what ``renameat2`` does with ``RENAME_EXCHANGE``, which not every system has."""
        here, there = self.relative(source), self.relative(target)
        assert here is not None
        assert there is not None
        try:
            self.ask("renameat2", there)
        except OSError as error:
            ctypes.set_errno(error.errno or 0)
            return -1
        between = source + b".exchanging"
        os.rename.__wrapped__(source, between)  # type: ignore[attr-defined]
        os.rename.__wrapped__(target, source)  # type: ignore[attr-defined]
        os.rename.__wrapped__(between, target)  # type: ignore[attr-defined]
        self._named(Kind.EXCHANGE, here, there)
        return 0

    def flock(self, real: Any, descriptor: Any, operation: int) -> None:
        here = self.relative(descriptor)
        if here is not None:
            self.ask("flock", here)
        real(descriptor, operation)

    def say(self, real: Any, context: Any, text: str = "", **options: Any) -> None:
        if options.get("to") is None:
            self.did(Kind.SAY, "", content=f"{text}\n".encode())
        real(context, text, **options)

    # ------------------------------------------------------------ shared by them
    def _make(self, path: str, mode: int, *, folder: bool) -> int:
        parent, name = self.disk.place(path)
        number = len(self.disk.nodes)
        self.did(Kind.MAKE, path, node=number, parent=parent, name=name, at=mode, folder=folder)
        return number

    def _named(self, kind: Kind, here: str, there: str) -> None:
        parent, name = self.disk.place(here)
        to_parent, to_name = self.disk.place(there)
        places = {"parent": parent, "name": name, "to_parent": to_parent, "to_name": to_name}
        self.did(kind, there, **places, node=self.disk.find(here), other=self.disk.find(there))


class _Library:
    """The C library, as far as an exchange asks for it."""

    def __init__(self, watch: Watch) -> None:
        self.renameat2 = watch.exchange


STOOD_BEFORE: tuple[tuple[Any, str, str], ...] = (
    (os, "open", "open"), (os, "close", "close"), (os, "write", "write"), (os, "fsync", "sync"),
    (os, "fdatasync", "sync"), (os, "ftruncate", "ftruncate"), (os, "fchmod", "fchmod"),
    (os, "chmod", "fchmod"), (os, "mkdir", "mkdir"), (os, "rmdir", "unlink"), (os, "unlink", "unlink"),
    (os, "remove", "unlink"), (os, "link", "link"), (os, "rename", "rename"), (os, "replace", "rename"),
    (fcntl, "flock", "flock"), (Context, "print", "say"),
)  # fmt: skip


@contextlib.contextmanager
def watching(root: Path, fault: Fault | None = None) -> Iterator[Watch]:
    """Watch what this process does to the disk below ``root``."""
    watch = Watch(root, fault)
    with pytest.MonkeyPatch.context() as patch:
        for owner, name, method in STOOD_BEFORE:
            patch.setattr(owner, name, _standing(getattr(watch, method), getattr(owner, name)))
        patch.setattr(ctypes, "CDLL", lambda *_, **__: _Library(watch))
        yield watch


def _standing(method: Callable[..., Any], real: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any, **options: Any) -> Any:
        return method(real, *arguments, **options)

    call.__wrapped__ = real  # type: ignore[attr-defined]
    return call


def same(disk: Disk, root: Path) -> bool:
    """Tell whether a model and a real directory show the same."""
    return disk.image() == read_disk(root).image()
