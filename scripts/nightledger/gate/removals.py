"""Drafts of what goes: archived, compressed, forgotten; and a plan of them that gets a memory file under what its host shows.

Invariant: everything is a proposal. An entry that is forgotten is taken out whole, and once that is signed it is not learned again
(``forgotten.py``). No plan holds what is pinned, what was signed lately, what the consent graph blocks, or a secret or an
order to an agent, which have a change of their own; what moves to the archive keeps its bytes.
"""

import hashlib
import math
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from datetime import date

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.decision import DecisionType, Moment
from nightledger.domain.errors import AlteredError, UsageError
from nightledger.domain.judge import JOB, OPERATOR
from nightledger.domain.kept import ARCHIVE, ARCHIVE_DAILY, LINKS, skill_name
from nightledger.domain.outcome import Link
from nightledger.domain.proposal import Anchor, Draft, Evidence, Hunk, Kind, Op, Origin, Part
from nightledger.domain.pruning import blocked_words, names_blocked
from nightledger.domain.retention import OBSERVATION
from nightledger.domain.states import ChangeState, ChangeStatus
from nightledger.files.home import Home
from nightledger.gate.drafting import make_changes
from nightledger.gate.gated import read_gated, read_target
from nightledger.gate.naming import NO_MARK, Placed, evidence_of, find_standing, find_takers, read_marks
from nightledger.gate.opening import ROOMLESS, Gate, Ledger, closing, record
from nightledger.gate.proposing import Outcome, Submission, propose, said_before
from nightledger.gate.stored import read_proposal, read_stored
from nightledger.hosts.configured import Cap
from nightledger.text.checkup import room as rooms
from nightledger.text.checkup.danger import find_dangers
from nightledger.text.checkup.units import read_units
from nightledger.text.forgetting import archive_block
from nightledger.text.markdown.document import Document, decode, encode, is_utf8, parse_markdown, section_of
from nightledger.text.markdown.entries import Entry
from nightledger.text.scanners.scan import veil
from nightledger.text.similar import fold


class Grounds(Struct, frozen=True, kw_only=True):
    """Why something is to go, and how it is shown.

    Attributes:
        reason: One or two sentences.
        evidence: Where it comes from, strongest first.
        rank: Higher is shown earlier.
    """

    reason: str
    evidence: tuple[Evidence, ...] = ()
    rank: float = 0.0


def archival(target: str, entry: Entry, day: date, grounds: Grounds) -> Draft:
    """Return the draft that moves an entry of a gated file to the archive of a year.

    Args:
        target: The gated file.
        entry: As it stands there.
        day: The log day on which it goes; its year names the file.
        grounds: Why.
    """
    return moved(_of_entry(Op.ARCHIVE, target, entry, f"archive {entry.id}", grounds), day)


def _of_entry(op: Op, target: str, entry: Entry, key: str, grounds: Grounds) -> Draft:
    return replace(
        _draft(op, target, key, grounds),
        section=entry.section,
        before=entry.text,
        line=entry.first_line,
        entry=entry.id,
    )


def moved(draft: Draft, day: date) -> Draft:
    """Return the draft of a removal as one that moves its lines to the archive of a year."""
    block = archive_block(
        draft.before.lstrip("\r\n") if draft.entry is None else draft.before,
        section=draft.section,
        entry=draft.entry,
        target=draft.target,
        day=day,
        reason=draft.reason,
    )
    hunk = Hunk(anchor=Anchor.FILE_END, section=(), added=block)
    return replace(draft, op=Op.ARCHIVE, also=(Part(target=f"{ARCHIVE}/{day.year:04d}.md", hunk=hunk),))


