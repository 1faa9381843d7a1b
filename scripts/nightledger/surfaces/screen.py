"""How a change looks to the operator: text from files as data, in any width from 20 columns.

Invariant: everything that came from a file passes ``visible`` and a mask; nothing inside a
hunk is left out; every row that shows a line of a diff begins with that line's sign, so
that no text can pose as another line; rows that begin in the first four columns begin with
words of ours, and what others wrote goes on further in; colour is only where a terminal asked for it.
"""

import io
import json
import os
import re
import shutil
import sys
import termios
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from nightledger.domain.words import count_of, read_moment
from nightledger.files.home import shipped_config
from nightledger.text.visible import visible

if TYPE_CHECKING:
    from nightledger.domain.judge import Share
    from nightledger.domain.proposal import Change, Evidence, Proposal
    from nightledger.files.home import Home
    from nightledger.gate.reviewing import Item
    from nightledger.surfaces.context import Context
    from nightledger.text.phrases import HashedPhrases

NOTHING: frozenset[str] = frozenset()
"""No value is told elsewhere."""
NARROWEST = 20
WIDEST = 100
GOES_ON = "~ "
"""Stands behind the sign where a line of a diff goes on in the next row."""
INSIDE = "    "
"""Begins rows in which a text of others goes on, or stands alone: further in than any row of ours."""
MOST_METERS = 3
"""Files of one proposal whose sizes are told one by one: a month of logs is one figure."""
_STAYS = "\u00a0"
_ANSWER = " > ?"
"""Stands behind a question: its mark, and the key that answers."""
_LEAST_ROOM = 8
"""Columns that have to be left beside a row's first words; else its text begins in the next row."""
_COLOURS = {"+": "32", "-": "31", "@": "36"}


@cache
def sentences(about: str) -> dict[str, Any]:
    """Return the sentences of ours about a matter: a part of ``config/sentences.json``."""
    told: dict[str, dict[str, Any]] = json.loads(shipped_config("sentences.json"))
    return told[about]


def width() -> int:
    """Give the columns to fill: the terminal's, between 20 and 100; 80 where there is none."""
    return max(NARROWEST, min(WIDEST, shutil.get_terminal_size((80, 24)).columns))


def terminal() -> bool:
    """Tell whether a person reads the output on a terminal."""
    return sys.stdout.isatty()


def colour() -> bool:
    """Tell whether to colour: standard output is a terminal that has colours, and ``NO_COLOR`` is not set, or empty (no-color.org)."""
    return terminal() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def whole(text: str) -> str:
    """Give words of ours that :func:`ask` leaves in one row."""
    return text.replace(" ", _STAYS)


def ask(question: str) -> str:
    """Ask a person on the terminal; keys that were hit before the question stood there answer nothing.

    Raises:
        EOFError: There is no more to read.
    """
    with suppress(termios.error, OSError, ValueError, AttributeError):  # no terminal has keys to forget
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
    prompt = "\n".join(wrap(question, indent="  ", less=len(_ANSWER))).replace(_STAYS, " ")
    return input(f"{prompt}{_ANSWER[:-1]}").strip().encode("utf-8", "replace").decode()


def shown(text: str, *, told: frozenset[str] = NOTHING) -> str:
    """Give one line of text from a file as it may be printed: secrets masked, nothing hidden.

    Args:
        text: The line.
        told: Values that a larger text tells as secrets (``gate/screening.py``).
    """
    from nightledger.text.scanners.scan import mask_secrets

    return visible(mask_secrets(text, told=told).replace("\n", " "))


def wrap(text: str, *, indent: str = "", first: str | None = None, less: int = 0) -> list[str]:
    """Break a line of prose to the width, or ``less`` columns; words longer than a line are broken too."""
    row, rows, gap, wide = indent if first is None else first, [], "", max(_LEAST_ROOM * 2, width() - less)
    room = wide - max(columns(row), columns(indent))
    room = room if room >= _LEAST_ROOM else wide - columns(indent)
    for word in text.split(" "):
        for piece in (word,) if _STAYS in word else _pieces(word, room):
            if columns(row + gap + piece) > wide and (gap or piece != word or _STAYS not in word):
                rows.append(row.rstrip())
                row, gap = indent, ""
            row, gap = row + gap + piece, ""
        gap = " "
    return [*rows, row.rstrip()]


def columns(text: str) -> int:
    """Give the columns that a text takes on a terminal (UAX 11), never too few: every character counts."""
    if text.isascii():
        return len(text)
    return sum(_columns_of(character) for character in text)


