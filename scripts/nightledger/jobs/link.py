"""Nightly: associate tags that occur together with what resolved them.

Reads   memory/system/outcome-records.jsonl (new bytes only), cursors.json
Writes  memory/system/hebbian-links.json, cursors.json, .nightledger/links/
Changes no memory.

What was read before is not read again while the cursor fits: same file, same samples of
its bytes, same zone, same deleted links, same index. Otherwise all is folded anew, and the
report says why. Both ways end in the same view, byte for byte.
"""

import hashlib
import os
from typing import TYPE_CHECKING

from msgspec import Struct

from nightledger.codec import links as linked
from nightledger.codec.canonical import canonical
from nightledger.domain.errors import LinkIndexError
from nightledger.domain.outcome import link_key
from nightledger.files import link_index
from nightledger.files.atomic import Lock, refresh_file, replace_file
from nightledger.files.durable import read_optional
from nightledger.files.line_log import LineLog

if TYPE_CHECKING:
    from nightledger.files.home import Home

NAMED_LINES = 20


class LinkReport(Struct, frozen=True, kw_only=True):
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
        links: Links in all.
        in_view: How many of them the view has, those of most sessions.
    """

    mode: str
    reason: str
    added: int
    duplicates: int
    bad_lines: int
    problems: tuple[tuple[int, str], ...]
    torn_bytes: int
    outcomes: int
    links: int
    in_view: int


def link(home: "Home", rules: link_index.Rules, *, rebuild: bool = False) -> LinkReport:
    """Bring the links of a home up to date.

    Args:
        home: Whose.
        rules: What counts.
        rebuild: Fold everything anew, whatever the cursor says.

    Raises:
        ConfigurationError: When the home is none.
        LockedError: When another run is at work.
        UnreadableError: When the outcome log is a link, a directory, a FIFO or a device.
        FileChangedError: When it was replaced or cut while it was read; nothing was written.
        LinkIndexError: When the index cannot be written.
    """
    home.require()
    with Lock(home.lock_path("link")), LineLog(home.outcomes) as log:
        run = _Run(home, log, rules)
        reason = "it was asked for" if rebuild else run.misfit()
        if not reason:
            try:
                return run.run("")
            except LinkIndexError as error:
                reason = f"the index is damaged: {error}"
        return run.run(reason)


class _Run:
    """One run, under the lock."""

    def __init__(self, home: "Home", log: LineLog, rules: link_index.Rules) -> None:
        self._home = home
        self._log = log
        self._rules = rules
        self._path = os.path.join(home.link_index_dir, link_index.FILE)
        self._cursors = read_optional(home.cursors, linked.MAX_CURSORS_BYTES, within=home.root) or b""
        self._cursor = linked.parse_link_cursor(self._cursors)

    def misfit(self) -> str:
        """Return why the index is to be made anew; empty where it is of this log, this zone and these deletions."""
        cursor = self._cursor
        if cursor is None or not cursor.index:
            return "there is no index yet"
        same = self._log.end >= cursor.offset and cursor == self._cursor_at(cursor.offset, cursor.lines)
        return "" if same else "the index is not of this log, this zone and these deletions"

    def run(self, reason: str) -> LinkReport:
        """Read what is new, or all of it where there is a reason to, and write what follows from it.

        Raises:
            LinkIndexError: When the index is damaged or cannot be written.
        """
        start, lines = (0, 0) if reason or self._cursor is None else (self._cursor.offset, self._cursor.lines)
        changed = bool(reason) or self._log.end > start
        with link_index.building(self._path) if reason else link_index.open_file(self._path) as index:
            folded = link_index.fold(index, self._log, start, lines, self._rules)
            self._log.require_same()
            index.commit()
            outcomes = index.count()
            top = index.top_links(linked.VIEW_LINKS)
        if changed:
            replace_file(
                self._home.cursors,
                linked.dump_link_cursor(self._cursors, self._cursor_at(self._log.end, folded.lines)),
            )
        refresh_file(self._home.links, linked.dump_view(top[0]))
        return LinkReport(
            mode="rebuilt" if reason else "updated" if changed else "unchanged",
            reason=reason,
            added=folded.added,
            duplicates=folded.duplicates,
            bad_lines=len(folded.bad),
            problems=tuple(folded.bad[:NAMED_LINES]),
            torn_bytes=self._log.torn_bytes,
            outcomes=outcomes,
            links=top[1],
            in_view=len(top[0]),
        )

    def _cursor_at(self, offset: int, lines: int) -> linked.LinkCursor:
        return linked.LinkCursor(
            path=self._home.relative(self._log.path),
            offset=offset,
            lines=lines,
            inode=self._log.inode,
            probe=self._log.probe(offset),
            zone=self._rules.zone.key,
            forgotten_sha256=self._forgotten_sha256(),
            index=link_index.index_stamp(self._home.link_index_dir),
        )

    def _forgotten_sha256(self) -> str:
        forgotten: dict[str, object] = {link_key(*pair): n for pair, n in self._rules.forgotten.items()}
        if self._rules.hashes:
            forgotten["expunged"] = list(self._rules.hashes)
        return hashlib.sha256(canonical(forgotten)).hexdigest()
