"""Find in a daily log the statements that its owner would be glad to find in memory months later.

Every line of prose gets an estimate; lines that stand together under one heading become one
statement, as a topic is one entry of a memory. What scanners hold back never takes part.

Invariant: only this log is read; the same log gives the same statements.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import exp, log, prod

from msgspec import Struct

from nightledger.domain.daylog import DayLog, Found, HeldLine, LogLine, Region, Statement, StatementKind
from nightledger.domain.finding import Severity
from nightledger.domain.proposal import least_trusted
from nightledger.text.contradictions import Contradiction, Standing
from nightledger.text.scanners.scan import scan_lines
from nightledger.text.scanners.secrets import telling
from nightledger.text.similar import fold
from nightledger.text.statements.cues import find_cues
from nightledger.text.statements.estimate import (
    SHIPPED,
    SHORTEST_CHARACTERS,
    Model,
    estimate_lines,
    log_languages,
    tells_result,
)
from nightledger.text.statements.wording import (
    clean_line,
    entry_text,
    is_maxim,
    judge_kind,
    reasons_for,
    shelve,
    what_would_change_it,
)

SEED = 0.4
"""A line must reach this estimate to found a statement."""
JOIN = 0.2
"""A neighbour under the same heading must reach this one to join it."""
SHARE = 0.15
"""How much of a joined line's own chance counts: neighbours are right or wrong together."""
SPAN = 5
"""Lines from first to last: what an operator still reads as one change."""
DOUBT_SHARE = 0.85
"""What a statement counts for each reason to doubt that it outlasts its day (`_doubts`).

Read strictly, 7 of 37 proposals with such a reason were worth signing, and 49 of 124 others.
"""
_INTRODUCES = (":", "\uff1a", ":**")
"""What ends a line that only names what stands below it."""
_LASTING = frozenset({"absolute", "ban", "standing", "lesson", "rule"})


def find_statements(
    log: DayLog,
    model: Model = SHIPPED,
    is_known: Callable[[str], bool] = lambda _: False,
    *,
    estimates: dict[int, float] | None = None,
) -> Found:
    """Give the statements of one log, the best first, and what the scanners held back.

    Args:
        log: One file of daily notes.
        model: What estimates its lines.
        is_known: Whether memory or an earlier proposal says a line; an entry is made of the others.
        estimates: What the model says of its lines, where that is known already.
    """
    estimates = estimate_lines(log, model) if estimates is None else estimates
    held = _held(log, estimates)
    barred = {line.line for line in held}
    blocks = _blocks(log, {number: p for number, p in estimates.items() if number not in barred}, barred)
    languages = log_languages(log)
    news = [_news(block, is_known, languages) for block in blocks]
    statements = sorted(
        (_statement(log, block, languages) for block in news), key=lambda s: (-s.score, s.lines)
    )
    return Found(statements=tuple(statements), held=tuple(held))


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


class _Block(Struct, frozen=True, kw_only=True):
    """Lines that become one statement, the strongest and all of them."""

    top: LogLine
    members: tuple[LogLine, ...]
    chances: tuple[float, ...]

    @property
    def score(self) -> float:
        best = max(self.chances)
        others = sorted(self.chances)[:-1]
        return 1 - (1 - best) * prod(1 - SHARE * chance for chance in others)

    @property
    def text(self) -> str:
        return "\n".join(line.content for line in self.members)


def _blocks(log: DayLog, estimates: dict[int, float], barred: set[int]) -> list[_Block]:
    lines = [
        line for line in log.lines if line.number in estimates and not line.content.endswith(_INTRODUCES)
    ]
    place = {line.number: at for at, line in enumerate(lines)}
    used: set[int] = set(barred)
    found = []
    for line in sorted(lines, key=lambda line: (-estimates[line.number], line.number)):
        if estimates[line.number] < SEED:
            break
        if line.number not in used:
            members = _grow(lines, place[line.number], estimates, used)
            used.update(member.number for member in members)
            chances = tuple(estimates[member.number] for member in members)
            found.append(_Block(top=line, members=tuple(members), chances=chances))
    return found


def _grow(lines: Sequence[LogLine], at: int, estimates: dict[int, float], used: set[int]) -> list[LogLine]:
    """Take in neighbours under the same heading, the better side first, while the span allows it."""
    first = last = at
    while True:
        sides = [
            (estimates[lines[n].number], n)
            for n in (first - 1, last + 1)
            if 0 <= n < len(lines) and _joins(lines, n, (first, last), used)
        ]
        sides = [side for side in sides if side[0] >= JOIN]
        if not sides:
            return list(lines[first : last + 1])
        best = max(sides)[1]
        first, last = min(first, best), max(last, best)


def _joins(lines: Sequence[LogLine], n: int, block: tuple[int, int], used: set[int]) -> bool:
    first, last = lines[min(n, block[0])], lines[max(n, block[1])]
    return (
        lines[n].headings == lines[block[0]].headings
        and lines[n].turn == lines[block[0]].turn
        and last.number - first.number < SPAN
        and used.isdisjoint(range(first.number, last.number + 1))
    )


def _news(block: _Block, is_known: Callable[[str], bool], languages: tuple[str, ...]) -> _Block:
    """Leave out the lines that are known; of a block without news all are left, to be folded later."""
    if len(block.members) == 1:
        return block
    fresh = [at for at, line in enumerate(block.members) if not is_known(clean_line(line, languages))]
    kept = fresh or range(len(block.members))
    return _Block(
        top=block.members[max(kept, key=lambda at: block.chances[at])],
        members=tuple(block.members[at] for at in kept),
        chances=tuple(block.chances[at] for at in kept),
    )


def _statement(log: DayLog, block: _Block, languages: tuple[str, ...]) -> Statement:
    share = DOUBT_SHARE ** sum(_doubts(block, judge_kind(block.top, languages), languages))
    return statement_of(log, block.top, block.members, share * block.score, languages)


def statement_of(
    log: DayLog, top: LogLine, members: Sequence[LogLine], score: float, languages: tuple[str, ...]
) -> Statement:
    """Return the statement that lines of a log make.

    Args:
        log: Where they stand.
        top: The strongest of them.
        members: All of them, in order.
        score: How likely it is welcome, 0..1.
        languages: Of the log, beside English.
    """
    kind = judge_kind(top, languages)
    text = entry_text(top, members, languages)
    return Statement(
        path=log.path,
        day=min(top.day, log.day),
        lines=(members[0].number, members[-1].number),
        text=text,
        kind=kind,
        origin=least_trusted(line.origin for line in members),
        score=round(score, 4),
        reasons=reasons_for(top, languages),
        fails_when=what_would_change_it(kind),
        section=shelve(kind),
        key=fold(text),
        maxim=is_maxim(members, languages),
    )


def _doubts(block: _Block, kind: StatementKind, languages: tuple[str, ...]) -> Iterator[bool]:
    """Give the reasons to doubt that a statement outlasts its day; each was found by leaving workspaces out."""
    lines, heading = block.members, block.top.headings[-1:]
    yield kind is StatementKind.CAUSE and find_cues(block.text, languages).isdisjoint(_LASTING)
    yield kind is StatementKind.FACT
    yield all(tells_result(line.content, languages) for line in lines)
    yield tells_result(block.top.lead, languages)
    yield any("fix" in find_cues(title, languages) for title in heading)
    yield len(lines) == 1 and "now" in find_cues(block.text, languages)


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
