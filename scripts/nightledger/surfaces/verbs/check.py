"""Check up a memory file: repeats, stale dates, junk, secrets, contradictions.

With --code it audits code that an agent would store instead: by syntax tree,
without running it. Only Python is audited. It tells what is written, not what
would happen: no sandbox. Exits 1 on findings and on what is not audited, 0 when
all is clean.

Where operator.yaml names an analyst, a model is asked about a gated file, too.

Reads   the gated file, or the files named; with --code standard input for -
Writes  one proposal and memory/system/analyst.jsonl, unless --dry-run or
        --code
Changes no memory: it proposes.
"""

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from nightledger.codec.records import to_plain
from nightledger.domain.errors import UnreadableError, UsageError
from nightledger.domain.periods import log_day
from nightledger.domain.proposal import place_of
from nightledger.domain.words import count_of
from nightledger.files.configuration import home_zone
from nightledger.files.durable import read_regular
from nightledger.files.home import Home
from nightledger.gate.removals import room_rows
from nightledger.jobs.check import Checkup, check, counts
from nightledger.surfaces import screen
from nightledger.surfaces.analyst import analyst_of, ask_ahead, tell_analyst
from nightledger.surfaces.context import Context, read_input
from nightledger.surfaces.screen import say, shown
from nightledger.surfaces.session import Session, reading, writing
from nightledger.text.code_audit import Part, audit_document
from nightledger.text.code_source import CodeFinding, code_table

if TYPE_CHECKING:  # most homes ask no model
    from nightledger.think.analyst import Analyst

_GUTTER = "      | "
SHOWN = 10
"""Doubts shown before the rest is counted; the proposal holds them all."""


def run(options: argparse.Namespace, context: Context) -> int:
    """Look, say what is doubtful, and propose it; or audit code."""
    if options.code:
        return audit(options, context)
    if len(options.files) > 1:
        raise UsageError("one memory file is checked up at a time")
    _report(options, context, _check_home(options, context))
    return 0


def _check_home(options: argparse.Namespace, context: Context) -> Checkup:
    dry_run: bool = options.dry_run

    def run(session: Session, analyst: "Analyst | None", *, dry_run: bool = True) -> Checkup:
        gate = session.gate
        today = log_day(session.moment.at, home_zone(gate.home, gate.settings))
        path = (options.files or gate.home.identity.gated)[0]
        moment, every = session.moment, options.all
        return check(gate, session.ledger, path, today, moment, dry_run=dry_run, every=every, analyst=analyst)

    home = Home(context.home_path).require()
    analyst = analyst_of(context.keys_dir, home, context.moment.at, "checkup", dry_run=dry_run)
    analyst = ask_ahead(context, analyst, lambda session, one: run(session, one).analyst)
    with reading(context) if dry_run else writing(context) as session:
        return run(session, analyst, dry_run=dry_run)


def _report(options: argparse.Namespace, context: Context, found: Checkup) -> None:
    proposal = found.outcome.proposal if found.outcome else None
    context.emit(
        {
            "path": found.path,
            "meter": to_plain(found.meter),
            "doubts": to_plain(found.doubts),
            "proposal": proposal.id if proposal else None,
            "room": to_plain(found.room),
            "analyst": to_plain(found.analyst),
        }
    )
    say(context, _size(found))
    for row in room_rows(found.room) if found.room else ():
        first = row[: len(row) - len(row.lstrip())]
        say(context, row.lstrip(), indent="      " if first else "  ", first=first)
    if found.analyst:
        tell_analyst(context, found.analyst)
    if not found.doubts and not found.room:
        empty = not found.meter.before_characters
        nothing = "It is missing or empty: there is nothing to check up." if empty else ""
        context.print(nothing or "Nothing in it looks doubtful.")
        return
    _show_doubts(context, found, every=options.all)
    if proposal and not options.dry_run:
        asks = "" if context.guided else f": 'nightledger review {proposal.id}' asks one by one"
        say(context, f"Proposed as {proposal.id}{asks}.")
    elif found.outcome and not proposal:
        before = "All of it was proposed before: 'nightledger proposals --all'."
        problems = (f"Not proposed: {problem}." for problem in found.outcome.problems)
        say(context, before if found.outcome.suppressed else "", *problems)


