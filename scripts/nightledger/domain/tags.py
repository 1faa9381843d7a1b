"""Tags: what an outcome was about, in one spelling.

Invariant: ``canonical_tag`` is idempotent, so a stored tag is its own canonical form.
"""

import re

from nightledger.domain.words import normal, read_text, show, unseen_character

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start

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
    if unseen := unseen_character(tag):
        raise ValueError(f"{show(text)} holds {unseen}, which cannot be seen")
    return tag
