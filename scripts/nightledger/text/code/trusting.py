"""Rules about libraries that are told to trust what they are given: a model's own code, a text to evaluate.

Invariant: pure; a flag counts where it is spelled out, a text where it is told to do harm or comes from a stranger.
"""

import ast
from collections.abc import Iterator

from nightledger.text.code.look import Hit, Look, argument
from nightledger.text.code.rule import CodeSeverity
from nightledger.text.code.templates import is_asked_for

_FLAGS: dict[str, tuple[bool, str]] = {
    "trust_remote_code": (True, "code.load"),
    "safe_mode": (False, "code.unpickle"),
    "allow_dangerous_deserialization": (True, "code.unpickle"),
    "allow_dangerous_code": (True, "code.run"),
}
"""Arguments by which a caller gives a guard up: of Hugging Face, Keras, LangChain."""
_EVALUATORS = frozenset(
    {"numexpr.evaluate", "numexpr.NumExpr", "sympy.sympify", "sympy.S", "sympy.parse_expr", "sympy.parsing.sympy_parser.parse_expr", "sympy.core.sympify.sympify", "pandas.eval"}
)  # fmt: skip
"""Libraries of formulas that evaluate a text as Python."""


def trusting_hits(call: ast.Call, look: Look) -> Iterator[Hit]:
    """Give what a call trusts that nobody has read."""
    for keyword in call.keywords:
        given_up, rule = _FLAGS.get(keyword.arg or "", (None, ""))
        if rule and isinstance(keyword.value, ast.Constant) and keyword.value.value is given_up:
            yield Hit(rule=rule, severity=CodeSeverity.MEDIUM, what=f"{keyword.arg}={given_up}")
    given = argument(call, 0, "expr") or argument(call, -1, "ex")
    for path in look.paths(call.func) if given is not None else ():
        if (
            path in _EVALUATORS
            and given is not None
            and (is_asked_for(given, look) or any(map(look.nested, look.texts(given))))
        ):
            yield Hit(rule="code.run", what=path)
