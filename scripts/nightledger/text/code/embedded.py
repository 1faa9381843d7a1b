"""Python inside a text of another language: what a shell hands to an interpreter.

``python -c '...'``, here-documents, here-strings, pipes. Only that much of a shell is read; its own
commands stay unaudited.
Invariant: bounded by `MOST_EMBEDDED` pieces; every character of the code keeps its place in the text.
"""

import re
import textwrap
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from nightledger.text.code.language import guess_language
from nightledger.text.code.shell_words import Chars, Word, expand_chars, plain_chars, read_word
from nightledger.text.code.source import MOST_CHARACTERS, parse

MOST_EMBEDDED = 100
"""Pieces of Python that are looked for in one text, of each way of handing it over."""
_INTERPRETER = (
    r"(?:(?<![\w.-])(?:python|pypy|ipython|py)\d*(?:\.\d+)?t?(?:\.exe)?(?![\w./-])"
    r"|\$\{?(?:[A-Z_]{0,40}PYTHON[A-Z0-9_]{0,40}|PY)\b\}?)[\"']?"
)
_GAP = r"(?:[ \t]|\\\n)+"
_OPTION = rf"{_GAP}(?:-[XW][ \t]*[\w:=.]+|-\d[\d.]*|--[\w-]+(?:=[\w.-]+)?|-[a-bd-ln-zA-VY-Z]+)"
_CALL = re.compile(rf"{_INTERPRETER}(?:{_OPTION}){{0,8}}{_GAP}-[a-zA-Z]{{0,8}}c(?:[ \t]|\\\n)*(?=\S)")
_LISTED = re.compile(
    rf"[\"']{_INTERPRETER}\s*,\s*\[?\s*(?:[\"']-[a-zA-Z]{{1,8}}[\"']\s*,\s*){{0,4}}[\"']-[a-zA-Z]{{0,8}}c[\"']\s*,\s*(?=[\"'])"
)
"""The same as a list of words: a container's start, a call of another language."""
_READS = rf"{_INTERPRETER}(?:{_OPTION}){{0,8}}(?:{_GAP}-(?![\w-])|(?=\s*(?:\d?[<>&;|)`\"']|$)))"
_READING = re.compile(_READS, re.MULTILINE)
_PIPED = re.compile(
    rf"\|[ \t]*(?:(?:sudo|env|nohup|exec|command)\b[^|\n]{{0,40}}?[ \t])?(?:[\w.~$-]*/[\w./-]*)?{_READS}",
    re.MULTILINE,
)
_DOCUMENT = re.compile(r"<<-?[ \t]*(?P<quote>['\"\\]?)(?P<end>[A-Za-z_]\w*)")
_HERE_STRING = re.compile(r"<<<[ \t]*(?=\S)")
_ECHO = re.compile(r"\b(?:echo|printf)(?:[ \t]+(?:-[neE]+|--|(['\"])%[sb](?:\\n)?\1))*[ \t]+(?=\S)")
_BLANKS = re.compile(r"[ \t]*")
_TABLE = re.compile(r"\s*\|.*\|\s*")
_HEAD = 4000
"""Characters of a here-document by which its language is told."""
_SCRIPT = re.compile(r"(?:>|\btee\b(?:[ \t]+-\w+)?)[ \t]*[\"']?[\w./~${}-]{0,4096}\.py\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """One piece of Python in a text.

    Attributes:
        code: The code as the interpreter gets it; None where something else gives it when it is run.
        places: For each character of the code its line and column in the text, from 1.
        place: Line and column of what hands it over.
    """

    code: str | None
    places: tuple[tuple[int, int], ...]
    place: tuple[int, int]

    def place_of(self, line: int, column: int) -> tuple[int, int]:
        """Give where in the text a line and a column of the code are; from 1."""
        before = sum(len(one) + 1 for one in (self.code or "").split("\n")[: line - 1])
        at = before + column - 1
        return self.places[at] if at < len(self.places) else self.place


def holds_call(text: str) -> bool:
    """Tell whether somewhere in a text an interpreter may be handed code by ``-c``."""
    return _CALL.search(text) is not None


def find_embedded(text: str) -> tuple[Embedded, ...]:
    """Give the Python that a text hands to an interpreter, in order of place."""
    if len(text) > MOST_CHARACTERS or not ("py" in text or "PY" in text or "<<" in text):
        return ()
    starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def place(at: int) -> tuple[int, int]:
        line = bisect_right(starts, at)
        return line, at - starts[line - 1] + 1

    found: dict[int, Embedded] = {}
    for at, chars in (*_called(text), *_documents(text), *_strings(text), *_piped(text)):
        code = _code(chars)
        offsets = chars.offsets if code is not None else ()
        found.setdefault(
            at, Embedded(code=code, places=tuple(place(one) for one in offsets), place=place(at))
        )
    return tuple(found[at] for at in sorted(found))


def _called(text: str) -> Iterator[tuple[int, Chars]]:
    """Give what stands behind ``-c``."""
    for pattern in (_CALL, _LISTED):
        for match in _limited(pattern, text):
            word = read_word(text, match.end(), listed=pattern is _LISTED)
            if word.closed or word.quoted:
                yield match.start(), _closed(text, word, match.end())


def _closed(text: str, word: Word, start: int) -> Chars:
    """Give a word; of one whose quotes are not closed the line."""
    if word.closed:
        return word.chars
    end = text.find("\n", start)
    return plain_chars(text, start + 1, end if end >= 0 else len(text))


def _documents(text: str) -> Iterator[tuple[int, Chars]]:
    """Give here-documents that an interpreter reads, that become a script, or that look like Python."""
    at = 0
    for _ in range(MOST_EMBEDDED):
        match = _DOCUMENT.search(text, at)
        if match is None:
            return
        at = match.end()
        begin = text.find("\n", at) + 1
        end = re.compile(rf"^[ \t]*{match['end']}[ \t]*[)\"'`]*[ \t]*;?$", re.MULTILINE).search(text, begin)
        if begin and not text.startswith("<<<", match.start()):
            stop = end.start() if end else len(text)
            line = text[text.rfind("\n", 0, match.start()) + 1 : begin]
            body = text[begin:stop]
            if _READING.search(line) or _SCRIPT.search(line) or (end and _looks_so(body)):
                yield begin, (plain_chars if match["quote"] else expand_chars)(text, begin, stop)
                at = stop


def _looks_so(body: str) -> bool:
    """Tell whether a here-document, or its head, is Python that parses."""
    head = body if len(body) <= _HEAD else body[:_HEAD].rpartition("\n")[0]
    return parse(textwrap.dedent(head))[0] is not None and guess_language(head) == "python"


def _strings(text: str) -> Iterator[tuple[int, Chars]]:
    """Give here-strings that an interpreter reads."""
    for match in _limited(_HERE_STRING, text):
        line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if _READING.search(line):
            yield match.start(), read_word(text, match.end()).chars


def _piped(text: str) -> Iterator[tuple[int, Chars]]:
    """Give what is piped into an interpreter: the words of ``echo`` and ``printf``; of others, that it is not told."""
    told = set()
    for match in _limited(_ECHO, text):
        word = read_word(text, match.end())
        blanks = _BLANKS.match(text, word.end)
        piped = _PIPED.match(text, blanks.end() if blanks else word.end)
        if piped is not None:
            told.add(piped.start())
            yield match.start(), word.chars
    for match in _limited(_PIPED, text):
        line = _line(text, match.start())
        if match.start() not in told and "<<" not in line and not _TABLE.fullmatch(line):
            yield match.start(), Chars(text="$", offsets=(match.start(),), expanded=(True,))


def _line(text: str, at: int) -> str:
    """Give the line that a place is on."""
    end = text.find("\n", at)
    return text[text.rfind("\n", 0, at) + 1 : end if end >= 0 else len(text)]


def _limited(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    for _, match in zip(range(MOST_EMBEDDED), pattern.finditer(text), strict=False):
        yield match


def _code(chars: Chars) -> str | None:
    """Give the code, of the same length: as it stands, else with names for what the shell puts in, and its ends of lines."""
    if chars.text.strip() and all(chars.expanded):
        return None
    named = "".join(
        char if not so or char.isalnum() else "_" for char, so in zip(chars.text, chars.expanded, strict=True)
    )
    spelled = named.replace("\\n", " \n")
    return next((code for code in (chars.text, named, spelled) if parse(code)[0] is not None), named)
