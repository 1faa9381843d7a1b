"""Every half hour and at the start of a session: stage what the agent will need, before it asks.

Reads   the calendar's events, the handoff, daily logs, the gated files, outcomes, links, audit/
Writes  memory/state/tc-restore-pending.md, .nightledger/staged/, the search index
Changes no memory, and appends nothing to the audit log.

What an operator signed or accepted is quoted; of what nobody signed only the place is named, the titles of the
owner's events apart, which are marked (docs/decisions/0023-what-an-agent-is-shown.md). ``recall/visibility.py`` judges each file's lines.
A run on the same input changes no byte.
"""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from msgspec import Struct, field
from msgspec.structs import asdict, replace

from nightledger.codec.rows import DoingRow, read_rows
from nightledger.domain import staging
from nightledger.domain.decision import Moment
from nightledger.domain.exposure import dump_page, parse_page, tell_line, tokens_of
from nightledger.domain.finding import Severity
from nightledger.domain.periods import DAY, local_moment, log_day
from nightledger.domain.proposal import Origin, place_of
from nightledger.domain.staging import PERCENT, Candidate, Event, Source
from nightledger.files.configuration import OPERATOR, home_zone, load_operator
from nightledger.files.home import SHIPPED
from nightledger.files.line_log import LineLog
from nightledger.files.staged import write_staged
from nightledger.gate.kept_page import Basis, keep
from nightledger.gate.opening import Gate, Ledger
from nightledger.hosts.daylogs import preset
from nightledger.jobs.stage.inquiry import (
    Inquiry,
    Shelves,
    document,
    landmarks,
    long_range,
    read_handoff,
    read_known,
    stamp,
)
from nightledger.recall.associations import shown_associations
from nightledger.recall.sources import OLDER
from nightledger.records.drawing import named_places, read_every, still_open
from nightledger.records.keeping import why_held, words_of
from nightledger.text.scanners.scan import scan
from nightledger.text.visible import quote_line, quoted
from nightledger.trust.event import collector_at_rest

_LINK = re.compile(r"(?:\b[a-z][a-z0-9+.-]*://|\bwww\.|\bmailto:)\S*", re.IGNORECASE)
HELD_TITLE = "an event whose title is held back"
NO_TITLE = "an event without a title"
STRANGE_TITLE = "an event of somebody else"
"""Whoever can send an invitation writes its title, so it is not quoted."""


def events(inquiry: Inquiry) -> Iterator[Candidate]:
    """Give the events of the next hours, and which calendars could not be read: silence is no empty day."""
    for name, problem in inquiry.problems:
        yield Candidate(
            source=Source.EVENT,
            text="some events may be missing here",
            place=f"calendar {name}",
            why=f"it {problem}" if not problem[0].isdigit() else problem,
            score=1.0,
        )
    for event, title, nearness in _titled(inquiry):
        told = quoted(_LINK.sub("(link)", title)) if event.own else STRANGE_TITLE
        yield Candidate(
            source=Source.EVENT,
            text=title if title in (HELD_TITLE, NO_TITLE) else told,
            place=f"calendar {event.calendar}",
            why=f"event {_when(event, inquiry)}",
            score=nearness,
            until=event.ends_at,
        )


def documents(inquiry: Inquiry) -> Iterator[Candidate]:
    """Give what search finds for the titles of events."""
    for event, title, nearness in _titled(inquiry):
        if title not in (HELD_TITLE, NO_TITLE):
            why = f"for the event {_when(event, inquiry)}"
            for hit in inquiry.find(title):
                yield document(hit, Source.DOCUMENT, why, nearness, event.ends_at)


def _titled(inquiry: Inquiry) -> Iterator[tuple[Event, str, float]]:
    """Give each event with its title as it may be said, and how near it is."""
    for event in sorted(inquiry.events, key=lambda one: one.starts_at):
        yield event, title_of(event, inquiry), _nearness(event, inquiry)


def title_of(event: Event, inquiry: Inquiry) -> str:
    """Return a title; one that addresses an agent, or says what an agent may not be told, is held back.

    A calendar is no way around the operator.
    """
    findings = scan(event.title, origin=Origin.WEB)
    stopped = any(finding.severity in (Severity.QUARANTINE, Severity.BLOCK) for finding in findings)
    if stopped or (event.title and not inquiry.library.may_say(event.title)):
        return HELD_TITLE
    return event.title or NO_TITLE


