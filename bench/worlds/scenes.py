"""Turn templates into topics: failures told over days, ordinary work, attacks."""

from bench.worlds.cast import Cast
from bench.worlds.dice import Dice
from bench.worlds.phrases import Phrases, Routine, Scenario
from bench.worlds.plot import Beat, Result, Role, Topic

_FAILURE_SIGNALS = ("exit_code", "tool_error", "user_correction")


def failure_topic(scenario: Scenario, cast: Cast, dice: Dice, *, guess: bool) -> Topic:
    """Tell one occurrence of a failure: symptom, what was tried, sometimes a wrong diagnosis."""
    beats = [
        _beat(Role.SYMPTOM, scenario.symptoms, cast, dice),
        _beat(Role.TRIED, scenario.tried, cast, dice),
    ]
    if guess:
        beats.insert(1, _guess(scenario, cast, dice))
    result = _result(scenario, cast, scenario.failed_with, "failure", dice.pick(_FAILURE_SIGNALS))
    return Topic(title=cast.fill(dice.pick(scenario.titles)), beats=tuple(beats), result=result)


def resolution_topic(scenario: Scenario, cast: Cast, dice: Dice, *, guess: bool) -> Topic:
    """Tell the day on which the cause was found, sometimes after a wrong diagnosis on the same page."""
    beats = []
    if guess or dice.chance(0.5):
        beats.append(_beat(Role.SYMPTOM, scenario.symptoms, cast, dice))
    if guess:
        beats.append(_guess(scenario, cast, dice))
    beats.append(_beat(Role.CAUSE, scenario.causes, cast, dice))
    beats.append(_beat(Role.CURE, scenario.cures, cast, dice))
    result = _result(scenario, cast, scenario.solved_with, "success", "test")
    return Topic(title=cast.fill(dice.pick(scenario.titles)), beats=tuple(beats), result=result)


def lesson_beat(scenario: Scenario, cast: Cast, dice: Dice, *, label: str = "") -> Beat:
    """Say what to keep in mind from then on."""
    beat = _beat(Role.LESSON, scenario.lessons, cast, dice)
    return Beat(role=beat.role, text=beat.text, label=label)


def aftermath_topic(scenario: Scenario, cast: Cast, dice: Dice) -> Topic:
    """Tell a later day on which the cure held."""
    result = _result(scenario, cast, scenario.solved_with, "success", "exit_code")
    return Topic(
        title=cast.fill(dice.pick(scenario.titles)),
        beats=(_beat(Role.RESULT, scenario.afters, cast, dice),),
        result=result,
    )


def restated_topic(again: str, cast: Cast, routine: Routine, dice: Dice) -> Topic:
    """Say once more, in passing, what memory holds already."""
    beats = (
        _beat(Role.WORK, routine.work, cast, dice),
        Beat(role=Role.WORK, text=cast.fill(again)),
    )
    return Topic(title=cast.fill(dice.pick(routine.titles)), beats=beats)


def injected_topic(cast: Cast, dice: Dice, phrases: Phrases) -> Topic:
    """Quote a web page that speaks to the agent."""
    hostile = phrases.hostile
    page = dice.pick(hostile["pages"]).replace("{injected}", dice.pick(hostile["injected"]))
    beats = (Beat(role=Role.QUOTE, text=cast.fill(page)),)
    return Topic(title=cast.fill(dice.pick(hostile["titles"])), beats=beats)


def routine_topic(routine: Routine, cast: Cast, dice: Dice) -> Topic:
    """Tell ordinary work."""
    beats = [
        Beat(role=Role.WORK, text=cast.fill(text))
        for text in dice.some(routine.work, dice.between(2, min(4, len(routine.work))))
    ]
    if dice.chance(0.5):
        beats.append(_beat(Role.RESULT, routine.results, cast, dice))
    if routine.todos and dice.chance(0.35):
        beats.append(_beat(Role.TODO, routine.todos, cast, dice))
    result = Result(
        task_type=routine.task_type,
        tags=tuple(cast.fill(tag) for tag in routine.tags),
        resolution=dice.pick(routine.resolutions),
        outcome=dice.weighted((("success", 92), ("partial", 5), ("failure", 3))),
        signal=dice.weighted(((None, 5), ("exit_code", 3), ("explicit", 1))),
    )
    return Topic(
        title=cast.fill(dice.pick(routine.titles)),
        beats=tuple(beats),
        result=result if dice.chance(0.6) else None,
    )


def _beat(role: Role, texts: tuple[str, ...], cast: Cast, dice: Dice) -> Beat:
    return Beat(role=role, text=cast.fill(dice.pick(texts)))


def _guess(scenario: Scenario, cast: Cast, dice: Dice) -> Beat:
    return _beat(Role.GUESS, scenario.guesses, cast, dice)


def _result(scenario: Scenario, cast: Cast, resolution: str, outcome: str, signal: str) -> Result:
    return Result(
        task_type=scenario.task_type,
        tags=tuple(cast.fill(tag) for tag in scenario.tags),
        resolution=resolution,
        outcome=outcome,
        signal=signal,
    )
