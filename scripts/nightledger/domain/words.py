"""What counts as a name: the rules of identifiers, labels, paths and moments in records.

Invariant: every ``read_x`` gives the one stored form of its input, and gives that form
back unchanged; whatever else it is given ends in a ``ValueError`` that says what to
write instead. Standard library only and cheap to import: the outcome logger runs these
rules at each start.

Ids derived from content, so that a rerun gives the same id.
"""

import base64
import hashlib
import re
from collections.abc import Sequence
from datetime import UTC, datetime

MAX_LABEL_CHARACTERS = 128
MAX_PATH_CHARACTERS = 512
SHOWN_CHARACTERS = 40
"""How much of a wrong value a message repeats."""

_MOST_DIGITS = 18
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?([Zz]|[+-]\d\d:\d\d)?", re.ASCII)
_IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:+@/-]*")
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""General categories without a glyph of their own (UAX 44 section 5.7.1): nobody could see them in a diff."""
_JOINERS = "\u200c\u200d"
"""Persian, Indic scripts and emoji need them (Unicode 15 section 23.2); Latin does not."""
_FIRST_JOINING_SCRIPT = 0x0590
_NAME_CATEGORIES = ("L", "M", "N")
_NAME_MARKS = frozenset("_.:+@/-")
_BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters, marks and a sign that leave the paper blank: default-ignorable without being a format
character (Unicode 15, DerivedCoreProperties.txt; not the selectors that Mongolian and emoji need),
and the braille blank."""
_SUPPLEMENT = range(0xE0100, 0xE01F0)
"""Variation selectors 17 to 256: can smuggle bytes after any character."""


def show(value: object) -> str:
    """Give a value for a message: on one line, escaped, cut after 40 characters."""
    text = value if isinstance(value, str) else repr(value)
    if len(text) <= SHOWN_CHARACTERS:
        return repr(text) if isinstance(value, str) else text
    return f"{text[:SHOWN_CHARACTERS]!r}... ({len(text)} characters)"


def count_of(number: int, one: str, many: str = "") -> str:
    """Return a number with what it counts: ``1 change``, ``2 changes``, ``1 entry waits``.

    Args:
        number: How many.
        one: What one of them is called, and does.
        many: The same of several; empty where it is ``one`` with an s.
    """
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def numbered(numbers: Sequence[int]) -> str:
    """Return the numbers of some changes: ``change 3``, ``changes 1, 2``."""
    return f"change{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"


def number_of(digits: str) -> int:
    """Give the number that decimal digits write; more of them than a count can have give 10^18, which counts nothing.

    ``int`` itself ends in an error of its own from 4,301 digits on.
    """
    return int(digits) if len(digits) <= _MOST_DIGITS else 10**_MOST_DIGITS


def folded(text: str) -> str:
    """Give a text in small letters, alike for all that ``re.IGNORECASE`` takes for the same.

    To it the Turkish i with and without its dot is an i; to ``str.casefold`` each is a letter of its own.
    """
    return text.replace("\u0130", "i").replace("\u0131", "i").casefold()


def normal(text: str) -> str:
    """Give the NFC form (UAX 15); ASCII text is its own."""
    if text.isascii():
        return text
    import unicodedata

    return unicodedata.normalize("NFC", text)


def unseen_character(text: str) -> str:
    """Give the first character that nobody could see, as ``U+200B``; "" when there is none."""
    if text.isascii():
        return "" if text.isprintable() else next(f"U+{ord(c):04X}" for c in text if not c.isprintable())
    import unicodedata

    for before, character in zip(" " + text, text, strict=False):
        if character in _JOINERS and ord(before) >= _FIRST_JOINING_SCRIPT:
            continue
        if (
            unicodedata.category(character) in _UNSEEN
            or character in _BLANKS
            or ord(character) in _SUPPLEMENT
        ):
            return f"U+{ord(character):04X}"
    return ""


def read_text(value: object) -> str:
    """Give the value when it is a string that UTF-8 can write and that is not empty.

    Raises:
        ValueError: Saying what is wrong.
    """
    if not isinstance(value, str):
        raise ValueError(f"must be text, not {show(value)}")  # noqa: TRY004 - a record's content is wrong, not our call
    if not value:
        raise ValueError("is empty")
    if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
        raise ValueError(f"{show(value)} holds half a surrogate pair, which UTF-8 cannot write")
    return value


def _require_within(text: str, limit: int) -> None:
    if len(text) > limit:
        raise ValueError(f"has {len(text)} characters; at most {limit}")


def _require_seen(text: str, told: str = "") -> None:
    if unseen := unseen_character(text):
        raise ValueError(f"{show(told or text)} holds {unseen}, which cannot be seen")


def read_identifier(value: object, limit: int) -> str:
    """Give an identifier in NFC: a letter or digit, then letters, digits and ``_ . : + @ / -``; never prose.

    Args:
        value: What was given.
        limit: How many characters it may have.

    Raises:
        ValueError: Saying what is wrong, with an identifier to write instead where there is one.
    """
    text = normal(read_text(value))
    _require_within(text, limit)
    if _is_identifier(text):
        return text
    instead = re.sub(r"[^\w.:+@/-]+", "_", text.casefold()).strip("_.:+@/-")
    better = f"; write {instead}" if _is_identifier(instead) else ""
    raise ValueError(f"{show(value)} is not an identifier (letters, digits and _ . : + @ / -){better}")


