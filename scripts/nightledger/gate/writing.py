"""Write files together: the intent on disk, blobs on disk, exchange, what was replaced hashed again, done.

Invariant: at every moment, power loss included, each file holds the bytes before or the bytes after,
the log says which, and the bytes before are kept for undo. A copy is on disk and has its hash before
what it is a copy of is replaced; gated files come last. A writer that ignores our lock loses nothing:
beside a gated file its bytes are kept and offered; of any other file all is put back. What a crash cut short is finished
or taken back before anything new begins; what no operator signed is never finished.
"""

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from msgspec import Struct

from nightledger.codec.canonical import canonical
from nightledger.domain.decision import Decision, DecisionTarget, EventName, Moment
from nightledger.domain.errors import NotDurableError, RefusedError, UnreadableError
from nightledger.domain.judge import EDIT_LANE
from nightledger.domain.kept import is_archive, is_copy, skill_name
from nightledger.domain.states import Apply, Book
from nightledger.domain.words import content_id
from nightledger.files.atomic import BlobStore, create_file, exchange_file, leftovers
from nightledger.files.durable import make_dir, read_regular, sync_directory
from nightledger.files.home import Home
from nightledger.gate.gated import MAX_GATED_BYTES, is_gated, read_target, require_exchangeable, swap_for
from nightledger.gate.opening import Gate, Ledger, closing, record

EMPTY_SHA256 = hashlib.sha256(b"").hexdigest()


class PutBackError(RefusedError):
    """Another program wrote to a file at the very moment of an apply; its bytes stand there again."""

    hint = "nothing was changed; it is tried again, over the bytes of now"


class Write(Struct, frozen=True, kw_only=True):
    """New bytes for one file, and the bytes that they replace.

    Attributes:
        path: The file.
        before: What stands in it.
        after: What is to stand in it.
        accepted_before: What was accepted before, where drift makes it something else than ``before``.
        accepted: What is accepted since, where it is something else than ``after``.
        fresh: Of a file that is not gated, the text that is new in it; all else only moves.
        restores: Whether it puts the full text of a compressed log back.
    """

    path: str
    before: bytes
    after: bytes
    accepted_before: bytes | None = None
    accepted: bytes | None = None
    fresh: str = ""
    restores: bool = False


def write_all(
    gate: Gate,
    decision: Decision,
    changes: tuple[int, ...],
    writes: Sequence[Write],
    moment: Moment,
    *,
    besides: Mapping[str, object] | None = None,
) -> bool:
    """Write files so that a crash at any moment is finished or taken back at the next start.

    Args:
        gate: The home.
        decision: What is carried out.
        changes: Numbers of its changes that are.
        writes: New bytes of each file; where they are those that stand there, only the log is written.
        moment: The clocks.
        besides: What else the log says of it: ``taken_back``, numbers of the changes of a drift that are taken
            back; ``outcomes``, how many there are when a link is deleted, for which they count no longer.

    Returns:
        Whether a rival wrote to a gated file at the same moment (its bytes are kept as a blob and logged).

    Raises:
        LockError: A file is locked by the operating system, and this user cannot exchange it.
        PutBackError: A rival wrote to another file at the same moment; all is as it was.
        NotDurableError: A copy is not on disk as it was written; the next start goes on from there.
    """
    writes = in_order(gate.home, writes)
    require_exchangeable(gate, (write.path for write in writes if write.before != write.after))
    signed = {target.path: target for target in decision.targets}
    fields: dict[str, object] = {
        "decision": decision.id,
        "proposal": decision.proposal,
        "changes": list(changes),
        "targets": [_logged(gate, write, signed[write.path]) for write in writes],
        **(besides or {}),
    }
    return go_on(gate, _intend(gate, fields, writes, moment), writes, {}, moment)


