"""What was shown lately, because somebody asked or a prompt was about it, and what came of it.

What the staged page itself showed at the start of a session says nothing: it would keep itself.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime, tzinfo

from nightledger.codec.exposure_rows import ExposureRow, read_exposures
from nightledger.domain.search.lines import says
from nightledger.domain.staging.values import Candidate, Source
from nightledger.files.home import Home
from nightledger.files.line_log import LineLog
from nightledger.jobs.stage.events import Shelf
from nightledger.jobs.stage.lines import is_short, place_of, plain
from nightledger.jobs.stage.remembered import Known, entry_candidate, entry_chunk

COUNTED = {"recall": 1.0, "prompt": 0.5}
"""How a showing counts: asked for in full, come up at a prompt in half."""
ENOUGH = 3.0
"""So many showings, faded, count in full."""
HALF_LIFE_DAYS = 2.0
"""Work goes on for days, not weeks. Measured with bench/bench_stage.py."""
AGAIN = 2
"""Showings from which a line is of use that tells nothing later on: once, it was the best there was."""
_FAILED = 0.3
"""What is left of a line after which more went wrong than well."""
_LARGEST_LINES = 60


@dataclass(slots=True)
class _Tally:
    weight: float = 0.0
    times: int = 0
    days: set[date] = field(default_factory=set)


Key = tuple[str, int, int]


def shown_lately(
    home: Home, known: Sequence[Known], shelf: Shelf, days: int, today: date, zone: tzinfo
) -> list[Candidate]:
    """Give what was shown in the last days.

    Args:
        home: Whose.
        known: Signed entries, by which ids are told.
        shelf: Search, which knows what may be shown, and daily logs, which know what tells something.
        days: How many days back.
        today: The log day: a page holds until its end.
        zone: The home's.
    """
    entries: defaultdict[str, _Tally] = defaultdict(_Tally)
    places: defaultdict[Key, _Tally] = defaultdict(_Tally)
    for row, day in _rows(home, zone):
        ago = (today - day).days
        count = COUNTED.get(row.event, 0.0) * 0.5 ** (ago / HALF_LIFE_DAYS) if 0 <= ago <= days else 0.0
        names = [entries[name] for name in row.shown]
        spots = [places[place.path, *place.lines] for place in row.places]
        for tally in (*names, *spots) if count else ():
            tally.weight += count
            tally.times += 1
            tally.days.add(day)
    by_id = {one.one.placed.entry.id: one for one in known}
    told = [(by_id[name], tally) for name, tally in entries.items() if name in by_id and tally.days]
    found = [_of_entry(one, tally) for one, tally in told if _is_worth(one, tally, shelf)]
    return [*found, *_of_places(places, shelf)]


def _rows(home: Home, zone: tzinfo) -> Iterator[tuple[ExposureRow, date]]:
    with LineLog(home.exposures) as log:
        for row in read_exposures(log.chunks(0)):
            with suppress(ValueError, OverflowError):  # no time, or one that is off the calendar here
                at = datetime.fromisoformat(row.at)
                if at.tzinfo is not None:
                    yield row, at.astimezone(zone).date()


def _is_worth(known: Known, tally: _Tally, shelf: Shelf) -> bool:
    """Tell whether an entry says anything by itself, tells something or is of use, and may be shown."""
    chunk = entry_chunk(known.one)
    if not any(map(says, chunk.text.split("\n"))) or not shelf.library.may_show(chunk):
        return False
    again = tally.times >= AGAIN and not is_short(plain(chunk.text.split("\n")))
    return again or known.one.use.useful > 0 or shelf.logs.tells(chunk, (chunk.first_line, chunk.last_line))


def _of_entry(known: Known, tally: _Tally) -> Candidate:
    use = known.one.use
    harmful = use.harmful > use.useful
    came = (
        f"{use.useful} sessions succeeded after it, {use.harmful} failed" if use.useful or use.harmful else ""
    )
    return entry_candidate(
        known,
        Source.SHOWN,
        "; ".join(part for part in (_times(tally), came) if part),
        round(min(1.0, tally.weight / ENOUGH) * (_FAILED if harmful else 1.0), 4),
    )


def _of_places(places: Mapping[Key, _Tally], shelf: Shelf) -> Iterator[Candidate]:
    for (path, first, last), tally in sorted(places.items()):
        if not tally.days or last - first >= _LARGEST_LINES:
            continue
        chunk = shelf.library.lines_of(path, (first, last))
        if chunk is None or not any(map(says, chunk.text.split("\n"))):
            continue
        lines = (chunk.first_line, chunk.last_line)
        text = plain(chunk.text.split("\n"))
        again = tally.times >= AGAIN and not is_short(text)
        fit = shelf.logs.is_fit(chunk, lines) and not shelf.is_habit(chunk.text.split("\n"))
        if fit and (shelf.logs.tells(chunk, lines) or again):
            yield Candidate(
                source=Source.SHOWN,
                text=text,
                place=place_of(path, lines),
                why=_times(tally),
                score=round(min(1.0, tally.weight / ENOUGH), 4),
                path=path,
            )


def _times(tally: _Tally) -> str:
    return f"recalled on {len(tally.days)} of the last days" if len(tally.days) > 1 else "recalled lately"
