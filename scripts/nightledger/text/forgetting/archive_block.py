"""An archived entry as it stands in the archive: where it stood, its own lines, and when and why it went.

Invariant: the entry's lines are in the block as they were, byte for byte.
"""

from collections.abc import Sequence
from datetime import date

TOP = "The top of the file"
"""Stands for the section of an entry above all headings."""


def archive_block(
    text: str, *, section: Sequence[str], entry: str | None, target: str, day: date, reason: str
) -> str:
    """Give the block for ``memory/archive/YYYY.md``.

    Args:
        text: The entry's exact lines.
        section: Heading texts from the outermost to its section's own.
        entry: Its id; None for a run of whole sections or entries.
        target: The file in which it stood.
        day: When it goes.
        reason: Why, one line.
    """
    why = " ".join(reason.split())
    named = f", entry {entry}" if entry else ""
    return _block(text, " > ".join(section), f"Archived {day} from {target}{named}: {why}")


def told_with(added: str, removed: str) -> str | None:
    """Give the line that a block adds to the lines taken out; None where it holds anything else.

    Args:
        added: The block, as signed.
        removed: The lines that the change takes out; blank ones around them do not count.
    """
    heading, _, rest = added.partition("\n\n")
    text, found, line = rest.rpartition("\n\n")
    same = found and text.strip("\r\n") == removed.strip("\r\n")
    plain = heading.startswith("## ") and "\n" not in heading and line.startswith("Archived ")
    return line.rstrip("\n") if same and plain and line.count("\n") == 1 else None


def _block(text: str, section: str, line: str) -> str:
    body = text if text.endswith("\n") else f"{text}\n"
    return f"## {section or TOP}\n\n{body}\n{line}\n"
