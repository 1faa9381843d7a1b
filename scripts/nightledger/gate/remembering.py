"""The facts of a home: one ``Memory`` for each entry of its gated files, ready to be judged.

Folded from what the gate applied (when an entry was made), outcomes and exposures (what came
of showing it), reinforcements, and the operator's signed pins and tags.

Invariant: derived from what is signed, logged and append-only alone, the same bytes up to the same marks giving the same
facts; what is odd about a date, an id or a clock is named and counted, and no entry is left out for it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime

from msgspec import Struct, field

from nightledger.codec.links import VIEW_LINKS
from nightledger.codec.records import decode_lines, dump_line
from nightledger.codec.rows import HOUR_CHARACTERS, Exposure, OutcomeUse, read_hour, read_rows
from nightledger.domain import retention
from nightledger.domain.decision import Moment
from nightledger.domain.errors import LinkIndexError
from nightledger.domain.frames import UNTOLD, Network, network_of
from nightledger.domain.proposal import Change, Op, Proposal
from nightledger.domain.states import Book, ChangeState
from nightledger.domain.words import read_moment
from nightledger.files.durable import read_optional
from nightledger.files.home import Home
from nightledger.files.line_log import LineLog, append_records
from nightledger.gate.naming import NO_MARK, Mark, Placed, find_standing, read_marks
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.stored import Stored, each_change, read_stored
from nightledger.text.markdown.document import parse_markdown
from nightledger.text.markdown.entries import Entry, find_entries
from nightledger.text.similar import fold

_DAY_CHARACTERS = 10
DATE_FIELD = "DATE"
_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}")
MAX_BYTES = 1 << 28
"""Some 500 bytes for each 40 active hours: more than a thousand years."""


class Marks(Struct, frozen=True, kw_only=True):
    """How far the ledgers were read, in bytes; whole lines.

    Attributes:
        outcomes: Of the outcomes.
        exposures: Of the exposures.
    """

    outcomes: int
    exposures: int


class Uses(Struct, frozen=True, kw_only=True):
    """What outcomes and exposures add up to.

    Attributes:
        of: By the id that each memory keeps.
        hours: Active hours since 1970, ascending.
        read: How far was read.
        bad_lines: Lines that tell nothing: no record, or an impossible date.
        named: Outcomes that name what was shown before them; where there are none, nothing can prove useful.
    """

    of: Mapping[str, retention.Use]
    hours: tuple[int, ...]
    read: Marks
    bad_lines: int
    named: int


def fold_uses(home: Home, names: Mapping[str, str], until: Marks | None = None) -> Uses:
    """Read outcomes and exposures.

    Args:
        home: Whose.
        names: The id that an edited entry keeps, by its others (``Book.names``).
        until: How far to read; None for all whole lines.

    Raises:
        UnreadableError: One of them is a link, a directory, a FIFO or a device.
    """
    tallies = retention.Tallies(names=names)
    with LineLog(home.outcomes) as outcomes, LineLog(home.exposures) as exposures:
        if until is not None:
            outcomes.end = min(outcomes.end, until.outcomes)
            exposures.end = min(exposures.end, until.exposures)
        named = _read_outcomes(outcomes, tallies)
        for rows, bad in read_rows(Exposure, exposures.chunks(0)):
            tallies.bad_lines += bad
            for row in rows:
                tallies.exposure(row.at[:HOUR_CHARACTERS], row.shown)
        read = Marks(outcomes=outcomes.end, exposures=exposures.end)
    hours = {text: read_hour(text) for text in tallies.hours}
    overall = retention.overall_share(tallies.tasks)
    return Uses(
        of={name: _use(tally, tallies, overall, hours) for name, tally in tallies.of.items()},
        hours=retention.active_hours(hour for hour in hours.values() if hour is not None),
        read=read,
        bad_lines=tallies.bad_lines + sum(hour is None for hour in hours.values()),
        named=named,
    )


def _read_outcomes(log: LineLog, tallies: retention.Tallies) -> int:
    named = 0
    for rows, bad in read_rows(OutcomeUse, log.chunks(0)):
        tallies.bad_lines += bad
        for row in rows:
            at = row.received_at
            tallies.outcome(
                at[:HOUR_CHARACTERS],
                at,
                f"{row.timestamp[:_DAY_CHARACTERS]} {row.session or ''}",
                row.task_type,
                row.outcome,
                row.shown,
            )
            named += bool(row.shown)
    return named


def _use(
    tally: retention.Tally, tallies: retention.Tallies, overall: float, hours: Mapping[str, int | None]
) -> retention.Use:
    useful = sum(counts[0] for counts in tally.tasks.values())
    harmful = sum(counts[1] for counts in tally.tasks.values())
    return retention.Use(
        shown=tally.shown,
        useful=useful,
        harmful=harmful,
        expected=retention.expected_without(tally, tallies.tasks, overall) if tally.tasks else overall,
        used_hour=hours.get(tally.used_at[:HOUR_CHARACTERS]),
    )


def read_proofs(
    home: Home, names: Mapping[str, str], hours: Sequence[int], periods: Sequence[int]
) -> dict[int, dict[str, retention.Proof]]:
    """Return what the outcomes of each period of active hours prove, by period and by the id that each memory keeps.

    A session counts once a day for each kind of task and result.

    Args:
        home: Whose.
        names: The id that an edited entry keeps, by its others (``Book.names``).
        hours: Active hours since 1970, ascending.
        periods: Counts of active hours at the end of each period.

    Raises:
        UnreadableError: The outcomes are a link, a directory, a FIFO or a device.
    """
    of_hour = {
        f"{datetime.fromtimestamp(hour * retention.HOUR_S, UTC):%Y-%m-%dT%H}": period
        for period in periods
        for hour in hours[period - retention.PERIOD_HOURS : period]
    }
    found: dict[int, dict[str, retention.Proof]] = {period: {} for period in periods}
    counted: set[tuple[object, ...]] = set()
    with LineLog(home.outcomes) as log:
        for row in (row for rows, _ in read_rows(OutcomeUse, log.chunks(0)) for row in rows):
            period = of_hour.get(row.received_at[:HOUR_CHARACTERS])
            if period is None or row.outcome not in (retention.SUCCESS, retention.FAILURE):
                continue
            for name in {names.get(one, one) for one in row.shown}:
                key = (period, name, row.timestamp[:_DAY_CHARACTERS], row.session, row.task_type, row.outcome)
                if key not in counted:
                    counted.add(key)
                    proof = found[period].setdefault(name, retention.Proof())
                    proof.useful += row.outcome == retention.SUCCESS
                    proof.harmful += row.outcome == retention.FAILURE
    return found


def read_reinforcements(home: Home) -> tuple[retention.Reinforcement, ...]:
    """Return what was reinforced, in order; of a kind's period that stands twice the first, no bad line."""
    raw = read_optional(home.reinforcements, MAX_BYTES, within=home.root) or b""
    first: dict[tuple[str, str], retention.Reinforcement] = {}
    for line in decode_lines(retention.Reinforcement, raw):
        first.setdefault((line.kind, line.period), line)
    return tuple(first.values())


