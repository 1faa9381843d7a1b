"""A block of memory as it is used: how near it is to what the agent is, its tags, and a summary; and what a model said of one.

Invariant: plain values. The block itself is kept whole where it stands; a summary is what of it is embedded, staged or shown.
"""

from collections.abc import Collection

from msgspec import Struct


class SelfContext(Struct, frozen=True, kw_only=True):
    """What a block is processed with.

    Attributes:
        tags: Canonical tags that outcomes of the home carry.
        principles: Texts of the constitution in force; a model reads them, the rules go by words of their own.
    """

    tags: Collection[str] = frozenset()
    principles: tuple[str, ...] = ()


class Block(Struct, frozen=True, kw_only=True):
    """What comes of one block.

    Attributes:
        alignment_score: How much it is about how the agent works, 0..1.
        tags: Canonical; those that outcomes carry first.
        summary: Whole sentences of the block, in its order and with its list marks; the block itself where it is short.
    """

    alignment_score: float
    tags: tuple[str, ...]
    summary: str


class Said(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a model said of one block, as far as it may be believed.

    Attributes:
        sentences: Which sentences make the summary, counted from 1.
        tags: Canonical; each is offered by the home or stands in the block.
        alignment_score: 0..1.
    """

    sentences: tuple[int, ...]
    tags: tuple[str, ...]
    alignment_score: float
