import os
import shutil
from datetime import date, timedelta
from pathlib import Path

import pytest
from tests.gate.homes import MEMORY
from tests.jobs.nights import CLOCK, DAY, INJECTED, LESSON, Nights, log_of, open_nights, texts

from nightledger.codec.records import parse_record
from nightledger.domain.consolidation import Consolidation
from nightledger.domain.judge import JOB, OPERATOR
from nightledger.domain.proposal import Op
from nightledger.jobs import consolidate as consolidation


def records(nights: Nights) -> list[Consolidation]:
    raw = Path(nights.desk.home.consolidation_log).read_bytes()
    return [parse_record(Consolidation, line, where="log") for line in raw.splitlines()]


def test_a_night_proposes_what_its_logs_and_outcomes_teach_and_changes_no_memory(nights: Nights) -> None:
    path = nights.write("2026-03-01.md", log_of(LESSON))
    nights.teach(1)
    done = nights.night()
    assert done.proposal is not None
    assert (done.proposal.lane, done.proposal.period) == (JOB, "2026-03-01")
    assert done.proposal.title == "Consolidation of 2026-03-01"
    learned, stated = sorted(texts(done), key=lambda text: "rsync" in text)
    assert "mend_0" in learned
    assert "--checksum" in stated
    (record,) = records(nights)
    assert record == done.record
    assert (record.proposal, record.proposed, record.reason) == (done.proposal.id, 2, "")
    assert [(log.path, log.size_bytes) for log in record.logs] == [
        ("memory/2026-03-01.md", path.stat().st_size)
    ]
    assert (record.outcomes, record.statements) == (4, 1)
    assert nights.desk.text() == MEMORY


def test_the_same_home_and_time_give_the_same_bytes_wherever_the_home_stands(
    template: Path, tmp_path: Path
) -> None:
    written = []
    for name in ("here", "over/there"):
        shutil.copytree(template, tmp_path / name)
        nights = open_nights(tmp_path / name)
        nights.write("2026-03-01.md", log_of(LESSON, INJECTED))
        nights.write("2026-03-01-b.md", log_of(CLOCK))
        (Path(nights.desk.home.path("memory")) / "2026-03-01-c.md").mkdir()
        nights.teach(3)
        before = nights.files()
        nights.night()
        written.append(
            {
                path: content
                for path, content in nights.written_in(before).items()
                if "checkpoint" not in path and "keys/" not in path
            }
        )
    assert len(written[0]) >= 6
    assert written[0] == written[1]


def test_a_rerun_proposes_nothing_new_and_says_why(nights: Nights) -> None:
    nights.write("2026-03-01.md", log_of(LESSON, INJECTED))
    nights.teach(1)
    first = nights.night()
    events = nights.desk.events()
    again = nights.night()
    assert again.proposal is None
    assert again.record.reason == "what seemed worth keeping is remembered or was proposed before"
    assert (again.record.id, again.record.suppressed) == (first.record.id, 1)
    assert nights.desk.events() == events
    assert os.listdir(nights.desk.home.proposals_dir).count(f"{first.record.proposal}.json") == 1


def test_a_night_reads_what_its_owner_is_quoted_with_and_no_other_quotation(nights: Nights) -> None:
    Path(nights.desk.home.path("USER.md")).write_text("- **Name:** Ann\n")
    record = Path(nights.desk.home.identity_file)
    record.write_text(record.read_text().replace("generic", "openclaw"))
    nights.write("2026-03-01.md", f"## What Ann asked\n> {LESSON}\n\n## Web page\n> {CLOCK}\n")
    assert ["rsync" in text for text in texts(open_nights(nights.desk.root).night())] == [True]


def test_what_the_host_shows_its_agent_anyway_is_no_news_and_a_file_that_cannot_be_read_makes_nothing_known(
    nights: Nights,
) -> None:
    nights.write("2026-03-01.md", log_of(LESSON, CLOCK))
    Path(nights.desk.home.path("AGENTS.md")).write_text(f"# Rules\n\n- {LESSON}\n")
    assert ["clock" in text for text in texts(nights.night(dry_run=True))] == [True]
    Path(nights.desk.home.path("AGENTS.md")).unlink()
    Path(nights.desk.home.path("AGENTS.md")).mkdir()
    assert len(texts(nights.night())) == 2


def test_a_night_reads_no_log_and_no_outcome_of_a_later_day(nights: Nights) -> None:
    nights.write("2026-03-02.md", log_of(LESSON))
    nights.tell("28 - retry", "29 - retry", "30 + mend", "31 + mend", task="later", tags="a b")
    done = nights.night()
    assert done.record.logs == ()
    assert done.record.outcomes == 2
    assert not any("mend" in text or "rsync" in text for text in texts(done))
    assert any("rsync" in text for text in texts(nights.night(date(2026, 3, 2))))


def test_an_adopted_home_proposes_from_its_first_day_and_older_logs_on_request(nights: Nights) -> None:
    nights.write("2026-02-28.md", log_of(LESSON))
    nights.write("2026-02-20.md", log_of(CLOCK))
    assert nights.night().record.reason == "there is no daily log of 2026-03-01"
    mined = nights.night(since=date(2026, 2, 28))
    assert [log.path for log in mined.record.logs] == ["memory/2026-02-28.md"]
    assert len(texts(mined)) == 1
    assert mined.proposal is not None
    assert (mined.proposal.lane, mined.proposal.title) == (OPERATOR, "Logs from 2026-02-28 to 2026-03-01")
    assert len(texts(nights.night(since=date(2026, 2, 1)))) == 1


