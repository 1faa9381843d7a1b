"""Choose the section of a memory file in which a statement belongs.

Invariant: an existing heading wins over a new one; the answer depends on the headings
alone, so a rerun chooses the same.
"""

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum

from msgspec import Struct, field

from nightledger.text.changes.sections import find_section
from nightledger.text.markdown.document import Document, Path, Section
from nightledger.text.patterns import words
from nightledger.text.similar import fold


class Shelf(StrEnum):
    """What a statement is filed under; the value is the heading made where none fits."""

    DECISIONS = "Decisions"
    KEY_CONTEXT = "Key Context"
    PROJECTS = "Projects"
    LESSONS = "Lessons"
    PREFERENCES = "Preferences"
    RULES = "Rules"


_FALLBACK = {Shelf.RULES: (Shelf.LESSONS,), Shelf.PREFERENCES: (Shelf.RULES, Shelf.KEY_CONTEXT)}
"""Where a shelf's statements go when the file has no such heading but has one of the others."""
MOST_NARROWING = 1
"""Words beyond the shelf's name that may narrow it: "Ada's preferences" yes, "CV design rules" no."""
_DATED = re.compile(r"\d{4}-\d\d|\b20\d\d\b")


class Language(Struct, frozen=True, kw_only=True):
    """How headings tell a language, and what it calls the sections that we make.

    A row of ``config/section-headings.json``.

    Attributes:
        heading: Regular expression of what a heading in it holds, lower case.
        unless: What no heading of the file may hold; empty for nothing.
        labels: The heading for each :class:`Shelf`; none for English.
    """

    heading: str
    unless: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)


def in_own_language(document: Document, section: Path, languages: Iterable[Language]) -> Path:
    """Return a section as a file whose headings are not English calls it: by its nearest heading, or a label of its language.

    Args:
        document: The file.
        section: Where an addition is to go.
        languages: Those that are known; of two that fit alike the first is meant.
    """
    own = _language(document, languages) if section and section[-1] in set(Shelf) else {}
    if not own or any(one.path[-1:] == section[-1:] for one in document.sections):
        return section
    found = choose_section(document, Shelf(section[-1]))
    return found if find_section(document, found) else (*found[:-1], own[section[-1]])


def _language(document: Document, languages: Iterable[Language]) -> Mapping[str, str]:
    """Return the labels of the language that most headings are in; none where that is English, or cannot be told."""
    headings = [section.path[-1].lower() for section in document.sections[1:]]
    best, labels = 0, dict[str, str]()
    for one in languages:
        fits = sum(bool(re.search(one.heading, heading)) for heading in headings)
        odd = one.unless and any(re.search(one.unless, heading) for heading in headings)
        if fits > best and not odd:
            best, labels = fits, dict(one.labels)
    return labels


def choose_section(document: Document, shelf: Shelf) -> Path:
    """Give the heading path under which an addition of this kind belongs.

    The best heading names the shelf in the fewest words, carries no date, and stands
    outermost and first; where none names it, a second best shelf is looked for, else the
    shelf's own heading is to be made.
    """
    for wanted in (shelf, *_FALLBACK.get(shelf, ())):
        fitting = [section for section in document.sections[1:] if _names(section, wanted)]
        if fitting:
            best = min(
                fitting,
                key=lambda section: (len(section.path[-1].split()), len(section.path), section.heading[0]),
            )
            return best.path
    return _new_path(document, shelf)


def _names(section: Section, shelf: Shelf) -> bool:
    title = section.path[-1]
    is_title = len(section.path) == 1 and section.heading[0] == 1
    names = names_of(title, shelf)
    if is_title or _DATED.search(title) or not names:
        return False
    rest = set(fold(title).split()).difference(words("section-names")["neutral"]) - {
        word for name in names for word in fold(name).split()
    }
    return len(rest) <= MOST_NARROWING


def names_of(title: str, shelf: str) -> list[str]:
    """Return the names of a :class:`Shelf` that a heading holds."""
    said = f" {fold(title)} "
    return [name for name in words("section-names")[shelf] if _has(said, name)]


def _has(said: str, name: str) -> bool:
    folded = fold(name)
    return f" {folded} " in said if name.isascii() or " " in name else folded in said


def _new_path(document: Document, shelf: Shelf) -> Path:
    """Give the path of a new section: beside the file's others, under its title where it has one."""
    depths = [len(section.path) for section in document.sections[1:]]
    titles = [section for section in document.sections[1:] if len(section.path) == 1]
    if len(titles) == 1 and len(depths) > 1:
        return (*titles[0].path, shelf.value)
    return (shelf.value,)
