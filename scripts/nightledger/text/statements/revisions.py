"""Lines of a daily log that change what memory says: the entry and what takes its place.

That a line contradicts memory is itself a sign that it is worth keeping: memory holds the subject
already. So a line needs less of an own estimate than one that says something new.

Invariant: only this log and memory are read; of several lines that change one entry the last counts.
"""

from collections.abc import Iterator
from math import exp, log

from msgspec import Struct

from nightledger.domain.daylog import DayLog, LogLine, Region, Statement
from nightledger.text.contradictions import Contradiction, Standing
from nightledger.text.statements.estimate import (
    SHIPPED,
    SHORTEST_CHARACTERS,
    Model,
    estimate_lines,
    log_languages,
)
from nightledger.text.statements.statements import rules_in, statement_of
from nightledger.text.statements.wording import clean_line

CHANGE_ODDS = 3.0
"""What a sure contradiction adds to a line's log-odds: one with a chance of .11 reaches the bar of .7.

Set by hand. Against 171,000 lines of 83 public workspaces their own memories had two sure contradictions,
both of them another price; so the bar guards what is worth keeping, not what contradicts.
"""


class Revision(Struct, frozen=True, kw_only=True):
    """A statement that takes the place of an entry.

    Attributes:
        statement: What memory is to say instead.
        said: The line's wording, without the heading that the statement may carry.
        contradiction: The entry, and what differs.
    """

    statement: Statement
    said: str
    contradiction: Contradiction


def find_revisions(day_log: DayLog, standing: Standing, model: Model = SHIPPED) -> tuple[Revision, ...]:
    """Give what a log surely changes in memory, at most one statement an entry, in order of lines.

    What the scanners hold back changes nothing.
    """
    found = list(_contradicting(day_log, standing))
    if not found:
        return ()
    held = rules_in(day_log.lines)
    chances = estimate_lines(day_log, model)
    languages = log_languages(day_log)
    last = {hit.entry: (line, hit) for line, hit in found if line.number not in held}
    return tuple(
        Revision(
            statement=statement_of(day_log, line, [line], _lift(chances[line.number]), languages),
            said=clean_line(line),
            contradiction=hit,
        )
        for line, hit in sorted(last.values(), key=lambda pair: pair[0].number)
    )


def _contradicting(day_log: DayLog, standing: Standing) -> Iterator[tuple[LogLine, Contradiction]]:
    for line in day_log.lines:
        if line.region is Region.PROSE and len(line.content) >= SHORTEST_CHARACTERS:
            hits = standing.contradicted_by(clean_line(line))
            if hits and hits[0].sure:
                yield line, hits[0]


def _lift(chance: float) -> float:
    return 1 / (1 + exp(-CHANGE_ODDS - log(chance / (1 - chance))))
