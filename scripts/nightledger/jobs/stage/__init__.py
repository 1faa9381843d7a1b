"""Every half hour and at the start of a session: stage what the agent will need, before it asks.

Reads   the calendar's events, the handoff, daily logs, the gated files, outcomes, exposures, links, audit/
Writes  memory/state/tc-restore-pending.md, .nightledger/staged/, the search index
Changes no memory, and appends nothing to the audit log.

What an operator signed or accepted is quoted; of what nobody signed only the place is named, the titles of the
owner's events apart, which are marked (docs/decisions/0023-what-an-agent-is-shown.md). ``recall/withheld.py`` judges each file's lines.
A run on the same input changes no byte.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta

from nightledger.domain.moment import Moment
from nightledger.domain.periods import log_day
from nightledger.domain.staging.budget import choose, rank
from nightledger.domain.staging.page import dump_page, tell_line
from nightledger.domain.staging.rules import StagingRules
from nightledger.domain.staging.values import Candidate, Chosen, Event, LeftOut, Source
from nightledger.domain.tokens import tokens_of
from nightledger.files.configuration import home_zone
from nightledger.files.staged import StagedLine, write_staged
from nightledger.gate.kept_page import Basis
from nightledger.gate.memory.measuring import stated_confidence
from nightledger.gate.memory.remembering import read_facts
from nightledger.gate.memory.signed_entries import signed_entries
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.stored import read_stored
from nightledger.jobs.stage.associating import associate, with_entries
from nightledger.jobs.stage.events import Shelf, look_ahead, stamp, unread
from nightledger.jobs.stage.handing import read_handoff
from nightledger.jobs.stage.keeping import keep_page
from nightledger.jobs.stage.library import Library
from nightledger.jobs.stage.lines import is_removed
from nightledger.jobs.stage.logs import read_logs
from nightledger.jobs.stage.long_range import long_range
from nightledger.jobs.stage.remembered import Known, landmarks, weigh
from nightledger.jobs.stage.shown import shown_lately
from nightledger.jobs.stage.wordings import Wordings
from nightledger.jobs.stage.work import at_work
from nightledger.recall.associations import shown_associations
from nightledger.recall.outcomes import OLDER
from nightledger.text.quoting import quote_line
from nightledger.trust.scan import collector_at_rest

PLACE_CHARACTERS = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a run is asked for.

    Attributes:
        rules: What is staged.
        library: Search.
        events: Events of the next hours, from all calendars.
        problems: By calendar, what of it could not be read.
        basis: What the page is made of, as of before the search index was brought up to date; None keeps nothing of it.
        dry_run: Write nothing.
    """

    rules: StagingRules
    library: Library
    basis: Basis | None = None
    events: tuple[Event, ...] = ()
    problems: tuple[tuple[str, str], ...] = ()
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """What a run did.

    Attributes:
        text: The page.
        lines: What is on it, the best first.
        tokens: What the page costs.
        budget: What it may cost.
        good_until: Its last moment; aware, UTC.
        changed: Whether the page on disk is another now; with ``dry_run`` never.
        left_out: Candidates that had no place.
        held: Titles and open items that may not be told an agent, and lines of which a removed secret left nothing, counted.
        notes: What the operator should know.
        troubles: What of that the operator should be told unasked: what it is about, and its words.
    """

    text: str
    lines: tuple[Candidate, ...]
    tokens: int
    budget: int
    good_until: datetime
    changed: bool
    left_out: LeftOut
    held: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    troubles: tuple[tuple[str, str], ...] = ()


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
    with collector_at_rest():
        return _stage(gate, ledger, asked, moment)


def _stage(gate: Gate, ledger: Ledger, asked: Asked, moment: Moment) -> Staged:
    zone = home_zone(gate.home, gate.settings)
    today = log_day(moment.at, zone)
    good_until = datetime.combine(today + timedelta(days=1 + asked.rules.good_for_days), time.min, zone)
    found, held, by_the_hour = _gather(gate, ledger, asked, moment)
    budget = asked.rules.budget_of(gate.home.identity.host)
    chosen = fill(found, asked.rules, budget, stamp(good_until))
    text = page_of(chosen.lines, asked.rules, stamp(good_until))
    lines = [StagedLine(one.shown, one.path, one.place) for one in chosen.lines]
    staged = Staged(
        text=text,
        lines=chosen.lines,
        tokens=tokens_of(text),
        budget=budget,
        good_until=good_until,
        changed=not asked.dry_run and write_staged(gate.home, text, lines),
        left_out=chosen.left_out,
        held={name: count for name, count in sorted(held.items()) if count},
        notes=(*(f"calendar {name} {problem}" for name, problem in asked.problems), *asked.library.notes),
        troubles=_troubles(asked),
    )
    keep_page(gate, asked, staged, moment.at, by_the_hour=by_the_hour)
    return staged


