"""Invented homes for benchmarks: one seed, the same bytes; days, logs and outcomes of lifelike shape."""

import subprocess
import sys
from collections import Counter
from datetime import timedelta

import pytest
from bench.worlds.cast import slots_of
from bench.worlds.generate import DAY_COUNT, LAST_DAY, generate
from bench.worlds.sample import SampleHome

SEEDS = (0, 1, 7, 42, -3, 2**70)
HOMES = [generate(seed) for seed in SEEDS]


def test_a_seed_gives_the_same_home_in_another_interpreter_and_another_seed_another() -> None:
    code = (
        "import hashlib; from bench.worlds.generate import generate;"
        "print(hashlib.sha256(repr(generate(42)).encode()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONPATH": "scripts:.", "PYTHONHASHSEED": hash_seed, "TZ": zone},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for hash_seed, zone in (("0", "UTC"), ("77", "Asia/Tokyo"))
    }
    assert len(digests) == 1
    assert len({home.files[0].content for home in HOMES}) == len(SEEDS)


@pytest.mark.parametrize("home", HOMES, ids=SEEDS)
def test_sixty_days_of_lifelike_size_end_on_the_fixed_day_and_some_are_missing(home: SampleHome) -> None:
    assert (home.first_day, home.last_day) == (LAST_DAY - timedelta(days=DAY_COUNT - 1), LAST_DAY)
    sizes: Counter[object] = Counter()
    for file in home.files:
        assert not slots_of(file.content.decode())
        if file.day is not None:
            assert home.first_day <= file.day <= home.last_day
            sizes[file.day] += file.content.count(b"\n")
    assert 4 <= DAY_COUNT - len(sizes) <= 8
    assert all(3 <= size <= 100 for size in sizes.values())


@pytest.mark.parametrize("home", HOMES, ids=SEEDS)
def test_outcomes_are_in_order_of_their_days_and_name_their_file(home: SampleHome) -> None:
    days = [outcome.day for outcome in home.outcomes]
    assert days == sorted(days)
    paths = {file.path for file in home.files}
    assert all(outcome.record["source_file"].split("#")[0] in paths for outcome in home.outcomes)
