from datetime import UTC, datetime

import pytest

from nightledger.domain import words
from nightledger.domain.outcome import Outcome, Result, Signal
from nightledger.domain.proposal import Origin


def test_the_words_of_the_fast_path_are_those_of_the_enums() -> None:
    assert tuple(Result) == words.RESULTS
    assert tuple(Signal) == words.SIGNALS
    assert tuple(Origin) == words.ORIGINS


def test_an_outcome_is_a_value() -> None:
    moment = datetime(2026, 2, 28, 3, 5, tzinfo=UTC)
    outcome = Outcome(
        v=1,
        id="o-qygk77v7yviucnh5dahsec22w6",
        timestamp=moment,
        received_at=moment,
        task_type="debug_cron",
        context_tags=("cron",),
        resolution="set_zone",
        outcome=Result.SUCCESS,
        source_file="memory/daily/2026-02-28.md",
    )
    assert outcome.shown == ()
    assert outcome.evidence == ()
    with pytest.raises(AttributeError):
        outcome.id = "o-other"  # type: ignore[misc]
