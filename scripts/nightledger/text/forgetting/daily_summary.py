r"""The ten lines that stand in place of a compressed daily log.

Invariant: every quoted line stands in the log, word for word but for its cut end; none of them holds
what a scanner finds. All but the title is a block quote, so that nobody takes a summary for what an
agent wrote that day (``daylog.py``: what is quoted is never learned from).
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from hashlib import sha256

from msgspec import Struct

from nightledger.domain.daylog import DayLog, LogLine, Region
from nightledger.domain.pruning import Kept
from nightledger.text.dates import find_dates
from nightledger.text.forgetting.traces import Marker, count_lines, marker_line, read_marker
from nightledger.text.scanners.scan import scan_lines
from nightledger.text.similar import dice, shingles
from nightledger.text.statements.cues import find_cues
from nightledger.text.statements.estimate import estimate_lines, log_languages, split_label, tells_result
from nightledger.text.statements.wording import topic_of
from nightledger.text.visible import cut, one_line

LINES = 10
"""Of a summary: its title, where the full text is, and up to eight lines of the log (published)."""
MOST_CHARACTERS = 160
"""Of a quoted line, with what it stands under; what is cut off is marked by an ellipsis."""
MOST_TOPIC = 80
"""Of a title, and of what a quoted line stands under."""
LEAST_WORTH = 0.05
"""Below it a line tells nothing of a day: fewer lines are better than idle ones. Our choice, read on logs."""
SHORTER = 0.6
"""Of the log's bytes a summary has no more, else the log stays as it is: little would be gained. Our choice."""
LEAST_SAVED_BYTES = 300
"""What is gained by less is not worth an operator's look. Our choice, read on proposals for public workspaces."""
NAMED_BONUS = 0.5
"""What a line gains that names itself a decision or a lesson: it is what the day is remembered for."""
CUE_BONUS = 0.2
"""What a line gains that speaks of a decision, a lesson, a rule or a correction."""
RESULT_BONUS = 0.15
"""What a line gains that tells a result: a summary of a day tells what came of it, memory need not."""
SAME_HEADING = 0.6
"""What a line still counts for each line of its heading that is quoted already: a day has several topics."""
REPEATED = 0.7
"""Likeness (Dice) from which a line says what a quoted one says. These five are our choice, read on logs."""

_Candidate = tuple[float, LogLine, frozenset[int]]
"""How much a line is worth, the line, and its fingerprint."""
_NAMED = frozenset({"decide", "lesson", "correct", "rule"})
_LASTING = _NAMED | {"cause", "ban", "retire"}
_RESULT = frozenset({"done", "fix", "fault"})
_MARKER = re.compile(r"^\s*(?:(?:[-*+•\u2013]|\d{1,3}[.)])\s+)?(?:\[[ xX~-]\]\s+)?")
_EXPORTED = re.compile(
    r"\W*(?:source|session|session (?:key|id)|channel)\W*:\W*[\w:.@/-]+\W*$", re.IGNORECASE
)


class DailySummary(Struct, frozen=True, kw_only=True):
    """A daily log in ten lines.

    Attributes:
        text: What is to stand in the log's place, with the log's own line ends.
        quoted: Numbers of the lines that it quotes, ascending.
        held: How many lines were left out because of what a scanner found in them.
    """

    text: str
    quoted: tuple[int, ...]
    held: int


def summarise_daily(log: DayLog, content: bytes, copy: str) -> DailySummary | Kept:
    """Give what stands in a log's place once its full text is in the archive, or why it stays.

    Args:
        log: As it was read.
        content: Its bytes.
        copy: Where its full text is to be, relative to the home.
    """
    text = "\n".join(line.text for line in log.lines)
    if read_marker(text) is not None:  # whatever was written below it since
        return Kept.SUMMARY
    lines = count_lines(content)
    marker = Marker(copy=copy, lines=lines, sha256=sha256(content).hexdigest())
    found = {log.lines[at].number for at in _lines_found([line.text for line in log.lines])}
    rows, quoted = _rows(log, found, lines)
    while beside := {quoted[at - 1].number for at in _lines_found(rows) if at}:
        found |= beside  # two lines that were harmless apart tell a secret when they stand together
        rows, quoted = _rows(log, found, lines)
    end = "\r\n" if content.count(b"\r\n") * 2 > content.count(b"\n") else "\n"
    summary = "".join(f"{row}{end}" for row in (rows[0], f"> {marker_line(log.path, marker)}", *rows[1:]))
    size = len(summary.encode("utf-8"))
    if size > min(SHORTER * len(content), len(content) - LEAST_SAVED_BYTES) or len(rows) >= lines:
        return Kept.SHORT
    return DailySummary(text=summary, quoted=tuple(line.number for line in quoted), held=len(found))


