"""Each heartbeat commits to what nights read; rewritten inputs show."""

import hashlib
import json
from datetime import date
from pathlib import Path

import pytest
from tests.gate.homes import Desk

from nightledger.domain.errors import UnreadableError
from nightledger.gate.daily import close_day
from nightledger.gate.integrity.inputs import Inputs, Rewrites, Rewritten, find_rewrites
from nightledger.jobs.consolidate import Asked, consolidate

LOG = "# Friday\n\nThe relay stopped again after its upgrade.\n"
OUTCOMES = "memory/system/outcome-records.jsonl"


def night(desk: Desk, day: int) -> None:
    consolidate(desk.gate, desk.ledger(), Asked(day=date(2026, 3, day)), desk.moment)
    close_day(desk.gate, desk.ledger(), f"2026-03-0{day}", desk.moment)
    desk.wait(days=1)


def rewrites(desk: Desk) -> Rewrites:
    inputs, ledger = Inputs(), desk.ledger()
    for entry in ledger.log.entries():
        inputs.takers().get(entry[0], id)(entry)
    return find_rewrites(desk.home, inputs, ledger.book)


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


def test_the_heartbeat_holds_size_and_hash_of_every_append_only_file(lived: Desk) -> None:
    last = lived.ledger().log.events[-1]
    inputs = {item["path"]: item for item in last.fields["inputs"]}
    assert list(inputs) == [OUTCOMES, "memory/system/consolidation-log.jsonl"]
    raw = Path(lived.home.outcomes).read_bytes()
    assert inputs[OUTCOMES]["size"] == len(raw)
    assert inputs[OUTCOMES]["sha256"] == hashlib.sha256(raw).hexdigest()


def test_the_consolidation_log_lists_what_each_night_read(lived: Desk) -> None:
    first, second = map(json.loads, Path(lived.home.consolidation_log).read_bytes().splitlines())
    raw = Path(lived.home.outcomes).read_bytes()
    assert second["outcome_records"] == {
        "path": OUTCOMES,
        "sha256": hashlib.sha256(raw).hexdigest(),
        "size_bytes": len(raw),
    }
    assert first["outcome_records"]["size_bytes"] == len("not an outcome\n")
    assert [log["path"] for log in second["logs"]] == ["memory/2026-03-01.md"]


def test_other_outcomes_are_another_consolidation(desk: Desk) -> None:
    asked = Asked(day=date(2026, 3, 1), dry_run=True)
    without = consolidate(desk.gate, desk.ledger(), asked, desk.moment).record
    Path(desk.home.outcomes).write_bytes(b"not an outcome\n")
    assert without.outcome_records is None
    assert consolidate(desk.gate, desk.ledger(), asked, desk.moment).record.id != without.id


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


def test_what_was_rewritten_once_stays_visible_and_is_no_alarm_any_more(lived: Desk) -> None:
    path = Path(lived.home.outcomes)
    raw = path.read_bytes()
    path.write_bytes(b"N" + raw[1:])
    night(lived, 3)
    found = rewrites(lived)
    assert found.now == ()
    assert found.before == (Rewritten(path=OUTCOMES, day="2026-03-02", size_bytes=len(raw)),)


def test_a_daily_log_that_changed_since_it_was_read_is_named(lived: Desk) -> None:
    log = lived.root / "home" / "memory" / "2026-03-01.md"
    log.write_text(LOG.replace("stopped", "ran"))
    expected = Rewritten(path="memory/2026-03-01.md", day="2026-03-02", size_bytes=len(LOG))
    assert rewrites(lived) == Rewrites(logs=(expected,))
    log.unlink()
    assert rewrites(lived).logs == (expected,)
    log.symlink_to(lived.root / "elsewhere")
    assert rewrites(lived).logs == (expected,)


def test_a_directory_in_the_place_of_a_log_ends_no_look(lived: Desk) -> None:
    log = lived.root / "home" / "memory" / "2026-03-01.md"
    log.unlink()
    log.mkdir()
    assert len(rewrites(lived).logs) == 1


def test_heartbeats_of_earlier_versions_commit_to_nothing(desk: Desk) -> None:
    desk.record("heartbeat", day="2026-03-01", waiting=0)
    assert rewrites(desk) == Rewrites()


def test_an_append_only_file_that_is_a_link_is_an_error_and_not_followed(desk: Desk) -> None:
    Path(desk.home.runs).symlink_to("/etc/hosts")
    with pytest.raises(UnreadableError, match=r"runs\.jsonl is a link"):
        close_day(desk.gate, desk.ledger(), "2026-03-01", desk.moment)


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


def test_a_log_that_is_a_link_within_the_home_is_followed(lived: Desk) -> None:
    log = lived.root / "home" / "memory" / "2026-03-01.md"
    log.rename(lived.root / "home" / "notes.md")
    log.symlink_to("../notes.md")
    assert rewrites(lived) == Rewrites()


def test_lines_of_the_consolidation_log_that_are_none_are_passed_over(lived: Desk) -> None:
    path = Path(lived.home.consolidation_log)
    with path.open("ab") as stream:
        stream.write(b'{"v":1}\nnot JSON\n\xff\n' + b"[" * 5_000 + b"\n\n")
    (lived.root / "home" / "memory" / "2026-03-01.md").unlink()
    assert len(rewrites(lived).logs) == 1
