"""A model of a disk: what was done to it, and what a crash may leave of that.

POSIX promises that a step lasts when the file, or for names the directory, was synced after it.
Of the steps without that promise any part may last, in any order: a journal that keeps an order
keeps more than this model does. Invariant: a model to which every step was done equals the real
directory (``test_crash_states.py`` checks it), so no step goes by unseen.
"""

import dataclasses
import hashlib
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

ROOT = 0


class Kind(StrEnum):
    """What a step does."""

    MAKE = "make"
    WRITE = "write"
    CUT = "cut"
    MODE = "mode"
    LINK = "link"
    UNLINK = "unlink"
    RENAME = "rename"
    EXCHANGE = "exchange"
    SYNC = "sync"
    SAY = "say"


OF_CONTENT = (Kind.WRITE, Kind.CUT, Kind.MODE)
"""Steps that a sync of the file makes last; the others change names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of a program.

    Attributes:
        kind: What it does.
        path: Where, for messages.
        node: The file or directory that it is about.
        parent: Directory in which a name changes.
        name: That name.
        to_parent: For a rename or an exchange, the other directory.
        to_name: And the other name.
        other: For an exchange, the other file.
        at: Offset of a write; size after a cut; the new mode.
        content: What is written; what is said to the user.
        folder: Whether what is made is a directory.
    """

    kind: Kind
    path: str
    node: int = -1
    parent: int = -1
    name: str = ""
    to_parent: int = -1
    to_name: str = ""
    other: int = -1
    at: int = 0
    content: bytes = b""
    folder: bool = False

    @property
    def synced_by(self) -> int:
        """Give the file or directory whose sync makes this step last."""
        if self.kind in OF_CONTENT:
            return self.node
        return self.to_parent if self.kind is Kind.RENAME else self.parent


@dataclass(slots=True, kw_only=True)
class Node:
    """A file, or a directory where ``names`` is not None."""

    mode: int
    content: bytes = b""
    names: dict[str, int] | None = None


@dataclass(slots=True)
class Disk:
    """Files and directories, by number; a crash may leave some that no name leads to."""

    nodes: dict[int, Node] = field(default_factory=dict)

    def copy(self) -> "Disk":
        """Give a disk of its own with the same content."""
        names = {n: None if node.names is None else dict(node.names) for n, node in self.nodes.items()}
        return Disk({n: dataclasses.replace(node, names=names[n]) for n, node in self.nodes.items()})

    def names(self, folder: int) -> dict[str, int]:
        """Give the names in a directory, to be read and changed."""
        names = self.nodes[folder].names
        assert names is not None, f"{folder} is not a directory"
        return names

    def find(self, path: str) -> int:
        """Give the number of what a path names, relative to the root; -1 where there is nothing."""
        node = ROOT
        for part in path.split(os.sep) if path not in ("", ".") else ():
            node = self.names(node).get(part, -1)
            if node < 0:
                return -1
        return node

    def place(self, path: str) -> tuple[int, str]:
        """Give the directory and the name of a path."""
        folder, name = os.path.split(path)
        return self.find(folder), name

    def do(self, step: Step) -> None:
        """Do one step; of one whose earlier steps were lost, what is left of it."""
        if step.kind in (Kind.SYNC, Kind.SAY):
            return
        if step.kind is Kind.MAKE:
            self.bear(step)
        if step.kind in OF_CONTENT:
            self._change(step)
        else:
            self._rename(step)

    def bear(self, step: Step) -> None:
        """Make what has no name yet; another name may reach it although its first one was lost."""
        self.nodes.setdefault(step.node, Node(mode=step.at, names={} if step.folder else None))

    def _change(self, step: Step) -> None:
        node = self.nodes[step.node]
        if step.kind is Kind.MODE:
            node.mode = step.at
        elif step.kind is Kind.CUT:
            node.content = node.content[: step.at].ljust(step.at, b"\0")
        else:
            before = node.content.ljust(step.at, b"\0")
            node.content = before[: step.at] + step.content + before[step.at + len(step.content) :]

    def _rename(self, step: Step) -> None:
        names = self.names(step.parent)
        if step.kind in (Kind.MAKE, Kind.LINK):
            names[step.name] = step.node
        elif step.kind is Kind.EXCHANGE:
            names[step.name], self.names(step.to_parent)[step.to_name] = step.other, step.node
        else:
            if names.get(step.name) == step.node:
                del names[step.name]
            if step.kind is Kind.RENAME:
                self.names(step.to_parent)[step.to_name] = step.node

    def walk(self, folder: int = ROOT, path: str = "") -> Iterator[tuple[str, Node]]:
        """Give every path and what it names, directories before what is in them, sorted."""
        for name, number in sorted(self.names(folder).items()):
            node, here = self.nodes[number], os.path.join(path, name)
            yield here, node
            if node.names is not None:
                yield from self.walk(number, here)

    def image(self) -> bytes:
        """Give a hash of all that can be seen."""
        digest = hashlib.sha256()
        for path, node in self.walk():
            content = b"/" if node.names is not None else hashlib.sha256(node.content).digest()
            digest.update(repr((path, node.mode, content)).encode())
        return digest.digest()

    def write_to(self, root: Path) -> None:
        """Make the files for real, in an empty directory."""
        folders = []
        for path, node in self.walk():
            place = root / path
            if node.names is not None:
                place.mkdir()
                folders.append((place, node.mode))
            else:
                place.write_bytes(node.content)
                place.chmod(node.mode)
        for place, mode in folders:
            place.chmod(mode)