def _intend(gate: Gate, fields: Mapping[str, object], writes: Sequence[Write], moment: Moment) -> str:
    """Log what is to be done, and which entries keep their ids by it; give the apply's id."""
    from nightledger.gate.naming import naming_events

    apply_id = content_id("a", canonical(fields))
    named = naming_events(apply_id, [_accepted(gate, write) for write in writes])
    record(gate, [(EventName.APPLY_INTENT, {"apply": apply_id, **fields}), *named], moment)
    return apply_id


def in_order(home: Home, writes: Iterable[Write]) -> list[Write]:
    """Give writes in the order in which nothing is ever missing: copies, then what they are copies of, gated last."""

    def rank(write: Write) -> tuple[bool, bool, bool]:
        return is_gated(home, write.path), not write.after, not is_copy(write.path)

    return sorted(writes, key=rank)


def go_on(
    gate: Gate, apply_id: str, writes: Sequence[Write], done: Mapping[str, Sequence[str]], moment: Moment
) -> bool:
    """Exchange what is not exchanged yet, and log the end.

    Args:
        gate: The home.
        apply_id: Whose intent is on disk.
        writes: In the order of its targets.
        done: For each file that has its new bytes already, the hashes of what they replaced.
        moment: The clocks.

    Returns:
        Whether a rival wrote to a gated file at the same moment.

    Raises:
        PutBackError: A rival wrote to another file at the same moment; all is as it was.
        NotDurableError: A copy is not on disk as it was written.
    """
    replaced: list[tuple[str, str]] = []
    for write in writes:
        if done.get(write.path):
            replaced += [(write.path, sha256) for sha256 in done[write.path]]
        elif write.before != write.after:
            replaced.append((write.path, exchange(gate, write)))
            _require_written(gate.home, write)
        if _is_raced(gate.home, replaced, write):
            _put_back(gate, apply_id, writes, replaced, moment)
    expected = {write.path: hashlib.sha256(write.before).hexdigest() for write in writes}
    raced = [{"path": path, "sha256": sha256} for path, sha256 in replaced if sha256 != expected[path]]
    if raced:
        record(gate, [(EventName.APPLY_RACED, {"apply": apply_id, "replaced": raced})], moment)
    else:
        record(gate, [(EventName.APPLY_DONE, {"apply": apply_id})], moment)
    drop_empty(gate.home, (write.path for write in writes if not write.after))
    return bool(raced)


def _is_raced(home: Home, replaced: Sequence[tuple[str, str]], write: Write) -> bool:
    """Tell whether somebody else wrote to a daily log or the archive: before the exchange, or to a copy since."""
    if is_gated(home, write.path) or not replaced or replaced[-1][0] != write.path:
        return False
    same = not is_copy(write.path) or read_target(home, write.path) == write.after
    return not same or replaced[-1][1] != hashlib.sha256(write.before).hexdigest()


def _require_written(home: Home, write: Write) -> None:
    """Make sure that a copy can be read before its original goes."""
    if is_copy(write.path) and read_target(home, write.path) != write.after:
        raise NotDurableError(
            f"{write.path} is not what was written there just now; nothing else was changed"
        )


def _put_back(
    gate: Gate,
    apply_id: str,
    writes: Sequence[Write],
    replaced: Sequence[tuple[str, str]],
    moment: Moment,
) -> None:
    """Put back what stood in each file, the rival's bytes among them, and log that nothing was applied."""
    blobs = BlobStore(gate.home.blobs_dir)
    after = {write.path: write.after for write in writes}
    rivals = []
    for path, sha256 in reversed(replaced):
        found = exchange(gate, Write(path=path, before=after[path], after=blobs.get(sha256)))
        if found != hashlib.sha256(after[path]).hexdigest():
            rivals.append({"path": path, "sha256": found})
    fields: dict[str, object] = {"apply": apply_id, "reason": "raced"}
    if rivals:
        fields["replaced"] = rivals
    record(gate, [(EventName.APPLY_ABORTED, fields)], moment)
    drop_empty(gate.home, (path for path, sha256 in replaced if sha256 == EMPTY_SHA256))
    raise PutBackError(f"another program wrote to {replaced[-1][0]} at the same moment")


