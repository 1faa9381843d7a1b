"""What was shown lately, because somebody asked or a prompt was about it, and what came of it.

What the staged page itself showed at the start of a session says nothing: it would keep itself.
"""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import chain

from nightledger.codec.rows import ExposureRow, read_rows
from nightledger.domain.search.lines import says
from nightledger.domain.search.values import Chunk
from nightledger.domain.staging.values import Candidate, Source
from nightledger.files.line_log import LineLog
from nightledger.jobs.stage.inquiry import Inquiry
from nightledger.jobs.stage.lines import is_short, place_of, plain
from nightledger.jobs.stage.remembered import Known

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
Place = tuple[str, int, int]


@dataclass(slots=True)
class Tally:
    """How often something was shown lately: faded weight, times, days."""

    weight: float = 0.0
    times: int = 0
    days: set[date] = field(default_factory=set)

    @property
    def score(self) -> float:
        """What that counts, 0..1."""
        return min(1.0, self.weight / ENOUGH)

    @property
    def why(self) -> str:
        """That, in words."""
        return f"recalled on {len(self.days)} of the last days" if len(self.days) > 1 else "recalled lately"


def shown_lately(inquiry: Inquiry) -> Iterator[Candidate]:
    """Give entries and lines of logs that were shown in the last days."""
    for what, tally in _tallies(inquiry).items():
        if isinstance(what, str):
            known = inquiry.known.get(what)
            if known and _is_worth(known.chunk, tally, inquiry, is_of_use=known.one.use.useful > 0):
                yield _entry(known, tally)
            continue
        path, first, last = what
        chunk = inquiry.library.lines_of(path, (first, last)) if last - first < _LARGEST_LINES else None
        if chunk and inquiry.logs.is_fit(chunk, (first, last)) and _is_worth(chunk, tally, inquiry):
            yield Candidate(
                source=Source.SHOWN,
                text=plain(chunk.text),
                place=place_of(path, (first, last)),
                why=tally.why,
                score=round(tally.score, 4),
                path=path,
            )


def _tallies(inquiry: Inquiry) -> dict[str | Place, Tally]:
    """Return how often each entry, by its id, and each place was shown; a page holds until the log day's end."""
    found: defaultdict[str | Place, Tally] = defaultdict(Tally)
    for row, day in _rows(inquiry):
        ago = (inquiry.today - day).days
        if row.event in COUNTED and 0 <= ago <= inquiry.rules.shown_days:
            count = COUNTED[row.event] * 0.5 ** (ago / HALF_LIFE_DAYS)
            places: list[str | Place] = [(place.path, *place.lines) for place in row.places]
            for what in (*row.shown, *places):
                found[what].weight += count
                found[what].times += 1
                found[what].days.add(day)
    return found


def _rows(inquiry: Inquiry) -> Iterator[tuple[ExposureRow, date]]:
    with LineLog(inquiry.home.exposures) as log:
        for row in chain.from_iterable(rows for rows, _ in read_rows(ExposureRow, log.chunks(0))):
            with suppress(ValueError, OverflowError):  # no time, or one that is off the calendar here
                at = datetime.fromisoformat(row.at)
                if at.tzinfo is not None:
                    yield row, at.astimezone(inquiry.zone).date()


def _is_worth(chunk: Chunk, tally: Tally, inquiry: Inquiry, *, is_of_use: bool = False) -> bool:
    """Tell whether lines say anything by themselves, are of use, tell something or came twice, and may be shown."""
    if not any(map(says, chunk.text.split("\n"))) or not inquiry.library.may_show(chunk):
        return False
    again = tally.times >= AGAIN and not is_short(plain(chunk.text))
    return again or is_of_use or inquiry.logs.tells(chunk, (chunk.first_line, chunk.last_line))


def _entry(known: Known, tally: Tally) -> Candidate:
    use = known.one.use
    came = f"; {use.useful} sessions succeeded after it, {use.harmful} failed"
    score = tally.score * (_FAILED if use.harmful > use.useful else 1.0)
    why = tally.why + (came if use.useful or use.harmful else "")
    return known.candidate(Source.SHOWN, why, round(score, 4))
