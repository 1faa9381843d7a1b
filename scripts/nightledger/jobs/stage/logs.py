"""What daily logs say that mattered, and which of their lines are worth a place: worked out once for each log.

A statement's importance is the estimate by which the nightly consolidation ranks it: the chance that
its owner is glad to find it months later (``text/statements``). Of some lines it is no measure: what an assistant
answered in an exported chat was said to whoever asked then, and a question tells nothing. What was worked out is kept in
``.nightledger/staged/``, by the hash of the log's bytes; without it a run is slower and says the same.

Invariant: what is kept decides order and choice only: of a log the page names places, and quotes nothing.
"""

import hashlib
import os
import re
from collections import defaultdict
from collections.abc import Mapping
from datetime import date
from typing import Annotated

import msgspec
from msgspec import Struct

from nightledger.domain.daylog import DayLog
from nightledger.domain.errors import UnreadableError
from nightledger.domain.exposure import tokens_of
from nightledger.domain.search import Chunk, says
from nightledger.domain.staging import Candidate, Source
from nightledger.files.atomic import replace_file
from nightledger.files.durable import make_dir
from nightledger.files.home import Home
from nightledger.files.reading import read_optional
from nightledger.hosts.daylogs import LogFile, find_daylogs, read_daylogs
from nightledger.hosts.presets import preset
from nightledger.text.similar import NEAR, dice, is_negated, numbers, shingles
from nightledger.text.statements.daylog import ENVELOPE, read_daylog
from nightledger.text.statements.estimate import estimate_lines
from nightledger.text.statements.statements import find_statements

SHORT_TOKENS = 15
"""Length below which a line that tells nothing later on says nothing at all: "done", "all fine"."""
REPORTED = 0.6
"""Likeness from which two lines of how work goes are one, whatever their numbers: "added 6 links" and "added 2"."""
_OF_WORK = frozenset({Source.WORK, Source.SHOWN})
_NUMBERS = re.compile(r"[\d\W_]+")
_EMPHASIS = re.compile(r"\*\*|(?<!\w)__(?=\S)|(?<=\S)__(?!\w)|`")
_MARK = re.compile(r"^(?:[-*+\u2022]\s+|\d{1,3}[.)]\s+)?(?:\[[ xX~-]\]\s+)?")
_APART = r"[^,;|/\u3001\u3002\uff0c\uff1b]*"
_REMOVED = re.compile(rf"{_APART}(?:\[secret removed\]|[\[<(]redacted[\])>]|\*{{4,}}){_APART}", re.IGNORECASE)
"""What stands in a secret's place, with its label: up to a comma, a bar or a slash on either side."""


def bare(line: str) -> str:
    """Return a line without numbers, signs and case: what habit repeats differs in them."""
    return _NUMBERS.sub(" ", line.casefold()).strip()


def is_short(text: str) -> bool:
    """Tell whether no line of a text, as :func:`plain` gives it, is long enough to say more than that all is done."""
    return max(tokens_of(bare(line)) for line in text.split(" / ")) < SHORT_TOKENS


def is_removed(text: str) -> bool:
    """Tell whether a text is a secret that was taken out, and little else."""
    left, count = _REMOVED.subn("", plain(text))
    return bool(count) and is_short(left)


def plain(text: str) -> str:
    """Return lines as one, without list marks, heading signs and emphasis: quoted, these would be noise."""
    pieces = [_EMPHASIS.sub("", line).strip().lstrip("#").strip() for line in text.split("\n")]
    told = [ENVELOPE.sub("", _MARK.sub("", piece)) for piece in pieces]
    return " / ".join(piece for piece in told if piece)


def place_of(path: str, lines: tuple[int, int]) -> str:
    """Return where lines stand: ``memory/2026-02-28.md:5-6``."""
    return f"{path}:{lines[0]}" if lines[0] == lines[1] else f"{path}:{lines[0]}-{lines[1]}"


