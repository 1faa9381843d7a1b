"""What is said to be over, and what stands where something went.

An entry is over where it says so of itself. Invariant: only a status with its label counts ("Status: Resolved"), and only
where every status of the entry closes it. Where the day cannot be told, or is none, it is said so and nothing is guessed.

Of what goes there are left an archived entry's block, and ten lines in place of a compressed daily log. Invariant: an
entry's lines are in its block as they were, byte for byte; every quoted line stands in the log, word for word but for its
cut end, and none of them holds what a scanner finds. All but the title is a block quote, so that nobody takes a summary for
what an agent wrote that day (``owner_words.py``: of a quotation only an owner's words are learned from). The line that links
to the full text is a pointer and proves nothing: whether a log is compressed the audit log says; whether the pointer is
right, the hash of what it points to.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import cache
from hashlib import sha256

from msgspec import Struct

from nightledger.domain.consolidation import DayLog, LogLine, Region
from nightledger.domain.kept import is_copy
from nightledger.domain.pruning import Closure, Kept
from nightledger.text.dates import find_dates
from nightledger.text.markdown.blocks import introduces
from nightledger.text.markdown.entries import Entry, EntryKind
from nightledger.text.patterns import grouped
from nightledger.text.scanners.scan import scan_lines
from nightledger.text.similar import dice, shingles
from nightledger.text.visible import cut, one_line

_PROSE = frozenset({EntryKind.ITEM, EntryKind.DECISION, EntryKind.PARAGRAPH})
"""A status in a table or in code is about a row or a program."""
_LAST_WORD = re.compile(r"[^\W_]+$")
_BEGINS_WITH_A_DATE = re.compile(r"[\s*_(]*\d{1,4}[-./]\d")
"""Of a label that gives the day of a report: "Stand: 03.01.2026"."""
_FIELD = re.compile(
    r"\s*(?:[-*+]|\d+[.)])\s+(?:\*\*|__)?[^\W\d_][^:\uff1a*`|.]{1,30}(?:\*\*|__)?\s*[:\uff1a]"
)
_AFTER = r"[*_~]{0,3}\s*[:=][*_~]{0,3}\s*"
_LABEL = rf"(?<![^\W_])(?P<label>{{labels}}){_AFTER}"
_OPENING = rf"\s*(?:(?:[-*+]|\d+[.)])\s+)?[*_]{{0,3}}{{labels}}{_AFTER}"
_DATED = rf"\s*(?:[-*+]\s+)?[*_]{{0,3}}{{date_labels}}{_AFTER}"
_REVISIT = rf"\s*(?:[-*+]\s+)?[*_]{{0,3}}{{revisit_labels}}{_AFTER}"
_CLOSED = r"{closed}(?![^\W_])"
_STILL_OPEN = r"(?<!\w){still_open}(?!\w)|{still_open_unspaced}"
_DRESS = " \t*_~`\"'([{<\u00ab\u201c\u2018\u300c\u3010\u25cf\u2022\ufe0f-"
_SIGN = re.compile("[\u2190-\u2bff\ufe0f\U0001f300-\U0001faff]")
_NEXT_FIELD = re.compile(r"\s[|\u2022\u00b7]\s")
_CHOICE = re.compile(r"\s*[|/]\s*\w|\s*\?")
"""Behind a status: another one to choose from ("resolved | open"), or a question."""
_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"[^\W\d_]{4,}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""What says something beside a status and its date; "on", "am", "le", "the" do not."""


class Status(Struct, frozen=True, kw_only=True):
    """An entry that says that it is over.

    Attributes:
        closure: In which way.
        since: Since which day; None where that cannot be told.
        kept: Why it stays nevertheless; None where nothing speaks for that.
    """

    closure: Closure
    since: date | None = None
    kept: Kept | None = None


def find_statuses(
    entries: Sequence[Entry], today: date, signed: Mapping[str, date]
) -> Iterator[tuple[Entry, Status]]:
    """Give the entries of a file that say that they are over, in order.

    Args:
        entries: All entries of the file.
        today: The date in the home's zone.
        signed: For the ids of entries whose words came through the gate, the day on which they did.
    """
    fielded = {entry.section for entry in entries if _is_field(entry)}
    for entry in entries:
        status = find_status(entry, today, signed=signed.get(entry.id))
        if (
            status
            and _begins_with_status(entry)
            and (entry.kind is EntryKind.PARAGRAPH or entry.section in fielded)
        ):
            status = Status(closure=status.closure, kept=Kept.OF_SECTION)
        if status:
            yield entry, status


