"""Remove a leaked text from every file of ours, on the operator's signature; nothing brings it back.

Invariant: the log names what goes and what is rewritten before it happens, with the hashes
after it, so that ``verify`` tells an expunge from a rewriting by somebody else. The audit
log itself holds no text and stays as it is; it keeps keyed hashes by which the text is known again
(``gate/forgotten.py``). What cannot be reached is named.
"""

import hashlib
import os
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from itertools import chain
from shlex import quote

from msgspec import Struct

from nightledger.domain.decision import Decision, DecisionTarget, DecisionType, EventName
from nightledger.domain.errors import NightledgerError, UnreadableError
from nightledger.domain.finding import Needle
from nightledger.domain.record import VIEW_FIRST_LINE
from nightledger.domain.states import Book, ChangeState, Gone
from nightledger.domain.trusting import EMPTY_SHA256
from nightledger.files.atomic import find_leftovers
from nightledger.files.durable import is_within, overwrite, overwritten, read_regular, sync_directory
from nightledger.files.home import Home
from nightledger.gate.gated import append_only, read_accepted, read_gated, watched, why_locked
from nightledger.gate.opening import Gate, Leaf, Ledger, closing
from nightledger.gate.placing import LOST, carry
from nightledger.gate.trusting import Trust, read_verified
from nightledger.trust.dsse import payloads_in

TARGETS_A_DECISION = 300
"""Files that one decision names; its entry has a limit of 65,535 bytes."""
MAX_BYTES = 1 << 32


class Found(Struct, frozen=True, kw_only=True):
    """Where a text is; paths relative to the home, sorted.

    Attributes:
        removed: Files of ours that go whole: proposals, decisions, blobs, held-back texts, texts and
            dead letters of messages.
        rewritten: Files of ours that are only appended to, archives, and the handoff's view: it is overwritten there.
        derived: Files that are folded from others, and disposable ones: they go and are made anew. What runs
            that died left goes with them.
        gated: Gated files; they change by a signed edit only.
        altered: Proposals and decisions that are not what was logged: what ``verify`` says of them is
            evidence, whoever put the text there.
        trust: Trust files and the decisions behind them, and behind the newest change of each gated file that is not to be
            edited: who may sign, and what memory says, rests on these very bytes.
        accepted: Blobs of what gated files were last signed to hold: the guard compares with them.
        elsewhere: Files in the home that are not ours.
        targets: What the decisions say of each file of ours: its hash before, and after.
    """

    removed: tuple[str, ...] = ()
    rewritten: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()
    gated: tuple[str, ...] = ()
    altered: tuple[str, ...] = ()
    trust: tuple[str, ...] = ()
    accepted: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()
    targets: tuple[DecisionTarget, ...] = ()

    @property
    def anything(self) -> bool:
        """Whether it is in any file of ours."""
        return bool(self.removed or self.rewritten or self.derived or self.gated or self.accepted)


def find_held(gate: Gate, ledger: Ledger, needle: Needle) -> Found:
    """Find a text in every file of ours, and name where else it is; nothing is changed.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        needle: What must go.

    Raises:
        UnreadableError: What would go is reached by a link, or overwritten under two names.
    """
    home, seen = gate.home, set[str]()

    def among(*sources: Iterable[str]) -> tuple[str, ...]:
        """Return those that hold it, of the files that were not looked at before."""
        fresh = [path for path in dict.fromkeys(chain(*sources)) if path not in seen]
        seen.update(fresh)
        return tuple(sorted(home.relative(path) for path in fresh if _is_held(path, needle)))

    gated = among(map(home.path, watched(home, ledger.book)))
    newest = (home.decision(name) for path, name in _newest(ledger).items() if path not in gated)
    trust = among(_trust(home, ledger), newest)
    accepted = among(_blob(home, sha256) for sha256 in ledger.book.gated.values())
    altered = among(_altered(home, ledger))
    ours = (home.proposals_dir, home.decisions_dir, home.blobs_dir, home.quarantine_dir, home.received_dir)
    found = among(*map(_files, ours), [home.dead_letters])
    rewritten = among(map(home.path, append_only(home)), _files(home.archive_dir), _handed(home))
    derived = among(_views(home), _files(home.work_dir), find_leftovers(home))
    elsewhere = among(_files(home.audit_dir), _files(home.config_dir), _others(home))
    anywhere = any((gated, accepted, found, rewritten, derived, elsewhere))
    signatures = [f"{path}.sig" for path in found if os.path.lexists(home.path(f"{path}.sig"))]
    removed = tuple(sorted({*found, *signatures}))
    derived = tuple(sorted({*derived, *_search_index(home, needle, anywhere=anywhere)}))
    _require_own(home, (*removed, *derived), rewritten)
    after = {path: overwritten(_read(home, path), needle.forms) for path in rewritten}
    return Found(
        removed=removed,
        rewritten=rewritten,
        derived=derived,
        gated=gated,
        altered=altered,
        trust=trust,
        accepted=accepted,
        elsewhere=elsewhere,
        targets=tuple(_target(home, path, after.get(path, b"")) for path in (*removed, *rewritten)),
    )


