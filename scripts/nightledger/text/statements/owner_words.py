"""Quotations in a daily log that give its owner's words: right below a heading or lead that says that, and nothing else.

Invariant: what a quotation holds never opens it, and it is opened whole or not at all: one in which scanners see anything, or that
holds a heading, code, a turn of a chat or another quotation, stays somebody else's text, as all others do. What is
opened is the agent's word, as what stands around it is.
"""

import re
from collections.abc import Sequence
from itertools import groupby

from nightledger.domain.consolidation import DayLog, LogLine, Region
from nightledger.domain.proposal import Origin
from nightledger.text.markdown.blocks import introduces
from nightledger.text.patterns import pattern
from nightledger.text.statements.cues import find_cues
from nightledger.text.statements.daylog import read_daylog
from nightledger.text.statements.statements import rules_in
from nightledger.text.statements.wording import timeless

_OTHERS = frozenset({"study", "inquiry", "introspection"})
"""Cues of headings below which an owner's name may stand in what others wrote."""


def owner_names(profile: str) -> tuple[str, ...]:
    """Return what a file about the user (``USER.md``) calls them in its fields of names, sorted."""
    told = (pattern("owner-words", "called").match(line) for line in profile.split("\n"))
    parts = (part.strip() for one in told if one for part in pattern("owner-words", "between").split(one[1]))
    return tuple(sorted(set(filter(pattern("owner-words", "name").fullmatch, parts))))


def with_owner_quotations(log: DayLog, owners: tuple[str, ...]) -> DayLog:
    """Return a log in which quotations of its owner read as items, or as a paragraph where sentences may go on over lines.

    Args:
        log: As it was read; chats stay as they are.
        owners: Names of the owner, who is also known as "user", "owner" and the like.
    """
    texts, above = [line.text for line in log.lines], ""
    for is_quotation, group in groupby(log.lines, lambda line: line.text.lstrip().startswith(">")):
        members = [line for line in group if line.region is not Region.BLANK]
        if members and not is_quotation:
            above = _introduction(members[-1])
        elif members and _is_owners(above, " | ".join((log.path, *members[0].headings)), owners):
            texts[members[0].number - 1 : members[-1].number] = _unquoted(members)
    is_same = texts == [line.text for line in log.lines]
    return log if is_same else read_daylog(log.path, "\n".join(texts), log.day)


def _introduction(line: LogLine) -> str:
    """Return what a line of the agent's says of a quotation below it: a heading's title, or a lead and its colon."""
    is_heading, is_own = line.region is Region.HEADING, line.origin is Origin.AGENT and not line.turn
    told = timeless(line.headings[-1] if is_heading else line.content)
    is_lead = line.region is Region.PROSE and introduces(line.content)
    return told if is_heading and is_own else f"{told}:" if is_lead and is_own else ""


def _is_owners(above: str, names: str, owners: tuple[str, ...]) -> bool:
    """Return whether an introduction says, in all its words, that an owner speaks, and no name above that others may."""
    either = "|".join((*map(re.escape, owners), pattern("owner-words", "generic").pattern))
    speaks = pattern("owner-words", "speaks").pattern.replace("OWNER", f"(?:{either})")
    if not above or re.fullmatch(speaks, above) is None:
        return False
    return pattern("owner-words", "foreign").search(names) is None and _OTHERS.isdisjoint(find_cues(names))


def _unquoted(quotation: Sequence[LogLine]) -> list[str]:
    """Return the lines of a quotation without their marks; as they are where one of them would be anything but prose."""
    said = [line.text.lstrip()[1:].removeprefix(" ").rstrip() for line in quotation]
    inner = read_daylog("", "\n".join(said), quotation[0].day).lines
    outside, inside = {line.region for line in quotation}, {one.region for one in inner if one.text}
    strange = any(map(pattern("owner-words", "others").match, said)) or rules_in(inner, secrets=True)
    if strange or (outside, inside) != ({Region.PASTED}, {Region.PROSE}):
        return [line.text for line in quotation]
    item = "- " if all(map(pattern("owner-words", "whole").search, said[:-1])) else ""
    marks = (" " * line.indent + item * (not one.marker) for line, one in zip(quotation, inner, strict=True))
    return [text and mark + text for text, mark in zip(said, marks, strict=True)]
