"""Look after gated and protected files: what was changed outside Nightledger is kept, told and offered.

Invariant: no byte of such a file is changed here; what was found is a blob before its leaf is
written; a state that was told of is not told of again; each file has one open item at most. What another program wrote
at the very moment of an apply is proposed.
"""

import hashlib
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.decision import EventName, Moment
from nightledger.domain.errors import AlteredError, NightledgerError
from nightledger.domain.judge import DRIFT
from nightledger.domain.proposal import Draft, Evidence, Kind, Op, Origin
from nightledger.domain.states import Book, Drift, Raced, Writer
from nightledger.files.atomic import BlobStore
from nightledger.gate.checking import DISPUTED
from nightledger.gate.gated import first_seen, protected_now, read_accepted, read_gated, repair_locks, watched
from nightledger.gate.opening import Gate, Ledger, closing, read_ledger, record
from nightledger.gate.stored import read_proposal, store
from nightledger.text.changes.diff import shows, trace, trace_drift
from nightledger.text.markdown.document import decode, is_utf8, parse_markdown, section_of

if TYPE_CHECKING:
    from nightledger.gate.drifting import Found, Guess

_UNLOCKED = "it is not locked by the operating system any more, and only root can lock it again"
_LOST = "The bytes accepted before were never kept, so the whole file is shown as new."


def offer_race(gate: Gate, raced: Raced, moment: Moment) -> str:
    """Propose what another program wrote at the very moment of an apply; return the proposal's id, or nothing.

    Args:
        gate: The home; the caller holds its lock and reads the log anew after.
        raced: What was replaced.
        moment: The clocks.
    """
    from nightledger.text.changes.merge import merge3

    blobs, ledger = BlobStore(gate.home.blobs_dir), read_ledger(gate)
    base, found = decode(blobs.get(raced.before)), decode(blobs.get(raced.sha256))
    present = decode(read_gated(gate.home, raced.path))
    merged = merge3(base, present, found)
    proposal = ""
    if merged is not None and is_utf8(merged):
        from nightledger.gate.proposing import Submission, propose  # for the few who race

        submission = Submission(
            kind=Kind.BEHAVIOUR,
            lane=DRIFT,
            period=moment.at.date().isoformat(),
            title=f"An edit of {raced.path} that another program made at the moment of an apply",
            drafts=list(_drafts(raced, present, merged)),
            asked=True,
        )
        made = propose(gate, ledger, submission, moment).proposal if submission.drafts else None
        proposal = made.id if made else ""
    fields: dict[str, object] = {
        "path": raced.path,
        "sha256": raced.sha256,
        "base": ledger.book.gated.get(raced.path, ""),
        "blob": raced.sha256,
        "writer": Writer.UNKNOWN.value,
        "proposal": proposal,
    }
    record(gate, [(EventName.DRIFT_FOUND, fields)], moment)
    return proposal


def _drafts(raced: Raced, present: str, wanted: str) -> Iterator[Draft]:
    """Yield what would have to be done to a file, a section at a time."""
    from nightledger.text.similar import fold

    course = trace(present, wanted, by_section=True)
    document = parse_markdown(present)
    for n, run in enumerate(course.runs, 1):
        removed, added = course.removed(n), course.added(n)
        yield Draft(
            op=Op.REPLACE if removed and added else Op.ADD if added else Op.REMOVE,
            target=raced.path,
            section=section_of(document, run.old_start + (run.old_start < run.old_stop), run.old_stop).path,
            before=removed,
            line=run.old_start + 1 if removed else 0,
            after=added,
            reason="It was written outside Nightledger. Who wrote it is unknown.",
            evidence=(Evidence(path=raced.path, lines=(1, 1), sha256=raced.sha256, origin=Origin.UNKNOWN),),
            confidence=0.5,
            rank=float(-n),
            statement_key=fold(added or f"remove {removed}"),
        )


