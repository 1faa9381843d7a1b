"""What a model may bring: operations on lines and entries that it was shown; and the wording, which is ours.

Invariant: the words of a result are whole sentences of the named lines, below a heading, lead or label that all of them
stand under, as that is written. So no number, name, date or path comes from a model, and nothing is cut out of a sentence that
limits it. A line whose headings, parents, box or marks make it doubtful, or that is a part of a wrapped paragraph, is left
to the rules. What the next line takes back cannot be seen here; the reason names the headings, so that the owner does.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.daylog import DayLog, LogLine, Region, Statement
from nightledger.domain.errors import NightledgerError
from nightledger.text.markdown.entries import Entry, EntryKind
from nightledger.text.patterns import pattern, words
from nightledger.text.similar import fold
from nightledger.text.statements.block import takes_back
from nightledger.text.statements.cues import find_cues, words_of
from nightledger.text.statements.estimate import split_label
from nightledger.text.statements.statements import statement_of
from nightledger.text.statements.wording import plain_line, sentences_of, topic_of

MOST_QUOTES = 5
"""As many lines as an operator reads as one change."""
LEAST_SHARED, LEAST_SHARE = 2, 1 / 3
"""An entry is only changed for what shares so many of its words, and this part of them."""
MOST_CHARACTERS = 4_096
"""Of a line: a longer one is no claim."""
_SPACE = re.compile(r"\s+")
_OPEN_BOX = re.compile(r"^\s*(?:[-*+]\s+|\d{1,3}[.)]\s+)?\[[ ~-]\]")
_STRUCK = re.compile("^\\W*[\u274c\U0001f6ab\u26d4\u2717\u2718]|~~")


class Does(StrEnum):
    """What an operation does."""

    ADD = "add"
    MERGE = "merge"
    SUPERSEDE = "supersede"
    RETIRE = "retire"


class Quote(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Words of one line.

    Attributes:
        log: The log, as the prompt numbers it: ``d1``.
        line: Its line, from 1.
        text: What stands there, word for word; runs of white space count as one blank.
    """

    log: str
    line: int
    text: str


