"""The staged page on disk, what its lines rest on, and what staging could not do (``.nightledger/staged/troubles.json``).

Beside the page (``memory/state/tc-restore-pending.md``) lies ``.nightledger/staged/lines.json``: for each
line the ids that whoever reads it has been shown, the file it rests on and where in it, and of each such file
size and time of change. A line whose file is not that file any more is not given out until it was
staged anew.

Invariant: what is given out is a page that is whole, not over, and rests on the files it was made
from; a file of troubles that cannot be read counts as none, so at worst one is told once more. Standard library only and cheap to import: hooks read a page at each start.
"""

import json
import os

from nightledger.domain.errors import UnreadableError
from nightledger.domain.exposure import Place, dump_page, live_lines, parse_page
from nightledger.files.durable import make_dir, read_optional, read_regular

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from nightledger.domain.exposure import Page
    from nightledger.files.home import Home

MAX_PAGE_BYTES = 1 << 18
"""Eight thousand tokens, the largest budget, are 32 KB of letters or as many characters of three bytes."""
MAX_SIDECAR_BYTES = 1 << 20
MAX_TROUBLES_BYTES = 1 << 18
_TROUBLE = ("about", "what", "since")


class StagedPage:
    """A page as it may be given to an agent now.

    Attributes:
        text: The page, fenced; of lines that still hold.
        shown: Ids of entries and links that it shows, sorted.
        lines: How many lines it has.
        places: Where they stand, in their order.
        good_until: Its last moment, ``2026-03-04T00:00:00Z``.
    """

    __slots__ = ("good_until", "lines", "places", "shown", "text")

    def __init__(
        self, text: str, shown: "Sequence[str]", lines: int, places: "Sequence[Place]", good_until: str
    ) -> None:
        self.text = text
        self.places = tuple(places)
        self.shown = tuple(shown)
        self.lines = lines
        self.good_until = good_until


def read_staged(home: "Home", now: str, most: int = MAX_PAGE_BYTES) -> StagedPage | None:
    """Give what an agent may be shown now; None where there is nothing, or it is not fit.

    Args:
        home: Whose.
        now: ``2026-03-03T10:30:00Z``.
        most: Bytes of the page; the last lines of a longer one are left out.
    """
    try:
        text = read_regular(home.staged_context, MAX_PAGE_BYTES).decode()
        known = json.loads(read_regular(_sidecar(home), MAX_SIDECAR_BYTES))
        page = parse_page(text)
        if page is None or known["sha256"] != page.sha256 or len(known["lines"]) != len(page.lines):
            return None
        same = {path: _stat(home, path) == stat for path, stat in known["files"].items()}
        live = [n for n in live_lines(page, now) if same.get(known["lines"][n]["path"], True)]
        live = live[: first_lines([page.lines[n] for n in live], page.good_until, most)]
        told = [known["lines"][n] for n in live]
        shown = sorted({name for one in told for name in one["shown"]})
        places = [Place(path=one["path"], lines=tuple(one["lines"])) for one in told if one.get("lines")]
        if not all(isinstance(name, str) for name in shown) or not all(map(_is_place, places)):
            return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, UnreadableError):
        return None  # a hook fails silent: what cannot be read is as nothing staged
    if not live:
        return None
    whole = len(live) == len(page.lines)
    return StagedPage(
        text if whole else dump_page([page.lines[n] for n in live], page.good_until),
        shown,
        len(live),
        places,
        page.good_until,
    )


def first_lines(lines: "Sequence[str]", good_until: str, most: int) -> int:
    """Give how many first lines make a page of so many bytes at most.

    Args:
        lines: Of a page.
        good_until: As it has it.
        most: Bytes.
    """
    kept = len(lines)
    while kept and len(dump_page(lines[:kept], good_until).encode()) > most:
        kept -= 1
    return kept


def find_page(home: "Home") -> "Page | None":
    """Give the page on disk where it is whole, over or not; None where there is none, or it is not as it was written.

    Args:
        home: Whose.
    """
    try:
        return parse_page(read_regular(home.staged_context, MAX_PAGE_BYTES).decode())
    except (OSError, ValueError, UnreadableError):
        return None


