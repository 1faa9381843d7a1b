"""Told wordings found again in a text, however it is written: wrapped, marked up, in scripts with and without spaces; and what was forgotten, told again in other words.

A line is read in two ways: with every letter that stands in it, addresses and attributes included, and
as a reader sees it, without markup and what stands before a list item. Letters and digits alone are compared,
from where a word begins to where one ends; accents, hidden characters, blanks and line ends count nothing.

Invariant: wording alone counts: no markup, case, punctuation or line end hides a phrase. A claim with another number is another
claim; everything else that is told this alike is taken for the same, a denial too: whoever has a
sentence forgotten wants to hear no more of it.
"""

import re
import unicodedata
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b

from msgspec import Struct

from nightledger.text.markdown.document import unescaped
from nightledger.text.similar import APOSTROPHE, UNSPACED, dice, numbers, shingles
from nightledger.text.statements.wording import claims_of

SHORTEST = 12
"""Letters of a wording below which it names nothing that could be told apart. Our choice."""
_LETTERS = 3
"""A letter of a script without spaces says about as much as so many of one with spaces. Our choice."""
_START = 4
"""Letters by which phrases are looked up: the shortest that tells, of a script without spaces, has so many."""
_ASCII_WORD = re.compile(r"[0-9a-z]+")
_SPEAKER = r"(?i:user|assistant|system|human|tool)\**:"
_MARKED = re.compile(rf"[<\[]|^[\s>*+\u2022-]*(?:\d|{_SPEAKER})")
"""What a line must hold for the two ways to read it to differ. One part alone takes the stars before a speaker: two that
share them try each way to do so."""
_FEWEST = 4
"""Letters of a phrase below which its hash is not kept: it would hide too much that has nothing to do with it. Our choice."""
_WORDS = 3
"""Words of a line below which it is common, unless a word holds letters and digits: "Troubleshooting", "then run". Our choice."""
_CODE = re.compile(r"(?<!\S)(?=\S*\d)(?=\S*[^\W\d_])\S{8,}")
"""A word that looks like a password, an id or a host."""
_LABEL = re.compile(r"^[\s>*+\u2022-]*\w{3,12}:\**\s+")
"""The word that tells what an entry is, "Lesson:"; without it the line says the same."""
_HASHED = re.compile(r"([0-9]{1,7}):([0-9a-f]{4})[0-9a-f]{16}")
_PERCENT = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_SEEN_AS = (
    (re.compile(r"<!--.{0,400}?-->|</?[A-Za-z][^<>]*>"), " "),
    (re.compile(r"\[\^[^\[\]]*\]"), " "),
    (re.compile(r"\[\[[^\[\]|]*\|([^\[\]]*)\]\]"), r"\1"),
    (re.compile(r"!?\[([^\[\]]*)\]\((?:[^()]|\([^()]*\))*\)"), r"\1"),
    (re.compile(r"\[([^\[\]]*)\]\[[^\[\]]*\]"), r"\1"),
    (
        re.compile(
            r"^[\s>]*(?:(?:[-*+\u2022]|\d{1,9}[.)])\s+)?(?:\[[ xX~-]\]\s+)?"
            r"(?:\*{0,2}\[?(?:\w{3} )?(?:\d{4}-\d\d-\d\d[ T])?\d{1,2}:\d\d(?::\d\d)?(?: ?(?:[AP]M|UTC|GMT|CES?T|[ECMP][SD]T)\b)?\]?[\s:*\u2013-]+)?"
            rf"(?:\**{_SPEAKER}\**\s)?"
        ),
        "",
    ),
)
"""Comments, tags, footnotes, links; marks, boxes, times and speakers before what a line says."""


def phrase(text: str) -> str:
    """Give the wording of a text, all of it: words of letters and digits, joined by blanks."""
    return " ".join(_all_of(text))


def phrases_of(text: str) -> tuple[str, ...]:
    """Give the wordings of a text: all of it, and what a reader sees of it; none where it has no letter."""
    return tuple(filter(None, dict.fromkeys((" ".join(_seen_of(text)), phrase(text)))))


