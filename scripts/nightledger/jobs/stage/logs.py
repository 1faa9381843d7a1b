"""Lines of files as candidates, which of them need not both be shown, and the newest daily logs.

Invariant: of a log the page names places, and quotes nothing.
"""

import re
from datetime import date

from nightledger.domain.exposure import tokens_of
from nightledger.domain.search import Chunk
from nightledger.domain.staging import Candidate, Source
from nightledger.files.home import Home
from nightledger.hosts.daylogs import LogFile, find_daylogs, read_daylogs
from nightledger.hosts.presets import preset
from nightledger.text.similar import NEAR, dice, is_negated, numbers, shingles
from nightledger.text.statements.daylog import ENVELOPE

SHORT_TOKENS = 15
"""Length below which a line that tells nothing later on says nothing at all: "done", "all fine"."""
REPORTED = 0.6
"""Likeness from which two lines of how work goes are one, whatever their numbers: "added 6 links" and "added 2"."""
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
    if one.source is other.source is Source.WORK:
        return report_alike(one.text, other.text)
    return dice(shingles(one.text), shingles(other.text)) >= NEAR and numbers(one.text) == numbers(other.text)


def report_alike(one: str, other: str) -> bool:
    """Tell whether two reports of how work goes say nearly the same, whatever their numbers."""
    return dice(shingles(bare(one)), shingles(bare(other))) >= REPORTED


MOST_OF_A_DAY = 8
"""Logs of the newest day that are looked up, some seven searches each. Our choice."""


def read_newest(home: Home, until: date) -> dict[LogFile, bytes]:
    """Return the files of the newest log day up to a day, the day's own and the last few by name, with their bytes."""
    logs = [log for log in find_daylogs(home, preset(home.identity.host).daily) if log.day <= until]
    last = max((log.day for log in logs), default=None)
    newest = sorted((log for log in logs if log.day == last), key=lambda log: (log.is_days, log))
    return dict(read_daylogs(home, newest[-MOST_OF_A_DAY:])[0])
