"""Which associations an agent may be shown without asking: those whose resolution the operator accepted.

Invariant: a resolution is given only where it stands in a signed entry as it was signed, or in a
change that an operator approved and nobody had forgotten or undone; how sure the outcomes are does
not replace that. One that such a text denies ("Never push with force"), by itself or by what it stands
under, is not given, and what it says failed is not accepted by it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from nightledger.domain.confidence import SHOWN_FROM
from nightledger.domain.proposal import Kind
from nightledger.domain.states import Book, ChangeState
from nightledger.files.link_index import open_index
from nightledger.gate.apply.around import read_accepted
from nightledger.gate.forgetting.forgotten import read_forgotten
from nightledger.gate.integrity.trusting import Trust, read_verified
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.stored import Stored, read_stored
from nightledger.text.changes.labels import labels_of
from nightledger.text.markdown.document import parse_markdown
from nightledger.text.markdown.entries import find_entries
from nightledger.text.similar import is_negated

MOST = 2_000
"""The surest; a home with more shows the rest when it is asked for. Our choice."""
_ACCEPTED = frozenset({ChangeState.APPROVED, ChangeState.APPLIED})
_PARTS = re.compile(r"[,;.!?()\n]")
_FAILED = re.compile(r"\bfailed\b", re.IGNORECASE)
"""In a part of a sentence: ``retry failed 2 times`` beside what resolved it."""
_URGED = re.compile(r"\b(?:do not|don['\u2019]t|never) (?:forget|hesitate|neglect) to\b", re.IGNORECASE)
"""Words of negation that deny nothing."""
_NO_WORD = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Association:
    """A link that may be shown.

    Attributes:
        first: One tag.
        second: The other; the two are sorted.
        resolution: What worked.
        confidence: Of it, decayed to now, .7 and more.
        last_day: Newest log day of the link, as ``date.toordinal``.
    """

    first: str
    second: str
    resolution: str
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
    """Texts that an operator accepted, to look resolutions up in."""

    __slots__ = ("_denied", "_known", "_texts")

    def __init__(self, texts: Iterable[str], denied: Iterable[str] = ()) -> None:
        """Take texts in.

        Args:
            texts: What was accepted.
            denied: Of these, and of others, those that deny: they accept nothing, and undo what another accepts.
        """
        self._denied = tuple(f" {_plain(text)} " for text in denied)
        self._texts = tuple(f" {_plain(text)} " for text in texts)
        self._known: dict[tuple[str, ...], bool] = {}

    def holds(self, resolution: str, tags: tuple[str, str]) -> bool:
        """Tell whether one of the texts names a resolution.

        A resolution of one word is a word like any other; it counts where a tag of its link stands
        in the same text, too.

        Args:
            resolution: An identifier: ``set_zone_explicitly`` is found as ``set zone explicitly``, too.
            tags: Of its link.
        """
        words = _plain(resolution)
        if not words:
            return False
        beside = () if " " in words else tuple(map(_plain, tags))
        key = (words, *beside)
        if key not in self._known:
            self._known[key] = _is_in(self._texts, words, beside) and not _is_in(self._denied, words, beside)
        return self._known[key]


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
    accepted = resolution_texts(gate, ledger)
    found = []
    for recalled in index.every():
        link = recalled.link
        if recalled.confidence >= SHOWN_FROM and accepted.holds(
            link.best.resolution, (link.first, link.second)
        ):
            found.append(
                Association(
                    first=link.first,
                    second=link.second,
                    resolution=link.best.resolution,
                    confidence=recalled.confidence,
                    last_day=link.last_day,
                )
            )
    return tuple(sorted(found, key=lambda one: (-one.confidence, one.key)))[:MOST]


def _is_in(texts: Iterable[str], words: str, beside: Sequence[str]) -> bool:
    return any(
        f" {words} " in text and (not beside or any(f" {tag} " in text for tag in beside)) for text in texts
    )


def resolution_texts(gate: Gate, ledger: Ledger) -> Accepted:
    """Return the texts that an operator accepted, to look resolutions up in.

    Args:
        gate: The home.
        ledger: Its log and what it adds up to.

    Raises:
        UnreadableError: A gated file cannot be read.
    """
    stored = read_stored(gate, ledger.book)
    forgotten = read_forgotten(gate, stored, ledger.book)
    texts, denied = [], []
    for text, above in (*_signed_texts(gate, ledger.book), *_approved_texts(gate, ledger, stored)):
        if any(map(_denies, (text, *above))):
            denied.append(text)
        elif not forgotten.holds(text):
            texts.append(" ".join(part for part in _PARTS.split(text) if not _FAILED.search(part)))
    return Accepted(texts, denied)


def _denies(text: str) -> bool:
    return is_negated(_URGED.sub(" ", text))


def _signed_texts(gate: Gate, book: Book) -> Iterator[tuple[str, Sequence[str]]]:
    """Give the entries of every gated file as it was accepted last, each with the headings and labels above it."""
    for path in gate.home.identity.gated:
        accepted = read_accepted(gate.home, book, path)
        if accepted is not None:
            document = parse_markdown(accepted.decode("utf-8", "surrogateescape"))
            labels = labels_of(document)
            for entry in find_entries(document):
                yield entry.text, (*entry.section, *labels[entry.first_line - 1])


def _approved_texts(
    gate: Gate, ledger: Ledger, stored: Iterable[Stored]
) -> Iterator[tuple[str, Sequence[str]]]:
    """Return what stands in changes that an operator signed, whatever the log says of others."""
    trust, decisions = Trust(gate.home, ledger), ledger.book.decisions
    for item in (item for item in stored if item.proposal.kind is not Kind.FORGET):
        statuses = ledger.book.proposals[item.proposal.id].changes
        wanted = [
            one for one in item.proposal.changes if statuses[one.n].state in _ACCEPTED and one.hunk.added
        ]
        names = {statuses[one.n].decision or "" for one in wanted} & decisions.keys()
        read = (read_verified(gate.home, trust, decisions[name]) for name in names)
        signed = {n for one in read if one and one.proposal == item.proposal.id for n in one.changes}
        yield from ((one.hunk.added, one.section) for one in wanted if one.n in signed)


def _plain(text: str) -> str:
    return _NO_WORD.sub(" ", text.casefold()).strip()
