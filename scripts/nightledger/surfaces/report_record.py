"""What the record says: what needs the operator, what waits, what came of this week, the audit log, runs, drift, failures.

Every text in a report is shown as data, secrets masked; nothing is written.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from nightledger.codec.rows import Exposure, OutcomeUse, read_rows
from nightledger.domain.decision import DecisionType, Event, EventName
from nightledger.domain.errors import AlteredError
from nightledger.domain.judge import EDIT_LANE
from nightledger.domain.periods import RunOutcome, done_periods, due, log_day, reckon
from nightledger.domain.proposal import Kind
from nightledger.domain.states import Book
from nightledger.domain.words import count_of, read_moment
from nightledger.doors.report import DOT, STEP, Part, Plot, Series, Strip
from nightledger.files.home import Home
from nightledger.files.line_log import LineLog
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.stored import read_proposal, short_name
from nightledger.gate.trusting import WitnessLook
from nightledger.night import calendar_of
from nightledger.surfaces import needs, screen
from nightledger.surfaces.screen import sentences
from nightledger.surfaces.verbs.status import age
from nightledger.trust.heads import kept_sizes

MOST_ROWS = 40
"""Of one table; it says how many it leaves out."""
LONGEST = 160
"""Characters of a cell: whoever wants all of a text reads it where it stands."""
DAY = "%Y-%m-%d"
MOST_POINTS = 120
"""Of the log's line: as many as can be told apart."""
STEPS, HEADS, LOOKED = 24, 6, 400
"""Rows of the log's table, signed heads among them, and entries that are looked at for it."""
FEWEST_DAYS, MOST_DAYS = 7, 28
"""Days of runs that are drawn."""
_MINUTE = "%Y-%m-%d %H:%M"
WEEK, WEEKS, TASKS = timedelta(days=7), 12, 12
"""How long each is, and how many weeks and kinds of task are told of."""
OVER_TIME = ("learned", "shown", "undone")
COUNTED = (
    "proposed", "signed", "rejected", "learned", "undone", "shown", "used", "failed", "drift", "held back",
)  # fmt: skip
"""What is counted each week: changes, then lines shown to the agent, outcomes that say what was shown, and findings."""
_BY_EVENT = {EventName.DRIFT_FOUND: "drift", EventName.QUARANTINED: "held back"}
_BY_DECISION = {DecisionType.APPROVE: "signed", DecisionType.REJECT: "rejected"}
_BY_APPLY = {DecisionType.APPROVE: "learned", DecisionType.UNDO: "undone"}


def cell(text: str, told: frozenset[str] = frozenset()) -> str:
    """Return a text of others as a cell says it: one line, secrets masked, hidden characters visible, cut.

    Args:
        text: Of a file or record.
        told: Values that the home's memory tells as secrets.
    """
    # masked whole: what is cut first hides a secret's end
    line = screen.shown(" ".join(text.split()), told=told)
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def more(rows: Sequence[object], most: int = MOST_ROWS) -> str:
    """Return how many rows a table leaves out, as a sentence; empty for none."""
    return f" {len(rows) - most} more are not listed." if len(rows) > most else ""


def alarms(status: dict[str, Any]) -> Iterator[Part]:
    """Yield what needs the operator, the worst first, where anything does."""
    found = status["alarms"]
    if found:
        yield Part(
            title="What needs you",
            told=f"{count_of(len(found), 'thing')}, the worst first." + more(found),
            heads=("kind", "what, and the next step"),
            rows=tuple(
                (one["kind"], f"{cell(one['message'])}. Next: {cell(one['hint'])}")
                for one in found[:MOST_ROWS]
            ),
            figure=str(len(found)),
            wide=True,
        )


def waiting(gate: Gate, book: Book, told: frozenset[str], now: datetime) -> Part:
    """Return the proposals that wait.

    Args:
        gate: The home.
        book: What its log adds up to.
        told: Values that memory tells as secrets.
        now: Aware, UTC.
    """
    rows = []
    for status in book.live():
        if status.lane == EDIT_LANE or not (waits := len(status.open_changes())):
            continue
        try:
            title = cell(read_proposal(gate, status).proposal.title, told)
        except AlteredError:
            title = "altered, and set aside"
        rows.append((short_name(book, status.id), title, str(waits), age(status.created.at, now)))
    changes = sum(int(row[2]) for row in rows)
    said = f"{count_of(changes, 'change waits', 'changes wait')} for you, in {count_of(len(rows), 'proposal')}: 'nightledger review'."
    return Part(
        title="What waits",
        told=said + more(rows) if rows else "Nothing waits for you.",
        heads=("proposal", "what", "changes", "age"),
        rows=tuple(rows[:MOST_ROWS]),
        figure=f"{changes:,}",
        wide=True,
    )


# ------------------------------------------------------------ the audit log


def audit(home: Home, ledger: Ledger, witnesses: WitnessLook | None, now: datetime) -> Part:
    """Return how the log grew, with the heads that are kept and the one that witnesses cosigned; its newest steps.

    Args:
        home: Whose.
        ledger: Its log, which holds: so do the roots of the heads kept.
        witnesses: What they said; None where none is asked.
        now: Aware, UTC.
    """
    log, events = ledger.log, ledger.log.events
    seqs = [event.seq for event in events]
    # a head is of the time of its newest entry
    heads = [
        (events[max(0, bisect_right(seqs, n - 1) - 1)].at, n) for n in kept_sizes(home) if 0 < n <= log.size
    ]
    steps = [
        *_steps(events[-LOOKED:]),
        *((at, f"signed head: {count_of(n, 'entry', 'entries')}, root {log.root_at(n).hex()[:16]}", "log key") for at, n in heads[-HEADS:]),
    ]  # fmt: skip
    told = f"{count_of(log.size, 'entry', 'entries')}, {count_of(len(heads), 'signed head')} kept."
    seen = witnesses or WitnessLook()
    if seen.at:
        steps.append((seen.at, f"cosigned: {count_of(seen.size, 'entry', 'entries')}", "witnesses"))
        told += f" Witnesses cosigned {seen.size:,} of them, last on {seen.at:{_MINUTE}} UTC."
    else:
        told += " No witness has cosigned it."
    lines = {
        "entries": [(event.at, event.seq + 1) for event in events],
        "signed heads": heads,
        "witnesses": [(seen.at, seen.size)] if seen.at else [],
    }
    series = tuple(
        Series(name=name, points=_thinned(points), shape=DOT if name != "entries" else STEP)
        for name, points in lines.items()
        if points
    )
    alike = Counter(sorted(steps, key=lambda step: step[0], reverse=True))
    return Part(
        title="Audit log",
        told=f"{told} The newest steps are listed; 'nightledger history' says what they changed.",
        heads=("when (UTC)", "what", "by"),
        rows=tuple(
            (f"{when:{_MINUTE}}", f"{what} ({count} times)" if count > 1 else what, who)
            for (when, what, who), count in [*alike.items()][:STEPS]
        ),
        picture=Plot(series=series, ends=(f"{events[0].at:{DAY}}" if events else "", f"{now:{DAY}}")),
        figure=count_of(log.size, "entry", "entries"),
        wide=True,
    )


def _steps(events: Sequence[Event]) -> Iterator[tuple[datetime, str, str]]:
    """Yield when, what and by whom, in words, of entries that say more than that a night was run."""
    words: dict[str, str] = sentences("report")["events"]
    for event in events:
        if template := words.get(event.event):
            told = {n: cell(str(one)) for n, one in event.fields.items() if isinstance(one, str | int)}
            yield event.at, template.format_map(defaultdict(lambda: "?", told)), str(event.actor)


def _thinned(points: Sequence[tuple[datetime, int]]) -> tuple[tuple[float, float], ...]:
    """Return points of which no two would be drawn at one place: the last of each, and the first of all."""
    found = [(at.timestamp(), float(size)) for at, size in points]
    first, wide = found[0], ((found[-1][0] - found[0][0]) or 1.0) / MOST_POINTS
    last = {int((x - first[0]) / wide): (x, y) for x, y in found}
    return (first, *(last[place] for place in sorted(last) if last[place] != first))


# ------------------------------------------------------------ runs and drift


