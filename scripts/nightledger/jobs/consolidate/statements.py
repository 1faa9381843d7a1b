"""What daily logs say that is worth keeping, as drafts.

Invariant: a draft cites the very lines that it came from, by path, numbers and hash.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from nightledger.domain.proposal import Draft, Evidence, Flag, Op, Scope
from nightledger.domain.statement import HeldLine, Statement
from nightledger.gate.screening import Held
from nightledger.gate.stored import Stored
from nightledger.hosts.daylogs import LogFile
from nightledger.text.daylog import read_daylog
from nightledger.text.entries import find_entries
from nightledger.text.markdown import Document
from nightledger.text.sections import Shelf, choose_section
from nightledger.text.similar import NearIndex
from nightledger.text.statements import find_statements

ENOUGH = 0.5
"""Score from which a statement is proposed; measured by bench/bench_consolidate.py."""
NEAR = 0.8
"""Similarity from which two wordings are one statement; measured likewise."""
_SINGLE = Flag(rule="single_source", message="one place says so")


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementFindings:
    """What was found in logs.

    Attributes:
        drafts: One for each statement that is new.
        statements: How many are worth keeping, known ones too.
        held: Lines that the scanners held back.
    """

    drafts: list[Draft]
    statements: int
    held: tuple[Held, ...]


def find_in_logs(
    logs: Mapping[LogFile, bytes], document: Document, stored: Iterable[Stored], target: str
) -> StatementFindings:
    """Find the statements of some logs that neither memory nor an earlier proposal has.

    Args:
        logs: Their bytes.
        document: The memory file.
        stored: Everything that was ever proposed.
        target: The memory file's path, relative to the home.
    """
    known = _known(document, stored)
    found: list[tuple[Statement, bytes]] = []
    held: list[Held] = []
    for log, content in logs.items():
        result = find_statements(read_daylog(log.path, content.decode("utf-8", "replace"), log.day))
        found += [(statement, content) for statement in result.statements if statement.score >= ENOUGH]
        held += [_held(line, content) for line in result.held]
    drafts = []
    for statement, content in sorted(found, key=lambda pair: (-pair[0].score, pair[0].path, pair[0].lines)):
        if not known.near(statement.text):
            known.add(f"{statement.path}:{statement.lines[0]}", statement.text)
            drafts.append(_draft(statement, content, document, target))
    return StatementFindings(drafts=drafts, statements=len(found), held=tuple(held))


def _known(document: Document, stored: Iterable[Stored]) -> NearIndex:
    index = NearIndex(NEAR)
    for entry in find_entries(document):
        index.add(entry.id, entry.text)
    for item in stored:
        for change in item.proposal.changes:
            index.add(f"{item.proposal.id}#{change.n}", change.after or change.before)
    return index


def _draft(statement: Statement, content: bytes, document: Document, target: str) -> Draft:

    return Draft(
        op=Op.ADD,
        target=target,
        section=choose_section(document, Shelf(statement.section)),
        after=f"- {statement.text}",
        reason="; ".join(statement.reasons),
        evidence=(_evidence(statement, content),),
        confidence=statement.score,
        rank=statement.score,
        statement_key=statement.key,
        scope=Scope(fails_when=statement.fails_when),
        flags=(_SINGLE,),
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
    secret = line.rule.startswith("secret")
    named = f"{line.path}:{line.line}".encode() if secret else text  # a hash of a short secret would tell it
    return Held(
        rules=(line.rule,),
        secret=secret,
        text_sha256=hashlib.sha256(named).hexdigest(),
        path=line.path,
        line=line.line,
        text="" if secret else text.decode("utf-8", "replace"),
    )
