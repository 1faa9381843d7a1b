"""Bring the search index of a home up to date: only what changed is read.

Who may see a chunk is decided as it is indexed (``visibility.py``), so that asking is a condition of the question. What a file
says by itself is judged when it is new or changed; where what is withheld changed, by which a decision or an expunge
tells, all files are held against that before anything is asked.

Invariant: an index brought up to date answers as one made at once. Where it cannot be written, a
copy in memory is searched instead; the asker is told.

What search, the staged page and the hook take for the summary of an entry: of what a model said that is kept, else by the rules.

Invariant: no server is asked, and the same bytes give the same summaries.
"""

import hashlib
import os
from collections.abc import Iterable, Mapping
from contextlib import closing
from datetime import tzinfo

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from nightledger.domain.consolidation import Said, SelfContext
from nightledger.domain.decision import DecisionType, Moment
from nightledger.domain.errors import ConfigurationError, LinkIndexError, LockedError, NightledgerError
from nightledger.domain.kept import is_archive
from nightledger.domain.search import Chunk, Found, Kind
from nightledger.files import search_index, search_reader
from nightledger.files.atomic import Lock
from nightledger.files.configuration import home_zone
from nightledger.files.link_index import index_stamp
from nightledger.files.search_index import FileState, NewChunk, NewFile
from nightledger.gate.checking import verify_decisions
from nightledger.gate.naming import Placed, find_standing, signed_entries
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.recalling import read_principles
from nightledger.recall import visibility
from nightledger.recall.associations import shown_associations
from nightledger.recall.names import learn_names
from nightledger.recall.sources import (
    OLDER,
    Changed,
    Changes,
    Cut,
    Source,
    cut_archive,
    cut_entries,
    cut_handoff,
    cut_outcomes,
    cut_principles,
    cut_prose,
    cut_records,
    find_changes,
    find_sources,
)
from nightledger.text.statements.block import is_long, process_block, summary_of, tags_in
from nightledger.text.tokens import index_text
from nightledger.think.analyst import block_name, read_key, read_said


class Blocks(Struct, frozen=True, kw_only=True):
    """What is kept of what a model said of blocks.

    Attributes:
        said: By the name of the block.
    """

    said: Mapping[str, Said]

    @property
    def version(self) -> str:
        """Another one where a summary may be another; the same home gives the same."""
        told = msgspec.json.encode(sorted(self.said.items()))
        return hashlib.sha256(told).hexdigest() if self.said else ""

    def said_of(self, block: str) -> Said | None:
        """Return what a model said of a block; None where nothing is kept."""
        return self.said.get(block_name(block)) if self.said else None

    def summary(self, block: str) -> str:
        """Return what is shown of a block; empty where that is all of it."""
        if not is_long(block):
            return ""
        told = summary_of(block, self.said_of(block))
        return "" if told == block else told

    def lent(self, block: str) -> str:
        """Return the tags that a model gave a block and that do not stand in it, with a blank between: it is found by them."""
        said = self.said_of(block)
        return " ".join(sorted({*said.tags}.difference(tags_in(block)))) if said else ""

    def with_each(self, found: Found, tags: Iterable[str]) -> Found:
        """Return what was found, each entry with its alignment, tags and summary.

        Args:
            found: Of a search.
            tags: Those of the home that may be told.
        """
        context = SelfContext(tags=frozenset(tags))
        hits = (
            replace(hit, block=process_block(hit.chunk.text, context, self.said_of(hit.chunk.text)))
            if hit.chunk.entry
            else hit
            for hit in found.hits
        )
        return replace(found, hits=tuple(hits))


def read_blocks(gate: Gate) -> Blocks:
    """Return what a model said of the blocks of a home; nothing where none was asked, or the transcript cannot be read."""
    home = gate.home
    try:
        key = read_key(os.fspath(gate.ring.home_dir(home.identity.id)))
        return Blocks(said=read_said(home, key) if key else {})
    except (NightledgerError, OSError):
        return Blocks(said={})


