"""Which entry is which, and what an operator signed of it: an entry keeps its id while its wording or section is changed.

An id is derived from section and wording (``text/markdown/entries.py``), so an edit gives another
one. Each apply that makes such an edit logs old and new id beside its intent
(``entries.named``); the book follows these steps (``Book.names``). What drifted is followed
from the accepted bytes to those of now, without a log.

Invariant: no two entries of a home have one id; who would be the second gets an id of its
own, and is counted. Pins and ``self/*`` tags come from decisions whose signature holds; they change no bytes, so they
count at once.
"""

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from nightledger.codec.canonical import canonical
from nightledger.domain.decision import Decision, DecisionTarget, DecisionType, EventName
from nightledger.domain.errors import AlteredError
from nightledger.domain.proposal import Evidence, Origin
from nightledger.domain.retention import ENTRY_TAGS
from nightledger.domain.states import REVOCABLE, Book, ChangeState
from nightledger.domain.words import content_id
from nightledger.files.home import Home
from nightledger.gate.gated import read_accepted, read_gated
from nightledger.gate.opening import Gate, Leaf, Ledger
from nightledger.gate.stored import read_proposal
from nightledger.gate.trusting import Trust, read_verified
from nightledger.text.markdown.document import Document, decode, encode, parse_markdown
from nightledger.text.markdown.entries import Entry, Wording, find_entries, track, wording

STEPS_AN_ENTRY = 400
"""Steps in one entry of the log, some 62 bytes each; it has a limit of 65,535 bytes."""
_PLACE = re.compile(r"(?:\./)?(.+):([1-9][0-9]{0,8})(?:-([1-9][0-9]{0,8}))?")
PIN_TYPES = frozenset({DecisionType.PIN, DecisionType.UNPIN})


class Placed(Struct, frozen=True, kw_only=True):
    """An entry of a gated file, under the id that it keeps.

    Attributes:
        path: The file, relative to the home.
        entry: The entry.
    """

    path: str
    entry: Entry


def entries_at(standing: Mapping[str, Placed], word: str) -> list[str]:
    """Return the ids of the entries at a place: ``MEMORY.md:15`` or ``MEMORY.md:15-16``."""
    place = _PLACE.fullmatch(word)
    if place is None:
        return []
    first, last = int(place[2]), int(place[3] or place[2])
    return [
        name
        for name, one in standing.items()
        if one.path == place[1] and one.entry.first_line <= last and first <= one.entry.last_line
    ]


class Standing(Struct, frozen=True, kw_only=True):
    """Every entry that stands in the gated files.

    Attributes:
        entries: By id, in the order of files and lines.
        twice: Ids that a second entry would have had.
    """

    entries: Mapping[str, Placed]
    twice: tuple[str, ...]


def evidence_of(placed: Placed, origin: Origin) -> Evidence:
    """Return an entry as evidence for what is proposed about it."""
    entry = placed.entry
    return Evidence(
        path=placed.path,
        lines=(entry.first_line, entry.last_line),
        sha256=hashlib.sha256(encode(entry.text.rstrip("\n"))).hexdigest(),
        origin=origin,
    )


def naming_events(apply_id: str, texts: Sequence[tuple[bytes, bytes]]) -> list[Leaf]:
    """Return what is logged beside the intent of an apply that edits entries; nothing where it only adds or removes.

    Args:
        apply_id: Of the intent.
        texts: For each gated file, its accepted bytes before and after.
    """
    steps = [step for before, after in texts if before != after for step in _steps(before, after)]
    return [
        (EventName.NAMED, {"apply": apply_id, "names": [list(step) for step in steps[at:][:STEPS_AN_ENTRY]]})
        for at in range(0, len(steps), STEPS_AN_ENTRY)
    ]


def _steps(before: bytes, after: bytes) -> Iterator[tuple[str, str]]:
    """Yield old and new id of each entry that was edited."""
    old, document = find_entries(_parse(before)), _parse(after)
    followed = track(old, document)
    if not followed.edited:
        return
    edited = frozenset(followed.edited)
    for kept, fresh in zip(followed.entries, find_entries(document), strict=True):
        if kept.id in edited and kept.id != fresh.id:
            yield kept.id, fresh.id


def find_standing(home: Home, book: Book) -> Standing:
    """Return every entry that stands in the gated files now, under the ids that they keep."""
    entries: dict[str, Placed] = {}
    twice: list[str] = []
    for path in home.identity.gated:
        for entry in _entries(home, book, path):
            name = entry.id
            while name in entries:
                twice.append(name)
                name = content_id("e", canonical([name, path]))
            entries[name] = Placed(path=path, entry=replace(entry, id=name))
    return Standing(entries=entries, twice=tuple(twice))


def _entries(home: Home, book: Book, path: str) -> tuple[Entry, ...]:
    present = read_gated(home, path)
    accepted = read_accepted(home, book, path)
    if accepted is None or accepted == present:
        return _named(find_entries(_parse(present)), book.names)
    return track(_named(find_entries(_parse(accepted)), book.names), _parse(present)).entries


