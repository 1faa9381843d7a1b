"""Nightly: associate tags that occur together with what resolved them.

Reads   memory/system/outcome-records.jsonl (new bytes only), cursors.json
Writes  memory/system/hebbian-links.json, cursors.json, .nightledger/links/
Changes no memory.

What was read before is not read again while the cursor fits: same file, same samples of
its bytes, same zone, same deleted links, same index. Otherwise all is folded anew, and the
report says why. Both ways end in the same view, byte for byte.
"""

import hashlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from nightledger.codec.canonical import canonical
from nightledger.codec.link_cursor import LinkCursor, dump_link_cursor, parse_link_cursor
from nightledger.codec.link_layout import FOLD_FROM
from nightledger.codec.link_tables import Extent
from nightledger.codec.link_view import VIEW_LINKS, dump_view
from nightledger.domain.errors import LinkIndexError, UnreadableError
from nightledger.domain.links import link_key
from nightledger.files.atomic import replace_file
from nightledger.files.line_log import LineLog
from nightledger.files.link_build import Built, build_segment
from nightledger.files.link_index import LinkIndex, Stored, open_segment, parse_current, read_current
from nightledger.files.link_segment import Segment, SegmentError
from nightledger.files.link_store import check_segments, use_segments, write_segment
from nightledger.files.lock import Lock
from nightledger.files.reading import read_optional

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from zoneinfo import ZoneInfo

    from nightledger.codec.link_tables import Pair
    from nightledger.files.home import Home
    from nightledger.text.phrases import HashedPhrases

