"""When the review page ends by itself."""

from nightledger.doors.page import IDLE_S, LAST_ANSWER_S, Door
from nightledger.doors.reviewing import PageReview
from nightledger.surfaces.context import Context


def test_it_ends_after_half_an_hour_without_a_question_never_while_one_is_answered_and_soon_after_the_last() -> (
    None
):
    door = Door(PageReview(Context(verb="review", home="", now_text=None, json=False), None))
    is_over = door.service().is_over
    assert not is_over()
    door._asked_at -= IDLE_S + 1
    assert is_over()
    with door._turn:
        assert not is_over()
    door._asked_at += IDLE_S + 1
    door.review.is_done = True
    assert not is_over(), "the last answer has time to arrive"
    door._asked_at -= LAST_ANSWER_S + 0.1
    assert is_over()
