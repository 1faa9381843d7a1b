"""What a model may bring: operations on lines and entries that it was shown; and the wording, which is ours.

Invariant: the words of a result are whole lines without marker, done box, time of day and bold, below a heading, lead or label
that all of them stand under, as that is written. So no number, name, date or path comes from a model, and nothing is cut out of
what limits it: where a sentence ends no list of abbreviations, quotations and pronouns tells in all languages. A line whose
headings, parents, children, box, marks or the paragraph before make it doubtful, or that is a part of a paragraph of several lines, is refused.
What the next line takes back cannot be seen here; the reason names the headings, so that the owner does.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.consolidation import DayLog, LogLine, Region, Statement
from nightledger.domain.proposal import Origin
from nightledger.text.markdown.blocks import introduces
from nightledger.text.markdown.entries import Entry, EntryKind
from nightledger.text.patterns import pattern, words
from nightledger.text.similar import fold
from nightledger.text.statements.cues import find_cues, words_of
from nightledger.text.statements.daylog import MARKER, TURN
from nightledger.text.statements.estimate import split_label
from nightledger.text.statements.statements import statement_of
from nightledger.text.statements.wording import VOID, timeless, topic_of, trimmed, without_bold
from nightledger.text.visible import one_line
from nightledger.think.analyst import RefusedOperationError, require

MOST_QUOTES = 5
"""As many lines as an operator reads as one change."""
RULES_WEIGHT = 0.1
"""What the rules' estimate of a line weighs beside a model's own confidence.