def test_a_log_competes_for_fourteen_days(nights: Nights) -> None:
    nights.write("2026-03-03.md", log_of("nothing"))
    assert len(nights.night(date(2026, 3, 16)).record.logs) == 1
    assert len(nights.night(date(2026, 3, 17)).record.logs) == 0


def test_a_lesson_that_waits_is_superseded_when_it_relapses(nights: Nights) -> None:
    nights.teach(1)
    first = nights.night()
    assert first.proposal is not None
    nights.tell("30 - mend_0", "30.2 - mend_0", "31 - mend_0", task="task_0", tags="topic_0 area_0")
    nights.night(DAY + timedelta(days=2))
    assert nights.desk.states(first.proposal) == ["superseded"]


def test_a_lesson_that_stands_is_replaced_where_it_stands_when_it_relapses(nights: Nights) -> None:
    nights.teach(1)
    first = nights.night()
    assert first.proposal is not None
    nights.desk.approve(first.proposal)
    nights.desk.wait(hours=3)
    nights.desk.apply(first.proposal)
    nights.tell("30 - mend_0", "30.2 - mend_0", "31 - mend_0", task="task_0", tags="topic_0 area_0")
    relapse = nights.night(DAY + timedelta(days=2))
    assert relapse.proposal is not None
    (change,) = relapse.proposal.changes
    assert change.op is Op.REPLACE
    assert change.before.strip() == texts(first)[0].strip()
    assert change.entry is not None


ODD = "1 candidate has no place in the file: "


@pytest.mark.parametrize(
    ("memory", "log", "reason"),
    [
        ("", None, "there is no daily log of 2026-03-01"),
        ("", "", "nothing worth keeping was found"),
        ("", log_of(INJECTED), "the scanners held 1 candidate back"),
        (f"- {LESSON}\n", log_of(LESSON), "what seemed worth keeping is remembered or was proposed before"),
        ("```\nnever closed\n", log_of(LESSON), ODD),
        ("x" * 20_000, log_of(LESSON), "1 addition would take the file over its host's cap, 20,000 "),
    ],
)
def test_a_night_without_a_proposal_says_why(
    nights: Nights, memory: str, log: str | None, reason: str
) -> None:
    nights.desk.memory.write_text(f"# MEMORY.md\n\n## Lessons\n\n{memory}")
    nights.desk.set(cap_characters={"generic": 20_000})
    if log is not None:
        nights.write("2026-03-01.md", log)
    done = nights.night()
    assert done.proposal is None
    assert done.record.reason.startswith(reason)


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + log_of(LESSON).encode(),
        log_of(LESSON).replace("\n", "\r\n").encode(),
        log_of(LESSON).encode().rstrip(b"\n"),
        log_of(LESSON, "caf").encode() + b"- caf\xe9 \xff\xfe\n",
        log_of(LESSON).encode() + b"\0" * 4000,
    ],
    ids=["BOM", "CRLF", "no final newline", "not UTF-8", "NUL-filled end"],
)
def test_an_odd_log_is_read_and_left_as_it_is(nights: Nights, content: bytes) -> None:
    path = nights.write("2026-03-01.md", content)
    done = nights.night()
    assert any("--checksum" in text for text in texts(done))
    assert not any("\0" in text or "\ufeff" in text or "\r" in text for text in texts(done))
    assert path.read_bytes() == content


def test_what_is_no_file_of_the_home_is_named_and_passed_over_and_the_rest_is_read(nights: Nights) -> None:
    memory = Path(nights.desk.home.path("memory"))
    nights.write("2026-03-01.md", log_of(LESSON))
    (memory / "2026-03-01-a.md").mkdir()
    os.mkfifo(memory / "2026-03-01-b.md")
    outside = nights.desk.root / "outside.md"
    outside.write_text(log_of(CLOCK))
    (memory / "2026-03-01-c.md").symlink_to(outside)
    (memory / "2026-03-01-d.md").symlink_to(memory / "nothing.md")
    (memory / "2026-03-01-e.md").symlink_to(memory / "2026-03-01-e.md")
    os.close(os.open(os.fsencode(memory) + b"/2026-03-01-\xe9.md", os.O_CREAT))
    done = nights.night()
    assert [log.path for log in done.record.logs] == ["memory/2026-03-01.md"]
    assert len(texts(done)) == 1
    assert list(done.record.skipped) == [
        "memory/2026-03-01-a.md is a directory, not a file to read",
        "memory/2026-03-01-b.md is a FIFO, not a file to read",
        f"memory/2026-03-01-c.md is a link to {outside}, outside the home",
        "memory/2026-03-01-d.md is missing",
        "memory/2026-03-01-e.md is a link",
        "memory/2026-03-01-\\xe9.md has a name that is not UTF-8",
    ]
    assert records(nights) == [done.record]


def test_large_logs_starve_no_small_one_and_no_night_reads_without_end(
    nights: Nights, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consolidation, "MAX_NIGHT_BYTES", 2_000)
    nights.write("2026-03-01.md", log_of(LESSON))
    for n in range(3):
        nights.write(f"2026-03-01-{n}.md", log_of(*[f"Junk {n}."] * 150))
    Path(nights.desk.home.path("memory/2026-03-01-dir.md")).mkdir()
    Path(nights.desk.home.path("memory/2026-03-01-gone.md")).symlink_to("nowhere.md")
    done = nights.night()
    assert [source.path for source in done.record.logs] == ["memory/2026-03-01.md"]
    assert len(texts(done)) == 1
    assert done.record.skipped[-1:] == (
        "memory/2026-03-01-0.md, and 2 more, left out: the daily logs of these days together are too large for one night",
    )
    assert len(nights.night(since=DAY, dry_run=True).record.logs) == 4
