"""The snippets of a file, audited: a script, a Markdown file with fences, stored text.

In Markdown these are fences, indented blocks, inline code, and text that is code as a whole. Invariant: linear; every
part is either audited or said to be unaudited, and what is no snippet of a runnable language gives none, so that
prose, data and output stay quiet. A scanner's finding of code only flags: an operator reads it, and the signature decides.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import accumulate

from markdown_it import MarkdownIt
from msgspec import Struct

from nightledger.domain.finding import Finding, Severity
from nightledger.text.code.audit import audit
from nightledger.text.code.rule import NOT_READ, Audited, CodeFinding, code_table
from nightledger.text.code.source import MOST_CHARACTERS, guess_language, language_of_info
from nightledger.text.markdown.document import readable

_INLINE = re.compile(r"(?<!`)(`{1,2})(?!`)([^`\n]{4,8000})\1(?!`)")
_LIST = re.compile(r"^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")
_NUL = "\ud800"
"""Stands for a null byte, which CommonMark puts another character in the place of; no text holds it."""
_MOST_NESTING = 100
"""Quotations and lists in each other; code that lies deeper is found by nobody."""
_MARKDOWN = ("md", "markdown", "mdx", "qmd", "rmd")
_CODE_SIGN = re.compile(
    r"[\w\])\"']\(|^[^\S\n]*(?:import|from)\s+\w|^[^\S\n]*@\w|^[^\S\n]*[!%]\w|__\w+__", re.MULTILINE
)


class Snippet(Struct, frozen=True, kw_only=True):
    """One snippet in a text.

    Attributes:
        text: The code, with the prefix of its list or quotation taken off.
        language: What its fence tells, or its shape: ``python`` or another runnable language.
        line: The line of the text on which it begins, from 1.
        start: Its first character in the text.
        end: One past its last.
        fenced: Whether it stands in a fence; otherwise only shape says that it is code.
    """

    text: str
    language: str
    line: int
    start: int
    end: int
    fenced: bool


def find_snippets(text: str) -> tuple[Snippet, ...]:
    """Give the snippets of a Markdown text, in order of place; HTML around a fence hides none."""
    lines = _LINE.findall(text)
    starts = [0, *accumulate(map(len, lines))]
    found, taken = list[Snippet](), set[int]()
    parser = MarkdownIt("commonmark", {"maxNesting": _MOST_NESTING}).disable("html_block")
    parser.core.ruler.enableOnly(["normalize", "block"])
    for token in parser.parse(text.replace("\0", _NUL)):
        if token.map is None or token.type not in ("fence", "code_block"):
            continue
        first, end = token.map[0], min(token.map[1], len(lines))
        taken.update(range(first, end))
        is_fenced, body = token.type == "fence", token.content.replace(_NUL, "\0")
        language = language_of_info(token.info) or _shape(body) if is_fenced else _python(body)
        if language:
            place = {"line": first + 1 + is_fenced, "start": starts[first], "end": starts[end]}
            found.append(Snippet(text=body, language=language, fenced=is_fenced, **place))
    for n, line in enumerate(lines):
        found += _inline(line, n + 1, starts[n]) if n not in taken else ()
    if not found and len(text) <= MOST_CHARACTERS and _python(body := _LIST.sub("", text, count=1)):
        found.append(Snippet(text=body, language="python", line=1, start=0, end=len(text), fenced=False))
    return tuple(sorted(found, key=lambda snippet: snippet.start))


def _inline(line: str, number: int, start: int) -> Iterator[Snippet]:
    for match in _INLINE.finditer(line) if "`" in line else ():
        if language := _python(body := match[2].strip()):
            place = {"line": number, "start": start + match.start(2), "end": start + match.end(2)}
            yield Snippet(text=body, language=language, fenced=False, **place)


def _shape(body: str) -> str:
    language = guess_language(body) if body.strip() else ""
    return "" if language == "unknown" else language


def _python(body: str) -> str:
    """Give ``python`` for what calls, imports or decorates something and parses so; "" for all else."""
    return "python" if _CODE_SIGN.search(body) and guess_language(body) == "python" else ""


class Part(Struct, frozen=True, kw_only=True):
    """One audited part of a file.

    Attributes:
        line: On which line of the file its first line stands, from 1.
        audited: What the auditor says; its lines count from the part's first.
    """

    line: int
    audited: Audited


def audit_document(text: str, name: str = "") -> tuple[Part, ...]:
    """Audit every snippet of a file.

    Args:
        text: Its text.
        name: Its name; the ending tells a language.
    """
    ending = name.rpartition(".")[2].lower() if "." in name else ""
    if ending == "ipynb" or ('"cell_type"' in text and text.lstrip()[:1] == "{"):
        return (Part(line=1, audited=audit(text, "notebook")),)  # JSON, which Python would read as its own
    told = language_of_info(ending)
    if ending in _MARKDOWN or (not told and _has_fence(text) and guess_language(text) != "python"):
        return tuple(
            Part(line=snippet.line, audited=audit(snippet.text, snippet.language))
            for snippet in find_snippets(text)
        )
    return (Part(line=1, audited=audit(text, told)),)


def _has_fence(text: str) -> bool:
    return "```" in text or "~~~" in text


def scan_code(text: str, secrets: Iterable[tuple[int, int]] = ()) -> Iterator[Finding]:
    r"""Yield what the auditor says of the snippets in ``text``: each rule once a snippet.

    A message names what it is about as the code does, bytes that are no UTF-8 as ``\\xe9``; in a
    snippet that holds a secret it names nothing, because the secret may be the name.

    Args:
        text: Any text.
        secrets: Where in it secrets stand: first character, and one past the last.
    """
    covered = bytearray(len(text))
    for start, end in secrets:
        covered[start:end] = b"\1" * (end - start)
    for snippet in find_snippets(text):
        is_named = covered.find(1, snippet.start, snippet.end) < 0
        told: dict[str, CodeFinding] = {}
        for finding in audit(snippet.text, snippet.language).findings:
            if snippet.fenced or finding.rule not in NOT_READ:
                told.setdefault(finding.rule, finding)
        for finding in told.values():
            yield _finding(snippet, finding, readable(finding.what) if is_named else "")


def _finding(snippet: Snippet, finding: CodeFinding, what: str) -> Finding:
    line = snippet.line + finding.line - 1
    message = code_table().rows[finding.rule].why + (f": {what}" if what else "") + f" (line {line})"
    return Finding(
        rule=finding.rule, severity=Severity.FLAG, start=snippet.start, end=snippet.end, message=message
    )