A large model played 140 labelled nights without it: .66 precision at .49 recall; others with it: .78 at .45 (.76 at .44 with rules' weights of other workspaces).
"""
MOST_TITLES = 2
"""Of a subject: what it is about, and which side of it."""
LEAST_SHARED, LEAST_SHARE = 2, 1 / 3
"""An entry is only changed for what shares so many of its words, and this part of them."""
ENTRY_CHARACTERS = 300
"""Of an entry of memory as it is shown: enough to know it by; one of several lines is only changed where that is all of it."""
MOST_CHARACTERS = 4_096
"""Of a line: a longer one is no claim."""
_CUT = re.compile(r"\[(?:[ ~-]\]|\[|[^\]]{3,}\d{4}-\d\d)")
"""What reading may take from the front of a line and is more than a marker or a time: an open box, an envelope."""
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)\s*")
_STRUCK = re.compile(rf"^[\W\d]*(?:[{VOID}]|\[[ ~-]\])|~~|</?(?:del|s|strike)>")
"""How a line is told to be void, refused or still to be done."""


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
        text: All that stands there, word for word; runs of white space count as one blank.
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
        subject: A heading, lead or label that all quotes stand under, or two (``Relay > Limits``), where they do not say what they are about; else empty.
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


class View(Struct, frozen=True, kw_only=True):
    """What a model was shown.

    Attributes:
        logs: Daily logs by their number in the prompt: ``d1``.
        shown: The lines of each that it saw.
        entries: Entries of memory by theirs: ``m1``.
        sections: Headings of memory by theirs: ``s1``.
        languages: The languages of the logs beside English.
        estimates: What the rules give the lines of each log, by its path.
    """

    logs: Mapping[str, DayLog]
    shown: Mapping[str, frozenset[int]]
    entries: Mapping[str, Entry]
    sections: Mapping[str, tuple[str, ...]]
    languages: tuple[str, ...] = ()
    estimates: Mapping[str, Mapping[int, float]] = {}


class Chosen(Struct, frozen=True, kw_only=True):
    """An operation that holds, worded by us.

    Attributes:
        op: What it does.
        statement: Its words and where they stand; of a removal what speaks for it.
        claims: What it says, line by line, without a day: to be held against what is forgotten.
        told: The same against what is known; what only a label names ("Port: 80") with the subject, for another thing's is no news of this one.
        quoted: The lines it rests on: log and number.
        entry: The entry that it changes; None for an addition.
        section: Where an addition belongs; empty leaves that to the rules.
        asked: As the model wanted it.
        view: What it was shown.
    """

    op: Does
    statement: Statement
    claims: tuple[str, ...]
    told: tuple[str, ...]
    quoted: tuple[tuple[DayLog, int], ...]
    entry: Entry | None
    section: tuple[str, ...] = ()
    asked: Operation
    view: View


def judge(operation: Operation, view: View) -> Chosen:
    """Give what an operation comes to.

    Raises:
        RefusedOperationError: It does not keep the contract; the message says where.
    """
    require(1 <= len(operation.quotes) <= MOST_QUOTES, f"it has {len(operation.quotes)} quotes")
    require(0 <= operation.confidence <= 1, f"a confidence of {operation.confidence:g}")
    require(not operation.section or operation.section in view.sections, "there is no such section")
    return _worded_by_us(operation, [_find(quote, view) for quote in operation.quotes], view)


def without_known(one: Chosen, is_known: Callable[[str], bool]) -> Chosen:
    """Return an addition of several lines without those that are known; as it is where none or all of them are."""
    lines = [(log, log.lines[n - 1]) for log, n in one.quoted]
    subject = _subject(one.asked.subject, lines, one.view.languages)
    news = [(log, line) for log, line in lines if not is_known(_named(_claim(line), subject))]
    if one.op is not Does.ADD or len(news) in {0, len(lines)}:
        return one
    return _worded_by_us(one.asked, news, one.view)


def _claim(line: LogLine) -> str:
    return without_bold(one_line(line.content))


def _named(claim: str, subject: str) -> str:
    return f"{subject}: {claim}" if subject and split_label(claim)[0] else claim


def _worded_by_us(operation: Operation, lines: Sequence[tuple[DayLog, LogLine]], view: View) -> Chosen:
    said = {fold(_claim(line)): (_claim(line), min(line.day, log.day)) for log, line in lines}
    claims = tuple(text for text, _ in said.values())
    subject = _subject(operation.subject, lines, view.languages)
    entry = _entry(operation, view, (*claims, subject))
    text = _worded(subject, claims)
    dated = [f"{text.rstrip('.')} ({day})" for text, day in said.values()]
    shown = _worded(subject, dated) if operation.dated else text
    log, top = lines[0]
    members = sorted((line for other, line in lines if other.path == log.path), key=lambda line: line.number)
    statement = statement_of(log, top, members, _sureness(operation, lines, view), view.languages)
    one_entry = "\n" not in shown or (bool(subject) and entry is not None and not _is_line(entry))
    require(operation.op is not Does.SUPERSEDE or one_entry, "it puts several lines in the place of one")
    return Chosen(
        op=operation.op,
        statement=replace(
            statement, text=shown, key=fold(text), day=min(min(line.day, log.day) for log, line in lines)
        ),
        claims=claims if "\n" in text else (*claims, text),
        told=tuple(_named(claim, subject) for claim in claims),
        quoted=tuple({(log.path, line.number): (log, line.number) for log, line in lines}.values()),
        entry=entry,
        section=view.sections.get(operation.section, ()),
        asked=operation,
        view=view,
    )


def _sureness(operation: Operation, lines: Sequence[tuple[DayLog, LogLine]], view: View) -> float:
    """Return how sure an operation is, 0..1: of an addition the rules' estimate of its best line counts `RULES_WEIGHT` as much as the model does."""
    best = max(view.estimates.get(log.path, {}).get(line.number, 0.0) for log, line in lines)
    weight = RULES_WEIGHT * (operation.op is Does.ADD)
    return (operation.confidence + weight * best) / (1 + weight)


def _find(quote: Quote, view: View) -> tuple[DayLog, LogLine]:
    """Give the log and the line that a quote is all of."""
    log = view.logs.get(quote.log)
    if log is None or quote.line not in view.shown[quote.log]:
        raise RefusedOperationError("a line that was not shown")
    line, place = log.lines[quote.line - 1], f"{log.path}:{quote.line}"
    said = one_line(quote.text)
    if line.turn and said != one_line(line.content):  # as it is shown, behind whoever says it
        said = said.removeprefix(f"{line.turn}: ")
    whole = len(line.content) <= MOST_CHARACTERS and said == one_line(line.content)
    require(whole and bool(fold(said)), f"the quote is not the whole of {place}")
    require(not introduces(said), f"the quote of {place} only introduces others")
    require(not _is_doubtful(line, log), f"{place} stands under what limits it, or is no whole claim")
    return log, line


def is_part(line: LogLine, log: DayLog) -> bool:
    """Whether a line is no claim of its own whatever it says: a cell of a table, a quotation, an assistant's or a tool's, a part of a paragraph."""
    strange = (
        line.marker == "|"
        or line.content.startswith(">")
        or line.turn == "assistant"
        or line.origin is not Origin.AGENT
    )
    return strange or _is_wrapped(line, log)


def _is_doubtful(line: LogLine, log: DayLog) -> bool:
    """Whether something around a line may make another claim of it than its words say."""
    if (
        is_part(line, log)
        or _STRUCK.search(line.text)
        or _CUT.search(line.text.rstrip().removesuffix(line.content))
    ):
        return True
    around = [*line.headings, line.lead, *_above(line, log), *_below(line, log)]
    doubts = (_STRUCK, pattern("claim-words", "limit"), pattern("claim-words", "doubtful"))
    return any(doubt.search(text) for doubt in doubts for text in around)


def _above(line: LogLine, log: DayLog) -> Iterator[str]:
    """Yield what stands over a line below its heading: its parents, the paragraph before it or its list, what looks like a heading; over a paragraph all that introduce."""
    indent, listed = line.indent, not TURN.match(line.text)
    for one in reversed(log.lines[: line.number - 1]):
        if one.region is Region.HEADING:
            return
        if one.region not in {Region.PROSE, Region.PASTED}:
            continue
        text = one.text.lstrip()
        titled = text.startswith("#") or _UNDERLINE.fullmatch(log.lines[one.number].text) is not None
        opens = listed and not one.marker and one.indent <= indent
        leads = not (line.marker or one.marker) and introduces(text)
        if titled or opens or leads or one.indent < indent:
            indent, listed = min(indent, one.indent), listed and not opens
            yield one.text
        if titled and not one.marker:
            return


def _below(line: LogLine, log: DayLog) -> Iterator[str]:
    """Yield what stands inside an item: its children and further paragraphs; of a paragraph the list below."""
    for one in log.lines[line.number :]:
        inside = one.indent > line.indent if line.marker else bool(one.marker)
        if one.region is Region.HEADING or not (inside or not one.text.strip()):
            return
        yield one.text


def _is_wrapped(line: LogLine, log: DayLog) -> bool:
    """Whether a paragraph or item goes on over lines: its sentences may, too."""
    began = not (line.marker or TURN.match(line.text)) and not _begins(line, log)
    return began or any(_goes_on(one, line) for one in log.lines[line.number : line.number + 1])


def _begins(line: LogLine, log: DayLog) -> bool:
    """Whether a paragraph begins here: behind a blank line, a heading, a fence that was opened, or the mark of a message."""
    before = log.lines[max(0, line.number - 3) : line.number - 1]
    if not before or line.indent:
        return not line.indent
    fenced = {one.region for one in before} == {Region.FENCE} and len(before) > 1
    ends = before[-1].region in {Region.BLANK, Region.HEADING} or MARKER.match(before[-1].text) is not None
    return ends or fenced


def _goes_on(after: LogLine, line: LogLine) -> bool:
    """Whether a line goes on with the one before it: it begins no item, or none that Markdown sees there."""
    text = after.text.lstrip()
    if TURN.match(text):
        return False
    if after.marker == "1":
        return line.marker != "1" and not text.startswith("1")
    if after.marker:
        return text[0] in "\u2022\u2013" and text[0] != line.text.lstrip()[0]
    spoken = {Region.PROSE, Region.BANNER, Region.METADATA}
    return after.region in spoken or (after.region is Region.RULE and not line.marker)


def _entry(operation: Operation, view: View, claims: Iterable[str]) -> Entry | None:
    if operation.op is Does.ADD:
        require(not operation.entry, "an addition names an entry")
        return None
    entry = view.entries.get(operation.entry)
    if entry is None:
        raise RefusedOperationError("there is no such entry")
    kinds = {EntryKind.ITEM} if operation.op is Does.MERGE else {EntryKind.ITEM, EntryKind.PARAGRAPH}
    seen = operation.op is not Does.MERGE and len(one_line(entry.text)) <= ENTRY_CHARACTERS
    whole = "\t" not in entry.text and (_is_line(entry) or seen)
    require(whole and entry.kind in kinds, f"{operation.entry} is no entry that can be changed so")
    told = " ".join(claims)
    wanted = content_words(entry.text)
    shared = len(wanted & content_words(told))
    of_it = shared >= max(LEAST_SHARED, LEAST_SHARE * len(wanted))
    require(of_it, f"it speaks of something else than {operation.entry}")
    ends = operation.op is not Does.RETIRE or "retire" in find_cues(told, view.languages)
    require(ends, f"nothing in it says that {operation.entry} is over")
    return entry


def _is_line(entry: Entry) -> bool:
    return entry.first_line == entry.last_line


def content_words(text: str) -> frozenset[str]:
    """Return the words of a text that carry a meaning of their own."""
    return words_of(text) - {*words("claim-words")["small"], *words("stop-words")["english"]}


def _subject(subject: str, lines: Sequence[tuple[DayLog, LogLine]], languages: tuple[str, ...]) -> str:
    """Give the heading, lead or label that is meant, or two, as they stand above all quotes; of any other words, what the rules would."""
    if not subject.strip():
        return ""
    above = [_names(log, line) for log, line in lines]
    for titles in ([subject], subject.split(" > "), [topic_of(lines[0][1], languages)]):
        meant = [fold(_title(title)) for title in titles]
        stands = [{names.get(one, "") for names in above} for one in meant]
        if (
            "" not in meant
            and len(meant) <= MOST_TITLES
            and all(len(one) == 1 and "" not in one for one in stands)
        ):
            return " \u2014 ".join(timeless(title) for one in stands for title in one)
    return ""


def _names(log: DayLog, line: LogLine) -> dict[str, str]:
    """Give what names a line, by its words with and without number, day and time; a day alone names nothing."""
    names = (*line.headings, line.lead, split_label(log.lines[line.number - 1].content)[0])
    titles = [title for title in map(_title, names) if fold(timeless(title))]
    return {fold(key): title for title in titles for key in (timeless(title), title)}


def _title(text: str) -> str:
    return trimmed(one_line(without_bold(text)))


def _worded(subject: str, said: Sequence[str]) -> str:
    """Give the entry's text without its marker, children indented by two."""
    if len(said) == 1:
        says_it = not subject or fold(said[0]).startswith(fold(subject))
        return said[0] if says_it else f"{subject}: {said[0]}"
    return "\n  - ".join([f"{subject}:", *said]) if subject else "\n- ".join(said)
