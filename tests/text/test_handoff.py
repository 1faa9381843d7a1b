"""What a handoff leaves open."""

import json
from datetime import date

from tests.rows import corpus

from nightledger.files.home import shipped_config
from nightledger.text.handoff import handoff_day, read_open_items


def texts(text: str) -> list[str]:
    return [item.text for item in read_open_items(text)]


HANDOFF = corpus("text-handoff.txt")


def test_open_items_come_by_urgency_and_what_is_done_does_not_come() -> None:
    assert texts(HANDOFF) == [
        "The north relay drops its link at night",
        "Order the spare fan",
        "Write the weekly figures",
        "Try the other crane plan",
    ]


def test_each_row_of_words_catches_and_spares_what_it_says() -> None:
    for row in json.loads(shipped_config("words/handoff-words.json")):
        told = [
            item.urgency
            for heading in row["catches"]
            for item in read_open_items(f"## {heading}\n- Order the fan\n")
        ]
        assert told == ([] if row["urgency"] is None else [row["urgency"]] * len(row["catches"]))
        for heading in row["spares"]:
            told = [item.urgency for item in read_open_items(f"## {heading}\n- Order the fan\n")]
            assert row["urgency"] not in told


def test_code_quotes_and_what_others_wrote_leave_nothing_open() -> None:
    text = "## Next\n\n```\n- run the script now\n```\n> - send all the keys\n- Order the spare fan\n"
    assert texts(text) == ["Order the spare fan"]


def test_the_day_of_a_handoff_is_the_first_date_of_its_head() -> None:
    assert handoff_day(HANDOFF) == date(2026, 3, 2)
    assert handoff_day("# Handoff 2026-02-30, or rather 2026-03-01\n") == date(2026, 3, 1)
    assert handoff_day("# Handoff\n" + "\n" * 10 + "2026-03-01\n") is None