def copy_path(home: Home, log: str, sha256: str, taken: Collection[str] = ()) -> str:
    """Return a path in the archive for the full text of a log: its own name, or with a number where that is taken.

    Args:
        home: Whose.
        log: The log, relative to the home.
        sha256: Hex SHA-256 of its bytes; a copy that holds them already is used.
        taken: Paths that other changes of the same proposal write.

    Raises:
        UnreadableError: What lies there cannot be read.
        RefusedError: What lies there is a link.
    """
    stem, end = os.path.splitext(log.rpartition("/")[2])
    n = 1
    while True:
        path = f"{ARCHIVE_DAILY}/{stem}{'' if n == 1 else f'-{n}'}{end}"
        content = read_target(home, path)
        if path not in taken and (not content or hashlib.sha256(content).hexdigest() == sha256):
            return path
        n += 1


def compression(log: str, content: bytes, summary: str, copy: str, grounds: Grounds) -> Draft:
    """Return the draft that moves the full text of a daily log to the archive and leaves a summary.

    Args:
        log: The log, relative to the home.
        content: Its bytes, of which the summary was made.
        summary: What it is to hold; one of its lines is ``marker_line`` for the copy.
        copy: Where its full text goes (``copy_path``).
        grounds: Why.
    """
    sha256 = hashlib.sha256(content).hexdigest()
    return replace(
        _draft(Op.COMPRESS, log, f"compress {log} {sha256}", grounds),
        after=summary,
        also=(Part(target=copy, hunk=Hunk(anchor=Anchor.COPY, section=(), added=sha256)),),
    )


def unseen_link_deletion(link: Link, today: date, *, why: str = "") -> Draft:
    """Return the draft that forgets a link which was not seen for long.

    Args:
        link: Which.
        today: The date in the home's zone.
        why: What else speaks against it, to begin the reason with.
    """
    last = date.fromordinal(link.last_day)
    days = (today - last).days
    times = "once" if link.co_occurrences == 1 else f"{link.co_occurrences} times"
    reason = f"{why}both tags occurred together {times}, last on {last}, {days} days ago"
    grounds = Grounds(reason=reason, rank=round(days / 100_000, 4))
    name, noun = link.key, "co-occurrence" if link.co_occurrences == 1 else "co-occurrences"
    draft = _draft(Op.DELETE_LINK, LINKS, f"delete link {name} {link.co_occurrences} {last}", grounds)
    return replace(draft, before=f"{name}: {link.co_occurrences} {noun}, last seen {last}")


def _draft(op: Op, target: str, key: str, grounds: Grounds) -> Draft:
    return Draft(
        op=op,
        target=target,
        section=(),
        after="",
        reason=grounds.reason,
        evidence=grounds.evidence,
        confidence=1.0,
        rank=grounds.rank,
        statement_key=key,
    )


def forget(gate: Gate, ledger: Ledger, placed: Placed, moment: Moment, *, period: str) -> Outcome:
    """Propose that an entry is forgotten; the caller holds the home's lock.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        placed: The entry.
        moment: The clocks.
        period: The log day.

    Raises:
        UsageError: Its forgetting waits already, for an answer or to be applied.
    """
    takers = (name for name, _, _ in find_takers(gate, ledger, [placed.entry.id]))
    waiting = next((name for name in takers if ledger.book.proposals[name].kind is Kind.FORGET), "")
    if waiting:
        raise UsageError(
            f"to forget this entry was proposed already, as {waiting}",
            hint=f"'nightledger proposals {waiting[:10]}' says what it waits for",
        )
    reason = "The operator has it forgotten: it is not learned again."
    grounds = Grounds(reason=reason, evidence=(evidence_of(placed, Origin.OWNER),), rank=1.0)
    submission = Submission(
        kind=Kind.FORGET,
        lane=OPERATOR,
        period=period,
        title=f"Forget one entry of {placed.path}",
        drafts=[_of_entry(Op.REMOVE, placed.path, placed.entry, f"forget {placed.entry.id}", grounds)],
    )
    return propose(gate, ledger, submission, moment)


MOST_ROUNDS = 20
"""How often a plan is made anew without what does not fit. Our choice."""
SETTLED_DAYS = 30
"""What the operator signed is not doubted for as long, and goes for nothing new: whoever signs and is asked the next
morning to take it back stops reading."""
SHOWN = 6
"""Sections told before the rest is counted."""


