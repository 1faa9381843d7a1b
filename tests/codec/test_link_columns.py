from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from tests.linking import BERLIN, line, lines, outcome

from nightledger.codec.link_columns import Columns, sift
from nightledger.codec.link_rows import LinkRow, RowReader


def rows(*records: dict[str, object]) -> list[LinkRow]:
    return RowReader().read(lines(records))[0]


def test_names_are_numbered_as_they_are_first_seen() -> None:
    columns = Columns(BERLIN)
    columns.add(
        rows(outcome(1, ["disk", "zfs"]), outcome(2, ["cron", "disk"], outcome="failure", resolution="wait"))
    )
    assert columns.tags == {"disk": 0, "zfs": 1, "cron": 2}
    assert columns.tag_codes.tolist() == [0, 1, 2, 0]
    assert columns.tag_counts.tolist() == [2, 2]
    assert columns.facts.tolist() == [0 << 3 | 0 << 1, 1 << 3 | 2 << 1]
    assert len(columns) == 2


def test_a_showing_is_marked() -> None:
    columns = Columns(BERLIN)
    columns.add(rows(outcome(1), outcome(2, shown=["set_zone"]), outcome(3, shown=["wait"])))
    assert [fact & 1 for fact in columns.facts] == [0, 1, 0]


def test_sessions_and_days_without_a_session_are_apart() -> None:
    columns = Columns(BERLIN)
    day = date(2026, 2, 28).toordinal()
    columns.add(rows(outcome(1), outcome(2, session="a"), outcome(3, session=str(day)), outcome(4)))
    assert columns.session_codes.tolist() == [0, 1, 2, 0]
    assert len(set(columns.session_hashes())) == 3


def test_a_session_has_the_same_hash_in_every_run() -> None:
    one, other = Columns(BERLIN), Columns(BERLIN)
    one.add(rows(outcome(1, session="a")))
    other.add(rows(outcome(2, session="b"), outcome(3, session="a")))
    assert one.session_hashes()[0] == other.session_hashes()[1]


@pytest.mark.parametrize(
    ("zone", "at", "day"),
    [
        ("Asia/Kathmandu", "2026-02-28T18:14:59Z", "2026-02-28"),
        ("Asia/Kathmandu", "2026-02-28T18:15:00Z", "2026-03-01"),
        ("Europe/Berlin", "2026-03-28T23:00:00Z", "2026-03-29"),  # the day that has 23 hours
        ("Europe/Berlin", "2026-03-29T22:00:00Z", "2026-03-30"),
        ("America/New_York", "2026-11-02T04:59:59Z", "2026-11-01"),  # the day that has 25
        ("UTC", "2024-02-29T23:59:59.999999Z", "2024-02-29"),
    ],
)
def test_a_log_day_begins_at_midnight_in_the_zone(zone: str, at: str, day: str) -> None:
    columns = Columns(ZoneInfo(zone))
    columns.add(rows(outcome(1, timestamp=at)))
    assert date.fromordinal(columns.days[0]).isoformat() == day
    assert columns.log_day(datetime.fromisoformat(at)) == columns.days[0]


def test_a_time_with_an_offset_is_the_same_instant() -> None:
    columns = Columns(BERLIN)
    columns.add(rows(outcome(1, timestamp="2026-03-01T09:30:00+14:00")))
    assert date.fromordinal(columns.days[0]) == date(2026, 2, 28)


def test_a_bad_name_adds_nothing_of_its_chunk() -> None:
    columns = Columns(BERLIN)
    with pytest.raises(ValueError, match="stored form"):
        columns.add(rows(outcome(1), outcome(2, ["Cron", "disk"])))
    assert len(columns) == len(columns.ids) == len(columns.tag_codes) == 0


def test_sifting_keeps_the_good_rows_and_names_the_others() -> None:
    reader, columns = RowReader(), Columns(BERLIN)
    found, numbers = reader.read(
        lines([outcome(1), outcome(2, ["Cron", "disk"]), outcome(3, resolution="not one")])
        + line({**outcome(4), "timestamp": "9999-12-31T23:59:59-10:00"})
        + line({**outcome(5), "timestamp": "9999-12-31T23:59:59Z"})
    )
    kept = sift(reader, found, numbers, columns)
    assert [row.id for row in kept] == [outcome(1)["id"]]
    assert [number for number, _ in reader.bad] == [2, 3, 4, 5]
    columns.add(kept)
    assert columns.days[0] == datetime(2026, 2, 28, tzinfo=UTC).toordinal()
