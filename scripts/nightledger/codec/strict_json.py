"""JSON that others wrote: one meaning or an error.

Invariant: what is accepted means the same to every JSON reader: no duplicate keys, no NaN
or infinity, no bytes that are not UTF-8; and no input, however deep or large, ends in
anything but a value or a named problem.
"""

import json

from nightledger.domain.errors import RecordError
from nightledger.domain.words import show

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from typing import Any, NoReturn

BOM = b"\xef\xbb\xbf"
MAX_LINE_BYTES = 1 << 20
MAX_DOCUMENT_BYTES = 64 << 20
MAX_DEPTH = 64
"""Deeper than any record of ours (8), far below where a recursive reader gives up."""
MAX_DIGITS = 400
"""More than any double has (309); Python stops at 4,300 with an error of its own."""


def parse_json(raw: bytes, where: str, *, max_bytes: int = MAX_DOCUMENT_BYTES) -> "Any":
    """Read one JSON document; a byte order mark before it is skipped.

    Args:
        raw: The bytes.
        where: File or input, for messages.
        max_bytes: The largest size that is read.

    Raises:
        RecordError: Saying what is wrong and on which line.
    """
    try:
        return read_value(raw.removeprefix(BOM), max_bytes)
    except ValueError as error:
        raise RecordError(where, (str(error),)) from error


def read_jsonl(
    raw: bytes, *, max_line_bytes: int = MAX_LINE_BYTES
) -> "tuple[list[tuple[int, Any]], list[tuple[int, str]]]":
    r"""Read lines of JSON, tolerating bad ones; lines end with ``\n`` only, the last one perhaps with nothing.

    Args:
        raw: The bytes of the file; a byte order mark before them is skipped.
        max_line_bytes: The longest line that is read.

    Returns:
        ``(line number, value)`` of the lines that could be read, blank ones left out, and ``(line number, what is
        wrong)`` of the others.
    """
    values: list[tuple[int, Any]] = []
    problems: list[tuple[int, str]] = []
    for number, line in enumerate(raw.removeprefix(BOM).split(b"\n"), 1):
        if not line.strip(b" \t\r"):
            continue
        try:
            values.append((number, read_value(line, max_line_bytes)))
        except ValueError as error:
            problems.append((number, str(error)))
    return values, problems


def read_value(raw: bytes, max_bytes: int) -> "Any":
    """Read one JSON value.

    Args:
        raw: UTF-8, without a byte order mark.
        max_bytes: The largest size that is read.

    Raises:
        ValueError: Saying what is wrong.
    """
    if len(raw) > max_bytes:
        raise ValueError(f"{len(raw)} bytes are too many; at most {max_bytes} are read")
    if b"\0" in raw:
        raise ValueError(
            f"a NUL byte at position {raw.index(0) + 1}: the write was cut by a power loss, or it is no text"
        )
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8: byte {error.start + 1} is 0x{raw[error.start]:02x}") from error
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise ValueError(_place(error)) from error
    except RecursionError as error:
        raise ValueError(_TOO_DEEP) from error
    if (raw.count(b"[") + raw.count(b"{")) > MAX_DEPTH and _is_deeper(value, MAX_DEPTH):
        raise ValueError(_TOO_DEEP)
    return value


_TOO_DEEP = f"nested too deeply; at most {MAX_DEPTH} levels are read"


def _place(error: json.JSONDecodeError) -> str:
    line = f"line {error.lineno}, " if error.lineno > 1 else ""
    return f"not JSON: {error.msg} ({line}character {error.colno})"


def _is_deeper(value: "Any", levels: int) -> bool:
    layer = [value]
    for _ in range(levels + 1):
        layer = [
            inner
            for outer in layer
            if isinstance(outer, (dict, list))
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not layer:
            return False
    return True


def _unique(pairs: "list[tuple[str, Any]]") -> "dict[str, Any]":
    value = dict(pairs)
    if len(value) != len(pairs):
        names = [key for key, _ in pairs]
        twice = next(key for n, key in enumerate(names) if key in names[:n])
        raise ValueError(f"the key {show(twice)} stands twice in one object")
    return value


def _refuse(word: str) -> "NoReturn":
    raise ValueError(f"{word} is not a JSON number")


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"a number of {len(digits)} digits")
    return int(digits)


def _float(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"{show(text)} is too large for a number")
    return value


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_constant=_refuse, parse_int=_integer, parse_float=_float
)
