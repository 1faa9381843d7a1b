"""What a night read, committed to by the log: rewritten inputs show.

Invariant: each day's heartbeat holds size and hash of every append-only file of the home.
One of them, the consolidation log, lists the daily logs and the outcomes that each night
read, with theirs; so all of them are under the log's signature.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from nightledger.codec.records import decode_lines
from nightledger.domain.errors import UnreadableError
from nightledger.domain.event import Entry, EventName
from nightledger.domain.runs import Consolidation, SourceRead
from nightledger.domain.states import Book
from nightledger.files.home import Home
from nightledger.files.prefixes import Prefix, hash_file, hash_prefixes
from nightledger.files.reading import read_optional

MAX_CONSOLIDATION_LOG_BYTES = 1 << 30
"""Some 2 KB a night: more than a thousand years."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """A file that does not begin any more as a night read it.

    Attributes:
        path: Relative to the home.
        day: Log day of that night, ``2026-02-28``: the newest whose bytes are no longer there.
        size_bytes: How many bytes it had then.
    """

    path: str
    day: str
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewrites:
    """What ``verify`` says of inputs.

    Attributes:
        now: Append-only files that are not as the newest night that read them left them: an alarm.
        before: Those that a later night read in their new form: rewritten once, and it stays visible.
        logs: Daily logs that changed since they were read. Their agent may write there; it is no alarm. One that
            was compressed has not changed while its full text in the archive begins as it was read.
    """

    now: tuple[Rewritten, ...] = ()
    before: tuple[Rewritten, ...] = ()
    logs: tuple[Rewritten, ...] = ()


def append_only(home: Home) -> tuple[str, ...]:
    """Give the files that are only ever appended to, the audit log apart, relative to the home."""
    files = (
        home.outcomes,
        home.consolidation_log,
        home.runs,
        home.exposures,
        home.reinforcements,
    )
    return tuple(home.relative(path) for path in files)


def read_inputs(home: Home) -> list[dict[str, Any]]:
    """Give path, size and hash of each append-only file that is there, as a heartbeat holds them.

    Raises:
        UnreadableError: One of them is no regular file.
    """
    found = ((path, hash_file(home.path(path))) for path in append_only(home))
    return [
        {"path": path, "size": prefix.size_bytes, "sha256": prefix.sha256} for path, prefix in found if prefix
    ]


class Inputs:
    """What each night read of each file, taken from the entries of a log as they pass, in their order."""

    __slots__ = ("held",)

    def __init__(self) -> None:
        """Begin with nothing."""
        self.held: dict[str, list[tuple[str, int, str]]] = {}

    def takers(self) -> Mapping[str, Callable[[Entry], None]]:
        """Give who takes which entries, for :func:`~nightledger.gate.opening.fold_beside`."""
        return {EventName.HEARTBEAT: self._heartbeat, EventName.EXPUNGED: self._expunged}

    def nights(self) -> Iterator[tuple[str, list[tuple[str, Prefix]]]]:
        """Give each file with what each night read of it."""
        for path, read in sorted(self.held.items()):
            yield path, [(day, Prefix(size_bytes=size, sha256=sha256)) for day, size, sha256 in read]

    def _heartbeat(self, entry: Entry) -> None:
        _, fields, _ = entry
        for item in fields.get("inputs", ()):
            read = (fields["day"], item["size"], item["sha256"])
            self.held.setdefault(item["path"], []).append(read)

    def _expunged(self, entry: Entry) -> None:
        """What an expunge rewrote begins anew with it."""
        _, fields, at = entry
        for item in fields["places"]:
            self.held[item["path"]] = [(f"{at:%Y-%m-%d} (expunged)", item["size"], item["sha256"])]


def find_rewrites(home: Home, inputs: Inputs, book: Book) -> Rewrites:
    """Compare the inputs of every night with what lies there now; each file is read once.

    Args:
        home: Whose.
        inputs: From its log, as checked.
        book: What it adds up to.
    """
    now: list[Rewritten] = []
    before: list[Rewritten] = []
    for path, nights in inputs.nights():
        lost = [n for n, same in enumerate(_compare(home, path, [p for _, p in nights], {})) if not same]
        if lost:
            day, prefix = nights[lost[-1]]
            found = Rewritten(path=path, day=day, size_bytes=prefix.size_bytes)
            (now if lost[-1] == len(nights) - 1 else before).append(found)
    return Rewrites(now=tuple(now), before=tuple(before), logs=tuple(_rewritten_logs(home, book)))


def _rewritten_logs(home: Home, book: Book) -> Iterator[Rewritten]:
    try:
        raw = read_optional(home.consolidation_log, MAX_CONSOLIDATION_LOG_BYTES, within=home.root) or b""
    except UnreadableError:  # it is among the inputs itself, and named as rewritten
        return
    newest: dict[str, tuple[str, SourceRead]] = {}
    for night in decode_lines(Consolidation, raw):
        newest |= {source.path: (night.period, source) for source in night.logs}
    folders: dict[str, str] = {}
    for path, (day, source) in sorted(newest.items()):
        expected = Prefix(size_bytes=source.size_bytes, sha256=source.sha256)
        full = book.copies.get(path, path)
        if not any(_compare(home, place, [expected], folders)[0] for place in (full, path)):
            yield Rewritten(path=path, day=day, size_bytes=source.size_bytes)


def _compare(home: Home, path: str, expected: list[Prefix], folders: dict[str, str]) -> list[bool]:
    """Tell for each beginning whether the file still has it; nothing is followed out of the home.

    ``folders`` remembers where each folder really is: thousands of logs lie in one.
    """
    sizes = [prefix.size_bytes for prefix in expected]
    try:
        real = _resolve(home, path, folders)
        try:
            found = hash_prefixes(real, sizes)
        except UnreadableError:
            if not os.path.islink(real):
                raise
            found = hash_prefixes(home.resolve(path), sizes)
    except (UnreadableError, OSError):
        return [False] * len(expected)
    return [found.get(prefix.size_bytes) == prefix for prefix in expected]


def _resolve(home: Home, path: str, folders: dict[str, str]) -> str:
    folder, name = os.path.split(home.path(path))
    if folder not in folders:
        folders[folder] = home.resolve(home.relative(folder))
    return os.path.join(folders[folder], name)