def read_disk(root: Path) -> Disk:
    """Read a real directory into a model."""
    disk = Disk({ROOT: Node(mode=0o700, names={})})
    for folder, folders, files in os.walk(root):
        folders.sort()
        parent = disk.find(os.path.relpath(folder, root))
        for name in (*folders, *sorted(files)):
            path = Path(folder, name)
            mode = stat.S_IMODE(path.stat().st_mode)
            number = len(disk.nodes)
            disk.names(parent)[name] = number
            is_folder = path.is_dir()
            content = b"" if is_folder else path.read_bytes()
            disk.nodes[number] = Node(mode=mode, content=content, names={} if is_folder else None)
    return disk


@dataclass(frozen=True, slots=True, kw_only=True)
class Crash:
    """What a crash left.

    Attributes:
        at: How many steps had been done.
        how: What was lost, for messages.
        power: Whether what was not synced was at risk; else only the process died.
        said: What the user had been told by then.
        disk: What is there.
    """

    at: int
    how: str
    power: bool
    said: bytes
    disk: Disk


def crashes(start: Disk, steps: list[Step]) -> Iterator[Crash]:
    """Give every state that a crash may leave, each once, in order of time.

    After each step: the process is killed, directly or in the middle of a write; the power
    fails and of the steps not synced all are lost, all last, one is lost or one lasts, a write
    lost wholly, from its middle on, or with its length kept and zeros in its place.
    """
    seen = set()
    for at in range(len(steps) + 1):
        said = b"".join(step.content for step in steps[:at] if step.kind is Kind.SAY)
        for how, power, left in _cuts(steps[:at]):
            disk = left_of(start, steps[:at], left)
            key = (disk.image(), said)
            if key not in seen:
                seen.add(key)
                yield Crash(at=at, how=how, power=power, said=said, disk=disk)


def left_of(start: Disk, steps: Sequence[Step], left: Mapping[int, Step | None]) -> Disk:
    """Return what is there after some steps, of which those that are named left what they are named with."""
    disk = start.copy()
    for step in steps:
        if step.kind is Kind.MAKE:
            disk.bear(step)
    for index, step in enumerate(steps):
        present = left.get(index, step)
        if present is not None:
            disk.do(present)
    return disk


def unsynced(steps: Sequence[Step]) -> list[int]:
    """Return the places of the steps that no sync made last."""
    synced: set[int] = set()
    found = []
    for at, step in reversed([*enumerate(steps)]):
        if step.kind is Kind.SYNC:
            synced.add(step.node)
        elif step.kind is not Kind.SAY and step.synced_by not in synced:
            found.append(at)
    return found[::-1]


def _cuts(steps: list[Step]) -> Iterator[tuple[str, bool, dict[int, Step | None]]]:
    """Name what may be missing of steps: for each index what is left of it."""
    yield "killed", False, {}
    if steps and steps[-1].kind is Kind.WRITE:
        yield "killed in a write", False, {len(steps) - 1: _half(steps[-1])}
    risky = unsynced(steps)
    yield "power: all lost", True, dict.fromkeys(risky)
    of_content = [index for index in risky if steps[index].kind in OF_CONTENT]
    yield "power: names kept, bytes lost", True, dict.fromkeys(of_content)
    yield "power: lengths kept, bytes zero", True, {index: _zero(steps[index]) for index in risky}
    for index in risky:
        step = steps[index]
        label = f"{step.kind} {step.path}"
        yield f"power: {label} lost", True, {index: None}
        yield f"power: {label} alone kept", True, {other: None for other in risky if other != index}
        if step.kind is Kind.WRITE:
            yield f"power: {label} zero", True, {index: _zero(step)}
            yield f"power: {label} half", True, {index: _half(step)}


def _half(step: Step) -> Step:
    return dataclasses.replace(step, content=step.content[: len(step.content) // 2])


def _zero(step: Step) -> Step:
    return dataclasses.replace(step, content=bytes(len(step.content))) if step.kind is Kind.WRITE else step