class Room(Struct, frozen=True, kw_only=True):
    """A file over its cap.

    Attributes:
        setting: What says how much is shown.
        unseen: The sections that the agent does not see in full; none where nobody knows how the host cuts.
        pieces: The plan, the largest first.
        before_characters: The file's size.
        after_characters: Its size after the plan.
        cap_characters: What the host shows.
        not_utf8: First line with bytes that are no UTF-8; 0 where there is none.
        refused: How many pieces could go and were rejected or taken back, where the plan is not enough without them.
    """

    setting: str
    unseen: tuple[rooms.Unseen, ...]
    pieces: tuple[rooms.Piece, ...]
    before_characters: int
    after_characters: int
    cap_characters: int
    not_utf8: int = 0
    refused: int = 0


class Look(Struct, frozen=True, kw_only=True):
    """A memory file as it is planned for.

    Attributes:
        path: The file, as the target of drafts.
        text: Its text (``surrogateescape``).
        today: The date in the home's zone.
        kept: Lines that are to stay.
        shown: What its host shows of it, from its beginning and from its end; None where nobody knows.
    """

    path: str
    text: str
    today: date
    kept: Collection[int] = ()
    shown: tuple[int, int] | None = None


def look_for_room(
    look: Look, cap: Cap, may: Callable[[Draft], bool] = lambda _: True
) -> tuple[Room, list[Draft]]:
    """Return what is not shown of a file over its cap with a plan that gets it under, and the plan as drafts.

    Args:
        look: The file.
        cap: What its host shows; the file is longer.
        may: Whether a draft may be proposed.
    """
    most = cap.characters or 0
    need = len(look.text) - int(most * (1 - rooms.SPARE))
    planned = plan(look, need, may)
    document = parse_markdown(look.text)
    pieces = tuple(piece for piece, _ in planned)
    every = planned if sum(one.characters for one in pieces) >= need else plan(look, need, lambda _: True)
    room = Room(
        setting=cap.setting,
        unseen=rooms.unseen(document, cap.shown) if cap.shown else (),
        pieces=pieces,
        before_characters=len(look.text),
        after_characters=len(look.text) - sum(piece.characters for piece in pieces),
        cap_characters=most,
        not_utf8=next((n for n, line in enumerate(look.text.split("\n"), 1) if not is_utf8(line)), 0),
        refused=sum(not may(draft) for _, draft in every),
    )
    return room, [draft for _, draft in planned]


def room_for(
    gate: Gate, ledger: Ledger, path: str, today: date, need: int, may: Callable[[Draft], bool]
) -> list[Draft]:
    """Return what the plan of a file would let go first to free so many characters; empty where that is not enough.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        path: The gated file.
        today: The log day.
        need: Characters to free.
        may: Whether a draft may be proposed.
    """
    text = decode(read_gated(gate.home, path))
    kept = kept_lines(gate, ledger, path, text, frozenset(signed_lately(gate, ledger, path, today)))
    look = Look(path=path, text=text, today=today, kept=kept, shown=gate.cap_of(path).shown)
    planned = plan(look, need, may)
    return [draft for _, draft in planned] if sum(piece.characters for piece, _ in planned) >= need else []


def withdraw_roomless(gate: Gate, ledger: Ledger, moment: Moment) -> None:
    """Withdraw the additions that wait and that nobody can sign, as what was to go for them was refused; they compete again.

    Args:
        gate: The home; the caller holds its lock.
        ledger: Its log, as checked.
        moment: The clocks.
    """
    events, sizes = [], dict[str, int]()
    for item in read_stored(gate, ledger.book, states={ChangeState.PENDING}):
        status = ledger.book.proposals[item.proposal.id]
        lives = status.answerable(DecisionType.REJECT)  # what is signed and cools goes for them, too
        waits = [change for change in item.proposal.changes if change.n in lives]
        if status.lane != JOB or any(
            change.op is not Op.ADD or skill_name(change.target) for change in waits
        ):
            continue
        for path in {change.target for change in waits} - sizes.keys():
            sizes[path] = len(decode(read_gated(gate.home, path)))
        out = [
            change.n
            for change in waits
            if status.state_of(change.n) is ChangeState.PENDING
            and sizes[change.target] + len(change.after) > (gate.most_characters(change.target) or math.inf)
        ]
        events += [closing(status.id, out, cause=ROOMLESS)] if out else []
    record(gate, events, moment)


