"""Read what is proposed, answer, sign once.

Reads   memory/state/proposals/, the gated files, audit/
Writes  audit/decisions/ and the audit log, after one signature
Changes no memory: 'nightledger apply' does, when the cooling period is over.
"""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from msgspec import Struct, field

from nightledger.domain.errors import NightledgerError, RefusedError
from nightledger.domain.states import Book
from nightledger.domain.words import count_of
from nightledger.gate import contradicting
from nightledger.gate import editing as choices
from nightledger.gate.checking import find_drift
from nightledger.gate.editing import counts_of, keep_draft, put_in_place, read_draft
from nightledger.gate.gated import watched, why_unreadable
from nightledger.gate.opening import Gate
from nightledger.gate.reviewing import Answer, Documents, Item, Verb, held_since_answered, list_items
from nightledger.gate.stored import find_set_aside, find_status
from nightledger.surfaces import screen
from nightledger.surfaces import session as sessions
from nightledger.surfaces.context import Context
from nightledger.surfaces.listing import item_record
from nightledger.surfaces.screen import say
from nightledger.surfaces.session import Session
from nightledger.text.visible import visible

AGAIN = "nightledger review"


def run(options: argparse.Namespace, context: Context) -> int:
    """Show what waits; on a terminal ask for answers and sign them."""
    if options.look:
        from nightledger.doors.page import serve_links

        return serve_links(options, context)
    if options.web:
        from nightledger.doors.page import serve_review

        return serve_review(options, context)
    if options.remote:
        from nightledger.remote.review import review_remote

        return review_remote(context, options.remote)
    asks = context.interactive() and not context.json
    with sessions.reading(context, person=asks) as session:
        items = waiting(session, options.id)
        _open(context, session, items)
        if asks:
            return _ask_and_sign(context, session, items)
        context.emit([item_record(item) for item in items])
        for at, item in enumerate(items, 1):
            context.print_lines(screen.item_lines(item, at, len(items)))
            context.print(f"  id: {context.short(item.stored.proposal.id)}#{item.change.n}\n")
        if items:
            say(context, "To answer, run 'nightledger review' on a terminal, or 'nightledger approve ID'.")
    return 0


def waiting(session: Session, name: str | None) -> list[Item]:
    """Return what waits: all of it, or of the proposal of that name."""
    items = list_items(session.gate, session.ledger, Documents(session.gate))
    if name is None:
        return items
    wanted = find_status(session.ledger.book, name).id
    return [item for item in items if item.stored.proposal.id == wanted]


def _open(context: Context, session: Session, items: list[Item]) -> None:
    say(context, *notices(session, items), indent=screen.INSIDE)
    proposals = {item.stored.proposal.id: item.stored.proposal for item in items}
    for name, proposal in proposals.items():
        which = f"{name}, " if len(proposals) > 1 else "Size: "
        if sizes := screen.meter(proposal):
            say(context, which + sizes, indent="    ", first="  ")
    if items:
        context.print()


def notices(session: Session, items: list[Item]) -> Iterator[str]:
    """Yield what is to be known before anything is answered, and how much waits."""
    home, book = session.gate.home, session.ledger.book
    if home.identity.simulated:
        yield "This is a simulated home: its clock is whatever --now says."
    for name in find_set_aside(home, book):
        yield (
            f"! {name} was altered after it was proposed and is set aside; 'nightledger verify' names its file. "
            f"Put it back from a backup, or close it: nightledger reject {name} --reason ..."
        )
    yield from held_since_answered(session.ledger.log.events)
    drifted, unseen = find_drift(home, book), False
    for path in watched(home, book):
        if why := why_unreadable(home, path):
            yield f"! {path} cannot be read, and nothing about it can be signed: {why}"
        elif path in drifted and book.open_drift(path) is None:
            unseen = True
            yield (
                f"{path} was changed outside Nightledger since it was last signed, and no item asks about it yet: "
                "'nightledger guard' makes one."
            )
        elif path in drifted and items:
            yield f"{path} was changed outside Nightledger since it was last signed: that comes first."
    if not items:
        yield "Nothing else waits for you." if unseen else "Nothing waits for you."
        return
    proposals = {item.stored.proposal.id for item in items}
    yield f"{count_of(len(items), 'change waits', 'changes wait')} for you, in {count_of(len(proposals), 'proposal')}."


