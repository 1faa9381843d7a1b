import re
from datetime import timedelta

from tests.domain.outcomes import told
from tests.jobs.nights import DAY, Nights, as_line

from nightledger.jobs.consolidate.reading import read_records

GOOD = [as_line(record) for record in told("1 + a", "2 - b", "3 ~ c")]


def test_outcomes_keep_the_number_and_the_hash_of_their_lines() -> None:
    raw = b"\xef\xbb\xbf" + GOOD[0] + b"\n \t\r\n" + b"{torn\n" + GOOD[1] + GOOD[2].rstrip(b"\n")
    records, problems = read_records(raw)
    assert [(record.line, record.outcome.resolution) for record in records] == [(1, "a"), (5, "b"), (6, "c")]
    assert problems == 1
    records, problems = read_records(b"\xef\xbb\xbf\n" + GOOD[0])
    assert ([record.line for record in records], problems) == ([2], 0)


def test_lines_that_are_no_outcomes_do_not_stop_a_night(nights: Nights) -> None:
    nights.teach(1)
    with open(nights.desk.home.outcomes, "ab") as stream:
        stream.write(b'{"id": "o-1"}\n\x00\x00\x00\n{"torn": ')
    done = nights.night()
    assert (done.record.outcomes, done.record.proposed) == (4, 1)


def test_times_at_the_ends_of_the_calendar_do_not_stop_a_night(nights: Nights) -> None:
    nights.teach(1)
    for at in ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"):
        for zone in ("America/New_York", "Pacific/Kiritimati"):
            nights.desk.set(zone=zone)
            with open(nights.desk.home.outcomes, "ab") as stream:
                line = as_line(told("1 + a")[0])
                stream.write(re.sub(rb'"(received_at|timestamp)":"[^"]*"', rb'"\1":"%s"' % at.encode(), line))
            assert nights.night(DAY + timedelta(days=1), dry_run=True).record.proposed == 1


def test_a_kind_of_task_is_recent_for_fourteen_days(nights: Nights) -> None:
    nights.tell("13 - a", "14 - a", "15 + b", "16 + b", task="relay", tags="x y")
    assert nights.night(DAY + timedelta(days=1), dry_run=True).record.proposed == 0
    assert nights.night(DAY, dry_run=True).record.proposed == 1


def test_a_lesson_that_was_rejected_does_not_come_again_after_every_task(nights: Nights) -> None:
    topic = {"task": "sync", "tags": "relay vpn"}
    nights.tell("26 - retry", "27 - retry", "28 + force", "29 + force", **topic)
    proposed = []
    for n in range(14):
        done = nights.night(DAY + timedelta(days=n))
        proposed.append(done.record.proposed)
        if done.proposal:
            nights.desk.reject(done.proposal)
        nights.tell(f"28.{100 + n} + force", received_at=nights.desk.moment.at, **topic)
    assert proposed == [1, 0, 0, 0, 1, *[0] * 7, 1, 0]
