"""What a night reads beside daily logs: outcomes and their evidence, the memory file, what was forgotten."""

import hashlib
import os
import re
from collections.abc import Iterable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.domain.outcomes import told
from tests.jobs.nights import DAY, LESSON, Nights, as_line, log_of, texts
from tests.rows import each_row, from_corpus

from nightledger.domain.daylog import DayLog, Statement
from nightledger.domain.outcome import OutcomeEvidence
from nightledger.domain.proposal import Op
from nightledger.gate.forgetting.letting_go import forget
from nightledger.gate.memory.naming import find_standing
from nightledger.gate.stored import Stored
from nightledger.jobs.consolidate.reading import (
    Reader,
    Target,
    attests,
    choose_revisions,
    contradicted,
    make_reader,
    read_records,
    revisions_in,
)
from nightledger.text.markdown.document import parse_markdown
from nightledger.text.statements.daylog import read_daylog
from nightledger.text.statements.statements import find_statements

GOOD = [as_line(record) for record in told("1 + a", "2 - b", "3 ~ c")]


def test_outcomes_keep_the_number_and_the_hash_of_their_lines() -> None:
    raw = b"\xef\xbb\xbf" + GOOD[0] + b"\n \t\r\n" + b"{torn\n" + GOOD[1] + GOOD[2].rstrip(b"\n")
    records, problems = read_records(raw)
    assert [(record.line, record.outcome.resolution) for record in records] == [(1, "a"), (5, "b"), (6, "c")]
    assert problems == 1


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


MEMORY = parse_markdown(
    "# M\n\n- Backups of the ledger are kept for 30 days.\n- two\n  lines\n\nWine goes to the back door.\n"
)
WINE = "Wine goes to Ida next door now, not to the back door."


@pytest.fixture
def statement() -> Statement:
    return find_statements(read_daylog("memory/2026-03-01.md", log_of(LESSON), DAY)).statements[0]


def reader_of(*, adopted: date = DAY, stored: Iterable[Stored] = ()) -> Reader:
    return make_reader(MEMORY, stored, Target(path="MEMORY.md", adopted=adopted))


def log(text: str, day: date = DAY) -> DayLog:
    return read_daylog(f"memory/{day}.md", log_of(text), day)


@from_corpus("jobs-consolidate_prose")
def test_one_line_that_says_otherwise_takes_the_place_of_an_entry(
    statement: Statement, text: str, line: int
) -> None:
    clash = contradicted(replace(statement, text=text), reader_of())
    assert (clash.entry.first_line if clash and clash.entry else 0) == line
    assert clash is None or (clash.flag.rule, clash.flag.message.endswith("keep one of them")) == (
        "contradiction",
        True,
    )


def test_what_may_be_younger_than_the_log_keeps_its_place(statement: Statement) -> None:
    reader = reader_of(adopted=DAY + timedelta(days=1))
    clash = contradicted(replace(statement, text=WINE), reader)
    assert clash is not None
    assert clash.entry is None
    assert clash.flag.message.startswith("may contradict MEMORY.md:7, which may be younger: ")
    assert revisions_in(log(WINE), reader) == ()


def test_for_each_entry_the_last_log_has_the_last_word() -> None:
    later = "Wine goes to Bo across the road now, not to the back door."
    logs = [
        log(later, DAY + timedelta(days=2)),
        log(WINE, DAY + timedelta(days=1)),
        log("Nothing came of it all."),
    ]
    found = [one for each in logs for one in revisions_in(each, reader_of())]
    (chosen,) = choose_revisions(found, (), 5)
    assert chosen.said == later
    assert choose_revisions(found, {chosen.statement.key}, 5) == ()
    assert choose_revisions(found, (), 0) == ()


@from_corpus("jobs-consolidate_prose")
def test_another_value_of_the_same_takes_the_place_of_the_entry_and_is_no_repeat(
    nights: Nights, old: str, new: str
) -> None:
    nights.desk.memory.write_text(f"# M\n\n## Facts\n\n- {old}\n")
    nights.write("2026-03-01.md", log_of(f"{new}."))
    done = nights.night()
    assert done.proposal is not None
    (change,) = done.proposal.changes
    assert (change.op, change.before, change.after) == (Op.REPLACE, f"- {old}\n", f"- {new}.")


