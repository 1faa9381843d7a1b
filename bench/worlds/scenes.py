"""Turn templates into topics: failures told over days, ordinary work, attacks."""

from bench.worlds.cast import Cast
from bench.worlds.dice import Dice
from bench.worlds.hidden import hide
from bench.worlds.key import make_key
from bench.worlds.phrases import Phrases, Routine, Scenario
from bench.worlds.plot import Beat, Mark, Result, Role, Topic
from bench.worlds.sample import PlantKind

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
    beats.append(_beat(Role.CAUSE, scenario.causes, cast, dice, _lesson(scenario)))
    beats.append(_beat(Role.CURE, scenario.cures, cast, dice, _lesson(scenario, main=False)))
    result = _result(scenario, cast, scenario.solved_with, "success", "test")
    return Topic(title=cast.fill(dice.pick(scenario.titles)), beats=tuple(beats), result=result)


def lesson_beat(scenario: Scenario, cast: Cast, dice: Dice, *, label: str = "") -> Beat:
    """Say what to keep in mind from then on."""
    beat = _beat(Role.LESSON, scenario.lessons, cast, dice, _lesson(scenario))
    return Beat(role=beat.role, text=beat.text, mark=beat.mark, label=label)


def aftermath_topic(scenario: Scenario, cast: Cast, dice: Dice) -> Topic:
    """Tell a later day on which the cure held."""
    result = _result(scenario, cast, scenario.solved_with, "success", "exit_code")
    return Topic(
        title=cast.fill(dice.pick(scenario.titles)),
        beats=(_beat(Role.RESULT, scenario.afters, cast, dice),),
        result=result,
    )


def restated_topic(again: str, mark: Mark, cast: Cast, routine: Routine, dice: Dice) -> Topic:
    """Say once more, in passing, what memory holds already."""
    beats = (
        _beat(Role.WORK, routine.work, cast, dice),
        Beat(role=Role.WORK, text=cast.fill(again), mark=mark),
    )
    return Topic(title=cast.fill(dice.pick(routine.titles)), beats=beats)


def injected_topic(cast: Cast, dice: Dice, phrases: Phrases, number: int) -> Topic:
    """Quote a web page that speaks to the agent."""
    hostile = phrases.hostile
    page = dice.pick(hostile["pages"]).replace("{injected}", dice.pick(hostile["injected"]))
    mark = Mark(kind=PlantKind.INJECTION, name=f"injection.{number}")
    beats = (Beat(role=Role.QUOTE, text=cast.fill(page), mark=mark),)
    return Topic(title=cast.fill(dice.pick(hostile["titles"])), beats=beats)


def invisible_topic(cast: Cast, dice: Dice, phrases: Phrases) -> Topic:
    """Copy a line that hides text from the eye."""
    hostile = phrases.hostile
    secret_text = hide(cast.fill(dice.pick(hostile["hidden"])), dice)
    line = dice.pick(hostile["invisible"]).replace("{hidden}", secret_text)
    mark = Mark(kind=PlantKind.INVISIBLE, name="invisible")
    beats = (Beat(role=Role.QUOTE, text=cast.fill(line), mark=mark),)
    return Topic(title=cast.fill(dice.pick(hostile["invisible_titles"])), beats=beats)


def leaked_topic(cast: Cast, dice: Dice, phrases: Phrases) -> Topic:
    """Write a credential into the log, as agents do."""
    hostile = phrases.hostile
    line = dice.pick(hostile["keys"]).replace("{key}", make_key(dice))
    mark = Mark(kind=PlantKind.SECRET, name="secret")
    beats = (Beat(role=Role.WORK, text=cast.fill(line), mark=mark),)
    return Topic(title=cast.fill(dice.pick(hostile["key_titles"])), beats=beats)


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


def _beat(role: Role, texts: tuple[str, ...], cast: Cast, dice: Dice, mark: Mark | None = None) -> Beat:
    return Beat(role=role, text=cast.fill(dice.pick(texts)), mark=mark)


def _guess(scenario: Scenario, cast: Cast, dice: Dice) -> Beat:
    mark = Mark(kind=PlantKind.OVERTURNED, name=f"overturned.{scenario.name}")
    return _beat(Role.GUESS, scenario.guesses, cast, dice, mark)


def _lesson(scenario: Scenario, *, main: bool = True) -> Mark:
    return Mark(kind=PlantKind.LESSON, name=f"lesson.{scenario.name}", main=main)


def _result(scenario: Scenario, cast: Cast, resolution: str, outcome: str, signal: str) -> Result:
    return Result(
        task_type=scenario.task_type,
        tags=tuple(cast.fill(tag) for tag in scenario.tags),
        resolution=resolution,
        outcome=outcome,
        signal=signal,
        mark=_lesson(scenario, main=False),
    )
