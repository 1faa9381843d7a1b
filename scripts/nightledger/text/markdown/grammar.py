"""Patterns and numbers of the CommonMark block grammar, each with its section in 0.31.2.

They match a line whose indentation is gone and whose tabs are spaces.
"""

import re

CODE_INDENT = 4  # CommonMark 4.4: an indented chunk has four columns or more
TAB_STOP = 4  # CommonMark 2.2
MOST_NESTING = 100  # quotes and items in each other; bounds the time that a hostile line takes
FENCE = re.compile(r"`{3,}+(?!.*`)|~{3,}+")  # 4.5; the info string of a backtick fence has no backtick
ATX = re.compile(r"(#{1,6})(?: |$)")  # 4.2
SETEXT = re.compile(r"(?:=+|-+) *$")  # 4.3
RULE = re.compile(r"(?:(?:\* *){3,}|(?:_ *){3,}|(?:- *){3,})$")  # 4.1
MARKER = re.compile(r"([-+*])(?= |$)|(\d{1,9})([.)])(?= |$)")  # 5.2
REFERENCE = re.compile(
    r" {0,3}\[(?:[^\[\]\\]|\\.)+\]:\s*(?:<[^<>]*>|[^\s<]\S*)(?:\s+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?\s*$"
)  # 4.7
DELIMITER_CELL = re.compile(r"\s*:?-+:?\s*$")  # GitHub Flavored Markdown 4.10
FRONT_KEY = re.compile(r"[\w\"'-][^:]*:(?:\s|$)|#")

_BLOCK_TAGS = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div"
    "|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li"
    "|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td"
    "|tfoot|th|thead|title|tr|track|ul"
)
_ATTRIBUTE = r"\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s\"'=<>`]+|'[^']*'|\"[^\"]*\"))?"
HTML_STARTS: tuple[tuple[re.Pattern[str], re.Pattern[str] | None], ...] = (
    # CommonMark 4.6, start conditions 1 to 7 with their ends; None ends at a blank line.
    (
        re.compile(r"<(?:script|pre|style|textarea)(?:\s|>|$)", re.IGNORECASE),
        re.compile(r"</(?:script|pre|style|textarea)>", re.IGNORECASE),
    ),
    (re.compile(r"<!--"), re.compile(r"-->")),
    (re.compile(r"<\?"), re.compile(r"\?>")),
    (re.compile(r"<![A-Za-z]"), re.compile(r">")),
    (re.compile(r"<!\[CDATA\["), re.compile(r"\]\]>")),
    (re.compile(rf"</?(?:{_BLOCK_TAGS})(?:\s|/?>|$)", re.IGNORECASE), None),
    (re.compile(rf"(?:<[A-Za-z][A-Za-z0-9-]*(?:{_ATTRIBUTE})*\s*/?>|</[A-Za-z][A-Za-z0-9-]*\s*>)\s*$"), None),
)
HTML_ANY_TAG = 6  # the seventh condition, which cannot interrupt a paragraph
