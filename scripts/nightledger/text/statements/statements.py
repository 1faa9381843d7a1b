"""Find in a daily log the statements that its owner would be glad to find in memory months later.

Every line of prose gets an estimate; lines that stand together under one heading become one
statement, as a topic is one entry of a memory. What scanners hold back never takes part.

Invariant: only this log is read; the same log gives the same statements.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import exp, log
from os.path import basename, splitext

from msgspec import Struct

from nightledger.domain.consolidation import DayLog, Found, HeldLine, LogLine, Region, Statement
from nightledger.domain.finding import Severity
from nightledger.domain.proposal import least_trusted
from nightledger.domain.transcript import EXTRACTS
from nightledger.text.contradictions import Contradiction, Standing
from nightledger.text.markdown.blocks import introduces
from nightledger.text.scanners.scan import scan_lines
from nightledger.text.scanners.secrets import telling
from nightledger.text.similar import fold
from nightledger.text.statements.estimate import (
    SHIPPED,
    SHORTEST_CHARACTERS,
    Model,
    as_told,
    estimate_lines,
    is_told,
    log_languages,
)
from nightledger.text.statements.wording import (
    clean_line,
    entry_text,
    has_reason,
    is_of_its_day,
    joined,
    judge_kind,
    reasons_for,
    reports_work,
    row_of,
    topic_of,
    wrapped,
)

SEED = 0.4
"""A line must reach this estimate to found a statement."""
JOIN = 0.2
"""A neighbour under the same heading must reach this one to join it."""
LONG_JOIN = 0.5
"""A neighbour of more than `_LONG` characters, which could stand for itself, must reach this one.

By weights of other workspaces .77 of 153 such lines that joined from .5 up were worth keeping, .52 of 62 below.
"""
SURE = 0.9
"""A report of work must reach this one, and is joined by none. Of 14 such lines from .85 up, by weights of other workspaces, 13 were worth keeping; of 12 from .8 to .85 9, of 67 below 33."""
SPAN = 5
"""Lines from first to last: what an operator still reads as one change."""
BARE_SHARE = 0.8
"""What a statement counts whose strongest line gives no reason to keep it (`has_reason`).

By weights of other workspaces, 58 % of 147 such lines from .64 to .8 were worth keeping, 76 % of 291 with a reason.
"""
_LONG = 90
_PARAGRAPH = 2
"""Lines to the next paragraph of one message."""
_DAY = re.compile(r"[\d_-]+")
"""What of a log's name tells its day, or divides words."""


def find_statements(
    log: DayLog,
    model: Model = SHIPPED,
    is_known: Callable[[str], bool] = lambda _: False,
) -> Found:
    """Give the statements of one log, the best first, and what the scanners held back.

    Args:
        log: One file of daily notes.
        model: What estimates its lines.
        is_known: Whether memory or an earlier proposal says a line; an entry is made of the others.
    """
    estimates = estimate_lines(log, model)
    held = _held(log, estimates)
    barred = {line.line for line in held}
    languages = log_languages(log)
    sentence = {line.number: group for group in wrapped(log.lines) for line in group}
    statements, taken = [], set[int]()
    for block in _blocks(log, {number: p for number, p in estimates.items() if number not in barred}, barred):
        # where no line is news all are left, to be folded later
        members = [line for line in block if not is_known(clean_line(as_told(line), languages))] or block
        members = [line for line in members if line.number not in taken]  # a sentence stands in one entry
        if not members:
            continue
        top = max(members, key=lambda line: estimates[line.number])
        score = estimates[top.number] * (1 if has_reason(top, languages) else BARE_SHARE)
        whole = list({x.number: x for line in members for x in sentence[line.number]}.values())
        taken.update(line.number for line in whole)
        said = [*map(as_told, joined(whole))]
        is_half = is_told(top) and not any(map(is_told, said))  # the rest of a wrapped sentence takes it back
        fits = whole[-1].number - whole[0].number < SPAN and barred.isdisjoint(line.number for line in whole)
        if fits and not is_half:
            statements.append(statement_of(log, as_told(top), whole, score, languages, said))
    statements.sort(key=lambda one: (-one.score, one.lines))
    return Found(statements=tuple(statements), held=tuple(held))


def find_named(log: DayLog) -> Found:
    """Give each line of prose as a statement of its own: somebody named it as worth keeping, so that is not to be guessed.

    Being named counts as a sure contradiction does (`CHANGE_ODDS`); what scanners hold back takes no part.
    """
    held, chances, languages = rules_in(log.lines), estimate_lines(log), log_languages(log)
    return Found(
        statements=tuple(
            statement_of(log, line, [line], _lift(chances[line.number]), languages)
            for line in log.lines
            if line.number in chances and line.number not in held
        ),
        held=tuple(HeldLine(path=log.path, line=number, rule=held[number]) for number in sorted(held)),
    )