class Operation(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One operation, as a model answers it; ``schemas/analyst-draft.schema.json``.

    Attributes:
        op: What it does.
        quotes: What it rests on, and what is written; 1 to 5.
        entry: The entry of memory that it changes, as the prompt numbers it: ``m3``; empty for an addition.
        section: Where an addition belongs: ``s2``; empty leaves that to the rules.
        subject: A heading, lead or label that all quotes stand under, where they do not say what they are about; else empty.
        dated: Whether the day belongs to what is said.
        confidence: How sure it is that the owner would sign it, 0..1.
    """

    op: Does
    quotes: tuple[Quote, ...]
    entry: str = ""
    section: str = ""
    subject: str = ""
    dated: bool = False
    confidence: float = 0.0


class Answer(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All that a model may say of a day."""

    operations: tuple[Operation, ...]


class RefusedOperationError(NightledgerError):
    """An operation does not keep the contract; what it names goes unproposed, and that is counted."""

    hint = "the model chose what does not stand there; nothing is to be done"


class View(Struct, frozen=True, kw_only=True):
    """What a model was shown.

    Attributes:
        logs: Daily logs by their number in the prompt: ``d1``.
        shown: The lines of each that it saw.
        entries: Entries of memory by theirs: ``m1``.
        sections: Headings of memory by theirs: ``s1``.
        languages: The languages of the logs beside English.
    """

    logs: Mapping[str, DayLog]
    shown: Mapping[str, frozenset[int]]
    entries: Mapping[str, Entry]
    sections: Mapping[str, tuple[str, ...]]
    languages: tuple[str, ...] = ()


class Chosen(Struct, frozen=True, kw_only=True):
    """An operation that holds, worded by us.

    Attributes:
        op: What it does.
        statement: Its words and where they stand; of a removal what speaks for it.
        claims: What it says, line by line, without a day: to be held against what is known or forgotten.
        quoted: The lines it rests on: log and number.
        entry: The entry that it changes; None for an addition.
        section: Where an addition belongs; empty leaves that to the rules.
    """

    op: Does
    statement: Statement
    claims: tuple[str, ...]
    quoted: tuple[tuple[DayLog, int], ...]
    entry: Entry | None
    section: tuple[str, ...] = ()


def judge(operation: Operation, view: View) -> Chosen:
    """Give what an operation comes to.

    Raises:
        RefusedOperationError: It does not keep the contract; the message says where.
    """
    _require(1 <= len(operation.quotes) <= MOST_QUOTES, f"it has {len(operation.quotes)} quotes")
    _require(0 <= operation.confidence <= 1, f"a confidence of {operation.confidence:g}")
    _require(not operation.section or operation.section in view.sections, "there is no such section")
    lines = [_find(quote, view) for quote in operation.quotes]
    worded = ((plain_line(line), min(line.day, log.day)) for log, line in lines)
    said = {fold(text): (text, day) for text, day in worded}
    claims = tuple(text for text, _ in said.values())
    entry = _entry(operation, view, claims)
    subject = _subject(operation.subject, lines, view.languages)
    text = _worded(subject, claims)
    dated = [f"{text.rstrip('.')} ({day})" for text, day in said.values()]
    shown = _worded(subject, dated) if operation.dated else text
    log, top = lines[0]
    members = sorted((line for other, line in lines if other.path == log.path), key=lambda line: line.number)
    statement = statement_of(log, top, members, operation.confidence, view.languages)
    _require(
        operation.op is not Does.SUPERSEDE or "\n" not in shown, "it puts several lines in the place of one"
    )
    return Chosen(
        op=operation.op,
        statement=replace(statement, text=shown, key=fold(text)),
        claims=(*claims, text.partition("\n")[0]),
        quoted=tuple({(log.path, line.number): (log, line.number) for log, line in lines}.values()),
        entry=entry,
        section=view.sections.get(operation.section, ()),
    )


def _require(holds: bool, problem: str) -> None:  # noqa: FBT001 - a condition
    if not holds:
        raise RefusedOperationError(problem)


def _plain(text: str) -> str:
    return _SPACE.sub(" ", text).strip()


def _find(quote: Quote, view: View) -> tuple[DayLog, LogLine]:
    """Give the log, and the line with nothing but the quoted sentences as its content."""
    log = view.logs.get(quote.log)
    if log is None or quote.line not in view.shown[quote.log]:
        raise RefusedOperationError("a line that was not shown")
    line = log.lines[quote.line - 1]
    place = f"{log.path}:{quote.line}"
    said = _plain(quote.text)
    sentences = (
        [_plain(one) for one in sentences_of(line.content)] if len(line.content) <= MOST_CHARACTERS else []
    )
    runs = ((n, m) for n in range(len(sentences)) for m in range(n + 1, len(sentences) + 1))
    found = next((run for run in runs if " ".join(sentences[slice(*run)]) == said), None)
    if found is None or not fold(said):
        raise RefusedOperationError(f"the quote is no whole sentence of {place}")
    _require(said[-1] not in ":\uff1a", f"the quote of {place} only introduces others")
    first, last = found
    beside = (*sentences[max(0, first - 1) : first], *sentences[last : last + 1])
    _require(not any(map(takes_back, beside)), f"what stands beside the quote of {place} limits it")
    _require(not _is_doubtful(line, log), f"{place} stands under what limits it, or is no whole claim")
    return log, replace(line, content=said)


def _is_doubtful(line: LogLine, log: DayLog) -> bool:
    """Whether something around a line may make another claim of it than its words say."""
    if (
        line.marker == "|"
        or line.turn == "assistant"
        or _OPEN_BOX.match(line.text)
        or _STRUCK.search(line.content)
    ):
        return True
    above = [*line.headings, line.lead, *_parents(line, log)]
    doubts = (pattern("claim-words", name) for name in ("limit", "doubtful"))
    return any(doubt.search(text) for doubt in doubts for text in above) or _is_wrapped(line, log)


def _parents(line: LogLine, log: DayLog) -> Iterator[str]:
    indent = line.indent
    for one in reversed(log.lines[: line.number - 1]):
        if one.region is Region.HEADING or indent == 0:
            return
        if one.region is Region.PROSE and one.indent < indent:
            indent = one.indent
            yield one.content


def _is_wrapped(line: LogLine, log: DayLog) -> bool:
    """Whether a paragraph or item goes on over lines: its sentences may, too."""
    after = log.lines[line.number : line.number + 1]
    before = log.lines[line.number - 2 : line.number - 1] if line.number > 1 else ()
    goes_on = any(one.region is Region.PROSE and not one.marker and not one.turn for one in after)
    began = not line.marker and not line.turn and any(one.region is Region.PROSE for one in before)
    return goes_on or began


def _entry(operation: Operation, view: View, claims: Iterable[str]) -> Entry | None:
    if operation.op is Does.ADD:
        _require(not operation.entry, "an addition names an entry")
        return None
    entry = view.entries.get(operation.entry)
    if entry is None:
        raise RefusedOperationError("there is no such entry")
    kinds = {EntryKind.ITEM} if operation.op is Does.MERGE else {EntryKind.ITEM, EntryKind.PARAGRAPH}
    one_line = entry.first_line == entry.last_line and "\t" not in entry.text
    _require(one_line and entry.kind in kinds, f"{operation.entry} is no entry that can be changed so")
    told = " ".join((*claims, operation.subject))
    wanted = _content_words(entry.text)
    shared = len(wanted & _content_words(told))
    of_it = shared >= max(LEAST_SHARED, LEAST_SHARE * len(wanted))
    _require(of_it, f"it speaks of something else than {operation.entry}")
    ends = operation.op is not Does.RETIRE or "retire" in find_cues(told, view.languages)
    _require(ends, f"nothing in it says that {operation.entry} is over")
    return entry


def _content_words(text: str) -> frozenset[str]:
    return words_of(text) - {*words("claim-words")["small"], *words("stop-words")["english"]}


def _subject(subject: str, lines: Sequence[tuple[DayLog, LogLine]], languages: tuple[str, ...]) -> str:
    """Give the heading, lead or label that is meant, as it stands above all quotes; of any other words, what the rules would."""
    if not subject.strip():
        return ""
    above = [{fold(title): title for title in map(_title, _names(log, line))} for log, line in lines]
    for title in (_title(subject), topic_of(lines[0][1], languages)):
        if fold(title) and all(fold(title) in names for names in above):
            return above[0][fold(title)]
    return ""


def _names(log: DayLog, line: LogLine) -> tuple[str, ...]:
    return (*line.headings, line.lead, split_label(log.lines[line.number - 1].content)[0])


def _title(text: str) -> str:
    return _plain(text.replace("**", "").replace("__", "")).strip(" :\uff1a*_#-\u2013\u2014")


def _worded(subject: str, said: Sequence[str]) -> str:
    """Give the entry's text without its marker, children indented by two."""
    if len(said) == 1:
        says_it = not subject or fold(said[0]).startswith(fold(subject))
        return said[0] if says_it else f"{subject}: {said[0]}"
    return "\n  - ".join([f"{subject}:", *said]) if subject else "\n- ".join(said)
