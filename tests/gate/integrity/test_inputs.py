"""Each heartbeat commits to what nights read; rewritten inputs show."""

from datetime import date
from pathlib import Path

import pytest
from tests.gate.homes import Desk

from nightledger.gate.daily import Rewrites, Rewritten, close_day, find_rewrites
from nightledger.jobs.consolidate import Asked, consolidate

LOG = "# Friday\n\nThe relay stopped again after its upgrade.\n"
OUTCOMES = "memory/system/outcome-records.jsonl"


def night(desk: Desk, day: int) -> None:
    consolidate(desk.gate, desk.ledger(), Asked(day=date(2026, 3, day)), desk.moment)
    close_day(desk.gate, desk.ledger(), f"2026-03-0{day}", desk.moment)
    desk.wait(days=1)


def rewrites(desk: Desk) -> Rewrites:
    return find_rewrites(desk.home, desk.ledger())


@pytest.fixture
def lived(desk: Desk) -> Desk:
    """Give a home after two nights, with outcomes and a daily log."""
    (desk.root / "home" / "memory" / "2026-03-01.md").write_text(LOG)
    outcomes = Path(desk.home.outcomes)
    outcomes.write_bytes(b"not an outcome\n")
    night(desk, 1)
    with outcomes.open("ab") as stream:
        stream.write(b"nor this\n")
    night(desk, 2)
    return desk


def test_files_that_only_grew_are_as_they_were_read(lived: Desk) -> None:
    for path in (lived.home.outcomes, lived.home.consolidation_log):
        with Path(path).open("ab") as stream:
            stream.write(b"more\n")
    with (lived.root / "home" / "memory" / "2026-03-01.md").open("a") as stream:
        stream.write("One more thought.\n")
    assert rewrites(lived) == Rewrites()


@pytest.mark.parametrize("change", ["edited", "cut", "removed", "a link"])
def test_a_rewritten_file_is_named_with_the_night_that_read_it(lived: Desk, change: str) -> None:
    path = Path(lived.home.outcomes)
    raw = path.read_bytes()
    path.unlink()
    if change == "edited":
        path.write_bytes(raw.replace(b"nor", b"not"))
    elif change == "cut":
        path.write_bytes(raw[:-1])
    elif change == "a link":
        path.symlink_to("/etc/hosts")
    assert rewrites(lived).now == (Rewritten(path=OUTCOMES, day="2026-03-02", size_bytes=len(raw)),)


def test_a_directory_in_the_place_of_a_log_ends_no_look(lived: Desk) -> None:
    log = lived.root / "home" / "memory" / "2026-03-01.md"
    log.unlink()
    log.mkdir()
    assert len(rewrites(lived).logs) == 1


def test_heartbeats_of_earlier_versions_commit_to_nothing(desk: Desk) -> None:
    desk.record("heartbeat", day="2026-03-01", waiting=0)
    assert rewrites(desk) == Rewrites()


@pytest.mark.parametrize("leads_out", [True, False])
def test_a_folder_that_became_a_link_is_followed_only_within_the_home(lived: Desk, leads_out: bool) -> None:  # noqa: FBT001 - a case
    memory = lived.root / "home" / "memory"
    nights = Path(lived.home.consolidation_log)
    nights.write_bytes(nights.read_bytes().replace(b"memory/2026", b"memory/daily/2026"))
    real = lived.root / "outside" if leads_out else lived.root / "home" / "notes"
    real.mkdir()
    (memory / "2026-03-01.md").rename(real / "2026-03-01.md")
    (memory / "daily").symlink_to(real)
    assert len(rewrites(lived).logs) == leads_out