def _nearness(event: Event, inquiry: Inquiry) -> float:
    """Return 1 for what goes on or begins now, down to .5 for the end of the look-ahead; all-day events are .5."""
    hours = inquiry.rules.lookahead_hours
    if event.all_day or not hours:
        return 0.5
    ahead = max(0.0, (event.starts_at - inquiry.now).total_seconds()) / (hours * 3600)
    return round(1 - 0.5 * min(1.0, ahead), 4)


def _when(event: Event, inquiry: Inquiry) -> str:
    moments = (inquiry.now, event.starts_at, event.ends_at)
    today, starts, ends = (at.astimezone(inquiry.zone) for at in moments)
    if event.all_day:
        return "today, all day" if starts.date() <= today.date() else f"on {starts:%Y-%m-%d}, all day"
    day = "" if starts.date() == today.date() else f"{starts:%Y-%m-%d} "
    return f"{day}{starts:%H:%M}-{ends:%H:%M}"


MOST_TAGS = 6
"""Tags of a kind of task that are asked about: the associations of its rarer ones say little of it."""


def associations(inquiry: Inquiry) -> Iterator[Candidate]:
    """Give the associations that may help now: of the kinds of task of this day of the week."""
    rules = inquiry.rules
    sure = [
        one for one in inquiry.associations if round(one.confidence * PERCENT, 2) >= rules.association_percent
    ]
    for days, tags in habits(inquiry, _doings(inquiry)) if sure else ():
        share = 0.5 + 0.5 * min(1.0, days / rules.habit_weeks)
        for one in sure:
            if {one.first, one.second} <= tags:
                told = f"unsigned records say that it worked, confidence {one.confidence:.2f}; for what was done on {days} such days of the week"
                score = round(one.confidence * share, 4)
                candidate = inquiry.known[one.entry].candidate(Source.ASSOCIATION, told, score)
                yield replace(candidate, shown=(*candidate.shown, one.key, one.resolution))


def _doings(inquiry: Inquiry) -> list[DoingRow]:
    with LineLog(inquiry.home.outcomes) as log:
        found = read_rows(DoingRow, log.chunks(0))
        return [row for rows, _ in found for row in rows if row.timestamp.tzinfo is not None]


def habits(inquiry: Inquiry, doings: Iterable[DoingRow]) -> list[tuple[int, frozenset[str]]]:
    """Return on how many days each kind of task was done on this day of the week, and what it is mostly about."""
    rules = inquiry.rules
    days = defaultdict[str, set[date]](set)
    tags: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for doing in doings:
        on = log_day(doing.timestamp, inquiry.zone)
        weeks, other = divmod((inquiry.today - on).days, 7)
        if not other and 1 <= weeks <= rules.habit_weeks:
            days[doing.task_type].add(on)
            tags[doing.task_type].update(set(doing.context_tags))
    return [
        (len(on), _most(tags[kind]))
        for kind, on in sorted(days.items(), key=lambda one: (-len(one[1]), one[0]))
        if len(on) >= rules.habit_days
    ]


def _most(counted: Counter[str]) -> frozenset[str]:
    ordered = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    return frozenset(tag for tag, _ in ordered[:MOST_TAGS])


STALE_DAYS = 14
"""FACTS, Elara: goals are stale at 14 days. A handoff of then is staged below all fresh things."""
STALE_SHARE = 0.5
URGENT = 1.0
"""Urgency of an item under a heading that says so (``config/words/handoff-words.json``)."""


def open_items(inquiry: Inquiry) -> Iterator[Candidate]:
    """Give one candidate that names where open items stand; none where nothing is open."""
    handed = inquiry.handed
    if not handed.items:
        return
    age = 0 if handed.day is None else (inquiry.today - handed.day).days
    urgent = sum(item.urgency >= URGENT for item in handed.items)
    numbers = [item.line for item in handed.items]
    place = place_of(handed.path, (min(numbers), max(numbers)))
    count = f"{'at least ' if handed.is_cut else ''}{len(handed.items)}"
    told = f"the handoff leaves {count} open{f', {urgent} of them urgent' if urgent else ''}"
    yield Candidate(
        source=Source.OPEN_ITEM,
        text=place,
        place=place,
        why=f"{told}; it is {age} days old" if age >= STALE_DAYS else told,
        score=round(handed.items[0].urgency * (STALE_SHARE if age >= STALE_DAYS else 1), 4),
        path=handed.path,
    )


NEXT = 0.9
"""What each further record counts, of the one before it."""


