"""A whole file for the code auditor: a script, a Markdown file with fences, a notebook, or stored text.

Invariant: every part is either audited or said to be unaudited; a file of which nothing is code says so.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from nightledger.text.code.audit import audit
from nightledger.text.code.language import guess_language, language_of_info
from nightledger.text.code.rule import Audited
from nightledger.text.code.snippets import find_snippets
from nightledger.text.code.source import MOST_CHARACTERS

_MARKDOWN = ("md", "markdown", "mdx", "qmd", "rmd")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One audited part of a file.

    Attributes:
        where: ``cell 3`` of a notebook; "" where lines tell the place.
        line: On which line of the file its first line stands, from 1.
        audited: What the auditor says; its lines count from the part's first.
    """

    where: str
    line: int
    audited: Audited


def audit_document(text: str, name: str = "") -> tuple[Part, ...]:
    """Audit every snippet of a file.

    Args:
        text: Its text.
        name: Its name; the ending tells a language.
    """
    ending = name.rpartition(".")[2].lower() if "." in name else ""
    if ending == "ipynb" or _is_notebook(text):
        return tuple(_cells(text))
    told = language_of_info(ending)
    if ending in _MARKDOWN or (not told and _has_fence(text) and guess_language(text) != "python"):
        return tuple(
            Part(where="", line=snippet.line, audited=audit(snippet.text, snippet.language))
            for snippet in find_snippets(text)
        )
    return (Part(where="", line=1, audited=audit(text, told)),)


def _has_fence(text: str) -> bool:
    return "```" in text or "~~~" in text


def _is_notebook(text: str) -> bool:
    return '"cell_type"' in text and text.lstrip()[:1] == "{"


def _cells(text: str) -> Iterator[Part]:
    if len(text) > 8 * MOST_CHARACTERS:  # pictures are kept in notebooks, too
        yield Part(where="", line=1, audited=audit("x" * (MOST_CHARACTERS + 1), "python"))
        return
    try:
        cells = json.loads(text)["cells"]
        sources = [("".join(cell.get("source", [])), cell.get("cell_type")) for cell in cells]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        yield Part(where="", line=1, audited=audit(text, "notebook"))
        return
    for number, (source, kind) in enumerate(sources, 1):
        if kind == "code":
            yield Part(where=f"cell {number}", line=1, audited=audit(source, "python"))


__all__ = ["Part", "audit_document"]
