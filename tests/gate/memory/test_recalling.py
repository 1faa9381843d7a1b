"""What a frame shows of a home: what was signed and is not held back, within its budget."""

from tests.gate.homes import Desk
from tests.gate.memory.test_pinning import RELAY
from tests.gate.principled import seed

from nightledger.domain.frames import Candidate, Frame
from nightledger.gate.memory.recalling import Recollection, recollect, shipped_principles


def recall(desk: Desk, query: str = "", frame: Frame = Frame.TASK) -> Recollection:
    return recollect(desk.gate, desk.ledger(), frame, query, desk.moment)


def candidate(desk: Desk, words: str, query: str = "") -> Candidate:
    """Give the measures of the entry with these words."""
    (found,) = [one for one in recall(desk, query).chosen.shown if one.text == words]
    return found


def principle(desk: Desk, name: str, query: str = "") -> Candidate:
    """Give the measures of a principle, shown or not."""
    chosen = recall(desk, query, Frame.SELF).chosen
    every = [*chosen.shown, *(one for one, _ in chosen.dropped)]
    (found,) = [one for one in every if one.id == f"constitution#{name}"]
    return found


# ------------------------------------------------------------------ what it is measured by


def test_a_query_is_like_what_holds_it_and_like_what_it_holds(desk: Desk) -> None:
    assert candidate(desk, RELAY, "restart the relay").similarity == 1.0
    assert candidate(desk, RELAY, f"so I wonder whether to {RELAY} or to wait").similarity == 1.0
    assert candidate(desk, RELAY, "zzz").similarity == 0.0
    assert 0.0 < candidate(desk, RELAY, "restart the boat").similarity < 1.0
    seed(desk)
    text = next(one.text for one in shipped_principles().principles if one.name == "care")
    assert principle(desk, "care", text).similarity == 1.0
