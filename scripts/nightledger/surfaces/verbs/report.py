"""Write what became of memory into one HTML file to look at: no network, no script.

Reads   what 'status' reads, outcomes, exposures, blobs
Writes  .nightledger/report.html, or the file that --to names; looked.json as 'status' does
Changes no memory.
"""

import argparse
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from nightledger.codec.rows import Exposure, OutcomeUse, read_rows
from nightledger.domain.decision import DecisionType, Event, EventName
from nightledger.domain.errors import EXIT_ALARM, AlteredError, IntegrityError, MissingBlobError
from nightledger.domain.judge import EDIT_LANE
from nightledger.domain.proposal import Kind
from nightledger.domain.states import Book
from nightledger.domain.words import read_moment
from nightledger.doors.report import Part, Plot, Series, page_of
from nightledger.files.atomic import replace_file
from nightledger.files.blobs import BlobStore
from nightledger.files.line_log import LineLog
from nightledger.gate.opening import Gate
from nightledger.gate.stored import read_proposal, short_name
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context
from nightledger.surfaces.needs import OF_INTEGRITY
from nightledger.surfaces.session import Session, reading
from nightledger.surfaces.verbs.status import age, look

FILE = ".nightledger/report.html"
WEEK, WEEKS = timedelta(days=7), 12
MOST_ROWS = 40
"""Of one table; it says how many it leaves out."""
_DAY = "%Y-%m-%d"


def run(options: argparse.Namespace, context: Context) -> int:
    """Write the file, or print the same as text; exit with 4 on an alarm of ``verify``."""
    status = look(context)
    wrong = [alarm for alarm in status["alarms"] if alarm["kind"] in OF_INTEGRITY]
    with reading(context) as session:
        parts = parts_of(session, status, context.now)
        size, root = session.ledger.log.size, session.ledger.log.tree.root().hex()
    holds = f"verify: all holds, {size:,} entries, root {root[:16]}"
    badge = screen.shown(f"verify: {wrong[0]['message']}") if wrong else holds
    title = f"{screen.shown(status['home'])}, {context.now:%Y-%m-%d %H:%M} UTC"
    context.emit({"badge": badge, "parts": [_record(part) for part in parts]})
    if options.text or context.json:
        context.print_lines(_lines(title, badge, parts))
    else:
        path = options.to or os.path.join(session.gate.home.root, FILE)
        replace_file(path, page_of(title, badge, parts, is_well=not wrong), disposable=True)
        context.print(os.path.abspath(path))
    return EXIT_ALARM if wrong else 0


def _record(part: Part) -> dict[str, Any]:
    return {"title": part.title, "told": part.told, "heads": part.heads, "rows": part.rows}


def _lines(title: str, badge: str, parts: Sequence[Part]) -> Iterator[str]:
    yield from screen.wrap(title, indent=screen.INSIDE, first="")
    yield from screen.wrap(badge, indent=screen.INSIDE, first="")
    for part in parts:
        yield ""
        yield from screen.wrap(f"{part.title}: {part.told}", indent="  ", first="")
        if part.rows:
            yield from (
                f"  {row}"
                for row in screen.table(part.rows, *("",) * len(part.heads), heads=part.heads, less=2)
            )


def parts_of(session: Session, status: dict[str, Any], now: datetime) -> list[Part]:
    """Return the parts of the report.

    Args:
        session: The home.
        status: What ``status`` found.
        now: Aware, UTC.
    """
    gate, book, events = session.gate, session.ledger.book, session.ledger.log.events
    weeks = _weeks(gate, book, events, now)
    return [
        _this_week(weeks),
        _waiting(gate, book, now),
        *_sizes(gate, book, status, now),
        _over_time(weeks, now),
        _failures(gate),
        _runs(status),
        _drift(events, book),
    ]


COUNTED = (
    "proposed", "signed", "rejected", "learned", "undone", "shown", "used", "failed", "drift", "held back",
)  # fmt: skip
"""What is counted each week: changes, then lines shown to the agent, outcomes that say what was shown, and findings."""
_BY_EVENT = {EventName.DRIFT_FOUND: "drift", EventName.QUARANTINED: "held back"}
_BY_DECISION = {DecisionType.APPROVE: "signed", DecisionType.REJECT: "rejected"}
_BY_APPLY = {DecisionType.APPROVE: "learned", DecisionType.UNDO: "undone"}


