"""What a model may bring: operations on lines and entries that it was shown; and the wording, which is ours.

Invariant: the words of a result are quotes, found in the named lines, and a subject made of words that stand there, in
the headings above, or in the entry that is replaced. So no number, name, date or path comes from a model, nothing
gains certainty, and what limits a claim ("probably", "unless", "Kofi thinks") cannot be cut off from it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.daylog import DayLog, LogLine, Statement
from nightledger.domain.errors import NightledgerError
from nightledger.domain.words import folded
from nightledger.text.markdown.entries import Entry, EntryKind
from nightledger.text.patterns import pattern, words
from nightledger.text.similar import fold
from nightledger.text.statements.cues import words_of
from nightledger.text.statements.statements import statement_of
from nightledger.text.statements.wording import plain_line, sentences_of

MOST_QUOTES = 5
"""As many lines as an operator reads as one change."""
MOST_SUBJECT_CHARACTERS = 80
LEAST_SHARED = 2
"""An entry is only replaced by, or taken out for, what shares so many of its words."""
_SPACE = re.compile(r"\s+")
_PARTS = re.compile(r"[^\W_]+")


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
        subject: What the quotes are about, where they do not say so; in words that stand there. Empty for none.
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
        quoted: The lines it rests on: log and number.
        entry: The entry that it changes; None for an addition.
        section: Where an addition belongs; empty leaves that to the rules.
    """

    op: Does
    statement: Statement
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
    lines = [_find(quote, operation.subject, view) for quote in operation.quotes]
    entry = _entry(operation, view, lines)
    _require(not operation.section or operation.section in view.sections, "there is no such section")
    subject = _subject(operation, lines, entry)
    log, top = lines[0]
    statement = statement_of(
        log,
        top,
        [line for other, line in lines if other.path == log.path],
        operation.confidence,
        view.languages,
    )
    text = _worded(subject, [line for _, line in lines])
    if operation.dated:
        first, *more = text.split("\n")
        text = "\n".join(
            [f"{first.rstrip(':.')} ({statement.day}){':' if first.endswith(':') else ''}", *more]
        )
    return Chosen(
        op=operation.op,
        statement=replace(statement, text=text, key=fold(text)),
        quoted=tuple({(log.path, line.number): (log, line.number) for log, line in lines}.values()),
        entry=entry,
        section=view.sections.get(operation.section, ()),
    )


def _require(holds: bool, problem: str) -> None:  # noqa: FBT001 - a condition
    if not holds:
        raise RefusedOperationError(problem)


def _plain(text: str) -> str:
    return _SPACE.sub(" ", text).strip()


def _find(quote: Quote, subject: str, view: View) -> tuple[DayLog, LogLine]:
    """Give the log, and the line with nothing but the quote as its content."""
    log = view.logs.get(quote.log)
    if log is None or quote.line not in view.shown[quote.log]:
        raise RefusedOperationError("a line that was not shown")
    line = log.lines[quote.line - 1]
    said, content = _plain(quote.text), _plain(line.content)
    _require(bool(said) and said in content, f"the quote does not stand in {log.path}:{quote.line}")
    _require(said[-1] not in ":\uff1a", f"the quote of {log.path}:{quote.line} only introduces others")
    _require(_is_whole(said, content), f"the quote begins or ends within a word of {log.path}:{quote.line}")
    limit = _cut_off(said, content) or next(
        filter(None, map(_limit_in, (line.lead, *line.headings[-1:]))), ""
    )
    if limit and folded(limit) not in folded(subject):
        raise RefusedOperationError(f"{limit!r} is cut off from the quote of {log.path}:{quote.line}")
    return log, replace(line, content=said)


def _is_whole(said: str, content: str) -> bool:
    at = content.index(said)
    before, after = content[:at][-1:], content[at + len(said) :][:1]
    return not (before.isalnum() and said[0].isalnum() and before.isascii()) and not (
        after.isalnum() and said[-1].isalnum() and after.isascii()
    )


def _cut_off(said: str, content: str) -> str:
    """Give what limits a claim and stands in its sentence, but not in the quote; empty for nothing."""
    at = content.index(said)
    place = 0
    for sentence in sentences_of(content):
        start = content.index(sentence, place)
        place = start + len(sentence)
        if start < at + len(said) and at < place:
            rest = (
                f"{content[start : max(start, at)]} \0 {content[at + len(said) : max(at + len(said), place)]}"
            )
            if limit := _limit_in(rest):
                return limit
    return ""


def _limit_in(text: str) -> str:
    found = pattern("claim-words", "limit").search(text)
    return found[0].strip() if found else ""


def _entry(operation: Operation, view: View, lines: Sequence[tuple[DayLog, LogLine]]) -> Entry | None:
    if operation.op is Does.ADD:
        _require(not operation.entry, "an addition names an entry")
        return None
    entry = view.entries.get(operation.entry)
    if entry is None:
        raise RefusedOperationError("there is no such entry")
    fits = entry.kind is EntryKind.ITEM or (
        operation.op is not Does.MERGE
        and entry.kind is EntryKind.PARAGRAPH
        and entry.first_line == entry.last_line
    )
    _require(fits, f"{operation.entry} is no entry that can be changed so")
    said = _content_words(
        " ".join(f"{log.lines[line.number - 1].content} {line.lead}" for log, line in lines)
    )
    shared = said & _content_words(entry.text)
    _require(len(shared) >= LEAST_SHARED, f"it speaks of something else than {operation.entry}")
    return entry


def _content_words(text: str) -> frozenset[str]:
    numbers = {part for part in _PARTS.findall(text) if any(map(str.isdigit, part))}
    return (words_of(text) | numbers) - {*words("claim-words")["small"], *words("stop-words")["english"]}


def _subject(operation: Operation, lines: Iterable[tuple[DayLog, LogLine]], entry: Entry | None) -> str:
    """Give the subject, if each of its words stands where the operation rests."""
    subject = _plain(operation.subject).rstrip(":")
    _require(len(subject) <= MOST_SUBJECT_CHARACTERS, f"a subject of {len(subject)} characters")
    known = {folded(part) for text in _around(lines, entry) for part in _PARTS.findall(text)}
    small = words("claim-words")["small"]
    strange = [
        part for part in _PARTS.findall(subject) if folded(part) not in known and folded(part) not in small
    ]
    _require(not strange, f"{''.join(strange[:1])[:40]!r} of its subject stands nowhere")
    return subject


def _around(lines: Iterable[tuple[DayLog, LogLine]], entry: Entry | None) -> Iterator[str]:
    for log, line in lines:
        yield from (log.lines[line.number - 1].content, line.lead, *line.headings)
    if entry:
        yield entry.text


def _worded(subject: str, lines: Sequence[LogLine]) -> str:
    """Give the entry's text without its marker, children indented by two."""
    said = list({fold(text): text for text in map(plain_line, lines)}.values())
    if len(said) == 1:
        says_it = not subject or fold(said[0]).startswith(fold(subject))
        return said[0] if says_it else f"{subject}: {said[0]}"
    return "\n  - ".join([f"{subject}:", *said]) if subject else "\n- ".join(said)
