"""Canonical JSON (RFC 8785): one value, one sequence of bytes.

Invariant: ``canonical(x)`` is a function of the value alone. Floats are refused
unless asked for, because 1.0 and 1 are one number to RFC 8785 and two to Python;
what is signed never holds them.
"""

from json.encoder import encode_basestring

from nightledger.domain.errors import NightledgerError

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from typing import Any

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
    # Most values are strings or integers, and each of these spares its calls.
    return [
        f"{encode_basestring(key)}:"
        + (
            encode_basestring(item)
            if (kind := type(item := value[key])) is str
            else str(item)
            if kind is int and -MAX_INTEGER <= item <= MAX_INTEGER
            else _text(item, floats)
        )
        for key in keys
    ]


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
