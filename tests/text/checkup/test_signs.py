from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row

from nightledger.text.checkup.signs import FRESH_DAYS, Sign, decision_signs, look, signs
from nightledger.text.checkup.units import read_units
from nightledger.text.markdown.document import parse_markdown

TODAY = date(2026, 5, 1)
GONE = ("notes/gone.md", "/notes/gone.md", "notes/YYYY-MM-DD.md")
ROWS = {sign.name: sign for sign in (*signs(), *decision_signs())}
assert len(ROWS) == len(signs()) + len(decision_signs())


def shows(name: str, document: str) -> bool:
    *_, view = look(read_units(parse_markdown(document)), TODAY, GONE)
    return ROWS[name].test(view)


@each_row("sign", ROWS.values(), ids=lambda sign: sign.name)
def test_every_sign_is_seen_in_its_examples_and_not_in_their_look_alikes(sign: Sign) -> None:
    assert sign.catches
    assert sign.spares
    assert {text: shows(sign.name, text) for text in (*sign.catches, *sign.spares)} == {
        **dict.fromkeys(sign.catches, True),
        **dict.fromkeys(sign.spares, False),
    }


@given(days=st.integers(min_value=-400, max_value=400))
def test_an_end_counts_from_the_day_after_it(days: int) -> None:
    day = TODAY - timedelta(days=days)
    assert shows("ended_on", f"- Offer of the mill holds until {day}\n") == (days > 0)
    assert shows("duty", f"- Plates must be ordered by {day}\n") == (days > 0)


@given(days=st.integers(min_value=-40, max_value=40))
def test_what_waits_is_fresh_for_two_weeks(days: int) -> None:
    day = TODAY - timedelta(days=days)
    assert shows("fresh", f"- lease pending ({day})\n") == (0 <= days <= FRESH_DAYS)
