"""Does the search index still stand for the files that hooks speak of? Searches bring it up to date; a prompt cannot wait for that."""

import os
from collections.abc import Iterator

from nightledger.files.home import Home
from nightledger.files.search_index import index_path
from nightledger.files.search_reader import Reader, open_reader
from nightledger.files.search_schema import BusyIndexError, OtherVersionError, SearchIndexError
from nightledger.recall.freshness import KINDS, kinds_to_say
from nightledger.recall.sources import find_sources
from nightledger.surfaces.doctor.checks import Check, good, note

_FIX = "nightledger stage brings it up to date, and so does recall"
_UNTIL = "until then prompt hooks"


def check_search(home: Home) -> Iterator[Check]:
    """Look at the index as a hook at a prompt would.

    Args:
        home: Whose.
    """
    path = index_path(home)
    if not os.path.lexists(path):
        yield note(f"there is no search index yet; {_UNTIL} say nothing", _FIX)
        return
    try:
        reader = open_reader(path)
        try:
            yield from _behind(home, reader)
        finally:
            reader.close()
    except BusyIndexError:
        yield note("another run is bringing the search index up to date", "look again in a moment")
    except OtherVersionError as error:
        fix = "use that version, or: nightledger rebuild" if error.newer else _FIX
        yield note(f"{error}; {_UNTIL} say nothing", fix)
    except SearchIndexError as error:
        yield note(f"{error}; {_UNTIL} say nothing", _FIX)


def _behind(home: Home, reader: Reader) -> Iterator[Check]:
    said = kinds_to_say(home, reader)
    changed = _changed(home, reader)
    if not said:
        yield note(f"the search index is older than the audit log; {_UNTIL} say nothing", _FIX)
    if changed:
        names = ", ".join(changed)
        yield note(f"the search index has not seen {names} as it is now; {_UNTIL} say nothing of it", _FIX)
    if said and not changed:
        yield good(f"the search index stands for what hooks speak of: {reader.count():,} chunks")


def _changed(home: Home, reader: Reader) -> list[str]:
    """Name the files that hooks speak of and whose size or time is not the index's."""
    known = {row[0]: row[1:] for row in reader.ask("SELECT path, size, mtime_ns FROM files")}
    names = [source.path for source in find_sources(home) if source.kind.value in KINDS]
    return [name for name in names if known.get(name) != _stat(home.path(name))]


def _stat(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns
