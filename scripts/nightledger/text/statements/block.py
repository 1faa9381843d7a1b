"""What a block of memory comes to, in one call: alignment, tags and a summary; by rules, or by what a model said of it.

Invariant: a summary is the block without some of its sentences. Each that stays is whole, with what it leans on, what introduces it
and what beside it takes it back; so no number, date, path, name or hedge is added to it or cut out of it.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache

import msgspec
from msgspec import Struct

from nightledger.domain.consolidation import Block, Said, SelfContext
from nightledger.domain.words import read_tag
from nightledger.files.home import shipped_config
from nightledger.text.markdown.blocks import introduces
from nightledger.text.patterns import pattern
from nightledger.text.statements.cues import find_cues, words_of
from nightledger.text.statements.estimate import split_label, tells_result
from nightledger.text.statements.sentences import sentences_of
from nightledger.text.statements.wording import alignment_of, claims_something, leans

FEW_WORDS = 6
"""A sentence of no more may take back the one beside it: "Not any more.", "Only on staging."."""
_MARK = re.compile(r"\s*(?:(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX~-]\]\s+)?|>\s*)?")
_ALONE = re.compile(r"\s*(?:$|\||#|\*\*|(?:[-*+]|\d{1,9}[.)])\s|>)")
"""A line that is no continuation of the one before: empty, a row, a heading, a label, an item."""
_CLOSED = re.compile(r"\s*(?:\||#|```|~~~)")
"""A line that nothing goes on with: a row, a heading, code."""
_FENCE = re.compile(r"\s*(?:```|~~~)")
_SPEAKER = "self"
"""The cue of a sentence that only its speaker can say: "I", "our"."""
_ENDS = "retire"
"""The cue of a sentence that says what no longer holds."""
_TAG_WORDS = 3


class Limits(Struct, frozen=True, kw_only=True):
    """``config/blocks.json``.

    Attributes:
        limit_characters: A block of no more is its own summary.
        most_characters: A longer summary, unless it is one sentence, is not taken from a model.
        most_tags: Tags of one block.
    """

    limit_characters: int
    most_characters: int
    most_tags: int


@cache
def limits() -> Limits:
    """Return the shipped limits."""
    return msgspec.json.decode(shipped_config("blocks.json"), type=Limits)


class Sentence(Struct, frozen=True, kw_only=True):
    """A sentence of a block.

    Attributes:
        line: Which line of the block it stands in, wrapped ones counted as one, from 0.
        mark: Indent and list mark of that line.
        text: Its words.
    """

    line: int
    mark: str
    text: str


def process_block(block: str, self_context: SelfContext, said: Said | None = None) -> Block:
    """Return alignment, tags and summary of a block; as a model said, where that holds, else by the rules.

    Args:
        block: Its lines as they stand.
        self_context: The home's tags.
        said: What a model said of these very words.
    """
    sentences = sentences_in(block)
    chosen = said_sentences(said, sentences) if said else frozenset()
    if said and chosen:
        return Block(
            alignment_score=said.alignment_score, tags=said.tags, summary=_written(block, sentences, chosen)
        )
    return Block(
        alignment_score=alignment_of(block),
        tags=_tags(block, self_context),
        summary=summary_of(block),
    )


def summary_of(block: str, said: Said | None = None) -> str:
    """Return what of a block is shown; all of it where it is short, or code."""
    if not is_long(block):
        return block
    sentences = sentences_in(block)
    chosen = said_sentences(said, sentences) if said else frozenset()
    return _written(block, sentences, chosen or _by_rules(sentences))


def is_long(block: str) -> bool:
    """Tell whether a block is more than can be shown, and no code."""
    return len(block.strip()) > limits().limit_characters and not _FENCE.match(block)


def sentences_in(block: str) -> list[Sentence]:
    """Return the sentences of a block without marks of emphasis; a row of a table is one, code is one."""
    found = []
    for number, line in enumerate(_lines(block)):
        mark = _MARK.match(line)
        head = mark[0] if mark else ""
        body = " ".join(line[len(head) :].replace("**", "").split())
        parts = [body] if _CLOSED.match(body) else sentences_of(body)
        found += [Sentence(line=number, mark=head, text=part) for part in parts]
    return found


def _lines(block: str) -> Iterator[str]:
    """Yield the lines; what a paragraph or an item goes on with belongs to the line where it began, and code is one."""
    held, fence = "", False
    for line in block.expandtabs().strip("\r\n").split("\n"):
        is_fence = _FENCE.match(line) is not None
        goes_on = not is_fence and not _ALONE.match(line) and not _CLOSED.match(held)
        if fence or (held.strip() and goes_on):
            held = f"{held} {line.strip()}"
            fence = fence and not is_fence
            continue
        if held.strip():
            yield held
        held, fence = line, is_fence
    if held.strip():
        yield held


def said_sentences(said: Said, sentences: Sequence[Sentence]) -> frozenset[int]:
    """Return the sentences, from 0, that a model's choice comes to; none where it cannot be held.

    What they need comes along, with all beside or below them that denies or hedges and all that says what no longer holds: a model that
    means ill could turn an entry round by leaving it out. One that only its speaker can say stays: an agent's own rules are
    often said so ("I must ..."), and without it the others lost what they are about (2 of 60, read).
    """
    chosen = {number - 1 for number in said.sentences}
    if not chosen or not all(0 <= at < len(sentences) for at in chosen):
        return frozenset()
    over = [sentences[at] for at in chosen]
    ends = {
        at
        for at, one in enumerate(sentences)
        if _ENDS in find_cues(one.text)
        or (may_limit(one.text) and any(_is_above(other, one) for other in over if other.line < one.line))
    }
    whole = _with_needs(chosen | ends, sentences, may_limit)
    told = [at for at in whole if not introduces(sentences[at].text)]
    if not told or (len(told) > 1 and _size(whole, sentences) > limits().most_characters):
        return frozenset()
    return frozenset(whole)


def _by_rules(sentences: Sequence[Sentence]) -> frozenset[int]:
    """Choose the first sentence, which says what the block is about, then those that claim something, then others, as they have room.

    Where nothing claims anything and less than half of the room is filled, the next sentence comes along, to be cut where it is shown.
    """
    most = limits().most_characters
    room = limits().limit_characters - len(" \u2026")
    chosen = _with_needs({0}, sentences)
    order = sorted(range(1, len(sentences)), key=lambda at: (_rank(sentences[at].text), at))
    for at in order:
        more = _with_needs({*chosen, at}, sentences)
        size = _size(more, sentences)
        is_last = at > max(chosen) and all(_rank(sentences[one].text) for one in chosen)
        is_little = is_last and _size(chosen, sentences) < room // 2 and size <= most
        if size <= room or is_little or all(introduces(sentences[one].text) for one in chosen):
            chosen = more
        elif _rank(sentences[at].text):
            break  # what only goes on is told up to where it is cut
    return frozenset(chosen)


def _rank(sentence: str) -> int:
    if _SPEAKER in find_cues(sentence):
        return 2
    is_claim = claims_something(sentence) and not tells_result(sentence) and not _CLOSED.match(sentence)
    return 0 if is_claim else 1


def takes_back(sentence: str) -> bool:
    """Tell whether a sentence that is left out may limit the one beside it."""
    return may_limit(sentence) and (leans(sentence) or len(words_of(sentence)) <= FEW_WORDS)


def may_limit(sentence: str) -> bool:
    """Tell whether a sentence denies, takes back or hedges."""
    return pattern("claim-words", "limit").search(sentence) is not None


def _with_needs(
    chosen: Iterable[int], sentences: Sequence[Sentence], heeds: Callable[[str], bool] = takes_back
) -> set[int]:
    """Return sentences with what they lean on, what stands above them, and what beside them takes them back."""
    found: set[int] = set()
    waiting = list(chosen)
    while waiting:
        at = waiting.pop()
        if at not in found:
            found.add(at)
            waiting += _needs(at, sentences, heeds)
    return found


def _needs(at: int, sentences: Sequence[Sentence], heeds: Callable[[str], bool]) -> Iterator[int]:
    one = sentences[at]
    before = at - 1 if at and sentences[at - 1].line == one.line else None
    after = at + 1 if at + 1 < len(sentences) and sentences[at + 1].line == one.line else None
    if before is not None and (leans(one.text) or heeds(sentences[before].text)):
        yield before
    if after is not None and heeds(sentences[after].text):
        yield after
    above = next((n for n in range(at - 1, -1, -1) if _is_above(sentences[n], one)), None)
    if above is not None:
        yield above
        yield next(n for n in range(above + 1) if sentences[n].line == sentences[above].line)


def _is_above(other: Sentence, one: Sentence) -> bool:
    """Tell whether a sentence before another stands over it: a parent, the head of a table."""
    if other.line == one.line:
        return False
    if one.text.startswith("|"):
        return other.line == 0
    return _indent(other) < _indent(one) or (
        introduces(other.text) and not other.mark.strip() and other.line == one.line - 1
    )


def _indent(one: Sentence) -> int:
    return len(one.mark) - len(one.mark.lstrip())


def _size(chosen: Iterable[int], sentences: Sequence[Sentence]) -> int:
    lines = {sentences[at].line: len(sentences[at].mark) for at in chosen}
    return sum(len(sentences[at].text) + 1 for at in chosen) + sum(lines.values())


def _written(block: str, sentences: Sequence[Sentence], chosen: frozenset[int]) -> str:
    if len(chosen) == len(sentences):
        return block
    rows: dict[int, list[str]] = {}
    for at in sorted(chosen):
        rows.setdefault(sentences[at].line, [sentences[at].mark.rstrip("\r\n")]).append(sentences[at].text)
    return "\n".join(f"{mark}{' '.join(texts)}" for mark, *texts in rows.values())


def tags_in(text: str) -> frozenset[str]:
    """Return all canonical tags that a text may name, as whole words: one of several words is written with ``_``."""
    words = "".join(c if c.isalnum() else " " for c in text.casefold()).split()
    return frozenset(
        "_".join(words[at : at + size])
        for size in range(1, _TAG_WORDS + 1)
        for at in range(len(words) - size + 1)
    )


def _tags(block: str, context: SelfContext) -> tuple[str, ...]:
    """Return the home's tags that stand in a block, then its own label."""
    named = tags_in(block)
    known = sorted(named.intersection(context.tags))
    first = next(iter(sentences_in(block)), None)
    label = split_label(first.text)[0].partition("(")[0] if first else ""
    own = valid_tag(label) if label.replace(" ", "").isalpha() and len(label.split()) <= _TAG_WORDS else ""
    return tuple(dict.fromkeys([*known, *([own] if own else [])]))[: limits().most_tags]


def valid_tag(text: str) -> str:
    """Return the canonical form of a tag; empty where it can be none."""
    try:
        return read_tag(text)
    except ValueError:
        return ""