def drop_empty(home: Home, paths: Iterable[str]) -> None:
    """Remove files of the archive and skills that hold nothing: an empty one counts as none, as does a skill's empty folder."""
    for path in paths:
        if not (is_copy(path) or is_archive(path) or skill_name(path)):
            continue
        folder = os.path.dirname(home.path(path))
        if _is_empty(home, path):
            os.unlink(home.path(path))
            sync_directory(folder)
        if skill_name(path):
            with suppress(OSError):  # its owner keeps more in it
                os.rmdir(folder)
                sync_directory(os.path.dirname(folder))


def _logged(gate: Gate, write: Write, signed: DecisionTarget) -> dict[str, str]:
    """Give what the log says of a write; all bytes that it names are kept as blobs when this returns."""
    blobs = BlobStore(gate.home.blobs_dir)
    target = {
        "path": write.path,
        "before": blobs.put(write.before),
        "after": blobs.put(write.after),
        "signed_base": signed.base,
        "signed_result": signed.result,
    }
    if write.accepted is not None and write.accepted_before is not None:
        target["accepted_before"] = blobs.put(write.accepted_before)
        target["accepted"] = blobs.put(write.accepted)
    return target


def _accepted(gate: Gate, write: Write) -> tuple[bytes, bytes]:
    """Give a gated file's accepted bytes before and after a write; of any other file twice the same."""
    if write.path not in gate.home.identity.gated:
        return b"", b""
    if write.accepted is None or write.accepted_before is None:
        return write.before, write.after
    return write.accepted_before, write.accepted


def exchange(gate: Gate, write: Write) -> str:
    """Put new bytes in place; what really stood there is kept as a blob, whose hex SHA-256 is given."""
    blobs = BlobStore(gate.home.blobs_dir)
    path = gate.home.resolve(write.path)
    if not write.before:
        if write.path not in gate.home.identity.gated:
            # where our directories are ignored by git, so is an archive's
            ours = os.path.lexists(os.path.join(gate.home.system_dir, ".gitignore"))
            make_dir(os.path.dirname(path), ignored_by_git=ours and not skill_name(write.path))
        try:
            create_file(path, write.after)
        except FileExistsError:
            pass
        else:
            return EMPTY_SHA256
    kept: list[str] = []
    exchange_file(
        path,
        write.after,
        keep=lambda replaced: kept.append(blobs.put(replaced)),
        swap=swap_for(gate, write.path),
    )
    return kept[0]


def recover(gate: Gate, ledger: Ledger, moment: Moment) -> bool:
    """Bring log and gated files together again; the caller holds the home's lock.

    Returns:
        Whether something was logged.
    """
    unfinished = ledger.book.unfinished()
    written = (target.path for apply in unfinished for target in apply.targets)
    found = {path: _leftovers(gate, path) for path in dict.fromkeys([*gate.home.identity.gated, *written])}
    for apply in unfinished:
        if ledger.book.cut_short[apply.id]:
            _recover_one(gate, apply, found, moment)
        else:
            record(gate, [(EventName.APPLY_ABORTED, {"apply": apply.id, "reason": "unsigned"})], moment)
    for names in found.values():
        for name in names:
            os.unlink(name)
    drop_empty(gate.home, _emptied(gate.home, ledger.book))
    return _withdraw_edits(gate, ledger.book, moment) or bool(unfinished)


def is_behind(gate: Gate, book: Book) -> bool:
    """Tell whether an earlier run left something to finish."""
    return bool(book.unfinished()) or any(_is_empty(gate.home, path) for path in _emptied(gate.home, book))


def _emptied(home: Home, book: Book) -> list[str]:
    """Give the files that an undo emptied last: those of the archive and skills are to go; a gated one may be empty."""
    last = {**book.kept, **book.claimed}
    gated = home.identity.gated
    return [path for path, sha256 in last.items() if sha256 == EMPTY_SHA256 and path not in gated]


