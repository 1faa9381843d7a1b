"""What of a home the index does not know yet.

A file is unchanged when size and time of writing are those of the index, and it had been left alone
for a while when it was read; else its hash decides.

Invariant: a file that cannot be read is named, and what the index knew of it goes: nobody can say any
more that it still stands there.
"""

import os
from collections.abc import Iterable, Mapping
from hashlib import sha256

from msgspec import Struct, field

from nightledger.domain.errors import UnreadableError
from nightledger.domain.search import Kind
from nightledger.files.home import Home
from nightledger.files.search_store import FileState, SearchStore
from nightledger.hosts.daylogs import wide_encoding
from nightledger.recall.sources import Source, read_source

SETTLED_NS = 2_000_000_000
"""A file system may count time in steps of two seconds (FAT): what was written within them may change unseen."""


class Changed(Struct, frozen=True, kw_only=True):
    """A file that is to be indexed.

    Attributes:
        source: Which.
        state: What it was when it was read.
        raw: Its bytes; None for outcomes, which are read in parts.
        fresh: Whether it is new or changed; else what is known of it did.
    """

    source: Source
    state: FileState
    raw: bytes | None
    fresh: bool = True


class Changes(Struct, kw_only=True):
    """What is to be done to an index.

    Attributes:
        changed: Files to index.
        touched: Files that are what they were, though their times say otherwise.
        gone: Paths that the index holds and the home has not.
        notes: Files that cannot be read, a sentence each.
    """

    changed: list[Changed] = field(default_factory=list)
    touched: list[tuple[str, FileState]] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def any(self) -> bool:
        """Whether there is something to do."""
        return bool(self.changed or self.touched or self.gone)


class Again(Struct, frozen=True, kw_only=True):
    """What is to be indexed whether it changed or not, because what is known of it did.

    Attributes:
        kinds: Kinds of files.
        paths: Files.
    """

    kinds: frozenset[Kind]
    paths: frozenset[str]


def find_changes(
    home: Home, sources: Iterable[Source], store: SearchStore, *, again: Again, now_ns: int
) -> Changes:
    """Compare a home with its index.

    Args:
        home: The home.
        sources: Its files that are searched.
        store: Its index.
        again: What is to be indexed whether it changed or not.
        now_ns: The file system's time, in nanoseconds since 1970.
    """
    known = store.files()
    found = Changes()
    for source in sources:
        anew = source.kind in again.kinds or source.path in again.paths
        try:
            _look(home, source, known, now_ns, found, anew=anew)
        except UnreadableError as error:
            found.notes.append(f"{error}: it is not searched")
        else:
            known.pop(source.path, None)
    found.gone = sorted(known)
    return found


def _look(
    home: Home,
    source: Source,
    known: Mapping[str, tuple[int, str, FileState]],
    now_ns: int,
    found: Changes,
    *,
    anew: bool,
) -> None:
    path = home.path(source.path)
    try:
        status = os.stat(path)
    except OSError as error:
        raise UnreadableError(f"{path} cannot be read ({error.strerror})") from error
    old = known.get(source.path)
    state = old[2] if old and old[1] == source.kind.value else None
    same = (
        state and state.settled and (state.size_bytes, state.mtime_ns) == (status.st_size, status.st_mtime_ns)
    )
    if same and not anew:
        return
    settled = status.st_mtime_ns + SETTLED_NS < now_ns
    if source.kind is Kind.OUTCOME:
        fresh = FileState(status.st_size, status.st_mtime_ns, "", settled=settled)
        found.changed.append(Changed(source=source, state=fresh, raw=None, fresh=not same))
        return
    raw, size_bytes = _read(home, source)
    fresh = FileState(size_bytes, status.st_mtime_ns, sha256(raw).hexdigest(), settled=settled)
    same = state is not None and state.sha256 == fresh.sha256
    if same and not anew:
        found.touched.append((source.path, fresh))
    else:
        found.changed.append(Changed(source=source, state=fresh, raw=raw, fresh=not same))


def _read(home: Home, source: Source) -> tuple[bytes, int]:
    if any("\ud800" <= character <= "\udfff" for character in source.path):
        raise UnreadableError(f"{source.path!r} has a name that is not UTF-8")
    raw, size_bytes = read_source(home, source.path, source.kind)
    if encoding := wide_encoding(raw):
        raise UnreadableError(f"{source.path} is {encoding}, not UTF-8")
    return raw, size_bytes