def runs(gate: Gate, status: dict[str, Any], now: datetime) -> Part:
    """Return which periods of the last four weeks each job did, failed at, and did not run."""
    calendar = calendar_of(gate.home, gate.settings, needs.job_schedules(gate.settings))
    written = reckon(needs.runs_of(gate.home, now)[0], now, calendar.zone)
    today = log_day(now, calendar.zone)
    count = max(FEWEST_DAYS, min(MOST_DAYS, (today - calendar.since).days))
    days = [today - timedelta(days=n) for n in range(count, 0, -1)]
    since = max(calendar.since, days[0])
    strips, rows = [], []
    for job, schedule in calendar.schedules.items():
        done = done_periods(written, job, now)
        failed = {run.period for run in written if run.job == job and run.outcome is RunOutcome.FAILED}
        states = {
            period.key: "d" if period.key in done else "f" if period.key in failed else "-"
            for period in due(schedule, None, now, calendar.zone, since=since)
        }
        strips.append((job, "".join(states.get(f"{day}", " ") for day in days)))
        missed = [key for key, state in states.items() if state != "d"]
        are = [*states.values()].count
        newest = next((run["period"] for run in status["runs"] if run["job"] == job), "never")
        rows.append((job, newest, str(are("d")), str(are("f")), str(are("-")), ", ".join(missed[-3:])))
    odd = [one for one in status["alarms"] if one["kind"] in ("missed", "failed")]
    gaps = sum(states.count("-") + states.count("f") for _, states in strips)
    well = f"{gaps} are due now; none is late by a day" if gaps else "No run was missed"
    told = "; ".join(cell(one["message"]) for one in odd) or f"{well}, and none fails."
    return Part(
        title="Runs",
        told=told,
        heads=("job", "last run of", "done", "failed", "not run", "the last that were not done"),
        rows=tuple(rows),
        picture=Strip(
            rows=tuple(strips), states=sentences("report")["states"], ends=(f"{days[0]}", f"{days[-1]}")
        ),
        figure=f"{gaps} not done" if gaps else "all done",
        folded=True,
    )


def drift(events: Sequence[Event], book: Book) -> Part:
    """Return what else wrote to watched files."""
    found = [event for event in events if event.event == EventName.DRIFT_FOUND][::-1]
    live = {status.id for status in book.live()}
    by_file: defaultdict[str, int] = defaultdict(int)
    for event in found:
        by_file[event.fields["path"]] += 1
    rows = tuple(
        (
            f"{event.at:{DAY}}",
            cell(event.fields["path"]),
            cell(event.fields["writer"]),
            "open" if event.fields["proposal"] in live else "settled",
        )
        for event in found[:MOST_ROWS]
    )
    told = f"{count_of(len(found), 'time')} something else wrote to {count_of(len(by_file), 'file')}."
    return Part(
        title="Drift",
        told=told + more(found) if found else "Nothing else wrote to a file.",
        heads=("day", "file", "most likely by", "state"),
        rows=rows,
    )


# ------------------------------------------------------------ this week


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
    """Yield the newest week, beside the one before, and what came of the last twelve."""
    past = (now - events[0].at) // WEEK + 1 if events else 0
    weeks = [Counter[str]() for _ in range(max(2, min(WEEKS, past)))]
    for at, what, number in _counted(gate, book, events):
        week = (now - at) // WEEK
        if 0 <= week < len(weeks):
            weeks[week][what] += number
    yield Part(
        title="This week",
        told=f"{count_of(weeks[0]['proposed'], 'change')} proposed, {weeks[0]['signed']} signed, {weeks[0]['learned']} put into memory.",
        heads=("what", "last 7 days", "the 7 before"),
        rows=tuple((what, f"{weeks[0][what]:,}", f"{weeks[1][what]:,}") for what in COUNTED),
        figure=f"{weeks[0]['learned']} learned",
    )
    days = [(now - n * WEEK, week) for n, week in reversed([*enumerate(weeks)])]
    total = {name: sum(week[name] for week in weeks) for name in OVER_TIME}
    yield Part(
        title="What came of it",
        told=f"In {len(weeks)} weeks: {', '.join(f'{total[name]:,} {name}' for name in OVER_TIME)}.",
        heads=("week up to", *OVER_TIME),
        rows=tuple((f"{at:{DAY}}", *(f"{week[name]:,}" for name in OVER_TIME)) for at, week in days),
        picture=Plot(
            series=tuple(
                Series(name=name, points=tuple((at.timestamp(), float(week[name])) for at, week in days))
                for name in OVER_TIME
            ),
            ends=(f"{days[0][0]:{DAY}}", f"{now:{DAY}}"),
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
    shown = again[:TASKS]
    rows = tuple((cell(task), str(count), str(done[task]), last.get(task, "")) for task, count in shown)
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
