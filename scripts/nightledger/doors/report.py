"""A report as one HTML file: figures, pictures and tables; nothing is loaded, and nothing runs.

Invariant: every text is escaped here, whatever wrote it; what a picture shows stands in a table beside it.
"""

import base64
import hashlib
import re
from collections.abc import Sequence
from html import escape

from msgspec import Struct

from nightledger.doors.drawing import Picture, columns_of, draw
from nightledger.files.home import shipped_config

UNBROKEN, LONG = 18, 40
"""Characters up to which a column stays on one line (a date and a time), and from which it keeps room for a sentence."""
OURS = b"<title>Nightledger report</title>"
"""Stands in each such file, and in no other."""
HERE, POLICY = "<!-- report -->", "{policy}"
_PARTS = re.compile(rb"<(script|style)>(.*?)</\1>", re.DOTALL)


class Part(Struct, frozen=True, kw_only=True):
    """A part of the report.

    Attributes:
        title: Its heading.
        told: What it says, in a sentence.
        heads: Of its table.
        rows: Of its table; none leaves only the sentence.
        picture: Drawn above the table.
        figure: The one number to see first; empty where there is none.
        folded: Whether its table is folded away: it says only what the picture shows.
        wide: Whether it is drawn as wide as the page.
    """

    title: str
    told: str
    heads: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    picture: Picture | None = None
    figure: str = ""
    folded: bool = False
    wide: bool = False


def page_of(title: str, badge: str, parts: Sequence[Part], *, is_well: bool) -> bytes:
    """Return the file.

    Args:
        title: Whose report it is, and of when.
        badge: What ``verify`` finds.
        parts: In the order in which they stand.
        is_well: Whether that is nothing.
    """
    figures = "".join(
        f"<div><dt>{escape(part.title)}</dt><dd>{escape(part.figure)}</dd></div>"
        for part in parts
        if part.figure
    )
    html = [
        f"<header><h1>Nightledger report</h1>\n<p>{escape(title)}</p>",
        f'<p class="badge {"good" if is_well else "bad"}">{escape(badge)}</p></header>',
        f"<dl>{figures}</dl>" if figures else "",
        '<div class="parts">',
        *map(_section, parts),
        "</div>",
    ]
    template = shipped_config("page/report.html")
    page = template.decode().replace(POLICY, policy_of(template)).replace(HERE, "\n".join(html))
    return page.encode("utf-8", "replace")


def policy_of(html: bytes, *more: str) -> str:
    """Return a content security policy that allows the script and the style of a page, and nothing else, each by its hash (CSP level 3, section 8.4).

    Args:
        html: The page.
        more: Further directives.
    """
    hashes = {
        name.decode(): base64.b64encode(hashlib.sha256(text).digest()).decode()
        for name, text in _PARTS.findall(html)
    }
    sources = (f"{name}-src 'sha256-{told}'" for name, told in hashes.items())
    forms = () if any(one.startswith("form-action") for one in more) else ("form-action 'none'",)
    return "; ".join(("default-src 'none'", *sources, *more, "base-uri 'none'", *forms))


def _section(part: Part) -> str:
    table, drawn = _table(part), draw(part.picture, part.told) if part.picture else ""
    if part.folded and drawn and table:
        table = f"<details><summary>The same as a table</summary>{table}</details>"
    width = ' class="wide"' if part.wide else ""
    head = f"<h2>{escape(part.title)}</h2>\n<p>{escape(part.told)}</p>"
    return f"<section{width}>\n{head}\n{drawn}{table}\n</section>"


def _table(part: Part) -> str:
    if not part.rows:
        return ""
    columns = range(len(part.heads))
    longest = [max(columns_of(row[n]) for row in part.rows) for n in columns]
    marks = ["" if longest[n] > UNBROKEN else ' class="n"' for n in columns]
    wide = [' class="l"' if longest[n] > LONG else "" for n in columns]
    heads = "".join(f'<th scope="col"{wide[n]}>{escape(part.heads[n])}</th>' for n in columns)
    cells = ("".join(f"<td{marks[n]}>{escape(row[n])}</td>" for n in columns) for row in part.rows)
    rows = "\n".join(f"<tr>{row}</tr>" for row in cells)
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>\n{rows}\n</tbody></table>"
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(part.title)}">{table}</div>'
