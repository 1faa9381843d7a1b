"""Rules about templates: some engines run Python that stands in them, and most run what a stranger writes into one.

Invariant: pure; a template that is told is judged by the Python in it, and one that is not only where its
text comes from a request, the command line or the terminal. A template of the owner's file is none's harm.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from nightledger.text.code.folding import HOLE
from nightledger.text.code.look import Hit, Look, argument
from nightledger.text.code.paths import matches
from nightledger.text.code.source import parse

_JINJA = (
    "jinja2.Template", "jinja2.environment.Template", "jinja2.Environment().from_string", "jinja2.nativetypes.NativeTemplate", "jinja2.nativetypes.NativeEnvironment().from_string",
    "flask.render_template_string", "quart.render_template_string", "flask.stream_template_string", "jinja2.Environment().compile_expression",
)  # fmt: skip
_PYTHON = (
    "mako.template.Template", "tornado.template.Template", "bottle.template", "bottle.SimpleTemplate", "web.template.Template", "Cheetah.Template.Template", "genshi.template.MarkupTemplate",
    "genshi.template.NewTextTemplate", "chameleon.PageTemplate", "chameleon.PageTextTemplate",
)  # fmt: skip
"""Engines whose templates hold Python."""
_BLOCKS = (
    (re.compile(r"<%!?(?![\w/=%])(.*?)%>", re.DOTALL), "%>"),
    (re.compile(r"<\?py(?:thon)?\s(.*?)\?>", re.DOTALL), "?>"),
)
_SHOWN = (
    (re.compile(r"\$\{(.*?)\}", re.DOTALL), "}"),
    (re.compile(r"\{\{!?(.*?)\}\}", re.DOTALL), "}}"),
    (re.compile(r"<%=(.*?)%>", re.DOTALL), "%>"),
    (re.compile(r"python:([^\"'<>]*)"), ""),
)
_LINES = ((re.compile(r"^[ \t]*%(?![%>])(.*)$"), ""), (re.compile(r"\{%(.*?)%\}"), "%}"))
"""Pieces of Python, each with what ends it."""
_OUTSIDE = (
    "flask.request.*", "quart.request.*", "bottle.request.*", "sanic.request.*", "builtins.input*", "sys.argv*", "sys.stdin*", "web.input*", "cgi.FieldStorage*",
    "requests.get()*", "requests.post()*", "httpx.get()*", "urllib.request.urlopen()*",
)  # fmt: skip
"""Where a text comes from that a stranger wrote."""
_ASKED = frozenset({"args", "form", "json", "values", "GET", "POST", "query", "query_params", "params", "data", "body", "cookies", "headers", "get_json", "get_argument", "get_data", "match_info", "path_params", "matchdict"})  # fmt: skip
_ARGUMENTS = frozenset({"get_argument", "get_arguments", "get_body_argument", "get_query_argument"})
"""What Tornado calls them, on any handler."""
_REQUEST = frozenset({"request", "req"})
MOST_TEMPLATE = 20_000
"""Characters of a template that are looked at."""


def template_hits(call: ast.Call, look: Look) -> Iterator[Hit]:
    """Give what a template does that a call is given as a text."""
    for path in look.paths(call.func):
        if path in _JINJA or path in _PYTHON:
            given = argument(call, 0, "text") or argument(call, -1, "source")
            asked = given is not None and is_asked_for(given, look)
            if asked or (path in _PYTHON and any(map(look.nested, _pieces(given, look)))):
                yield Hit(rule="code.run", what=path)


def _pieces(given: ast.expr | None, look: Look) -> list[str]:
    return [code for code in map(_python_of, look.texts(given)) if code]


def is_asked_for(value: ast.expr, look: Look) -> bool:
    """Tell whether a value is made of what a request, the command line or the terminal gives."""
    return any(_comes_from_outside(node, look) for node in look.below(value))


def _comes_from_outside(node: ast.AST, look: Look) -> bool:
    if isinstance(node, ast.Attribute) and node.attr in _ARGUMENTS:
        return True
    if isinstance(node, ast.Attribute) and node.attr in _ASKED:
        base = node.value
        if isinstance(base, (ast.Name, ast.Attribute)):
            return (base.id if isinstance(base, ast.Name) else base.attr) in _REQUEST
    if isinstance(node, (ast.Attribute, ast.Subscript, ast.Call, ast.Name)):
        return any(matches(path, _OUTSIDE) for path in look.paths(node))
    return False


@lru_cache(maxsize=64)
def _python_of(template: str) -> str:
    """Give the Python in a template, piece by piece; what is none is left out.

    Remembered, because one template may be given to thousands of calls.
    """
    text = template[:MOST_TEMPLATE].replace(HOLE, "_")
    pieces = [_dedented(block) for block in _found(_BLOCKS, text)]
    lines = [piece.strip() for line in text.split("\n") for piece in _found(_LINES, line)]
    pieces += [f"{line}\n    pass" if line.endswith(":") else line for line in lines]
    for pattern, end in _BLOCKS:
        last = _behind(text, end)
        text = pattern.sub("", text[:last]) + text[last:]
    pieces += [piece.strip() for piece in _found(_SHOWN, text)]
    return "\n".join(piece for piece in pieces if piece and parse(piece)[0] is not None)


def _found(patterns: Sequence[tuple[re.Pattern[str], str]], text: str) -> Iterator[str]:
    for pattern, end in patterns:
        yield from pattern.findall(text[: _behind(text, end)])


def _behind(text: str, end: str) -> int:
    """Give where the last end is over; what begins behind it has none, and each such beginning would look for one."""
    return text.rfind(end) + len(end) if end in text else 0


def _dedented(block: str) -> str:
    lines = block.strip("\n").split("\n")
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[margin:] for line in lines).strip()
