"""What hygiene says: counts, oddities, and both policies side by side."""

from collections.abc import Iterator
from difflib import get_close_matches

from nightledger.domain.errors import UsageError
from nightledger.domain.retention import Status
from nightledger.domain.tags import canonical_tag
from nightledger.gate.memory.remembering import Facts, Oddities
from nightledger.jobs.hygiene import Judged, Survey, tags_of
from nightledger.surfaces import screen
from nightledger.surfaces.entry_choice import SHORT_ID, count_of
from nightledger.surfaces.session import Session

SHOWN = 40
"""Entries on which the policies differ that are listed before the rest is counted."""


def counted(found: Survey) -> Iterator[str]:
    """Give how many are active, immune and pending, and what is odd."""
    facts = found.facts
    total = len(found.judged)
    head = (
        f"{count_of(total)}: {found.active} active, {found.immune} immune, "
        f"{len(found.pending)} pending decay ({found.policy.value} policy, {facts.now_hour} active hours)."
    )
    for text in (head, *_notices(facts)):
        yield from screen.wrap(text, indent="  ", first="")


def _notices(facts: Facts) -> Iterator[str]:
    if not facts.hours:
        yield "No outcome and no exposure is recorded yet: nothing ages, and nothing fades."
    elif not facts.named:
        yield (
            "No outcome says what had been shown before it ('shown'): nothing can prove useful, "
            "so entries fade by active hours alone."
        )
    yield from odd_lines(facts.odd)


def no_such_tag(project: str, facts: Facts) -> UsageError:
    """Give the error for a tag that no entry has, with those that are written almost like it."""
    known = sorted({tag for one in facts.memories for tag in tags_of(one) if tag})
    near = get_close_matches(canonical_tag(project), known, n=3)
    meant = f"did you mean {' or '.join(screen.shown(tag) for tag in near)}? " if near else ""
    return UsageError(
        f"no entry has the tag {screen.shown(project)}",
        hint=f"{meant}an entry's tags are those that you signed, its headings and its #hashtags",
    )


def odd_lines(odd: Oddities) -> Iterator[str]:
    """Name what is odd about dates, ids and clocks; no entry is left out for it."""
    if odd.ahead:
        yield (
            f"! {odd.ahead} active hour(s) lie ahead of the clock: it was set back, or records came from the "
            "future. They count when their time comes."
        )
    if odd.bad_lines:
        yield f"! {odd.bad_lines} line(s) of outcomes or exposures are no records, or have impossible dates."
    if odd.impossible:
        names = ", ".join(name[:SHORT_ID] for name in odd.impossible[:3])
        more = f" and {len(odd.impossible) - 3} more" if len(odd.impossible) > 3 else ""  # noqa: PLR2004 - as above
        yield f"! An impossible DATE, which counts for nothing, stands in {count_of(len(odd.impossible))}: {names}{more}."
    if odd.twice:
        yield f"! The same stands in two files: {count_of(len(odd.twice))} got an id of their own."
    if odd.undated:
        yield f"{count_of(odd.undated)} without a date: from the home's first day on."


def compared(session: Session, measured: Survey, classic: Survey, *, every: bool) -> Iterator[str]:
    """Give both policies side by side: counts, then the entries on which they differ.

    Args:
        session: The home.
        measured: By the default.
        classic: By the published rule.
        every: List every entry, not only those that differ.
    """
    yield f"{'':10}{'measured':>10}{'classic':>10}"
    rows = (
        ("active", measured.active, classic.active),
        ("immune", measured.immune, classic.immune),
        ("pending", len(measured.pending), len(classic.pending)),
    )
    for name, first, second in rows:
        yield f"{name:10}{first:>10}{second:>10}"
    for text in _notices(measured.facts):
        yield from screen.wrap(text, indent="  ", first="")
    pairs = list(zip(measured.judged, classic.judged, strict=True))
    differ = [pair for pair in pairs if every or pair[0].status is not pair[1].status]
    if differ:
        yield ""
        yield f"{'entry':12}{'measured':>10}{'classic':>10}  text"
    for one, other in differ if every else differ[:SHOWN]:
        yield from _row(session, one, other)
    if not every and len(differ) > SHOWN:
        yield f"and {len(differ) - SHOWN} more: --all lists them"


def _row(session: Session, one: Judged, other: Judged) -> Iterator[str]:
    from nightledger.gate.proposing.told import told_at_home

    told = told_at_home(session.gate.home, ())
    text = screen.shown(one.remembered.placed.entry.text.strip(), told=told)
    head = f"{one.id[:SHORT_ID]:12}{_cell(one):>10}{_cell(other):>10}  "
    room = screen.width() - len(head)
    while screen.columns(text) > room:
        text = text[:-2].rstrip() + "…"
    yield head + text


def _cell(judged: Judged) -> str:
    return f"{judged.utility:.2f}{'-' if judged.status is Status.PENDING_DECAY else ' '}"