def _is_field(entry: Entry) -> bool:
    """Say whether an entry is one of the fields by which a section tells about its subject: "- Owner: Mara"."""
    return entry.kind is EntryKind.ITEM and bool(_FIELD.match(entry.text)) and not _begins_with_status(entry)


def _begins_with_status(entry: Entry) -> bool:
    return bool(_pattern(_OPENING).match(unicodedata.normalize("NFKC", entry.text)))


def find_status(entry: Entry, today: date, *, signed: date | None = None) -> Status | None:
    """Tell whether an entry is over, taken by itself; None where it is not, or does not say so.

    The day is that of the status itself, else of the date field, else the newest in the entry, else
    of the nearest heading that has one; and never earlier than that on which the operator signed
    these very words.

    Args:
        entry: Of a gated file.
        today: The date in the home's zone.
        signed: The day on which its words came through the gate; None where they did not.
    """
    if entry.kind not in _PROSE:
        return None
    lines = [unicodedata.normalize("NFKC", line) for line in entry.text.splitlines()]
    told = list(_statuses(lines))
    if not told or any(closure is None for *_, closure, _ in told):
        return None
    closure = next(closure for *_, closure, _ in reversed(told) if closure)
    if _is_bare(lines, told):
        return Status(closure=closure, kept=Kept.OF_SECTION)
    if any(day > today for day in _days(_fields(lines, _pattern(_REVISIT)))):
        return Status(closure=closure, kept=Kept.REVISIT)
    found = _since([rest for *_, rest in told], lines, entry)
    since = max((day for day in (found, signed) if day), default=None)
    late = Kept.NO_DATE if since is None else Kept.FUTURE_DATE if since > today else None
    return Status(closure=closure, since=since, kept=late)


_Told = tuple[int, int, Closure | None, str]
"""The numbers of the lines, from 0, of a label and of its value, what that says (None: it is not over), and the text behind it."""


def _statuses(lines: list[str]) -> Iterator[_Told]:
    for n, line in enumerate(lines):
        for label in _pattern(_LABEL).finditer(line):
            last, value = n, line[label.end() :]
            if not value.strip(_DRESS) and n + 1 < len(lines):
                last, value = n + 1, lines[n + 1]
            if _is_own(line, label) and not _BEGINS_WITH_A_DATE.match(value):
                yield n, last, *_read(value)


def _is_own(line: str, label: re.Match[str]) -> bool:
    """Say whether a label is not the end of a longer one: "Build status" is about a build."""
    before = line[: label.start("label")]
    if before.count("`") % 2:  # it stands in code
        return False
    word = _LAST_WORD.search(before.rstrip())
    return word is None or (label["label"].isupper() and not word[0].isupper())


def _read(value: str) -> tuple[Closure | None, str]:
    """Give what a status says, and the text behind it."""
    plain = _SIGN.sub(" ", value).lstrip(_DRESS).casefold()
    found = _pattern(_CLOSED).match(plain)
    if found is None:
        return None, ""
    rest = plain[found.end() :]
    said = _NEXT_FIELD.split(rest, maxsplit=1)[0]
    taken_back = _CHOICE.match(rest) or _pattern(_STILL_OPEN).search(said)
    return (None if taken_back else _closures()[found[0]]), rest


def _is_bare(lines: list[str], told: list[_Told]) -> bool:
    """Say whether an entry is nothing but its status: then it speaks for its section."""
    own = {n for first, last, *_ in told for n in (first, last)} | set(_places(lines, _pattern(_DATED)))
    other = [line for n, line in enumerate(lines) if n not in own]
    before = [lines[n][: label.start()] for n, *_ in told if (label := _pattern(_LABEL).search(lines[n]))]
    behind = [_without_dates(rest) for *_, rest in told]
    return not (any(map(_LETTER.search, (*other, *before))) or any(map(_WORD.search, behind)))


def _without_dates(text: str) -> str:
    for found in reversed(find_dates(text)):
        text = text[: found.start] + text[found.end :]
    return text


def _since(rests: Iterable[str], lines: list[str], entry: Entry) -> date | None:
    """Give the day of an entry's end by the first place that has one; None where none has."""
    revisited = set(_places(lines, _pattern(_REVISIT)))
    text = [line for n, line in enumerate(lines) if n not in revisited]
    places = (
        list(rests),
        list(_fields(lines, _pattern(_DATED))),
        text,
        *([title] for title in reversed(entry.section)),
    )
    return next((max(days) for days in map(list, map(_days, places)) if days), None)


