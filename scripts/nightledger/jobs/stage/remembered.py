"""Entries of memory that are staged: landmarks, the most important of earlier times, what was shown lately."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from nightledger.domain.retention import DURABLE, EPHEMERAL, lean
from nightledger.domain.search.values import Chunk, Kind
from nightledger.domain.staging.rules import StagingRules
from nightledger.domain.staging.values import Candidate, Source
from nightledger.domain.staging.windows import Past, Standing, choose_landmarks, importance_of
from nightledger.gate.memory.remembering import Remembered
from nightledger.jobs.stage.library import Library
from nightledger.jobs.stage.lines import place_of, plain
from nightledger.text.forgetting.status import find_status
from nightledger.text.similar import fold


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A signed entry with how important it is.

    Attributes:
        one: The entry.
        past: Its day and importance.
    """

    one: Remembered
    past: Past


def weigh(signed: Sequence[Remembered], stated: Mapping[str, float], today: date) -> list[Known]:
    """Give entries with their importance, but those that say of themselves that they are over.

    Args:
        signed: Entries that stand as they were signed.
        stated: Confidence that their proposals stated, by folded wording.
        today: The log day.
    """
    found: list[Known] = []
    for one in signed:
        memory = one.memory
        if not memory.pinned and find_status(one.placed.entry, today) is not None:
            continue  # it is over; the weekly pruning asks whether it goes
        standing = Standing(
            pinned=memory.pinned,
            durable=memory.tier.rate <= DURABLE.rate,
            observation=memory.tier is EPHEMERAL,
            lean=lean(memory.useful, memory.harmful, memory.expected),
            stated=stated.get(fold(one.placed.entry.text)),
        )
        place = place_of(one.placed.path, (one.placed.entry.first_line, one.placed.entry.last_line))
        found.append(
            Known(
                one=one, past=Past(day=one.day, importance=importance_of(standing), place=place, n=len(found))
            )
        )
    return found


def landmarks(known: Sequence[Known], library: Library, rules: StagingRules) -> list[Candidate]:
    """Give the landmarks that may be shown, the most important first."""
    most = rules.sources[Source.LANDMARK].most
    chosen = choose_landmarks(
        [one.past for one in known],
        rules.landmark_percent,
        most,
        lambda past: library.may_show(entry_chunk(known[past.n].one)),
    )
    return [
        entry_candidate(known[past.n], Source.LANDMARK, _why(known[past.n]), past.importance)
        for past in chosen
    ]


def entry_candidate(known: Known, source: Source, why: str, score: float) -> Candidate:
    """Give an entry as a candidate."""
    placed = known.one.placed
    return Candidate(
        source=source,
        text=plain(placed.entry.text.split("\n")),
        place=known.past.place,
        why=why,
        score=score,
        shown=(placed.entry.id,),
        path=placed.path,
        signed=True,
    )


def entry_chunk(one: Remembered) -> Chunk:
    """Give an entry as search knows it, to be judged."""
    entry = one.placed.entry
    return Chunk(
        path=one.placed.path,
        first_line=entry.first_line,
        last_line=entry.last_line,
        kind=Kind.MEMORY,
        heading=" > ".join(entry.section),
        day=one.day,
        text=entry.text.rstrip("\n"),
        entry=entry.id,
    )


def _why(known: Known) -> str:
    one = known.one
    if one.memory.pinned:
        return "landmark: pinned by the operator"
    if one.memory.tier.rate <= DURABLE.rate:
        return f"landmark: tagged {', '.join(one.mark.tags)} by the operator"
    return f"landmark: useful in {one.memory.useful} sessions, harmful in {one.memory.harmful}"


def days_ago(day: date, today: date) -> str:
    """Give how long ago a day was: ``3 days ago``, ``yesterday``, ``today``."""
    days = (today - day).days
    return {0: "today", 1: "yesterday"}.get(days, f"{days} days ago")
