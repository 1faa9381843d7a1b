"""Fields of forms: headings and labels that an agent fills in day by day, and that carry no subject of their own.

Invariant: what a name says counts, not how it is marked up; a name of a lesson, rule, decision or wish is none.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date

from msgspec.structs import replace

from nightledger.domain.consolidation import DayLog, LogLine, Region
from nightledger.text.scanners.scan import mask_secrets
from nightledger.text.similar import fold
from nightledger.text.statements.cues import find_cues
from nightledger.text.statements.estimate import split_label
from nightledger.text.visible import visible

FORM_DAYS = 5
FORM_TIMES = 20
"""A name that stands on so many days, so many times in all, is a form's field; measured in decision 11."""
_SAYS_MORE = frozenset({"lesson", "rule", "decide", "wish", "ban", "standing", "absolute", "correct"})
"""Cues of names that tell what a line is, however often they stand."""
_NAMED = re.compile(
    r"^\s*(?:#{1,6}\s+(?P<title>\S.*)"
    r"|(?:[-*+\u2022]\s+|\d{1,3}[.)]\s+)?(?:\*\*|__)?(?P<label>[^:\uff1a*_`|#]{2,48}?)(?:\*\*|__)?[:\uff1a])"
)


def key_of(name: str) -> str:
    """Return what a heading, or a file's name, is known by: its folded words, without those that are numbers."""
    return " ".join(word for word in fold(name).split() if not word.isdigit())


def innermost(headings: Sequence[str]) -> str:
    """Return the innermost of some headings that has a word in it and could be signed; empty where there is none."""
    titles = [title for title in headings if any(map(str.isalpha, title))]
    return signable(titles[-1]) if titles else ""


def signable(name: str) -> str:
    """Return a name as it can be signed: empty where a screen would show it otherwise."""
    return name if visible(mask_secrets(name)) == name else ""


def find_form_fields(texts: Iterable[tuple[date, str]]) -> frozenset[str]:
    """Give the keys of headings and labels that logs use as fields of a form.

    Args:
        texts: Logs of one owner, with their days.
    """
    days: dict[str, set[date]] = {}
    times = Counter[str]()
    for day, text in texts:
        for line in text.split("\n"):
            match = _NAMED.match(line)
            name = (match["title"] or match["label"]).strip() if match else ""
            if name:
                times[name] += 1
                days.setdefault(name, set()).add(day)
    keys = Counter[str]()
    seen: dict[str, set[date]] = {}
    for name, count in times.items():
        if _SAYS_MORE.isdisjoint(find_cues(name)):
            keys[key_of(name)] += count
            seen.setdefault(key_of(name), set()).update(days[name])
    return frozenset(
        key for key, n in keys.items() if key and n >= FORM_TIMES and len(seen[key]) >= FORM_DAYS
    )


def field_label(line: LogLine) -> str:
    """Return the label of a line; empty where it has none, or one that tells what the line is: a lesson, a rule."""
    label = split_label(line.content)[0]
    return label if _SAYS_MORE.isdisjoint(find_cues(label)) else ""


def without_fields(log: DayLog, fields: frozenset[str]) -> DayLog:
    """Give a log of which nothing is learned from what stands in a form's field.

    Args:
        log: As it was read.
        fields: Keys of the fields.
    """

    def is_filled_in(line: LogLine) -> bool:
        content = line.content.rstrip("*_ ")
        label = content[:-1] if content.endswith((":", "\uff1a")) else split_label(line.content)[0]
        names = (innermost(line.headings), label, line.lead.rstrip("*_ :\uff1a"))
        return any(key_of(name) in fields for name in names if name)

    lines = tuple(
        replace(x, region=Region.PASTED) if x.region is Region.PROSE and is_filled_in(x) else x
        for x in log.lines
    )
    return replace(log, lines=lines) if fields else log
