"""Weeks: what was proposed, signed, learned, shown, used and undone in each, and which tasks fail again and again."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from nightledger.codec.rows import Exposure, OutcomeUse, read_rows
from nightledger.domain.decision import DecisionType, Event, EventName
from nightledger.domain.proposal import Kind
from nightledger.domain.states import Book
from nightledger.domain.words import count_of, read_moment
from nightledger.doors.report import BAR, Part, Plot, Series
from nightledger.files.line_log import LineLog
from nightledger.gate.opening import Gate
from nightledger.surfaces.report import DAY, cell, more

WEEK, WEEKS, TASKS = timedelta(days=7), 12, 12
"""How long each is, and how many weeks and kinds of task are told of."""
COUNTED = (
    "proposed", "signed", "rejected", "learned", "undone", "shown", "used", "failed", "drift", "held back",
)  # fmt: skip
"""What is counted each week: changes, then lines shown to the agent, outcomes that say what was shown, and findings."""
_BY_EVENT = {EventName.DRIFT_FOUND: "drift", EventName.QUARANTINED: "held back"}
_BY_DECISION = {DecisionType.APPROVE: "signed", DecisionType.REJECT: "rejected"}
_BY_APPLY = {DecisionType.APPROVE: "learned", DecisionType.UNDO: "undone"}


def _count_weeks(gate: Gate, book: Book, events: Sequence[Event], now: datetime) -> list[Counter[str]]:
    """Return what happened in each of the last weeks, the newest first; two at least."""
    past = (now - events[0].at) // WEEK + 1 if events else 0
    weeks = [Counter[str]() for _ in range(max(2, min(WEEKS, past)))]
    for at, what, number in _counted(gate, book, events):
        week = (now - at) // WEEK
        if 0 <= week < len(weeks):
            weeks[week][what] += number
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


def week_by_week(gate: Gate, book: Book, events: Sequence[Event], now: datetime) -> Iterator[Part]:
    """Yield the newest week, and what came of the last twelve."""
    weeks = _count_weeks(gate, book, events, now)
    yield _this_week(weeks)
    yield _over_time(weeks, now)


def _this_week(weeks: Sequence[Counter[str]]) -> Part:
    rows = tuple((what, f"{weeks[0][what]:,}", f"{weeks[1][what]:,}") for what in COUNTED)
    told = f"{count_of(weeks[0]['proposed'], 'change')} proposed, {weeks[0]['signed']} signed, {weeks[0]['learned']} put into memory."
    return Part(
        title="This week",
        told=told,
        heads=("what", "last 7 days", "the 7 before"),
        rows=rows,
        figure=f"{weeks[0]['learned']} learned",
    )


def _over_time(weeks: Sequence[Counter[str]], now: datetime) -> Part:
    names = ("learned", "shown", "undone")
    oldest = range(len(weeks) - 1, -1, -1)
    total = {name: sum(week[name] for week in weeks) for name in names}
    told = f"In {len(weeks)} weeks: {total['learned']} learned, {total['shown']} shown to the agent, {total['undone']} undone."
    return Part(
        title="What came of it",
        told=told,
        heads=("week up to", *names),
        rows=tuple((f"{now - n * WEEK:{DAY}}", *(f"{weeks[n][name]:,}" for name in names)) for n in oldest),
        picture=Plot(
            series=tuple(
                Series(name=name, points=tuple((-float(n), float(weeks[n][name])) for n in oldest), shape=BAR)
                for name in names
            ),
            ends=(f"{now - (len(weeks) - 1) * WEEK:{DAY}}", f"{now:{DAY}}"),
        ),
        folded=True,
    )


def failures(gate: Gate) -> Part:
    """Return which kinds of task fail again and again."""
    failed, done, last = Counter[str](), Counter[str](), dict[str, str]()
    for row in _outcomes(gate):
        (failed if row.outcome == "failure" else done)[row.task_type] += 1
        if row.outcome == "failure" and (at := _moment(row.timestamp)):
            last[row.task_type] = max(last.get(row.task_type, ""), f"{at:{DAY}}")
    again = [(task, count) for task, count in failed.most_common() if count > 1]
    rows = tuple(
        (cell(task), str(count), str(done[task]), last.get(task, "")) for task, count in again[:TASKS]
    )
    told = (
        f"{count_of(len(again), 'kind')} of task failed more than once."
        if again
        else "No kind of task failed more than once."
    )
    return Part(
        title="Failures that came again",
        told=told + more(again, TASKS),
        heads=("task", "failed", "went well or half", "last failure"),
        rows=rows,
    )