def _is_held(path: str, needle: Needle) -> bool:
    try:
        content = read_regular(path, MAX_BYTES)
    except NightledgerError:
        return False  # a link, a FIFO, no file: nothing of ours is there
    return needle.held_by(content) or any(map(needle.held_by, payloads_in(content)))


def _require_own(home: Home, going: Collection[str], rewritten: Collection[str]) -> None:
    """Refuse what is reached by a name that is not ours alone: another's file would go, or be overwritten, with it.

    A directory of ours may be a link on purpose, to another disk or into a vault. What lies there is not told
    from what lay there before.

    Raises:
        UnreadableError: A directory above a file that is to go is a link, or a file that is overwritten has a second name.
    """
    for path in (*going, *rewritten):
        if link := _link_above(home, path):
            there, here = quote(os.path.realpath(home.path(link))), quote(home.path(link))
            raise UnreadableError(
                f"{link} is a link to {there}, and nobody can tell whether what lies there is ours: {path} would go",
                hint=f"look there. Is the link none of yours, take it away: rm {here}. Is all that lies there "
                f"of this home, put it in its place: rm {here} && mv {there} {here}",
            )
    for path in rewritten:
        if has_second_name(home.path(path)):
            name = quote(home.path(path))
            raise UnreadableError(
                f"{path} has a second name (a hard link), and what is overwritten here would be overwritten there",
                hint=f"give it bytes of its own: cp -p {name} {name}.new && mv {name}.new {name}",
            )


def _link_above(home: Home, path: str) -> str:
    """Return the first directory above a file, within the home, that is a link; empty where none is."""
    parts = path.split("/")
    above = ("/".join(parts[:n]) for n in range(1, len(parts)))
    return next((name for name in above if os.path.islink(home.path(name))), "")


def has_second_name(path: str) -> bool:
    """Return whether a file that is there has another name, too (a hard link), wherever that is."""
    return os.path.lexists(path) and os.lstat(path).st_nlink > 1


def _search_index(home: Home, needle: Needle, *, anywhere: bool) -> Iterator[str]:
    """Yield the search index where it may hold the text: it packs texts, so their bytes do not stand in it.

    It is made of the home's files, so it goes when any of them holds the text; else when its own texts do.
    """
    from nightledger.files.search_index import any_text, index_path

    path = index_path(home)
    if os.path.lexists(path) and (anywhere or any_text(path, needle.held_by)):
        yield home.relative(path)


def _trust(home: Home, ledger: Ledger) -> Iterator[str]:
    """Yield the files that the chain of trust files rests on, the blobs of every one that there was."""
    steps = ledger.book.trust.steps
    for step in steps:
        if step.decision:
            status = ledger.book.decisions[step.decision]
            yield from (_blob(home, sha256) for sha256 in (status.sha256, status.signature_sha256))
            yield home.decision(step.decision)
            yield f"{home.decision(step.decision)}.sig"
        yield from (_blob(home, sha256) for sha256 in step.files.values())


def _newest(ledger: Ledger) -> dict[str, str]:
    """Return the decision that each gated file was last changed by."""
    begun = (one for one in ledger.book.begun if one.outcome != "aborted")
    return {target.path: one.decision for one in begun for target in one.targets}


def _blob(home: Home, sha256: str) -> str:
    return os.path.join(home.blobs_dir, sha256[:2], sha256)