def _days(texts: Iterable[str]) -> Iterator[date]:
    return (found.day for text in texts for found in find_dates(text) if found.exact)


def _places(lines: list[str], label: re.Pattern[str]) -> Iterator[int]:
    return (n for n, line in enumerate(lines) if label.match(line))


def _fields(lines: list[str], label: re.Pattern[str]) -> Iterator[str]:
    return (line[match.end() :] for line in lines if (match := label.match(line)))


@cache
def _pattern(told: str) -> re.Pattern[str]:
    """Return a pattern in which a name in braces stands for any of the words of that name.

    The words that say that something is over, in a dozen languages, are ``config/words/closing-words.json``. A word of
    ``closed`` closes an item by itself (in NFKC, case-folded); what may as well describe something that goes on
    ("complete", "ready", "live") is left out. ``still_open`` takes back what a status began with: "Resolved, but ...".
    """
    words = dict(grouped("closing-words")["other"], closed=tuple(_closures()))
    for name, listed in words.items():
        forms = sorted(listed, key=lambda form: (-len(form), form))
        told = told.replace(f"{{{name}}}", f"(?:{'|'.join(map(re.escape, forms))})")
    return re.compile(told, re.IGNORECASE)


@cache
def _closures() -> dict[str, Closure]:
    return {
        form: Closure(name) for name, forms in grouped("closing-words")["closed"].items() for form in forms
    }


LINES = 10
"""Of a summary: its title, where the full text is, and up to eight lines of the log (published)."""
MOST_CHARACTERS = 160
"""Of a quoted line; what is cut off is marked by an ellipsis."""
MOST_TITLE = 80
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
SAME_HEADING = 0.6
"""What a line still counts for each line of its heading that is quoted already: a day has several topics."""
REPEATED = 0.7
"""Likeness (Dice) from which a line says what a quoted one says. These are our choice, read on logs."""

_Candidate = tuple[float, LogLine, frozenset[int]]
"""How much a line is worth, the line, and its fingerprint."""
_NAMED = frozenset({"decide", "lesson", "correct", "rule"})
_LASTING = _NAMED | {"cause", "ban", "retire"}
_MARKER = re.compile(r"^\s*(?:(?:[-*+•\u2013]|\d{1,3}[.)])\s+)?(?:\[[ xX~-]\]\s+)?")


def summarise_daily(log: DayLog, content: bytes, copy: str) -> str | Kept:
    """Give what stands in a log's place once its full text is in the archive, with the log's own line ends, or why it stays.

    Args:
        log: As it was read.
        content: Its bytes.
        copy: Where its full text is to be, relative to the home.
    """
    text = "\n".join(line.text for line in log.lines)
    if read_marker(text) is not None:  # whatever was written below it since
        return Kept.SUMMARY
    if (lines := count_lines(content)) <= LINES:
        return Kept.SHORT  # what was said in a line each cannot be told in fewer
    marker = Marker(copy=copy, lines=lines, sha256=sha256(content).hexdigest())
    found = {log.lines[at].number for at in _lines_found([line.text for line in log.lines])}
    rows, quoted = _rows(log, found)
    while beside := {quoted[at - 1].number for at in _lines_found(rows) if at}:
        found |= beside  # two lines that were harmless apart tell a secret when they stand together
        rows, quoted = _rows(log, found)
    end = "\r\n" if content.count(b"\r\n") * 2 > content.count(b"\n") else "\n"
    summary = "".join(f"{row}{end}" for row in (rows[0], f"> {marker_line(log.path, marker)}", *rows[1:]))
    size = len(summary.encode("utf-8"))
    if size > min(SHORTER * len(content), len(content) - LEAST_SAVED_BYTES):
        return Kept.SHORT
    return summary


def _rows(log: DayLog, found: Collection[int]) -> tuple[list[str], Sequence[LogLine]]:
    """Give the title and the quotes of a summary, and the lines that are quoted."""
    quoted = _choose(_candidates(log, found), LINES - 2)
    quotes = (f"> - {cut(_plain(line.text), MOST_CHARACTERS)}" for line in quoted)
    return [f"# {_title(log, found)}", *quotes], quoted


def _lines_found(lines: Sequence[str]) -> set[int]:
    """Give the places, from 0, of the lines that hold any part of what a scanner finds, flagged or worse."""
    return {at for _, found in scan_lines(lines) for at in found}