def _weeks(gate: Gate, book: Book, events: Sequence[Event], now: datetime) -> list[Counter[str]]:
    """Return what happened in each of the last weeks, the newest first."""
    past = (now - events[0].at) // WEEK + 1 if events else 0
    weeks = [Counter[str]() for _ in range(max(2, min(WEEKS, past)))]
    for at, what, count in _counted(gate, book, events):
        week = (now - at) // WEEK
        if 0 <= week < len(weeks):
            weeks[week][what] += count
    return weeks


def _counted(gate: Gate, book: Book, events: Sequence[Event]) -> Iterator[tuple[datetime, str, int]]:
    for event in events:
        if event.event == EventName.PROPOSED and event.fields["kind"] != Kind.DRIFT:
            yield event.at, "proposed", event.fields["changes"]
        elif event.event in _BY_EVENT:
            yield event.at, _BY_EVENT[EventName(event.event)], 1
    for decision in book.decisions.values():
        yield decision.recorded.at, _BY_DECISION.get(decision.type, ""), len(decision.changes)
    for apply in book.applies.values():
        decided = book.decisions.get(apply.decision) if apply.outcome == "done" else None
        yield apply.at, _BY_APPLY.get(decided.type, "") if decided is not None else "", len(apply.changes)
    yield from _used(gate)


def _used(gate: Gate) -> Iterator[tuple[datetime, str, int]]:
    with LineLog(gate.home.exposures) as log:
        for exposures, _ in read_rows(Exposure, log.chunks(0)):
            for shown in exposures:
                if at := _moment(shown.at):
                    yield at, "shown", len(shown.shown)
    for row in _outcomes(gate):
        if at := _moment(row.received_at):
            yield at, "used", int(bool(row.shown))
            yield at, "failed", int(row.outcome == "failure")


def _moment(text: str) -> datetime | None:
    """Return a time that an agent's file says; None where it says none."""
    try:
        return read_moment(text)
    except ValueError:
        return None


def _outcomes(gate: Gate) -> Iterator[OutcomeUse]:
    with LineLog(gate.home.outcomes) as log:
        for rows, _ in read_rows(OutcomeUse, log.chunks(0)):
            yield from rows


def _this_week(weeks: Sequence[Counter[str]]) -> Part:
    rows = tuple((what, f"{weeks[0][what]:,}", f"{weeks[1][what]:,}") for what in COUNTED)
    told = f"{weeks[0]['proposed']} change(s) proposed, {weeks[0]['signed']} signed, {weeks[0]['learned']} put into memory."
    return Part(title="This week", told=told, heads=("what", "last 7 days", "the 7 before"), rows=rows)


def _waiting(gate: Gate, book: Book, now: datetime) -> Part:
    rows = []
    for status in book.live():
        if status.lane == EDIT_LANE or not (count := len(status.open_changes())):
            continue
        try:
            title = screen.shown(read_proposal(gate, status).proposal.title)
        except AlteredError:
            title = "altered, and set aside"
        rows.append((short_name(book, status.id), title, str(count), age(status.created.at, now)))
    changes = sum(int(row[2]) for row in rows)
    told = (
        f"{changes} change(s) in {len(rows)} proposal(s) wait for you." if rows else "Nothing waits for you."
    )
    return Part(
        title="What waits",
        told=told + _more(rows),
        heads=("proposal", "what", "changes", "age"),
        rows=tuple(rows[:MOST_ROWS]),
    )


def _more(rows: Sequence[object]) -> str:
    return f" {len(rows) - MOST_ROWS} more are not listed." if len(rows) > MOST_ROWS else ""


