"""What daily logs say that mattered: which statements, worked out once for each log.

A statement's importance is the estimate by which the nightly consolidation ranks it: the chance that
its owner is glad to find it months later (``text/statements``). Lines and estimates are kept in
``.nightledger/staged/``, by the hash of the log's bytes; without them a run is slower and says the same.

Invariant: what is kept decides order and choice only: of a log the page names places, and quotes nothing.
"""

import hashlib
import json
import math
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from nightledger.codec.canonical import canonical
from nightledger.domain.daylog import DayLog
from nightledger.domain.errors import UnreadableError
from nightledger.domain.search.values import Chunk
from nightledger.files.atomic import replace_file
from nightledger.files.durable import make_dir
from nightledger.files.home import Home
from nightledger.files.reading import read_optional
from nightledger.hosts.daylogs import LogFile, find_daylogs, read_daylogs
from nightledger.hosts.presets import preset
from nightledger.jobs.stage.worth import Worth, worth_of
from nightledger.text.statements.daylog import read_daylog
from nightledger.text.statements.estimate import estimate_lines
from nightledger.text.statements.statements import find_statements

KEPT = "statements.json"
VERSION = 4
MAX_KEPT_BYTES = 16 << 20
MOST_OF_A_LOG = 20
"""Statements of one log whose place is kept; a stretch of weeks has room for two."""
MOST_OF_A_DAY = 8
"""Logs of the newest day that are looked up, some seven searches each. Our choice."""
LEAST = 0.3
"""Importance below which nothing is kept; rules that ask for less find this."""

HABIT_DAYS = 60
"""Days up to the newest log that tell what habit writes: an old habit writes nothing of what goes on."""
ROUTINE_DAYS = 3
"""A line that comes again on so many days, whatever its numbers, is written by habit: a timer, a form."""
COMMON = 0.25
"""Share of these days from which a word is common: it names no work of its own."""
_NUMBERS = re.compile(r"[\d\W_]+")
_PARTS = ("telling", "answers")

Row = tuple[int, int, float]
"""First line, last line, importance."""
Worked = tuple[Sequence[Row], Worth]
"""What was worked out of a log: its statements, and what its lines are worth."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """Where a daily log says something that mattered.

    Attributes:
        log: The log.
        lines: First and last line, from 1.
        importance: 0..1, rounded to 4 decimals.
    """

    log: LogFile
    lines: tuple[int, int]
    importance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Logs:
    """The daily logs of a home, read.

    Attributes:
        said: What they say that mattered.
        contents: Their bytes.
        worth: By path, what their lines are worth.
    """

    said: tuple[Said, ...]
    contents: Mapping[LogFile, bytes]
    worth: Mapping[str, Worth]

    def newest(self) -> dict[LogFile, bytes]:
        """Return the files of the newest log day, the day's own and the last few by name; none where there are no logs."""
        last = max((log.day for log in self.contents), default=None)
        found = sorted((log for log in self.contents if log.day == last), key=lambda log: (log.is_days, log))
        return {log: self.contents[log] for log in found[-MOST_OF_A_DAY:]}

    def routine(self) -> frozenset[str]:
        """Give the lines that stand in logs of many days, as :func:`bare` gives them: they tell of no day."""
        days = self._days_of(lambda text: map(bare, text.split("\n")))
        return frozenset(line for line, on in days.items() if len(on) >= ROUTINE_DAYS)

    def common(self) -> frozenset[str]:
        """Give the words that stand in logs of so many days that they tell no work from another, lower case."""
        days = self._days_of(lambda text: bare(text).split())
        count = len({log.day for log, _ in self._lately()})
        most = max(ROUTINE_DAYS - 1, COMMON * count)
        return frozenset(word for word, on in days.items() if len(on) > most)

    def _lately(self) -> list[tuple[LogFile, bytes]]:
        last = max((log.day for log in self.contents), default=date.min)
        return [one for one in self.contents.items() if (last - one[0].day).days <= HABIT_DAYS]

    def _days_of(self, cut: Callable[[str], Iterable[str]]) -> Mapping[str, set[date]]:
        """Give on which days each piece of a log stands, of the last weeks."""
        days: defaultdict[str, set[date]] = defaultdict(set)
        for log, content in self._lately():
            for piece in set(cut(content.decode("utf-8", "replace"))):
                days[piece].add(log.day)
        return days

    def importance(self, path: str, lines: tuple[int, int]) -> float:
        """Give the importance of the most important statement that some lines share a line with; 0 for none."""
        first, last = lines
        return max(
            (
                one.importance
                for one in self.said
                if one.log.path == path and one.lines[0] <= last and first <= one.lines[1]
            ),
            default=0.0,
        )

    def tells(self, chunk: Chunk, lines: tuple[int, int]) -> bool:
        """Tell whether one of some lines tells something later on; an archive's are estimated by what was found of it."""
        worth, above = self._worth_of(chunk)
        return not worth.telling.isdisjoint(range(lines[0] - above, lines[1] - above + 1))

    def is_fit(self, chunk: Chunk, lines: tuple[int, int]) -> bool:
        """Tell whether a page may name some lines at all: none is an assistant's answer."""
        worth, above = self._worth_of(chunk)
        return worth.answers.isdisjoint(range(lines[0] - above, lines[1] - above + 1))

    def _worth_of(self, chunk: Chunk) -> tuple[Worth, int]:
        """Give what lines are worth, and what the file's numbers are more than those."""
        worth = self.worth.get(chunk.path)
        if worth is not None:
            return worth, 0
        read = read_daylog(chunk.path, f"# {chunk.heading}\n{chunk.text}", chunk.day or date.min)
        return worth_of(read, estimate_lines(read)), chunk.first_line - 2


