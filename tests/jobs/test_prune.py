import os
from datetime import date, timedelta
from pathlib import Path

import pytest
from tests.jobs.nights import Nights
from tests.jobs.pruning import CLOSED, LOG, answer, left, read, remember, run, tally

from nightledger.domain.judge import MOST_DELETIONS
from nightledger.domain.proposal import Op
from nightledger.jobs.prune import Tally


def full(nights: Nights) -> None:
    nights.write("2026-01-05.md", LOG)
    remember(nights, CLOSED)
    nights.tell("-80 + once", tags="lamp dust")


def test_a_dry_run_writes_nothing_and_tells_the_same(nights: Nights) -> None:
    full(nights)
    before = nights.files()
    dry = run(nights, dry_run=True)
    assert nights.written_in(before) == {}
    assert dry == run(nights)


def archive(nights: Nights, **asked: bool) -> Tally:
    return tally(nights, Op.ARCHIVE, **asked)


def texts(found: Tally) -> list[str]:
    return [change.before for proposal in found.proposals for change in proposal.changes]


def test_what_cannot_be_told_is_named_and_stays(nights: Nights) -> None:
    remember(
        nights,
        "- The lamp flickers. STATUS: Done\n",
        "- The lamp hums. STATUS: Done 2025-02-30\n",
        "- The lamp glows. STATUS: Done 2031-01-01\n",
        "- STATUS: Closed 2025-01-01\n",
    )
    found = archive(nights)
    assert found.proposed == 0
    assert found.kept == {"no_date": 2, "future_date": 1, "of_section": 1}
    assert all(what.startswith("MEMORY.md:") for what in left(found))


def test_what_would_empty_the_file_is_split_and_flagged(nights: Nights) -> None:
    entries = [f"- Task {n} of the greenhouse is over. STATUS: Done 2025-10-0{n}\n" for n in range(1, 10)]
    remember(nights, *entries)
    found = archive(nights)
    assert found.proposed == 9
    assert len(found.proposals) > 3
    total = len(nights.desk.text())
    for n, proposal in enumerate(found.proposals, 1):
        assert sum(len(change.before) for change in proposal.changes) <= total / 4
        assert proposal.title.endswith(f"closed in 2025-10, part {n} of {len(found.proposals)}")
        assert {flag.rule for change in proposal.changes for flag in change.flags} == {"budget.split"}


def delete(nights: Nights, **asked: bool) -> Tally:
    return tally(nights, Op.DELETE_LINK, **asked)


def keys(found: Tally) -> list[str]:
    return [proposal.changes[0].hunk.removed for proposal in found.proposals]


def test_a_weak_link_that_was_not_seen_for_60_days_is_proposed_alone(nights: Nights) -> None:
    nights.tell("-32 + wipe", tags="lamp dust")  # 2025-12-30, 61 days before
    nights.tell("-31 + wipe", tags="lamp glass")
    found = delete(nights)
    (proposal,) = found.proposals
    assert proposal.title == "Forget the link dust + lamp"
    (change,) = proposal.changes
    assert change.reason == "both tags occurred together once, last on 2025-12-30, 61 days ago"
    assert change.before == "dust + lamp: 1 co-occurrence, last seen 2025-12-30"
    assert (found.looked, found.old) == (2, 1)


def test_ten_wait_at_a_time_the_longest_unseen_first(nights: Nights) -> None:
    for n in range(MOST_DELETIONS + 5):
        nights.tell(f"{-200 + n} + wipe", tags=f"lamp{n:02} dust{n:02}")
    first = delete(nights)
    assert (first.proposed, first.no_room) == (MOST_DELETIONS, 5)
    assert keys(first)[0] == "dust00 + lamp00"
    second = delete(nights)
    assert (second.proposed, second.waiting, second.no_room) == (0, MOST_DELETIONS, 5)
    nights.desk.reject(first.proposals[0])
    assert keys(delete(nights)) == ["dust10 + lamp10"]


def test_a_link_whose_deletion_was_rejected_may_return_with_a_later_day(nights: Nights) -> None:
    nights.tell("-80 + wipe", tags="lamp dust", session="one")
    nights.desk.reject(delete(nights).proposals[0])
    assert (delete(nights).proposed, delete(nights).no_room) == (0, 0)
    nights.tell("-70 - wipe", tags="lamp dust", session="one")
    assert keys(delete(nights)) == ["dust + lamp"]


FIRST = date(2026, 3, 1)
"""The day of every run here."""


def compress(nights: Nights, **asked: bool) -> Tally:
    return tally(nights, Op.COMPRESS, **asked)


def targets(found: Tally) -> list[str]:
    return [change.target for proposal in found.proposals for change in proposal.changes]


def log_at(days_ago: int) -> str:
    return f"{FIRST - timedelta(days=days_ago)}.md"


@pytest.mark.parametrize(("days", "goes"), [(31, True), (30, False), (0, False)])
def test_a_log_goes_when_it_is_older_than_30_days(nights: Nights, days: int, *, goes: bool) -> None:
    nights.write(log_at(days), LOG)
    found = compress(nights)
    assert (found.looked, found.old, found.proposed) == (1, int(goes), int(goes))