def _sizes(gate: Gate, book: Book, status: dict[str, Any], now: datetime) -> Iterator[Part]:
    """Yield the size of each gated file over time, as far as its bytes are kept."""
    for size in status["sizes"]:
        path, cap = size["path"], size["cap"]
        steps = [*_kept_sizes(gate, book, path), (now, size["characters"])]
        of = f" of the {cap:,} that its host shows" if cap else "; its host shows all of it"
        points = tuple((at.timestamp(), float(count)) for at, count in steps)
        yield Part(
            title=f"Size of {screen.shown(path)}",
            told=f"{size['characters']:,} characters{of}.",
            heads=("day", "characters"),
            rows=tuple({f"{at:{_DAY}}": (f"{at:{_DAY}}", f"{count:,}") for at, count in steps}.values())[
                -MOST_ROWS:
            ],
            plot=Plot(
                series=(Series(name="characters", points=points),),
                ends=(f"{steps[0][0]:{_DAY}}", f"{now:{_DAY}}"),
                limit=cap,
            ),
        )


def _kept_sizes(gate: Gate, book: Book, path: str) -> Iterator[tuple[datetime, int]]:
    blobs = BlobStore(gate.home.blobs_dir)
    for apply in book.applies.values():
        for target in apply.targets if apply.outcome == "done" else ():
            if target.path == path:
                try:
                    content = blobs.get(target.after)
                except (MissingBlobError, IntegrityError, ValueError):
                    continue  # let go with its undo window, or no hash
                yield apply.at, len(content.decode("utf-8", "surrogateescape"))


def _over_time(weeks: Sequence[Counter[str]], now: datetime) -> Part:
    names = ("learned", "shown", "undone")
    oldest = range(len(weeks) - 1, -1, -1)
    total = {name: sum(week[name] for week in weeks) for name in names}
    told = f"In {len(weeks)} weeks: {total['learned']} learned, {total['shown']} shown to the agent, {total['undone']} undone."
    return Part(
        title="What came of it",
        told=told,
        heads=("week up to", *names),
        rows=tuple((f"{now - n * WEEK:{_DAY}}", *(f"{weeks[n][name]:,}" for name in names)) for n in oldest),
        plot=Plot(
            series=tuple(
                Series(name=name, points=tuple((-float(n), float(weeks[n][name])) for n in oldest))
                for name in names
            ),
            ends=(f"{now - (len(weeks) - 1) * WEEK:{_DAY}}", f"{now:{_DAY}}"),
            are_bars=True,
        ),
    )


def _failures(gate: Gate) -> Part:
    """Return which kinds of task fail again and again."""
    failed, done, last = Counter[str](), Counter[str](), dict[str, str]()
    for row in _outcomes(gate):
        (failed if row.outcome == "failure" else done)[row.task_type] += 1
        if row.outcome == "failure":
            last[row.task_type] = max(last.get(row.task_type, ""), row.timestamp[:10])
    again = [(task, count) for task, count in failed.most_common() if count > 1]
    rows = tuple(
        (screen.shown(task), str(count), str(done[task]), last[task]) for task, count in again[:MOST_ROWS]
    )
    told = (
        f"{len(again)} kind(s) of task failed more than once."
        if again
        else "No kind of task failed more than once."
    )
    return Part(
        title="Failures that came again",
        told=told + _more(again),
        heads=("task", "failed", "went well or half", "last failure"),
        rows=rows,
    )


def _runs(status: dict[str, Any]) -> Part:
    odd = [alarm for alarm in status["alarms"] if alarm["kind"] not in OF_INTEGRITY]
    rows = [(run["job"], run["period"], run["outcome"]) for run in status["runs"]]
    told = "; ".join(screen.shown(alarm["message"]) for alarm in odd) or "No run was missed, and none fails."
    return Part(title="Runs", told=told, heads=("job", "last run of", "ended"), rows=tuple(rows))


def _drift(events: Sequence[Event], book: Book) -> Part:
    found = [event for event in events if event.event == EventName.DRIFT_FOUND][::-1]
    rows = tuple(
        (
            f"{event.at:{_DAY}}",
            screen.shown(event.fields["path"]),
            screen.shown(event.fields["writer"]),
            "open" if any(s.id == event.fields["proposal"] for s in book.live()) else "settled",
        )
        for event in found[:MOST_ROWS]
    )
    told = (
        f"{len(found)} time(s) something else wrote to a file." if found else "Nothing else wrote to a file."
    )
    return Part(
        title="Drift", told=told + _more(found), heads=("day", "file", "most likely by", "state"), rows=rows
    )
