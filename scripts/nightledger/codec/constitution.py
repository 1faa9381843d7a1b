"""A constitution to and from bytes: the record, and the page on which an operator amends it.

Invariant: ``parse_page(dump_page(c)) == c``, and what either way of reading lets in is what
``domain/frames.py`` allows.
"""

import re

from nightledger.codec.records import dump_line, parse_record
from nightledger.domain.errors import RecordError
from nightledger.domain.frames import Constitution, Principle, why_not

MAX_BYTES = 1 << 16
"""More than twenty principles of 400 characters in any script."""
_NOTE = """\
# The principles of this home, one paragraph each: its name, its tags in brackets, then what it says.
# The first tag is always self/constitutional. Lines that begin with # are notes. You will see the
# difference and sign it; without your signature nothing changes.
"""
_HEAD = re.compile(r"(?P<name>\S+)\s+\[(?P<tags>[^\]]*)\]")
_GAP = re.compile(r"\n[ \t]*\n\s*")


def parse_constitution(raw: bytes, *, where: str) -> Constitution:
    """Read a constitution.

    Args:
        raw: JSON, UTF-8.
        where: The file, for messages.

    Raises:
        RecordError: Naming every problem.
    """
    return _checked(parse_record(Constitution, raw, where=where, max_bytes=MAX_BYTES), where)


def dump_constitution(constitution: Constitution) -> bytes:
    """Give its bytes: one line of canonical JSON.

    Raises:
        RecordError: Naming everything that no constitution may hold.
    """
    return dump_line(_checked(constitution, "the constitution"))


def dump_page(constitution: Constitution, *, notes: bool = True) -> str:
    """Give it as an operator reads and amends it.

    Args:
        constitution: The principles.
        notes: Say on the page how it is to be written.
    """
    # Behind a blank, a text that begins with # is no note.
    texts = (f" {one.text}" if one.text.startswith("#") else one.text for one in constitution.principles)
    paragraphs = (
        f"{one.name} [{', '.join(one.tags)}]\n{text}\n"
        for one, text in zip(constitution.principles, texts, strict=True)
    )
    return "\n".join([_NOTE, *paragraphs] if notes else paragraphs)


def parse_page(text: str, *, where: str) -> Constitution:
    """Read an amended page; how its lines are broken does not matter.

    Raises:
        RecordError: Naming every problem.
    """
    kept = "\n".join(line for line in text.splitlines() if not line.startswith("#")).strip()
    problems: list[str] = []
    principles: list[Principle] = []
    for paragraph in _GAP.split(kept) if kept else ():
        head, _, body = paragraph.partition("\n")
        found = _HEAD.fullmatch(head.strip())
        if found is None:
            problems.append(f"{head.strip()[:60]!r} does not begin a principle; write: care [{_TAGS}]")
            continue
        tags = tuple(tag.strip() for tag in found["tags"].split(","))
        principles.append(Principle(name=found["name"], tags=tags, text=" ".join(body.split())))
    if problems:
        raise RecordError(where, tuple(problems))
    return _checked(Constitution(v=1, principles=tuple(principles)), where)


_TAGS = "self/constitutional, self/value"


def _checked(constitution: Constitution, where: str) -> Constitution:
    problems = why_not(constitution)
    if problems:
        raise RecordError(where, tuple(problems))
    return constitution
