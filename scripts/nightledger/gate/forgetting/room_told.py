"""A look for room in words: rows of plain text, not yet wrapped; those about one section or piece are indented.

Titles are text of the file; whoever prints a row makes it visible and masks it.
"""

from collections.abc import Iterator

from nightledger.gate.forgetting.room import Room
from nightledger.text.checkup.room import MOST_PIECES, TOP, Piece

SHOWN = 6
"""Sections told before the rest is counted."""


def room_rows(room: Room) -> Iterator[str]:
    """Yield what the agent does not see, the plan, and what it comes to."""
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
    if not enough and len(room.pieces) == MOST_PIECES:
        yield "When these are answered, 'nightledger check' plans the rest."
    elif not enough:
        yield "The rest is yours to shorten: 'nightledger edit'."


def _unseen_rows(room: Room) -> Iterator[str]:
    unseen = sorted(room.unseen, key=lambda one: -one.characters)
    if unseen:
        yield f"The agent never sees {sum(one.characters for one in unseen):,} of them, in the middle of the file:"
    for one in unseen[:SHOWN]:
        name = " > ".join(one.section[1:][-2:] or one.section) or TOP
        part = "all" if one.characters == one.of else f"of {one.of:,}"
        yield f"  {one.characters:,} ({part}) {name}, line {one.line}"
    if len(unseen) > SHOWN:
        first, last = room.unseen[0], room.unseen[-1]
        yield f"  and {len(unseen) - SHOWN} more, from line {first.line} to {' > '.join(last.section[-1:]) or TOP}, line {last.line}"


def _row(n: int, piece: Piece) -> str:
    fate = "to the archive" if piece.moves else "removed"
    first, last = piece.lines
    where = f"line {first}" if first == last else f"lines {first}-{last}"
    return f"  {n}  saves {piece.characters:,}, {fate}: {piece.title}, {where}; {piece.reason}"
