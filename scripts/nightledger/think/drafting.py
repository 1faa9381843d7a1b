"""Ask a model what of a day's notes belongs into memory, part by part: the notes with the number of each line that it may quote.

Invariant: nothing that the scanners hold back, no secret, and no line that is not prose, heading or quotation is ever shown.
An operation counts only where every note that it rests on was wholly judged; the rest is left to the rules.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.consolidation import AnalystRun, DayLog, LogLine, Region
from nightledger.domain.finding import Severity
from nightledger.text.markdown.document import Document
from nightledger.text.markdown.entries import Entry, find_entries
from nightledger.text.scanners.scan import scan_lines, scan_secrets
from nightledger.text.statements.estimate import estimate_lines, log_languages
from nightledger.text.statements.statements import rules_in
from nightledger.think.analyst import Analyst, Form, Interview, is_secret
from nightledger.think.contract import ENTRY_CHARACTERS, Answer, Chosen, View, is_part, judge

PART_CHARACTERS = 24_000
"""Of notes in one question: about 8,000 tokens, which small models still read whole."""
_ITEM = re.compile(r"(?:^|\s)[-*+]\s+")
Told = TypeVar("Told")


def may_be_shown(document: Document) -> Callable[[int, int], bool]:
    """Return what tells whether no scanner holds back a line of a span of the memory file, from its first to its last."""
    found = scan_lines([*document.lines])
    held = {at + 1 for finding, places in found if finding.severity is not Severity.FLAG for at in places}
    return lambda first, last: held.isdisjoint(range(first, last + 1))


def show_memory(view: View) -> str:
    """Return sections and entries with their numbers, one line each."""
    rows = [f"{name}: {' > '.join(path)}" for name, path in view.sections.items()]
    rows += [f"{name}: {short(entry)}" for name, entry in view.entries.items()]
    return "\n".join(rows) or "(empty)"


def short(entry: Entry) -> str:
    """Return an entry in one line, cut where long."""
    return shorten(entry.text, ENTRY_CHARACTERS)


def shorten(text: str, most: int) -> str:
    """Return a text on one line, cut where it is longer than it may be."""
    plain = " ".join(text.split())
    return plain if len(plain) <= most else f"{plain[:most]} ..."


def suffixes(path: str) -> str:
    """Return a name of a file, and on lines of their own its ends behind each sign: a token need not begin it."""
    return "\n\n".join(path[sign.end() :] for sign in re.finditer(r"^|[-_./ ]", path))


def tells_secret(above: Iterable[str], text: str) -> bool:
    """Tell whether a text is a secret by what stands above it: ``Password`` as a heading, ``token:`` as an item."""
    plain = _ITEM.sub(" ", text).strip()
    read = (plain, *(f"{title.rstrip(' :*_')}: {plain}" for title in above if title))
    return any(map(is_secret, scan_secrets("\n\n".join(read))))


def cut_parts(logs: Mapping[str, DayLog]) -> Iterator[tuple[str, dict[str, frozenset[int]]]]:
    """Yield the notes in parts, none of which holds more than it may but for one section that is larger alone.

    Each with the numbers of the lines in it, by log.
    """
    groups = (
        ((f"{name} = {log.path}", *_rows(section, log)), (name, section))
        for name, log in logs.items()
        for section in _sections(log)
    )
    for notes, sections in in_parts(groups):
        shown: dict[str, set[int]] = {}
        for name, section in sections:
            log = logs[name]
            shown.setdefault(name, set()).update(line.number for line in section if _may_be_quoted(line, log))
        yield notes, {name: frozenset(numbers) for name, numbers in shown.items()}


def in_parts(groups: Iterable[tuple[Sequence[str], Told]]) -> Iterator[tuple[str, list[Told]]]:
    """Yield the text of groups of rows, as many at a time as one question may hold, and what each group is of."""
    rows: list[str] = []
    told: list[Told] = []
    size = 0
    for group, of in groups:
        larger = sum(map(len, group))
        if rows and size + larger > PART_CHARACTERS:
            yield _joined(rows), told
            rows, told, size = [], [], 0
        rows += group
        told.append(of)
        size += larger
    if rows:
        yield _joined(rows), told


def _joined(rows: Sequence[str]) -> str:
    return "\n".join(row for at, row in enumerate(rows) if at == 0 or row != rows[at - 1])


def _sections(log: DayLog) -> Iterator[list[LogLine]]:
    """Yield the lines that may be shown, by heading; a long section in pieces."""
    held = rules_in((line for line in log.lines if line.text.strip()), secrets=True)
    secret = {
        line.headings[-1]
        for line in log.lines
        if line.number in held and line.region is Region.HEADING and line.headings
    }
    section: list[LogLine] = []
    size = 0
    for line in log.lines:
        if line.number in held or not _is_shown(line) or not secret.isdisjoint(line.headings):
            continue
        if line.region is Region.PROSE and _is_told(line, log):
            continue
        if section and (line.region is Region.HEADING or size > PART_CHARACTERS):
            yield section
            section, size = [], 0
        section.append(line)
        size += len(line.content)
    if any(line.region is not Region.HEADING for line in section):
        yield section


def _is_told(line: LogLine, log: DayLog) -> bool:
    """Tell whether a line is a secret by its heading or lead, or goes on with one that the line before begins."""
    if tells_secret((*line.headings[-1:], line.lead), line.content):
        return True
    before = log.lines[line.number - 2].text.rstrip() if line.number > 1 and not line.marker else ""
    return bool(before) and any(map(is_secret, scan_secrets(f"{before}{line.content}")))


def _is_shown(line: LogLine) -> bool:
    return line.region in (Region.PROSE, Region.HEADING) and bool(line.content)


def _may_be_quoted(line: LogLine, log: DayLog) -> bool:
    return line.region is not Region.HEADING and not is_part(line, log)


def _rows(section: Sequence[LogLine], log: DayLog) -> Iterator[str]:
    for line in section:
        if line.region is Region.HEADING:
            yield f"# {' > '.join(line.headings)}"
        else:
            speaker = f"{line.turn}: " if line.turn else ""
            number = line.number if _may_be_quoted(line, log) else ""
            yield f"{number}| {' ' * line.indent}{speaker}{line.content}"


OPERATIONS = 8
"""A question may be answered with so many operations at most; a night proposes five of all."""
LEAST = 0.7
"""A night's first proposal must be this sure, ..."""
STEP = 0.1
"""... and each further one by this share of what is missing to certainty more: an owner's attention is spent. On ten days of a workspace a
model named 20 lines; below .65 its owner would have refused most, above it few."""
FORM = Form(kind=Answer, schema="analyst-draft", most_tokens=2_000)