def _ask_and_sign(context: Context, session: Session, items: list[Item]) -> int:
    from nightledger.surfaces.signing import settle, tell_settled

    questions = questions_of(context, session, items)
    with keeping(questions, AGAIN):
        answers = questions.ask_all()
        settled = settle(context, session, items, answers)
    if questions.given and not answers:
        tell_unsigned(questions, AGAIN)
        return 0
    questions.keep({})
    tell_settled(context, settled)
    return 1 if settled.refusals else 0


ALIKE_KEYS = "y sign all  n reject all  s all later  b back, one by one"
_VERBS = {"y": Verb.APPROVE, "n": Verb.REJECT, "s": Verb.LATER, "r": Verb.REJECT}
SIDE_KEYS = ("1", "2", "3")
SIDE_WORDS = ("keep the first", "keep the second", "both are true")
_WHEN = "both are true when (Enter: without a condition)"


class Questions(Struct, kw_only=True):
    """A review on a terminal.

    Attributes:
        context: The command's surroundings.
        gate: The home, opened.
        book: What became of every proposal, as shown.
        items: What is asked about; a change that is reworded is replaced by its new wording.
        elsewhere: Gives the evidence of what waits on another machine, which is worded and known by its headings there;
            None where it waits here.
        given: Answers so far, by the place of their item.
        kept: Whether they are kept through whatever ends the review.
    """

    context: Context
    gate: Gate
    book: Book
    items: list[Item]
    elsewhere: Callable[[Item], list[str]] | None = None
    given: dict[int, Answer] = field(default_factory=dict)
    kept: bool = True

    def ask_all(self) -> list[Answer]:
        """Ask about every change that has no answer yet; nothing where the operator signs nothing now."""
        at, key = self._next(0), ""
        while True:
            while at < len(self.items) and key != "q":
                at, key = self._ask(at)
            signs = any(answer.verb is not Verb.LATER for answer in self.given.values())
            key = self._confirm() if signs else "y"
            if key != "b":
                return [self.given[n] for n in sorted(self.given)] if key == "y" else []
            at = min(at, len(self.items) - 1)

    def _next(self, at: int) -> int:
        return next((n for n in range(at, len(self.items)) if n not in self.given), len(self.items))

    def _ask(self, at: int) -> tuple[int, str]:
        """Ask until there is an answer; give where to go on, and the key."""
        item, place = self.items[at], (at + 1, len(self.items))
        self.context.print_lines([*screen.item_lines(item, *place), *self._sides(item)])
        if at in self.given:
            self.context.print(f"  answered: {choices.word_of(item, self.given[at])}; Enter keeps that")
        while True:
            keys = self._keys(at)
            key = screen.ask("  ".join(map(screen.whole, keys.values()))).lower()
            if key in keys or (not key and at in self.given):
                goes_on = self._take(at, key)
                if goes_on is not None:
                    return goes_on, key
                self.context.print_lines(self._more(item, key))

    def _take(self, at: int, key: str) -> int | None:
        """Do what a key says; give where to go on, None where the change still wants an answer."""
        if key in ("q", "b", ""):
            return {"q": at, "b": at - 1, "": self._next(at + 1)}[key]
        if key == "u" and self.items[at].unread:
            self.items[at] = self.items[at].unmasked()
            return at  # shown and asked about next
        given, worded = self._answers(at, key), self._worded(self.items[at], key)
        if key in SIDE_KEYS:
            when = screen.ask(_WHEN) if key == SIDE_KEYS[-1] else ""
            answer, worded, why = settle_sides(self.context, self.gate, self.items[at], key, when)
            say(self.context, why)
            given = {at: answer} if answer else {}
        if worded:
            choices.put_worded(self.items, self.given, at, worded)
            return at  # shown and asked about next
        if given:
            self.given |= given
            self.kept = self.keep(self.given)
        return self._next(at + 1) if given else None

    def keep(self, given: Mapping[int, Answer]) -> bool:
        """Keep answers through whatever ends the review; tell whether that could be done."""
        try:
            keep_draft(self.gate, self.items, given)
        except (NightledgerError, OSError) as error:
            self.context.note(f"what you answer cannot be kept until it is signed: {error}")
            return False
        return True

    def _worded(self, item: Item, key: str) -> Sequence[Item]:
        from nightledger.surfaces.verbs.edit import revise_change

        return revise_change(self.context, item) if key == "e" else ()

    def _heading(self, item: Item) -> str:
        """Return the heading of the notes that a change comes from; empty where there is none."""
        from nightledger.gate.forgotten import heading_of

        return "" if self.elsewhere else heading_of(self.gate.home, item.change.evidence)

    def _sides(self, item: Item) -> list[str]:
        """Return the two wordings of which a change asks which stays, one below the other, each behind its key."""
        texts = [] if self.elsewhere else told_sides(self.gate, item)
        pairs = zip(SIDE_KEYS, texts, strict=False)
        wrapped = (screen.wrap(text, indent=screen.INSIDE, first=f"  {key} ") for key, text in pairs)
        return [row for rows in wrapped for row in rows]

    def _evidence(self, item: Item) -> list[str]:
        from nightledger.gate.forgotten import read_forgotten

        expunged = read_forgotten(self.gate, (), self.book).expunged
        return screen.evidence_lines(self.gate.home, item.change, told=item.told, expunged=expunged)

    def _keys(self, at: int) -> dict[str, str]:
        item, many = self.items[at], len(choices.alike(self.items, at))
        drift, more = choices.is_drift(item), self._next(at + 1) < len(self.items)
        has_sides = bool(self._sides(item))
        sides = {key: f"{key} {word}" * has_sides for key, word in zip(SIDE_KEYS, SIDE_WORDS, strict=True)}
        shown = {
            **sides,
            "y": "y keep" if drift else "y sign",
            "n": "n take back" if drift else "n reject",
            "e": "e edit" if choices.can_word(item) and not self.elsewhere else "",
            "a": f"a all {many} at once" if many else "",
            "s": "s later",
            "b": "b back" if at else "",
            "r": "r reject the rest" if more and not drift else "",
            "h": "h never from this heading" if self._heading(item) and not drift else "",
            "u": "u unmask" if item.unread else "",
            "d": "d whole diff",
            "v": "v evidence",
            "q": "q quit",
        }
        return {key: text for key, text in shown.items() if text}

    def _answers(self, at: int, key: str) -> dict[int, Answer]:
        """Return what a key says, of this change or of several; nothing where it is no answer."""
        if choices.why_not(self.items[at], _VERBS.get(key)):
            return {}
        rest = [n for n in range(at, len(self.items)) if n == at or n not in self.given]
        if key == "a":
            return self._answer_alike(at)
        if key == "h":
            from nightledger.gate.forgotten import NEVER

            heading = self._heading(self.items[at])
            rest = [n for n in rest if self._heading(self.items[n]) == heading]
            return self._same(rest, Verb.REJECT, NEVER + heading)
        return self._same(rest if key == "r" else [at], _VERBS.get(key))

    def _same(self, places: Sequence[int], verb: Verb | None, reason: str = "") -> dict[int, Answer]:
        """Answer several changes alike; a rejection without a reason asks for one."""
        if verb is Verb.REJECT and not reason and not choices.is_drift(self.items[places[0]]):
            reason = screen.ask("reason")
            if why := choices.why_not(self.items[places[0]], verb, reason):
                say(self.context, f"It cannot be answered so: {why}", indent=screen.INSIDE)
                return {}
        return choices.answer_each(self.items, places, verb, reason) if verb else {}

    def _answer_alike(self, at: int) -> dict[int, Answer]:
        """Show the others too and ask once about all; nothing where they are to be answered one by one."""
        places = choices.alike(self.items, at)
        for n in places[1:]:
            self.context.print_lines(screen.item_lines(self.items[n], n + 1, len(self.items)))
        return self._same(places, _VERBS.get(screen.ask(f"all {len(places)}: {ALIKE_KEYS}").lower()))

    def _more(self, item: Item, key: str) -> list[str]:
        if key == "d":
            return screen.diff_rows(item)
        if key == "v":
            return self.elsewhere(item) if self.elsewhere else self._evidence(item)
        why = screen.shown(choices.why_not(item, _VERBS.get(key)))
        first = "  it cannot be signed: "
        return screen.wrap(why, indent=screen.INSIDE, first=first) if why else []

    def _confirm(self) -> str:
        """Show in a row each what is about to be signed, and ask; give y, n or b."""
        told, key = choices.counts_of(self.items, self.given), ""
        keys = "  ".join(map(screen.whole, ("y yes", "n not now", "b back")))
        self.context.print_lines(["", *map(self._row, sorted(self.given))])
        while key not in ("y", "n", "b"):
            key = screen.ask(f"{told[0].upper()}{told[1:]}?  {keys}").lower()
        return key

    def _row(self, at: int) -> str:
        """Give an answer and the first line of what it is about, in one row."""
        item = self.items[at]
        told = visible(choices.first_line(item)) or screen.headline(item.change, told=item.told)
        return screen.cut(f"  {choices.word_of(item, self.given[at]):<9} {told}")