class Sighting(Struct, frozen=True, kw_only=True):
    """A file that is not what was accepted.

    Attributes:
        path: Relative to the home.
        proposal: The item in which it is settled; empty where nothing can be asked.
        writer: Who most likely wrote it.
        new: Whether it was found just now.
        earlier: Since when these bytes were accepted before; None where they never were.
        protected: Whether it is a protected file, which is never changed by us.
        relocked: Whether the operating system's lock on it was gone and is set again.
        problem: Why it cannot be looked after; empty where it can.
    """

    path: str
    proposal: str = ""
    writer: str = ""
    new: bool = False
    earlier: datetime | None = None
    protected: bool = False
    relocked: bool = False
    problem: str = ""


def guard(gate: Gate, ledger: Ledger, roots: Mapping[str, str], moment: Moment) -> tuple[Sighting, ...]:
    """Look at every gated and protected file; the caller holds the home's lock and reads the log anew after.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        roots: Each agent host's own directory, in which traces of writers are looked for.
        moment: The clocks.

    Returns:
        What is not as it was accepted, gated files first.
    """
    repaired, lost = repair_locks(gate, ledger.book, moment)
    watch = _Watch(gate, ledger, roots, moment)
    found = [Sighting(path=path, problem=_UNLOCKED) for path in lost]
    found += [Sighting(path=path, relocked=True, new=True) for path in repaired]
    disputed = filter(ledger.book.is_disputed, watched(gate.home, ledger.book))
    found += [Sighting(path=path, problem=DISPUTED) for path in disputed]
    found += [sighting for path in watched(gate.home, ledger.book) for sighting in watch.gated(path)]
    found += watch.protected()
    return tuple(found)


def is_quiet(gate: Gate, book: Book) -> bool:
    """Tell whether a look would find nothing that is not told of already; writes nothing."""
    present = protected_now(gate.home)
    if book.races or first_seen(book, present):
        return False
    files = {path: present.get(path, b"") for path in book.protected}
    try:
        files |= {path: read_gated(gate.home, path) for path in watched(gate.home, book)}
    except NightledgerError:
        return False
    return all(_is_told(gate, book, path, content) for path, content in files.items())


def _is_told(gate: Gate, book: Book, path: str, present: bytes) -> bool:
    sha256, accepted = hashlib.sha256(present).hexdigest(), book.accepted_of(path)
    drift = book.open_drift(path)
    if drift is None:
        return sha256 == accepted
    is_kept = read_accepted(gate.home, book, path) is not None  # else its item may not show it any more
    return is_kept and (drift.sha256, drift.base) == (sha256, accepted)