class Drafted(Struct, frozen=True, kw_only=True):
    """What came of asking.

    Attributes:
        chosen: The operations that hold, the surest first.
        answered: Paths of the notes that were judged; the rest is left to the rules.
        run: What the night's record tells.
    """

    chosen: tuple[Chosen, ...]
    answered: frozenset[str]
    run: AnalystRun


def draft(analyst: Analyst, logs: Sequence[DayLog], document: Document, day: date) -> Drafted:
    """Ask about notes, part by part, and give the operations that hold.

    Args:
        analyst: Who is asked.
        logs: The notes.
        document: The memory they are read against.
        day: The night's log day.
    """
    view = _view(logs, document)
    interview = Interview(analyst)
    chosen: list[Chosen] = []
    missed: set[str] = {log.path for log in logs} - {log.path for log in view.logs.values()}
    told = {"day": day.isoformat(), "limit": str(OPERATIONS)}
    told["memory"] = show_memory(view)
    for notes, lines in cut_parts(view.logs):
        answer = interview.ask({**told, "notes": notes}, FORM)
        if answer is None:
            missed |= {view.logs[name].path for name in lines}
            continue
        shown = {**dict.fromkeys(view.logs, frozenset[int]()), **lines}
        seen = replace(view, shown=shown)
        chosen += interview.judge(answer.operations[:OPERATIONS], partial(judge, view=seen))
    chosen = [one for one in chosen if not missed.intersection(log.path for log, _ in one.quoted)]
    chosen.sort(key=lambda one: (-one.statement.score, one.statement.path, one.statement.lines))
    answered = frozenset(log.path for log in logs) - missed
    return Drafted(chosen=tuple(chosen), answered=answered, run=interview.finish())


def required(taken: int) -> float:
    """Give how sure a model must be of the next proposal of a night after ``taken`` others, 0..1."""
    return LEAST + (1 - LEAST) * min(1.0, STEP * taken)


def _view(logs: Sequence[DayLog], document: Document) -> View:
    clean = may_be_shown(document)
    unclean = {section.path for section in document.sections[1:] if not clean(*section.heading)}
    titles = (section.path for section in document.sections[1:])
    sections = (path for path in titles if unclean.isdisjoint(path[: n + 1] for n in range(len(path))))
    entries = (
        entry
        for entry in find_entries(document)
        if clean(entry.first_line, entry.last_line) and not tells_secret(entry.section[-1:], short(entry))
    )
    named = [log for log in logs if not scan_secrets(suffixes(log.path))]
    return View(
        logs={f"d{n}": log for n, log in enumerate(named, 1)},
        shown={},
        entries={f"m{n}": entry for n, entry in enumerate(entries, 1)},
        sections={f"s{n}": path for n, path in enumerate(sections, 1)},
        languages=tuple(sorted({language for log in logs for language in log_languages(log)})),
        estimates={log.path: estimate_lines(log) for log in named},
    )
