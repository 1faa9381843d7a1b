"""Check up an existing memory file, and propose what to clean.

Invariant: what is proposed is whole items, the surest first; a secret is named by line and
kind and never copied.
"""

import os
from collections.abc import Sequence
from datetime import date
from fnmatch import fnmatchcase

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.consolidation import AnalystRun
from nightledger.domain.decision import Moment
from nightledger.domain.errors import UnreadableError
from nightledger.domain.finding import Doubt, DoubtLabel
from nightledger.domain.judge import OPERATOR
from nightledger.domain.proposal import Draft, Kind, Op, SizeMeter
from nightledger.files.durable import read_regular
from nightledger.gate.contradicting import kept_sides
from nightledger.gate.gated import read_gated
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.proposing import Outcome, Submission, propose
from nightledger.gate.removals import Look, Room, kept_lines, look_for_room, not_refused, signed_lately
from nightledger.text.checkup.checkup import GRAVE_RANK, check_memory
from nightledger.text.checkup.drafts import drafts_from_doubts
from nightledger.text.checkup.signs import file_of
from nightledger.text.checkup.units import read_units
from nightledger.text.markdown.document import Document, parse_markdown
from nightledger.text.scanners.scan import mask_secrets, told_values
from nightledger.think.analyst import Analyst
from nightledger.think.checkup import Chosen, choose

_UNSHOWN = frozenset({DoubtLabel.SECRET, DoubtLabel.INJECTION})
MAX_IGNORED_BYTES = 1 << 20


class Checkup(Struct, frozen=True, kw_only=True):
    """What a check-up found in one file.

    Attributes:
        path: The file, as it was named.
        doubts: The one to look at first first.
        meter: Its size now, and with everything proposed taken out, against its host's cap.
        openings: The first line of each doubted item, secrets masked, in the same order; empty where it must not be shown.
        outcome: What the gate made of it; None where nothing was to be proposed.
        room: What is not shown, and what would go; None for a file under its cap.
        analyst: What came of asking a model; None where none was asked.
    """

    path: str
    doubts: tuple[Doubt, ...]
    meter: SizeMeter
    openings: tuple[str, ...] = ()
    outcome: Outcome | None = None
    room: Room | None = None
    analyst: AnalystRun | None = None


def check(  # noqa: PLR0913 - the home, and what was asked of it
    gate: Gate,
    ledger: Ledger,
    path: str,
    today: date,
    moment: Moment,
    *,
    dry_run: bool = False,
    every: bool = False,
    analyst: Analyst | None = None,
) -> Checkup:
    """Check up a gated file and propose what to clean; the caller holds the home's lock.

    Over the cap a plan that gets the file under it is proposed, with secrets and orders to an agent; all
    else that is doubtful only where ``every`` asks for it, or nothing makes room. What a model chooses comes to what the rules doubt.
    """
    document = read_gated(gate.home, path).decode("utf-8", "surrogateescape")
    signed = frozenset(signed_lately(gate, ledger, path, moment.at.date()))
    cap, parsed = gate.cap_of(path), parse_markdown(document)
    staying = kept_lines(gate, ledger, path, document, signed)
    asked = choose(analyst, parsed, today, staying) if analyst else Chosen()
    doubts = check_memory(
        document,
        today=today,
        cap_characters=cap.characters,
        signed=signed,
        kept=frozenset(kept_sides(gate, ledger.book, path, document)),
        chosen=asked.doubts,
        gone=gone_files(gate.home.root, parsed),
    )
    drafts = _drafts(doubts, document, path, cap.characters)
    room, outcome = None, None
    if cap.characters is not None and len(document) > cap.characters:
        shown = Look(path=path, text=document, today=today, kept=staying, shown=cap.shown)
        room, drafts = _with_room(gate, ledger, drafts, shown, every=every)
    if drafts:
        outcome = propose(gate, ledger, _asked(path, today, room, drafts), moment, dry_run=dry_run)
    size, less = len(document), sum(doubt.characters for doubt in doubts)
    return Checkup(
        path=path,
        doubts=doubts,
        meter=SizeMeter(before_characters=size, after_characters=size - less, cap_characters=cap.characters),
        openings=_openings(document, doubts),
        outcome=outcome,
        room=room,
        analyst=asked.run,
    )


def _asked(path: str, today: date, room: Room | None, drafts: list[Draft]) -> Submission:
    title = f"Check-up of {path} on {today}"
    if room and room.pieces:
        title = f"Room in {path} on {today}: {room.after_characters:,} of {room.cap_characters:,} after it"
    period = today.isoformat()
    return Submission(kind=Kind.PRUNE, lane=OPERATOR, period=period, title=title, drafts=drafts)


def _drafts(doubts: Sequence[Doubt], document: str, path: str, cap: int | None) -> list[Draft]:
    """Return what would settle doubts; there is no archive yet: undo keeps the bytes."""
    drafts = drafts_from_doubts(doubts, document, path, cap_characters=cap)
    return [replace(one, op=Op.REMOVE) if one.op is Op.ARCHIVE else one for one in drafts]


def _openings(document: str, doubts: Sequence[Doubt]) -> tuple[str, ...]:
    lines, told = document.split("\n"), told_values(document)
    return tuple(
        "" if doubt.label in _UNSHOWN else mask_secrets(lines[doubt.lines[0] - 1].strip(), told=told)
        for doubt in doubts
    )


def _with_room(
    gate: Gate, ledger: Ledger, drafts: Sequence[Draft], look: Look, *, every: bool
) -> tuple[Room, list[Draft]]:
    """Return the plan that gets the file under its cap, and the drafts, of which the plan's come last."""
    room, plan = look_for_room(look, gate.cap_of(look.path), not_refused(gate, ledger))
    planned = [draft for draft in drafts if draft.rank >= GRAVE_RANK]
    if every or not plan:
        planned += [draft for draft in drafts if draft.rank < GRAVE_RANK and not _is_in(draft, room)]
    return room, [*planned, *plan]


def gone_files(workspace: str, document: Document) -> frozenset[str]:
    """Return the files that entries point to and that are not there, though their folder in the workspace is.

    What the workspace's ``.gitignore`` names may be on the machine that made it, and is in no clone: of it nothing is told.
    "*" names nothing: lines behind it take back what they want.
    """
    root = os.path.realpath(workspace)
    named = {file_of(unit.text) for unit in read_units(document)} - {""}
    folders = {name: os.path.realpath(os.path.join(root, os.path.dirname(name))) for name in named}
    try:
        ignored = os.fsdecode(read_regular(os.path.join(root, ".gitignore"), MAX_IGNORED_BYTES)).splitlines()
    except UnreadableError:
        ignored = []
    patterns = [line.strip("/ ") for line in ignored if line[:1] not in "#!" and line.strip("/ *.")]
    return frozenset(
        name
        for name, folder in folders.items()
        if folder.startswith(f"{root}{os.sep}")
        and os.path.isdir(folder)
        and not os.path.lexists(os.path.join(folder, os.path.basename(name)))
        and not any(fnmatchcase(f"/{name}/", f"*/{pattern}/*") for pattern in patterns)
    )


def _is_in(draft: Draft, room: Room) -> bool:
    last = draft.line + draft.before.count("\n")
    return any(piece.lines[0] <= last and draft.line <= piece.lines[1] for piece in room.pieces)


def counts(doubts: Sequence[Doubt]) -> dict[DoubtLabel, int]:
    """Count doubts by what is wrong, the gravest first."""
    found = {label: sum(1 for doubt in doubts if doubt.label is label) for label in DoubtLabel}
    return {label: count for label, count in found.items() if count}