def candidate_of(
    source: Source, chunk: Chunk, why: str, score: float, *, lines: tuple[int, int] = (0, 0), told: str = ""
) -> Candidate:
    """Return lines as a candidate: of an entry as it was signed, of a log by their place.

    Args:
        source: Why they were looked for.
        chunk: The lines.
        why: Why they are there.
        score: How much they matter among those of their source, 0..1.
        lines: Of the chunk the first and last that count; all of it where none are named.
        told: What these say.
    """
    return Candidate(
        source=source,
        text=plain(told or chunk.text),
        place=place_of(chunk.path, lines if told else (chunk.first_line, chunk.last_line)),
        why=why,
        score=round(score, 4),
        shown=(chunk.entry,) if chunk.entry else (),
        path=chunk.path,
        signed=bool(chunk.entry),
    )


def alike(one: Candidate, other: Candidate) -> bool:
    """Tell whether two candidates need not both be shown.

    Of lines of how work goes, the second of a kind tells little, and numbers make no difference;
    else numbers must be the same. A denial is never like what it denies, and each event is told.
    """
    if Source.EVENT in (one.source, other.source) or is_negated(one.text) != is_negated(other.text):
        return False
    if {one.source, other.source} <= _OF_WORK:
        return report_alike(one.text, other.text)
    return dice(shingles(one.text), shingles(other.text)) >= NEAR and numbers(one.text) == numbers(other.text)


def report_alike(one: str, other: str) -> bool:
    """Tell whether two reports of how work goes say nearly the same, whatever their numbers."""
    return dice(shingles(bare(one)), shingles(bare(other))) >= REPORTED


KEPT = "statements.json"
VERSION = 5
MAX_KEPT_BYTES = 16 << 20
MOST_OF_A_LOG = 20
"""Statements of one log whose place is kept; a stretch of weeks has room for two."""
MOST_OF_A_DAY = 8
"""Logs of the newest day that are looked up, some seven searches each. Our choice."""
LEAST = 0.3
"""Importance below which nothing is kept; rules that ask for less find this."""
TELLING = 0.1
"""Estimate from which a line tells something later on; below it are reports that all is done or well,
readings and forms. Of all lines that were judged one in ten is worth keeping (``config/words/statement-weights.json``)."""
HABIT_DAYS = 60
"""Days up to the newest log that tell what habit writes: an old habit writes nothing of what goes on."""
ROUTINE_DAYS = 3
"""A line that comes again on so many days, whatever its numbers, is written by habit: a timer, a form."""
_ASKS = ("?", "\uff1f", "\u061f")
_CLOSING = "*_ \"'`)]\u2019\u201d\u00bb\u300d"

Line = Annotated[int, msgspec.Meta(ge=1, le=MAX_KEPT_BYTES)]


class Worth(msgspec.Struct, frozen=True):
    """What a log says, by its lines.

    Attributes:
        said: First line, last line and importance of its statements, 0..1, rounded to 4 decimals.
        telling: Lines that tell something later on.
        answers: Lines of an assistant's turn in an exported chat: no part of what is staged.
    """

    said: tuple[tuple[Line, Line, float], ...] = ()
    telling: frozenset[Line] = frozenset()
    answers: frozenset[Line] = frozenset()


class Kept(msgspec.Struct):
    """``statements.json``: what logs say, by the hash of their path and bytes."""

    v: int
    logs: dict[str, Worth]


class Logs(Struct, frozen=True, kw_only=True):
    """The daily logs of a home, read.

    Attributes:
        contents: Their bytes.
        worth: By path, what they say.
        habit: Lines that stand in logs of many days, as :func:`bare` gives them: they tell of no day.
    """

    contents: Mapping[LogFile, bytes]
    worth: Mapping[str, Worth]
    habit: frozenset[str] = frozenset()

    def newest(self) -> dict[LogFile, bytes]:
        """Return the files of the newest log day, the day's own and the last few by name; none where there are no logs."""
        last = max((log.day for log in self.contents), default=None)
        found = sorted((log for log in self.contents if log.day == last), key=lambda log: (log.is_days, log))
        return {log: self.contents[log] for log in found[-MOST_OF_A_DAY:]}

    def importance(self, path: str, lines: tuple[int, int]) -> float:
        """Return the importance of the most important statement that some lines share a line with; 0 for none."""
        first, last = lines
        said = self.worth.get(path, Worth()).said
        return max((score for begins, ends, score in said if begins <= last and first <= ends), default=0.0)

    def tells(self, chunk: Chunk, lines: tuple[int, int]) -> bool:
        """Tell whether one of some lines tells something later on; an archive's are estimated by what was found of it."""
        worth, above = self._worth_of(chunk)
        return not worth.telling.isdisjoint(range(lines[0] - above, lines[1] - above + 1))

    def is_fit(self, chunk: Chunk, lines: tuple[int, int]) -> bool:
        """Tell whether a page may name some lines at all: none is an assistant's answer, and not all are written by habit."""
        worth, above = self._worth_of(chunk)
        asked = chunk.text.split("\n")[lines[0] - chunk.first_line : lines[1] - chunk.first_line + 1]
        return worth.answers.isdisjoint(range(lines[0] - above, lines[1] - above + 1)) and not all(
            bare(line) in self.habit for line in asked if says(line)
        )

    def _worth_of(self, chunk: Chunk) -> tuple[Worth, int]:
        """Return what lines are worth, and what the file's numbers are more than those."""
        if chunk.path in self.worth:
            return self.worth[chunk.path], 0
        read = read_daylog(chunk.path, f"# {chunk.heading}\n{chunk.text}", chunk.day or date.min)
        return worth_of(read), chunk.first_line - 2