def _columns_of(character: str) -> int:
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _pieces(text: str, room: int) -> Iterator[str]:
    """Cut a text (none: one empty piece) into so many columns at most: behind a blank, else not before a mark that fits its letter."""
    start, letter, word, filled = 0, 0, 0, 0
    for at, character in enumerate(text):
        letter = letter if unicodedata.category(character)[0] == "M" else at
        filled += _columns_of(character)
        if filled > room:
            cut = word if text[start:word].strip() else letter if letter > start else at
            yield text[start:cut]
            start, filled = cut, columns(text[cut : at + 1])
        word = at + 1 if character == " " else word
    yield text[start:]


def diff_lines(diff: str, *, told: frozenset[str] = NOTHING, masked: bool = True) -> list[str]:
    """Give a diff's lines for the terminal; long ones go on in the next row, never cut off."""
    rows = []
    for sign, line in signed_lines(diff, told=told, masked=masked):
        text = _told_apart(line, sign=sign)
        pieces = [text] if columns(text) < width() else _pieces(text, width() - 1 - len(GOES_ON))
        paint = _COLOURS.get(sign, "")
        rows += [painted(sign + GOES_ON * bool(at) + piece, paint) for at, piece in enumerate(pieces)]
    return rows


def signed_lines(
    diff: str, *, told: frozenset[str] = NOTHING, masked: bool = True
) -> Iterator[tuple[str, str]]:
    """Yield each line of a diff, its sign apart, as they may be shown."""
    from nightledger.text.scanners.scan import mask_diff

    text = mask_diff(diff, told=told) if masked else diff
    for line in text.removesuffix("\n").split("\n") if diff else ():
        yield visible(line[:1]), visible(line[1:])


def cut(row: str) -> str:
    """Give a row that fits; of a longer one its beginning, with a sign that it goes on."""
    return row if columns(row) < width() else f"{next(_pieces(row, width() - 4)).rstrip()} ..."


def _told_apart(text: str, *, sign: str) -> str:
    """Show the first character of a line by its number where the line would look like a row of ours.

    That is one that goes on from the line before, or, where the sign is a blank, a fact beside a change.
    """
    blanks = len(text) - len(text.lstrip())
    goes_on = text[:1] == GOES_ON[0] and text[1:2].isspace()
    poses = goes_on or (sign == " " and (blanks == 1 or not text[:blanks].isascii()))
    return f"\\u{{{ord(text[0]):x}}}{text[1:]}" if poses and text.strip() else text


def text_lines(text: str, *, indent: str, told: frozenset[str] = NOTHING) -> list[str]:
    """Give one line of text from a file in as many rows as it needs, each indented."""
    return [indent + piece for piece in _pieces(shown(text, told=told), width() - len(indent))]


def utc(text: str) -> str:
    """Return a stored time as a person reads it: ``2026-03-01 03:05 UTC``."""
    return f"{read_moment(text):%Y-%m-%d %H:%M} UTC"


def counted(counts: Mapping[str, int]) -> str:
    """Return what a run counted: ``1 log proposed, 2 bad lines``; nothing of what is none."""
    told = (f"{n} {word.replace('_', ' ')}" for word, n in sorted(counts.items()) if n)
    return ", ".join(
        re.sub(r"(?<=[^s])s\b", "", re.sub(r"ies\b", "y", one)) if one.startswith("1 ") else one
        for one in told
    )


def painted(row: str, code: str) -> str:
    """Give a row in a colour, where one is wanted (ECMA-48 8.3.117)."""
    return f"\x1b[{code}m{row}\x1b[0m" if code and colour() else row


def item_lines(item: "Item", at: int, count: int) -> list[str]:
    """Give what the review shows of one change."""
    change, told = item.change, item.told
    headed = f"[{at}/{count}] {shown(item.stored.proposal.title, told=told)}: {headline(change, told=told)}"
    lines = [*wrap(headed, indent=INSIDE, first=""), *facts(change, told=told, share=item.share)]
    if item.unplaced:
        why = shown(f"cannot be applied now: {item.unplaced}", told=told)
        lines += wrap(why, indent="    ", first="  ! ")
    if item.unread:
        lines += wrap(f"cannot be signed yet: {item.unread}", indent="    ", first="  ! ")
    return [*lines, *fates(change, told=told), *diff_rows(item)]


def diff_rows(item: "Item") -> list[str]:
    """Give the rows of a change's diff; without masks once its operator asked for that."""
    diff, masked = diff_of(item)
    return diff_lines(diff, told=item.told, masked=masked)


def diff_of(item: "Item") -> tuple[str, bool]:
    """Return the diff that is shown of a change, and whether it is to be masked."""
    return (item.plain, False) if item.is_unmasked else (item.diff or item.change.diff, True)