def test_the_logs_of_a_month_are_one_proposal_answered_line_by_line(nights: Nights) -> None:
    for day in (3, 7, 31):
        nights.write(f"2025-12-{day:02}.md", LOG + f"- {day}\n")
    nights.write("2026-01-02.md", LOG)
    found = compress(nights)
    assert [(p.period, p.title, len(p.changes)) for p in found.proposals] == [
        ("2025-12", "Compress 3 logs of 2025-12", 3),
        ("2026-01", "Compress 1 log of 2026-01", 1),
    ]
    nights.desk.approve(found.proposals[0], only=[2])
    nights.desk.wait(hours=3)
    nights.desk.apply()
    assert nights.desk.states(found.proposals[0]) == ["pending", "applied", "pending"]
    assert read(nights, "memory/2025-12-03.md").decode() == LOG + "- 3\n"


def test_logs_of_every_layout_are_found_and_two_of_a_name_have_two_copies(nights: Nights) -> None:
    nights.write("2025-12-03.md", LOG)
    nights.write("2025-12-03.md", LOG + "- other\n", directory="memory/daily")
    nights.write("2025-12-03-pump.md", LOG, directory="memory/daily")
    found = compress(nights)
    copies = {c.target: c.also[0].target for p in found.proposals for c in p.changes}
    assert copies == {
        "memory/2025-12-03.md": "memory/archive/daily/2025-12-03.md",
        "memory/daily/2025-12-03-pump.md": "memory/archive/daily/2025-12-03-pump.md",
        "memory/daily/2025-12-03.md": "memory/archive/daily/2025-12-03-2.md",
    }
    answer(nights, found)
    assert read(nights, "memory/archive/daily/2025-12-03-2.md").decode() == LOG + "- other\n"


def test_odd_files_are_named_and_left_alone(nights: Nights, tmp_path: Path) -> None:
    memory = Path(nights.desk.home.path("memory"))
    good = nights.write("2025-12-01.md", LOG)
    os.link(good, memory / "2025-12-02.md")
    (memory / "2025-12-03.md").symlink_to(good)
    (tmp_path / "outside.md").write_text(LOG)
    (memory / "2025-12-04.md").symlink_to(tmp_path / "outside.md")
    (memory / "2025-12-05.md").mkdir()
    os.mkfifo(memory / "2025-12-06.md")
    nights.write("2025-12-07.md", LOG.encode("utf-16"))
    nights.write("2025-12-08.md", LOG)
    (memory / "archive" / "daily").mkdir(parents=True)
    (memory / "archive" / "daily" / "2025-12-08.md").symlink_to(good)
    found = compress(nights)
    assert left(found) == {f"memory/2025-12-0{n}.md": "odd_file" for n in range(1, 9)}
    said = (
        "second name",
        "second name",
        "through a link",
        "through a link",
        "directory",
        "FIFO",
        "UTF-16",
        "link",
    )
    assert all(words in item.detail for words, item in zip(said, found.left, strict=True))
    assert found.proposed == 0


def test_a_log_that_a_sure_link_rests_on_stays(nights: Nights) -> None:
    for day in (10, 11, 12):
        nights.write(f"2026-01-{day}.md", LOG + f"- {day}\n")
    nights.tell("-21 + dust", "-20 + dust", tags="lamp dust", source_file="memory/2026-01-10.md#dust")
    nights.tell("-19 + dust", tags="lamp dust", source_file="daily/2026-01-12.md")
    found = compress(nights)
    assert left(found) == {"memory/2026-01-10.md": "referenced", "memory/2026-01-12.md": "referenced"}
    assert targets(found) == ["memory/2026-01-11.md"]


def test_a_month_waits_for_its_answer_before_more_of_it_is_proposed(nights: Nights) -> None:
    nights.write("2025-12-01.md", LOG)
    first = compress(nights)
    nights.write("2025-12-02.md", LOG)
    assert (compress(nights).proposed, compress(nights).waiting) == (0, 2)
    nights.desk.reject(first.proposals[0])
    assert targets(compress(nights)) == ["memory/2025-12-02.md"]


def refuse(nights: Nights, how: str) -> Tally:
    """Have a log compressed, and say no to it in one way; give what the next run does after an agent wrote to it."""
    path = nights.write("2025-12-03.md", LOG)
    found = compress(nights)
    (proposal,) = found.proposals
    if how == "rejected":
        nights.desk.reject(proposal)
    else:
        answer(nights, found)
        nights.desk.undo(proposal)
    path.write_text(path.read_text() + "- one more line\n")
    return compress(nights)


@pytest.mark.parametrize("how", ["rejected", "taken back"])
def test_a_log_that_the_operator_left_as_it_is_is_not_asked_about_again_whatever_is_written_to_it(
    nights: Nights, how: str
) -> None:
    found = refuse(nights, how)
    assert (found.proposed, left(found)) == (0, {"memory/2025-12-03.md": "refused"})


def test_a_proposal_that_was_closed_because_the_log_was_written_to_refuses_nothing(nights: Nights) -> None:
    path = nights.write("2025-12-03.md", LOG)
    assert compress(nights).proposed == 1
    path.write_text(LOG + "- one more line\n")
    found = compress(nights)
    assert (found.closed, found.proposed) == (1, 1)
