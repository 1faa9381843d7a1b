"""The library of a home: its search index, brought up to date once for a run, asked as an agent would be."""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from nightledger.domain.errors import NightledgerError
from nightledger.domain.moment import Moment
from nightledger.domain.periods import log_day
from nightledger.domain.search.values import Chunk, Hit, Kind, Query, Showing
from nightledger.files.configuration import home_zone
from nightledger.files.search_schema import DamagedIndexError
from nightledger.gate.opening import Gate, Ledger
from nightledger.recall.indexing import refresh
from nightledger.recall.searching import search_in
from nightledger.recall.sources import find_sources, read_source

SCOPE = frozenset({Kind.MEMORY, Kind.DAILY, Kind.ARCHIVE})
"""What documents are looked for in: outcomes are told as associations, the handoff by its open items."""


class Shelves:
    """Search of one home; a context manager, because the index is open."""

    def __init__(self, gate: Gate, ledger: Ledger, moment: Moment, *, may_write: bool = True) -> None:
        """Bring the index up to date.

        Args:
            gate: The home.
            ledger: Its log, as checked.
            moment: The clocks.
            may_write: Whether the index may be written; else what is there is searched, or a copy in memory.
        """
        self._home = gate.home
        self._today = log_day(moment.at, home_zone(gate.home, gate.settings))
        self._refresh = partial(refresh, gate, ledger, moment, may_write=may_write)
        self._index = self._refresh()
        self._damage: tuple[str, ...] = ()
        self._kinds = {source.path: source for source in find_sources(gate.home)}
        self._texts: dict[str, list[str]] = {}

    @property
    def notes(self) -> Sequence[str]:
        """What the operator should know of the search."""
        return tuple(filter(self.may_say, (*self._damage, *self._index.notes)))  # a note names files

    def find(self, query: str, limit: int) -> Sequence[Hit]:
        """Give what may be shown to an agent for a query, the best first."""
        asked = Query(text=query, scope=SCOPE, limit=limit, showing=Showing.AGENT)
        try:
            return search_in(self._index, asked, self._today).hits
        except DamagedIndexError as error:  # which only a query met
            self._damage = (f"{error}: it was made anew",)
            self.close()
            self._index = self._refresh(anew=True)
            return search_in(self._index, asked, self._today).hits

    def may_show(self, chunk: Chunk) -> bool:
        """Tell whether an agent may see all lines of a chunk."""
        return not self._index.held(chunk)

    def may_say(self, text: str) -> bool:
        """Tell whether an agent may be told some words, wherever they come from."""
        return self._index.judge.may_say(text)

    def shown_lines(self, path: str) -> frozenset[int]:
        """Give the numbers of the lines of a searched log or archive that an agent may see."""
        chunk = self._chunk(path, (1, len(self._lines(path))))
        if chunk is None:
            return frozenset()
        return frozenset(range(1, chunk.last_line + 1)).difference(self._index.held(chunk))

    def lines_of(self, path: str, lines: tuple[int, int]) -> Chunk | None:
        """Give lines of a searched log or archive; None where there are none such, or an agent may not see them."""
        chunk = self._chunk(path, lines)
        return chunk if chunk is not None and self.may_show(chunk) else None

    def _chunk(self, path: str, lines: tuple[int, int]) -> Chunk | None:
        source = self._kinds.get(path)
        first, last = lines
        if source is None or source.kind not in (Kind.DAILY, Kind.ARCHIVE) or not 1 <= first <= last:
            return None
        text = self._lines(path)[first - 1 : last]
        if len(text) != last - first + 1:
            return None
        return Chunk(
            path=path,
            first_line=first,
            last_line=last,
            kind=source.kind,
            heading="",
            day=source.day,
            text="\n".join(text),
        )

    def close(self) -> None:
        """Close the index."""
        self._index.store.close()

    def _lines(self, path: str) -> list[str]:
        if path not in self._texts:
            source, raw = self._kinds.get(path), b""
            with suppress(NightledgerError):  # the index says so in its notes
                raw = read_source(self._home, path, source.kind)[0] if source else raw
            self._texts[path] = raw.decode("utf-8", "replace").split("\n")
        return self._texts[path]