def headline(change: "Change", *, told: frozenset[str] = NOTHING) -> str:
    """Give what a change does, in a few words: ``add to MEMORY.md, Lessons``."""
    name = change.target.rpartition("/")[2]
    parts = [part for part in change.section.split(" > ") if not part.startswith(name)]
    section = f", {shown(' > '.join(parts), told=told)}" if parts and change.section else ""
    return f"{sentences('operations')[change.op.value]} {shown(change.target)}{section}"


FACTS = {"why": 7, "from": 8, "reject if": 4, "fine when": 4, "!": 4}
"""What is told of a change, in this order, and how far in it goes on in the next row."""


def facts(change: "Change", *, told: frozenset[str] = NOTHING, share: "Share | None" = None) -> list[str]:
    """Give why, from where, how sure, what became of changes like it, and what would change its mind."""
    lines: list[str] = []
    for label, text in told_facts(change, told=told, share=share):
        first = f"  {label} " if label == "!" else f"  {label}: "
        lines += wrap(text, indent=" " * FACTS[label], first=first)
    return lines


def told_facts(
    change: "Change", *, told: frozenset[str] = NOTHING, share: "Share | None" = None
) -> Iterator[tuple[str, str]]:
    """Yield what is told of a change, each by its label in ``FACTS``, as it may be shown."""
    yield "why", shown(change.reason, told=told)
    origins = ", ".join(origin.value for origin in change.provenance)
    sources = ", ".join(place(evidence) for evidence in change.evidence[:3])
    more = f" and {len(change.evidence) - 3} more" if len(change.evidence) > 3 else ""  # noqa: PLR2004 - a screenful
    sure = sureness([change.confidence], share)
    yield "from", f"{sources or 'no source is named'}{more} ({origins}), {sure}"
    if change.scope.fails_when:
        yield "reject if", shown(change.scope.fails_when, told=told)
    if change.scope.fine_when:
        yield "fine when", shown(change.scope.fine_when, told=told)
    for flag in change.flags_told:
        yield "!", f"{flag.rule}: {shown(flag.message, told=told)}"


def sureness(confidence: Sequence[float], share: "Share | None") -> str:
    """Give how sure changes are said to be, and how many like them their operator signed."""
    low, high = (f"{pick(confidence):.2f}" for pick in (min, max))
    return f"confidence {low if low == high else f'{low} to {high}'}{f'; {share.told}' if share else ''}"


def fates(change: "Change", *, told: frozenset[str] = NOTHING) -> list[str]:
    """Give what goes where, for what is archived, compressed or forgotten."""
    from nightledger.gate.drafting import fate_lines

    lines = (shown(line, told=told) for line in fate_lines(change))
    return [row for line in lines for row in wrap(line, indent="    ", first="  ")]


def place(evidence: "Evidence") -> str:
    """Give where evidence stands: ``memory/2026-02-28.md:12``."""
    from nightledger.domain.proposal import place_of

    return shown(place_of(evidence.path, evidence.lines))


def evidence_lines(
    home: "Home",
    change: "Change",
    *,
    told: frozenset[str] = NOTHING,
    expunged: "HashedPhrases",
    whole_logs: bool = True,
    places: bool = False,
) -> list[str]:
    """Return the evidence of a change, each place with its lines, and whether they still are what they were.

    Args:
        home: Where the files are, as they are now, or archived.
        change: The change.
        told: Values told as secrets elsewhere: masked, as is what the files of the evidence tell.
        expunged: What was expunged: its lines are left blank.
        whole_logs: Whether to give every line of a log that is to be compressed; else only its place.
        places: Whether to give the places alone, as an agent is told them: a log is not signed.
    """
    brief = places or (change.op.value == "compress" and not whole_logs)
    shown = []
    for evidence in change.evidence:
        title, lines = cited_lines(home, evidence, told, expunged)
        rows = [INSIDE + piece for line in lines for piece in _pieces(line, width() - len(INSIDE))]
        shown += [*wrap(title, indent="      ", first="  in: "), *(() if brief else rows)]
    return shown


def cited_lines(
    home: "Home",
    evidence: "Evidence",
    told: frozenset[str],
    expunged: "HashedPhrases",
    most: int | None = None,
) -> tuple[str, list[str]]:
    """Return where evidence stands, and its lines, as they may be shown, so many at most; see :func:`evidence_lines`."""
    from nightledger.domain.errors import NightledgerError
    from nightledger.gate.forgotten import cited, values_of

    head = f"{place(evidence)} ({evidence.origin.value})"
    try:
        found = cited(home, evidence, told=told)
    except NightledgerError as error:
        return f"{head}: {shown(str(error))}", []
    first, last = evidence.lines
    values = told | values_of(found.content)
    lines = expunged.without(found.content.decode("utf-8", "replace")).split("\n")[first - 1 : last]
    if found.path != evidence.path:
        head = f"{head}, now in {shown(found.path)}"
    title = head if found.same else f"{head}: these lines have changed since"
    more = [f"({count_of(len(lines) - most, 'more line')})"] if most and len(lines) > most else []
    return title, [*(shown(line, told=values) for line in lines[:most]), *more]