def is_telling(wording: str) -> bool:
    """Tell whether a phrase is long enough to be known again within a longer text; a shorter one is by its line alone."""
    if len(wording) >= SHORTEST or wording.isascii():
        return len(wording) >= SHORTEST
    return len(wording) + (_LETTERS - 1) * len(UNSPACED.findall(wording)) >= SHORTEST


class Phrases:
    """Phrases to look for.

    Args:
        said: Why each is looked for, by the phrase, as `phrase` gives it.
    """

    def __init__(self, said: Mapping[str, str]) -> None:
        self._by_start: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        self._lines: dict[str, str] = {}
        for wording, why in said.items():
            letters = wording.replace(" ", "")
            if is_telling(wording):
                self._by_start[letters[:_START]].append((letters, why))
            elif letters:
                self._lines[letters] = why

    def find(self, lines: Iterable[tuple[int, str]]) -> dict[int, str]:
        """Give the lines that say a phrase, alone or together with those around them, each with why.

        Args:
            lines: Number and text of lines that follow each other.
        """
        return {n: why for first, last, why in self.places(lines) for n in range(first, last + 1)}

    def places(self, lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, int, str]]:
        """Give first and last line of each place of each phrase, with why.

        Args:
            lines: Number and text of lines that follow each other.
        """
        for told in _tellings(lines) if self._by_start or self._lines else ():
            yield from ((n, n, self._lines[letters]) for n, letters in told.lines if letters in self._lines)
            yield from told.say(self._by_start)


class HashedPhrases:
    """Phrases of which only keyed hashes are kept, to be found again in a text.

    Args:
        hashes: As `hash_phrase` gives them; anything else finds nothing.
        key: What they were made with.
    """

    def __init__(self, hashes: Iterable[str] = (), key: bytes = b"") -> None:
        matches = [match for match in map(_HASHED.fullmatch, hashes) if match]
        self._hashes = frozenset(match[0] for match in matches)
        self._sizes = sorted({int(match[1]) for match in matches})
        self._starts = frozenset(match[2] for match in matches)
        self._known: dict[str, bool] = {}
        self._key = key

    def __bool__(self) -> bool:
        return bool(self._hashes)

    @property
    def hashes(self) -> list[str]:
        """What is looked for, sorted."""
        return sorted(self._hashes)

    @property
    def telling(self) -> "HashedPhrases":
        """Return those that are long enough to be told apart from common words."""
        return HashedPhrases(
            (one for one in self._hashes if int(one.partition(":")[0]) >= SHORTEST), self._key
        )

    def said_in(self, text: str) -> bool:
        """Tell whether a text says a phrase."""
        return bool(self.lines_in(text.split("\n")))

    def lines_in(self, lines: Sequence[str]) -> frozenset[int]:
        """Return the numbers, from 1, of the lines that say a phrase, alone or together with those around them."""
        found: set[int] = set()
        for told in _tellings(enumerate(lines, 1)) if self._hashes else ():
            for first, last in told.hold(self._sizes, self._holds):
                found.update(range(first, last + 1))
        return frozenset(found)

    def _holds(self, letters: str) -> bool:
        """Tell whether letters are a phrase: by their start first, which is hashed once for many."""
        start = letters[:_START]
        if start not in self._known:
            self._known[start] = _digest(start, self._key, 2) in self._starts
        return self._known[start] and _hash(letters, self._key) in self._hashes

    def without(self, text: str) -> str:
        """Return a text in which the lines that say a phrase are blank, and as long as they were: the others keep their places."""
        lines = text.split("\n")
        told = self.lines_in(lines)
        return "\n".join(" " * len(line) if n in told else line for n, line in enumerate(lines, 1))


NO_PHRASES = HashedPhrases()


def telling_lines(lines: Sequence[str]) -> tuple[str, ...]:
    """Return the lines by which a text is known again: no headings and no common words, unless there is nothing else."""
    return tuple(filter(_tells, lines)) or tuple(sorted(lines, key=len)[-1:])


def _tells(line: str) -> bool:
    wording = phrase(line)
    long = wording.count(" ") + 1 >= _WORDS or UNSPACED.search(wording)
    return not line.lstrip().startswith("#") and bool(_CODE.search(line) or (long and is_telling(wording)))