def write_staged(home: "Home", text: str, lines: "Sequence[tuple[Sequence[str], str, str]]") -> bool:
    """Write a page and what it rests on; a file that says so already is left as it is, to its time of change.

    Args:
        home: Whose; the caller holds its lock.
        text: The page, as :func:`~nightledger.domain.exposure.dump_page` gives it.
        lines: What each of its lines rests on, in their order: ids and names for the exposure ledger, the file whose change
            makes the line doubtful ("" for none), and where it stands; of what is in that file, ``path:first-last``.

    Returns:
        Whether the page changed.

    Raises:
        OSError: It could not be written.
    """
    from nightledger.codec.canonical import canonical

    page = parse_page(text)
    paths = sorted({path for _, path, _ in lines if path})
    sidecar = canonical(
        {
            "v": 1,
            "sha256": page.sha256 if page else "",
            "good_until": page.good_until if page else "",
            "lines": [
                {"shown": list(shown), "path": path, "lines": list(_lines_of(path, place) or ())}
                for shown, path, place in lines
            ],
            "files": {path: stat for path in paths if (stat := _stat(home, path))},
        }
    )
    changed = _replace(home.staged_context, text.encode(), disposable=False)
    _replace(_sidecar(home), sidecar + b"\n", disposable=True)
    return changed


def drop_staged(home: "Home") -> bool:
    """Take the page away: what it rests on was withdrawn; the next run stages anew. Tells whether there was one."""
    there = False
    for path in (os.path.join(home.staged_dir, "kept.json"), home.staged_context):
        try:
            os.unlink(path)
        except FileNotFoundError:
            continue
        there = path == home.staged_context
    return there


def _lines_of(path: str, place: str) -> "tuple[int, int] | None":
    """Give the lines that a place of a file names; None for any other place."""
    if not path or not place.startswith(f"{path}:"):
        return None
    first, _, last = place[len(path) + 1 :].partition("-")
    if not first.isdecimal() or not (last or first).isdecimal():
        return None
    return int(first), int(last or first)


def _is_place(place: Place) -> bool:
    """Tell whether a place that was read is one."""
    return [type(place.path), *map(type, place.lines)] == [str, int, int]


def _sidecar(home: "Home") -> str:
    return os.path.join(home.staged_dir, "lines.json")


def _replace(path: str, content: bytes, *, disposable: bool) -> bool:
    from nightledger.files.atomic import refresh_file

    make_dir(os.path.dirname(path), ignored_by_git=not disposable)
    return refresh_file(path, content, disposable=disposable)


def _stat(home: "Home", path: str) -> "list[str] | None":
    """Give size and time of change as text: nanoseconds are beyond what JSON numbers carry (RFC 8785)."""
    try:
        status = os.stat(home.path(path))
    except OSError:
        return None
    return [str(status.st_size), str(status.st_mtime_ns)]


def read_troubles(home: "Home") -> "list[dict[str, str]]":
    """Return what staging could not do when it last ran; nothing where all was well or nothing can be read.

    A trouble is told when it begins, and stands in ``status`` and ``doctor`` while it lasts: staging runs 48 times a
    day. The marks of the operator's notifier do the same (``jobs/notify.py``).

    Returns:
        ``about``: what it is about, a calendar for example, for its words may change while it lasts; ``what``: a
        sentence without its end; ``since``: the first of the runs in a row that met it, RFC 3339 UTC.
    """
    try:
        kept = json.loads(read_optional(_troubles(home), MAX_TROUBLES_BYTES, within=home.root) or b"{}")
        named = [{name: one[name] for name in _TROUBLE} for one in kept["troubles"]] if kept["v"] == 1 else []
    except (UnreadableError, ValueError, TypeError, KeyError, RecursionError):
        return []
    return named if all(isinstance(text, str) for one in named for text in one.values()) else []


def keep_troubles(home: "Home", found: "Sequence[tuple[str, str]]", now: "datetime") -> tuple[str, ...]:
    """Keep what a run met, and return what the run before it did not meet.

    Nothing is written while nothing changes.

    Args:
        home: Whose.
        found: What this run met: what it is about, and its words.
        now: Aware, UTC.
    """
    from nightledger.codec.canonical import canonical
    from nightledger.domain.words import dump_moment

    before = read_troubles(home)
    since = {one["about"]: one["since"] for one in before}
    troubles = [
        {"about": about, "what": what, "since": since.get(about, dump_moment(now))}
        for about, what in sorted(set(found))
    ]
    if troubles != before:
        _replace(_troubles(home), canonical({"v": 1, "troubles": troubles}) + b"\n", disposable=True)
    return tuple(one["what"] for one in troubles if one["about"] not in since)


def _troubles(home: "Home") -> str:
    return os.path.join(home.staged_dir, "troubles.json")