WAIT_S = 5.0
"""For a run that brings the index up to date just now."""
_HEAD, _RULES, _LINKS, _BLOCKS = "head", "rules", "links", "blocks"
"""Keys of what the index was made by: the log's size and root, what is withheld, the link index, and what a model said of entries."""


class Refreshed(Struct, frozen=True, kw_only=True):
    """An index that is up to date, open for reading.

    Attributes:
        store: The index; close it.
        judge: Says which words an agent may not see.
        blocks: Says what is shown of an entry.
        changed: Files that were indexed, or went.
        notes: What the asker should know, a sentence each.
    """

    store: search_index.SearchStore
    judge: visibility.Judge
    blocks: Blocks
    changed: int
    notes: tuple[str, ...]

    def held(self, chunk: Chunk) -> visibility.Held:
        """Return the lines of a chunk of a searched file that an agent may not see, each with why, as they were indexed."""
        numbers = range(chunk.first_line, chunk.last_line + 1)
        verdict = visibility.read_verdict(self.store, chunk.path) or visibility.Verdict()
        held = (
            dict.fromkeys(numbers[max(0, verdict.lines + 1 - chunk.first_line) :], visibility.NOT_JUDGED)
            | verdict.held
        )
        if chunk.kind is Kind.MEMORY and chunk.entry not in self.judge.signed:
            held = dict.fromkeys(numbers, visibility.UNSIGNED)
        return {n: held[n] for n in numbers if n in held}


class _Seen(Struct, frozen=True, kw_only=True):
    """What indexing needs of a home, read once."""

    gate: Gate
    ledger: Ledger
    constitution: Cut
    judge: visibility.Judge
    blocks: Blocks
    placed: Mapping[str, tuple[Placed, ...]]
    sources: tuple[Source, ...]
    zone: tzinfo
    notes: list[str] = field(default_factory=list)

    @property
    def head(self) -> str:
        tree = self.ledger.log.tree
        return f"{tree.size} {tree.root().hex()}"


def refresh(
    gate: Gate, ledger: Ledger, moment: Moment, *, may_write: bool = True, anew: bool = False
) -> Refreshed:
    """Bring the index of a home up to date and open it.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        moment: The clocks.
        may_write: Whether this machine writes the home; else nothing is written.
        anew: Make it anew as a whole.

    Raises:
        UnreadableError: A gated file cannot be read.
        IntegrityError: The constitution in force cannot be told.
    """
    seen = _look(gate, ledger, moment)
    path = search_index.index_path(gate.home)
    if not may_write:
        return _in_memory(seen, "another machine writes this home, so the index was not touched")
    lock = Lock(gate.home.lock_path("search"), timeout_s=WAIT_S)
    try:
        with lock:
            return _up_to_date(seen, path, os.stat(lock.path).st_mtime_ns, anew=anew)
    except (LockedError, search_reader.BusyIndexError):
        return _in_memory(seen, "another run is bringing the index up to date")
    except search_reader.OtherVersionError as error:
        return _in_memory(seen, f"{error}, and it was left alone")
    except (search_reader.SearchIndexError, ConfigurationError) as error:
        return _in_memory(seen, str(error))
    except OSError as error:
        return _in_memory(seen, f"the index cannot be written ({error.strerror})")


def _look(gate: Gate, ledger: Ledger, moment: Moment) -> _Seen:
    home = gate.home
    standing = find_standing(home, ledger.book)
    known = signed_entries(home, ledger.book)
    placed: dict[str, list[Placed]] = {path: [] for path in home.identity.gated}
    for one in standing.entries.values():
        placed[one.path].append(one)
    signed = frozenset(name for name, one in standing.entries.items() if one in known)
    sources, copies = find_sources(home), ledger.book.copies  # of a compressed log its full text is searched
    searched = {source.path for source in sources}
    return _Seen(
        gate=gate,
        ledger=ledger,
        constitution=cut_principles(read_principles(home, ledger, moment)),
        judge=visibility.Judge(home, visibility.read_rules(gate, ledger), signed),
        blocks=read_blocks(gate),
        placed={path: tuple(entries) for path, entries in placed.items()},
        sources=tuple(source for source in sources if copies.get(source.path) not in searched),
        zone=home_zone(home, gate.settings),
    )


