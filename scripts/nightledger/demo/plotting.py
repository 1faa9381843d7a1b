"""Spread over the days what was planted, and fill the rest with ordinary work."""

from datetime import date, timedelta

from nightledger.demo import scenes
from nightledger.demo.cast import Cast
from nightledger.demo.dice import Dice
from nightledger.demo.phrases import Phrases, Scenario, Statement
from nightledger.demo.plot import Day, Mark, Pace, Plot, Remembered
from nightledger.demo.sample import PlantKind
from nightledger.demo.world import World

_MISSING_DAYS = (4, 8)
_PACES = ((Pace.QUIET, 22), (Pace.NORMAL, 55), (Pace.BUSY, 23))
_TOPICS = {Pace.QUIET: (2, 2), Pace.NORMAL: (2, 3), Pace.BUSY: (4, 5)}
STATEMENT_COUNTS = {
    PlantKind.RULE: 3,
    PlantKind.PREFERENCE: 2,
    PlantKind.CORRECTION: 2,
    PlantKind.CAUSE: 2,
    PlantKind.FACT: 4,
    PlantKind.DECISION: 2,
}
"""How many lasting statements of each kind a home holds."""
_SCENARIOS = 3
_CHANGES = 2
_RESTATED = 2
_INJECTIONS = 2
_IN_CHAT = 0.35
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
        self._remembered: list[Remembered] = []

    def plot(self) -> Plot:
        """Give all days, planted and filled."""
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
        stages[failures].topics.append(solved)
        for day in stages[failures + 1 : failures + 1 + dice.between(1, 2)]:
            day.topics.append(scenes.aftermath_topic(scenario, cast, dice))

    def _state(self, statement: Statement, kind: PlantKind) -> Cast:
        name = f"{kind}.{statement.name}"
        dice = self._dice.child(f"state/{name}")
        day = dice.pick(self._open)
        cast = Cast(self._world, dice, day.date)
        mark = Mark(kind=kind, name=name)
        if statement.said and dice.chance(_IN_CHAT):
            day.turns += scenes.statement_turns(statement, mark, cast, dice, self._phrases)
        else:
            day.topics.append(scenes.statement_topic(statement, mark, cast, dice))
        return cast

    def _change(self, statement: Statement) -> None:
        cast = self._state(statement, PlantKind.CHANGED)
        mark = Mark(kind=PlantKind.CHANGED, name=f"changed.{statement.name}", main=False)
        self._remembered.append(Remembered(mark=mark, text=cast.fill(statement.was)))

    def _restate(self) -> None:
        pairs = self._phrases.memory["restated"]
        for number, pair in enumerate(self._dice.child("restated").some(pairs, _RESTATED)):
            day = self._dice.pick(self._open)
            cast, dice = self._cast(f"restate/{number}", day.date)
            mark = Mark(kind=PlantKind.RESTATED, name=f"restated.{number}")
            routine = dice.pick(self._phrases.routines)
            day.topics.append(scenes.restated_topic(pair["again"], mark, cast, routine, dice))
            self._remembered.append(Remembered(mark=None, text=cast.fill(pair["was"])))

    def _attack(self) -> None:
        for number in range(_INJECTIONS):
            day = self._dice.pick(self._open)
            cast, dice = self._cast(f"injected/{number}", day.date)
            day.topics.append(scenes.injected_topic(cast, dice, self._phrases, number))
        day = self._dice.pick(self._open)
        cast, dice = self._cast("invisible", day.date)
        day.topics.append(scenes.invisible_topic(cast, dice, self._phrases))
        day = self._dice.pick(self._open)
        cast, dice = self._cast("leaked", day.date)
        day.topics.append(scenes.leaked_topic(cast, dice, self._phrases))

    def _fill(self, day: Day) -> None:
        dice = self._dice.child(f"fill/{day.date}")
        count = max(1, dice.between(*_TOPICS[day.pace]) - len(day.topics))
        for routine in dice.some(self._phrases.routines, count):
            topic = scenes.routine_topic(routine, Cast(self._world, dice, day.date), dice)
            day.topics.insert(dice.between(0, len(day.topics)), topic)


def log_days(last: date, count: int) -> tuple[date, ...]:
    """Give ``count`` days that end with ``last``."""
    return tuple(last - timedelta(days=ago) for ago in reversed(range(count)))
