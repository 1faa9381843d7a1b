"""Three similar thoughts make an idea.

Invariant: deterministic; the idea's words are those of one of its thoughts, and its id is theirs, so that drawing again
adds nothing.
"""

from collections.abc import Mapping, Sequence

from nightledger.domain.record import Happened, Record, RecordEvent, is_open
from nightledger.files.append import Appender
from nightledger.files.home import Home
from nightledger.records.keeping import (
    PATIENCE_S,
    Sitting,
    append_events,
    fold_lines,
    kind_named,
    new_event,
    read_records,
    record_id,
)
from nightledger.text.similar import dice, shingles

SIMILAR = 0.35
"""Dice coefficient of two thoughts' letter trigrams, from which they are about one thing; our choice, on invented pairs."""
LEAST = 3


def draw_ideas(home: Home, sitting: Sitting) -> tuple[str, ...]:
    """Open an idea for each group of three or more similar seeds; return the ids of those that are new.

    Args:
        home: The home.
        sitting: Who asks, and when.
    """
    seeds, _ = read_records(home, "seed")
    waiting = [one for one in seeds.values() if is_open(one, kind_named("seed"), sitting.at.date())]
    with Appender(home.records("idea")) as file:
        file.hold(timeout_s=PATIENCE_S)
        known, _ = fold_lines("idea", [file.read_from(0)])
        used = {name for one in known.values() for name in one.fields["seeds"]}
        groups = _groups([one for one in waiting if one.id not in used])
        return append_events(file, [_idea(group, sitting) for group in groups])


def _groups(seeds: Sequence[Record]) -> list[list[Record]]:
    """Return groups of seeds that are each like the first of theirs, which is the one with the most like it."""
    prints = {one.id: shingles(one.fields["text"]) for one in seeds}
    like = {
        one.id: [other for other in seeds if dice(prints[one.id], prints[other.id]) >= SIMILAR]
        for one in seeds
    }
    groups, taken = [], set[str]()
    for one in sorted(seeds, key=lambda one: (-len(like[one.id]), one.opened_at, one.id)):
        group = [other for other in like[one.id] if other.id not in taken]
        if one.id not in taken and len(group) >= LEAST:
            groups.append([one, *(other for other in group if other is not one)])
            taken |= {other.id for other in group}
    return groups


def _idea(group: Sequence[Record], sitting: Sitting) -> RecordEvent:
    fields: Mapping[str, object] = {"text": group[0].fields["text"], "seeds": sorted(one.id for one in group)}
    return new_event("idea", record_id("idea", fields), Happened.OPENED, fields, sitting)