def _up_to_date(seen: _Seen, path: str, now_ns: int, *, anew: bool) -> Refreshed:
    """Write what changed; the caller holds the lock."""
    there = None if anew else _usable(seen, path)
    try:
        if there is not None:
            return _open(seen, path, _in_place(seen, path, there, now_ns))
    except search_reader.DamagedIndexError as error:  # deeper than the first look goes
        seen.notes.append(f"{error}: it was made anew")
    with search_index.building(path, index_text) as writer:
        changes = _changes(seen, writer.store, now_ns)
        _carry_out(seen, writer, changes)
    return _open(seen, path, changes)


def _in_place(seen: _Seen, path: str, there: search_index.SearchStore, now_ns: int) -> Changes:
    """Write what changed into the index that is there."""
    with closing(there) as store:
        changes = _changes(seen, store, now_ns)
        stale = store.meta(_HEAD) != seen.head or store.meta(_LINKS) != _links_state(seen)
        stale = stale or store.meta(_BLOCKS) != seen.blocks.version
    if changes.any or stale:
        with search_index.writing(path, index_text) as writer:
            _carry_out(seen, writer, changes)
    return changes


def _usable(seen: _Seen, path: str) -> search_index.SearchStore | None:
    """Give the index that is there; None where there is none, or one that is to be made anew.

    Raises:
        OtherVersionError: A newer version of this program made it.
        BusyIndexError: Another run writes it.
    """
    try:
        search_index.take_back(path)
        store = search_index.open_store(path)
        if store is not None:
            store.files()
    except search_reader.BusyIndexError:
        raise
    except search_reader.OtherVersionError as error:
        if error.newer:
            raise
        return None
    except search_reader.SearchIndexError as error:
        seen.notes.append(f"{error}: it was made anew")
        return None
    return store


def _changes(seen: _Seen, store: search_index.SearchStore, now_ns: int) -> Changes:
    again: frozenset[Kind] = frozenset()
    if store.meta(_RULES) != seen.judge.rules.version:
        again = frozenset(Kind)
    elif store.meta(_HEAD) != seen.head or store.meta(_BLOCKS) != seen.blocks.version:
        again = frozenset({Kind.MEMORY, Kind.PRINCIPLE})

    return find_changes(seen.gate.home, seen.sources, store, again=again, now_ns=now_ns)


def _carry_out(seen: _Seen, writer: search_index.SearchWriter, changes: Changes) -> None:
    for path in changes.gone:
        writer.remove(path)
        visibility.keep_verdict(writer, path, None)
    for path, state in changes.touched:
        writer.touch(path, state)
    changes.changed = [one for one in changes.changed if _put(seen, writer, one)]
    if writer.store.meta(_LINKS) != _links_state(seen):
        _put_links(seen, writer)
    writer.note(_HEAD, seen.head)
    writer.note(_RULES, seen.judge.rules.version)
    writer.note(_LINKS, _links_state(seen))
    writer.note(_BLOCKS, seen.blocks.version)


def _put(seen: _Seen, writer: search_index.SearchWriter, changed: Changed) -> bool:
    """Index a file; False where it stands in the index as it would."""
    source, state = changed.source, changed.state
    expunged = seen.judge.rules.forgotten.expunged
    if changed.raw is None:
        cut, digest, older = cut_outcomes(seen.gate.home.path(source.path), seen.zone)
        cut = replace(cut, text=expunged.without(cut.text))
        state = FileState(state.size_bytes, state.mtime_ns, digest, settled=state.settled)
        if older:
            seen.notes.append(f"{older} {OLDER}")
        text = cut.text
    else:
        text = expunged.without(changed.raw.decode("utf-8", "surrogateescape"))
        cut = _cut(seen, source, text)
        text = text if source.kind in visibility.BY_LINES else cut.text
    lines, judge, store = text.split("\n"), seen.judge, writer.store
    verdict = visibility.judge_file(judge, store, changed, lines)
    told_by_text = source.kind not in (Kind.MEMORY, Kind.PRINCIPLE) and not is_archive(source.path)
    if told_by_text and not changed.fresh and verdict == visibility.read_verdict(store, source.path):
        writer.touch(source.path, state)
        return False
    cut = visibility.for_each(judge, source.kind, cut, lines, verdict)
    if source.kind is Kind.MEMORY:
        cut = replace(cut, chunks=tuple(_processed(seen.blocks, one, cut.text) for one in cut.chunks))
    writer.put(NewFile(path=source.path, kind=source.kind, state=state, text=cut.text, chunks=cut.chunks))
    learn_names(writer, source.path)
    visibility.keep_verdict(writer, source.path, verdict)
    return True


