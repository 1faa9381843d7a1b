"""What daily logs say that is worth keeping, as drafts.

Invariant: a draft cites the very lines that it came from, by path, numbers and hash.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from nightledger.domain.finding import Severity
from nightledger.domain.proposal import Change, Draft, Evidence, Flag, Op, Scope
from nightledger.domain.statement import HeldLine, Statement
from nightledger.gate.screening import Held
from nightledger.gate.stored import Stored
from nightledger.hosts.daylogs import LogFile
from nightledger.jobs.consolidate.prose import Reader, contradicted, make_reader, rank_of
from nightledger.text.additions import Known, choose_additions
from nightledger.text.daylog import read_daylog
from nightledger.text.markdown import Document
from nightledger.text.scan import scan_secrets
from nightledger.text.sections import Shelf, choose_section
from nightledger.text.statements import find_statements

MINED = 15
"""How many statements a run over older logs offers: as many as may wait at a time."""
_SINGLE = Flag(rule="single_source", message="one place says so")


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementFindings:
    """What was found in logs.

    Attributes:
        drafts: One for each statement that this night proposes.
        statements: How many are worth keeping, known ones and those without room too.
        no_room: How many were good enough and compete again.
        held: Lines that the scanners held back.
    """

    drafts: list[Draft]
    statements: int
    no_room: int
    held: tuple[Held, ...]


def find_in_logs(
    logs: Mapping[LogFile, bytes], document: Document, stored: Iterable[Stored], target: str, limit: int
) -> StatementFindings:
    """Find the statements of some logs that neither memory nor an earlier proposal has.

    Args:
        logs: Their bytes.
        document: The memory file.
        stored: Everything that was ever proposed.
        target: The memory file's path, relative to the home.
        limit: How many at most.
    """
    statements: list[Statement] = []
    held: list[Held] = []
    texts = {log: content.decode("utf-8", "replace") for log, content in logs.items()}
    changes = [change for item in stored for change in item.proposal.changes]
    known = Known(
        [*document.lines, *_wordings(changes)],
        beside=(line for text in texts.values() for line in text.split("\n")),
    )
    for log, content in logs.items():
        result = find_statements(read_daylog(log.path, texts[log], log.day), is_known=known.holds)
        statements += result.statements
        held += [_held(line, content) for line in result.held]
    choice = choose_additions(statements, known, (change.key for change in changes), limit)
    contents = {log.path: content for log, content in logs.items()}
    reader = make_reader(document)
    return StatementFindings(
        drafts=[_draft(chosen, contents[chosen.path], document, target, reader) for chosen in choice.chosen],
        statements=len(choice.chosen) + len(choice.known) + len(choice.no_room),
        no_room=len(choice.no_room),
        held=tuple(held),
    )


def _wordings(changes: Iterable[Change]) -> Iterator[str]:
    """Give what earlier proposals said, line by line; a key has lost its marks of denial."""
    for change in changes:
        yield from change.after.split("\n")


def _draft(statement: Statement, content: bytes, document: Document, target: str, reader: Reader) -> Draft:
    old = contradicted(statement, reader)
    return Draft(
        op=Op.REPLACE if old else Op.ADD,
        target=target,
        section=old[0].section if old else choose_section(document, Shelf(statement.section)),
        before=old[0].text if old else "",
        line=old[0].first_line if old else 0,
        after=f"- {statement.text}",
        reason="; ".join(statement.reasons),
        evidence=(_evidence(statement, content),),
        confidence=statement.score,
        rank=rank_of(statement, reader),
        statement_key=statement.key,
        scope=Scope(fails_when=statement.fails_when),
        flags=(_SINGLE, old[1]) if old else (_SINGLE,),
        entry=old[0].id if old else None,
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