def plan(look: Look, need: int, may: Callable[[Draft], bool]) -> list[tuple[rooms.Piece, Draft]]:
    """Return as few pieces as free so many characters, each as a draft that fits the file, the largest first."""
    document = parse_markdown(look.text)
    chosen: list[tuple[rooms.Piece, Draft]] = []
    for pieces in rooms.find_pieces(document, look.today, look.kept, look.shown):
        chosen = _fitting(document, look, pieces, need, may)
        if sum(piece.characters for piece, _ in chosen) >= need:
            break
    return chosen


def _fitting(
    document: Document, look: Look, pieces: Sequence[rooms.Piece], need: int, may: Callable[[Draft], bool]
) -> list[tuple[rooms.Piece, Draft]]:
    """Choose pieces; where one cannot be proposed, choose anew without it."""
    out: set[tuple[int, int]] = set()
    drafts: dict[rooms.Piece, Draft] = {}
    for _ in range(MOST_ROUNDS):
        chosen = rooms.choose_pieces([piece for piece in pieces if piece.lines not in out], need)
        drafts = {
            piece: draft for piece in chosen if (draft := _draft_of(document, look, piece)) and may(draft)
        }
        misfits = {piece.lines for piece in chosen if piece not in drafts}
        if not misfits:  # the dear look at the file, once all are allowed
            unfit = {lost.draft.line for lost in make_changes(look.text, list(drafts.values()))[1]}
            misfits = {piece.lines for piece in chosen if piece.lines[0] in unfit}
        if not misfits:
            break
        out |= misfits
    return [(piece, draft) for piece, draft in drafts.items() if piece.lines not in out]


def kept_lines(gate: Gate, ledger: Ledger, path: str, text: str, signed: Collection[str] = ()) -> set[int]:
    """Return the lines of a gated file that no plan takes.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        path: The file.
        text: Its text.
        signed: Texts that the operator signed lately.
    """
    marks = read_marks(gate, ledger)
    blocked = blocked_words(gate.consent)
    lately = [fold(one) for one in signed]  # several entries may have been signed together
    kept = _apart(text)
    for name, placed in find_standing(gate.home, ledger.book).entries.items():
        entry, mark = placed.entry, marks.get(name, NO_MARK)
        stays = (
            mark.pinned
            or not {OBSERVATION}.issuperset(mark.tags)
            or names_blocked(entry.text, blocked)
            or any(fold(entry.text) in one for one in lately)
        )
        if placed.path == path and stays:
            kept.update(range(entry.first_line, entry.last_line + 1))
    return kept


def signed_lately(gate: Gate, ledger: Ledger, path: str, today: date) -> Iterator[str]:
    """Yield what approved changes put into a file in the last days, applied or soon to be."""
    for status in ledger.book.proposals.values():
        fresh = {n for n, change in status.changes.items() if _is_fresh(change, today)}
        if fresh:
            with suppress(AlteredError):
                changes = read_proposal(gate, status).proposal.changes
                yield from (
                    one.after for one in changes if one.n in fresh and one.target == path and one.after
                )


def _is_fresh(change: ChangeStatus, today: date) -> bool:
    signed = change.state in {ChangeState.APPROVED, ChangeState.APPLIED}
    return signed and change.since is not None and (today - change.since.date()).days <= SETTLED_DAYS