def _altered(home: Home, ledger: Ledger) -> Iterator[str]:
    """Yield the files of proposals and decisions whose bytes are not those logged, those that were closed apart."""
    book = ledger.book
    logged = {
        home.proposal(one.id): one.sha256 for one in book.proposals.values() if one.id not in book.closed()
    }
    for one in book.decisions.values():
        logged |= {home.decision(one.id): one.sha256, f"{home.decision(one.id)}.sig": one.signature_sha256}
    for path, sha256 in logged.items():
        with suppress(NightledgerError):
            if hashlib.sha256(read_regular(path, MAX_BYTES)).hexdigest() != sha256:
                yield path


def _views(home: Home) -> tuple[str, ...]:
    return (home.pending_view, home.prune_view, home.entries, home.links, home.attention, home.staged_context)


def _handed(home: Home) -> Iterator[str]:
    """Yield the handoff where it is the view of records; an agent's own file of that name is not ours."""
    with suppress(NightledgerError):
        if read_regular(home.handoff, MAX_BYTES).startswith(VIEW_FIRST_LINE.encode()):
            yield home.handoff


def _files(directory: str) -> Iterator[str]:
    for folder, _, names in os.walk(directory):
        for name in sorted(names):
            if not name.endswith(".lock"):
                yield os.path.join(folder, name)


def _others(home: Home) -> Iterator[str]:
    """Yield the agent's own files beside ours: its notes in the home's root, and all below memory/."""
    for name in sorted(os.listdir(home.root)):
        if name.endswith((".md", ".txt", ".json", ".jsonl")):
            yield os.path.join(home.root, name)
    yield from _files(home.memory_dir)


def why_not_now(gate: Gate, ledger: Ledger, needle: Needle, mark: bytes) -> str:
    """Return why a gated file, or what it was signed to hold, would hold it still; empty where neither would.

    A gated file changes by a signed edit, which leaves drift as it is. Asked before anything is
    signed: an edit whose expunge is refused after it would have helped nobody.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        needle: What is to go.
        mark: What an edit puts in its place.
    """
    reasons = (_why_held(gate, ledger, path, needle, mark) for path in watched(gate.home, ledger.book))
    return next(filter(None, reasons), "")


def _why_held(gate: Gate, ledger: Ledger, path: str, needle: Needle, mark: bytes) -> str:
    """Return why an edit would not take it out of a gated file and of the bytes accepted for it."""
    present = read_gated(gate.home, path)
    is_held = needle.held_by(present)
    if is_held and (locked := why_locked(gate, path)):
        return locked
    if hashlib.sha256(present).hexdigest() == ledger.book.accepted_of(path):
        return ""
    accepted = read_accepted(gate.home, ledger.book, path)
    if accepted is None:
        return f"{path} holds it: {LOST}" if is_held else ""
    after = needle.cut_from(present, mark) if is_held else present
    if not needle.held_by(carry(accepted, present, after)):
        return ""
    return f"{path} as it was signed still holds it, in lines that were changed outside Nightledger since"


def expunge_reasons(gate: Gate, ledger: Ledger, decision: Decision) -> list[str]:
    """Return why a decision may not expunge what it names; empty where it may."""
    if decision.proposal or decision.changes or not (decision.targets or decision.reason):
        return ["it is not the form of a decision about a leaked text"]
    reasons = []
    for target in decision.targets:
        if not _stands(gate.home, target):
            reasons.append(f"{target.path} is not the file any more that it was signed over")
        if _stays(gate, ledger, target):
            reasons.append(f"{target.path} is no file that may go")
    return reasons


def _stands(home: Home, target: DecisionTarget) -> bool:
    try:
        return _sha256(home, target.path) == target.base
    except NightledgerError:
        return False


def _stays(gate: Gate, ledger: Ledger, target: DecisionTarget) -> bool:
    """Return whether a target is none of the files that an expunge touches, or one that all rests on."""
    home, book = gate.home, ledger.book
    steps = book.trust.steps
    kept = {sha256 for step in steps for sha256 in step.files.values()} | set(book.gated.values())
    deciding = (*_newest(ledger).values(), *(step.decision for step in steps if step.decision))
    kept |= {book.decisions[name].sha256 for name in deciding}
    if target.result != EMPTY_SHA256:
        archived = is_within(home.path(target.path), home.archive_dir)
        return not (archived or target.path in (*append_only(home), *map(home.relative, _handed(home))))
    ours = (home.proposals_dir, home.received_dir, home.decisions_dir, home.blobs_dir, home.quarantine_dir)
    return target.base in kept or not any(is_within(home.path(target.path), folder) for folder in ours)