def _rows(log: DayLog, found: Collection[int], lines: int) -> tuple[list[str], Sequence[LogLine]]:
    """Give the title and the quotes of a summary, and the lines that are quoted."""
    held = "\n".join(line.text for line in log.lines if line.number in found)
    languages = log_languages(log)
    quoted = _choose(_candidates(log, found, languages), min(LINES, lines) - 2)
    topics = [_topic(line, held, languages) for line in quoted]
    title = _title(log, found)
    quotes = (
        f"> - {cut(_under(topic, before) + _plain(line.text), MOST_CHARACTERS)}"
        for line, topic, before in zip(quoted, topics, [title, *topics], strict=False)
    )
    return [f"# {title}", *quotes], quoted


def _lines_found(lines: Sequence[str]) -> set[int]:
    """Give the places, from 0, of the lines that hold any part of what a scanner finds, flagged or worse."""
    return {at for _, found in scan_lines(lines) for at in found}


def _candidates(log: DayLog, found: Collection[int], languages: tuple[str, ...]) -> Iterator[_Candidate]:
    chances = estimate_lines(log)
    for line in log.lines:
        if line.number in chances and line.number not in found and _is_quotable(line):
            worth = chances[line.number] + _bonus(line, languages)
            if worth >= LEAST_WORTH:
                yield worth, line, shingles(line.content)


def _is_quotable(line: LogLine) -> bool:
    """Say whether a line says something by itself: no introduction, no name alone, no field of an export, no odd bytes."""
    plain = _plain(line.text)
    is_name = plain.isascii() and " " not in plain
    introduces = plain.rstrip("*_ ").endswith((":", "\uff1a"))
    return plain.isprintable() and not (is_name or introduces or _EXPORTED.match(plain))


def _bonus(line: LogLine, languages: tuple[str, ...]) -> float:
    label, body = split_label(line.content)
    cues = find_cues(body, languages)
    bonus = NAMED_BONUS if _NAMED & find_cues(label, languages) else CUE_BONUS if _LASTING & cues else 0.0
    bonus += RESULT_BONUS if _RESULT & cues or tells_result(body, languages) else 0.0
    return bonus / 2 if line.marker == "|" else bonus


def _choose(candidates: Iterable[_Candidate], most: int) -> Sequence[LogLine]:
    """Take the worthiest lines, one after the other, each worth less for every one of its heading before it."""
    left, chosen = list(candidates), list[LogLine]()
    while left and len(chosen) < most:
        beside = Counter(line.headings for line in chosen)
        best = max(left, key=lambda one: (one[0] * SAME_HEADING ** beside[one[1].headings], -one[1].number))
        chosen.append(best[1])
        left = [one for one in left if one is not best and dice(one[2], best[2]) < REPEATED]
    return sorted(chosen, key=lambda line: line.number)


def _title(log: DayLog, found: Collection[int]) -> str:
    """Give the log's own title, with its day in front where it does not name it; else the day."""
    day = log.day.isoformat()
    for line in log.lines:
        if line.region is Region.BLANK:
            continue
        own = line.headings[-1] if line.region is Region.HEADING and line.text.startswith("# ") else ""
        if not own or line.number in found or not own.isprintable():
            return day
        dated = any(found_date.day == log.day for found_date in find_dates(own, near=log.day))
        return cut(own if dated else f"{day}: {own}", MOST_TOPIC)
    return day


def _topic(line: LogLine, held: str, languages: tuple[str, ...]) -> str:
    """Give what a line stands under, where that names a topic which the line does not name itself."""
    topic = topic_of(line, languages).rstrip("\uff1a")
    named = shingles(topic)
    is_said = 2 * len(named & shingles(line.content)) > len(named)
    return "" if topic in held or is_said or not topic.isprintable() else topic


def _under(topic: str, before: str) -> str:
    """Give a topic as it stands before a quoted line; not where what stands before the line names it."""
    return f"{cut(topic, MOST_TOPIC)}: " if topic not in before else ""


def _plain(text: str) -> str:
    """Give a line without its marker, its white space as single spaces."""
    return one_line(_MARKER.sub("", text, count=1))
