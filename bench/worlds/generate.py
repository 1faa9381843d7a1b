"""Generate the simulated home: sixty days of an agent, all of it from one seed.

Invariant: the same seed gives the same bytes on every machine and Python version;
no clock, no network, nothing read but the templates.
"""

from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from bench.worlds.dice import Dice
from bench.worlds.page import Page, slug
from bench.worlds.phrases import Phrases, load_phrases
from bench.worlds.plot import Day, Plot, Result, Topic
from bench.worlds.plotting import Plotter, log_days
from bench.worlds.remembered import MemoryWriter
from bench.worlds.sample import SampleFile, SampleHome, SampleOutcome
from bench.worlds.styles import Style, write_log, write_session
from bench.worlds.world import World, make_world

LAST_DAY = date(2026, 3, 1)
"""Simulated time ends here, so that ``--now`` drives it and a demo never ages."""
DAY_COUNT = 60
_STYLES = ((Style.TERSE, 5), (Style.REPORT, 3), (Style.DIARY, 3))
_AGENTS_MD = """# AGENTS.md

You are {agent}, {owner}'s assistant. Read MEMORY.md at the start of each session.
Write what happens to today's file in memory/. After each task run `nightledger log`.
Never edit MEMORY.md; suggest a change with `nightledger propose`.
"""


@dataclass(slots=True, kw_only=True)
class _Draft:
    """A home while it is written."""

    files: list[SampleFile] = field(default_factory=list)
    outcomes: list[SampleOutcome] = field(default_factory=list)


def generate(seed: int) -> SampleHome:
    """Give the home of ``seed``; any whole number will do.

    Daily logs lie under ``memory/`` or ``memory/daily/``, in the styles that agents
    have; a quiet day has five lines or so, a busy one up to sixty, and some are missing.
    """
    phrases, dice = load_phrases(), Dice(seed, "home")
    world = make_world(dice.child("world"), phrases.words)
    days = log_days(LAST_DAY, DAY_COUNT)
    plot = Plotter(world, phrases, dice.child("plot"), days).plot()
    draft = _Draft()
    _write_memory(draft, world, phrases, dice.child("memory"), plot, days[0])
    _write_days(draft, world, phrases, dice.child("days"), plot)
    return SampleHome(
        seed=seed,
        owner=world.owner,
        agent=world.agent,
        zone=world.zone,
        first_day=days[0],
        last_day=days[-1],
        files=tuple(draft.files),
        outcomes=tuple(draft.outcomes),
    )


def write_home(sample: SampleHome, root: Path) -> None:
    """Write MEMORY.md, AGENTS.md and all daily logs under ``root``."""
    for file in sample.files:
        path = root / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content)


def _write_memory(
    draft: _Draft, world: World, phrases: Phrases, dice: Dice, plot: Plot, first_day: date
) -> None:
    page = Page("MEMORY.md")
    MemoryWriter(world, phrases, dice, first_day).write(page, plot.remembered)
    text = page.content()
    if dice.chance(0.12):
        text = text.replace("\n", "\r\n")
    if dice.chance(0.15):
        text = text.rstrip("\r\n")
    agents = _AGENTS_MD.format(agent=world.agent, owner=world.owner)
    draft.files += [
        SampleFile(path="MEMORY.md", day=None, content=text.encode()),
        SampleFile(path="AGENTS.md", day=None, content=agents.encode()),
    ]


def _write_days(draft: _Draft, world: World, phrases: Phrases, dice: Dice, plot: Plot) -> None:
    folder = dice.pick(("memory", "memory", "memory/daily"))
    habit = dice.weighted(_STYLES)
    for day in plot.days:
        own = dice.child(day.date.isoformat())
        if day.topics:
            style = habit if own.chance(0.6) else own.weighted(_STYLES)
            _write_day(draft, world, own, day, Page(f"{folder}/{day.date.isoformat()}.md"), style)
        if day.turns:
            name = own.pick(phrases.chat["slugs"])
            page = Page(f"memory/{day.date.isoformat()}-{name}.md")
            write_session(page, day.date, day.turns, own)
            _keep_page(draft, page, day.date)


def _write_day(draft: _Draft, world: World, dice: Dice, day: Day, page: Page, style: Style) -> None:
    minutes = write_log(page, day, style, dice)
    _keep_page(draft, page, day.date)
    zone = ZoneInfo(world.zone)
    for number, (topic, minute) in enumerate(zip(day.topics, minutes, strict=True)):
        if topic.result is None:
            continue
        local = datetime(day.date.year, day.date.month, day.date.day, minute // 60, minute % 60, tzinfo=zone)
        session = f"s-{day.date:%m%d}-{number // 3 + 1}"
        record = _record(topic, topic.result, local.astimezone(UTC), session, page.path)
        draft.outcomes.append(SampleOutcome(day=day.date, record=record))


def _keep_page(draft: _Draft, page: Page, day: date) -> None:
    draft.files.append(SampleFile(path=page.path, day=day, content=page.content().encode()))


def _record(topic: Topic, result: Result, at: datetime, session: str, path: str) -> dict[str, object]:
    record: dict[str, object] = {
        "timestamp": at.isoformat().replace("+00:00", "Z"),
        "task_type": result.task_type,
        "context_tags": list(result.tags),
        "resolution": result.resolution,
        "outcome": result.outcome,
        "source_file": f"{path}#{slug(topic.title)}",
        "session": session,
        "origin": "agent",
    }
    if result.signal is not None:
        record["signal"] = result.signal
    return record
