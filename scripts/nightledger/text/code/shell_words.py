"""One word of a shell's line: what a program is handed, with the place that each character came from.

After POSIX.1-2017, Shell Command Language, 2.2 Quoting; and ``$'...'`` of bash and zsh.
Invariant: linear in the word; whatever the text, a word ends within `LONGEST` characters.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

LONGEST = 20_000
"""Characters of a word that are read; what is longer is not closed."""
_ENDS = frozenset(" \t\n|&;<>()")
_ESCAPED = frozenset('"\\$`')
"""What a backslash keeps from its meaning within double quotes."""
_IDIOMS = ("'\\''", "'\"'\"'")
"""How a single quote is written within single quotes."""
_ANSI = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}
_EXPANDED = re.compile(
    r"\$(?:\w+|\{[^}\n]*\}|\((?:[^()\n]|\((?:[^()\n]|\([^()\n]*\))*\))*\)|[@*#?!$])|`[^`\n]*`"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chars:
    """Some characters, and where in the text each one stands.

    Attributes:
        text: The characters.
        offsets: For each its offset in the text.
        expanded: For each whether the shell puts something else in its place.
    """

    text: str
    offsets: tuple[int, ...]
    expanded: tuple[bool, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A word of a shell's line.

    Attributes:
        chars: What the program is handed.
        end: One past the word in the text.
        closed: Whether its quotes are closed.
        quoted: Whether any of it is quoted.
    """

    chars: Chars
    end: int
    closed: bool
    quoted: bool


def plain_chars(text: str, start: int, end: int) -> Chars:
    """Give a part of a text as it stands."""
    return Chars(
        text=text[start:end], offsets=tuple(range(start, end)), expanded=(False,) * max(end - start, 0)
    )


def expand_chars(text: str, start: int, end: int) -> Chars:
    """Give a part of a text as a here-document whose delimiter is not quoted hands it over."""
    reader = _Reader([(text[at], at) for at in range(start, end)])
    reader.expanding(stop="", escaped=frozenset("\\$`"))
    return reader.chars()


def read_word(text: str, at: int, *, listed: bool = False) -> Word:
    r"""Read the word that begins at ``at``; of a list of quoted words one of these.

    Where it begins with ``\"`` the line itself stands within double quotes, and with ``'\''`` within single ones:
    these are taken off.
    """
    stream = [(text[n], n) for n in range(at, min(len(text), at + LONGEST))]
    while len(stream) > 1 and stream[0][0] == "\\" and stream[1][0] in _ESCAPED:
        stream = _unescape(stream)
    idiom = next((one for one in _IDIOMS if text.startswith(one, at)), "")
    if idiom:
        stream = _collapse(stream, idiom)
    reader = _Reader(stream)
    closed = reader.part() if listed else reader.word()
    end = stream[reader.at][1] if reader.at < len(stream) else stream[-1][1] + 1 if stream else at
    return Word(chars=reader.chars(), end=end, closed=closed, quoted=reader.quoted)


def _unescape(stream: Sequence[tuple[str, int]]) -> list[tuple[str, int]]:
    """Take one level of backslashes off, up to the quote that ends the level."""
    kept, at = [], 0
    while at < len(stream) and stream[at][0] != '"':
        if stream[at][0] == "\\" and at + 1 < len(stream) and stream[at + 1][0] in _ESCAPED:
            at += 1
        kept.append(stream[at])
        at += 1
    return kept


def _collapse(stream: Sequence[tuple[str, int]], idiom: str) -> list[tuple[str, int]]:
    """Put one quote for each way of writing it within quotes, up to the quote that ends these."""
    text = "".join(char for char, _ in stream)
    kept, at = [], 0
    while at < len(stream):
        told = text.startswith(idiom, at)
        if text[at] == "'" and not told:
            break
        kept.append(stream[at])
        at += len(idiom) if told else 1
    return kept


class _Reader:
    """Reads a stream of characters once, from left to right."""

    def __init__(self, stream: Sequence[tuple[str, int]]) -> None:
        self._stream = stream
        self._text = "".join(char for char, _ in stream)
        self._kept: list[tuple[str, int, bool]] = []
        self._line_end = self._last_brace = -1
        self.at = 0
        self.quoted = False

    def chars(self) -> Chars:
        return Chars(
            text="".join(char for char, _, _ in self._kept),
            offsets=tuple(offset for _, offset, _ in self._kept),
            expanded=tuple(so for _, _, so in self._kept),
        )

    def word(self) -> bool:
        """Read one word; tell whether its quotes are closed. A quote that is not, behind others, ends an outer one."""
        while self.at < len(self._stream) and self._text[self.at] not in _ENDS:
            before = (self.at, len(self._kept), self.quoted)
            if not self.part():
                if before[2]:
                    self.at = before[0]
                    del self._kept[before[1] :]
                return before[2]
        return True

    def part(self) -> bool:
        """Read what is quoted in one way, or one character that is not."""
        char = self._text[self.at]
        ansi = self._text.startswith("$'", self.at)
        if char in "'\"" or ansi:
            self.quoted = True
            self.at += 2 if ansi else 1
            return self._ansi() if ansi else self._single() if char == "'" else self.expanding(stop='"')
        if char == "\\":
            goes_on = self._text.startswith("\n", self.at + 1)
            self.at += 2 if goes_on else 1
            self._take(0 if goes_on else 1)
        elif not self._expansion():
            self._take(1)
        return True

    def expanding(self, *, stop: str, escaped: frozenset[str] = _ESCAPED) -> bool:
        """Read up to ``stop`` as within double quotes; tell whether it was found."""
        while self.at < len(self._stream):
            char, following = self._text[self.at], self._text[self.at + 1 : self.at + 2]
            if char == stop:
                self.at += 1
                return True
            if char == "\\" and following == "\n":
                self.at += 2
            elif char == "\\" and following in escaped and following:
                self.at += 1
                self._take(1)
            elif not self._expansion():
                self._take(1)
        return False

    def _single(self) -> bool:
        end = self._text.find("'", self.at)
        self._take((end if end >= 0 else len(self._text)) - self.at)
        self.at += end >= 0
        return end >= 0

    def _ansi(self) -> bool:
        while self.at < len(self._stream):
            char, following = self._text[self.at], self._text[self.at + 1 : self.at + 2]
            if char == "'":
                self.at += 1
                return True
            if char == "\\" and following in _ANSI:
                self._kept.append((_ANSI[following], self._stream[self.at][1], False))
                self.at += 2
            else:
                self._take(1)
        return False

    def _expansion(self) -> bool:
        if self._text[self.at] not in "$`" or self._is_endless():
            return False
        match = _EXPANDED.match(self._text, self.at)
        if match is None:
            return False
        self._keep(self._stream[self.at : match.end()], expanded=True)
        self.at = match.end()
        return True

    def _is_endless(self) -> bool:
        """Tell whether a ``${`` begins here that its line does not end: of thousands each would be gone through."""
        if not self._text.startswith("${", self.at):
            return False
        if self.at >= self._line_end:
            end = self._text.find("\n", self.at)
            self._line_end = end if end >= 0 else len(self._text)
            self._last_brace = self._text.rfind("}", self.at, self._line_end)
        return self._last_brace < self.at

    def _take(self, count: int) -> None:
        self._keep(self._stream[self.at : self.at + count], expanded=False)
        self.at += count

    def _keep(self, chars: Iterable[tuple[str, int]], *, expanded: bool) -> None:
        self._kept += [(char, offset, expanded) for char, offset in chars]
