r"""The fields of stored outcomes that links are made of, decoded in bulk.

Invariant: a line is a row exactly when these fields are what the logger stores: an id, a
time with a zone, canonical tags in order, an identifier as resolution, a known result.
What the other fields hold is not asked here (``codec/outcome_rows.py`` asks). A line that
is no row is named with its number, a blank one is passed over.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from itertools import chain
from operator import ge
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from nightledger.codec.link_layout import ID_CHARACTERS
from nightledger.codec.row_lines import are_one_a_line
from nightledger.codec.strict_json import BOM, MAX_LINE_BYTES
from nightledger.domain.outcome_words import MAX_IDENTIFIER_CHARACTERS
from nightledger.domain.tags import MAX_TAGS, read_tag
from nightledger.domain.words import read_identifier, show

_PLAIN_TAG = re.compile(r"[a-z0-9][a-z0-9_]{0,63}")
"""Canonical by its form; most tags are such, and the rule itself takes four times as long."""
_BASE32 = b"abcdefghijklmnopqrstuvwxyz234567"
_ID = re.compile(r"o-[a-z2-7]{26}")


class LinkRow(Struct, gc=False, kw_only=True):
    """What links need of a stored outcome; other fields of the line are skipped.

    In the order of the stored line, because msgspec finds fields faster where they are expected.
    """

    context_tags: Annotated[tuple[str, ...], Meta(min_length=1, max_length=MAX_TAGS)]
    id: Annotated[str, Meta(min_length=ID_CHARACTERS, max_length=ID_CHARACTERS)]
    outcome: Literal["success", "partial", "failure"]
    resolution: str
    session: str | None = None
    shown: tuple[str, ...] = ()
    timestamp: Annotated[datetime, Meta(tz=True)]
    v: Literal[1]


class RowReader:
    """Reads stretch after stretch of the outcome file.

    Attributes:
        lines: How many lines were read.
        bad: ``(line number, what is wrong)`` of lines that are no outcomes.
    """

    __slots__ = ("_decoder", "bad", "lines")

    def __init__(self, lines: int = 0) -> None:
        """Begin behind a number of lines that were read before."""
        self.lines = lines
        self.bad: list[tuple[int, str]] = []
        self._decoder = msgspec.json.Decoder(LinkRow)

    def read(self, chunk: bytes) -> tuple[list[LinkRow], Sequence[int]]:
        """Give the rows of whole lines and the number of each one's line.

        Types and lengths hold in what is given; names and order are for :func:`find_problem`.
        """
        if self.lines == 0:
            chunk = chunk.removeprefix(BOM)
        if len(chunk) > MAX_LINE_BYTES:
            return self._read_lines(chunk)
        count = chunk.count(b"\n")
        try:
            rows = self._decoder.decode_lines(chunk)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return self._read_lines(chunk)
        if not are_one_a_line(chunk, len(rows)):  # the numbers would be off
            return self._read_lines(chunk)
        self.lines += count
        return rows, range(self.lines - count + 1, self.lines + 1)

    def _read_lines(self, chunk: bytes) -> tuple[list[LinkRow], Sequence[int]]:
        rows, numbers = [], []
        for line in chunk.removesuffix(b"\n").split(b"\n"):
            self.lines += 1
            if not line.strip(b" \t\r"):
                continue
            try:
                rows.append(self._decode(line))
                numbers.append(self.lines)
            except ValueError as error:  # msgspec's and Unicode's errors are such
                self.bad.append((self.lines, str(error)))
        return rows, numbers

    def _decode(self, line: bytes) -> LinkRow:
        if len(line) > MAX_LINE_BYTES:
            raise ValueError(f"is longer than {MAX_LINE_BYTES} bytes")
        try:
            return self._decoder.decode(line)
        except RecursionError as error:
            raise ValueError("is nested too deeply") from error


def find_problem(row: LinkRow) -> str:
    """Say why a decoded row is not what the logger stores; "" when it is.

    Names are not judged here, because each is judged once: :func:`read_tag_name`, :func:`read_resolution`.
    """
    if not _ID.fullmatch(row.id):
        return f"the id {show(row.id)} is not o- and 26 characters of base32"
    if tuple(sorted(set(row.context_tags))) != row.context_tags:
        return "context_tags are not in their stored form: sorted, each once"
    return ""


def read_tag_name(name: str) -> str:
    """Give a tag as it stands.

    Raises:
        ValueError: When it is no tag in its canonical form.
    """
    if not _PLAIN_TAG.fullmatch(name) and read_tag(name) != name:
        raise ValueError(f"the tag {show(name)} is not in its stored form; {show(read_tag(name))} is")
    return name


def read_resolution(name: str) -> str:
    """Give a resolution as it stands.

    Raises:
        ValueError: When it is no identifier of at most 80 characters, or not in NFC.
    """
    if read_identifier(name, MAX_IDENTIFIER_CHARACTERS) != name:
        raise ValueError(f"the resolution {show(name)} is not in its stored form (NFC)")
    return name


def read_ids(rows: Sequence[LinkRow]) -> bytes:
    """Give the ids of rows, one after the other, 28 bytes each.

    Raises:
        ValueError: When one is not ``o-`` and 26 characters of base32.
    """
    ids = "".join([row.id for row in rows]).encode("ascii")
    others = ids.translate(None, _BASE32)
    marks = b"-" * len(rows)
    if others != marks or ids[1::ID_CHARACTERS] != marks or ids[::ID_CHARACTERS].strip(b"o"):
        raise ValueError("an id is not o- and 26 characters of base32")
    return ids


def split_ids(ids: bytes) -> list[bytes]:
    """Give each of some joined ids."""
    return [ids[at : at + ID_CHARACTERS] for at in range(0, len(ids), ID_CHARACTERS)]


def require_order(rows: Sequence[LinkRow]) -> None:
    """Make sure that the tags of each row are in their stored form: sorted, each once.

    Raises:
        ValueError: When those of one are not.
    """
    tags = [row.context_tags for row in rows]
    names = list(chain.from_iterable(tags))
    falls = sum(map(ge, names, names[1:]))
    # Where one row ends and the next one begins, a name may be followed by an earlier one.
    between = sum(map(ge, [names[-1] for names in tags], [names[0] for names in tags[1:]]))
    if falls != between:
        raise ValueError("context_tags are not sorted, each once")
