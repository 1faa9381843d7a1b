"""Next steps as they are printed: prose is broken to the width, a command never.

Invariant: a command stands whole in one row, however long its paths are, so that it can be
copied; where it does not fit behind what comes before it, the row is its own, and holds no mark
of the sentence around it.
"""

import re
from collections.abc import Iterator

from nightledger.surfaces.context import Context
from nightledger.surfaces.screen import columns, shown, width, wrap

PROGRAMS = (
    "chmod",
    "chown",
    "cp",
    "crontab",
    "mv",
    "nightledger",
    "ssh-keygen",
    "sudo",
    "systemctl",
    "timedatectl",
)
_WORDS = re.compile(r"(?:(?<!\S)'[^']*'|\S)+")
"""A word of a hint; what stands in quotes is part of one, its blanks as well."""
_ENDS = (";", ":", ",")
"""A word that ends so ends a command, or stands before one."""


def wrap_hint(text: str, *, indent: str, first: str) -> list[str]:
    """Break a next step to the width.

    Args:
        text: As it may be printed.
        indent: Begins every row but the first.
        first: Begins the first.
    """
    rows: list[str] = []
    open_row = first
    for part, is_command in _parts(text):
        gap = "" if open_row in (first, indent) else " "
        if columns(open_row + gap + part) <= width():
            open_row += gap + part
        elif is_command:
            rows += [open_row] if gap else []
            open_row = (indent if gap else open_row) + part
            if not part.startswith("'"):
                rows.append(open_row.rstrip("".join(_ENDS)))
                open_row = indent
        else:
            *full, open_row = wrap(part, indent=indent, first=open_row + gap)
            rows += full
    return rows if open_row == indent else [*rows, open_row]


def say(context: Context, *texts: str, first: str = "", indent: str = "  ") -> None:
    """Print sentences for people, text of files in them as data, proposals by their short names; empty ones are left out."""
    for text in filter(None, texts):
        context.print_lines(wrap_hint(shown(context.short(text)), indent=indent, first=first))


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    """Give the parts of a hint in order, and for each whether it is a command."""
    part: list[str] = []
    is_command, may_begin = False, True
    for word in _WORDS.findall(text):
        begins = may_begin and word in PROGRAMS
        quoted = word.startswith("'") and word[1:].split(" ", 1)[0].rstrip("'") in PROGRAMS
        if part and (begins or quoted):
            yield " ".join(part), is_command
            part, is_command = [], False
        part.append(word)
        is_command = is_command or begins or quoted
        may_begin = word.endswith(_ENDS)
        if is_command and (quoted or may_begin):
            yield " ".join(part), True
            part, is_command = [], False
    if part:
        yield " ".join(part), is_command
