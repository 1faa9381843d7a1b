from collections.abc import Iterable
from datetime import date, timedelta

import pytest
from msgspec.structs import replace
from tests.jobs.nights import DAY, LESSON, Nights, log_of
from tests.rows import from_corpus

from nightledger.domain.consolidation import DayLog, Statement
from nightledger.domain.proposal import Op
from nightledger.gate.stored import Stored
from nightledger.jobs.consolidate import reading
from nightledger.text.markdown.document import parse_markdown
from nightledger.text.statements.daylog import read_daylog
from nightledger.text.statements.statements import find_statements

MEMORY = parse_markdown(
    "# M\n\n- Backups of the ledger are kept for 30 days.\n- two\n  lines\n\nWine goes to the back door.\n"
)
WINE = "Wine goes to Ida next door now, not to the back door."


@pytest.fixture
def statement() -> Statement:
    return find_statements(read_daylog("memory/2026-03-01.md", log_of(LESSON), DAY)).statements[0]


def reader_of(*, adopted: date = DAY, stored: Iterable[Stored] = ()) -> reading.Reader:
    return reading.make_reader(MEMORY, stored, reading.Target(path="MEMORY.md", adopted=adopted))


def log(text: str, day: date = DAY) -> DayLog:
    return read_daylog(f"memory/{day}.md", log_of(text), day)


@from_corpus("jobs-consolidate_prose")
def test_one_line_that_says_otherwise_takes_the_place_of_an_entry(
    statement: Statement, text: str, line: int
) -> None:
    clash = reading.contradicted(replace(statement, text=text), reader_of())
    assert (clash.entry.first_line if clash and clash.entry else 0) == line
    assert clash is None or (clash.flag.rule, clash.flag.message.endswith("keep one of them")) == (
        "contradiction",
        True,
    )


def test_what_may_be_younger_than_the_log_keeps_its_place(statement: Statement) -> None:
    reader = reader_of(adopted=DAY + timedelta(days=1))
    clash = reading.contradicted(replace(statement, text=WINE), reader)
    assert clash is not None
    assert clash.entry is None
    assert clash.flag.message.startswith("may contradict MEMORY.md:7, which may be younger: ")
    assert reading.revisions_in(log(WINE), reader) == ()


def test_for_each_entry_the_last_log_has_the_last_word() -> None:
    later = "Wine goes to Bo across the road now, not to the back door."
    logs = [
        log(later, DAY + timedelta(days=2)),
        log(WINE, DAY + timedelta(days=1)),
        log("Nothing came of it all."),
    ]
    found = [one for each in logs for one in reading.revisions_in(each, reader_of())]
    (chosen,) = reading.choose_revisions(found, (), 5)
    assert chosen.said == later
    assert reading.choose_revisions(found, {chosen.statement.key}, 5) == ()
    assert reading.choose_revisions(found, (), 0) == ()


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
