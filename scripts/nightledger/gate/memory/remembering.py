"""The facts of a home: one ``Memory`` for each entry of its gated files, ready to be judged.

Folded from what the gate applied (when an entry was made), outcomes and exposures (what came
of showing it), reinforcements, and the operator's signed pins and tags.

Invariant: derived from what is signed, logged and append-only alone; what is odd about a
date, an id or a clock is named and counted, and no entry is left out for it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

from nightledger.domain.active import active_hours_until, hour_of
from nightledger.domain.moment import Moment
from nightledger.domain.proposal import Op
from nightledger.domain.reinforcement import Reinforcement, ReinforcementKind
from nightledger.domain.retention import Memory, tier_of
from nightledger.domain.states import ChangeState
from nightledger.domain.uses import NO_USE, Use
from nightledger.domain.words import read_moment
from nightledger.gate.memory.measuring import wordings_of
from nightledger.gate.memory.naming import Placed, find_standing
from nightledger.gate.memory.pinning import NO_MARK, Mark, read_marks
from nightledger.gate.memory.reinforcing import read_reinforcements
from nightledger.gate.memory.uses import fold_uses
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.stored import Stored, read_stored
from nightledger.text.markdown.entries import Entry
from nightledger.text.similar import fold

_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}")
DATE_FIELD = "DATE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """An entry with all that is known of it.

    Attributes:
        placed: Where it stands.
        memory: What a policy judges.
        mark: What the operator signed of it.
        use: What came of showing it.
        day: The day that it says it was decided on, else that on which it was put in; None where neither is known.
    """

    placed: Placed
    memory: Memory
    mark: Mark = NO_MARK
    use: Use = NO_USE
    day: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Oddities:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
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
    uses: Mapping[str, Use]
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
    book = ledger.book
    standing = find_standing(gate.home, book)
    uses = fold_uses(gate.home, book.names)
    fresh = _Freshness(
        founded=read_moment(gate.home.identity.created_at),
        made=_made(ledger, read_stored(gate, book) if stored is None else stored),
        edited=book.edited_at,
        hours=uses.hours,
        kept=_kept(read_reinforcements(gate.home), book.names),
        now=moment.at,
    )
    marks = read_marks(gate, ledger)
    memories = tuple(
        _remember(placed, marks.get(name, NO_MARK), uses.of.get(name, NO_USE), fresh)
        for name, placed in standing.entries.items()
    )
    return Facts(
        memories=memories,
        hours=uses.hours,
        now_hour=active_hours_until(uses.hours, hour_of(moment.at)),
        uses=uses.of,
        named=uses.named,
        odd=_odd(memories, fresh, standing.twice, uses.bad_lines),
    )


def _odd(
    memories: Iterable[Remembered], fresh: "_Freshness", twice: tuple[str, ...], bad_lines: int
) -> Oddities:
    entries = [one.placed.entry for one in memories]
    today = fresh.now.date()
    return Oddities(
        undated=sum(_is_undated(entry, fresh) for entry in entries),
        impossible=tuple(entry.id for entry in entries if _day_of(entry, today)[1]),
        twice=twice,
        bad_lines=bad_lines,
        ahead=len(fresh.hours) - active_hours_until(fresh.hours, hour_of(fresh.now)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """Reinforcements of one memory: how many, and the count of active hours at the newest of each kind."""

    times: int = 0
    curated: int = 0
    spared: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Freshness:
    """What tells how old a memory is."""

    founded: datetime
    made: Mapping[str, datetime]
    edited: Mapping[str, datetime]
    hours: tuple[int, ...]
    kept: Mapping[str, _Kept]
    now: datetime

    def made_at(self, entry: Entry) -> datetime:
        """Give when an entry was put in, or last edited; the home's first day where it was there before."""
        known = (self.made.get(fold(entry.text)), self.edited.get(entry.id))
        return max((at for at in known if at is not None), default=self.founded)


def _made(ledger: Ledger, stored: Iterable[Stored]) -> dict[str, datetime]:
    """Give for each wording that came through the gate when it was last put in."""
    made: dict[str, datetime] = {}
    for item in stored:
        status = ledger.book.proposals[item.proposal.id]
        for change in item.proposal.changes:
            state = status.changes.get(change.n)
            if (
                state
                and state.state is ChangeState.APPLIED
                and state.since
                and change.op in (Op.ADD, Op.REPLACE)
            ):
                for wording in wordings_of(change.hunk.added):
                    made[wording] = max(state.since, made.get(wording, state.since))
    return made


def _kept(lines: Iterable[Reinforcement], names: Mapping[str, str]) -> dict[str, _Kept]:
    kept: dict[str, _Kept] = {}
    for line in lines:
        spares = line.kind is ReinforcementKind.MERCY
        for name in line.ids:
            old = kept.get(names.get(name, name), _Kept())
            kept[names.get(name, name)] = _Kept(
                times=old.times + 1,
                curated=old.curated if spares else max(old.curated, line.active_hours),
                spared=max(old.spared, line.active_hours) if spares else old.spared,
            )
    return kept


def _remember(placed: Placed, mark: Mark, use: Use, fresh: _Freshness) -> Remembered:
    entry = placed.entry
    made = fresh.made_at(entry)
    kept = fresh.kept.get(entry.id, _Kept())
    memory = Memory(
        id=entry.id,
        tier=tier_of(mark.tags),
        pinned=mark.pinned,
        created_hour=max(active_hours_until(fresh.hours, hour_of(made)), kept.spared),
        used_hour=max(
            active_hours_until(fresh.hours, use.used_hour) if use.used_hour is not None else 0, kept.curated
        ),
        useful=use.useful,
        harmful=use.harmful,
        expected=use.expected,
        access=use.shown + kept.times,
        days=_days_since(entry, made, use, fresh),
        outcome=use.last,
    )
    stated, _ = _day_of(entry, fresh.now.date())
    put_in = None if made == fresh.founded else made.date()
    return Remembered(placed=placed, memory=memory, mark=mark, use=use, day=stated or put_in)


def _days_since(entry: Entry, made: datetime, use: Use, fresh: _Freshness) -> int:
    """Give the days since an entry was last shown; since it says it was decided, where it never was."""
    if use.shown_hour is not None:
        last = datetime.fromtimestamp(use.shown_hour * 3600, UTC).date()
    else:
        day, _ = _day_of(entry, fresh.now.date())
        last = made.date() if day is None or made > fresh.founded else min(day, made.date())
    return max(0, (fresh.now.date() - last).days)


def _is_undated(entry: Entry, fresh: _Freshness) -> bool:
    return fresh.made_at(entry) == fresh.founded and _day_of(entry, fresh.now.date())[0] is None


def _day_of(entry: Entry, today: date) -> tuple[date | None, bool]:
    """Give the DATE that a decision states, and whether what it states is impossible."""
    stated = list(_dates(entry.field(DATE_FIELD)))
    known = [day for day in stated if day is not None and day <= today]
    return (known[0] if known else None), bool(stated) and not known


def _dates(text: str) -> Iterator[date | None]:
    for found in _DATE.findall(text):
        day = None
        with suppress(ValueError):
            day = date(*map(int, found.split("-")))
        yield day