def _processed(blocks: Blocks, chunk: NewChunk, text: str) -> NewChunk:
    """Return a chunk with the summary of its own words, so that it holds nothing that these do not."""
    block = text[chunk.start : chunk.end]
    return replace(chunk, summary=blocks.summary(block), lent=blocks.lent(block))


def _cut(seen: _Seen, source: Source, text: str) -> Cut:
    if source.kind is Kind.MEMORY:
        return cut_entries(seen.placed[source.path])
    if source.kind is Kind.PRINCIPLE:
        return seen.constitution
    if source.kind is Kind.HANDOFF:
        return cut_handoff(text)
    if source.kind is Kind.RECORD:
        return cut_records(source.path, text, seen.zone)
    if source.kind is Kind.ARCHIVE and source.day is None:
        return _moved(seen, source.path, cut_archive(text))
    return cut_prose(text, source.day)


def _moved(seen: _Seen, path: str, cut: Cut) -> Cut:
    """Mark what stands in a file of the archive as an operator signed it for there."""
    spans = []
    for target, block, name, proposal, n in seen.judge.rules.archived:
        at = cut.text.find(block) if target == path else -1
        held = (
            verify_decisions(seen.gate.home, seen.ledger, only=name).decisions.get(name) if at >= 0 else None
        )
        if (
            held
            and (held.type, held.proposal_sha256) == (DecisionType.APPROVE, proposal)
            and n in held.changes
        ):
            spans.append((at, at + len(block)))
    chunks = (
        replace(one, moved=any(start <= one.start and one.end <= end for start, end in spans))
        for one in cut.chunks
    )
    return replace(cut, chunks=tuple(chunks))


def _links_state(seen: _Seen) -> str:
    return f"{index_stamp(seen.gate.home.link_index_dir)} {seen.head} {seen.judge.rules.version}"


def _put_links(seen: _Seen, writer: search_index.SearchWriter) -> None:
    try:
        links = shown_associations(seen.gate, seen.ledger)
    except LinkIndexError as error:
        seen.notes.append(str(error))
        links = ()
    told = (one for one in links if seen.judge.may_say(one.words))
    writer.put_links((one.first, one.second, one.resolution, one.confidence, one.last_day) for one in told)


def _open(seen: _Seen, path: str, changes: Changes) -> Refreshed:
    store = search_index.open_store(path)
    if store is None:
        raise search_reader.SearchIndexError(f"the search index {path} was removed while it was made")
    return _refreshed(seen, store, changes)


def _in_memory(seen: _Seen, why: str) -> Refreshed:
    """Search a copy that no file holds: slower, and right."""
    writer = search_index.build_in_memory(index_text)
    changes = _changes(seen, writer.store, 0)
    _carry_out(seen, writer, changes)
    writer.commit()
    return _refreshed(seen, writer.store, changes, f"{why}; a copy in memory was searched")


def _refreshed(seen: _Seen, store: search_index.SearchStore, changes: Changes, *notes: str) -> Refreshed:
    return Refreshed(
        store=store,
        judge=seen.judge,
        blocks=seen.blocks,
        changed=len(changes.changed) + len(changes.gone),
        notes=(*seen.notes, *changes.notes, *notes),
    )
