"""Which lines of a daily log are worth a place on a page, and what of a line tells nothing.

The estimate of the nightly consolidation (``text/statements``) says how glad its owner is of a line months
later. Of some lines it is no measure: what an assistant answered in an exported chat was said to whoever
asked then, a question tells nothing, what points back is not understood alone, and an address or a command alone does not say what it is for.

Invariant: a line and its estimate alone decide; no line names a product, person or topic.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from nightledger.domain.daylog import DayLog, LogLine, Region
from nightledger.text.search.tokens import query_terms
from nightledger.text.statements.features import split_label
from nightledger.text.statements.statements import SEED

TELLING = 0.1
"""Estimate from which a line tells something later on; below it are reports that all is done or well,
readings and forms. Of all lines that were judged one in ten is worth keeping (``text/statements/weights.py``)."""
LEAST_WORDS = 2
"""Words beside names, addresses and code from which a line says what these are for."""
_ASKS = ("?", "\uff1f", "\u061f")
_POINTS = re.compile(
    r"^\W*(?:(?:this|these|those|that|it|they|he|she|dies(?:e[mnrs]?)?|es[eo]s?|es[ao]s?|est[eao]s?|cela|ça|cette|quest[oaie]"
    r"|iss?[ot]o?|это|этот|эта|эти|он|она|они)\b|这|此|那个|该|これ|それ|この|その|이것|그것)",
    re.IGNORECASE,
)
"""How a line begins that points back at what it does not say, in the languages that ``cue_words`` knows."""
_CLOSING = "*_ \"'`)]\u2019\u201d\u00bb\u300d"
_NAMED = re.compile(
    r"`[^`]*`|(?<!\w)--?[a-z][\w-]*=?\S*|(?<![^\s`])[^\s/\\@=]*+[/\\@=]\S*"
    r"|(?<![\w-])[\w-]+(?:[._][\w-]+)+(?!\w)|(?<![A-Z])[A-Z]{3,}+(?= )"
)
"""What names a thing by itself: code, options, paths, addresses, assignments, names of files and hosts, methods.

Each is looked for where a word begins, or behind code: what is not found there begins nowhere in the word.
"""
_READ = 4096
"""Characters of a line that are read for it; a word may be gone through once for each piece of code in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Worth:
    """What the lines of one log are worth.

    Attributes:
        telling: Lines that tell something later on.
        passing: Lines that are of no use to whoever reads them on a page, however they were found.
        answers: Lines of an assistant's turn in an exported chat: no part of what is staged, either.
    """

    telling: frozenset[int]
    passing: frozenset[int]
    answers: frozenset[int]


def worth_of(log: DayLog, chances: Mapping[int, float]) -> Worth:
    """Give what the lines of a log are worth.

    Args:
        log: As it was read.
        chances: The estimate of each line of prose, as ``estimate_lines`` gives it.
    """
    answers = frozenset(line.number for line in log.lines if line.turn == "assistant")
    passing = answers.union(
        line.number
        for line in log.lines
        if _POINTS.match(line.content) or line.content.rstrip(_CLOSING).endswith(_ASKS)
    )
    telling = frozenset(
        line.number
        for line in log.lines
        if line.number not in passing and chances.get(line.number, 0.0) >= _least(line)
    )
    return Worth(telling=telling, passing=passing, answers=answers)


def is_bare(text: str) -> bool:
    """Tell whether a text is hardly more than an address, a path, a command or another name.

    Args:
        text: A line's content, without list marker.
    """
    _, body = split_label(text)
    words = [word for word in query_terms(_NAMED.sub(" ", body[:_READ]), stop_words=()) if word.isalpha()]
    return len(words) < LEAST_WORDS


def _least(line: LogLine) -> float:
    return SEED if line.region is Region.PROSE and is_bare(line.content) else TELLING