KEPT = "your answers are kept; '{}' takes them up"


def questions_of(
    context: Context,
    session: Session,
    items: list[Item],
    elsewhere: Callable[[Item], list[str]] | None = None,
) -> Questions:
    """Give the questions about some items, with the answers that an earlier review left unsigned.

    Args:
        context: The command's surroundings.
        session: The home, as shown.
        items: What is asked about.
        elsewhere: As :class:`Questions` has it.
    """
    gate, book = session.gate, session.ledger.book
    given, changed = read_draft(gate, items)
    questions = Questions(
        context=context, gate=gate, book=book, items=items, elsewhere=elsewhere, given=given
    )
    if given:
        say(context, f"Taken up from your last review: {counts_of(items, given)}; b goes back to them.")
    if changed:
        say(context, f"Changed since you answered, so asked again: {changed}.")
    return questions


def told_sides(gate: Gate, item: Item) -> list[str]:
    """Return the two wordings that contradict each other, as they may be shown; nothing where a change asks about none."""
    sides = contradicting.find_sides(gate, item.stored.proposal, item.change)
    if sides is None:
        return []
    other = f"line {sides.other_line}" if sides.other_line else "new"
    told = ((f"line {sides.line}", sides.first), (other, sides.second))
    return [f"{place}: {screen.shown(text.strip(), told=item.told)}" for place, text in told]


