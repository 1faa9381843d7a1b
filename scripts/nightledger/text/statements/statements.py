"""Find in a daily log the statements that its owner would be glad to find in memory months later.

Every line of prose gets an estimate; lines that stand together under one heading become one
statement, as a topic is one entry of a memory. What scanners hold back never takes part.

Invariant: only this log is read; the same log gives the same statements.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from math import prod

from msgspec import Struct

from nightledger.domain.daylog import DayLog, Found, HeldLine, LogLine, Statement, StatementKind
from nightledger.domain.finding import Severity
from nightledger.domain.proposal import least_trusted
from nightledger.text.scanners.scan import scan
from nightledger.text.scanners.secret_places import telling
from nightledger.text.similar import fold, numbers, shingles
from nightledger.text.statements.cues import find_cues
from nightledger.text.statements.estimate import SHIPPED, Model, estimate_lines, log_languages
from nightledger.text.statements.features import split_label, tells_result
from nightledger.text.statements.wording import (
    clean_line,
    entry_text,
    judge_kind,
    reasons_for,
    shelve,
    topic_of,
    what_would_change_it,
)

SEED = 0.4
"""A line must reach this estimate to found a statement."""
JOIN = 0.2
"""A neighbour under the same heading must reach this one to join it."""
JOIN_BARE = 0.3
"""The same where nothing but the day stands above both, so that nothing says that they belong together."""
JOIN_NAMED = 0.45
"""The same beside a line that names itself a rule or lesson: its neighbours tell how it came about."""
SHARE = 0.15
"""How much of a joined line's own chance counts: neighbours are right or wrong together."""
SPAN = 5
"""Lines from first to last: what an operator still reads as one change."""
TOPIC_SHARE = 0.8
"""What a statement counts whose file is named after a topic (session exports, reports)."""
DOUBT_SHARE = 0.85
"""What a statement counts for each reason to doubt that it outlasts its day (`_doubts`).

Read strictly, 7 of 37 proposals with such a reason were worth signing, and 49 of 124 others.
"""
RESTATED = 0.75
"""Share of a statement's letters from which one that holds them, and all its numbers, says it again."""
OVERTURNED = 0.5
"""Share of the letters that a diagnosis and its correction have in common."""
LONGER = 4
"""So many times longer than a diagnosis a correction of it may be: a page shares half of the letters of any sentence."""
COMPARED = 200
"""Statements that one is compared with. A day's log has some dozens; 11,000 alike ones took minutes. Our choice."""
_CLAIMING = frozenset({"cause", "fault", "fix"})
_CORRECTING = frozenset({"correct", "cause"})
_NAMES = frozenset({"lesson", "rule", "decide", "standing", "correct"})
_LASTING = frozenset({"absolute", "ban", "standing", "lesson", "rule"})
_TOPIC_NAME = re.compile(r"\d{4}-\d\d-\d\d[-_ ][^\W\d]")
_OF_MEMORY = re.compile(r"\bMEMORY\.md\b", re.IGNORECASE)
"""A section about the memory file repeats what was written into it."""
_ALL_BOLD = re.compile(r"(?:\*\*|__)[^*_]+(?:\*\*|__)")


def find_statements(
    log: DayLog,
    model: Model = SHIPPED,
    is_known: Callable[[str], bool] = lambda _: False,
    *,
    estimates: dict[int, float] | None = None,
) -> Found:
    """Give the statements of one log, the best first, and what the scanners held back.

    A near-repeat in the file is folded into its later form, which is usually the shorter
    rule; a diagnosis that a later line of the file corrects is dropped.

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
    corrections = _corrections(log, estimates.keys() - barred)
    standing = [block for block in _fold_repeats(blocks) if not _is_overturned(block, corrections)]
    languages = log_languages(log)
    news = [_news(block, is_known, languages) for block in standing]
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


def rules_in(lines: Iterable[LogLine]) -> dict[int, str]:
    """Return the numbers of the lines in which the scanners see more than something to flag, with what they see."""
    read = list(lines)
    gaps = ["\n" if before.number + 1 != line.number else "" for before, line in pairwise(read)]
    pieces = [f"{gap}{line.text}\n" for gap, line in zip(["", *gaps], read, strict=True)] if read else []
    ends = list(accumulate(map(len, pieces)))
    held: dict[int, str] = {}
    for finding in scan("".join(pieces)):
        if finding.severity is not Severity.FLAG:
            for at in range(bisect_right(ends, finding.start), bisect_left(ends, finding.end) + 1):
                number = read[at].number
                if finding.rule.startswith("secret.") or number not in held:
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
    lines = [line for line in log.lines if line.number in estimates and not _introduces(line)]
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


def _enough(line: LogLine, top: LogLine) -> float:
    """Give the estimate from which a neighbour joins: one that tells a result, or stands under no heading, is surer."""
    if _names_itself(top) and not _names_itself(line):
        return JOIN_NAMED
    if tells_result(line.content):
        return SEED
    return JOIN if _is_headed(line) else JOIN_BARE


def _names_itself(line: LogLine) -> bool:
    """Say whether a line's own label says what it is: "Lesson: ...", "Standing rule: ...", "Decision: ..."."""
    return not find_cues(split_label(line.content)[0]).isdisjoint(_NAMES)


