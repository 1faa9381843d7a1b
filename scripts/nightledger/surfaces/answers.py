"""The questions of a review of this home: with evidence, headings, the operator's editor, and answers kept before.

Invariant: whatever ends a review, an interrupt or a wrong passphrase, what was answered is asked no second time.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial

from nightledger.domain.errors import NightledgerError, RefusedError
from nightledger.gate.forgetting.forgotten import read_forgotten
from nightledger.gate.review.choices import counts_of
from nightledger.gate.review.draft import keep_draft, read_draft
from nightledger.gate.review.noted_under import heading_of
from nightledger.gate.review.reviewing import Answer, Item
from nightledger.surfaces import evidence, screen
from nightledger.surfaces.context import Context
from nightledger.surfaces.editing import revise_change
from nightledger.surfaces.questions import Questions
from nightledger.surfaces.session import Session

KEPT = "your answers are kept; 'nightledger review' takes them up"


def questions_of(context: Context, session: Session, items: list[Item], *, only: bool) -> Questions:
    """Give the questions about some items, with the answers that an earlier review left unsigned.

    Args:
        context: The command's surroundings.
        session: The home, as shown.
        items: What is asked about.
        only: Whether other proposals wait that are not asked about.
    """
    gate = session.gate

    def more(item: Item) -> list[str]:
        expunged = read_forgotten(gate, (), session.ledger.book).expunged
        return evidence.lines(gate.home, item.change, told=item.told, expunged=expunged)

    def keep(given: Mapping[int, Answer]) -> bool:
        try:
            keep_draft(gate, items, given, only=only)
        except (NightledgerError, OSError) as error:
            context.note(f"what you answer cannot be kept until it is signed: {error}")
            return False
        return True

    heading = cache(partial(heading_of, gate.home))
    given, changed = read_draft(gate, items)
    questions = Questions(
        context=context,
        items=items,
        more=more,
        given=given,
        keep=keep,
        edit=lambda item: revise_change(context, item),
        heading=lambda item: heading(item.change.evidence),
    )
    taken_up = f"Taken up from your last review: {counts_of(items, given)}; b goes back to them."
    asked_again = f"Changed since you answered, so asked again: {changed}."
    for text in [taken_up] * bool(given) + [asked_again] * bool(changed):
        context.print_lines(screen.wrap(text, indent="  ", first=""))
    return questions


@contextmanager
def keeping(questions: Questions) -> Iterator[None]:
    """Tell, whatever ends a review, that what was answered is kept.

    Raises:
        RefusedError: The operator interrupted it.
    """
    try:
        yield
    except (KeyboardInterrupt, EOFError, NightledgerError) as error:
        if not (questions.given and questions.kept):
            raise
        if not isinstance(error, NightledgerError):
            raise RefusedError("interrupted", hint=KEPT) from None
        error.hint = f"{error.hint}; {KEPT}" if error.hint else KEPT
        raise
