from collections.abc import Iterable
from datetime import date, timedelta

import pytest
from msgspec.structs import replace
from tests.jobs.nights import DAY, LESSON, Nights, log_of

from nightledger.domain.daylog import DayLog, Statement
from nightledger.domain.proposal import Op
from nightledger.gate.stored import Stored
from nightledger.jobs.consolidate.statements import (
    ALIGNMENT_SHARE,
    Reader,
    Target,
    choose_revisions,
    contradicted,
    make_reader,
    marker_of,
    rank_of,
    revisions_in,
)
from nightledger.text.markdown.document import parse_markdown
from nightledger.text.markdown.entries import find_entries
from nightledger.text.statements.daylog import read_daylog
from nightledger.text.statements.statements import find_statements

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


def test_what_is_about_how_the_agent_works_ranks_a_little_higher(statement: Statement) -> None:
    own, other = (
        rank_of(replace(statement, score=0.5, text=text))
        for text in ("I must never push to main.", "The relay listens on port 9443.")
    )
    assert 0.5 <= other < own <= 0.5 + 0.5 * ALIGNMENT_SHARE


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Backups of the ledger are kept for 90 days.", 3),
        (WINE, 7),
        ("Backups of the ledger are kept for 30 days.", 0),
        ("The relay listens on port 9443.", 0),
    ],
)
def test_one_line_that_says_otherwise_takes_the_place_of_an_entry(
    statement: Statement, text: str, line: int
) -> None:
    clash = contradicted(replace(statement, text=text), reader_of())
    assert (clash.entry.first_line if clash and clash.entry else 0) == line
    assert clash is None or (clash.flag.rule, clash.flag.message.endswith("keep one of them")) == (
        "contradiction",
        True,
    )


def test_of_several_lines_none_takes_a_place_but_the_operator_is_told(statement: Statement) -> None:
    several = replace(
        statement, text="Ledger:\n  - Backups of the ledger are kept for 90 days.\n  - And more."
    )
    clash = contradicted(several, reader_of())
    assert clash is not None
    assert clash.entry is None
    assert clash.flag.message.startswith("may contradict MEMORY.md:3: ")


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


def test_an_entry_keeps_its_list_marker() -> None:
    document = parse_markdown("1. one\n\n* two\n\nthree\n")
    assert [marker_of(entry) for entry in find_entries(document)] == ["1. ", "* ", ""]


def test_a_contradiction_is_offered_as_a_replacement_of_the_entry(nights: Nights) -> None:
    old = "- Lesson learned: `rsync` without `--checksum` misses edits within 1 second; always pass it to backups."
    nights.desk.memory.write_text(f"# M\n\n## Lessons\n\n{old}\n")
    nights.write("2026-03-01.md", log_of(LESSON.replace("one second", "2 seconds")))
    done = nights.night()
    assert done.proposal is not None
    (change,) = done.proposal.changes
    assert (change.op, change.before) == (Op.REPLACE, f"{old}\n")
    assert "contradiction" in [flag.rule for flag in change.flags]


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


def test_what_was_proposed_on_a_day_is_as_young_as_the_log_it_came_from(nights: Nights) -> None:
    nights.desk.memory.write_text("# M\n\n## Rules\n\n- Deliveries of wine go to the back door\n")
    nights.write(
        "2026-03-01.md", log_of("Deliveries of wine go to Ida from now on, no longer to the back door.")
    )
    proposal = nights.night().proposal
    assert proposal is not None
    document = parse_markdown(f"# M\n\n{proposal.changes[0].after}")
    stored = [Stored(proposal=proposal, sha256="0" * 64)]
    uncited = replace(proposal, changes=(replace(proposal.changes[0], evidence=()),))
    misnamed = replace(proposal.changes[0].evidence[0], path="memory/2026-13-41.md")
    odd = replace(proposal, changes=(replace(proposal.changes[0], evidence=(misnamed,)),))
    ahead = replace(misnamed, path="memory/9999-12-31.md")
    late = replace(proposal, changes=(replace(proposal.changes[0], evidence=(ahead,)),))
    for given, day in (
        ([Stored(proposal=late, sha256="0" * 64)], proposal.created_at.date()),
        (stored, date(2026, 3, 1)),
        ([Stored(proposal=uncited, sha256="0" * 64)], proposal.created_at.date()),
        ([Stored(proposal=odd, sha256="0" * 64)], proposal.created_at.date()),
        ([], date(2026, 1, 1)),
    ):
        reader = make_reader(document, given, Target(path="MEMORY.md", adopted=date(2026, 1, 1)))
        assert list(reader.days.values()) == [day]
