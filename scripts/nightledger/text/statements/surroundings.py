"""What can be seen around a line: its heading, its kind of item, its siblings, the size of its file.

Invariant: siblings are lines of prose under the same headings at the same indent, at most
`_NEAR` lines of prose away; what a line says itself is in `features`.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from nightledger.domain.daylog import LogLine
from nightledger.text.statements.cues import find_cues
from nightledger.text.statements.features import split_label, tells_result
from nightledger.text.statements.words import words_of

_NEAR = 4
_AFTER = 3
"""So many following siblings may tell how a thing ended."""
_FORM = 3
"""A label that stands so often in one file is a field of a form."""
_SIZES = (10, 30, 80)
"""Steps of lines of prose in a file."""
_TIME = re.compile(r"\d{1,2}:\d\d")
_DONE = re.compile("[✅☑✔]")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Item:
    """A line with what its siblings want to know of it."""

    line: LogLine
    label: str
    result: bool


def surroundings(lines: Sequence[LogLine], languages: tuple[str, ...] = ()) -> Iterator[frozenset[str]]:
    """Give the features of each line's surroundings, in order.

    Prefixes: ``h.`` cue in the nearest heading, ``wh.`` word of it, ``p.`` place.

    Args:
        lines: The lines of prose of one file that are long enough to hold a claim.
        languages: What `cues.languages_of` says of the file.
    """

    @cache
    def of_heading(heading: str) -> frozenset[str]:
        return _heading(heading, languages)

    items = [_item(line, languages) for line in lines]
    labels = Counter(item.label for item in items if item.label)
    size = f"p.file-{sum(len(items) >= step for step in _SIZES)}"
    for at, item in enumerate(items):
        headings = item.line.headings
        yield frozenset(
            {size, *_place(item.line), *_siblings(items, at, labels)}
            | (of_heading(headings[-1]) if headings else {"p.no-heading"})
        )


def _item(line: LogLine, languages: tuple[str, ...]) -> _Item:
    label, body = split_label(line.content)
    return _Item(line=line, label=label.lower(), result=tells_result(body, languages))


def _heading(heading: str, languages: tuple[str, ...]) -> frozenset[str]:
    found = {f"h.{cue}" for cue in find_cues(heading, languages)} | {
        f"wh.{word}" for word in words_of(heading)
    }
    marks = {"p.heading-time": _TIME.search(heading), "p.heading-done": _DONE.search(heading)}
    return frozenset(found | {name for name, match in marks.items() if match})


def _place(line: LogLine) -> Iterator[str]:
    yield f"p.marker-{line.marker or 'none'}"
    if line.turn:
        yield f"p.{line.turn}"
    if line.indent > 1:
        yield "p.indented"


def _siblings(items: Sequence[_Item], at: int, labels: Counter[str]) -> Iterator[str]:
    item = items[at]
    near = range(max(0, at - _NEAR), min(len(items), at + _NEAR + 1))
    siblings = [n for n in near if n != at and _are_siblings(items[n].line, item.line)]
    told = sum(items[n].result for n in siblings)
    yield f"p.siblings-{min(_NEAR, len(siblings))}"
    if siblings:
        yield f"p.results-{0 if not told else 1 if told * 2 < len(siblings) else 2}"
    if any(items[n].result for n in [n for n in siblings if n > at][:_AFTER]):
        yield "p.result-follows"
    if item.label:
        yield "p.label-form" if labels[item.label] >= _FORM else "p.label-own"
    if any(labels[items[n].label] >= _FORM for n in siblings):
        yield "p.form-around"


def _are_siblings(one: LogLine, other: LogLine) -> bool:
    return one.indent == other.indent and one.headings == other.headings