def _troubles(asked: Asked) -> tuple[tuple[str, str], ...]:
    """Give what could not be done; a calendar is one trouble, whatever its server answers now."""
    notes = (note for note in asked.library.notes if not note.endswith(OLDER))  # these are as they should be
    return (
        *((f"calendar {name}", f"calendar {name} {problem}") for name, problem in asked.problems),
        *((note, note) for note in notes),
    )


def _gather(
    gate: Gate, ledger: Ledger, asked: Asked, moment: Moment
) -> tuple[list[Candidate], Counter[str], bool]:
    """Ask every source; count what may not be shown; tell whether the hour matters."""
    home, rules, library = gate.home, asked.rules, asked.library
    zone = home_zone(home, gate.settings)
    today = log_day(moment.at, zone)
    known, removed = _known(gate, ledger, moment)
    logs = read_logs(home, today, dry_run=asked.dry_run)
    shelf = Shelf(library=library, logs=logs, each=rules.documents_each, habit=logs.routine())
    ahead = look_ahead(asked.events, rules, shelf, moment.at, zone)
    handed = read_handoff(home, library, today)
    associations = with_entries(shown_associations(gate, ledger), known, library)
    found = [
        *(unread(name, problem) for name, problem in asked.problems),
        *ahead.candidates,
        *handed.candidates,
        *landmarks(known, library, rules),
        *associate(home, associations, handed.items, rules, moment.at, zone),
        *at_work(shelf, handed.items, home.relative(home.handoff)),
        *shown_lately(home, known, shelf, rules.shown_days, today, zone),
        *long_range(known, logs, library, rules, today),
    ]
    held = {"event titles": ahead.held_titles, "handoff": handed.held, "lines with a removed secret": removed}
    return found, Counter(held), bool(associations)


def _known(gate: Gate, ledger: Ledger, moment: Moment) -> tuple[list[Known], int]:
    """Give the entries that stand as they were signed, and how many are but removed secrets and left out.

    Whether each may be shown is asked of those that are chosen.
    """
    stored = read_stored(gate, ledger.book)
    facts = read_facts(gate, ledger, moment, stored=stored)
    accepted = signed_entries(gate.home, ledger.book)
    signed = [one for one in facts.memories if one.placed in accepted]
    today = log_day(moment.at, home_zone(gate.home, gate.settings))
    told = [one for one in signed if not is_removed(one.placed.entry.text)]
    return weigh(told, stated_confidence(ledger.book, stored), today), len(signed) - len(told)


def fill(candidates: Iterable[Candidate], rules: StagingRules, budget: int, good_until: str) -> Chosen:
    """Choose what fits a budget, the page around it counted in.

    Args:
        candidates: In any order.
        rules: How sources take part.
        budget: Tokens of the whole page.
        good_until: As the page has it.
    """
    frame = tokens_of(dump_page([], good_until))
    ranked = rank(candidates, rules.sources)
    return choose(
        ranked,
        rules.sources,
        budget - frame,
        lambda one: tokens_of(f"- {line_of(one, rules)}\n"),
        Wordings().alike,
    )


def page_of(lines: Sequence[Candidate], rules: StagingRules, good_until: str) -> str:
    """Give the page with these lines."""
    return dump_page([line_of(one, rules) for one in lines], good_until)


def line_of(one: Candidate, rules: StagingRules) -> str:
    """Give a candidate as a line: what was signed as a quotation, all else as the place where it stands."""
    is_title = one.source is Source.EVENT
    return tell_line(
        quote_line(one.text, rules.line_characters) if one.signed or is_title else "",
        quote_line(one.place, PLACE_CHARACTERS),
        quote_line(f"unsigned; {one.why}" if is_title else one.why, PLACE_CHARACTERS),
        stamp(one.until) if one.until else "",
    )
