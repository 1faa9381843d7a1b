"""Spread over the days what lasts, and fill the rest with ordinary work."""

import dataclasses
from datetime import date, timedelta

from bench.worlds import scenes
from bench.worlds.cast import Cast
from bench.worlds.decoys import add_decoys, idle_chat
from bench.worlds.dice import Dice
from bench.worlds.phrases import Phrases, Scenario, Statement
from bench.worlds.plot import Beat, Day, Kind, Pace, Plot, Topic
from bench.worlds.telling import Teller, add_to_section
from bench.worlds.world import World

_MISSING_DAYS = (4, 8)
_PACES = ((Pace.QUIET, 22), (Pace.NORMAL, 55), (Pace.BUSY, 23))
_TOPICS = {Pace.QUIET: (1, 2), Pace.NORMAL: (1, 3), Pace.BUSY: (2, 4)}
STATEMENT_COUNTS = {
    Kind.RULE: 6,
    Kind.PREFERENCE: 5,
    Kind.CORRECTION: 4,
    Kind.CAUSE: 4,
    Kind.FACT: 9,
    Kind.DECISION: 5,
}
"""How many lasting statements of each kind a home holds."""
_SAID_ON = {Pace.QUIET: 0, Pace.NORMAL: 1, Pace.BUSY: 5}
"""Weights of the days on which they come: several on a building day, none on a quiet one."""
_SCENARIOS = 3
_LESSON_WRITTEN = 0.67
_LESSON_BELOW = 0.4
"""Of the lessons that show what they are: under a heading at the end of the day."""
_CHANGES = 2
_RESTATED = 2
_INJECTIONS = 2
_IDLE_CHATS = (3, 6)
_STAGES = 7
"""A scenario needs so many writing days: up to 3 failures, the resolution, up to 2 good days, one spare."""


class Plotter:
    """Fills the days of one home; used once."""

    def __init__(self, world: World, phrases: Phrases, dice: Dice, days: tuple[date, ...]) -> None:
        """Draw how much happens on each day."""
        self._world = world
        self._phrases = phrases
        self._dice = dice
        missing = set(dice.some(days, dice.between(*_MISSING_DAYS)))
        self._days = tuple(
            Day(date=day, pace=Pace.MISSING if day in missing else dice.weighted(_PACES)) for day in days
        )
        self._open = [day for day in self._days if day.pace is not Pace.MISSING]
        self._remembered: list[str] = []

    def plot(self) -> Plot:
        """Give all days, filled."""
        for scenario in self._dice.child("scenarios").some(self._phrases.scenarios, _SCENARIOS):
            self._tell(scenario)
        for kind, count in STATEMENT_COUNTS.items():
            for statement in self._dice.child(kind).some(self._phrases.statements[kind], count):
                self._state(statement, kind)
        for statement in self._dice.child("changed").some(self._phrases.changed, _CHANGES):
            self._change(statement)
        self._restate()
        self._attack()
        for day in self._open:
            self._fill(day)
        self._chat_idly()
        return Plot(days=self._days, remembered=tuple(self._remembered))

    def _cast(self, name: str, day: date) -> tuple[Cast, Dice]:
        dice = self._dice.child(name)
        return Cast(self._world, dice, day), dice

    def _tell(self, scenario: Scenario) -> None:
        cast, dice = self._cast(f"tell/{scenario.name}", self._open[0].date)
        step = (len(self._open) - 2) // _STAGES
        start = dice.between(1, len(self._open) - 1 - step * (_STAGES - 1))
        stages = [
            self._open[start + step * stage + dice.between(0, step - 1)] for stage in range(_STAGES - 1)
        ]
        failures, guessing = dice.between(2, 3), dice.between(0, 3)
        for number, day in enumerate(stages[:failures]):
            day.topics.append(scenes.failure_topic(scenario, cast, dice, guess=number == guessing))
        solved = scenes.resolution_topic(scenario, cast, dice, guess=guessing == failures)
        self._conclude(stages[failures], solved, scenario, cast, dice)
        for day in stages[failures + 1 : failures + 1 + dice.between(1, 2)]:
            day.topics.append(scenes.aftermath_topic(scenario, cast, dice))

    def _conclude(self, day: Day, solved: Topic, scenario: Scenario, cast: Cast, dice: Dice) -> None:
        """Add what was found out, and for two of three the lesson: labelled, under a heading or bare."""
        frames = self._phrases.frames
        lessons: tuple[Beat, ...] = ()
        if dice.chance(_LESSON_WRITTEN):
            shown = dice.chance(frames.shown[Kind.LESSON] / 100)
            label = cast.fill(dice.pick(frames.labels[Kind.LESSON])) if shown else ""
            if shown and dice.chance(_LESSON_BELOW):
                titles = [cast.fill(title) for title in frames.headings[Kind.LESSON]]
                add_to_section(day, titles, scenes.lesson_beat(scenario, cast, dice), dice)
            else:
                lessons = (scenes.lesson_beat(scenario, cast, dice, label=label),)
        day.topics.append(dataclasses.replace(solved, beats=(*solved.beats, *lessons)))

    def _state(self, statement: Statement, kind: Kind) -> Cast:
        dice = self._dice.child(f"state/{kind}.{statement.name}")
        day = dice.weighted(tuple((day, _SAID_ON[day.pace]) for day in self._open))
        cast = Cast(self._world, dice, day.date)
        Teller(self._phrases, cast, dice, day).tell(statement, kind)
        return cast

    def _change(self, statement: Statement) -> None:
        cast = self._state(statement, Kind.CHANGED)
        self._remembered.append(cast.fill(statement.was))

    def _restate(self) -> None:
        pairs = self._phrases.memory["restated"]
        for number, pair in enumerate(self._dice.child("restated").some(pairs, _RESTATED)):
            day = self._dice.pick(self._open)
            cast, dice = self._cast(f"restate/{number}", day.date)
            routine = dice.pick(self._phrases.routines)
            day.topics.append(scenes.restated_topic(pair["again"], cast, routine, dice))
            self._remembered.append(cast.fill(pair["was"]))

    def _attack(self) -> None:
        for number in range(_INJECTIONS):
            day = self._dice.pick(self._open)
            cast, dice = self._cast(f"injected/{number}", day.date)
            day.topics.append(scenes.injected_topic(cast, dice, self._phrases))

    def _fill(self, day: Day) -> None:
        dice = self._dice.child(f"fill/{day.date}")
        count = max(1, dice.between(*_TOPICS[day.pace]) - len(day.topics))
        for routine in dice.some(self._phrases.routines, count):
            topic = scenes.routine_topic(routine, Cast(self._world, dice, day.date), dice)
            day.topics.insert(dice.between(0, len(day.topics)), topic)
        add_decoys(day, Cast(self._world, dice, day.date), dice, self._phrases)

    def _chat_idly(self) -> None:
        dice = self._dice.child("idle")
        for day in dice.some(self._open, dice.between(*_IDLE_CHATS)):
            day.turns += idle_chat(Cast(self._world, dice, day.date), dice, self._phrases)


def log_days(last: date, count: int) -> tuple[date, ...]:
    """Give ``count`` days that end with ``last``."""
    return tuple(last - timedelta(days=ago) for ago in reversed(range(count)))
