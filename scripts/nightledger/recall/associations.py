"""Which associations an agent may be shown without asking: those whose resolution a signed entry names.

Invariant: an entry names a resolution where its identifier stands as it is written, or where a whole clause of the entry
is its words; a run of words out of a sentence does not count. How sure the outcomes are does not replace that. One that an
entry denies ("Never push with force"), by itself or by what it stands under, is not given, and what it says failed is not
accepted by it. Whoever shows one quotes the entry: what limits it stands there, too.
"""

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from nightledger.domain.outcome import SHOWN_FROM
from nightledger.files.link_index import open_index
from nightledger.gate.forgotten import read_forgotten
from nightledger.gate.gated import read_accepted
from nightledger.gate.naming import Placed, find_standing
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.stored import read_stored
from nightledger.text.markdown.document import labels_of, parse_markdown
from nightledger.text.markdown.entries import Wording, find_entries, wording
from nightledger.text.similar import is_denied

MOST = 2_000
"""The surest; a home with more shows the rest when it is asked for. Our choice."""
_PARTS = re.compile(r"[,;!?()\n\u3001\u3002\uff0c\uff1b\uff01\uff1f]|\.(?!\w)")
_FAILED = re.compile(r"\bfailed\b", re.IGNORECASE)
"""In a part of a sentence: ``retry failed 2 times`` beside what resolved it."""
_NO_WORD = re.compile(r"[\W_]+")
_NAME = re.compile(r"\w(?:[\w.:+@/-]*\w)?")


class Association(Struct, frozen=True, kw_only=True):
    """A link that may be shown.

    Attributes:
        first: One tag.
        second: The other; the two are sorted.
        resolution: What worked.
        entry: Id of the signed entry that names it.
        confidence: Of it, decayed to now, .7 and more.
        last_day: Newest log day of the link, as ``date.toordinal``.
    """

    first: str
    second: str
    resolution: str
    entry: str
    confidence: float
    last_day: int

    @property
    def key(self) -> str:
        """Its name in records: ``cron + time_zone``."""
        return f"{self.first} + {self.second}"

    @property
    def words(self) -> str:
        """All that it tells."""
        return f"{self.first} {self.second} {self.resolution}"


class Accepted:
    """Entries that an operator accepted, to look resolutions up in."""

    __slots__ = ("_denied", "_entries", "_known")

    def __init__(self, entries: Iterable[Placed], denied: Iterable[str] = ()) -> None:
        """Take entries in.

        Args:
            entries: What was accepted.
            denied: Texts that deny: they undo what an entry accepts.
        """
        self._denied = tuple(f" {_plain(text)} " for text in denied)
        self._entries = tuple(map(_read, entries))
        self._known: dict[tuple[str, ...], Placed | None] = {}

    def find(self, resolution: str, tags: tuple[str, str]) -> Placed | None:
        """Return the first entry that names a resolution; None where none does, or one denies it.

        A resolution of one word is a word like any other; it counts where a tag of its link stands
        in the same entry, too.

        Args:
            resolution: An identifier; ``set_zone_explicitly`` is found as the clause ``set zone explicitly``, too.
            tags: Of its link.
        """
        words = _plain(resolution)
        beside = () if " " in words else tuple(map(_plain, tags))
        key = (resolution, *beside)
        if words and key not in self._known:
            named = (
                one.placed
                for one in self._entries
                if not one.names.isdisjoint((resolution.casefold(), words)) and _is_beside(one.text, beside)
            )
            is_denied = any(f" {words} " in text and _is_beside(text, beside) for text in self._denied)
            self._known[key] = None if is_denied else next(named, None)
        return self._known.get(key)


class _Read(Struct, frozen=True, kw_only=True):
    """An accepted entry: the identifiers in it and its clauses, and all its words."""

    placed: Placed
    names: frozenset[str]
    text: str


def _read(placed: Placed) -> _Read:
    parts = [part for part in _PARTS.split(placed.entry.text) if not _FAILED.search(part)]
    clauses = {_plain(clause) for part in parts for clause in part.split(":")}
    names = {name for part in parts for name in _NAME.findall(part.casefold())}
    return _Read(placed=placed, names=frozenset(names | clauses), text=f" {_plain(' '.join(parts))} ")


def _is_beside(text: str, tags: Sequence[str]) -> bool:
    return not tags or any(f" {tag} " in text for tag in tags)


def shown_associations(gate: Gate, ledger: Ledger) -> tuple[Association, ...]:
    """Give the associations that hooks and staging may show, the surest first.

    Args:
        gate: The home.
        ledger: Its log, as checked.

    Raises:
        LinkIndexError: The link index is damaged.
        UnreadableError: A gated file cannot be read.
    """
    index = open_index(gate.home.link_index_dir)
    if index is None:
        return ()
    accepted = read_resolutions(gate, ledger)
    found = []
    with index:
        sure = [one for one in index.every() if one.confidence >= SHOWN_FROM]
    for one in sure:
        link, resolution = one.link, one.link.best.resolution
        placed = accepted.find(resolution, link.pair)
        if placed is not None:
            found.append(
                Association(
                    first=link.first,
                    second=link.second,
                    resolution=resolution,
                    entry=placed.entry.id,
                    confidence=one.confidence,
                    last_day=link.last_day,
                )
            )
    return tuple(sorted(found, key=lambda one: (-one.confidence, one.key)))[:MOST]


def read_resolutions(gate: Gate, ledger: Ledger) -> Accepted:
    """Return the entries that stand as they were signed, to look resolutions up in.

    Args:
        gate: The home.
        ledger: Its log and what it adds up to.

    Raises:
        UnreadableError: A gated file cannot be read.
    """
    home, book = gate.home, ledger.book
    forgotten = read_forgotten(gate, read_stored(gate, book), book)
    signed: dict[str, set[Wording]] = {}
    denied = []
    for path in home.identity.gated:
        document = parse_markdown((read_accepted(home, book, path) or b"").decode("utf-8", "surrogateescape"))
        labels = labels_of(document)
        for entry in find_entries(document):
            if any(map(is_denied, (entry.text, *entry.section, *labels[entry.first_line - 1]))):
                denied.append(entry.text)
            elif not forgotten.holds(entry.text):
                signed.setdefault(path, set()).add(wording(entry))
    standing = find_standing(home, book).entries.values()
    return Accepted((one for one in standing if wording(one.entry) in signed.get(one.path, ())), denied)


def _plain(text: str) -> str:
    return _NO_WORD.sub(" ", text.casefold()).strip()