def read_logs(home: Home, until: date, *, dry_run: bool = False) -> Logs:
    """Read the logs up to a day, that day included, and give what they say that mattered.

    Args:
        home: Whose.
        until: The last day.
        dry_run: Keep nothing.
    """
    logs = [log for log in find_daylogs(home, preset(home.identity.host).daily) if log.day <= until]
    contents, _ = read_daylogs(home, logs)
    known = _read_kept(home)
    found: dict[str, Worked] = {}
    said: list[Said] = []
    worth: dict[str, Worth] = {}
    for log, content in contents.items():
        key = hashlib.sha256(f"{log.path}\n".encode("utf-8", "surrogateescape") + content).hexdigest()
        found[key] = known[key] if key in known else _work_out(log, content)
        rows, worth[log.path] = found[key]
        said += [Said(log=log, lines=(first, last), importance=score) for first, last, score in rows]
    if found.keys() != known.keys() and not dry_run:
        _keep(home, found)
    return Logs(said=tuple(said), contents=contents, worth=worth)


def bare(line: str) -> str:
    """Give a line without numbers, signs and case: what habit repeats differs in them."""
    return _NUMBERS.sub(" ", line.casefold()).strip()


def _read(log: LogFile, content: bytes) -> DayLog:
    return read_daylog(log.path, content.decode("utf-8", "replace"), log.day)


def _work_out(log: LogFile, content: bytes) -> Worked:
    read = _read(log, content)
    chances = estimate_lines(read)
    worth = worth_of(read, chances)
    found = find_statements(read, estimates=chances).statements
    best = [
        one
        for one in found
        if one.score >= LEAST and worth.answers.isdisjoint(range(one.lines[0], one.lines[1] + 1))
    ][:MOST_OF_A_LOG]
    return [(*one.lines, one.score) for one in best], worth


def _path(home: Home) -> str:
    return os.path.join(home.staged_dir, KEPT)


def _read_kept(home: Home) -> dict[str, Worked]:
    """Give what was worked out before; what is no such row is worked out again."""
    try:
        raw = read_optional(_path(home), MAX_KEPT_BYTES, within=home.root)
        kept = json.loads(raw or b"{}")
        rows = kept["logs"].items() if kept.get("v") == VERSION else ()
        return {
            key: (
                [(_line(a), _line(b), _finite(c)) for a, b, c in said],
                Worth(**{n: frozenset(map(_line, v)) for n, v in worth.items()}),
            )
            for key, (said, worth) in rows
        }
    except (UnreadableError, ValueError, TypeError, AttributeError, KeyError, OverflowError, RecursionError):
        return {}


def _line(value: float) -> int:
    if not 0 < int(value) <= MAX_KEPT_BYTES:
        raise ValueError(f"{value} is no line")
    return int(value)


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError(f"{value} is no importance")
    return float(value)


def _keep(home: Home, found: Mapping[str, Worked]) -> None:
    make_dir(home.staged_dir)
    kept = {
        key: [said, {name: sorted(getattr(worth, name)) for name in _PARTS}]
        for key, (said, worth) in found.items()
    }
    replace_file(_path(home), canonical({"v": VERSION, "logs": kept}, floats=True) + b"\n", disposable=True)
