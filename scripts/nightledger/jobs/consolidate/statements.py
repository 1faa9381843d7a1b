"""What daily logs say that is worth keeping, as drafts.

Invariant: a draft cites the very lines that it came from, by path, numbers and hash.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import date
from functools import partial

from msgspec import Struct, field
from msgspec.structs import replace

from nightledger.domain.consolidation import AnalystRun, DayLog, Found, HeldLine, Region, Statement
from nightledger.domain.finding import Severity
from nightledger.domain.judge import MODEL_CHOSE, Source
from nightledger.domain.proposal import (
    CONTRADICTION,
    SINGLE_SOURCE,
    Change,
    Draft,
    Evidence,
    Flag,
    Op,
    Scope,
)
from nightledger.gate.forgotten import label_of, name_of_kind
from nightledger.gate.screening import Held
from nightledger.gate.stored import Stored
from nightledger.hosts.daylogs import LogFile
from nightledger.jobs.consolidate.reading import (
    Clash,
    Reader,
    Target,
    Taught,
    choose_revisions,
    clash_with,
    contradicted,
    is_later,
    make_reader,
    rank_of,
    revisions_in,
    with_events,
)
from nightledger.text.markdown.document import Document
from nightledger.text.phrases import Forgotten
from nightledger.text.scanners.scan import scan_secrets
from nightledger.text.similar import fold
from nightledger.text.statements.additions import MOST_NOTED, Choice, Known, choose_additions
from nightledger.text.statements.calibration import calibrated
from nightledger.text.statements.daylog import read_daylog
from nightledger.text.statements.forms import find_form_fields, innermost, key_of, without_fields
from nightledger.text.statements.owner_words import with_owner_quotations
from nightledger.text.statements.sections import Shelf, choose_section
from nightledger.text.statements.statements import Revision, find_named, find_statements
from nightledger.text.statements.wording import claims_of
from nightledger.think.analyst import Analyst
from nightledger.think.contract import Chosen, Does, without_known
from nightledger.think.drafting import Drafted, required
from nightledger.think.drafting import draft as ask_for_draft

MINED = 10
"""How many statements a run over older logs offers: what a first morning has patience for. Our choice."""
NOTHING_FORGOTTEN = Forgotten(())
_SINGLE = Flag(rule=SINGLE_SOURCE, message="only one source supports this")


class Night(Struct, frozen=True, kw_only=True):
    """Which night asks, and whom.

    Attributes:
        day: Its log day.
        limit: How many additions at most.
        mining: Whether older logs are mined on request.
        judged: Path and hex SHA-256 of the notes that it judged in earlier nights.
        analyst: The model that chooses; None where the rules do.
        taught: What records teach; of that the rules choose alone.
    """

    day: date
    limit: int
    mining: bool = False
    judged: frozenset[tuple[str, str]] = frozenset()
    analyst: Analyst | None = None
    taught: Mapping[LogFile, Taught] = field(default_factory=dict)


class StatementFindings(Struct, frozen=True, kw_only=True):
    """What was found in logs.

    Attributes:
        drafts: One for each statement that this night proposes.
        statements: How many are worth keeping, known ones and those without room too.
        no_room: How many were good enough and compete again.
        held: Lines that the scanners held back.
        analyst: What came of asking a model; None where none was asked.
    """

    drafts: list[Draft]
    statements: int
    no_room: int
    held: tuple[Held, ...]
    analyst: AnalystRun | None = None


def find_in_logs(
    logs: Mapping[LogFile, bytes],
    document: Document,
    stored: Collection[Stored],
    target: Target,
    night: Night,
    forgotten: Forgotten = NOTHING_FORGOTTEN,
) -> StatementFindings:
    """Find the statements of some logs that neither memory nor an earlier proposal has.

    Args:
        logs: Their bytes.
        document: The memory file.
        stored: Everything that was ever proposed and answered, or waits.
        target: Its path, the day from which its home was looked after, and what is not asked about.
        night: Which one, how many at most, and who chooses.
        forgotten: What the operator had forgotten; it takes no other's place.
    """
    texts = {
        log: forgotten.expunged.without(content.decode("utf-8", "replace")) for log, content in logs.items()
    }
    taught = {log: forgotten.expunged.without(one.text) for log, one in night.taught.items()}
    changes = [change for item in stored for change in item.proposal.changes]
    known = Known(
        [*document.lines, *target.loaded, *_wordings(changes)],
        beside=(line for text in (*texts.values(), *taught.values()) for line in text.split("\n")),
        memory=document.lines,
    )
    reader = make_reader(document, stored, target)
    said = _said(known, changes, forgotten, target, night)
    changing, found = _read_all(texts, taught, reader, said.holds)
    contents = _contents(logs, night.taught)
    chosen, drafted = _ask_analyst(night, texts, contents, document, reader, said)
    drafts = [_draft_of(one, contents, document, reader) for one in chosen]
    covered = drafted.answered if drafted else frozenset()
    revisions, choice = _choose_by_rules(changing, found, said, covered, night.limit - len(drafts))
    clashes = _clashes(revisions, choice.chosen, reader)
    ruled = [
        with_events(_draft(one, contents[one.path], document, reader, clash), night.taught)
        for one, clash in clashes
    ]
    return StatementFindings(
        drafts=[*drafts, *ruled],
        statements=len(drafts) + len(clashes) + len(choice.known) + len(choice.no_room),
        no_room=len(choice.no_room),
        held=tuple(_held(line, contents[line.path]) for each in found for line in each.held),
        analyst=drafted.run if drafted else None,
    )


class Said(Struct, frozen=True, kw_only=True):
    """What is not said again, or not more than so often.

    Attributes:
        known: Wordings.
        keys: Of earlier proposals.
        forgotten: What the operator had forgotten.
        unasked: Kinds that are not asked about.
        noted: Paths of records.
        most_noted: What a night takes of these.
    """

    known: Known
    keys: frozenset[str]
    forgotten: Forgotten
    unasked: frozenset[str]
    noted: frozenset[str]
    most_noted: int

    def holds(self, text: str) -> bool:
        """Return whether a wording is known or forgotten."""
        return self.known.holds(text) or self.forgotten.holds(text)


def _said(
    known: Known, changes: Iterable[Change], forgotten: Forgotten, target: Target, night: Night
) -> Said:
    return Said(
        known=known,
        keys=frozenset(change.key for change in changes),
        forgotten=forgotten,
        unasked=target.unasked,
        noted=frozenset(log.path for log in night.taught),
        most_noted=night.limit if night.mining else MOST_NOTED,
    )


def _choose_by_rules(
    changing: Iterable[Revision], found: Iterable[Found], said: Said, covered: Collection[str], limit: int
) -> tuple[tuple[Revision, ...], Choice]:
    """Give what the rules choose of the logs that nobody has judged yet, and of records."""

    def counts(one: Statement) -> bool:
        return one.path not in covered and not said.forgotten.holds(one.text)

    revisions = choose_revisions((one for one in changing if counts(one.statement)), said.keys, MINED)
    recorded = [one for one in revisions if one.statement.path in said.noted]
    revisions = tuple(one for one in revisions if one not in recorded[said.most_noted :])[: max(0, limit)]
    few = said.most_noted - len(recorded)
    statements = [
        one
        for each in found
        for one in each.statements
        if counts(one) and key_of(name_of_kind(one.kind)) not in said.unasked
    ]
    room = limit - len(revisions)
    return revisions, choose_additions(
        statements, said.known, said.keys, room, noted=said.noted, most_noted=few
    )


def _ask_analyst(
    night: Night,
    texts: Mapping[LogFile, str],
    contents: Mapping[str, bytes],
    document: Document,
    reader: Reader,
    said: Said,
) -> tuple[list[Chosen], Drafted | None]:
    """Give what a model chose of the night's notes that is news, and which notes need no rules any more.

    What it judged in an earlier night, and is as it was then, is not asked about again.
    """
    if night.analyst is None:
        return [], None
    logs = [
        _read(log, text, reader.target, frozenset())
        for log, text in texts.items()
        if night.mining or log.day == night.day or _source(log, contents) not in night.judged
    ]
    drafted = ask_for_draft(night.analyst, logs, document, night.day)
    news: list[Chosen] = []
    refused = Counter(drafted.run.refused)
    for asked in drafted.chosen:
        one = without_known(asked, said.known.holds)
        if why := _why_not(one, said, reader):
            refused[why] += 1
        elif one.entry and any(other.entry == one.entry for other in news):
            refused["a surer choice changes that entry"] += 1
        elif one.statement.score < required(len(news)):
            refused["it is not sure enough"] += 1
        elif len(news) == night.limit:
            refused["the night has no room for more"] += 1
        else:
            news.append(one)
            for claim in one.told:
                said.known.add(claim)
    judged = {log.path for log in texts} - {log.path for log in logs}
    answered = drafted.answered | judged
    run = replace(drafted.run, proposed=len(news), refused=dict(sorted(refused.items())))
    return news, replace(drafted, answered=frozenset(answered), run=run)


def _source(log: LogFile, contents: Mapping[str, bytes]) -> tuple[str, str]:
    return log.path, hashlib.sha256(contents[log.path]).hexdigest()


def _why_not(one: Chosen, said: Said, reader: Reader) -> str:
    if any(map(said.forgotten.holds, (*one.claims, one.statement.text))):
        return "it was forgotten on request"
    if said.keys.intersection((one.statement.key, *map(fold, one.told))):
        return "it was proposed before"
    if one.op is Does.ADD and key_of(name_of_kind(one.statement.kind)) in said.unasked:
        return "its owner refused three of its kind"
    if one.op in {Does.ADD, Does.MERGE} and any(map(said.known.holds, one.told)):
        return "memory or an earlier proposal says it, or a part of it"
    if one.entry and not (one.entry.id in reader.days and is_later(one.statement, one.entry.id, reader)):
        return "what it would change was said later"
    return ""


def _draft_of(one: Chosen, contents: Mapping[str, bytes], document: Document, reader: Reader) -> Draft:
    statement, entry = one.statement, one.entry
    section = one.section or choose_section(document, Shelf(statement.section))
    flags: tuple[Flag, ...] = (_SINGLE,) if len({log.path for log, _ in one.quoted}) == 1 else ()
    flags += (
        (Flag(rule=CONTRADICTION, message="a model takes it for newer: keep one of them"),) if entry else ()
    )
    above = " > ".join(one.quoted[0][0].lines[one.quoted[0][1] - 1].headings)
    return Draft(
        op={Does.ADD: Op.ADD, Does.RETIRE: Op.REMOVE}.get(one.op, Op.REPLACE),
        target=reader.target.path,
        section=entry.section if entry else section,
        before=entry.text if entry else "",
        line=entry.first_line if entry else 0,
        after=_after(one),
        reason="; ".join((f"{MODEL_CHOSE}, under {above!r}" if above else MODEL_CHOSE, *statement.reasons)),
        evidence=tuple(
            _evidence(
                replace(statement, path=log.path, lines=(n, n), origin=log.lines[n - 1].origin),
                contents[log.path],
            )
            for log, n in one.quoted
        ),
        confidence=calibrated(Source.MODEL, statement.score),
        rank=statement.score,
        statement_key=statement.key,
        scope=Scope(fails_when=statement.fails_when),
        flags=flags,
        entry=entry.id if entry else None,
    )


def _after(one: Chosen) -> str:
    """Give the entry as it is to stand: prior minus what goes plus the quotes, and nothing else."""
    text, entry = one.statement.text, one.entry
    if one.op is Does.RETIRE:
        return ""
    if entry is None:
        return f"- {text}"
    indent = " " * len(entry.marker)
    if one.op is Does.SUPERSEDE:
        return entry.marker + text.replace("\n  - ", f"\n{indent or '  '}- ")
    more = text.replace("\n  - ", f"\n{indent}  - ").replace("\n- ", f"\n{indent}- ")
    return f"{entry.text.rstrip()}\n{indent}- {more}"


def _clashes(
    revisions: Iterable[Revision], chosen: Iterable[Statement], reader: Reader
) -> list[tuple[Statement, Clash | None]]:
    return [
        *((one.statement, clash_with(one.contradiction, one.statement, reader)) for one in revisions),
        *((statement, contradicted(statement, reader)) for statement in chosen),
    ]


def _contents(logs: Mapping[LogFile, bytes], taught: Mapping[LogFile, Taught]) -> dict[str, bytes]:
    return {log.path: logs[log] for log in logs} | {log.path: taught[log].content for log in taught}


def _read_all(
    texts: Mapping[LogFile, str],
    taught: Mapping[LogFile, str],
    reader: Reader,
    is_known: Callable[[str], bool],
) -> tuple[list[Revision], list[Found]]:
    """Give what each log and record changes in memory, and what else it says; a year of logs is not kept in memory."""
    changing: list[Revision] = []
    found: list[Found] = []
    fields = find_form_fields(((log.day, text) for log, text in texts.items()))
    for log, text in texts.items():
        day_log = _read(log, text, reader.target, fields)
        changing += (revised := revisions_in(day_log, reader))
        texts_of = _texts_of(revised)
        known = partial(_is_either, texts_of, is_known)
        found.append(_beside(texts_of, find_statements(day_log, is_known=known)))
    for revised, named in _read_taught(taught, reader):
        changing += revised
        found.append(named)
    return changing, found


def _read(log: LogFile, text: str, target: Target, fields: frozenset[str]) -> DayLog:
    read = with_owner_quotations(read_daylog(log.path, text, log.day), target.owners)
    return _without_unasked(read, target.unasked, fields)


def _read_taught(
    texts: Mapping[LogFile, str], reader: Reader
) -> Iterator[tuple[tuple[Revision, ...], Found]]:
    """Give what the records of each file and day change in memory, and what else they say."""
    for log, text in texts.items():
        named = _without_unasked(read_daylog(log.path, text, log.day), reader.target.unasked, frozenset())
        revised = revisions_in(named, reader)
        yield revised, _beside(_texts_of(revised), find_named(named))


def _without_unasked(day_log: DayLog, unasked: frozenset[str], fields: frozenset[str]) -> DayLog:
    """Give a log of which nothing is learned from what stands where nobody is asked about it."""
    headings = {line.headings for line in day_log.lines} if unasked else set()
    whole = label_of(day_log.path) in unasked
    quiet = {one for one in headings if whole or key_of(innermost(one)) in unasked}
    lines = (replace(x, region=Region.PASTED) if x.headings in quiet else x for x in day_log.lines)
    asked = replace(day_log, lines=tuple(lines)) if quiet else day_log
    return without_fields(asked, fields | unasked)


def _texts_of(revisions: Iterable[Revision]) -> frozenset[str]:
    return frozenset(fold(text) for one in revisions for text in (one.said, one.statement.text))


def _is_either(revised: Collection[str], is_known: Callable[[str], bool], text: str) -> bool:
    return fold(text) in revised or is_known(text)


def _beside(revised: frozenset[str], found: Found) -> Found:
    """Give the statements of one log that say more than the lines which change memory already do."""
    more = (one for one in found.statements if not revised.issuperset(map(fold, claims_of(one.text))))
    return replace(found, statements=tuple(more))


def _wordings(changes: Iterable[Change]) -> Iterator[str]:
    """Give what earlier proposals said, as a whole and line by line; a key has lost its marks of denial."""
    for change in changes:
        yield from {change.after, *change.after.split("\n")}


def _draft(
    statement: Statement, content: bytes, document: Document, reader: Reader, clash: Clash | None
) -> Draft:
    old = clash.entry if clash else None
    other = old or (clash.beside if clash else None)
    return Draft(
        op=Op.REPLACE if old else Op.ADD,
        target=reader.target.path,
        section=old.section if old else choose_section(document, Shelf(statement.section)),
        before=old.text if old else "",
        line=old.first_line if old else 0,
        after=f"{old.marker if old else '- '}{statement.text}",
        reason="; ".join(statement.reasons),
        evidence=(_evidence(statement, content),),
        confidence=calibrated(Source.RULES, statement.score),
        rank=rank_of(statement),
        statement_key=statement.key,
        scope=Scope(fails_when=statement.fails_when),
        flags=(_SINGLE, *((clash.flag,) if clash else ())),
        entry=other.id if other else None,
    )


def _evidence(statement: Statement, content: bytes) -> Evidence:
    first, last = statement.lines
    cited = b"\n".join(content.split(b"\n")[first - 1 : last])
    return Evidence(
        path=statement.path,
        lines=statement.lines,
        sha256=hashlib.sha256(cited).hexdigest(),
        origin=statement.origin,
    )


def _held(line: HeldLine, content: bytes) -> Held:
    text = content.split(b"\n")[line.line - 1]
    seen = scan_secrets(text.decode("utf-8", "replace"))
    secrets = {finding.rule for finding in seen if finding.severity is Severity.BLOCK}
    secret = bool(secrets) or line.rule.startswith("secret.")  # whatever else was seen: it is not copied
    named = f"{line.path}:{line.line}".encode() if secret else text  # a hash of a short secret would tell it
    return Held(
        rules=tuple(sorted({line.rule, *secrets})),
        secret=secret,
        text_sha256=hashlib.sha256(named).hexdigest(),
        path=line.path,
        line=line.line,
        text="" if secret else text.decode("utf-8", "replace"),
    )
