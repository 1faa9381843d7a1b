import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.homes import make_home

from nightledger.files.home import Home
from nightledger.remote.letters import TOLD_FOR, recent_dead_letters

NOW = datetime(2026, 3, 9, 7, 30, tzinfo=UTC)


def bury(home: Home, *times: object) -> None:
    path = Path(home.dead_letters)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps({"dead_lettered_at": at, "error": "away"}) + "\n" for at in times))


def test_dead_letters_of_seven_days_are_told_oldest_first_one_of_the_future_as_of_now_and_none_without_a_time(
    tmp_path: Path,
) -> None:
    home = make_home(tmp_path / "home")
    new, newer = NOW - timedelta(days=2), NOW - timedelta(hours=1)
    times = (NOW - TOLD_FOR, newer, new, NOW + timedelta(days=3))
    bury(home, *(f"{at:%Y-%m-%dT%H:%M:%SZ}" for at in times), "yesterday", None)
    assert recent_dead_letters(home, NOW) == (new, newer, NOW)
