"""The questions of a review: with evidence and answers kept before; of this home with headings and the operator's editor.

Invariant: whatever ends a review, an interrupt or a wrong passphrase, what was answered is asked no second time.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial

from nightledger.domain.errors import NightledgerError, RefusedError
from nightledger.gate.forgetting.forgotten import read_forgotten
from nightledger.gate.review.choices import counts_of
from nightledger.gate.review.draft import keep_draft, read_draft
from nightledger.gate.review.noted_under import heading_of
from nightledger.gate.review.reviewing import Answer, Item
from nightledger.surfaces import evidence
from nightledger.surfaces.context import Context
from nightledger.surfaces.editing import revise_change
from nightledger.surfaces.hints import say
from nightledger.surfaces.questions import Questions
from nightledger.surfaces.session import Session

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
        elsewhere: Gives the evidence of what waits on another machine, which is worded and known by its headings there.
    """
    gate = session.gate

    def more(item: Item) -> list[str]:
        expunged = read_forgotten(gate, (), session.ledger.book).expunged
        return evidence.lines(gate.home, item.change, told=item.told, expunged=expunged)

    def keep(given: Mapping[int, Answer]) -> bool:
        try:
            keep_draft(gate, items, given)
        except (NightledgerError, OSError) as error:
            context.note(f"what you answer cannot be kept until it is signed: {error}")
            return False
        return True

    heading = cache(partial(heading_of, gate.home))
    given, changed = read_draft(gate, items)
    questions = Questions(context=context, items=items, more=elsewhere or more, given=given, keep=keep)
    if elsewhere is None:
        questions.edit = lambda item: revise_change(context, item)
        questions.heading = lambda item: heading(item.change.evidence)
    if given:
        say(context, f"Taken up from your last review: {counts_of(items, given)}; b goes back to them.")
    if changed:
        say(context, f"Changed since you answered, so asked again: {changed}.")
    return questions


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