def meter(proposal: "Proposal") -> str:
    """Give the size of each file before and after, against the cap of its host; of many, of all together; of links none."""
    from nightledger.domain.kept import LINKS

    parts = []
    targets = [target for target in proposal.targets if target.path != LINKS]
    if len(targets) > MOST_METERS:
        before = sum(target.meter.before_characters for target in targets)
        after = sum(target.meter.after_characters for target in targets)
        return f"{len(targets)} files: {before:,} to {after:,} characters"
    for target in targets:
        meter = target.meter
        of = f" of {meter.cap_characters:,}" if meter.cap_characters is not None else ""
        sizes = f"{meter.before_characters:,} to {meter.after_characters:,}{of}"
        parts.append(f"{shown(target.path)}: {sizes} characters")
    return "; ".join(parts)


def wrap_hint(text: str, *, indent: str, first: str, less: int = 0) -> list[str]:
    """Break a next step to the width; a command stays in one row, however long.

    Args:
        text: As it may be printed.
        indent: Begins every row but the first.
        first: Begins the first.
        less: Columns of the terminal that stand before it.
    """
    kept = _commands().sub(lambda found: whole(found[0]), text)
    return [row.replace(_STAYS, " ") for row in wrap(kept, indent=indent, first=first, less=less)]


@cache
def _commands() -> re.Pattern[str]:
    """Return what finds commands of a hint: in quotes, or from its start or a mark to the next mark."""
    programs = "|".join(sentences("commands")["programs"])
    word = r"(?:'[^']*'|[^\s';:,]|[;:,](?=\S))+"
    return re.compile(
        rf"(?<!\S)'(?:{programs})\b[^']*'|(?:^|(?<=[;:,] ))(?:{programs})(?![^\s;:,])(?: {word})*"
    )


def say(context: "Context", *texts: str, first: str = "", indent: str = "  ") -> None:
    """Print sentences for people, text of files in them as data, proposals by their short names; empty ones are left out."""
    for text in filter(None, texts):
        context.print_lines(wrap_hint(shown(context.short(text)), indent=indent, first=first))


GAP = 2
"""Columns between two of a table."""
_LONGEST_WORD = 12
"""Columns that the last column of a table has to have room for: a day has ten, a longer word is broken."""
STATES = {
    "pending": "yellow",
    "stale": "yellow",
    "applied": "green",
    "rejected": "dim",
    "altered": "bold red",
}


def table(rows: Iterable[Sequence[str]], *styles: str, heads: Sequence[str] = (), less: int = 0) -> list[str]:
    """Return the lines of a table as wide as the terminal; where its columns do not fit, each row as a sentence of heads and cells.

    Args:
        rows: Cells as text; one may have several lines.
        styles: How each column looks, in the words of rich; a cell that names a state looks like that.
        heads: What each column is called.
        less: Columns of the terminal that stand before it.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    lines, wide = [*rows], width() - less
    if heads and not _fits([heads, *lines], wide):
        told = (
            ", ".join(" ".join(f"{head} {cell}".split()) for head, cell in zip(heads, row, strict=True))
            for row in lines
        )
        return [piece for one in told for piece in wrap(one, indent="  ", less=less, first="")]
    grid = Table(
        box=None, show_header=bool(heads), padding=(0, GAP, 0, 0), pad_edge=False, header_style="bold"
    )
    for n, style in enumerate(styles):
        grid.add_column(heads[n] if heads else "", style=style, no_wrap=n + 1 < len(styles), overflow="fold")
    for row in lines:
        grid.add_row(*(Text(cell, style=STATES.get(cell, "")) for cell in row))
    text = io.StringIO()
    system: Literal["standard"] | None = "standard" if colour() else None
    Console(file=text, width=wide, color_system=system, force_terminal=True).print(grid)
    return [line.rstrip() for line in text.getvalue().rstrip("\n").split("\n")]


def _fits(rows: Sequence[Sequence[str]], wide: int) -> bool:
    """Tell whether the columns stand beside each other, the last with room for its words."""
    *before, last = zip(*rows, strict=True)
    needed = sum(
        max(columns(part) for cell in column for part in cell.split("\n")) + GAP for column in before
    )
    longest = max((columns(word) for cell in last for word in cell.split()), default=0)
    return needed + min(longest, _LONGEST_WORD) <= wide