def _held(log: DayLog, estimates: dict[int, float]) -> list[HeldLine]:
    """Scan the candidates and what may come to stand between them, in one go.

    One text for all: a scan costs far more than a line of it, and a secret may be told in two lines,
    or far above. A line that holds a secret is held for that, whatever else was seen in it.
    """
    near = {number + step for number, p in estimates.items() if p >= JOIN for step in range(-SPAN + 1, SPAN)}
    scanned = near | {log.lines[at].number for at in telling([line.text for line in log.lines])}
    held = rules_in(line for line in log.lines if line.number in scanned and line.text.strip())
    return [HeldLine(path=log.path, line=number, rule=held[number]) for number in sorted(near & held.keys())]


def rules_in(lines: Iterable[LogLine], *, secrets: bool = False) -> dict[int, str]:
    """Return the numbers of the lines in which the scanners see more than something to flag, with what they see.

    Args:
        lines: In order.
        secrets: Whether a secret that is only flagged counts, too: for what leaves the machine.
    """
    read = list(lines)
    before = [0, *(line.number for line in read)]
    texts = [
        f"{line.text}\n" if n + 1 == line.number else f"\n{line.text}\n"
        for n, line in zip(before, read, strict=False)
    ]
    held: dict[int, str] = {}
    for finding, places in scan_lines(texts):
        is_secret = finding.rule.startswith("secret.")
        counts = finding.severity is not Severity.FLAG or (secrets and is_secret)
        for number in (read[at].number for at in places if counts):
            if is_secret or number not in held:
                held[number] = finding.rule
    return held


def _blocks(log: DayLog, estimates: dict[int, float], barred: set[int]) -> list[list[LogLine]]:
    """Give the lines that become one statement each."""
    languages = log_languages(log)
    stating = [x for x in log.lines if x.number in estimates and not introduces(x.content)]
    file = _DAY.sub(" ", splitext(basename(log.path))[0])
    in_session = log.path.startswith(f"{EXTRACTS}/")
    sources = [line for line in stating if not is_of_its_day(line, languages, file, in_session=in_session)]
    reports = {line.number for line in sources if reports_work(line, languages)}
    lines = [line for line in sources if line.number not in reports]
    likely = [x for x in lines if estimates[x.number] >= (LONG_JOIN if len(x.content) > _LONG else JOIN)]
    joining = {x.number for x in likely if topic_of(x, languages) or has_reason(x, languages)}
    place = {line.number: at for at, line in enumerate(lines)}
    used: set[int] = set(barred)
    found = []
    for line in sorted(lines, key=lambda line: (-estimates[line.number], line.number)):
        if estimates[line.number] < SEED:
            break
        if line.number not in used:
            at = place[line.number]
            near = [x for x in lines[max(0, at - SPAN) : at + SPAN] if x.number in joining or x is line]
            members = _grow(near, near.index(line), estimates, used)
            used.update(range(members[0].number, members[-1].number + 1))
            found.append(members)
    sure = [line for line in sources if line.number in reports - used and estimates[line.number] >= SURE]
    return found + [[line] for line in sure]


def _grow(lines: Sequence[LogLine], at: int, estimates: dict[int, float], used: set[int]) -> list[LogLine]:
    """Take in neighbours under the same heading, the better side first, while the span allows it."""
    first = last = at
    while True:
        sides = [
            (estimates[lines[n].number], n)
            for n in (first - 1, last + 1)
            if 0 <= n < len(lines) and _joins(lines, n, (first, last), used)
        ]
        if not sides:
            return list(lines[first : last + 1])
        best = max(sides)[1]
        first, last = min(first, best), max(last, best)


def _joins(lines: Sequence[LogLine], n: int, block: tuple[int, int], used: set[int]) -> bool:
    first, last = lines[min(n, block[0])], lines[max(n, block[1])]
    gap = abs(lines[n].number - lines[block[0] if n < block[0] else block[1]].number)
    if lines[n].turn == "user" and gap > _PARAGRAPH:  # another message, which is of something else
        return False
    return (
        lines[n].headings == lines[block[0]].headings
        and lines[n].turn == lines[block[0]].turn
        and any(_are_kin(lines[n], one) for one in lines[block[0] : block[1] + 1])
        and last.number - first.number < SPAN
        and used.isdisjoint(range(first.number, last.number + 1))
    )


def _are_kin(one: LogLine, other: LogLine) -> bool:
    """Return whether two lines are items of one list, or an item and its child: what a line introduces does not stand without it."""
    return one.lead in (other.lead, other.content) or other.lead == one.content


def statement_of(
    log: DayLog,
    top: LogLine,
    members: Sequence[LogLine],
    score: float,
    languages: tuple[str, ...],
    said: Sequence[LogLine] = (),
) -> Statement:
    """Return the statement that lines of a log make.

    Args:
        log: Where they stand.
        top: The strongest of them.
        members: All of them, in order.
        score: How likely it is welcome, 0..1.
        languages: Of the log, beside English.
        said: What of them is to be kept; all where none is given.
    """
    kind = judge_kind(top, languages)
    row, text = row_of(kind), entry_text(top, said or members, languages)
    return Statement(
        path=log.path,
        day=min(top.day, log.day),
        lines=(members[0].number, members[-1].number),
        text=text,
        kind=kind,
        origin=least_trusted(line.origin for line in members),
        score=round(score, 4),
        reasons=reasons_for(top, languages),
        fails_when=row.what_would_change_it,
        section=row.section,
        key=fold(text),
    )


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
