"""Audit code that an agent would store: by syntax tree, without running it.

Reads   the files named, standard input (-), or the code given with -c
Writes  nothing
Changes no memory. Exits 1 on findings and on what is not audited, 0 when all is clean.
Only Python is audited. It tells what is written, not what would happen: no sandbox.
"""

import argparse
import sys

from nightledger.codec.records import to_plain
from nightledger.domain.errors import UnreadableError, UsageError
from nightledger.files.reading import read_regular
from nightledger.surfaces.context import Context
from nightledger.surfaces.screen import shown
from nightledger.text.code.rule import CodeFinding, code_table
from nightledger.text.code.snippets import Part, audit_document

FOUND = 1
MAX_FILE_BYTES = 4 * 1024 * 1024
"""Of a file; more than the auditor takes of one snippet, because notebooks hold pictures."""


OPTIONS = {
    "files": {"nargs": "*", "metavar": "FILE", "help": "scripts, notebooks, Markdown; - for standard input"},
    "-c": {"dest": "code", "metavar": "CODE", "help": "audit this text"},
    "--strict": "all that the published list denies is a finding",
}


def run(options: argparse.Namespace, context: Context) -> int:
    """Audit, and say what was found; 1 on findings."""
    if options.code is None and not options.files:
        raise UsageError(
            "audit-code takes files or -c CODE",
            hint="nightledger audit-code script.py; nightledger audit-code -c 'import os'",
        )
    named = [(name, _read(name)) for name in options.files]
    named += [("-c", options.code)] if options.code is not None else []
    return _audit(named, options, context)


def _read(name: str) -> str:
    try:
        raw = sys.stdin.buffer.read(MAX_FILE_BYTES) if name == "-" else read_regular(name, MAX_FILE_BYTES)
    except UnreadableError as error:
        raise UsageError(str(error), hint=error.hint) from error
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _audit(named: list[tuple[str, str]], options: argparse.Namespace, context: Context) -> int:
    told = [(name, part) for name, text in named for part in audit_document(text, name)]
    found = [(name, part, f) for name, part in told for f in _counted(part, strict=options.strict)]
    context.emit(_record(told, strict=options.strict))
    for name, part, finding in found:
        context.print(_line(name, part, finding))
    context.print_lines(_summary(told, len(found), strict=options.strict))
    return FOUND if found or not all(part.audited.audited for _, part in told) else 0


def _counted(part: Part, *, strict: bool) -> tuple[CodeFinding, ...]:
    audited = part.audited
    return tuple(sorted((*audited.findings, *audited.notes))) if strict else audited.findings


def _line(name: str, part: Part, finding: CodeFinding) -> str:
    what = f" ({finding.what})" if finding.what else ""
    inside = f":{part.where}" if part.where else ""
    place = f"{name}{inside}:{part.line + finding.line - 1}"
    return f"{shown(place)}: {finding.severity.value} {finding.rule}: {code_table().rows[finding.rule].why}{shown(what)}"


def _summary(told: list[tuple[str, Part]], findings: int, *, strict: bool) -> list[str]:
    if not told:
        return ["No code in it: nothing to audit."]
    unread = sum(1 for _, part in told if not part.audited.audited)
    clean = sum(1 for _, part in told if part.audited.audited and not _counted(part, strict=strict))
    notes = 0 if strict else sum(len(part.audited.notes) for _, part in told)
    parts = [
        (clean, "clean"),
        (len(told) - clean - unread, "with findings"),
        (unread, "not or not wholly audited"),
    ]
    counts = ", ".join(f"{count} {word}" for count, word in parts if count)
    lines = [f"{_count(len(told), 'snippet')}: {counts}; {_count(findings, 'finding')}."]
    if notes:
        uses = f"{_count(notes, 'use')} of what the published list denies"
        lines.append(
            f"{uses} {'does' if notes == 1 else 'do'} no harm here (--strict finds {'it' if notes == 1 else 'them'})."
        )
    return lines


def _count(number: int, noun: str) -> str:
    return f"{number or 'no'} {noun}{'' if number == 1 else 's'}"


def _record(told: list[tuple[str, Part]], *, strict: bool) -> dict[str, object]:
    def plain(part: Part, finding: CodeFinding) -> dict[str, object]:
        line = part.line + finding.line - 1
        return {**to_plain(finding), "line": line, "why": code_table().rows[finding.rule].why}

    return {
        "snippets": [
            {
                "file": name,
                "where": part.where,
                "line": part.line,
                "language": part.audited.language,
                "audited": part.audited.audited,
                "clean": part.audited.audited and not _counted(part, strict=strict),
                "findings": [plain(part, f) for f in _counted(part, strict=strict)],
                "notes": [] if strict else [plain(part, f) for f in part.audited.notes],
            }
            for name, part in told
        ]
    }