def read_label(value: object, limit: int = MAX_LABEL_CHARACTERS) -> str:
    """Give a label in NFC: one line of visible characters, no space at its ends.

    Args:
        value: What was given.
        limit: How many characters it may have.

    Raises:
        ValueError: Saying what is wrong.
    """
    text = normal(read_text(value))
    _require_within(text, limit)
    _require_seen(text)
    if text != text.strip():
        raise ValueError(f"{show(value)} begins or ends with a space")
    return text


def read_path(value: object, *, anchor: bool = False) -> str:
    """Give a path inside the home, ``/`` between its parts; as it is, never normalised.

    Args:
        value: What was given.
        anchor: Allow ``#`` and the name of a place in the file behind it.

    Raises:
        ValueError: For an absolute path, ``.``, ``..`` or nothing between two slashes, a backslash,
            a character that cannot be seen, an empty anchor, more than 512 characters.
    """
    text = read_text(value)
    _require_within(text, MAX_PATH_CHARACTERS)
    _require_seen(text)
    path, mark, name = text.partition("#") if anchor else (text, "", "")
    if mark and not name:
        raise ValueError(f"{show(value)} ends with # but names no place")
    if text.startswith("/"):
        raise ValueError(f"{show(value)} is absolute; write it relative to the home")
    if "\\" in path or any(part in ("", ".", "..") for part in path.split("/")):
        raise ValueError(
            f"{show(value)} is not a plain path inside the home (no '..', '.', '//' or backslash)"
        )
    return text


def read_moment(value: object) -> datetime:
    """Give an RFC 3339 time with a zone, in UTC, to the microsecond.

    Any offset names one instant, so a time within a clock change needs no guess.

    Raises:
        ValueError: For another form, no zone, a day or hour that does not exist, a year out of range.
    """
    text = read_text(value)
    found = _MOMENT.fullmatch(text)
    if found is None:
        raise ValueError(f"{show(value)} is not a time; write 2026-02-28T03:05:00Z")
    if found[1] is None:
        raise ValueError(f"{show(value)} has no zone; end it with Z or an offset such as +01:00")
    if text[11:13] == "24":  # the next midnight to Python 3.14, no time to those before
        raise ValueError(f"{show(value)} does not exist (hour must be in 0..23)")
    try:
        return datetime.fromisoformat(text.upper()).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{show(value)} does not exist ({error})") from error


def dump_moment(moment: datetime) -> str:
    """Give the stored form: ``2026-02-28T03:05:00Z``, six decimals where there are microseconds.

    Args:
        moment: Aware; any zone.
    """
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"


def _is_identifier(text: str) -> bool:
    if text.isascii():
        return _IDENTIFIER.fullmatch(text) is not None
    import unicodedata

    kinds = [unicodedata.category(character)[0] for character in text]
    if kinds[0] not in ("L", "N"):
        return False
    return all(
        kind in _NAME_CATEGORIES or character in _NAME_MARKS
        for kind, character in zip(kinds, text, strict=True)
    ) and not unseen_character(text)


MAX_TAG_CHARACTERS = 64
MAX_TAGS = 32
"""496 pairs a record; more tags than that say nothing about any of them."""
_SEPARATORS = re.compile(r"[\s/-]+")


def canonical_tag(text: str) -> str:
    """Give the one spelling of a tag: ``" Time-Zone"`` and ``"time zone"`` are ``time_zone``.

    NFC(casefold(NFC(x))) (Unicode 15 section 3.13, D146, with NFC for NFD); then runs of
    white space, ``-`` and ``/`` become ``_``. White space at the ends is dropped first.
    """
    folded = normal(normal(text.strip()).casefold())
    return _SEPARATORS.sub("_", folded)


def read_tag(value: object) -> str:
    """Give a tag's canonical form.

    Raises:
        ValueError: When it is no text, empty, longer than 64 characters, or holds a character that cannot be seen.
    """
    text = read_text(value)
    tag = canonical_tag(text)
    if not tag.strip("_"):
        raise ValueError(f"{show(text)} is empty")
    if len(tag) > MAX_TAG_CHARACTERS:
        raise ValueError(f"{show(text)} is longer than {MAX_TAG_CHARACTERS} characters")
    _require_seen(tag, text)
    return tag


RESULTS = ("success", "partial", "failure")
ORIGINS = ("owner", "agent", "tool", "web", "group", "system", "unknown")
SIGNALS = ("explicit", "exit_code", "test", "tool_error", "user_correction", "revert")

MAX_IDENTIFIER_CHARACTERS = 80
MAX_NOTE_CHARACTERS = 2000
MAX_EVIDENCE = 32
MAX_SHOWN = 64
MAX_SHOWN_CHARACTERS = 160
MAX_DURATION_S = 31_536_000
"""A year; a longer task was not one task."""
MAX_LINE = 2**31 - 1
MAX_AHEAD_S = 300
"""How far a record's time may lie ahead of ours: clocks that are kept by NTP differ by less."""

ID_CHARACTERS = 26
"""130 bits of SHA-256 in base32: collisions by accident are out of reach."""


def content_id(prefix: str, identity: bytes) -> str:
    """Give ``<prefix>-`` and 26 characters of lower-case base32 of SHA-256.

    Args:
        prefix: One letter: ``o`` outcome, ``p`` proposal, ``d`` decision, ``e`` entry.
        identity: Canonical bytes of the identity fields; never a creation time.
    """
    return digest_id(prefix, hashlib.sha256(identity).digest())


def digest_id(prefix: str, digest: bytes) -> str:
    """Give the id of an identity whose SHA-256 is known: what `content_id` gives for its bytes."""
    return f"{prefix}-{base64.b32encode(digest).decode('ascii')[:ID_CHARACTERS].lower()}"