def _candidates(log: DayLog, found: Collection[int]) -> Iterator[_Candidate]:
    from nightledger.text.statements.estimate import (  # the words of many languages, for summaries alone
        estimate_lines,
        log_languages,
    )

    chances, languages = estimate_lines(log), log_languages(log)
    for line in log.lines:
        if line.number in chances and line.number not in found and _is_quotable(line):
            worth = chances[line.number] + _bonus(line, languages)
            if worth >= LEAST_WORTH:
                yield worth, line, shingles(line.content)


def _is_quotable(line: LogLine) -> bool:
    """Say whether a line says something by itself: no introduction, no name alone, no odd bytes."""
    plain = _plain(line.text)
    is_name = plain.isascii() and " " not in plain
    return plain.isprintable() and not (is_name or introduces(plain))


def _bonus(line: LogLine, languages: tuple[str, ...]) -> float:
    from nightledger.text.statements.cues import find_cues
    from nightledger.text.statements.estimate import split_label

    label, body = split_label(line.content)
    if _NAMED & find_cues(label, languages):
        return NAMED_BONUS
    return CUE_BONUS if _LASTING & find_cues(body, languages) else 0.0


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
        return cut(own if dated else f"{day}: {own}", MOST_TITLE)
    return day


def _plain(text: str) -> str:
    """Give a line without its marker, its white space as single spaces."""
    return one_line(_MARKER.sub("", text, count=1))


TOP = "The top of the file"
"""Stands for the section of an entry above all headings."""


def archive_block(
    text: str, *, section: Sequence[str], entry: str | None, target: str, day: date, reason: str
) -> str:
    """Give the block for ``memory/archive/YYYY.md``.

    Args:
        text: The entry's exact lines.
        section: Heading texts from the outermost to its section's own.
        entry: Its id; None for a run of whole sections or entries.
        target: The file in which it stood.
        day: When it goes.
        reason: Why, one line.
    """
    why = " ".join(reason.split())
    named = f", entry {entry}" if entry else ""
    body = text if text.endswith("\n") else f"{text}\n"
    return f"## {' > '.join(section) or TOP}\n\n{body}\nArchived {day} from {target}{named}: {why}\n"


def told_with(added: str, removed: str) -> str | None:
    """Give the line that a block adds to the lines taken out; None where it holds anything else.

    Args:
        added: The block, as signed.
        removed: The lines that the change takes out; blank ones around them do not count.
    """
    heading, _, rest = added.partition("\n\n")
    text, found, line = rest.rpartition("\n\n")
    same = found and text.strip("\r\n") == removed.strip("\r\n")
    plain = heading.startswith("## ") and "\n" not in heading and line.startswith("Archived ")
    return line.rstrip("\n") if same and plain and line.count("\n") == 1 else None


_FULL_TEXT = re.compile(
    r"Full text: \[(.(?:(?!\]\(<).)*+)\]\(<.+>\), (0|[1-9][0-9]{0,17}) lines?, SHA-256 ([0-9a-f]{64})\."
)


class Marker(Struct, frozen=True, kw_only=True):
    """What a summary says of its full text.

    Attributes:
        copy: Where it lies, relative to the home.
        lines: How many lines it has.
        sha256: Hex SHA-256 of its bytes.
    """

    copy: str
    lines: int
    sha256: str


def marker_line(log: str, marker: Marker) -> str:
    """Give the line, without its end; the link works from where the log lies.

    Args:
        log: The daily log, relative to the home.
        marker: What it points to.
    """
    noun = "line" if marker.lines == 1 else "lines"
    here, there = log.split("/")[:-1], marker.copy.split("/")
    shared = next(
        (at for at, names in enumerate(zip(here, there, strict=False)) if names[0] != names[1]), len(here)
    )
    link = "/".join([".."] * (len(here) - shared) + there[shared:])
    return f"Full text: [{marker.copy}](<{link}>), {marker.lines} {noun}, SHA-256 {marker.sha256}."


def read_marker(text: str) -> Marker | None:
    """Find the line in a summary; None where none, or more than one, stands there."""
    found = [
        match for line in text.split("\n") if (match := _FULL_TEXT.fullmatch(line.strip().removeprefix("> ")))
    ]
    if len(found) != 1 or not is_copy(found[0][1]):
        return None
    return Marker(copy=found[0][1], lines=int(found[0][2]), sha256=found[0][3])


def count_lines(content: bytes) -> int:
    """Give the number of lines of a file; an unfinished last one counts."""
    return content.count(b"\n") + (not content.endswith(b"\n") and bool(content))
