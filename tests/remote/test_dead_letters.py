import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.homes import make_home

from nightledger.files.home import Home
from nightledger.remote.letters import TOLD_FOR, recent_dead_letters

NOW = datetime(2026, 3, 9, 7, 30, tzinfo=UTC)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return make_home(tmp_path / "home")


def bury(home: Home, *times: object) -> None:
    path = Path(home.dead_letters)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps({"dead_lettered_at": at, "error": "away"}) + "\n" for at in times))


def stamp(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"


def test_letters_of_the_last_seven_days_are_told_oldest_first(home: Home) -> None:
    new, newer = NOW - timedelta(days=2), NOW - timedelta(hours=1)
    bury(home, stamp(NOW - TOLD_FOR), stamp(newer), stamp(new))
    assert recent_dead_letters(home, NOW) == (new, newer)


def test_a_letter_of_the_future_is_one_of_now_and_one_without_a_time_is_none(home: Home) -> None:
    bury(home, stamp(NOW + timedelta(days=3)), "yesterday", None)
    assert recent_dead_letters(home, NOW) == (NOW,)
