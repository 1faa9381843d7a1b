"""What one session hands to the next: saved as a whole, with a readable view that an agent may edit.

``memory/state/session-handoff.md`` is the view where it begins with our first line; an agent's own file of that name is
left as it is. What is ticked there is resolved, and what is written below one of the four headings is taken in,
before the view is written anew; a line that is gone changes nothing, as nobody said what became of it. Whatever else an
agent wrote there stays, above the headings.

Invariant: saving resolves or carries every open item, or writes nothing.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct

from nightledger.domain.errors import RefusedError
from nightledger.domain.record import VIEW_FIRST_LINE, Record, is_open, is_overdue, urgency
from nightledger.files.atomic import replace_file
from nightledger.files.durable import read_optional
from nightledger.files.home import Home
from nightledger.files.line_log import Appender
from nightledger.records import keeping

HANDOFF = "handoff"
LISTS = {
    "unfinished": "Unfinished",
    "promises": "Promises",
    "next_plans": "Next plans",
    "reminders": "Reminders",
}
_MAX_BYTES = 256_000
_ITEM = re.compile(
    r"[-*+] (?:\[(?P<box>[ xX])\] )?(?P<text>.+?)(?: \((?=[^()]*\)$)[^()]*\b(?P<id>h-[a-z2-7]{8})\b[^()]*\))?$"
)
"""A bracket that does not end the line is looked at once: with many ids in it each would be tried with each."""
_SHOWN = 10
"""Characters of an id in the view: two and eight."""


class Saved(Struct, frozen=True, kw_only=True):
    """What a save did.

    Attributes:
        opened: Ids of items that are new.
        carried: Ids of items that stay open.
        resolved: Ids of items that ended.
        view: Whether the readable view was written; not where an agent keeps a file of its own there, or wrote meanwhile.
    """

    opened: tuple[str, ...]
    carried: tuple[str, ...]
    resolved: tuple[str, ...]
    view: bool


def open_handoff(home: Home, now: datetime) -> list[Record]:
    """Return what is left open, the overdue first, then the most urgent."""
    return most_urgent(keeping.read_records(home, HANDOFF)[0].values(), now)


def save_handoff(home: Home, given: Mapping[str, Any], sitting: keeping.Sitting) -> Saved:
    """Take in what a session hands over.

    Args:
        home: The home.
        given: ``next_plans``, ``reminders``, ``promises``, ``unfinished``: lists of texts; ``carry`` and ``resolve``:
            lists of ids, or of their beginnings; ``"*"`` in ``carry`` is all that is not named.
        sitting: Who hands over.

    Raises:
        RefusedError: An open item is neither resolved nor carried; nothing was written.
        RecordError: A text cannot be kept; nothing was written.
    """
    strange = [name for name in given if name not in {*LISTS, "carry", "resolve"}]
    if strange or not all(
        isinstance(one, list) and all(isinstance(text, str) for text in one) for one in given.values()
    ):
        raise RefusedError(
            f"a handoff is lists of texts named {', '.join(LISTS)}, carry, resolve",
            hint=f"not: {', '.join(strange) or 'another shape'}",
        )
    with Appender(home.records(HANDOFF)) as file:
        file.hold(timeout_s=keeping.PATIENCE_S)
        view = read_view(home)
        records, _ = keeping.fold_lines(HANDOFF, [file.read_from(0)])
        told = _told(given, records, view, sitting)
        keeping.append_events(file, keeping.checked(told, records, sitting))
        after, _ = keeping.fold_lines(HANDOFF, [file.read_from(0)])
        is_written = write_view(home, view, most_urgent(after.values(), sitting.at), sitting.at)
    ids = {
        name: tuple(
            dict.fromkeys(
                one.id or keeping.record_id(HANDOFF, one.fields) for one in told if one.action == name
            )
        )
        for name in ("add", "carry", "resolve")
    }
    return Saved(opened=ids["add"], carried=ids["carry"], resolved=ids["resolve"], view=is_written)


def most_urgent(items: Iterable[Record], now: datetime) -> list[Record]:
    """Return those that are open, the overdue first, then the most urgent."""
    kind, today = keeping.kind_named(HANDOFF), now.date()
    waiting = [one for one in items if is_open(one, kind, today)]
    return sorted(waiting, key=lambda one: (not is_overdue(one, kind, today), -urgency(one, kind, now)))


def _told(
    given: Mapping[str, list[str]], records: Mapping[str, Record], view: "View", sitting: keeping.Sitting
) -> list[keeping.Told]:
    """Return what a save says: new items first, then what becomes of each open one."""
    new = [{"list": name, "text": text} for name in LISTS for text in given.get(name, ())] + list(view.added)
    opened = {keeping.record_id(HANDOFF, fields): fields for fields in new}
    waiting = {one.id for one in most_urgent(records.values(), sitting.at)}
    resolve = {keeping.find_record(records, name).id for name in given.get("resolve", ())} | {
        found for name in view.ticked for found in waiting if found.startswith(name)
    }
    carry = {keeping.find_record(records, name).id for name in given.get("carry", ()) if name != "*"} | (
        waiting & {*opened}
    )
    left = waiting - resolve - carry
    if "*" in given.get("carry", ()):
        carry, left = carry | left, set()
    if left:
        names = "\n".join(
            f"  {one.id[:_SHOWN]} {one.fields['text']}" for one in records.values() if one.id in left
        )
        raise RefusedError(
            f"{len(left)} open items are neither carried nor resolved; nothing was written:\n{names}",
            hint='name each in "carry" or "resolve"; "carry": ["*"] carries all that are not named',
        )
    new = [fields for name, fields in opened.items() if name not in waiting]
    return [
        *(keeping.Told(kind=HANDOFF, action="add", fields=fields) for fields in new),
        *(
            keeping.Told(kind=HANDOFF, action="carry", fields={}, id=name)
            for name in sorted(carry & waiting - resolve)
        ),
        *(
            keeping.Told(kind=HANDOFF, action="resolve", fields={}, id=name)
            for name in sorted(resolve & waiting)
        ),
    ]


class View(Struct, frozen=True, kw_only=True):
    """What an agent wrote into the readable view.

    Attributes:
        ours: Whether the file is our view at all; where there is none, it may be.
        ticked: Beginnings of the ids that are ticked.
        added: Fields of items without an id.
        rest: All other lines: they are the agent's own, and stay.
    """

    ours: bool
    ticked: tuple[str, ...] = ()
    added: tuple[dict[str, str], ...] = ()
    rest: str = ""


def read_view(home: Home) -> View:
    """Read the view back."""
    raw = read_optional(home.handoff, _MAX_BYTES, within=home.root)
    if raw is None:
        return View(ours=True)
    lines = raw.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
    if lines[0] != VIEW_FIRST_LINE:
        return View(ours=False)
    ticked, added, rest = [], [], []
    for name, line in _listed(lines[1:]):
        item = _ITEM.match(line.strip()) if name else None
        is_ticked = item is not None and (item["box"] or "") in ("x", "X")
        if item is None:
            rest += [line] if line.strip() or not name else []
        elif item["id"]:
            ticked += [item["id"]] if is_ticked else []
        elif not is_ticked:
            added.append({"list": name, "text": item["text"].strip()})
    return View(ours=True, ticked=tuple(ticked), added=tuple(added), rest="\n".join(rest).strip("\n"))


def _listed(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Give each line with the list it stands in; empty for none."""
    names = {f"## {title}": name for name, title in LISTS.items()}
    name = ""
    for line in lines:
        if line.startswith("#"):
            name = names.get(line.strip(), "")
        if not line.startswith("#") or not name:
            yield name, line


def write_view(home: Home, taken_in: View, waiting: list[Record], now: datetime) -> bool:
    """Write the readable view, unless an agent keeps a file of its own there, or wrote there since it was read."""
    if not taken_in.ours or read_view(home) != taken_in:
        return False
    lines = [VIEW_FIRST_LINE, *(["", taken_in.rest] if taken_in.rest else [])]
    for name, title in LISTS.items():
        if rows := [_row(one, now) for one in waiting if one.fields["list"] == name]:
            lines += ["", f"## {title}", "", *rows]
    replace_file(home.handoff, ("\n".join(lines) + "\n").encode())
    return True


def _row(one: Record, now: datetime) -> str:
    kind = keeping.kind_named(HANDOFF)
    overdue = ", overdue" if is_overdue(one, kind, now.date()) else ""
    carried = f", carried {one.carried}" if one.carried else ""
    return f"- [ ] {' '.join(one.fields['text'].split())} ({one.id[:_SHOWN]}, since {one.opened_at.date()}{carried}{overdue})"
