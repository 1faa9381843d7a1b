"""Every half hour and at the start of a session: stage what the agent will need, before it asks.

Reads   the calendar's events, the handoff, daily logs, the gated files, outcomes, links, audit/
Writes  memory/state/tc-restore-pending.md, .nightledger/staged/, the search index
Changes no memory, and appends nothing to the audit log.

What an operator signed or accepted is quoted; of what nobody signed only the place is named, the titles of the
owner's events apart, which are marked (docs/decisions/0023-what-an-agent-is-shown.md). ``recall/visibility.py`` judges each file's lines.
A run on the same input changes no byte.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from typing import Any

from msgspec import Struct, field
from msgspec.structs import asdict

from nightledger.domain import staging
from nightledger.domain.decision import Moment
from nightledger.domain.exposure import tokens_of
from nightledger.domain.periods import DAY, local_moment
from nightledger.domain.staged_page import dump_page, parse_page, tell_line
from nightledger.files.configuration import OPERATOR, home_zone, load_operator
from nightledger.files.home import SHIPPED
from nightledger.files.staged import StagedLine, write_staged
from nightledger.gate.kept_page import Basis, keep
from nightledger.gate.opening import Gate, Ledger
from nightledger.hosts.daylogs import preset
from nightledger.jobs.stage import inquiry as inquiries
from nightledger.jobs.stage.sources import (
    HELD_TITLE,
    associations,
    documents,
    events,
    open_items,
    recorded,
)
from nightledger.recall.associations import shown_associations
from nightledger.recall.sources import OLDER
from nightledger.text.visible import quote_line
from nightledger.trust.event import collector_at_rest

SOURCES: Mapping[staging.Source, Callable[[inquiries.Inquiry], Iterable[staging.Candidate]]] = {
    staging.Source.EVENT: events,
    staging.Source.DOCUMENT: documents,
    staging.Source.OPEN_ITEM: open_items,
    staging.Source.RECORD: recorded,
    staging.Source.LANDMARK: inquiries.landmarks,
    staging.Source.ASSOCIATION: associations,
    staging.Source.LONG_RANGE: inquiries.long_range,
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
    library: inquiries.Shelves
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
    until = inquiries.stamp(good_until)
    chosen = staging.choose(
        staging.rank(found, rules.sources),
        rules.sources,
        budget - tokens_of(dump_page([], until)),
        lambda one: tokens_of(f"- {line_of(one, rules)}\n"),
    )
    text = page_of(chosen.lines, rules, until)
    lines = [StagedLine(one.shown, one.path, one.place) for one in chosen.lines]
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


def _gather(inquiry: inquiries.Inquiry) -> list[staging.Candidate]:
    taking = (gather for source, gather in SOURCES.items() if inquiry.rules.sources[source].takes_part)
    return [one for gather in taking for one in gather(inquiry)]


def _inquire(gate: Gate, ledger: Ledger, asked: Asked, moment: Moment) -> inquiries.Inquiry:
    """Read what the sources are asked with."""
    home, library, zone = gate.home, asked.library, home_zone(gate.home, gate.settings)
    known = inquiries.read_known(gate, ledger, moment)
    named = (one for one in shown_associations(gate, ledger) if one.entry in known)
    return inquiries.Inquiry(
        home=home,
        rules=asked.rules,
        library=library,
        known=known,
        handed=inquiries.read_handoff(home, library),
        associations=tuple(one for one in named if library.may_show(known[one.entry].chunk)),
        events=asked.events,
        problems=asked.problems,
        now=moment.at,
        zone=zone,
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
        inquiries.stamp(one.until) if one.until else "",
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
        "good_until": inquiries.stamp(staged.good_until),
        "lines": [
            {
                "source": one.source.value,
                "line": line,
                "place": one.place,
                "why": one.why,
                "score": one.score,
                "until": inquiries.stamp(one.until) if one.until else None,
                "shown": list(one.shown),
            }
            for one, line in zip(staged.lines, lines, strict=True)
        ],
        "left_out": asdict(staged.left_out),
        "held": dict(staged.held),
        "notes": list(staged.notes),
        "text": staged.text,
    }
