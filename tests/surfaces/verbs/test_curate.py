from datetime import timedelta
from pathlib import Path

import pytest
from tests.gate.homes import START
from tests.gate.principled import seed
from tests.linking import lines, outcome
from tests.surfaces.console import Console

from nightledger.gate.memory.reinforcing import read_reinforcements


@pytest.fixture
def seeded(console: Console) -> Console:
    seed(console.desk)
    return console


def live(console: Console, hours: int, shown: str = "") -> None:
    """Let the agent record an outcome in each hour, and the clock go on."""
    times = [f"{START.at + timedelta(hours=hour):%Y-%m-%dT%H:30:00Z}" for hour in range(hours)]
    records = [
        outcome(n, received_at=at, timestamp=at, session=f"s{n}", shown=[shown] if shown else None)
        for n, at in enumerate(times)
    ]
    Path(console.desk.home.outcomes).write_bytes(lines(records))
    console.desk.wait(hours=hours + 1)


def test_as_json_it_counts(seeded: Console) -> None:
    live(seeded, 40)
    record = seeded.record("curate")
    assert (record["periods"], record["constitutional_reinforced"], record["reinforced"]) == ([40], 10, 0)
    assert (record["proposals"], record["weak_links"], record["faded"]) == ([], 0, 0)


def test_what_is_not_proposed_says_why(seeded: Console) -> None:
    live(seeded, 400)
    assert "Not proposed: no outcome names what was shown before it" in seeded.out("curate")


def test_the_night_curates_once(seeded: Console) -> None:
    live(seeded, 45)
    seeded.out("night")
    (line,) = read_reinforcements(seeded.desk.home)
    assert (line.period, len(line.ids)) == ("40", 10)
    seeded.desk.wait(days=1)
    seeded.out("night")
    assert len(read_reinforcements(seeded.desk.home)) == 1
    assert seeded.run("verify").status == 0