def settle_sides(
    context: Context, gate: Gate, item: Item, key: str, when: str
) -> tuple[Answer | None, Sequence[Item], str]:
    """Return what a choice between two wordings comes to: an answer, or what waits in the change's place, or why neither."""
    from nightledger.surfaces.verbs.edit import put_instead

    sides = contradicting.find_sides(gate, item.stored.proposal, item.change)
    found = sides and contradicting.settle_sides(item.change, sides, contradicting.Side(key), when)
    if not found:
        return None, (), "That has no place in the file as it is now; answer it with y, n or e."
    if isinstance(found, tuple):
        why = choices.why_not(item, found[0])
        return (
            (None, (), f"It cannot be answered so: {why}")
            if why
            else (choices.answer_of(item, *found), (), "")
        )
    worded, why = put_instead(
        context,
        item,
        lambda home: put_in_place(home.gate, home.ledger, item.stored, item.change.n, found, home.moment),
    )
    return None, worded, f"Not taken: {why}" if why else ""


def tell_unsigned(questions: Questions, again: str) -> None:
    """Say that nothing was signed, and whether what was answered is kept."""
    say(questions.context, f"Nothing was signed{f'; {KEPT.format(again)}' if questions.kept else ''}.")


@contextmanager
def keeping(questions: Questions, again: str) -> Iterator[None]:
    """Tell, whatever ends a review, that what was answered is kept.

    Args:
        questions: The review.
        again: The command that takes them up.

    Raises:
        RefusedError: The operator interrupted it.
    """
    try:
        yield
    except (KeyboardInterrupt, EOFError, NightledgerError) as error:
        if not (questions.given and questions.kept):
            raise
        if not isinstance(error, NightledgerError):
            raise RefusedError("interrupted", hint=KEPT.format(again)) from None
        error.hint = "; ".join(filter(None, (error.hint, KEPT.format(again))))
        raise
