"""What the prompt hook asks the index; test_search_store.py asks the rest."""

from pathlib import Path

import pytest
from tests.stores import kept
from tests.surfaces.hook.indexed import ENTRIES, HELD, break_version, make_indexed

from nightledger.domain.errors import MissingFileError
from nightledger.files.home import Home
from nightledger.files.search_index import index_path
from nightledger.files.search_reader import OtherVersionError, Reader, SearchIndexError, open_reader


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return make_indexed(tmp_path / "a home? 100%#1")


@pytest.fixture
def reader(home: Home) -> Reader:
    return kept(open_reader(index_path(home)))


def test_only_what_may_be_shown_is_told_of(reader: Reader) -> None:
    may = reader.may_be_shown(["memory", "handoff"])
    texts = {line.text for line in reader.lines(sorted(may))}
    assert set(ENTRIES.values()) < texts
    assert HELD[1] not in texts
    assert reader.may_be_shown(["daily"]) == frozenset()


def test_lines_come_in_the_order_that_they_are_asked_for(reader: Reader, home: Home) -> None:
    ids = sorted(reader.may_be_shown(["memory"]), reverse=True)
    lines = reader.lines([*ids, 999_999])
    assert [line.id for line in lines] == ids
    status = Path(home.memory_md).stat()
    assert {(line.size_bytes, line.mtime_ns) for line in lines} == {(status.st_size, status.st_mtime_ns)}
    assert {(line.path, line.kind, line.heading) for line in lines} == {
        ("MEMORY.md", "memory", "Memory > Notes")
    }
    assert [line.entry for line in lines] == list(ENTRIES)[::-1]
    assert all(line.first == line.last for line in lines)


def test_tags_are_found_in_links_either_side(reader: Reader) -> None:
    assert reader.known_tags(["time_zone", "cron", "path"]) == ["cron", "time_zone"]
    assert reader.associations(["time_zone", "cron"]) == [("cron", "time_zone", "set_zone_explicitly")]
    assert reader.associations(["cron"]) == []
    assert reader.known_tags([]) == []


def test_an_index_that_is_none_or_of_another_version_is_an_error(home: Home) -> None:
    break_version(home, 99)
    with pytest.raises(OtherVersionError):
        open_reader(index_path(home))
    Path(index_path(home)).write_bytes(b"no database" * 100)
    with pytest.raises(SearchIndexError):
        open_reader(index_path(home))
    Path(index_path(home)).unlink()
    with pytest.raises(MissingFileError):
        open_reader(index_path(home))