def read_logs(home: Home, until: date, *, dry_run: bool = False) -> Logs:
    """Read the logs up to a day, that day included, and work out what they say.

    Args:
        home: Whose.
        until: The last day.
        dry_run: Keep nothing.
    """
    logs = [log for log in find_daylogs(home, preset(home.identity.host).daily) if log.day <= until]
    contents, _ = read_daylogs(home, logs)
    known = _read_kept(home)
    found: dict[str, Worth] = {}
    worth: dict[str, Worth] = {}
    for log, content in contents.items():
        key = hashlib.sha256(f"{log.path}\n".encode("utf-8", "surrogateescape") + content).hexdigest()
        if key not in known:
            known[key] = worth_of(read_daylog(log.path, content.decode("utf-8", "replace"), log.day))
        found[key] = worth[log.path] = known[key]
    if not dry_run:
        _keep(home, found)
    return Logs(contents=contents, worth=worth, habit=_habit(contents))


def worth_of(log: DayLog) -> Worth:
    """Work out what a log says."""
    chances = estimate_lines(log)
    answers = frozenset(line.number for line in log.lines if line.turn == "assistant")
    telling = frozenset(
        line.number
        for line in log.lines
        if chances.get(line.number, 0.0) >= TELLING and not line.content.rstrip(_CLOSING).endswith(_ASKS)
    )
    found = find_statements(log, estimates=chances).statements
    said = [
        (*one.lines, one.score)
        for one in found
        if one.score >= LEAST and answers.isdisjoint(range(one.lines[0], one.lines[1] + 1))
    ]
    return Worth(said=tuple(said[:MOST_OF_A_LOG]), telling=telling - answers, answers=answers)


def _habit(contents: Mapping[LogFile, bytes]) -> frozenset[str]:
    last = max((log.day for log in contents), default=date.min)
    days: defaultdict[str, set[date]] = defaultdict(set)
    for log, content in contents.items():
        if (last - log.day).days <= HABIT_DAYS:
            for line in set(map(bare, content.decode("utf-8", "replace").split("\n"))):
                days[line].add(log.day)
    return frozenset(line for line, on in days.items() if len(on) >= ROUTINE_DAYS)


def _path(home: Home) -> str:
    return os.path.join(home.staged_dir, KEPT)


def _read_kept(home: Home) -> dict[str, Worth]:
    """Return what was worked out before; where that cannot be read, it is worked out again."""
    try:
        kept = msgspec.json.decode(
            read_optional(_path(home), MAX_KEPT_BYTES, within=home.root) or b"", type=Kept
        )
    except (UnreadableError, ValueError, RecursionError):
        return {}
    return kept.logs if kept.v == VERSION else {}


def _keep(home: Home, found: dict[str, Worth]) -> None:
    content = msgspec.json.encode(Kept(v=VERSION, logs=found), order="deterministic") + b"\n"
    try:
        if read_optional(_path(home), MAX_KEPT_BYTES, within=home.root) == content:
            return
    except UnreadableError:
        pass
    make_dir(home.staged_dir)
    replace_file(_path(home), content, disposable=True)
