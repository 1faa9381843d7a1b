"""What a frame shows of a home: what was signed and is not held back, within its budget."""

from tests.gate.homes import Desk
from tests.gate.signers import seed
from tests.gate.test_naming import RELAY

from nightledger.domain.frames import Frame
from nightledger.gate.recalling import recollect, shipped_principles


def similarity(desk: Desk, name: str, query: str, frame: Frame = Frame.TASK) -> float:
    """Give how like a query an entry is by its words, or a principle by its id, shown or not."""
    chosen = recollect(desk.gate, desk.ledger(), frame, query, desk.moment).chosen
    every = [one.candidate for one in (*chosen.shown, *(scored for scored, _ in chosen.dropped))]
    (found,) = [one for one in every if name in (one.id, one.text)]
    return found.similarity


def test_a_query_is_like_what_holds_it_and_like_what_it_holds(desk: Desk) -> None:
    assert similarity(desk, RELAY, "restart the relay") == 1.0
    assert similarity(desk, RELAY, f"so I wonder whether to {RELAY} or to wait") == 1.0
    assert similarity(desk, RELAY, "zzz") == 0.0
    assert 0.0 < similarity(desk, RELAY, "restart the boat") < 1.0
    seed(desk)
    text = next(one.text for one in shipped_principles().principles if one.name == "care")
    assert similarity(desk, "constitution#care", text, Frame.SELF) == 1.0