def expunge_events(gate: Gate, ledger: Ledger, decision: Decision) -> list[Leaf]:
    """Return what is logged beside the decision: the expunge, and the proposals that end with it."""
    removed = [target.base for target in decision.targets if target.result == EMPTY_SHA256]
    # rewritten by whoever hands over: nothing rests on them
    views = set(map(gate.home.relative, _handed(gate.home)))
    places = [
        {
            "path": target.path,
            "size": os.path.getsize(gate.home.path(target.path)),
            "sha256": target.result,
        }
        for target in decision.targets
        if target.result != EMPTY_SHA256 and target.path not in views
    ]
    fields: dict[str, object] = {"decision": decision.id, "sha256s": sorted(set(removed)), "places": places}
    fields |= {"withheld": decision.reason.split()} if decision.reason else {}
    return [(EventName.EXPUNGED, fields), *_closings(ledger.book, frozenset(removed))]


def _closings(book: Book, removed: frozenset[str]) -> list[Leaf]:
    """End what waits in proposals that go: an approval falls back first, because only open changes close."""
    events: list[Leaf] = []
    decided = {status.id for status in book.decisions.values() if status.sha256 in removed}
    for status in book.proposals.values():
        approved = [n for n in status.changes if status.state_of(n) is ChangeState.APPROVED]
        going = status.sha256 in removed
        lost = [n for n in approved if going or status.changes[n].decision in decided]
        if lost:
            events.append((EventName.STALE, {"proposal": status.id, "changes": lost}))
        ends = sorted({*status.open_changes(), *lost}) if going else []
        if ends:
            events.append(closing(status.id, ends))
    return events


def carry_out(home: Home, found: Found, needle: Needle) -> None:
    """Do what the log now says: overwrite, remove, and drop what is folded from others."""
    for path in found.rewritten:
        overwrite(home.path(path), needle.forms)
    remove_files(map(home.path, (*found.removed, *found.derived)))


def finish_removals(home: Home, ledger: Ledger) -> None:
    """Remove what an expunge that was cut short left; the text is not needed for that.

    Only what a decision names whose signature holds is removed: whoever has the log's key could
    forge the entry.
    """
    trust = Trust(home, ledger)
    for status in ledger.book.decisions.values():
        if status.type is DecisionType.EXPUNGE and (decision := read_verified(home, ledger, trust, status)):
            left = [target for target in decision.targets if _is_left(home, ledger.book, target)]
            remove_files(home.path(target.path) for target in left)


def _is_left(home: Home, book: Book, target: DecisionTarget) -> bool:
    going = target.result == EMPTY_SHA256 and book.gone.get(target.base) is Gone.EXPUNGED
    return going and os.path.lexists(home.path(target.path)) and _stands(home, target)


def parts(found: Found) -> Iterator[tuple[DecisionTarget, ...]]:
    """Yield what each decision is to name, so that its entry fits the log."""
    for first in range(0, len(found.targets), TARGETS_A_DECISION):
        yield found.targets[first : first + TARGETS_A_DECISION]


def _target(home: Home, path: str, after: bytes) -> DecisionTarget:
    result = hashlib.sha256(after).hexdigest()
    return DecisionTarget(path=path, base=_sha256(home, path), result=result, hunks_sha256=result)


def _sha256(home: Home, path: str) -> str:
    return hashlib.sha256(_read(home, path)).hexdigest()


def _read(home: Home, path: str) -> bytes:
    return read_regular(home.path(path), 1 << 40, within=home.root)


def remove_files(paths: Iterable[str]) -> None:
    """Remove files that are there; their names are gone from the disk when this returns."""
    present = [path for path in paths if os.path.lexists(path)]
    for path in present:
        os.unlink(path)
    for directory in sorted(set(map(os.path.dirname, present))):
        sync_directory(directory)