def _is_empty(home: Home, path: str) -> bool:
    """Return whether a file is there that holds nothing; behind a link to a directory nothing is ours."""
    folder = os.path.dirname(home.path(path))
    is_ours = os.path.realpath(folder) == os.path.dirname(os.path.join(os.path.realpath(home.root), path))
    with suppress(FileNotFoundError, NotADirectoryError):
        return is_ours and os.lstat(home.path(path)).st_size == 0
    return False


def _leftovers(gate: Gate, path: str) -> dict[str, bytes]:
    """Give what runs that died left beside a gated file; kept as blobs when this returns."""
    blobs = BlobStore(gate.home.blobs_dir)
    found: dict[str, bytes] = {}
    try:
        directory, own = os.path.split(gate.home.resolve(path))
    except UnreadableError:
        return found  # a link out of the home: nothing of ours was ever written there
    for name in leftovers(directory):
        if not os.path.basename(name).startswith(f".{own[:100]}."):
            continue
        try:
            found[name] = read_regular(name, MAX_GATED_BYTES)
        except UnreadableError:
            continue  # a link, a FIFO, a giant: no file of ours
        blobs.put(found[name])
    return found


def _recover_one(gate: Gate, apply: Apply, found: Mapping[str, Mapping[str, bytes]], moment: Moment) -> None:
    """Finish an apply of which some file has its new bytes, because files change together; else abort it."""
    blobs = BlobStore(gate.home.blobs_dir)
    writes = [Write(path=t.path, before=blobs.get(t.before), after=blobs.get(t.after)) for t in apply.targets]
    replaced = [_replaced(gate, write, list(found.get(write.path, {}).values())) for write in writes]
    if not any(replaced):
        record(gate, [(EventName.APPLY_ABORTED, {"apply": apply.id, "reason": "crash"})], moment)
        return
    done = {write.path: before for write, before in zip(writes, replaced, strict=True)}
    with suppress(PutBackError):
        go_on(gate, apply.id, writes, done, moment)


def _replaced(gate: Gate, write: Write, found: Sequence[bytes]) -> list[str]:
    """Give the hashes of what the new bytes replaced; none when they were never put in place.

    What was left beside the file is either our own new bytes, perhaps not all of them, or what
    was replaced. Where nothing was left the file itself tells, if it is nearer to the new bytes than to the old ones: somebody
    may have edited it since, and a second exchange would take that for a race. Where it holds what it held, nothing
    was done, whatever lies beside it: anybody may have put that there.
    """
    present = read_target(gate.home, write.path)
    if present == write.before:
        return []
    replaced = [
        hashlib.sha256(content).hexdigest() for content in found if not _is_part(content, write.after)
    ]
    if replaced:
        return replaced
    # nearer to the new bytes: a later writer's edit of them
    nearer = _distance(present, write.after) < _distance(present, write.before)
    return [hashlib.sha256(write.before).hexdigest()] if present == write.after or nearer else []


def _is_part(content: bytes, whole: bytes) -> bool:
    """Tell whether bytes are what power loss leaves of a write: cut short, or zeros where it did not come."""
    return len(content) <= len(whole) and all(
        one in (0, other) for one, other in zip(content, whole, strict=False)
    )


def _distance(one: bytes, other: bytes) -> int:
    from nightledger.text.changes.diff import changed_runs
    from nightledger.text.markdown.document import decode, split_lines

    runs = changed_runs(*(split_lines(decode(text)) for text in (one, other)))
    return sum(run.old_stop - run.old_start + run.new_stop - run.new_start for run in runs)


def _withdraw_edits(gate: Gate, book: Book, moment: Moment) -> bool:
    """Close operators' edits that were not signed at once: nobody is asked about them again."""
    unsigned = [s for s in book.live() if s.lane == EDIT_LANE and s.open_changes()]
    record(gate, [closing(status.id, status.open_changes()) for status in unsigned], moment)
    return bool(unsigned)