def test_a_change_of_mind_replaces_the_entry_and_an_older_log_does_not_bring_it_back(nights: Nights) -> None:
    old = "* Deliveries of wine go to the back door"
    nights.desk.memory.write_text(f"# M\n\n## Rules\n\n{old}\n")
    nights.write(
        "2026-03-01.md", log_of("Deliveries of wine go to Ida from now on, no longer to the back door.")
    )
    done = nights.night()
    assert done.proposal is not None
    (change,) = done.proposal.changes
    assert (change.op, change.before) == (Op.REPLACE, f"{old}\n")
    assert change.after == "* Deliveries of wine go to Ida from now on, no longer to the back door."
    assert (done.record.statements, done.record.proposed) == (1, 1)


TEXT = b"# Log\nthe push went well\nall green\n"


def named(text: bytes = b"the push went well\nall green", **fields: Any) -> OutcomeEvidence:
    given = {"path": "memory/run.md", "lines": (2, 3), "sha256": hashlib.sha256(text).hexdigest()}
    return OutcomeEvidence(**{**given, **fields})


@pytest.mark.parametrize(("content", "flags"), [(TEXT, []), (b"# Log\n", ["unattested"])])
def test_a_lesson_is_attested_where_the_evidence_of_its_outcomes_is_there(
    nights: Nights, content: bytes, flags: list[str]
) -> None:
    nights.write("run.md", content)
    for day, said in ((26, b"the push went well"), (27, b"all green")):
        proof = named(said, lines=(day - 24, day - 24))
        nights.tell(f"{day} - retry", f"{day + 2} + mend", evidence=(proof,), tags="a b")
    done = nights.night()
    assert done.proposal is not None
    assert [flag.rule for flag in done.proposal.changes[0].flags] == flags


@pytest.fixture
def written(nights: Nights) -> Nights:
    nights.write("run.md", TEXT)
    outside = nights.desk.root / "outside.md"
    outside.write_bytes(TEXT)
    os.symlink(outside, Path(nights.desk.home.path("memory/away.md")))
    return nights


WRONG = [
    named(b"the push went well"),
    named(lines=(3, 4)),
    named(lines=(2, 10**9)),
    *(named(path=f"memory{path}") for path in ("", "/none.md", "/away.md", f"/{'x' * 400}")),
]


@each_row(
    "evidence, holds",
    [(named(), True), (named(path="memory/2026-01-05.md"), True), *((e, False) for e in WRONG)],
)
def test_other_lines_and_what_is_no_file_of_the_home_attest_nothing_and_a_full_text_in_the_archive_does(
    written: Nights,
    evidence: OutcomeEvidence,
    holds: bool,  # noqa: FBT001 - a row
) -> None:
    assert attests(written.desk.home, {"memory/2026-01-05.md": "memory/run.md"}, evidence) is holds


RETOLD = (
    "always pass `--checksum` to `rsync` in backups, because without it edits within one second are missed."
)


def says_it(text: str) -> bool:
    return "rsync" in text or "checksum" in text


def plant_and_forget(nights: Nights) -> None:
    """Learn the sentence in the first night, sign it, and have it forgotten."""
    desk = nights.desk
    nights.write(f"{DAY}.md", log_of(LESSON))
    learned = nights.night().proposal
    standing = find_standing(desk.home, desk.ledger().book).entries
    assert learned is not None
    assert not any(says_it(one.entry.text) for one in standing.values())
    desk.approve(learned)
    desk.wait(hours=3)
    desk.apply()
    standing = find_standing(desk.home, desk.ledger().book).entries
    (placed,) = [one for one in standing.values() if says_it(one.entry.text)]
    made = forget(desk.gate, desk.ledger(), placed, desk.moment, period="2026-03-02").proposal
    assert made is not None
    desk.approve(made)
    desk.wait(hours=3)
    desk.apply()
    assert not says_it(desk.text())


def test_a_home_that_never_knew_it_learns_it_and_one_that_forgot_it_what_stands_beside(
    nights: Nights,
) -> None:
    beside = "**Lesson learned:** the relay hangs after a full disk; always restart its unit first."
    plant_and_forget(nights)  # it was learned in the first night
    day = DAY + timedelta(days=1)
    nights.write(f"{day}.md", f"# Notes\n\n## Backups\n- **Lesson learned:** {RETOLD}\n- {beside}\n")
    (learned,) = texts(nights.night(day))
    assert "restart its unit" in learned
    assert not says_it(learned)
