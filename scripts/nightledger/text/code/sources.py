"""What was read from files or the environment, and where it stands in what a call is given.

Invariant: pure; each node of an address is looked at once.
"""

import ast
from collections.abc import Iterator

from nightledger.text.code.look import Look
from nightledger.text.code.paths import matches
from nightledger.text.code.value import alternatives

_SOURCES = (
    "os.environ*", "os.getenv*", "builtins.open()*", "io.open()*", "builtins.open", "pathlib.Path().read_text*", "pathlib.Path().read_bytes*", "pathlib.Path().open()*", "keyring.get_password*",
    "socket.gethostname*", "getpass.getuser*", "sqlite3.connect()*", "subprocess.*", "os.popen*", "pyperclip.*", "configparser.ConfigParser()[]*",
)  # fmt: skip
_LOGINS = ("headers", "auth", "timeout", "cert", "verify", "proxies")
"""Arguments that may hold a login."""
_READERS = frozenset({"read_text", "read_bytes"})
REQUESTS = ("urllib.request.Request", "urllib2.Request")
"""What makes a request and does not send it; its body has a rule of its own."""
_Parts = tuple[list[ast.expr], list[ast.expr]]


def sendable(call: ast.Call) -> list[ast.expr]:
    """Give what a call is given, logins apart."""
    return [*call.args, *(k.value for k in call.keywords if k.arg not in _LOGINS)]


def holds_source(value: ast.expr, look: Look) -> bool:
    """Tell whether a value is made of something that was read from files or the environment."""
    return any(_is_source(node, look) for node in look.below(value))


def _is_source(node: ast.AST, look: Look) -> bool:
    if isinstance(node, ast.Attribute) and node.attr in _READERS and isinstance(look.parent(node), ast.Call):
        return True
    if isinstance(node, (ast.Attribute, ast.Subscript, ast.Call, ast.Name)):
        return any(matches(path, _SOURCES) for path in look.paths(node))
    return False


def beside_setting(address: ast.expr, look: Look) -> Iterator[ast.expr]:
    """Give the parts of an address but its head: the head may be a setting, what is put behind it is sent to it."""
    seen: set[int] = set()
    stack = [address]
    while stack:
        node = stack.pop()
        if id(node) not in seen:
            seen.add(id(node))
            heads, rest = _call_parts(node, look) if isinstance(node, ast.Call) else _parts(node, look)
            stack += heads
            yield from rest


def _parts(node: ast.expr, look: Look) -> _Parts:
    """Give what an expression begins with, and what it puts behind."""
    match node:
        case ast.Name():
            found = look.scopes.find(node.id, look.scopes.of(node))
            return [b.value for b in (found[1] if found else ()) if isinstance(b.value, ast.expr)], []
        case ast.JoinedStr(values=[ast.FormattedValue(value=head), *rest]):
            return [head], rest
        case ast.BinOp(op=ast.Add(), left=head, right=behind):
            return [head], [behind]
        case ast.BinOp(op=ast.Mod(), left=shape, right=filled) if _begins_open(shape, look):
            return _first(filled.elts if isinstance(filled, ast.Tuple) else [filled])
        case ast.Subscript() | ast.Attribute() | ast.Constant():
            return [], []
        case _:
            heads = alternatives(node)
            return heads, [] if heads else [node]


def _call_parts(call: ast.Call, look: Look) -> _Parts:
    match call.func:
        case ast.Attribute(attr="format", value=shape) if _begins_open(shape, look):
            return _first(sendable(call))
        case ast.Attribute(attr="join"):
            pieces = call.args[0] if call.args else None
            if isinstance(pieces, (ast.List, ast.Tuple)):
                return _first(pieces.elts)
        case _:
            pass
    if isinstance(call.func, ast.Attribute) and look.texts(call.func.value):
        return [], sendable(call)  # a method of a text that is told: it is filled
    if _is_source(call, look) or _is_source(call.func, look):
        return [], []
    heads, rest = _first(sendable(call))
    return heads, [] if any(path in REQUESTS for path in look.paths(call.func)) else rest


def _first(parts: list[ast.expr]) -> _Parts:
    return parts[:1], parts[1:]


def _begins_open(shape: ast.expr, look: Look) -> bool:
    """Tell whether a pattern begins with a place that is filled in."""
    return any(text.startswith(("%", "{")) for text in look.texts(shape))