def recorded(inquiry: Inquiry) -> Iterator[Candidate]:
    """Give what a session should hear of what earlier ones recorded; words that no agent may be told bring no line."""
    score = 1.0
    for one, why in named_places(still_open(read_every(inquiry.home)[0], inquiry.now), inquiry.now):
        words = [*words_of(one.fields)]
        if why_held(words) or not all(map(inquiry.library.may_say, words)):
            continue
        path = inquiry.home.relative(inquiry.home.records(one.kind))
        yield Candidate(
            source=Source.RECORD,
            text=one.id,
            place=place_of(path, (one.line, one.line)),
            why=f"{one.kind} {one.id[:10]} {why}",
            score=round(score, 4),
            path=path,
        )
        score *= NEXT


SOURCES: Mapping[staging.Source, Callable[[Inquiry], Iterable[staging.Candidate]]] = {
    staging.Source.EVENT: events,
    staging.Source.DOCUMENT: documents,
    staging.Source.OPEN_ITEM: open_items,
    staging.Source.RECORD: recorded,
    staging.Source.LANDMARK: landmarks,
    staging.Source.ASSOCIATION: associations,
    staging.Source.LONG_RANGE: long_range,
}
"""How each source is gathered; its weight and its most lines: ``config/staging-rules.json``."""
_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PLACE_CHARACTERS = 160


class Asked(Struct, frozen=True, kw_only=True):
    """What a run is asked for.

    Attributes:
        rules: What is staged.
        library: Search.
        events: Events of the next hours, from all calendars.
        problems: By calendar, what of it could not be read.
        basis: What the page is made of, as of before the search index was brought up to date; None keeps nothing of it.
        dry_run: Write nothing.
    """

    rules: staging.StagingRules
    library: Shelves
    basis: Basis | None = None
    events: tuple[staging.Event, ...] = ()
    problems: tuple[tuple[str, str], ...] = ()
    dry_run: bool = False


class Staged(Struct, frozen=True, kw_only=True):
    """What a run did.

    Attributes:
        text: The page.
        lines: What is on it, the best first.
        tokens: What the page costs.
        budget: What it may cost.
        good_until: Its last moment; aware, UTC.
        changed: Whether the page on disk is another now; with ``dry_run`` never.
        left_out: Candidates that had no place.
        held: Titles and open items that may not be told an agent, counted.
        notes: What the operator should know.
        troubles: What of that the operator should be told unasked: what it is about, and its words.
    """

    text: str
    lines: tuple[staging.Candidate, ...]
    tokens: int
    budget: int
    good_until: datetime
    changed: bool
    left_out: staging.LeftOut
    held: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    troubles: tuple[tuple[str, str], ...] = ()


@collector_at_rest()
def stage(gate: Gate, ledger: Ledger, asked: Asked, moment: Moment) -> Staged:
    """Stage what may be needed in the next hours; the caller holds the home's lock.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        asked: What for.
        moment: The clocks.

    Raises:
        UnreadableError: A gated file, the handoff or a ledger cannot be read.
        ConfigurationError: The home's zone is unknown here.
    """
    inquiry = _inquire(gate, ledger, asked, moment)
    rules = asked.rules
    good_until = datetime.combine(
        inquiry.today + timedelta(days=1 + rules.good_for_days), time.min, inquiry.zone
    )
    found = _gather(inquiry)
    budget = rules.budget_of(gate.home.identity.host)
    until = stamp(good_until)
    chosen = staging.choose(
        staging.rank(found, rules.sources),
        rules.sources,
        budget - tokens_of(dump_page([], until)),
        lambda one: tokens_of(f"- {line_of(one, rules)}\n"),
    )
    text = page_of(chosen.lines, rules, until)
    lines = [(one.shown, one.path, one.place) for one in chosen.lines]
    held = {
        "event titles": sum(one.source is staging.Source.EVENT and one.text == HELD_TITLE for one in found),
        "handoff": inquiry.handed.held,
    }
    staged = Staged(
        text=text,
        lines=chosen.lines,
        tokens=tokens_of(text),
        budget=budget,
        good_until=good_until,
        changed=not asked.dry_run and write_staged(gate.home, text, lines),
        left_out=chosen.left_out,
        held={name: count for name, count in held.items() if count},
        notes=(*(f"calendar {name} {problem}" for name, problem in asked.problems), *asked.library.notes),
        troubles=_troubles(asked),
    )
    if asked.basis is not None and not (asked.dry_run or asked.events or staged.troubles):
        keep_page(gate, asked.basis, staged, moment.at)
    return staged


def _gather(inquiry: Inquiry) -> list[staging.Candidate]:
    taking = (gather for source, gather in SOURCES.items() if inquiry.rules.sources[source].takes_part)
    return [one for gather in taking for one in gather(inquiry)]


