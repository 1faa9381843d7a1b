"""Snippets of code in Markdown: fences, indented blocks, inline code, and text that is code as a whole.

Invariant: linear; what is no snippet of a runnable language gives none, so that prose, data and
output stay quiet.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from nightledger.text.code.embedded import find_embedded, holds_call
from nightledger.text.code.language import guess_language, language_of_info
from nightledger.text.code.source import MOST_CHARACTERS

_FENCE = re.compile(
    r"^(?P<lead>[ \t]*(?:>[ \t]?)*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(?P<mark>`{3,}+|~{3,}+)(?P<info>[^`\n]*)$"
)
_INDENTED = re.compile(r"^(?: {4,}|\t)\s*\S")
_INLINE = re.compile(r"(?<!`)(`{1,2})(?!`)([^`\n]{4,8000})\1(?!`)")
_LIST = re.compile(r"^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_CODE_SIGN = re.compile(
    r"[\w\])\"']\(|^[^\S\n]*(?:import|from)\s+\w|^[^\S\n]*@\w|^[^\S\n]*[!%]\w|__\w+__", re.MULTILINE
)
_HANDED = re.compile(r"<<|(?<!\S)[^\s|]*+\|\S*py|\|[ \t]++\S*py")
"""What may hand Python to an interpreter without looking like code otherwise; of a word's bars the first stands for all."""
SURE = "python"
SHELL = "shell"


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
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
    """Give the snippets of a Markdown text, in order of place."""
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    found: list[Snippet] = []
    loose = [True] * len(lines)
    for first, last, info, body in _fences(lines):
        loose[first : last + 1] = [False] * (last + 1 - first)
        language = language_of_info(info) or _shape(body) or _hands_over(body)
        if language:
            found.append(
                Snippet(
                    text=body,
                    language=language,
                    line=first + 2,
                    start=starts[first],
                    end=starts[last + 1],
                    fenced=True,
                )
            )
    found += _indented(lines, loose, starts)
    found += _inline(lines, loose, starts)
    found += _in_prose(lines, loose, starts, found)
    if not found and len(text) <= MOST_CHARACTERS:
        found += _whole(text)
    return tuple(sorted(found, key=lambda snippet: snippet.start))


def _hands_over(body: str) -> str:
    """Give the language of a text that hands Python to an interpreter, as a workflow's steps do; "" for others."""
    return SHELL if find_embedded(body) else ""


def _shape(body: str) -> str:
    language = guess_language(body) if body.strip() else ""
    return "" if language == "unknown" else language


def _fences(lines: list[str]) -> Iterator[tuple[int, int, str, str]]:
    """Give first and last line, info string and body of each fence; one that is not closed goes on to the end."""
    at = 0
    while at < len(lines):
        opened = _FENCE.match(lines[at].rstrip("\r\n"))
        if opened is None:
            at += 1
            continue
        width, mark = len(opened["lead"]), opened["mark"]
        closing = re.compile(rf"^[\s>]*{re.escape(mark[0])}{{{len(mark)},}}\s*$")
        last = next((n for n in range(at + 1, len(lines)) if closing.match(lines[n])), len(lines))
        body = "".join(_without(line, width, quoted=">" in opened["lead"]) for line in lines[at + 1 : last])
        yield at, min(last, len(lines) - 1), opened["info"], body
        at = last + 1


def _without(line: str, width: int, *, quoted: bool) -> str:
    """Take the indentation of a list, or the marks of a quotation, off a line of a fence."""
    if quoted:
        return re.sub(r"^[ \t]*(?:>[ \t]?)+", "", line)
    margin = len(line) - len(line.lstrip(" \t"))
    return line[min(margin, width) :]


def _indented(lines: list[str], loose: list[bool], starts: list[int]) -> Iterator[Snippet]:
    at = 0
    while at < len(lines):
        last = at
        while (
            last < len(lines)
            and loose[last]
            and (_INDENTED.match(lines[last]) or (last > at and not lines[last].strip()))
        ):
            last += 1
        body = "".join(lines[at:last])
        if last > at and not _LIST.match(lines[at]) and (language := _sure_language(body)):
            yield Snippet(
                text=body, language=language, line=at + 1, start=starts[at], end=starts[last], fenced=False
            )
        at = max(last, at + 1)


def _inline(lines: list[str], loose: list[bool], starts: list[int]) -> Iterator[Snippet]:
    for at, line in enumerate(lines):
        for match in _INLINE.finditer(line) if loose[at] and "`" in line else ():
            body = match[2].strip()
            if language := _sure_language(body):
                yield Snippet(
                    text=body,
                    language=language,
                    line=at + 1,
                    start=starts[at] + match.start(2),
                    end=starts[at] + match.end(2),
                    fenced=False,
                )


def _sure_language(body: str) -> str:
    """Give ``python``, or ``shell`` where Python is handed to an interpreter; "" for all else."""
    if _CODE_SIGN.search(body) and guess_language(body) == SURE:
        return SURE
    return _hands_over(body)


def _in_prose(
    lines: list[str], loose: list[bool], starts: list[int], taken: list[Snippet]
) -> Iterator[Snippet]:
    """Give the paragraphs in which ``python -c`` is handed code, outside of what was found already."""
    text = _blanked("".join(lines), taken)
    at = 0
    while at < len(lines):
        last = at
        while last < len(lines) and loose[last] and lines[last].strip():
            last += 1
        body = text[starts[at] : starts[last]]
        if holds_call(body):
            yield Snippet(
                text=body, language=SHELL, line=at + 1, start=starts[at], end=starts[last], fenced=False
            )
        at = max(last, at + 1)


def _blanked(text: str, taken: list[Snippet]) -> str:
    """Give a text with blanks in place of what was taken, each line where it was."""
    pieces, done = [], 0
    for snippet in sorted(taken, key=lambda snippet: snippet.start):
        start = max(snippet.start, done)
        pieces += [text[done:start], " " * (snippet.end - start)]
        done = max(snippet.end, done)
    return "".join([*pieces, text[done:]])


def _whole(text: str) -> Iterator[Snippet]:
    """Take a text for code that is nothing else: a line added to a fence that stands in the file."""
    body = _LIST.sub("", text, count=1)
    language = guess_language(body) if _CODE_SIGN.search(text) or _HANDED.search(text) else ""
    if language == SURE or (language == SHELL and _hands_over(body)):
        yield Snippet(text=body, language=language, line=1, start=0, end=len(text), fenced=False)
