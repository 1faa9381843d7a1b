"""Audit code that an agent would store: by syntax tree, without running it.

Reads   the files named, standard input (-), or the code given with -c
Writes  nothing
Changes no memory. Exits 1 on findings and on what is not audited, 0 when all is clean.
Only Python is audited. It tells what is written, not what would happen: no sandbox.
"""

import argparse
import sys
from typing import Any

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
            "nothing is named to be audited",
            hint="nightledger check --code script.py; nightledger check --code -c 'import os'",
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
    records = [
        _record(name, part, strict=options.strict)
        for name, text in named
        for part in audit_document(text, name)
    ]
    context.emit({"snippets": records})
    for record in records:
        for one in record["findings"]:
            inside, what = (
                f":{record['where']}" * bool(record["where"]),
                f" ({one['what']})" * bool(one["what"]),
            )
            place = f"{record['file']}{inside}:{one['line']}"
            context.print(f"{shown(place)}: {one['severity']} {one['rule']}: {one['why']}{shown(what)}")
    context.print_lines(_summary(records))
    return 0 if all(record["clean"] for record in records) else FOUND


def _record(name: str, part: Part, *, strict: bool) -> dict[str, Any]:
    def plain(finding: CodeFinding) -> dict[str, Any]:
        line = part.line + finding.line - 1
        return {**to_plain(finding), "line": line, "why": code_table().rows[finding.rule].why}

    audited, notes = part.audited, part.audited.notes
    findings = tuple(sorted((*audited.findings, *notes))) if strict else audited.findings
    return {
        "file": name,
        "where": part.where,
        "line": part.line,
        "language": audited.language,
        "audited": audited.audited,
        "clean": audited.audited and not findings,
        "findings": list(map(plain, findings)),
        "notes": [] if strict else list(map(plain, notes)),
    }


def _summary(records: list[dict[str, Any]]) -> list[str]:
    if not records:
        return ["No code in it: nothing to audit."]
    unread = sum(not one["audited"] for one in records)
    clean = sum(one["clean"] for one in records)
    findings, notes = (sum(len(one[name]) for one in records) for name in ("findings", "notes"))
    parts = {
        "clean": clean,
        "with findings": len(records) - clean - unread,
        "not or not wholly audited": unread,
    }
    counts = ", ".join(f"{count} {word}" for word, count in parts.items() if count)
    lines = [f"{_count(len(records), 'snippet')}: {counts}; {_count(findings, 'finding')}."]
    if notes:
        them, do = ("it", "does") if notes == 1 else ("them", "do")
        uses = f"{_count(notes, 'use')} of what the published list denies"
        lines.append(f"{uses} {do} no harm here (--strict finds {them}).")
    return lines


def _count(number: int, noun: str) -> str:
    return f"{number or 'no'} {noun}{'' if number == 1 else 's'}"