def _named(entries: Sequence[Entry], names: Mapping[str, str]) -> tuple[Entry, ...]:
    """Return entries under the ids that they keep; whoever was edited comes before who says the old words anew."""
    taken = {names[entry.id] for entry in entries if entry.id in names}
    return tuple(
        replace(entry, id=names[entry.id])
        if entry.id in names
        else replace(entry, id=content_id("e", canonical([entry.id, 2])))
        if entry.id in taken
        else entry
        for entry in entries
    )


class SignedEntries(Struct, frozen=True):
    """What the accepted bytes say.

    Attributes:
        wordings: What stands in each file; None where the file is as it was accepted, all of it.
    """

    wordings: Mapping[str, frozenset[Wording] | None]

    def __contains__(self, placed: Placed) -> bool:
        """Return whether an entry stands in the accepted bytes of its file."""
        known = self.wordings[placed.path]
        return known is None or wording(placed.entry) in known


def signed_entries(home: Home, book: Book) -> SignedEntries:
    """Read the accepted bytes of every gated file.

    Raises:
        UnreadableError: A gated file cannot be read.
    """
    wordings: dict[str, frozenset[Wording] | None] = {}
    for path in home.identity.gated:
        accepted = read_accepted(home, book, path)
        if accepted is not None and accepted == read_gated(home, path):
            wordings[path] = None
        else:
            wordings[path] = frozenset(map(wording, find_entries(_parse(accepted or b""))))
    return SignedEntries(wordings=wordings)


def _parse(content: bytes) -> Document:
    return parse_markdown(decode(content))


class Mark(Struct, frozen=True, kw_only=True):
    """What an operator signed of one entry.

    Attributes:
        pinned: Whether it stays, whatever a policy says.
        tags: Its self tags, sorted.
    """

    pinned: bool = False
    tags: tuple[str, ...] = ()


NO_MARK = Mark()


def read_marks(gate: Gate, ledger: Ledger) -> dict[str, Mark]:
    """Return what is pinned or tagged, by the id that each entry keeps; those that are gone too.

    A decision whose file or signature is not what it was counts for nothing; ``verify`` names it.
    """
    signed = [status for status in ledger.book.decisions.values() if status.type in PIN_TYPES]
    if not signed:
        return {}
    trust = Trust(gate.home, ledger)
    marks: dict[str, Mark] = {}
    for status in signed:
        decision = read_verified(gate.home, ledger, trust, status)
        for target in decision.targets if decision else ():
            name = entry_named(target)
            kept = ledger.book.names.get(name, name)
            marks[kept] = _marked(marks.get(kept, NO_MARK), decision.reason if decision else "", status.type)
    return {name: mark for name, mark in marks.items() if mark != NO_MARK}


def _marked(mark: Mark, tag: str, kind: DecisionType) -> Mark:
    pins = kind is DecisionType.PIN
    if not tag:
        return Mark(pinned=pins, tags=mark.tags)
    others = [known for known in mark.tags if known != tag]
    return Mark(pinned=mark.pinned, tags=tuple(sorted([*others, tag] if pins else others)))


def entry_named(target: DecisionTarget) -> str:
    """Return the entry's id out of a target, ``MEMORY.md#e-...``."""
    return target.path.rpartition("#")[2]


def find_takers(
    gate: Gate, ledger: Ledger, names: Collection[str]
) -> tuple[tuple[str, int, ChangeState], ...]:
    """Name the changes that would take entries out, and that wait for an answer or are signed and not applied.

    A pin stops none of them: what was signed is done unless it is turned down.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        names: Ids of entries.

    Returns:
        Proposal, number and state of each.
    """
    found = []
    for status in ledger.book.live():
        with suppress(AlteredError):
            found += [
                (status.id, change.n, state)
                for change in read_proposal(gate, status).proposal.changes
                for state in [status.state_of(change.n)]
                if change.entry in names and not change.hunk.added.strip() and state in REVOCABLE
            ]
    return tuple(found)


def pin_targets(entries: Sequence[Placed]) -> tuple[DecisionTarget, ...]:
    """Return what a decision says of entries that are to be pinned or tagged, or not any more."""
    return tuple(
        DecisionTarget(
            path=f"{placed.path}#{placed.entry.id}", base=sha256, result=sha256, hunks_sha256=sha256
        )
        for placed in entries
        for sha256 in [text_sha256(placed)]
    )


def text_sha256(placed: Placed) -> str:
    """Return the hex SHA-256 of an entry's text."""
    return hashlib.sha256(encode(placed.entry.text)).hexdigest()


def pin_reasons(gate: Gate, ledger: Ledger, decision: Decision) -> list[str]:
    """Return why a decision may not pin or unpin what it names; empty where it may."""
    if decision.proposal or decision.changes or not decision.targets:
        return ["it is not the form of a decision about pins"]
    if decision.reason and decision.reason not in ENTRY_TAGS:
        return [f"{decision.reason!r} is no tag of an entry"]
    standing = find_standing(gate.home, ledger.book).entries
    marks: Mapping[str, Mark] = read_marks(gate, ledger) if decision.type is DecisionType.UNPIN else {}
    return [
        f"{target.path} is not the entry any more that it was signed over"
        for target in decision.targets
        for name in [entry_named(target)]
        if name not in marks and (name not in standing or pin_targets([standing[name]]) != (target,))
    ]
