"""Read the JSON5 that people write by hand: comments, trailing commas, bare keys, single quotes.

Only what configuration files of hosts use (json5.org, 2018): enough to look a setting up. What
is not understood is an error, and the caller says that it could not read the file.
"""

import json
import re
from typing import Any

_COMMENT = r"//[^\n]*(?:\n|\Z)|/\*(?:[^*]|\*(?!/))*\*/"
"""Ends at the first end there is: a comma behind it must not be looked for inside it."""
# Each token ends where the next begins, whatever it turns out to be: what a name or a quote has been
# looked for in is not looked at again, so that reading is linear.
_TOKEN = re.compile(
    rf"""(?P<comment>{_COMMENT})
      |(?P<double>"(?:[^"\\]|\\.)*")
      |(?P<single>'(?:[^'\\]|\\.)*')
      |(?P<comma>,(?=(?:\s|{_COMMENT})*[}}\]]))
      |(?P<key>[A-Za-z_$][\w$-]*+)(?=\s*:)
      |(?P<open>/\*|["'])
      |(?P<other>[A-Za-z_$][\w$-]*+|.)""",
    re.DOTALL | re.VERBOSE,
)


def parse_json5(text: str) -> Any:
    """Give the value of a JSON5 document.

    Raises:
        ValueError: It is none, or uses what this reader does not know (hexadecimal numbers, ``+1``).
    """
    return json.loads("".join(map(_plain, _TOKEN.finditer(text.removeprefix("\ufeff")))))


def _plain(match: "re.Match[str]") -> str:
    """Give one token as plain JSON writes it."""
    kind, token = match.lastgroup, match.group()
    if kind in ("comment", "comma"):
        return " "
    if kind == "key":
        return json.dumps(token)
    if kind == "open":
        raise ValueError(f"what begins with {token} does not end")
    if kind == "single":
        return '"' + token[1:-1].replace("\\'", "'").replace('"', '\\"') + '"'
    return token
