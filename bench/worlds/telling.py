"""Tell lasting statements as real logs do: most show what they are, a third do not.

Invariant: how a statement is told is drawn from the shares that were counted in public
logs (``templates/frames.yaml``), never from what any rule would find.
"""

from collections.abc import Sequence

from bench.worlds.cast import Cast
from bench.worlds.dice import Dice
from bench.worlds.phrases import Phrases, Statement
from bench.worlds.plot import Beat, Day, Kind, Role, Section, Topic, Turn

_REFLECTED = (Kind.RULE, Kind.CAUSE, Kind.CORRECTION)
_LESSON = "LESSON"


class Teller:
    """Tells one statement on one day; used once."""

    def __init__(self, phrases: Phrases, cast: Cast, dice: Dice, day: Day) -> None:
        """Prepare to tell something on ``day``."""
        self._phrases = phrases
        self._frames = phrases.frames
        self._cast = cast
        self._dice = dice
        self._day = day

    def tell(self, statement: Statement, kind: Kind) -> None:
        """Put the statement into the day, in one of the ways in which its kind is told."""
        if self._percent(self._frames.shown[kind]):
            self._show(statement, kind)
        elif statement.said and self._percent(self._frames.in_chat):
            self._day.turns += _turns(statement, self._cast, self._dice, self._phrases)
        else:
            self._hide(statement)

    def _show(self, statement: Statement, kind: Kind) -> None:
        way = self._dice.weighted(tuple(self._frames.ways.items()))
        if way == "words":
            self._topic(statement, self._beat(statement.led))
        elif way == "heading":
            self._under_heading(statement, kind)
        elif kind in _REFLECTED and self._percent(self._frames.reflected):
            self._reflect(statement)
        else:
            label = self._cast.fill(self._dice.pick(self._frames.labels[kind]))
            self._topic(statement, self._beat(statement.plain, label=label))

    def _under_heading(self, statement: Statement, kind: Kind) -> None:
        short, *others = self._dice.some(statement.plain, len(statement.plain))
        if others and self._percent(self._frames.told_twice):
            self._topic(statement, self._beat(tuple(others)))
        titles = [self._cast.fill(title) for title in self._frames.headings[kind]]
        add_to_section(self._day, titles, self._beat((short,)), self._dice)

    def _reflect(self, statement: Statement) -> None:
        lines = [
            Beat(role=Role.REFLECTION, text=self._cast.fill(text), label=label)
            for label, text in self._frames.reflection
        ]
        lesson = Beat(role=Role.REFLECTION, text=self._fill(statement.plain), label=_LESSON)
        self._topic(statement, *lines, lesson)

    def _hide(self, statement: Statement) -> None:
        form = self._dice.weighted(tuple(self._frames.bare.items()))
        beat = self._beat(statement.plain)
        if form == "amid":
            before, after = self._around()
            beat = Beat(role=beat.role, text=beat.text, before=before, after=after)
        if form == "field":
            self._in_a_field(statement)
        else:
            self._topic(statement, beat)

    def _around(self) -> tuple[str, str]:
        routine = self._dice.pick(self._phrases.routines)
        before, after = (self._cast.fill(text) for text in self._dice.some(routine.work, 2))
        return before, after

    def _in_a_field(self, statement: Statement) -> None:
        fields = self._frames.fields
        before = self._dice.some(fields["before"], 2)
        after = self._dice.some(fields["after"], 2)
        carrying = self._dice.pick(fields["carrying"])
        self._topic(
            statement,
            *(self._field(label, text) for label, text in before),
            self._beat(statement.plain, label=carrying),
            *(self._field(label, text) for label, text in after),
        )

    def _field(self, label: str, text: str) -> Beat:
        return Beat(role=Role.NOTED, text=self._cast.fill(text), label=label)

    def _beat(self, texts: tuple[str, ...], *, label: str = "") -> Beat:
        return Beat(role=Role.NOTED, text=self._fill(texts), label=label)

    def _topic(self, statement: Statement, *beats: Beat) -> None:
        self._day.topics.append(Topic(title=self._fill(statement.titles), beats=beats))

    def _fill(self, texts: tuple[str, ...]) -> str:
        return self._cast.fill(self._dice.pick(texts))

    def _percent(self, share: int) -> bool:
        return self._dice.chance(share / 100)


def add_to_section(day: Day, titles: Sequence[str], beat: Beat, dice: Dice) -> None:
    """Add a bullet to a closing section that has one of the titles, or to a new one, at a chance place."""
    for section in day.sections:
        if section.title in titles:
            section.beats.insert(dice.between(0, len(section.beats)), beat)
            return
    day.sections.append(Section(title=dice.pick(titles), beats=[beat]))


def chat_pair(pair: list[str], cast: Cast) -> list[Turn]:
    """Give a question and its answer as turns of a chat."""
    question, answer = pair
    return [
        Turn(speaker="user", text=cast.fill(question)),
        Turn(speaker="assistant", text=cast.fill(answer)),
    ]


def _turns(statement: Statement, cast: Cast, dice: Dice, phrases: Phrases) -> list[Turn]:
    return [
        *chat_pair(dice.pick(phrases.chat["openers"]), cast),
        Turn(speaker="user", text=cast.fill(dice.pick(statement.said))),
        Turn(speaker="assistant", text=dice.pick(phrases.chat["answers"])),
        *chat_pair(dice.pick(phrases.chat["fillers"]), cast),
    ]
