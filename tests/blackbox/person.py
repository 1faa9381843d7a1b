"""Who sits at the screen: answers by what is shown, and what a gated file says in the end."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.blackbox.world import World

_LABEL = re.compile(r"(?:\*\*|__)?[^*_`].{0,60}?(?::|(?<=\w)(?:\*\*|__))$")
_ITEM = re.compile(r"^(\s*)[-*+] (.*)$")


@dataclass(slots=True, kw_only=True)
class Person:
    """An operator at ``review``.

    Attributes:
        says: The answer to a change that adds or takes out a line with these words; the first that fits.
        otherwise: The answer to every other change.
        seen: What was shown before each answer, with the answer.
    """

    says: Mapping[str, str] = field(default_factory=dict)
    otherwise: str = "n"
    seen: list[tuple[str, str]] = field(default_factory=list)

    def __call__(self, shown: str) -> str:
        """Answer what the screen asks now."""
        if shown.rstrip().endswith("quit >"):
            lines = [line[1:] for line in shown.splitlines() if line[:1] in {"+", "-"}]
            fits = (answer for words, answer in self.says.items() if any(words in line for line in lines))
            answer = next(fits, self.otherwise)
        else:
            answer = "no" if shown.rstrip().endswith("reason >") else "y"
        self.seen.append((shown, answer))
        return answer

    def said_yes(self, words: str) -> bool:
        """Tell whether a change with these words in its lines was said yes to: the attack came as far as the operator."""
        return any(answer == "y" and words in shown for shown, answer in self.seen)

    def was_shown(self, words: str) -> bool:
        """Tell whether a change that was said yes to showed these words."""
        return any(answer == "y" and words in " ".join(shown.split()) for shown, answer in self.seen)


def review(world: World, says: Mapping[str, str] | None = None, *, otherwise: str = "n") -> Person:
    """Hold a review and give who held it."""
    person = Person(says=says or {}, otherwise=otherwise)
    assert world.run("review", typed=person).status in {0, 1, 4}
    return person


def settle(world: World) -> str:
    """Apply what is signed, take every drift back, reject every proposal; give what MEMORY.md says then, accepted."""
    for _ in range(3):
        world.try_apply()
        world.run("guard")
        review(world)
    assert world.run("verify").status == 0, world.run("verify")
    return world.read()


def standing(text: str) -> list[tuple[tuple[str, ...], str]]:
    """Give each line of a Markdown text that is no heading or label, with the headings, labels and items it is under."""
    headings: list[tuple[int, str]] = []
    items: list[tuple[int, str]] = []
    label, found = "", list[tuple[tuple[str, ...], str]]()
    for line in filter(str.strip, text.splitlines()):
        if line.startswith("#"):
            level = len(line) - len(line.lstrip("#"))
            headings = [*((n, name) for n, name in headings if n < level), (level, line.strip("# "))]
            label, items = "", []
        elif item := _ITEM.match(line):
            indent, words = len(item[1]), item[2].strip()
            items = [(n, name) for n, name in items if n < indent]
            above = (*(name for _, name in headings), label, *(name for _, name in items))
            found.append((tuple(name for name in above if name), words))
            items.append((indent, words))
        elif _LABEL.fullmatch(line.strip()):
            label, items = line.strip("*_: "), []
        else:
            found.append(
                ((*(name for _, name in headings), label) if label else tuple(n for _, n in headings), line)
            )
    return found


def stands(text: str, words: str, *, under: str) -> bool:
    """Tell whether a line with these words stands below that heading, label or item."""
    return any(words in line and any(under in name for name in above) for above, line in standing(text))


def sound(world: World) -> None:
    """Demand that both verifiers have nothing to say."""
    assert (ran := world.run("verify")).status == 0, ran
    assert (told := world.second_look())[0] == 0, told