def _is_headed(line: LogLine) -> bool:
    """Say whether anything but the day stands above a line: else its neighbours may be about other things."""
    return bool(line.headings[1:] or line.lead or topic_of(line))


def _grow(lines: Sequence[LogLine], at: int, estimates: dict[int, float], used: set[int]) -> list[LogLine]:
    """Take in neighbours under the same heading, the better side first, while the span allows it."""
    first = last = at
    while True:
        sides = [
            (estimates[lines[n].number], n)
            for n in (first - 1, last + 1)
            if 0 <= n < len(lines) and _joins(lines, n, (first, last), used)
        ]
        sides = [side for side in sides if side[0] >= _enough(lines[side[1]], lines[at])]
        if not sides:
            return list(lines[first : last + 1])
        best = max(sides)[1]
        first, last = min(first, best), max(last, best)


def _introduces(line: LogLine) -> bool:
    """Say whether a line only names what stands below it, or stands under a report of what memory was told."""
    text = line.content.strip()
    told = bool(line.headings) and _OF_MEMORY.search(line.headings[-1]) is not None
    return told or text.endswith((":", "\uff1a", ":**")) or _ALL_BOLD.fullmatch(text) is not None


def _joins(lines: Sequence[LogLine], n: int, block: tuple[int, int], used: set[int]) -> bool:
    first, last = lines[min(n, block[0])], lines[max(n, block[1])]
    return (
        lines[n].headings == lines[block[0]].headings
        and lines[n].turn == lines[block[0]].turn
        and _share_a_lead(lines[n], lines[block[0] if n < block[0] else block[1]])
        and (lines[n].marker == "|") == (lines[block[0]].marker == "|")
        and last.number - first.number < SPAN
        and used.isdisjoint(range(first.number, last.number + 1))
    )


def _share_a_lead(one: LogLine, other: LogLine) -> bool:
    """Say whether two lines stand under the same introducing line, or one of them introduces the other."""
    return one.lead in {other.lead, other.content} or other.lead == one.content


def _fold_repeats(blocks: list[_Block]) -> list[_Block]:
    """Fold near-repeats within the file into the later one; each is compared with the `COMPARED` behind it."""
    kept: list[_Block] = []
    said: list[tuple[frozenset[int], frozenset[str]]] = []
    for block in sorted(blocks, key=lambda block: -block.members[0].number):
        pieces, named = shingles(block.text), numbers(block.text)
        if not any(
            named <= other_numbers and len(pieces & other) >= RESTATED * len(pieces)
            for other, other_numbers in said[-COMPARED:]
        ):
            kept.append(block)
            said.append((pieces, named))
    return kept


def _corrections(log: DayLog, among: Collection[int]) -> list[tuple[int, frozenset[int]]]:
    """Return the lines that correct a cause, by number, with their fingerprints."""
    lines = ((line, find_cues(line.content)) for line in log.lines if line.number in among)
    return [(line.number, shingles(line.content)) for line, cues in lines if cues >= _CORRECTING]


def _is_overturned(block: _Block, corrections: Sequence[tuple[int, frozenset[int]]]) -> bool:
    """Return whether one of the next corrections, about the same thing, corrects this diagnosis."""
    cues = find_cues(block.top.content)
    if cues.isdisjoint(_CLAIMING) or "correct" in cues:
        return False
    pieces = shingles(block.top.content)
    later = [other for number, other in corrections if number > block.members[-1].number]
    return any(
        len(other) <= LONGER * len(pieces)
        and len(pieces & other) >= OVERTURNED * min(len(pieces), len(other))
        for other in later[:COMPARED]
    )


def _news(block: _Block, is_known: Callable[[str], bool], languages: tuple[str, ...]) -> _Block:
    """Leave out the lines that are known, and beside a known rule or lesson those that name themselves nothing.

    For these tell how it came about; another rule or lesson is news of its own. What is left of a block
    without news is known, and folded later.
    """
    if len(block.members) == 1:
        return block
    known = [is_known(clean_line(line, languages)) for line in block.members]
    named = [_names_itself(line) for line in block.members]
    told = any(so and itself for so, itself in zip(known, named, strict=True))
    fresh = [at for at, so in enumerate(known) if not so and (named[at] or not told)]
    kept = fresh or [at for at, so in enumerate(known) if so]
    best = max(kept, key=lambda at: block.chances[at])
    return _Block(
        top=block.members[best],
        members=tuple(block.members[at] for at in kept),
        chances=tuple(block.chances[at] for at in kept),
    )


def _statement(log: DayLog, block: _Block, languages: tuple[str, ...]) -> Statement:
    share = TOPIC_SHARE if _TOPIC_NAME.search(log.path) else 1.0
    share *= DOUBT_SHARE ** sum(_doubts(block, judge_kind(block.top, languages), languages))
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