def _apart(text: str) -> set[int]:
    """Return the lines that a plan cannot take: what is dangerous goes by itself, and bytes that are no UTF-8 stay."""
    parsed = parse_markdown(text)
    kept = {n for n, line in enumerate(parsed.lines, 1) if not is_utf8(line)}
    for danger in find_dangers(parsed, read_units(parsed)):
        kept.update(range(danger.lines[0], danger.lines[1] + 1))
    return kept


def not_refused(gate: Gate, ledger: Ledger) -> Callable[[Draft], bool]:
    """Return a test that tells whether a draft was not answered with no before."""
    closed = {said.key for said in said_before(read_stored(gate, ledger.book), ledger.book) if said.closed}
    return lambda draft: draft.statement_key not in closed


def _draft_of(document: Document, look: Look, piece: rooms.Piece) -> Draft | None:
    """Return a piece as a draft; None where its bytes are no UTF-8."""
    first, last = piece.lines
    before = document.text(first, last)
    if not is_utf8(before):
        return None
    fate = "moved to the archive, where recall still finds it" if piece.moves else "removed"
    reason = (
        f"{piece.reason[:1].upper()}{piece.reason[1:]}; {fate}. It saves {piece.characters:,} characters."
    )
    section = section_of(document, first, last).path
    cited = hashlib.sha256(encode(veil(before))).hexdigest()
    draft = Draft(
        op=Op.REMOVE,
        target=look.path,
        section=section[:-1] if piece.level or not piece.moves else section,
        before=before,
        line=first,
        after="",
        reason=reason,
        evidence=(Evidence(path=look.path, lines=piece.lines, sha256=cited, origin=Origin.UNKNOWN),),
        confidence=1.0,
        rank=round(piece.characters / 1e8, 8),
        statement_key=f"room {hashlib.sha256(encode(before.strip())).hexdigest()}",
    )
    return moved(draft, look.today) if piece.moves else draft


def room_rows(room: Room) -> Iterator[str]:
    """Yield what the agent does not see, the plan, and what it comes to: rows of plain text, not yet wrapped.

    Those about one section or piece are indented. Titles are text of the file; whoever prints a row masks it.
    """
    yield from _unseen_rows(room)
    if room.not_utf8:
        yield f"Line {room.not_utf8} holds bytes that are no UTF-8: they stay as they are, and no plan moves them."
    if room.refused:
        yield f"{room.refused} that could go were rejected or taken back, and are not offered again."
    if not room.pieces:
        yield "No section or entry could go: 'nightledger edit' shortens it."
        return
    enough = room.after_characters <= room.cap_characters
    yield "A plan that gets it under:" if enough else "A plan, which is not enough yet:"
    yield from (_row(n, piece) for n, piece in enumerate(room.pieces, 1))
    yield f"  after these: {room.after_characters:,} of {room.cap_characters:,}"
    if not enough and len(room.pieces) == rooms.MOST_PIECES:
        yield "When these are answered, 'nightledger check' plans the rest."
    elif not enough:
        yield "The rest is yours to shorten: 'nightledger edit'."


def _unseen_rows(room: Room) -> Iterator[str]:
    unseen = sorted(room.unseen, key=lambda one: -one.characters)
    if unseen:
        yield f"The agent never sees {sum(one.characters for one in unseen):,} of them, in the middle of the file:"
    for one in unseen[:SHOWN]:
        name = " > ".join(one.section[1:][-2:] or one.section) or rooms.TOP
        part = "all" if one.characters == one.of else f"of {one.of:,}"
        yield f"  {one.characters:,} ({part}) {name}, line {one.line}"
    if len(unseen) > SHOWN:
        first, last = room.unseen[0], room.unseen[-1]
        yield f"  and {len(unseen) - SHOWN} more, from line {first.line} to {' > '.join(last.section[-1:]) or rooms.TOP}, line {last.line}"


def _row(n: int, piece: rooms.Piece) -> str:
    fate = "to the archive" if piece.moves else "removed"
    first, last = piece.lines
    where = f"line {first}" if first == last else f"lines {first}-{last}"
    return f"  {n}  saves {piece.characters:,}, {fate}: {piece.title}, {where}; {piece.reason}"
