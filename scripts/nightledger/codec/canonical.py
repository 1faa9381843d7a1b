"""JSON as we read it, strictly, and as we write it, canonically.

Invariant: ``canonical(x)`` is a function of the value alone. Floats are refused
unless asked for, because 1.0 and 1 are one number to RFC 8785 and two to Python;
what is signed never holds them.

Invariant: what is accepted means the same to every JSON reader: no duplicate keys, no NaN
or infinity, no bytes that are not UTF-8; and no input, however deep or large, ends in
anything but a value or a named problem.
"""

import json
from json.encoder import encode_basestring

from nightledger.domain.errors import NightledgerError, RecordError
from nightledger.domain.words import show

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start

if TYPE_CHECKING:
    from typing import Any, NoReturn

MAX_INTEGER = 2**53 - 1
"""I-JSON (RFC 7493 section 2.2): integers beyond it are not the same in every reader."""
_WORDS = {None: "null", True: "true", False: "false"}
_EXPONENT_FROM = 21  # ECMAScript Number::toString: exponent form from 1e21 ...
_EXPONENT_BELOW = -6  # ... and below 1e-6


class CanonicalError(NightledgerError):
    """A value has no canonical JSON form."""


def canonical(value: "Any", *, floats: bool = False) -> bytes:
    """Give the RFC 8785 bytes of a JSON value.

    Args:
        value: None, bool, int, str, list or tuple, dict with str keys; float when allowed.
        floats: Allow finite floats, written as ECMAScript does (RFC 8785 section 3.2.2.3).

    Raises:
        CanonicalError: For floats when not allowed, NaN and infinities, integers of
            2**53 and above, keys that are not strings, lone surrogates, other types.
    """
    try:
        return _text(value, floats).encode("utf-8")
    except UnicodeEncodeError as error:
        raise CanonicalError("a string holds a lone surrogate and has no UTF-8 form") from error


def _text(value: "Any", floats: bool) -> str:  # noqa: FBT001 - a private recursion
    if isinstance(value, str):
        return encode_basestring(value)
    if value is None or value is True or value is False:
        return _WORDS[value]
    if isinstance(value, int):
        return _integer(value)
    if isinstance(value, float):
        return _float(value, floats)
    if isinstance(value, (list, tuple)):
        return f"[{','.join([_text(item, floats) for item in value])}]"
    if isinstance(value, dict):
        return f"{{{','.join(_members(value, floats))}}}"
    raise CanonicalError(f"{type(value).__name__} is not a JSON type")


def _members(value: "dict[Any, Any]", floats: bool) -> "list[str]":  # noqa: FBT001 - a private recursion
    try:
        # RFC 8785 section 3.2.3: keys sort by UTF-16 code units, which differs from code points above U+FFFF.
        # Code points and code units agree on ASCII, and the UTF-16 codec costs an import.
        ascii_only = "".join(value).isascii()
    except TypeError as error:
        raise CanonicalError("an object has a key that is not a string") from error
    keys = (
        sorted(value)
        if ascii_only
        else sorted(value, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
    )
    return [f"{encode_basestring(key)}:{_text(value[key], floats)}" for key in keys]


def _integer(value: int) -> str:
    if abs(value) > MAX_INTEGER:
        raise CanonicalError(f"the integer {value} is beyond 2**53 - 1")
    return str(value)


def _float(value: float, allowed: bool) -> str:  # noqa: FBT001 - a private rule
    if not allowed:
        raise CanonicalError(f"the number {value!r} is a float; signed bytes hold none")
    if value != value or value in (float("inf"), float("-inf")):  # noqa: PLR0124 - NaN differs from itself
        raise CanonicalError(f"{value!r} is not a JSON number")
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    digits, exponent = _shortest(abs(value))
    return sign + _ecmascript(digits, exponent)


def _shortest(value: float) -> tuple[str, int]:
    """Give the shortest digits d1d2... and the exponent n of 0.d1d2... x 10**n."""
    mantissa, _, power = repr(value).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    leading = len(whole.lstrip("0")) or -(len(fraction) - len(fraction.lstrip("0")))
    return digits.rstrip("0"), leading + int(power or 0)


def _ecmascript(digits: str, point: int) -> str:
    count = len(digits)
    if count <= point <= _EXPONENT_FROM:
        return digits + "0" * (point - count)
    if 0 < point <= _EXPONENT_FROM:
        return f"{digits[:point]}.{digits[point:]}"
    if _EXPONENT_BELOW < point <= 0:
        return f"0.{'0' * -point}{digits}"
    power = point - 1
    tail = f".{digits[1:]}" if count > 1 else ""
    return f"{digits[0]}{tail}e{'+' if power > 0 else '-'}{abs(power)}"


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


def _read_integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"a number of {len(digits)} digits")
    return int(digits)


def _read_float(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"{show(text)} is too large for a number")
    return value


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_constant=_refuse, parse_int=_read_integer, parse_float=_read_float
)
