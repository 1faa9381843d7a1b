"""Ask about each change that waits, one key an answer, and once more before anything is signed.

Invariant: nothing is signed that was not shown as it is; what was answered is kept after every key.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import takewhile

from nightledger.domain.kept import LETTING_GO
from nightledger.domain.proposal import Kind, Op
from nightledger.gate.review.noted_under import NEVER
from nightledger.gate.review.reviewing import Answer, Item, Verb
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context
from nightledger.text.changes.masked import mask_diff
from nightledger.text.visible import visible

ALIKE_KEYS = "y sign all  n reject all  s all later  b back, one by one"
_DRIFT_WORDS = {Verb.APPROVE: "keep", Verb.REJECT: "take back", Verb.LATER: "leave"}
_WORDS = {Verb.APPROVE: "sign", Verb.REJECT: "reject", Verb.LATER: "leave"}
_Given = Mapping[int, Answer]


@dataclass(slots=True, kw_only=True)
class Questions:
    """A review on a terminal.

    Attributes:
        context: The command's surroundings.
        items: What is asked about; a change that is reworded is replaced by its new wording.
        more: Gives the evidence of a change as rows of the screen.
        given: Answers so far, by the place of their item.
        keep: Keeps them through whatever ends the review.
        edit: Lets the operator word a change; gives it as it waits now, or None; None where nothing can be worded here.
        heading: Gives the heading of the notes that a change comes from; empty where there is none.
    """

    context: Context
    items: list[Item]
    more: Callable[[Item], list[str]]
    given: dict[int, Answer] = field(default_factory=dict)
    keep: Callable[[_Given], None] = lambda _: None
    edit: Callable[[Item], Item | None] | None = None
    heading: Callable[[Item], str] = lambda _: ""

    def ask_all(self) -> list[Answer]:
        """Ask about every change that has no answer yet; nothing where the operator signs nothing now."""
        at, key = self._next(0), ""
        while True:
            while at < len(self.items) and key != "q":
                at, key = self._ask(at)
            if all(answer.verb is Verb.LATER for answer in self.given.values()):
                return self.answers()
            key = self._confirm()
            if key != "b":
                return self.answers() if key == "y" else []
            at = min(at, len(self.items) - 1)

    def answers(self) -> list[Answer]:
        """Return what was answered, in the order shown."""
        return [self.given[at] for at in sorted(self.given)]

    def counts(self) -> str:
        """Return how many changes get which answer: ``sign 3, reject 1, 4 left``."""
        said = Counter(_word(self.items[at], answer) for at, answer in self.given.items())
        told = [f"{word} {said[word]}" for word in ("sign", "reject", "keep", "take back") if said[word]]
        return ", ".join([*told, f"{len(self.items) - sum(said.values()) + said['leave']} left"])

    def _next(self, at: int) -> int:
        return next((n for n in range(at, len(self.items)) if n not in self.given), len(self.items))

    def _ask(self, at: int) -> tuple[int, str]:
        """Ask until there is an answer; give where to go on, and the key."""
        item, lines = self.items[at], screen.item_lines(self.items[at], at + 1, len(self.items))
        rows = self._print(lines)
        if at in self.given:
            self.context.print(f"  answered: {_word(item, self.given[at])}; Enter keeps that")
        while True:
            if rows + 4 > screen.height():  # what it is about has scrolled away
                rows = self._print(screen.head_lines(item, at + 1, len(self.items)))
            key = screen.ask("  ".join(screen.whole(text) for text in self._keys(at).values())).lower()
            if key == "q":
                return at, key
            if (key == "b" and at) or (not key and at in self.given):
                return at - 1 if key else self._next(at + 1), key
            if key == "e" and key in self._keys(at) and self._edit(at):
                return at, key
            if given := self._answers(at, key):
                self.given |= given
                self.keep(self.given)
                return self._next(at + 1), key
            rows += self._print(self._more(item, key), paged=True)

    def _keys(self, at: int) -> dict[str, str]:
        item, drift = self.items[at], _is_drift(self.items[at])
        words = not drift and item.change.op not in LETTING_GO
        alike, heading = self._alike(at), self.heading(item)
        shown = {
            "y": "y keep" if drift else "y sign",
            "n": "n take back" if drift else "n reject",
            "e": "e edit" if words and self.edit else "",
            "a": f"a all {len(alike)} at once" if alike else "",
            "s": "s later",
            "b": "b back" if at else "",
            "r": "r reject the rest" if not drift and self._next(at + 1) < len(self.items) else "",
            "h": "h never from this heading" if heading else "",
            "d": "d whole diff",
            "v": "v evidence",
            "q": "q quit",
        }
        return {key: text for key, text in shown.items() if text}

    def _answers(self, at: int, key: str) -> dict[int, Answer]:
        """Return what a key says, of this change or of several; nothing where it is no answer."""
        item, reason = self.items[at], ""
        if key not in self._keys(at) or self._why_not(item, key):
            return {}
        rest = [n for n in range(at, len(self.items)) if n == at or n not in self.given]
        if key == "a":
            return self._answer_alike(at)
        if key == "h":
            reason = NEVER + self.heading(item)
            rest = [
                n
                for n in rest
                if not _is_drift(self.items[n]) and NEVER + self.heading(self.items[n]) == reason
            ]
        elif key in ("n", "r") and not _is_drift(item):
            reason = screen.ask("reason")
        verb = {"y": Verb.APPROVE, "n": Verb.REJECT, "s": Verb.LATER, "r": Verb.REJECT, "h": Verb.REJECT}.get(
            key
        )
        return self._same(rest if key in ("r", "h") else [at], verb, reason) if verb else {}

    def _same(self, places: list[int], verb: Verb, reason: str) -> dict[int, Answer]:
        chosen = {n: self.items[n] for n in places}
        return {
            n: Answer(proposal=item.stored.proposal.id, n=item.change.n, verb=verb, reason=reason)
            for n, item in chosen.items()
        }

    def _alike(self, at: int) -> range:
        """Give what a proposal archives or compresses from here on, where that is more than one and all has a place."""
        name = self.items[at].stored.proposal.id
        rest = list(takewhile(lambda item: item.stored.proposal.id == name, self.items[at:]))
        whole = all(item.change.op in (Op.ARCHIVE, Op.COMPRESS) and not item.unplaced for item in rest)
        return range(at, at + len(rest)) if whole and len(rest) > 1 else range(0)

    def _answer_alike(self, at: int) -> dict[int, Answer]:
        """Show the others too and ask once about all; nothing where they are to be answered one by one."""
        alike = self._alike(at)
        for n in alike[1:]:
            self._print(screen.item_lines(self.items[n], n + 1, len(self.items)))
        key = screen.ask(f"all {len(alike)}: {ALIKE_KEYS}").lower()
        verb = {"y": Verb.APPROVE, "n": Verb.REJECT, "s": Verb.LATER}.get(key)
        reason = screen.ask("reason") if verb is Verb.REJECT else ""
        return self._same([*alike], verb, reason) if verb else {}

    def _edit(self, at: int) -> bool:
        """Put the operator's wording in the place of what it words; it is shown and asked about next."""
        item = self.edit(self.items[at]) if self.edit else None
        if item is not None:
            self.items[at] = item
            self.given.pop(at, None)
        return item is not None

    def _why_not(self, item: Item, key: str) -> str:
        """Give why this is no answer to a change; empty where it is one."""
        if key == "y":
            return item.unplaced or item.unread
        return item.unplaced if key == "n" and _is_drift(item) else ""

    def _more(self, item: Item, key: str) -> list[str]:
        if key == "d":
            return screen.diff_lines(item.diff or item.change.diff, told=item.told)
        if key == "v":
            return self.more(item)
        why = screen.shown(self._why_not(item, key))
        first = f"  it cannot be {'signed' if item.unplaced else 'kept'}: "
        return screen.wrap(why, indent=screen.INSIDE, first=first) if why else []

    def _print(self, lines: list[str], *, paged: bool = False) -> int:
        """Print rows, of what was asked for a screen at a time; give how many."""
        page = screen.height() - 2
        for n, line in enumerate(lines, 1):
            self.context.print(line)
            if (
                paged
                and n % page == 0
                and n < len(lines)
                and screen.ask(f"{len(lines) - n} rows more, q stops") == "q"
            ):
                break
        return len(lines)

    def _confirm(self) -> str:
        """Show in a row each what is about to be signed, and ask; give y, n or b."""
        most = max(1, screen.height() - 4)
        shown = [_row(self.items[at], self.given[at]) for at in sorted(self.given)]
        self.context.print()
        self._print([*shown[:most], *([f"  and {len(shown) - most} more"] if len(shown) > most else [])])
        told = self.counts()
        while (key := screen.ask(f"{told[0].upper()}{told[1:]}?  y yes  n not now  b back").lower()) not in (
            "y",
            "n",
            "b",
        ):
            pass
        return key


def _is_drift(item: Item) -> bool:
    return item.stored.proposal.kind is Kind.DRIFT


def _word(item: Item, answer: Answer) -> str:
    return (_DRIFT_WORDS if _is_drift(item) else _WORDS)[answer.verb]


def _row(item: Item, answer: Answer) -> str:
    """Give an answer and the first line of what it is about, in one row."""
    lines = mask_diff(item.diff or item.change.diff, told=item.told).split("\n")
    first = next(
        (
            line
            for line in lines
            if line[:1] in ("+", "-") and line[:3] not in ("+++", "---") and line[1:].strip()
        ),
        "",
    )
    return screen.cut(
        f"  {_word(item, answer):<9} {visible(first) or screen.headline(item.change, told=item.told)}"
    )
