"""Texts that a snippet puts together from pieces, as far as they can be told without running it.

Invariant: pure; no text grows beyond ``LONGEST_TEXT``; what is unknown is a hole in the text, so
that what stands around it is still seen.
"""

import ast
import binascii
import codecs
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product

HOLE = "\0"
"""Stands where a part of a text is not known; no source text holds it."""
TEMPORARY = "\1"
"""Stands for a temporary folder of the snippet's own."""
LONGEST_TEXT = 4096
Plain = str | int | list[str | int]


@dataclass(frozen=True, slots=True)
class Text:
    """A text or bytes (as Latin-1) that is known, holes apart."""

    text: str


def fold_operation(operator: ast.operator, lefts: Sequence[Plain], rights: Sequence[Plain]) -> Iterator[Text]:
    """Give what ``left + right``, ``left % right``, ``left * n`` may be, where a side is a text."""
    for left, right in islice(product(lefts or [HOLE], rights or [HOLE]), 8):
        if left == HOLE and right == HOLE:
            continue
        match operator, left, right:
            case ast.Add(), str(), str():
                yield Text((left + right)[:LONGEST_TEXT])
            case ast.Mod(), str(), _:
                yield Text(_percent(left, right))
            case (ast.Mult(), str(text), int(times)) | (ast.Mult(), int(times), str(text)):
                yield Text((text[:64] * max(0, min(times, LONGEST_TEXT)))[:LONGEST_TEXT])
            case _:
                continue


def fold_subscript(value: Text, index: ast.expr) -> Iterator[Text]:
    """Give the character or the slice that a text is asked for, where the numbers are spelled out."""
    if isinstance(index, ast.Slice):
        numbers = [_number(part) for part in (index.lower, index.upper, index.step)]
        if all(n is not False for n in numbers) and numbers[2] != 0:
            yield Text(value.text[slice(*numbers)])
        return
    number = _number(index)
    if number is not None and number is not False and -len(value.text) <= number < len(value.text):
        yield Text(value.text[number])


def _number(node: ast.expr | None) -> "int | bool | None":
    """Give a spelled-out number, None for none, False for one that is not told."""
    match node:
        case None:
            return None
        case ast.Constant(value=int(number)):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(number))):
            return -number
        case _:
            return False


def fold_call(path: str, text: str, arguments: Sequence[Sequence[Plain]]) -> Iterator[Text]:
    """Give the texts that a call gives: of a method of ``text`` or a function that makes texts.

    Args:
        path: Canonical name of the function; ``<text>.join`` for a method of a text.
        text: The text whose method it is.
        arguments: What each argument may be.
    """
    method = path.removeprefix("<text>.").removeprefix("builtins.str.")
    maker = _FUNCTIONS.get(path) or (_METHODS.get(method) if method != path else None)
    if maker is None:
        return
    for chosen in islice(product(*(alternatives or [HOLE] for alternatives in arguments)), 8):
        try:
            own = path.startswith("builtins.str.")
            made = maker(str(chosen[0]) if own else text, list(chosen[1:] if own else chosen))
        except (ValueError, TypeError, LookupError, ArithmeticError):
            made = HOLE
        yield Text(made[:LONGEST_TEXT])


def _percent(left: str, right: Plain) -> str:
    if "*" in left or any(c.isdigit() for c in left):
        return HOLE
    try:
        return str(left % (tuple(right) if isinstance(right, list) else right))[:LONGEST_TEXT]
    except (ValueError, TypeError, OverflowError):
        return HOLE


def _join(text: str, arguments: list[Plain]) -> str:
    pieces = arguments[0]
    return text.join(map(str, pieces)) if isinstance(pieces, list) else text.join(str(pieces))


def _format(text: str, arguments: list[Plain]) -> str:
    if any(mark in text for mark in (":", "!", ".", "[")):
        return HOLE
    return text.format(*arguments)


def _codec(_text: str, arguments: list[Plain]) -> str:
    name = str(arguments[1]).lower().replace("-", "").replace("_", "") if len(arguments) > 1 else ""
    return codecs.decode(str(arguments[0]), "rot13") if name == "rot13" else HOLE


def _base64(_text: str, arguments: list[Plain]) -> str:
    if HOLE in str(arguments[0]):
        return HOLE
    return binascii.a2b_base64(str(arguments[0]).encode("latin-1")[: 2 * LONGEST_TEXT]).decode("latin-1")


def _bytes(_text: str, arguments: list[Plain]) -> str:
    match arguments[:1]:
        case [list(numbers)]:
            return "".join(chr(n) if isinstance(n, int) else n for n in numbers)
        case [str(text)]:
            return text
        case _:
            return HOLE


def _path(_text: str, arguments: list[Plain]) -> str:
    return "/".join(str(a) for a in arguments)


_METHODS: dict[str, Callable[[str, list[Plain]], str]] = {
    "join": _join,
    "format": _format,
    "replace": lambda text, a: text.replace(str(a[0]), str(a[1])),
    "lower": lambda text, _: text.lower(),
    "upper": lambda text, _: text.upper(),
    "casefold": lambda text, _: text.casefold(),
    "swapcase": lambda text, _: text.swapcase(),
    "strip": lambda text, a: text.strip(str(a[0])) if a else text.strip(),
    "removeprefix": lambda text, a: text.removeprefix(str(a[0])),
    "removesuffix": lambda text, a: text.removesuffix(str(a[0])),
    "encode": lambda text, _: text,
    "decode": lambda text, _: text,
    "translate": lambda _text, _: HOLE,
}
_FUNCTIONS: dict[str, Callable[[str, list[Plain]], str]] = {
    "builtins.chr": lambda _, a: chr(a[0]) if isinstance(a[0], int) else HOLE,
    "builtins.str": lambda _, a: _bytes("", a),
    "builtins.bytes": _bytes,
    "builtins.bytearray": _bytes,
    "builtins.reversed": lambda _, a: (
        "".join(map(str, a[0][::-1])) if isinstance(a[0], (str, list)) else HOLE
    ),
    "builtins.bytes.fromhex": lambda _, a: bytes.fromhex(str(a[0])).decode("latin-1"),
    "builtins.bytearray.fromhex": lambda _, a: bytes.fromhex(str(a[0])).decode("latin-1"),
    "binascii.unhexlify": lambda _, a: bytes.fromhex(str(a[0])).decode("latin-1"),
    "base64.b64decode": _base64,
    "base64.standard_b64decode": _base64,
    "base64.urlsafe_b64decode": _base64,
    "codecs.decode": _codec,
    "os.path.expanduser": lambda _, a: str(a[0]),
    "os.path.expandvars": lambda _, a: str(a[0]),
    "os.path.abspath": lambda _, a: str(a[0]),
    "os.path.realpath": lambda _, a: str(a[0]),
    "os.path.join": _path,
    "os.fspath": lambda _, a: str(a[0]),
    "tempfile.mkdtemp": lambda _text, _: TEMPORARY,
    "tempfile.gettempdir": lambda _text, _: TEMPORARY,
    "tempfile.mktemp": lambda _text, _: TEMPORARY,
    "tempfile.TemporaryDirectory": lambda _text, _: TEMPORARY,
}
