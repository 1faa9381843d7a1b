import re
import subprocess
import sys
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest

from nightledger.demo.cast import slots_of
from nightledger.demo.generate import DAY_COUNT, LAST_DAY, OUTCOME_LOG, generate, write_home
from nightledger.demo.sample import SHOWN, Expect, Place, Planted, PlantKind, SampleHome, Told

SEEDS = (0, 1, 2, 7, 42, -3, 2**70, 123_456_789)
HOMES = [generate(seed) for seed in SEEDS]
ALWAYS = set(PlantKind) - {PlantKind.OVERTURNED}


def lines_of(home: SampleHome, path: str) -> list[str]:
    return next(file.content.decode() for file in home.files if file.path == path).split("\n")


def daily_lines(home: SampleHome) -> Counter[object]:
    count: Counter[object] = Counter()
    for file in home.files:
        if file.day is not None:
            count[file.day] += file.content.count(b"\n")
    return count


def test_a_seed_gives_the_same_home_in_another_interpreter() -> None:
    code = (
        "import hashlib; from nightledger.demo.generate import generate;"
        "print(hashlib.sha256(repr(generate(42)).encode()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONPATH": "scripts", "PYTHONHASHSEED": hash_seed, "TZ": zone},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for hash_seed, zone in (("0", "UTC"), ("77", "Asia/Tokyo"))
    }
    assert len(digests) == 1


@pytest.mark.slow
def test_a_hundred_seeds_give_a_hundred_homes() -> None:
    seen = {generate(seed).files[0].content for seed in range(100)}
    assert len(seen) == 100


@pytest.mark.parametrize("home", HOMES, ids=SEEDS)
def test_sixty_days_end_on_the_fixed_day(home: SampleHome) -> None:
    assert home.last_day == LAST_DAY
    assert home.first_day == LAST_DAY - timedelta(days=DAY_COUNT - 1)
    assert all(file.day is None or home.first_day <= file.day <= home.last_day for file in home.files)


@pytest.mark.parametrize("home", HOMES, ids=SEEDS)
def test_days_are_of_lifelike_size_and_some_are_missing(home: SampleHome) -> None:
    sizes = daily_lines(home)
    assert 4 <= DAY_COUNT - len(sizes) <= 8
    assert all(3 <= size <= 100 for size in sizes.values())
    assert sum(size <= 60 for size in sizes.values()) >= 0.9 * len(sizes)


@pytest.mark.parametrize("home", HOMES, ids=SEEDS)
def test_every_plant_stands_where_it_says(home: SampleHome) -> None:
    for planted in home.planted:
        assert planted.text in lines_of(home, planted.path)[planted.line - 1]


@pytest.mark.parametrize("home", HOMES, ids=SEEDS)
def test_no_slot_is_left_unfilled(home: SampleHome) -> None:
    assert not any(slots_of(file.content.decode()) for file in home.files)


@pytest.mark.parametrize("home", HOMES, ids=SEEDS)
def test_every_kind_is_planted(home: SampleHome) -> None:
    assert {planted.kind for planted in home.planted} >= ALWAYS
    assert len({planted.name for planted in home.planted}) == len(home.planted)


def told_in(homes: list[SampleHome]) -> list[Told]:
    return [planted.told for home in homes for planted in home.planted if planted.told is not None]


def test_two_of_three_lasting_statements_show_it_and_all_ways_occur() -> None:
    told = told_in([generate(seed) for seed in range(30)])
    assert 0.6 <= sum(way in SHOWN for way in told) / len(told) <= 0.73
    assert set(told) == set(Told)


def test_some_days_hold_several_lasting_statements_and_many_hold_none() -> None:
    for home in HOMES:
        days = Counter(planted.day for planted in home.planted if planted.told is not None)
        assert max(days.values()) >= 3
        assert len(days) <= 0.6 * DAY_COUNT