class Reinforced(Struct, frozen=True, kw_only=True):
    """Reinforcements of one entry or principle.

    Attributes:
        times: How many.
        curated_hour: Count of active hours at the newest by curation; 0 for none.
        spared_hour: The same of the operator's mercy.
    """

    times: int = 0
    curated_hour: int = 0
    spared_hour: int = 0


NOT_REINFORCED = Reinforced()


def read_reinforced(home: Home, book: Book) -> dict[str, Reinforced]:
    """Return the reinforcements by the id that each entry keeps."""
    found: dict[str, Reinforced] = {}
    for line in read_reinforcements(home):
        spares = line.kind is retention.ReinforcementKind.MERCY
        for name in line.ids:
            kept = book.names.get(name, name)
            old = found.get(kept, NOT_REINFORCED)
            found[kept] = Reinforced(
                times=old.times + 1,
                curated_hour=old.curated_hour if spares else max(old.curated_hour, line.active_hours),
                spared_hour=max(old.spared_hour, line.active_hours) if spares else old.spared_hour,
            )
    return found


def reinforce(
    home: Home, kind: retention.ReinforcementKind, period: str, active_hours: int, ids: Iterable[str]
) -> bool:
    """Append what was reinforced, unless its period was written; the caller holds the home's lock.

    Args:
        home: Whose.
        kind: Who reinforces.
        period: What for.
        active_hours: Count of the home's active hours.
        ids: Entries and principles; of none nothing is written.

    Returns:
        Whether a line was written; it is on disk then.
    """
    named = tuple(sorted(set(ids)))
    written = {(line.kind, line.period) for line in read_reinforcements(home)}
    if not named or (kind, period) in written:
        return False
    record = retention.Reinforcement(v=1, kind=kind, period=period, active_hours=active_hours, ids=named)
    append_records(home.reinforcements, dump_line(record))
    return True


