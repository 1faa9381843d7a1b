"""The status screen: one screen, alarms first, readable in 40 columns."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from nightledger.codec.records import to_plain
from nightledger.domain.runs import Run
from nightledger.domain.words import dump_moment, read_moment
from nightledger.surfaces import screen
from nightledger.surfaces.hints import wrap_hint
from nightledger.surfaces.needs import Alarm
from nightledger.surfaces.status import HeldBack, Size, Staging, Status, Term

if TYPE_CHECKING:
    from nightledger.gate.forgetting.citing import Unasked

Item = TypeVar("Item")
INDENT = 11
"""Columns of the left margin: the longest label, ``held back``, and a gap."""
_FURTHER = " " * (INDENT + 2)
"""Begins rows in which an item goes on: further in than an item begins."""
SHOWN = 3
"""How many of a kind are listed; the rest are counted, so that it stays one screen."""
_BAR = 10
_MINUTE, _HOUR, _DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


def status_lines(status: Status, name: Callable[[str], str]) -> list[str]:
    """Return the screen.

    Args:
        status: What was found.
        name: Returns a text of ours with the short names of proposals.
    """
    lines = screen.wrap(screen.shown(status.home), indent=screen.INSIDE, first="")
    if status.simulated:
        lines += screen.wrap("A simulated home: its clock is whatever --now says.")
    if status.left_at:
        lines += screen.wrap(f"It was left on {_utc(status.left_at)}; using it again takes it up again.")
    for alarm in status.alarms:
        lines += _alarm(alarm, name)
    parts = [(label, texts) for label, texts in _parts(status, name) if texts]
    if screen.terminal():
        from nightledger.surfaces.table import table

        rows = ((label, "\n".join(_part("", texts, less=INDENT))) for label, texts in parts)
        return [*lines, *table(rows, "cyan", "")]
    return [*lines, *(line for label, texts in parts for line in _part(label, texts))]


def status_record(status: Status) -> dict[str, Any]:
    """Give the status as one JSON document."""
    schedule = status.schedule
    return {
        "home": status.home,
        "id": status.home_id,
        "simulated": status.simulated,
        "at": dump_moment(status.at),
        "alarms": [{"kind": a.kind, "message": a.message, "hint": a.hint} for a in status.alarms],
        "waiting": {
            "proposals": status.waiting.proposals,
            "changes": status.waiting.changes,
            "oldest_at": _moment(status.waiting.oldest_at),
        },
        "signed": [_term(term, "cools_until") for term in status.signed],
        "undoable": [_term(term, "undo_until") for term in status.undoable],
        "held": [to_plain(one) for one in status.held],
        "unasked": [{"heading": one.name, "refused": one.refused or None} for one in status.unasked],
        "sizes": [{"path": s.path, "characters": s.characters, "cap": s.cap} for s in status.sizes],
        "runs": [to_plain(run) for run in schedule.last],
        "next_due_at": dump_moment(schedule.next_at),
        "still_due": schedule.still_due,
        "empty": bool(status.empty),
        "left_at": _moment(status.left_at),
        "staged": to_plain(status.staged) if status.staged else None,
    }


def age(since: datetime, now: datetime) -> str:
    """Say how long ago something was: ``3 days``, ``5 h``, ``12 min``."""
    passed = max(timedelta(), now - since)
    if passed >= _DAY:
        return f"{passed // _DAY} day{'s' if passed // _DAY > 1 else ''}"
    return f"{passed // _HOUR} h" if passed >= _HOUR else f"{passed // _MINUTE} min"


def _parts(status: Status, name: Callable[[str], str]) -> Iterator[tuple[str, list[str]]]:
    now = status.at
    yield "empty", [screen.shown(status.empty)] if status.empty else []
    yield "waits", [_waits(status)]
    yield "signed", _listed(status.signed, lambda term: _signed(term, now, name))
    yield (
        "undo",
        _listed(status.undoable[::-1], lambda term: f"{_named(term, name)}, until {_utc(term.until)}"),
    )
    yield "held back", _held_back(status.held[::-1])
    yield "not asked", _listed(status.unasked, _unasked)
    yield "", ["ask again: nightledger proposals --ask-again HEADING"] if status.unasked else []
    yield "size", [_size(size) for size in status.sizes]
    yield "ran", [_ran(run) for run in status.schedule.last] or ["no night yet"]
    yield "next", [_next(status)]
    yield "staged", [_staged(status.staged, now), *_troubles(status.staged)] if status.staged else []


def _staged(staged: Staging, now: datetime) -> str:
    if staged.lines is None:
        return "not as it was written, so it is not given out: nightledger stage"
    until = read_moment(staged.good_until)
    count = f"{staged.lines} line{'' if staged.lines == 1 else 's'}"
    return f"{count}, until {_utc(until)}" if now < until else f"over since {_utc(until)}: nightledger stage"


def _troubles(staged: Staging) -> Iterator[str]:
    return (f"since {_utc(read_moment(one.since))}: {screen.shown(one.what)}" for one in staged.troubles)


def _part(label: str, texts: list[str], *, less: int = 0) -> list[str]:
    lines = []
    for at, text in enumerate(texts):
        first = f"{'' if at else label:<{INDENT - less}}"
        lines += screen.wrap(text, indent=_FURTHER[less:], first=first, less=less)
    return lines


def _alarm(alarm: Alarm, name: Callable[[str], str]) -> list[str]:
    lines = screen.wrap(
        screen.shown(name(alarm.message)), indent=screen.INSIDE, first=f"! {alarm.kind.upper()} "
    )
    lines = [screen.painted(line, "31") for line in lines]
    return lines + wrap_hint(screen.shown(name(alarm.hint)), indent="    ", first="  > ")


def _waits(status: Status) -> str:
    waiting = status.waiting
    if waiting.oldest_at is None:
        return "nothing"
    proposals = "proposal" if waiting.proposals == 1 else "proposals"
    changes = "change" if waiting.changes == 1 else "changes"
    return (
        f"{waiting.proposals} {proposals}, {waiting.changes} {changes}, "
        f"oldest {age(waiting.oldest_at, status.at)}: nightledger review"
    )


def _signed(term: Term, now: datetime, name: Callable[[str], str]) -> str:
    return f"{_named(term, name)}, " + (
        f"cools until {_utc(term.until)}" if now < term.until else "has cooled: apply"
    )


def _named(term: Term, name: Callable[[str], str]) -> str:
    numbers = ", ".join(map(str, term.changes))
    return f"{name(term.proposal)} change {numbers}"


def _held_back(held: Sequence[HeldBack]) -> list[str]:
    new = [item for item in held if item.new]
    seen = len(held) - len(new)
    more = f"{seen} seen before: nightledger status --held"
    return [
        *_listed(new, _held, ": nightledger status --held"),
        *([more] if seen and len(new) <= SHOWN else []),
    ]


def held_lines(status: Status) -> list[str]:
    """Return every text that scanners held back, by day, place and rule, the newest first; never the text."""
    told = (f"{item.at:%Y-%m-%d} {_held(item)}" for item in status.held[::-1])
    return [line for text in told for line in screen.wrap(text, indent="    ")] or ["Nothing was held back."]


def _held(item: HeldBack) -> str:
    where = f"{item.path}:{item.line}" if item.line else item.path or "a proposal"
    return screen.shown(f"{', '.join(item.rules)} in {where}")


def _unasked(one: "Unasked") -> str:
    why = f"you refused {one.refused} of {one.refused}" if one.refused else "you said never"
    what = "files" if one.name.startswith("*-") else "heading"
    return f"not proposing from {what} '{screen.shown(one.name)}': {why}"


def _size(size: Size) -> str:
    path = screen.shown(size.path)
    if size.cap is None:
        return f"{path} {size.characters:,} characters, no cap"
    full = min(_BAR, _BAR * size.characters // size.cap)
    over = ", over it" if size.characters > size.cap else ""
    return f"{path} [{'#' * full}{'.' * (_BAR - full)}] {size.characters:,} of {size.cap:,} characters{over}"


def _ran(run: Run) -> str:
    counts = ", ".join(f"{n} {word.replace('_', ' ')}" for word, n in sorted(run.counts.items()) if n)
    said = "; ".join(part for part in (counts, run.reason) if part)
    return screen.shown(f"{run.job} {run.period} {run.outcome.value}{f': {said}' if said else ''}")


def _next(status: Status) -> str:
    schedule = status.schedule
    if schedule.still_due:
        periods = "period is" if schedule.still_due == 1 else "periods are"
        return f"{schedule.still_due} {periods} due: nightledger night"
    return _utc(schedule.next_at)


def _listed(items: Sequence[Item], tell: Callable[[Item], str], command: str = "") -> list[str]:
    texts = [tell(item) for item in items[:SHOWN]]  # to mask what is not shown would take seconds
    more = len(items) - SHOWN
    return texts if more <= 0 else [*texts, f"and {more} more{command}"]


def _term(term: Term, name: str) -> dict[str, Any]:
    return {"proposal": term.proposal, "changes": list(term.changes), name: dump_moment(term.until)}


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else dump_moment(moment)


def _utc(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"