def _inquire(gate: Gate, ledger: Ledger, asked: Asked, moment: Moment) -> Inquiry:
    """Read what the sources are asked with."""
    home, library, zone = gate.home, asked.library, home_zone(gate.home, gate.settings)
    known = read_known(gate, ledger, moment)
    named = (one for one in shown_associations(gate, ledger) if one.entry in known)
    return Inquiry(
        home=home,
        rules=asked.rules,
        library=library,
        known=known,
        handed=read_handoff(home, library),
        associations=tuple(one for one in named if library.may_show(known[one.entry].chunk)),
        events=asked.events,
        problems=asked.problems,
        now=moment.at,
        zone=zone,
        today=log_day(moment.at, zone),
    )


def _troubles(asked: Asked) -> tuple[tuple[str, str], ...]:
    """Return what could not be done; a calendar is one trouble, whatever its server answers now."""
    notes = (note for note in asked.library.notes if not note.endswith(OLDER))  # these are as they should be
    return (
        *((f"calendar {name}", f"calendar {name} {problem}") for name, problem in asked.problems),
        *((note, note) for note in notes),
    )


def page_of(lines: Sequence[staging.Candidate], rules: staging.StagingRules, good_until: str) -> str:
    """Give the page with these lines."""
    return dump_page([line_of(one, rules) for one in lines], good_until)


def line_of(one: staging.Candidate, rules: staging.StagingRules) -> str:
    """Give a candidate as a line: what was signed as a quotation, all else as the place where it stands."""
    is_title = one.source is staging.Source.EVENT
    return tell_line(
        quote_line(one.text, rules.line_characters) if one.signed or is_title else "",
        quote_line(one.place, PLACE_CHARACTERS),
        quote_line(f"unsigned; {one.why}" if is_title else one.why, PLACE_CHARACTERS),
        stamp(one.until) if one.until else "",
    )


def basis_of(gate: Gate) -> Basis:
    """Return how all that a page is made of looks now: to be asked before anything of it is read.

    Raises:
        NightledgerError: What was shown, or the operator's file, cannot be read.
    """
    home, keys_dir = gate.home, os.fspath(gate.ring.directory)
    code = (one for one, _, _ in os.walk(_PACKAGE) if not one.endswith("__pycache__"))
    blobs = (one for one, _, _ in os.walk(home.blobs_dir))
    logs = map(home.path, preset(home.identity.host).daily)
    folders = [
        *(home.config_dir, home.system_dir, home.proposals_dir, home.link_index_dir, home.archive_dir),
        *(
            home.archive_daily_dir,
            home.audit_dir,
            home.checkpoints_dir,
            home.decisions_dir,
            home.quarantine_dir,
        ),
        *(os.fspath(gate.ring.home_dir(home.identity.id)), SHIPPED, *logs, *blobs, *code),
    ]
    operator = load_operator(keys_dir)
    beside = (home.handoff, os.path.join(keys_dir, OPERATOR), *operator.rule_files)
    return Basis(home, list(dict.fromkeys(folders)), [*home.gated_paths(), *beside])


def keep_page(gate: Gate, basis: Basis, staged: Staged, now: datetime) -> None:
    """Keep what a page was made of, where only a changed file or time can make it another.

    Args:
        gate: The home.
        basis: What the page is made of, as it was before it was made.
        staged: What was staged.
        now: Aware, UTC.
    """
    keys_dir = os.fspath(gate.ring.directory)
    tomorrow = now.astimezone(zone := home_zone(gate.home, gate.settings)).date() + DAY
    # time alone makes another page where a day ends, here or in UTC
    until = min(local_moment(tomorrow, time(), zone), datetime.combine(now.date() + DAY, time(), UTC))
    told: dict[str, Any] = {
        "record": {**record_of(staged), "changed": False},
        "since": now.timestamp(),
        "until": until.timestamp(),
        "calendars": bool(load_operator(keys_dir).calendars),
    }
    keep(gate.home, keys_dir, basis, told)


def record_of(staged: Staged) -> dict[str, Any]:
    """Return a staging as ``--json`` has it."""
    page = parse_page(staged.text)
    lines = page.lines if page else ()
    return {
        "changed": staged.changed,
        "tokens": staged.tokens,
        "budget_tokens": staged.budget,
        "good_until": stamp(staged.good_until),
        "lines": [
            {
                "source": one.source.value,
                "line": line,
                "place": one.place,
                "why": one.why,
                "score": one.score,
                "until": stamp(one.until) if one.until else None,
                "shown": list(one.shown),
            }
            for one, line in zip(staged.lines, lines, strict=True)
        ],
        "left_out": asdict(staged.left_out),
        "held": dict(staged.held),
        "notes": list(staged.notes),
        "text": staged.text,
    }