class Remembered(Struct, frozen=True, kw_only=True):
    """An entry with all that is known of it.

    Attributes:
        placed: Where it stands.
        memory: What a policy judges.
        mark: What the operator signed of it.
        use: What came of showing it.
        day: The day that it says it was decided on, else that on which it was put in; None where neither is known.
    """

    placed: Placed
    memory: retention.Memory
    mark: Mark = NO_MARK
    use: retention.Use = retention.NO_USE
    day: date | None = None


class Oddities(Struct, frozen=True, kw_only=True):
    """What is odd about the records; nothing is left out for it.

    Attributes:
        undated: Entries that were there before the home and say no date: they count from its first day.
        impossible: Ids of entries whose DATE is no date of the calendar, or lies ahead.
        twice: Ids that two entries would have had.
        bad_lines: Lines of outcomes and exposures that tell nothing.
        ahead: Hours in which something was recorded and that the clock says are still to come.
    """

    undated: int = 0
    impossible: tuple[str, ...] = ()
    twice: tuple[str, ...] = ()
    bad_lines: int = 0
    ahead: int = 0


class Facts(Struct, frozen=True, kw_only=True):
    """Everything that retention knows of a home.

    Attributes:
        memories: One for each entry, in the order of files and lines.
        hours: Active hours since 1970, ascending.
        now_hour: How many of them lie behind.
        uses: What came of showing each memory, by id; of principles too.
        named: Outcomes that name what was shown before them.
        odd: What is odd.
    """

    memories: tuple[Remembered, ...]
    hours: tuple[int, ...]
    now_hour: int
    uses: Mapping[str, retention.Use]
    named: int
    odd: Oddities = field(default_factory=Oddities)


