import random  # noqa: TID251 - seeded
from pathlib import Path

import pytest
from bench.calibrating import (
    THRESHOLDS,
    Answer,
    Label,
    Trial,
    null_labels,
    suggest,
    tabulate,
    try_out,
)
from tests.stores import kept
from tests.surfaces.hook.indexed import index, make_indexed

from nightledger.files.search_index import index_path
from nightledger.files.search_reader import Reader, open_reader

SENSOR = "which unit does the greenhouse sensor report for its thresholds?"


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    home = make_indexed(tmp_path / "home")
    index(home, filler=50)
    return kept(open_reader(index_path(home)))


def test_a_prompt_is_tried_as_the_hook_would(reader: Reader) -> None:
    right = Answer(path="MEMORY.md", first=4, last=4)
    trial = try_out(reader, Label(prompt=SENSOR, answers=(right,)), lines=2)
    assert trial.answerable
    assert trial.lines[0][1]
    assert trial.lines[0][0] > 6.5
    wrong = try_out(
        reader, Label(prompt=SENSOR, answers=(Answer(path="MEMORY.md", first=5, last=9),)), lines=2
    )
    assert [score for score, _ in wrong.lines] == [score for score, _ in trial.lines]
    assert not any(answers for _, answers in wrong.lines)
    assert try_out(reader, Label(prompt="xyzzy plugh"), lines=2) == Trial(lines=(), answerable=False)
    assert try_out(reader, Label(prompt="vault passphrase zanzibar"), lines=2).lines == ()


def test_a_row_counts_lines_prompts_and_alarms() -> None:
    trials = [
        Trial(lines=((9.0, True), (8.0, False)), answerable=True),
        Trial(lines=((4.0, False),), answerable=True),
        Trial(lines=(), answerable=True),
        Trial(lines=((5.0, False),), answerable=False),
        Trial(lines=(), answerable=False),
    ]
    rows = {row.threshold: row for row in tabulate(trials)}
    assert tuple(rows) == THRESHOLDS
    low, high = rows[4.0], rows[8.25]
    assert (low.shown, low.right, low.helped, low.answerable, low.alarms, low.unanswerable) == (
        3,
        1,
        1,
        3,
        1,
        2,
    )
    assert (low.precision, low.recall, low.alarm_rate) == (0.3333, 0.3333, 0.5)
    assert (high.precision, high.recall, high.alarm_rate) == (1.0, 0.3333, 0.0)
    assert rows[20.0].precision == 0


def test_the_lowest_threshold_that_is_quiet_enough_is_suggested() -> None:
    trials = [Trial(lines=((score, False),), answerable=False) for score in (2.0, 3.0, 5.1, 7.2)]
    rows = tabulate(trials)
    for alarms, threshold in ((1.0, 1.0), (0.5, 3.25), (0.25, 5.25), (0.0, 7.25)):
        row = suggest(rows, alarms)
        assert row is not None
        assert row.threshold == threshold
    assert suggest(tabulate([Trial(lines=((99.0, False),), answerable=False)]), 0.0) is None


def test_prompts_about_nothing_are_made_of_the_home_s_words_and_always_the_same(reader: Reader) -> None:
    first = list(null_labels(reader, random.Random(0), 40))  # noqa: S311 - a sample
    assert first == list(null_labels(reader, random.Random(0), 40))  # noqa: S311 - a sample
    assert all(3 <= len(label.prompt.split()) <= 16 for label in first)
    assert all(len(label.earlier) == 3 and not label.answers for label in first)
    assert "tomatoes" in {word for label in first for word in label.prompt.split()}


def test_an_empty_index_gives_no_prompts(tmp_path: Path) -> None:
    home = make_indexed(tmp_path / "home")
    Path(home.memory_md).write_text("# Memory\n")
    Path(home.handoff).write_text("")
    index(home)
    assert list(null_labels(kept(open_reader(index_path(home))), random.Random(0))) == []  # noqa: S311 - a sample
