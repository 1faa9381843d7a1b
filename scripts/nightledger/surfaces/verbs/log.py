"""Append outcomes: what was tried, with what result.

One by flags, or many as JSON lines on standard input (--stdin). Every record is
checked first; if one is wrong, every problem is named and nothing is written.
Prints the ids. Success is never assumed: say --outcome.
"""

import argparse
import os

from nightledger.domain.errors import UsageError
from nightledger.files.home import Home
from nightledger.jobs.log_outcomes import log_outcomes
from nightledger.surfaces.context import read_input, read_place, require_machine

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from typing import Any

    from nightledger.surfaces.context import Context

_EXAMPLE = (
    "nightledger log --task-type debug_cron --tags cron,time_zone --resolution set_zone_explicitly "
    "--outcome success --source 'memory/daily/2026-02-28.md#cron'"
)
_NAMES = (
    "task_type tags resolution outcome source timestamp session host origin signal project duration_s note"
)
_FIELDS = {f"--{name.replace('_', '-')}": name for name in _NAMES.split()}
_REQUIRED = ("--task-type", "--tags", "--resolution", "--outcome", "--source")


def run(options: argparse.Namespace, context: "Context") -> int:
    """Take the records in and print their ids."""
    home = Home(context.home_path).require()
    require_machine(home)
    records = _read_stdin(options) if options.stdin else [("", _from_flags(options, home, context))]
    logged, torn_bytes = log_outcomes(home, records, now=context.now)
    if torn_bytes:
        context.note(
            f"note: the last line of {home.outcomes} was unfinished ({torn_bytes} bytes, "
            "an earlier run was cut off); it was closed and is kept"
        )
    for record in logged:
        context.print(record["id"])
    context.emit(logged if options.stdin else logged[0])
    return 0


def _read_stdin(options: argparse.Namespace) -> "list[tuple[str, Any]]":
    given = [flag for flag, name in _FIELDS.items() if getattr(options, name) is not None]
    if given:
        raise UsageError(f"--stdin reads whole records; leave out {', '.join(given)}")
    from nightledger.codec.canonical import read_jsonl

    values, problems = read_jsonl(read_input())
    if problems:
        from nightledger.codec.outcome_line import refusal

        raise refusal([f"line {number}: {problem}" for number, problem in problems])
    return [(f"line {number}", value) for number, value in values]


def _from_flags(options: argparse.Namespace, home: Home, context: "Context") -> "dict[str, Any]":
    missing = [flag for flag in _REQUIRED if not getattr(options, _FIELDS[flag])]
    if missing:
        raise UsageError(f"an outcome also needs {', '.join(missing)}", hint=f"for example: {_EXAMPLE}")
    record = {name: getattr(options, name) or None for name in _FIELDS.values()}
    del record["tags"], record["source"]
    record["timestamp"] = options.timestamp or context.now.isoformat()
    record["context_tags"] = options.tags.split(",")
    record["source_file"] = _relative(options.source, home)
    places = (read_place(text, "--evidence") for text in options.evidence or ())
    record["evidence"] = [{"path": path, "lines": [*lines]} for path, lines in places] or None
    if options.duration_s:
        record["duration_s"] = _seconds(options.duration_s)
    return record


def _relative(source: str, home: Home) -> str:
    """Give a path in the home as records have it; what lies outside is left for the checks to name."""
    path, mark, place = source.partition("#")
    if os.path.isabs(path) and path.startswith(home.root + os.sep):
        return f"{home.relative(path)}{mark}{place}"
    return source.removeprefix("./")


def _seconds(text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise UsageError(
            f"--duration-s {text!r} is not a number of seconds", hint="for example: 12.5"
        ) from error
