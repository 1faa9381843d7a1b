"""What memory holds: its size against the host's cap, associations, what was learned, what fades next."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from typing import Any

from nightledger.domain import retention
from nightledger.domain.decision import Moment
from nightledger.domain.errors import IntegrityError, LinkIndexError, MissingBlobError
from nightledger.domain.outcome import SHOWN_FROM
from nightledger.domain.states import Book
from nightledger.domain.words import count_of
from nightledger.doors.report import Arc, Graph, Part, Plot, Series
from nightledger.files.atomic import BlobStore
from nightledger.files.link_index import Recalled, open_index
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.remembering import Facts, Remembered, applied_wordings, read_facts
from nightledger.gate.stored import read_stored
from nightledger.surfaces.report_record import DAY, MOST_ROWS, cell, more
from nightledger.surfaces.screen import sentences
from nightledger.text.similar import fold

ARCS, TAGS, OF_TAG = 40, 36, 5
"""Most arcs and tags that are drawn, and most arcs of a tag where not all are: more could not be told apart."""
FADING, LEARNED = 12, 12
"""Rows of what fades next, and of what was learned lately."""


def sizes(gate: Gate, book: Book, status: dict[str, Any], now: datetime) -> Iterator[Part]:
    """Yield the size of each gated file over time, as far as its bytes are kept."""
    for size in status["sizes"]:
        path, cap, count = size["path"], size["cap"], size["characters"]
        steps = [*_kept_sizes(gate, book, path), (now, count)]
        of = f" of the {cap:,} that its host shows" if cap else "; its host shows all of it"
        days = {f"{at:{DAY}}": (f"{at:{DAY}}", f"{characters:,}") for at, characters in steps}
        points = tuple((at.timestamp(), float(characters)) for at, characters in steps)
        yield Part(
            title=f"Size of {cell(path)}",
            told=f"{count:,} characters{of}.",
            heads=("day", "characters"),
            rows=tuple(days.values())[-MOST_ROWS:],
            picture=Plot(
                series=(Series(name="characters", points=points),),
                ends=(f"{steps[0][0]:{DAY}}", f"{now:{DAY}}"),
                limit=cap,
            ),
            figure=f"{count / cap:.0%} full" if cap else f"{count:,}",
            folded=True,
        )


def _kept_sizes(gate: Gate, book: Book, path: str) -> Iterator[tuple[datetime, int]]:
    blobs = BlobStore(gate.home.blobs_dir)
    for apply in book.applies.values():
        for target in apply.targets if apply.outcome == "done" else ():
            if target.path == path:
                try:
                    content = blobs.get(target.after)
                except (MissingBlobError, IntegrityError, ValueError):
                    continue  # let go with its undo window, or no hash
                yield apply.at, len(content.decode("utf-8", "surrogateescape"))


# ------------------------------------------------------------ associations


def associations(gate: Gate) -> Part:
    """Return what worked under which tags, the surest first, and a picture of the first of them."""
    title = "Associations"
    try:
        index = open_index(gate.home.link_index_dir)
        if index is None:
            return Part(title=title, told="None yet: the agent has logged no outcome that a night has read.")
        with index:
            links = sorted(index.every(), key=_surest_first)
    except LinkIndexError as error:
        return Part(title=title, told=f"{cell(str(error))}: 'nightledger link --rebuild' makes it anew.")
    drawn = chosen(links)
    sure = sum(one.confidence >= SHOWN_FROM for one in links)
    told = f"{count_of(len(links), 'pair')} of tags that occurred together; {sure:,} have a resolution that is sure ({SHOWN_FROM} and more)."
    if len(drawn) < len(links):
        told += f" Here are {len(drawn)}: the surest, at most {OF_TAG} of a tag."
    return Part(
        title=title,
        told=told,
        heads=("tags", "what worked", "sure", "sessions", "last seen"),
        rows=tuple(map(_row, drawn)),
        picture=Graph(arcs=tuple(map(_arc, drawn)), kinds=tuple(sentences("report")["sure"])),
        figure=f"{sure:,} sure",
        wide=True,
    )


def chosen(links: Sequence[Recalled]) -> list[Recalled]:
    """Return the links that are shown: the strongest, so many that each can be followed in a picture.

    Where not all have room a tag has five at most, so that one tag that goes with everything does not hide the rest.

    Args:
        links: The strongest first.
    """
    ends, found = Counter[str](), list[Recalled]()
    every = len(links) <= ARCS
    for one in links:
        pair = one.link.pair
        new = sum(tag not in ends for tag in pair)
        if len(found) == ARCS or len(ends) + new > TAGS:
            continue
        if every or max(ends[tag] for tag in pair) < OF_TAG:
            ends.update(pair)
            found.append(one)
    return found


def _surest_first(one: Recalled) -> tuple[Any, ...]:
    return -one.confidence, -one.link.co_occurrences, one.link.pair


def _row(one: Recalled) -> tuple[str, ...]:
    link = one.link
    seen = date.fromordinal(link.last_day)
    tags = f"{cell(link.first)} + {cell(link.second)}"
    return tags, cell(link.best.resolution), f"{one.confidence:.2f}", f"{link.co_occurrences:,}", f"{seen}"


def _arc(one: Recalled) -> Arc:
    tags, resolution, sure, *_ = _row(one)
    best = one.link.best
    kind = 0 if one.confidence >= SHOWN_FROM else 1 if best.successes > best.failures else 2
    return Arc(
        first=cell(one.link.first),
        second=cell(one.link.second),
        weight=min(5.0, 1.2 + math.log2(one.link.co_occurrences)),
        kind=kind,
        says=f"{tags}: {resolution}, {sure}, {count_of(one.link.co_occurrences, 'session')}",
    )


# ------------------------------------------------------------ what was learned, what fades


def remembered(
    gate: Gate, ledger: Ledger, moment: Moment, told: frozenset[str], undo: Sequence[dict[str, Any]]
) -> Iterator[Part]:
    """Yield what was learned lately and what came of it, and what fades next.

    Args:
        gate: The home.
        ledger: Its log.
        moment: The clocks.
        told: Values that memory tells as secrets.
        undo: What can be undone now, as ``status`` has it.
    """
    stored = read_stored(gate, ledger.book)
    facts = read_facts(gate, ledger, moment, stored=stored)
    put_in = {wording: at for wording, _, _, at in applied_wordings(ledger.book, stored) if at}
    found = [(at, one) for one in facts.memories if (at := put_in.get(fold(one.placed.entry.text)))]
    yield _learned(sorted(found, key=lambda pair: pair[0], reverse=True), told, len(undo))
    yield _fading(facts, told)


def _entry(one: Remembered, told: frozenset[str]) -> str:
    return cell(one.placed.entry.text, told).removeprefix("- ").removeprefix("* ")


def _learned(found: Sequence[tuple[datetime, Remembered]], told: frozenset[str], undoable: int) -> Part:
    uses = [one.use for _, one in found]
    helped = sum(use.useful > 0 for use in uses)
    shown = sum(use.shown > 0 for use in uses)
    said = f"{len(found)} entries of memory came through the gate; {shown} were shown to the agent, {helped} before a success."
    said += f" {count_of(undoable, 'step')} can still be undone." if undoable else ""
    rows = (
        (_entry(one, told), f"{at:{DAY}}", *map(str, (one.use.shown, one.use.useful, one.use.harmful)))
        for at, one in found[:LEARNED]
    )  # fmt: skip
    return Part(
        title="What was learned",
        told=said + more(found, LEARNED),
        heads=("entry", "on", "shown", "before successes", "before failures"),
        rows=tuple(rows),
        wide=True,
    )


def _fading(facts: Facts, told: frozenset[str]) -> Part:
    """Return how many entries stay how long, if nothing proves them useful, and which go first."""
    left = [
        (retention.hours_left(one.memory, facts.now_hour), one)
        for one in facts.memories
        if not one.memory.immune
    ]
    left.sort(key=lambda pair: (pair[0], pair[1].memory.id))
    immune = len(facts.memories) - len(left)
    faded = sum(hours <= 0 for hours, _ in left)
    fade = count_of(len(left) - faded, "fades unless it helps", "fade unless they help")
    said = f"{count_of(len(facts.memories), 'entry', 'entries')}: {immune} kept for good, {faded} faded ('nightledger curate --ask' asks), {fade}."
    steps = [(0.0, float(len(left) - faded + immune))]
    steps += [(hours, float(len(left) - n + immune)) for n, (hours, _) in enumerate(left, 1) if hours > 0]
    return Part(
        title="What fades next",
        told=said,
        heads=("entry", "tier", "worth", "hours left"),
        rows=tuple(_fading_row(one, hours, facts.now_hour, told) for hours, one in left[:FADING]),
        picture=Plot(
            series=(Series(name="entries left if nothing proves useful", points=tuple(steps)),),
            ends=("now", f"in {steps[-1][0]:,.0f} active hours"),
        )
        if len(steps) > 1
        else None,
        figure=f"{faded} faded",
        wide=True,
    )


def _fading_row(one: Remembered, hours: float, now_hour: int, told: frozenset[str]) -> tuple[str, ...]:
    worth = retention.measured_utility(one.memory, now_hour)
    return _entry(one, told), one.memory.tier.name, f"{worth:.2f}", f"{hours:,.0f}"