def read_facts(gate: Gate, ledger: Ledger, moment: Moment, *, stored: list[Stored] | None = None) -> Facts:
    """Work out what is known of every entry now; nothing is written.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        moment: The clocks.
        stored: All proposals, where they were read already.

    Raises:
        UnreadableError: A gated file or a ledger cannot be read.
    """
    book, today = ledger.book, moment.at.date()
    standing, uses = find_standing(gate.home, book), fold_uses(gate.home, book.names)
    put_in = _put_in_at(book, read_stored(gate, book) if stored is None else stored)
    founded = read_moment(gate.home.identity.created_at)
    marks, reinforced = read_marks(gate, ledger), read_reinforced(gate.home, book)
    memories, impossible = list[Remembered](), list[str]()
    for name, placed in standing.entries.items():
        entry, use, mark = placed.entry, uses.of.get(name, retention.NO_USE), marks.get(name, NO_MARK)
        known = (put_in.get(fold(entry.text)), book.edited_at.get(name))
        came = max((at for at in known if at is not None), default=None)  # None: it was there before the home
        stated, is_impossible = _stated_day(entry, today)
        impossible += [name] * is_impossible
        kept = reinforced.get(name, NOT_REINFORCED)
        memories.append(
            Remembered(
                placed=placed,
                memory=_memory(name, retention.hour_of(came or founded), mark, use, kept, uses.hours),
                mark=mark,
                use=use,
                day=stated or (came.date() if came else None),
            )
        )
    now_hour = retention.active_hours_until(uses.hours, retention.hour_of(moment.at))
    return Facts(
        memories=tuple(memories),
        hours=uses.hours,
        now_hour=now_hour,
        uses=uses.of,
        named=uses.named,
        odd=Oddities(
            undated=sum(one.day is None for one in memories),
            impossible=tuple(impossible),
            twice=standing.twice,
            bad_lines=uses.bad_lines,
            ahead=len(uses.hours) - now_hour,
        ),
    )


def _memory(
    name: str, made_hour: int, mark: Mark, use: retention.Use, kept: Reinforced, hours: Sequence[int]
) -> retention.Memory:
    used_hour = retention.active_hours_until(hours, use.used_hour) if use.used_hour is not None else 0
    return retention.Memory(
        id=name,
        tier=retention.tier_of(mark.tags),
        pinned=mark.pinned,
        created_hour=max(retention.active_hours_until(hours, made_hour), kept.spared_hour),
        used_hour=max(used_hour, kept.curated_hour),
        useful=use.useful,
        harmful=use.harmful,
        expected=use.expected,
    )


def applied_wordings(
    book: Book, stored: Iterable[Stored]
) -> Iterator[tuple[str, Proposal, Change, datetime | None]]:
    """Yield each folded wording that an applied change put into a gated file, with its proposal and when that was.

    An edit, or what drifted, may bring many entries.
    """
    for proposal, change, status in each_change(stored, book):
        if status.state is ChangeState.APPLIED and change.op in (Op.ADD, Op.REPLACE):
            added = change.hunk.added
            lone = "\n" not in added.strip()
            texts = [added] if lone else [entry.text for entry in find_entries(parse_markdown(added))]
            yield from ((fold(text), proposal, change, status.since) for text in texts)


def stated_confidence(book: Book, stored: Iterable[Stored]) -> dict[str, float]:
    """Return for each wording that came through the gate, folded, the confidence that its newest change stated.

    It is no less than that of an entry which nothing tells of: the operator signed it.
    """
    return {
        wording: max(UNTOLD, change.confidence) for wording, _, change, _ in applied_wordings(book, stored)
    }


def read_network(home: Home) -> Network:
    """Return the links that occurred in most sessions, as many as the view has; of a damaged index none."""
    from nightledger.files.link_index import open_index  # sqlite3: 'apply' must not pay for it

    with suppress(LinkIndexError):
        index = open_index(home.link_index_dir)
        if index is not None:
            with index:
                return network_of(link.pair for link in index.top_links(VIEW_LINKS)[0])
    return network_of(())


def _put_in_at(book: Book, stored: Iterable[Stored]) -> dict[str, datetime]:
    """Return for each wording that came through the gate when it was last put in."""
    found: dict[str, datetime] = {}
    for wording, _, _, since in applied_wordings(book, stored):
        if since is not None:
            found[wording] = max(since, found.get(wording, since))
    return found


def _stated_day(entry: Entry, today: date) -> tuple[date | None, bool]:
    """Return the DATE that a decision states, and whether what it states is no date, or one to come."""
    days: list[date] = []
    stated = _DATE.findall(entry.field(DATE_FIELD))
    for text in stated:
        with suppress(ValueError):
            days.append(date(*map(int, text.split("-"))))
    known = [day for day in days if day <= today]
    return (known[0] if known else None), bool(stated) and not known