def hash_phrase(text: str, key: bytes) -> tuple[str, ...]:
    """Return the keyed hashes of a text's wordings, with and without a label before it, each behind its number of letters.

    There is none of a wording of three letters or fewer.

    Args:
        text: One line.
        key: Who lacks it cannot try texts against the hashes.
    """
    bare = _LABEL.sub("", text)
    both = (text, bare) if _tells(bare) else (text,)
    wordings = dict.fromkeys(wording.replace(" ", "") for one in both for wording in phrases_of(one))
    return tuple(_hash(letters, key) for letters in wordings if len(letters) >= _FEWEST)


def _hash(letters: str, key: bytes) -> str:
    """Return the number of letters, two bytes of hash of how they start, and eight of all of them."""
    return f"{len(letters)}:{_digest(letters[:_START], key, 2)}{_digest(letters, key, 8)}"


def _digest(letters: str, key: bytes, size_bytes: int) -> str:
    return blake2b(letters.encode(), key=key, digest_size=size_bytes).hexdigest()


def _tellings(lines: Iterable[tuple[int, str]]) -> Iterator["_Told"]:
    """Yield lines in each of the ways to read them that differ."""
    known = list(lines)
    for read in (_all_of, _seen_of) if any(_MARKED.search(line) for _, line in known) else (_all_of,):
        yield _Told((number, read(line)) for number, line in known)


