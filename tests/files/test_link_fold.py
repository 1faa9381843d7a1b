import os
from pathlib import Path

from tests.homes import make_home
from tests.linking import BERLIN, lines, outcome

from nightledger.files.link_fold import folded_links


def test_all_outcomes_are_folded_aside_and_nothing_of_it_is_left(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home")
    Path(home.outcomes).write_bytes(lines([outcome(n, session=str(n)) for n in range(3)]))
    with folded_links(home, BERLIN, {}) as index:
        assert [(item.link.key, item.confidence) for item in index.every()] == [("cron + time_zone", 0.85)]
    assert not os.path.lexists(home.link_index_dir)
    assert [name for name in os.listdir(home.work_dir) if name.startswith("links-")] == []


def test_a_deleted_link_counts_from_its_deletion_on(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home")
    Path(home.outcomes).write_bytes(lines([outcome(n, session=str(n)) for n in range(3)]))
    with folded_links(home, BERLIN, {("cron", "time_zone"): 2}) as index:
        assert [item.link.co_occurrences for item in index.every()] == [1]
    with folded_links(home, BERLIN, {("cron", "time_zone"): 3}) as index:
        assert list(index.every()) == []


def test_a_home_without_outcomes_has_no_links(tmp_path: Path) -> None:
    with folded_links(make_home(tmp_path / "home"), BERLIN, {}) as index:
        assert list(index.every()) == []