MAX_CURSORS_BYTES = 1 << 20
MAX_LOOSE = 8
"""Segments without sorted tables; each is looked through by every ``recall``."""
GROWTH = 4
"""A segment is made anew together with newer ones when these reach a quarter of its size, so
that each outcome is read again a few times in its life, and segments stay few."""
NAMED_LINES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkReport:
    """What one run did.

    Attributes:
        mode: ``updated`` (new bytes only), ``rebuilt`` (all bytes), ``unchanged`` (nothing new).
        reason: Why it was rebuilt; else empty.
        added: Outcomes that were not counted before.
        duplicates: Among the new lines, outcomes that stood before.
        bad_lines: Among the new lines, those that are no outcomes.
        problems: The first of these: line number and what is wrong.
        torn_bytes: Length of an unfinished last line; it is read once it is closed.
        outcomes: Outcomes in all.
        links: Links in all; None where the view was not asked for.
        in_view: How many of them the view has, those of most sessions; None as above.
    """

    mode: str
    reason: str
    added: int
    duplicates: int
    bad_lines: int
    problems: tuple[tuple[int, str], ...]
    torn_bytes: int
    outcomes: int
    links: int | None
    in_view: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to link.

    Attributes:
        rebuild: Fold everything anew, whatever the cursor says.
        dry_run: Read and count, write nothing; counts of links are those of the index as it is.
        view: Write the view. Without it a run costs what the new lines cost, however large the
            index is, and ``recall`` knows them; the view waits for the next run.
        forgotten: Deleted links, and how many outcomes there were (``LinkReport.outcomes``) when
            each was deleted: those no longer count for it, later ones start it anew.
        expunged: Texts that no tag and no resolution may say: an outcome that does is left out.
    """

    rebuild: bool = False
    dry_run: bool = False
    view: bool = True
    forgotten: "Mapping[Pair, int]" = field(default_factory=dict)
    expunged: "HashedPhrases | None" = None


def link(home: "Home", zone: "ZoneInfo", options: Options | None = None) -> LinkReport:
    """Bring the links of a home up to date.

    Args:
        home: Whose.
        zone: The home's zone, in which log days begin (``files/configuration.py``, ``home_zone``).
        options: How; the usual way by default.

    Raises:
        ConfigurationError: When the home is none.
        LockedError: When another run is at work.
        UnreadableError: When the outcome log is a link, a directory, a FIFO or a device.
        FileChangedError: When it was replaced or cut while it was read; nothing was written.
    """
    home.require()
    how = options or Options()
    with Lock(home.lock_path("link")), LineLog(home.outcomes) as log:
        run = _Run(home, zone, log, how)
        if how.rebuild:
            return run.go_on(_Earlier(reason="it was asked for"))
        try:
            return run.go_on(run.find_earlier())
        except (SegmentError, LinkIndexError) as error:
            return run.go_on(_Earlier(reason=f"the index is damaged: {error}"))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Earlier:
    """What earlier runs left that still holds; nothing where there is a reason to begin anew."""

    reason: str = ""
    stored: tuple[Stored, ...] = ()
    segments: tuple[Segment, ...] = ()

    @property
    def end(self) -> int:
        return self.segments[-1].extent["end"] if self.segments else 0

    def count(self, what: str) -> int:
        return sum(segment.extent[what] for segment in self.segments)

    def kept(self, count: int) -> "_Earlier":
        return _Earlier(stored=self.stored[:count], segments=self.segments[:count])


class _Run:
    """One run, under the lock."""

    def __init__(self, home: "Home", zone: "ZoneInfo", log: LineLog, how: Options) -> None:
        self._home = home
        self._log = log
        self._how = how
        self._directory = home.link_index_dir
        self._zone = zone
        self._cursors = read_optional(home.cursors, MAX_CURSORS_BYTES, within=home.root) or b""

    # ------------------------------------------------------------ what holds of what was read

    def find_earlier(self) -> _Earlier:
        """Give the segments to go on from.

        Raises:
            SegmentError: When one is damaged.
            LinkIndexError: When their list is.
        """
        current = read_current(self._directory)
        cursor = parse_link_cursor(self._cursors)
        if current is None or cursor is None:
            return _Earlier(reason="there is no index yet" if current is None else "there is no cursor")
        reason = self._misfit(cursor, current)
        if reason:
            return _Earlier(reason=reason)
        stored = parse_current(current, self._directory)
        if self._how.view:
            check_segments(self._directory, stored)
        segments = [open_segment(self._directory, item) for item in stored]
        return _Earlier(stored=tuple(stored), segments=tuple(segments))

    def _misfit(self, cursor: LinkCursor, current: bytes) -> str:
        log = self._log
        if cursor.index_sha256 != hashlib.sha256(current).hexdigest():
            return "the index is not the one that the cursor belongs to"
        if cursor.zone != self._zone.key:
            return f"the zone was {cursor.zone} and is {self._zone.key}"
        if cursor.forgotten_sha256 != self._forgotten_sha256():
            return "other links were deleted, or texts expunged"
        if log.end < cursor.offset:
            return f"{log.path} has {log.end} bytes of whole lines, and {cursor.offset} were read: it was cut or rotated"
        if not cursor.offset:
            return ""
        if log.inode != cursor.inode:
            return f"{log.path} is another file than the one that was read"
        if log.probe(cursor.offset) != cursor.probe:
            return f"{log.path} begins with other bytes than were read: it was replaced or edited"
        return ""

    # ------------------------------------------------------------ going on

    def go_on(self, earlier: _Earlier) -> LinkReport:
        """Read what is new, and write what follows from it.

        Raises:
            SegmentError: When a segment is damaged.
            LinkIndexError: When segments do not fit together.
        """
        kept, built = earlier, None
        tail_bytes = self._log.end - earlier.end
        said_in = self._how.expunged.said_in if self._how.expunged else None
        if tail_bytes:
            kept = earlier.kept(_count_kept(earlier.segments, tail_bytes))
            built = build_segment(
                self._log, kept.end, kept.segments, self._zone, self._how.forgotten, said_in
            )
            self._log.require_same()
        shown = earlier
        if not self._how.dry_run:
            shown, built = self._write_index(kept, built) if built or earlier.reason else (kept, built)
        links, in_view = self._write_view(shown) if self._how.view else (None, None)
        return self._report(earlier, kept, built, links, in_view)

    def _write_index(self, kept: _Earlier, built: Built | None) -> tuple[_Earlier, Built | None]:
        """Write it and give it, and what was built without its bytes, which may be many."""
        stored, segments = kept.stored, kept.segments
        if built:
            new = write_segment(self._directory, built.pieces)
            stored, segments = (*stored, new), (*segments, open_segment(self._directory, new))
        current = use_segments(self._directory, stored)
        cursor = LinkCursor(
            path=self._home.relative(self._log.path),
            offset=self._log.end,
            inode=self._log.inode,
            probe=self._log.probe(self._log.end),
            zone=self._zone.key,
            forgotten_sha256=self._forgotten_sha256(),
            index_sha256=hashlib.sha256(current).hexdigest(),
        )
        replace_file(self._home.cursors, dump_link_cursor(self._cursors, cursor))
        return _Earlier(stored=stored, segments=segments), replace(built, pieces=()) if built else None

    def _write_view(self, shown: _Earlier) -> tuple[int, int]:
        """Write the view where it differs; gives how many links there are, and how many are in it."""
        links, total = LinkIndex(self._directory, shown.segments).top_links(VIEW_LINKS)
        view = dump_view(links)
        if not self._how.dry_run and not _holds(self._home.links, view):
            replace_file(self._home.links, view)
        return total, len(links)

    def _forgotten_sha256(self) -> str:
        forgotten: dict[str, object] = {link_key(*pair): count for pair, count in self._how.forgotten.items()}
        if self._how.expunged:
            forgotten["expunged"] = self._how.expunged.hashes
        return hashlib.sha256(canonical(forgotten)).hexdigest()

    def _report(
        self, earlier: _Earlier, kept: _Earlier, built: Built | None, links: int | None, in_view: int | None
    ) -> LinkReport:
        lines = earlier.count("lines")
        new = built.extent if built else Extent()
        problems = tuple(problem for problem in built.bad if problem[0] > lines) if built else ()
        records = kept.count("records") + (built.records if built else 0)
        return LinkReport(
            mode="rebuilt" if earlier.reason else "updated" if built else "unchanged",
            reason=earlier.reason,
            added=records - earlier.count("records"),
            duplicates=kept.count("duplicates") + new.duplicates - earlier.count("duplicates"),
            bad_lines=len(problems),
            problems=problems[:NAMED_LINES],
            torn_bytes=self._log.torn_bytes,
            outcomes=records,
            links=links,
            in_view=in_view,
        )


def _holds(path: str, content: bytes) -> bool:
    try:
        return read_optional(path, len(content)) == content
    except UnreadableError:  # too large, or no file: replacing it says what is wrong
        return False


def _count_kept(segments: "Sequence[Segment]", tail_bytes: int) -> int:
    """Give how many segments to keep; the others are made anew together with the new bytes.

    Few small segments, because each is looked through by every ``recall``; large ones only
    when what came since is a quarter of them, so that reading again stays cheap.
    """
    sizes = [segment.extent["records"] for segment in segments]
    read_bytes = segments[-1].extent["end"] if segments else 0
    new = tail_bytes * sum(sizes) // read_bytes if read_bytes else 0
    kept = len(segments)
    while kept and not segments[kept - 1].folded:
        kept -= 1
    if len(segments) - kept < MAX_LOOSE and sum(sizes[kept:]) + new < FOLD_FROM:
        kept = len(segments)
    else:
        while kept and sizes[kept - 1] <= GROWTH * (sum(sizes[kept:]) + new):
            kept -= 1
    return 0 if kept and sizes[0] <= GROWTH * (sum(sizes[1:]) + new) else kept
