import errno
import os
from pathlib import Path

import pytest
from tests.homes import make_home
from tests.linking import BERLIN, lines, outcome

from nightledger.files import link_fold
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


def test_of_a_home_that_cannot_be_written_the_links_are_folded_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = make_home(tmp_path / "home")
    Path(home.outcomes).write_bytes(lines([outcome(1)]))
    before = sorted(tmp_path.rglob("*"))

    def refuse(path: str, **_options: bool) -> None:
        raise OSError(errno.EROFS, "Read-only file system", path)

    monkeypatch.setattr(link_fold, "make_dir", refuse)
    with folded_links(home, BERLIN, {}) as index:
        assert len(list(index.every())) == 1
        assert not Path(index.directory).is_relative_to(tmp_path / "home")
    assert sorted(tmp_path.rglob("*")) == before


def test_a_disk_that_is_full_is_no_reason_to_fold_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str, **_options: bool) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", path)

    home = make_home(tmp_path / "home")
    monkeypatch.setattr(link_fold, "make_dir", refuse)
    with pytest.raises(OSError, match="No space left"), folded_links(home, BERLIN, {}):
        pass
