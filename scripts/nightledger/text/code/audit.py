"""Audit a snippet of Python by its syntax tree: what it would do that somebody should have read first.

Nothing is run and nothing is imported on the snippet's behalf.
Invariant: never raises for any text, and bounded in time and memory; what was not read is never
called clean. Of another language only the Python that it hands to an interpreter is audited. A syntax check is no sandbox: it tells what is written, not what will happen.
"""

import ast
from collections.abc import Iterator
from dataclasses import replace

from nightledger.text.code.chains import chain_hits
from nightledger.text.code.databases import query_hits
from nightledger.text.code.detours import call_hits, node_hits
from nightledger.text.code.embedded import Embedded, find_embedded
from nightledger.text.code.files import file_hits, path_hits
from nightledger.text.code.language import HEAD, guess_language
from nightledger.text.code.look import Hit, Look
from nightledger.text.code.network import network_hits
from nightledger.text.code.rule import Audited, CodeFinding, CodeSeverity
from nightledger.text.code.runners import handed_hits, run_texts, runner_hits
from nightledger.text.code.source import MOST_CHARACTERS, Place, Source, read_source
from nightledger.text.code.table import NOT_READ, ROWS
from nightledger.text.code.tables import table_hits
from nightledger.text.code.templates import template_hits
from nightledger.text.code.texts import annotation_texts, text_hits
from nightledger.text.code.trusting import trusting_hits
from nightledger.text.code.uses import import_hits, name_hits, uses

MOST_FINDINGS = 200
"""Findings that are told of one snippet; the rest says nothing new."""


LONGEST_NAME = 80
"""Characters of a name that is told."""


def audit(text: str, language: str = "") -> Audited:
    """Audit one snippet.

    Args:
        text: The snippet, as it would be stored.
        language: ``python`` or another one, where a fence or a file's name tells it; "" to go by shape.
    """
    told = language or guess_language(_head(text))
    if told != "python":
        return _of_another(text, told)
    source = read_source(text)
    found = sorted({*_of_places(source), *_of_tree(source)})
    unread = any(finding.rule in NOT_READ for finding in found)
    return Audited(
        language=told,
        audited=source.whole and not unread,
        findings=tuple(f for f in found if f.severity is not CodeSeverity.NOTE)[:MOST_FINDINGS],
        notes=tuple(f for f in found if f.severity is CodeSeverity.NOTE)[:MOST_FINDINGS],
    )


def _of_another(text: str, language: str) -> Audited:
    """Say that a text is unaudited, and audit the Python that it hands to an interpreter."""
    found = {_told("code.unaudited", (1, 1), language)}
    notes = set[CodeFinding]()
    for piece in find_embedded(text):
        if piece.code is None:
            found.add(_told("code.run", piece.place, "what the shell hands to Python"))
        else:
            inside = audit(piece.code, "python")
            found.update(_moved(finding, piece) for finding in inside.findings)
            notes.update(_moved(finding, piece) for finding in inside.notes)
    return Audited(
        language=language,
        audited=False,
        findings=tuple(sorted(found))[:MOST_FINDINGS],
        notes=tuple(sorted(notes))[:MOST_FINDINGS],
    )


def _told(rule: str, place: tuple[int, int], what: str) -> CodeFinding:
    return CodeFinding(line=place[0], column=place[1], rule=rule, severity=ROWS[rule].severity, what=what)


def _moved(finding: CodeFinding, piece: Embedded) -> CodeFinding:
    line, column = piece.place_of(finding.line, finding.column)
    return replace(finding, line=line, column=column)


def _head(text: str) -> str:
    """Give a text, or the whole lines at the head of one that is too large to be parsed."""
    return text if len(text) <= MOST_CHARACTERS else text[:HEAD].rpartition("\n")[0]


def _of_places(source: Source) -> Iterator[CodeFinding]:
    for place in source.places:
        yield CodeFinding(
            line=place.line,
            column=1,
            rule=place.rule,
            severity=ROWS[place.rule].severity,
            what=place.what[:LONGEST_NAME],
        )


def _of_tree(source: Source) -> list[CodeFinding]:
    """Run every rule over the tree; the first of a rule on a line stands for the others there."""
    if source.tree is None:
        return []
    look = Look(source.tree, _runs_something)
    used = uses(look)
    found: dict[tuple[int, str], CodeFinding] = {}
    for node in ast.walk(source.tree):
        for hit in _hits(node, look, used):
            finding = _finding(hit, node, source)
            kept = found.setdefault((finding.line, finding.rule), finding)
            if _worse(finding, kept):
                found[finding.line, finding.rule] = finding
    if look.resolver.exhausted:
        place = CodeFinding(line=1, column=1, rule="code.too_deep", severity=CodeSeverity.MEDIUM)
        found.setdefault((1, place.rule), place)
    return list(found.values())


def _hits(node: ast.AST, look: Look, used: dict[str, set[str]]) -> Iterator[Hit]:
    yield from _own_hits(node, look, used)
    yield from text_hits(node, look)
    for told in (*annotation_texts(node, look), *run_texts(node, look)):
        for inner in ast.walk(told):
            yield from _own_hits(inner, look, used)


def _own_hits(node: ast.AST, look: Look, used: dict[str, set[str]]) -> Iterator[Hit]:
    match node:
        case ast.Import() | ast.ImportFrom():
            yield from import_hits(node, used)
        case ast.Call():
            yield from name_hits(node, look)
            yield from call_hits(node, look)
            yield from chain_hits(node, look)
            yield from file_hits(node, look)
            yield from network_hits(node, look)
            yield from runner_hits(node, look)
            yield from query_hits(node, look)
            yield from table_hits(node, look)
            yield from template_hits(node, look)
            yield from trusting_hits(node, look)
            yield from node_hits(node, look)
        case ast.Name(ctx=ast.Load()) | ast.Attribute(ctx=ast.Load()) | ast.Subscript(ctx=ast.Load()):
            yield from name_hits(node, look)
            yield from node_hits(node, look)
            yield from handed_hits(node, look)
        case ast.BinOp():
            yield from path_hits(node, look)
            yield from node_hits(node, look)
        case ast.Attribute() | ast.Subscript() | ast.Constant() | ast.JoinedStr():
            yield from node_hits(node, look)
        case _:
            pass


def _finding(hit: Hit, node: ast.AST, source: Source) -> CodeFinding:
    line = getattr(node, "lineno", 1)
    return CodeFinding(
        line=line,
        column=source.column(line, getattr(node, "col_offset", 0)),
        rule=hit.rule,
        severity=hit.severity or ROWS[hit.rule].severity,
        what=hit.what[:LONGEST_NAME],
    )


def _worse(new: CodeFinding, old: CodeFinding) -> bool:
    order = (CodeSeverity.NOTE, CodeSeverity.MEDIUM, CodeSeverity.HIGH)
    return order.index(new.severity) > order.index(old.severity)


def _runs_something(text: str) -> bool:
    """Tell whether a text that a snippet hands to a runner holds anything to find itself, one level deep."""
    source = read_source(text)
    if source.tree is None or not source.whole:
        return True
    look = Look(source.tree, lambda _text: True)
    used = uses(look)
    return any(
        (hit.severity or ROWS[hit.rule].severity) is not CodeSeverity.NOTE
        for node in ast.walk(source.tree)
        for hit in _hits(node, look, used)
    )


__all__ = ["Audited", "CodeFinding", "Place", "audit"]