def _show_doubts(context: Context, found: Checkup, *, every: bool) -> None:
    if not found.doubts:
        return
    labels = ", ".join(f"{count} {label.value}" for label, count in counts(found.doubts).items())
    most = len(found.doubts) if every else SHOWN - 2 * context.guided  # a question follows on that screen
    planned = bool(found.room and found.room.pieces)
    rest = "; the plan comes first: --all shows and proposes them" if planned and not every else ""
    labels += f"; the surest {most} (--all shows all)" if len(found.doubts) > most and not rest else ""
    say(context, f"{count_of(len(found.doubts), 'doubtful item')}: {labels}{rest}.")
    if rest:
        return
    for doubt, opening in zip(found.doubts[:most], found.openings, strict=False):
        where = place_of(found.path, doubt.lines)
        text = f"{shown(where)} {doubt.label.value} ({doubt.confidence:.2f}): {shown(doubt.reason)}"
        context.print_lines(screen.wrap(text, indent="      ", first="  "))
        if opening:
            context.print(screen.cut(_GUTTER + shown(opening)))


def _size(found: Checkup) -> str:
    meter = found.meter
    cap = meter.cap_characters
    of = "" if cap is None else f" of the {cap:,} that its host shows the agent"
    text = f"{found.path}: {meter.before_characters:,} characters{of}"
    if found.doubts and not found.room:
        return f"{text}; {meter.after_characters:,} if all suggestions are accepted."
    return f"{text} ({found.room.setting})." if found.room else f"{text}."


FOUND = 1
MAX_FILE_BYTES = 4 * 1024 * 1024
"""Of a file; more than the auditor takes of one snippet."""


def audit(options: argparse.Namespace, context: Context) -> int:
    """Audit, and say what was found; 1 on findings."""
    if not options.files:
        raise UsageError("nothing is named to be audited", hint="nightledger check --code script.py")
    parts = ((name, part) for name in options.files for part in audit_document(_read(name), name))
    records = [_snippet_record(name, part) for name, part in parts]
    context.emit({"snippets": records})
    for record in records:
        for one in record["findings"]:
            what = f" ({one['what']})" * bool(one["what"])
            place = f"{record['file']}:{one['line']}"
            context.print(f"{shown(place)}: {one['severity']} {one['rule']}: {one['why']}{shown(what)}")
    context.print_lines(_audit_summary(records))
    return 0 if all(record["clean"] for record in records) else FOUND


def _read(name: str) -> str:
    try:
        raw = read_input(MAX_FILE_BYTES) if name == "-" else read_regular(name, MAX_FILE_BYTES)
    except UnreadableError as error:
        raise UsageError(str(error), hint=error.hint) from error
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _snippet_record(name: str, part: Part) -> dict[str, Any]:
    def plain(finding: CodeFinding) -> dict[str, Any]:
        line = part.line + finding.line - 1
        return {**to_plain(finding), "line": line, "why": code_table().rows[finding.rule].why}

    audited = part.audited
    return {
        "file": name,
        "line": part.line,
        "language": audited.language,
        "audited": audited.audited,
        "clean": audited.audited and not audited.findings,
        "findings": list(map(plain, audited.findings)),
        "notes": list(map(plain, audited.notes)),
    }


def _audit_summary(records: list[dict[str, Any]]) -> Iterator[str]:
    if not records:
        yield "No code in it: nothing to audit."
        return
    findings, notes = (sum(len(one[name]) for one in records) for name in ("findings", "notes"))
    clean, found = sum(one["clean"] for one in records), count_of(findings, "finding")
    yield f"{count_of(len(records), 'snippet')}, {clean} clean; {found if findings else 'no findings'}."
    if notes:
        yield f"No harm here: {count_of(notes, 'use')} of what the published list denies (--json has each)."