def shows(home: SampleHome, planted: Planted) -> bool:
    """Whether the line of a lasting statement looks as the plant says that it does."""
    lines = lines_of(home, planted.path)
    line = lines[planted.line - 1]
    if planted.told is Told.LABEL:
        return ":" in line.split(planted.text)[0]
    if planted.told is Told.HEADING:
        above = [line for line in lines[: planted.line - 1] if not line.startswith("- ")][-1]
        return above.startswith("#") or above.endswith(":**")
    return planted.told is not Told.CHAT or line == f"user: {planted.text}"


@pytest.mark.parametrize("home", HOMES, ids=SEEDS)
def test_a_label_stands_before_a_heading_above_and_a_chat_turn_is_the_users(home: SampleHome) -> None:
    assert all(shows(home, planted) for planted in home.planted)


@pytest.mark.parametrize("home", HOMES, ids=SEEDS)
def test_lines_that_look_like_it_outnumber_what_is_worth_keeping(home: SampleHome) -> None:
    marked = {(planted.path, planted.line) for planted in home.planted if planted.told is not None}
    looks = re.compile(
        r"decision|cause:|lesson|finding|risk:|why:|verif|fix|important|key |\[x\]|✅", re.IGNORECASE
    )
    telling = [
        (file.path, number)
        for file in home.files
        if file.day is not None
        for number, line in enumerate(file.content.decode().split("\n"), start=1)
        if looks.search(line) and (file.path, number) not in marked
    ]
    assert len(telling) >= 3 * len(marked)


@pytest.mark.parametrize("home", HOMES, ids=SEEDS)
def test_a_lesson_is_told_by_its_failures_and_its_resolution(home: SampleHome) -> None:
    for lesson in (planted for planted in home.planted if planted.kind is PlantKind.LESSON):
        records = [home.outcomes[place.line - 1].record for place in lesson.also if place.path == OUTCOME_LOG]
        outcomes = [record["outcome"] for record in records]
        assert outcomes.count("failure") >= 2
        assert outcomes == sorted(outcomes)
        assert len({record["resolution"] for record in records if record["outcome"] == "success"}) == 1


@pytest.mark.parametrize("home", HOMES, ids=SEEDS)
def test_a_wrong_diagnosis_comes_before_the_right_one(home: SampleHome) -> None:
    causes = {
        planted.name.split(".")[1]: planted for planted in home.planted if planted.kind is PlantKind.LESSON
    }
    for wrong in (planted for planted in home.planted if planted.kind is PlantKind.OVERTURNED):
        right = causes[wrong.name.split(".")[1]]
        assert (wrong.day, wrong.line) < (right.day, right.line)


@pytest.mark.parametrize("home", HOMES, ids=SEEDS)
def test_every_entry_of_memory_is_planted_or_about_to_change(home: SampleHome) -> None:
    entries = [line for line in lines_of(home, "MEMORY.md") if line.startswith(("- ", "* ", "DECISION:"))]
    places = [
        (place.path, place.line)
        for planted in home.planted
        for place in (Place(path=planted.path, line=planted.line), *planted.also)
    ]
    known = {line for path, line in places if path == "MEMORY.md"}
    changed = sum(planted.expect is Expect.REPLACE for planted in home.planted)
    assert len(entries) == len(known) + changed


@pytest.mark.parametrize("home", HOMES, ids=SEEDS)
def test_outcomes_are_in_order_of_their_days_and_name_their_file(home: SampleHome) -> None:
    days = [outcome.day for outcome in home.outcomes]
    assert days == sorted(days)
    paths = {file.path for file in home.files}
    assert all(outcome.record["source_file"].split("#")[0] in paths for outcome in home.outcomes)


def test_writing_a_home_gives_its_files_and_no_others(tmp_path: Path) -> None:
    home = HOMES[3]
    write_home(home, tmp_path)
    written = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert written == {file.path for file in home.files}
    assert (tmp_path / "MEMORY.md").read_bytes() == home.files[0].content
