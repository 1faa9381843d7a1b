"""Keep the ids of entries while somebody edits the file that holds them.

Invariant: an id goes to one entry only, and never by a guess between two.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from nightledger.text.markdown.document import Document, Path
from nightledger.text.markdown.entries import Entry, number_entries, unnumbered_entries, wording
from nightledger.text.similar import NearIndex

CLOSE = 0.6
"""Likeness (Dice) from which an entry may be an edited one: on invented entries, a changed
value or a clause more stays above it, and another fact about the same thing mostly falls
below. Lower than for duplicates, because a second candidate already rules out both."""


class Tracked(Struct, frozen=True, kw_only=True):
    """The entries of a changed document, tied to those known before.

    Attributes:
        entries: All entries of the document in order; those recognised carry their old id.
        edited: Ids of those whose text or section changed.
    """

    entries: tuple[Entry, ...]
    edited: tuple[str, ...]


def track(old: Sequence[Entry], document: Document) -> Tracked:
    """Find entries known before in a document that has changed since.

    In this order: the same words in the same section (equals in their order); the same
    words in another section, where both are the only ones; a close match in the same
    section, where neither side has a second. All others are new, with an id of their own.

    Args:
        old: Entries as last known, with ids.
        document: The document as it is now.
    """
    new = unnumbered_entries(document)
    pairs: dict[int, Entry] = {}
    left = _pair(pairs, list(old), new, wording, only=False)
    edited_from = len(pairs)
    left = _pair(pairs, left, new, lambda entry: wording(entry)[1], only=True)
    _pair_close(pairs, left, new)
    named = [replace(entry, id=pairs[n].id) if n in pairs else entry for n, entry in enumerate(new)]
    entries = number_entries(named, frozenset(entry.id for entry in old))
    return Tracked(entries=entries, edited=tuple(entry.id for entry in list(pairs.values())[edited_from:]))


def _pair(
    pairs: dict[int, Entry],
    old: Sequence[Entry],
    new: Sequence[Entry],
    key: Callable[[Entry], Hashable],
    *,
    only: bool,
) -> list[Entry]:
    """Pair entries of one key in their order, or only where each side has one; give who is left."""
    waiting = defaultdict[Hashable, list[Entry]](list)
    free = defaultdict[Hashable, list[int]](list)
    for entry in old:
        waiting[key(entry)].append(entry)
    for n, entry in enumerate(new):
        if n not in pairs:
            free[key(entry)].append(n)
    for one, entries in waiting.items():
        if not only or len(entries) == len(free[one]) == 1:
            pairs.update(zip(free[one], entries, strict=False))
    known = {entry.id for entry in pairs.values()}
    return [entry for entry in old if entry.id not in known]


def _pair_close(pairs: dict[int, Entry], old: Sequence[Entry], new: Sequence[Entry]) -> None:
    """Pair what is close to one entry only; of many with one wording, one is compared for all."""
    indexes = defaultdict[Path, NearIndex](lambda: NearIndex(CLOSE))
    places = defaultdict[tuple[Path, str], list[int]](list)
    asking = defaultdict[tuple[Path, str], list[Entry]](list)
    for n, entry in enumerate(new):
        if n not in pairs:
            places[entry.section, entry.text].append(n)
    for (section, text), same in places.items():
        indexes[section].add(str(same[0]), text)
    for entry in old:
        asking[entry.section, entry.text].append(entry)
    near = {one: [key for key, _ in indexes[one[0]].near(one[1])] for one in asking}
    claims = Counter(key for one, entries in asking.items() for key in near[one] for _ in entries[:2])
    alone = {str(same[0]) for same in places.values() if len(same) == 1}
    for one, entries in asking.items():
        keys = near[one]
        if len(entries) == len(keys) == 1 and keys[0] in alone and claims[keys[0]] == 1:
            pairs[int(keys[0])] = entries[0]
