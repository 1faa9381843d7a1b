"""What looks as if it should be kept and should not: records, verdicts, ticks, pasted text."""

from bench.worlds.cast import Cast
from bench.worlds.dice import Dice
from bench.worlds.phrases import Decoy, Phrases
from bench.worlds.plot import Beat, Day, Pace, Role, Topic, Turn
from bench.worlds.telling import add_to_section, chat_pair

_SORTS = (("records", 4), ("reports", 4), ("checklists", 3), ("pasted", 2))
_TOPICS = {Pace.QUIET: (0, 1), Pace.NORMAL: (1, 1), Pace.BUSY: (1, 2)}
_SECTION = {Pace.QUIET: 0.1, Pace.NORMAL: 0.4, Pace.BUSY: 0.5}
"""Share of days that close with a section which holds nothing to keep."""


def add_decoys(day: Day, cast: Cast, dice: Dice, phrases: Phrases) -> None:
    """Put into a day what is under telling labels and headings and of no later use."""
    for _ in range(dice.between(*_TOPICS[day.pace])):
        sort = dice.weighted(_SORTS)
        topic = _topic(dice.pick(phrases.decoys[sort]), cast, dice, bulleted=sort == "records")
        day.topics.insert(dice.between(0, len(day.topics)), topic)
    if dice.chance(_SECTION[day.pace]):
        _add_section(day, dice.pick(phrases.decoys["sections"]), cast, dice)


def idle_chat(cast: Cast, dice: Dice, phrases: Phrases) -> list[Turn]:
    """Give a conversation in which nothing is said that lasts."""
    chat = phrases.chat
    turns = chat_pair(dice.pick(chat["openers"]), cast)
    for pair in dice.some(chat["fillers"], dice.between(2, 4)):
        turns += chat_pair(pair, cast)
    if dice.chance(0.6):
        notice = Turn(speaker="system", text=cast.fill(dice.pick(chat["notices"])))
        turns.insert(dice.between(0, len(turns)), notice)
    return turns


def _topic(decoy: Decoy, cast: Cast, dice: Dice, *, bulleted: bool) -> Topic:
    bullet = "- " if bulleted and dice.chance(0.5) else ""
    lines = tuple(f"{bullet}{cast.fill(dice.pick(wordings))}" for wordings in decoy.lines)
    return Topic(title=cast.fill(dice.pick(decoy.titles)), beats=(), block=lines)


def _add_section(day: Day, decoy: Decoy, cast: Cast, dice: Dice) -> None:
    titles = [cast.fill(title) for title in decoy.titles]
    for wordings in dice.some(decoy.lines, dice.between(1, len(decoy.lines))):
        add_to_section(day, titles, Beat(role=Role.WORK, text=cast.fill(dice.pick(wordings))), dice)