class _Watch:
    """One look at a home."""

    def __init__(self, gate: Gate, ledger: Ledger, roots: Mapping[str, str], moment: Moment) -> None:
        self.gate = gate
        self.ledger = ledger
        self.roots = roots
        self.moment = moment
        self.blobs = BlobStore(gate.home.blobs_dir)

    def gated(self, path: str) -> Iterator[Sighting]:
        try:
            present = read_gated(self.gate.home, path)
        except NightledgerError as error:
            yield Sighting(path=path, problem=str(error))
            return
        for raced in self.ledger.book.races:
            if raced.path == path:
                proposal = offer_race(self.gate, raced, self.moment)
                self._reread()
                yield Sighting(path=path, proposal=proposal, writer=Writer.UNKNOWN.value, new=True)
        yield from self._look(path, present)

    def _look(self, path: str, present: bytes) -> Iterator[Sighting]:
        book = self.ledger.book
        sha256 = hashlib.sha256(present).hexdigest()
        accepted = book.accepted_of(path)
        drift = book.open_drift(path)
        if sha256 == accepted:
            if not self.blobs.holds(sha256):
                self.blobs.put(present)  # what is accepted is kept while it can be
            self._close(drift)
            return
        before = read_accepted(self.gate.home, book, path)
        if (
            drift
            and (drift.sha256, drift.base) == (sha256, accepted)
            and self._is_sound(drift, before, present)
        ):
            yield self._told(drift)
            return
        yield self._found(path, before, present, drift)

    def _found(self, path: str, accepted: bytes | None, present: bytes, drift: Drift | None) -> Sighting:
        """Keep, tell and offer what stands in a file and was not told of."""
        from nightledger.gate.drifting import Found, drift_proposal
        from nightledger.gate.screening import own_values

        book = self.ledger.book
        before = b"" if accepted is None else accepted
        guess = self._guess(path, before, present)
        earlier = book.accepted_at(path, hashlib.sha256(present).hexdigest())
        found = Found(
            path=path,
            accepted=before,
            present=present,
            guess=guess,
            title=_title(path, earlier),
            note=_LOST if accepted is None else "",
            cap_characters=self.gate.most_characters(path),
            told=own_values(self.gate, decode(before), decode(present)),
        )
        self.blobs.put(before)
        proposal = drift_proposal(found, log_size=self.ledger.log.size, moment=self.moment)
        superseded = {}
        if drift is not None:
            superseded = {drift.proposal: book.proposals[drift.proposal].open_changes()}
        fields = {**self._leaf(found, earlier), "proposal": proposal.id}
        event = (EventName.DRIFT_FOUND, fields)
        store(self.gate, proposal, self.moment, superseded=superseded, after=[event])
        self._reread()
        return replace(self._told(self.ledger.book.drifts[path]), new=True)

    def _leaf(self, found: "Found", earlier: datetime | None) -> dict[str, object]:
        """Give what the log says of what was found; its bytes are a blob when this returns."""
        sha256 = self.blobs.put(found.present)
        fields: dict[str, object] = {
            "path": found.path,
            "sha256": sha256,
            "base": self.ledger.book.accepted_of(found.path) or "",
            "blob": sha256,
            "writer": found.guess.writer.value,
        }
        if found.guess.commit:
            fields["commit"] = found.guess.commit
        if earlier:
            fields["known_earlier"] = f"{earlier:%Y-%m-%dT%H:%M:%SZ}"
        return fields

    def _guess(self, path: str, accepted: bytes, present: bytes) -> "Guess":
        from nightledger.gate.drifting import guess_writer

        course = trace(decode(accepted), decode(present))
        added = "".join(course.added(n) for n in range(1, len(course.runs) + 1))
        return guess_writer(self.gate.home, path, present, added, self.roots)

    def _told(self, drift: Drift) -> Sighting:
        book = self.ledger.book
        return Sighting(
            path=drift.path,
            proposal=drift.proposal,
            writer=drift.writer,
            earlier=book.accepted_at(drift.path, drift.sha256),
            protected=drift.path not in book.gated,
        )

    def _is_sound(self, drift: Drift, accepted: bytes | None, present: bytes) -> bool:
        """Tell whether an item can be answered: its file is what was logged, and shows what drifted."""
        try:
            stored = read_proposal(self.gate, self.ledger.book.proposals[drift.proposal])
        except AlteredError:
            return False
        return shows(stored.proposal, trace_drift(decode(accepted or b""), decode(present)))

    def _close(self, drift: Drift | None) -> None:
        """Close an item whose file is again what was accepted."""
        if drift is None:
            return
        waits = self.ledger.book.proposals[drift.proposal].open_changes()
        record(self.gate, [closing(drift.proposal, waits)], self.moment)
        self._reread()

    def protected(self) -> Iterator[Sighting]:
        present = protected_now(self.gate.home)
        new = first_seen(self.ledger.book, present)
        for path in new:
            self.blobs.put(present[path])
        if new:
            files = [{"path": p, "sha256": hashlib.sha256(present[p]).hexdigest()} for p in new]
            record(self.gate, [(EventName.PROTECTED_SEEN, {"files": files})], self.moment)
            self._reread()
        for path in self.ledger.book.protected:
            yield from self._look(path, present.get(path, b""))

    def _reread(self) -> None:
        self.ledger = read_ledger(self.gate)


def _title(path: str, earlier: datetime | None) -> str:
    if earlier:
        return f"{path} went back to what was accepted on {earlier:%Y-%m-%d %H:%M} UTC"
    return f"{path} was changed outside Nightledger"