class _Told:
    """Words of lines as one run of letters, with where words begin and end in it.

    Attributes:
        lines: Number and letters of each line that has any.
    """

    def __init__(self, lines: Iterable[tuple[int, Sequence[str]]]) -> None:
        self.lines: list[tuple[int, str]] = []
        self._starts, self._borders, size = list[int](), {0}, 0
        for number, words in lines:
            if words:
                self._starts.append(size)
                self.lines.append((number, "".join(words)))
            for word in words:
                for letter in () if word.isascii() else UNSPACED.finditer(word):
                    self._borders |= {size + at for at in letter.span()}
                size += len(word)
                self._borders.add(size)
        self._text = "".join(letters for _, letters in self.lines)

    def say(self, by_start: Mapping[str, Sequence[tuple[str, str]]]) -> Iterator[tuple[int, int, str]]:
        """Give first and last line of each place of each phrase, with why."""
        for at in sorted(self._borders):
            for letters, why in by_start.get(self._text[at : at + _START], ()):
                end = at + len(letters)
                if end in self._borders and self._text.startswith(letters, at):
                    yield self._line(at), self._line(end - 1), why

    def hold(self, sizes: Sequence[int], is_it: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
        """Give first and last line of each run of words that has one of some numbers of letters and is what is looked for."""
        for size in sizes:
            for at in self._borders & {border - size for border in self._borders}:
                if is_it(self._text[at : at + size]):
                    yield self._line(at), self._line(at + size - 1)

    def _line(self, at: int) -> int:
        return self.lines[bisect_right(self._starts, at) - 1][0]


def _all_of(line: str) -> Sequence[str]:
    """Give the words of a line, everything in it that has letters included."""
    return _words(_spelled_out(line))


def _seen_of(line: str) -> Sequence[str]:
    """Give the words of a line that a reader sees, without what stands before an item."""
    plain = _spelled_out(line)
    for mark, instead in _SEEN_AS if _MARKED.search(line) else ():
        plain = mark.sub(instead, plain)
    return _words(plain)


def _spelled_out(line: str) -> str:
    """Give a line with the letters that stand in it as HTML's and addresses' codes."""
    if "&" in line:
        line = unescaped(line)
    if "%" in line:
        from urllib.parse import unquote

        line = _PERCENT.sub(lambda match: unquote(match[0]), line)
    return line


def _words(text: str) -> Sequence[str]:
    """Give words of letters and digits in one spelling: small, without accents, width or hidden characters."""
    plain = APOSTROPHE.sub("", text)
    if plain.isascii():
        return _ASCII_WORD.findall(plain.lower())
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", plain).casefold())
    letters = "".join(c if c.isalnum() or c.isspace() else _instead(c) for c in folded)
    return unicodedata.normalize("NFC", letters).split()


def _instead(character: str) -> str:
    """Give nothing for a mark on a letter or a character without a glyph, a blank for any other sign."""
    return "" if unicodedata.category(character) in ("Mn", "Me", "Cf") else " "


RETOLD = 0.6
"""Dice coefficient of letter trigrams from which a claim is the forgotten one told again. On ten invented
retellings of one sentence the least was .69, on eight other sentences about the same things the most .43."""
HELD = 0.8
"""Or the longer of the two holds this share of the shorter one ..."""
LEAST_PIECES = 30
"""... of some six words at least: a shorter one stands in many sentences."""
_MARK = re.compile(r"\s*(?:[-*+\u2022>|]|\d{1,9}[.)]\s|#{1,6}\s)")
"""What begins a line that does not go on with the sentence before it."""
_SENTENCE_END = re.compile(r"[.!?;](?=\s)|[\u3002\uff01\uff1f\uff1b]")


class _Claim(Struct, frozen=True):
    pieces: frozenset[int]
    numbers: frozenset[str]


class Forgotten:
    """Claims that are not to be learned again.

    Args:
        texts: What was forgotten, entries as they stood.
        expunged: What was expunged, of which no text is kept.

    Attributes:
        expunged: The same.
        phrases: Their claims as phrases, for what shows them word by word in a longer line, beside other numbers.
    """

    def __init__(self, texts: Iterable[str], expunged: HashedPhrases = NO_PHRASES) -> None:
        self.expunged = expunged
        said = [line for text in texts for line in claims_of(text)]
        self._claims = tuple(dict.fromkeys(claim for claim in map(_claim, said) if claim.pieces))
        self.phrases = tuple(dict.fromkeys(wording for line in said for wording in phrases_of(line)))

    def __bool__(self) -> bool:
        return bool(self._claims) or bool(self.expunged)

    def of_signed(self) -> "Forgotten":
        """Return what holds of signed entries: an expunge cut its bytes out of them, so a common word hides none."""
        signed = Forgotten((), self.expunged.telling)
        signed._claims, signed.phrases = self._claims, self.phrases
        return signed

    def holds(self, text: str) -> bool:
        """Tell whether a text claims again what was forgotten, one of its lines at least, or says what was expunged."""
        if self.expunged.said_in(text):
            return True
        return bool(self._claims) and any(
            _same(told, claim) for told in map(_claim, claims_of(text)) for claim in self._claims
        )

    def told_in(self, lines: Sequence[str]) -> frozenset[int]:
        """Give the lines of each paragraph or item of a text that claims again, wrapped or not, what was forgotten.

        A line that says what was expunged is one of them.

        Args:
            lines: All of them; the first is number 1.
        """
        told = set(self.expunged.lines_in(lines))
        for first, last, sentence in _sentences(lines) if self._claims else ():
            if self.holds(sentence):
                told |= set(range(first, last + 1))
        return frozenset(told)


def _sentences(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Give paragraphs and items, and their sentences, each with the first and last line of its paragraph."""
    for start, end in _paragraphs(lines):
        text = " ".join(line.strip() for line in lines[start:end])
        for said in (text, *_SENTENCE_END.split(text)):
            if said.strip():
                yield start + 1, end, _bare(said)


def _paragraphs(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Give where items and paragraphs begin and where they are over; blank lines are in none."""
    start = 0
    for at, line in enumerate([*lines, ""]):
        ends = not line.strip() or _MARK.match(line) or lines[at - 1].startswith("#")
        if ends and start < at:
            yield start, at
        if ends:
            start = at if line.strip() else at + 1


def _bare(text: str) -> str:
    return text.strip().lstrip("-*+ ")


def _claim(text: str) -> _Claim:
    return _Claim(shingles(text), numbers(text))


def _same(told: _Claim, forgotten: _Claim) -> bool:
    if told.numbers and forgotten.numbers and told.numbers != forgotten.numbers:
        return False
    if dice(told.pieces, forgotten.pieces) >= RETOLD:
        return True
    least = min(len(told.pieces), len(forgotten.pieces))
    return least >= LEAST_PIECES and len(told.pieces & forgotten.pieces) >= HELD * least
