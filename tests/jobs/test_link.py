import json
import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.homes import make_home
from tests.linking import BERLIN, fold_plainly, line, lines, outcome, outcome_id
from tests.whole import examples

from nightledger.codec.schema import find_problems
from nightledger.domain.errors import (
    EXIT_LOCKED,
    ConfigurationError,
    FileChangedError,
    LockedError,
    UnreadableError,
)
from nightledger.files import link_index
from nightledger.files.home import Home
from nightledger.files.line_log import LineLog
from nightledger.files.link_index import FILE, index_stamp, open_index
from nightledger.files.lock import Lock
from nightledger.jobs import link as job
from nightledger.jobs.link import LinkReport, Options, link

TAGS = ("backup", "cron", "disk", "übung", "time_zone", "日本")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return make_home(tmp_path / "home")


def write(home: Home, content: bytes) -> None:
    Path(home.outcomes).write_bytes(content)


def append(home: Home, content: bytes) -> None:
    with Path(home.outcomes).open("ab") as stream:
        stream.write(content)


def run(home: Home, **how: Any) -> LinkReport:
    return link(home, BERLIN, Options(**how))


def view(home: Home) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(home.links).read_bytes())
    return found


def tree(home: Home) -> dict[str, bytes]:
    files = (path for path in Path(home.root).rglob("*") if path.is_file() and "locks" not in path.parts)
    return {str(path): path.read_bytes() for path in files}


def index_file(home: Home) -> Path:
    return Path(home.link_index_dir, FILE)


# ---------------------------------------------------------------- what a link is


def test_three_successes_in_three_sessions_are_the_published_example(home: Home) -> None:
    write(home, lines(outcome(n, session=f"s{n}") for n in range(3)))
    run(home)
    assert view(home) == {
        "cron + time_zone": {
            "co_occurrences": 3,
            "confidence": 0.85,
            "failures": 0,
            "last_active": "2026-02-28",
            "partials": 0,
            "resolution_pattern": "set_zone",
            "resolutions": 1,
            "rivals": [],
            "shown_failures": 0,
            "shown_successes": 0,
            "source_outcomes": [outcome_id(2), outcome_id(1), outcome_id(0)],
            "successes": 3,
            "v": 1,
        }
    }


def test_two_tags_of_one_session_but_of_no_common_outcome_are_no_link(home: Home) -> None:
    write(home, lines([outcome(1, ["cron"], session="s"), outcome(2, ["disk"], session="s")]))
    assert run(home).links == 0
    assert Path(home.links).read_bytes() == b"{}\n"


def test_without_a_session_the_day_in_the_homes_zone_counts(home: Home) -> None:
    late = ("2026-02-27T22:59:59Z", "2026-02-27T23:00:00Z", "2026-02-28T22:59:59Z")  # 23:00Z begins a day
    write(home, lines(outcome(at, timestamp=at) for at in late))
    run(home)
    assert view(home)["cron + time_zone"]["co_occurrences"] == 2
    assert view(home)["cron + time_zone"]["last_active"] == "2026-02-28"


def test_a_late_outcome_counts_and_moves_no_day_back(home: Home) -> None:
    write(home, line(outcome(1, timestamp="2026-03-05T12:00:00Z")))
    run(home)
    append(home, line(outcome(2, timestamp="2026-01-05T12:00:00Z")))
    run(home)
    found = view(home)["cron + time_zone"]
    assert (found["last_active"], found["co_occurrences"]) == ("2026-03-05", 2)
    assert found["source_outcomes"] == [outcome_id(2), outcome_id(1)]  # newest recorded first


def test_what_we_had_shown_confirms_once_and_fails_as_often_as_it_fails(home: Home) -> None:
    own = [outcome(n, session=str(n)) for n in range(2)]
    shown = [outcome(n, session=str(n), shown=["set_zone"]) for n in range(2, 9)]
    failed = [outcome(n, session=str(n), shown=["cron + time_zone"], outcome="failure") for n in (10, 11, 12)]
    write(home, lines(own + shown))
    run(home)
    assert view(home)["cron + time_zone"]["confidence"] == 0.85
    append(home, lines(failed))
    run(home)
    found = view(home)["cron + time_zone"]
    assert (found["successes"], found["shown_successes"], found["shown_failures"]) == (9, 7, 3)
    assert found["confidence"] == 0.85  # 7 - 2 * 3 is still one
    append(home, line(outcome(13, shown=["set_zone"], outcome="failure")))
    run(home)
    assert view(home)["cron + time_zone"]["confidence"] == 0.4


def test_a_deleted_link_is_started_anew_by_later_outcomes(home: Home) -> None:
    pair = ("cron", "time_zone")
    write(home, lines(outcome(n, ["cron", "disk", "time_zone"], session=f"s{n}") for n in range(4)))
    run(home)
    forgotten = {pair: run(home).outcomes}
    report = run(home, forgotten=forgotten)
    assert report.reason == "other links were deleted, or texts expunged"
    assert set(view(home)) == {"cron + disk", "disk + time_zone"}
    append(home, lines([outcome(5, session="s3"), outcome(6, ["cron"])]))  # a session that it had before
    assert run(home, forgotten=forgotten).mode == "updated"
    assert view(home)["cron + time_zone"]["co_occurrences"] == 1
    assert view(home)["cron + disk"]["co_occurrences"] == 4


# ---------------------------------------------------------------- incremental is rebuild is the plain fold

moments = st.builds(
    "2026-{:02}-{:02}T{:02}:{:02}:00Z".format,
    st.integers(1, 3),
    st.integers(1, 28),
    st.integers(0, 23),
    st.sampled_from([0, 15, 30, 59]),
)
records = st.builds(
    outcome,
    st.integers(0, 60),
    st.lists(st.sampled_from(TAGS), min_size=1, max_size=4),
    outcome=st.sampled_from(["success", "success", "partial", "failure"]),
    resolution=st.sampled_from(["set_zone", "restart", "wait"]),
    session=st.sampled_from([None, "a", "b", "c"]),
    timestamp=moments,
    shown=st.sampled_from([None, ["set_zone"], ["cron + disk"], ["e-1"]]),
)
stretches = st.lists(st.lists(records, max_size=9), min_size=1, max_size=6)


@pytest.fixture(params=[1, 5, 50_000])
def small(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """So little memory that small logs fill it; and no waiting for a disk."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setattr(link_index, "MAX_WAITING", request.param)


@pytest.mark.usefixtures("small")
@given(stretches=stretches)
@examples(60)
def test_however_the_log_is_split_the_view_is_that_of_the_plain_fold(
    tmp_path: Path, stretches: list[list[dict[str, Any]]]
) -> None:
    home = make_home(tmp_path / "home")
    write(home, b"")
    run(home, rebuild=True)
    known: list[dict[str, Any]] = []
    for stretch in stretches:
        append(home, lines(stretch))
        known += stretch
        report = run(home)
        expected = fold_plainly(known)
        assert view(home) == expected
        assert (report.links, report.outcomes) == (len(expected), len({record["id"] for record in known}))
    stepwise = Path(home.links).read_bytes()
    assert run(home, rebuild=True).mode == "rebuilt"
    assert Path(home.links).read_bytes() == stepwise
    assert find_problems("hebbian-links", view(home)) == ()


@pytest.mark.usefixtures("small")
@given(stretches=stretches, deleted=st.integers(0, 12))
@examples(30)
def test_deleted_links_too_are_folded_the_same_however_the_log_is_split(
    tmp_path: Path, stretches: list[list[dict[str, Any]]], deleted: int
) -> None:
    home = make_home(tmp_path / "home")
    forgotten = {("cron", "disk"): deleted, ("disk", "time_zone"): 1, ("no", "such"): 5}
    write(home, b"")
    known: list[dict[str, Any]] = []
    for stretch in stretches:
        append(home, lines(stretch))
        known += stretch
        run(home, forgotten=forgotten)
    assert view(home) == fold_plainly(known, forgotten=forgotten)


@pytest.mark.usefixtures("small")
@given(
    stretches=stretches,
    cuts=st.lists(st.sampled_from(["append", "rotate", "cut", "replace", "torn"]), min_size=6, max_size=6),
)
@examples(60)
def test_rotated_cut_replaced_and_torn_logs_end_in_the_view_of_what_stands_there(
    tmp_path: Path, stretches: list[list[dict[str, Any]]], cuts: list[str]
) -> None:
    home = make_home(tmp_path / "home")
    known: list[dict[str, Any]] = []
    torn = b""
    write(home, b"")
    for stretch, cut in zip(stretches, cuts, strict=False):
        if cut == "rotate":
            os.rename(home.outcomes, f"{home.outcomes}.1")
            known = []
            torn = b""
        elif cut in ("cut", "replace"):
            known = known[: len(known) // 2]
            torn = b""
            Path(f"{home.outcomes}.new").write_bytes(lines(known))
            os.rename(f"{home.outcomes}.new", home.outcomes)
        if torn:
            append(home, b"\n")
        append(home, lines(stretch))
        known += stretch
        torn = b'{"half' if cut == "torn" else b""
        append(home, torn)
        report = run(home)
        assert report.torn_bytes == len(torn)
        assert view(home) == fold_plainly(known)


# ---------------------------------------------------------------- new bytes only


def test_a_second_run_reads_nothing_and_writes_nothing(home: Home) -> None:
    write(home, line(outcome(1)))
    assert run(home).mode == "rebuilt"
    before = {path: os.stat(path).st_mtime_ns for path in tree(home)}
    report = run(home)
    assert (report.mode, report.added, report.outcomes) == ("unchanged", 0, 1)
    assert {path: os.stat(path).st_mtime_ns for path in tree(home)} == before


def test_only_new_outcomes_are_reported_as_new(home: Home) -> None:
    write(home, lines([outcome(1), outcome(2)]) + b"{}\n")
    first = run(home)
    assert (first.added, first.duplicates, first.bad_lines) == (2, 0, 1)
    append(home, lines([outcome(2), outcome(3), outcome(3)]) + b"half\n\n")
    second = run(home)
    assert (second.mode, second.added, second.duplicates, second.outcomes) == ("updated", 1, 2, 3)
    assert [number for number, _ in second.problems] == [7]


def test_the_cursor_keeps_the_entries_of_other_readers(home: Home) -> None:
    Path(home.cursors).write_text('{"other": {"offset": 12}}')
    write(home, line(outcome(1)))
    run(home)
    cursors = json.loads(Path(home.cursors).read_bytes())
    assert cursors["other"] == {"offset": 12}
    assert find_problems("cursors", cursors) == ()


def edit(home: Home) -> None:
    content = Path(home.outcomes).read_bytes().replace(b"debug_cron", b"DEBUG_cron", 1)
    with Path(home.outcomes).open("r+b") as stream:
        stream.write(content)


def cut(home: Home) -> None:
    os.truncate(home.outcomes, 10)


def rotate(home: Home) -> None:
    content = Path(home.outcomes).read_bytes()
    os.rename(home.outcomes, f"{home.outcomes}.1")
    write(home, content)


def lose(home: Home) -> None:
    os.unlink(home.outcomes)


def promise(home: Home) -> None:
    cursors = json.loads(Path(home.cursors).read_bytes())
    cursors["link"]["offset"] += 10_000
    Path(home.cursors).write_text(json.dumps(cursors))


def confuse(home: Home) -> None:
    Path(home.cursors).write_bytes(b"\0\xff[")


def outgrow(home: Home) -> None:
    Path(home.cursors).write_bytes(Path(home.cursors).read_bytes().replace(b'"v":2', b'"v":1'))


def damage(home: Home) -> None:
    content = bytearray(index_file(home).read_bytes())
    content[-1] ^= 1
    index_file(home).write_bytes(content)


def clear(home: Home) -> None:
    index_file(home).unlink()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (edit, "begins with other bytes than were read"),
        (cut, "it was cut or rotated"),
        (rotate, "is another file than the one that was read"),
        (lose, "it was cut or rotated"),
        (promise, "it was cut or rotated"),
        (confuse, "there is no cursor"),
        (outgrow, "there is no cursor"),
        (damage, "the index is not the one that the cursor belongs to"),
        (clear, "there is no index yet"),
    ],
)
def test_what_does_not_fit_is_folded_anew_and_said(home: Home, change: Any, reason: str) -> None:
    write(home, lines(outcome(n, session=str(n)) for n in range(4)))
    run(home)
    change(home)
    report = run(home)
    assert (report.mode, reason in report.reason) == ("rebuilt", True), report.reason
    left = Path(home.outcomes).read_bytes() if Path(home.outcomes).exists() else b""
    whole = [json.loads(text) for text in left.split(b"\n")[:-1]]
    assert view(home) == fold_plainly(whole)
    assert run(home).mode == "unchanged"


def test_another_zone_has_other_days(home: Home) -> None:
    write(home, line(outcome(1, timestamp="2026-02-28T20:00:00Z")))
    run(home)
    report = link(home, ZoneInfo("Asia/Tokyo"))
    assert report.reason == "the zone was Europe/Berlin and is Asia/Tokyo"
    assert view(home)["cron + time_zone"]["last_active"] == "2026-03-01"


# ---------------------------------------------------------------- a damaged index


def spoil(home: Home, content: bytes) -> None:
    """Put other bytes in the place of the index, and a cursor that takes them for its own."""
    index_file(home).write_bytes(content)
    cursors = json.loads(Path(home.cursors).read_bytes())
    cursors["link"]["index"] = index_stamp(home.link_index_dir)
    Path(home.cursors).write_text(json.dumps(cursors))


@pytest.mark.parametrize("part", [slice(0, 0), slice(0, 5), slice(0, 200), slice(0, 4096), slice(8192, None)])
def test_an_index_that_is_no_database_or_lost_a_part_is_made_anew(home: Home, part: slice) -> None:
    write(home, lines(outcome(n) for n in range(3)))
    run(home)
    spoil(home, index_file(home).read_bytes()[part])
    report = run(home)
    assert report.reason.startswith("the index is damaged: ")
    assert view(home) == fold_plainly([outcome(n) for n in range(3)])
    assert run(home).mode == "unchanged"


@pytest.mark.parametrize("suffix", ["", "-journal", "-wal"])
def test_a_fifo_in_the_place_of_the_index_or_beside_it_is_not_waited_for(home: Home, suffix: str) -> None:
    write(home, line(outcome(1)))
    run(home)
    if not suffix:
        index_file(home).unlink()
    os.mkfifo(f"{index_file(home)}{suffix}")
    assert run(home).mode == "rebuilt"
    assert run(home).mode == "unchanged"


def test_what_other_runs_left_in_the_index_is_swept_when_it_is_made_anew(home: Home) -> None:
    write(home, line(outcome(1)))
    run(home)
    left = Path(home.link_index_dir) / "current"
    left.write_bytes(b"of another version")
    run(home, rebuild=True)
    assert sorted(os.listdir(home.link_index_dir)) == [".gitignore", FILE]


def test_a_view_that_somebody_changed_is_put_right(home: Home) -> None:
    write(home, line(outcome(1)))
    run(home)
    right = Path(home.links).read_bytes()
    Path(home.links).write_bytes(b"{}")
    assert run(home).mode == "unchanged"
    assert Path(home.links).read_bytes() == right


@pytest.mark.parametrize("rebuild", [True, False])
@pytest.mark.parametrize("step", ["fold", "replace_file", "dump_view"])
def test_a_run_that_dies_anywhere_costs_a_run_and_no_outcome(
    home: Home, monkeypatch: pytest.MonkeyPatch, step: str, *, rebuild: bool
) -> None:
    write(home, lines(outcome(n, session=str(n)) for n in range(3)))
    run(home)
    append(home, line(outcome(3, session="3")))

    def die(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(job, step, die)
        with pytest.raises(OSError, match="No space left"):
            run(home, rebuild=rebuild)
    run(home)
    assert view(home) == fold_plainly([outcome(n, session=str(n)) for n in range(4)])
    assert run(home).mode == "unchanged"


def test_a_run_that_was_killed_while_it_wrote_is_taken_back_by_who_reads(home: Home) -> None:
    write(home, line(outcome(1)))
    run(home)
    program = (
        "import os, sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.execute('PRAGMA cache_size=1');"
        "db.execute('PRAGMA cache_spill=1'); db.execute('DELETE FROM links');"
        "db.executemany('INSERT INTO outcomes VALUES (?, ?, ?, 1, ?)', ((n, n, n, 'x' * 999) for n in range(9, 99)));"
        "os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", program, str(index_file(home))], check=True)
    assert os.path.exists(f"{index_file(home)}-journal")
    index = open_index(home.link_index_dir)
    assert index is not None
    with index:
        assert (index.count(), len([*index.every()])) == (1, 1)
    run(home)
    assert run(home).mode == "unchanged"


def test_a_view_that_grew_out_of_bounds_is_put_right(home: Home) -> None:
    write(home, line(outcome(1)))
    run(home)
    right = Path(home.links).read_bytes()
    with Path(home.links).open("ab") as stream:
        stream.truncate(1 << 30)
    run(home)
    assert Path(home.links).read_bytes() == right


# ---------------------------------------------------------------- how to run


def test_a_dry_run_counts_and_writes_nothing(home: Home) -> None:
    write(home, line(outcome(1)))
    run(home)
    append(home, lines([outcome(2, session="b"), outcome(1)]))
    before = tree(home)
    report = run(home, dry_run=True)
    assert (report.mode, report.added, report.duplicates, report.outcomes) == ("updated", 1, 1, 2)
    assert tree(home) == before


def test_a_first_dry_run_makes_no_index(home: Home) -> None:
    write(home, line(outcome(1)))
    before = tree(home)
    assert run(home, dry_run=True).added == 1
    assert tree(home) == before


def test_without_the_view_recall_knows_what_the_view_does_not_yet(home: Home) -> None:
    write(home, line(outcome(1)))
    run(home)
    append(home, line(outcome(2, ["disk", "mail"])))
    report = run(home, view=False)
    assert (report.links, report.in_view) == (None, None)
    assert set(view(home)) == {"cron + time_zone"}
    index = open_index(home.link_index_dir)
    assert index is not None
    with index:
        assert index.link("mail", "disk") is not None


def test_a_large_index_shows_the_links_of_most_sessions(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job, "VIEW_LINKS", 2)
    counts = {("cron", "disk"): 3, ("disk", "mail"): 1, ("cron", "mail"): 2, ("backup", "cron"): 2}
    write(
        home,
        lines(outcome((pair, n), pair, session=f"{pair}{n}") for pair, k in counts.items() for n in range(k)),
    )
    report = run(home)
    assert (report.links, report.in_view) == (4, 2)
    assert list(view(home)) == ["backup + cron", "cron + disk"]


def test_the_view_is_sorted_one_link_a_line_and_canonical(home: Home) -> None:
    write(home, lines([outcome(1, TAGS), outcome(2, ["😀", "\uff5e"])]))
    run(home)
    first, *middle, last = Path(home.links).read_bytes().decode().splitlines()
    assert (first, last) == ("{", "}")
    keys = [row[1 : row.index('":')] for row in middle]
    assert all(one.encode("utf-16-be") < other.encode("utf-16-be") for one, other in pairwise(keys))
    assert all(row.endswith(",") for row in middle[:-1])


# ---------------------------------------------------------------- bad input


def test_bad_lines_are_named_and_the_others_count(home: Home) -> None:
    good = outcome(1)
    bad = {
        "nothing": b"\n",
        "no JSON": b"{nope\n",
        "an unknown result": line({**good, "outcome": "maybe"}),
        "no zone": line({**good, "timestamp": "2026-02-28T03:05:00"}),
        "29 February": line({**good, "timestamp": "2026-02-29T03:05:00Z"}),
        "10,000 tags": line({**good, "context_tags": sorted(f"t{n}" for n in range(10_000))}),
        "an empty tag": line({**good, "context_tags": [""]}),
        "a tag of 10 kB": line({**good, "context_tags": ["x" * 10_000]}),
        "tags out of order": line({**good, "context_tags": ["time_zone", "cron"]}),
        "a tag twice": line({**good, "context_tags": ["cron", "cron"]}),
        "a tag in another spelling": line({**good, "context_tags": ["Cron", "disk"]}),
        "no resolution": line({key: value for key, value in good.items() if key != "resolution"}),
        "prose": line({**good, "resolution": "we set the zone"}),
        "another id": line({**good, "id": "o-" + "A" * 26}),
        "NUL": b"\0" * 40 + b"\n",
        "no UTF-8": b'{"id":"\xff"}\n',
        "deep": b"[" * 100_000 + b"\n",
        "year 1": line({**outcome(3), "timestamp": "0001-01-01T00:00:00+14:00"}),
        "not as it is stored": line({**good, "task_type": "two words"}),
        "long": line({**good, "note": "x" * (1 << 20)}),
    }
    write(home, b"\xef\xbb\xbf" + line(good) + b"".join(bad.values()) + line(outcome(2)))
    report = run(home)
    assert report.outcomes == 2
    assert [number for number, _ in report.problems] == list(range(3, 2 + len(bad)))
    assert report.bad_lines == len(bad) - 1  # an empty line is none
    assert all(problem for _, problem in report.problems)


def test_of_many_bad_lines_the_first_are_named_and_all_are_counted(home: Home) -> None:
    write(home, b"{}\n" * 500)
    report = run(home)
    assert (report.bad_lines, len(report.problems)) == (500, job.NAMED_LINES)


def test_no_log_is_no_links(home: Home) -> None:
    report = run(home)
    assert (report.outcomes, report.links) == (0, 0)
    assert Path(home.links).read_bytes() == b"{}\n"
    write(home, line(outcome(1)))
    assert run(home).mode == "updated"


def test_a_log_that_is_no_file_is_refused(home: Home) -> None:
    os.mkdir(home.outcomes)
    with pytest.raises(UnreadableError, match="is a directory"):
        run(home)
    os.rmdir(home.outcomes)
    os.mkfifo(home.outcomes)
    with pytest.raises(UnreadableError, match="is a FIFO"):
        run(home)
    os.unlink(home.outcomes)
    os.symlink("/etc/hostname", home.outcomes)
    with pytest.raises(UnreadableError, match="is a link"):
        run(home)


def test_a_log_that_is_replaced_while_it_is_read_changes_nothing(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(home, line(outcome(1)))
    chunks = LineLog.chunks

    def replaced(self: LineLog, start: int) -> Iterator[bytes]:
        yield from chunks(self, start)
        rotate(home)

    monkeypatch.setattr(LineLog, "chunks", replaced)
    with pytest.raises(FileChangedError, match="was replaced while it was read; nothing was written"):
        run(home)
    assert not Path(home.links).exists()
    assert not Path(home.cursors).exists()


def test_a_second_run_at_the_same_time_is_told_so(home: Home) -> None:
    write(home, line(outcome(1)))
    with Lock(home.lock_path("link")), pytest.raises(LockedError) as caught:
        run(home)
    assert caught.value.exit_status == EXIT_LOCKED


def test_a_directory_that_is_no_home_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="is not a home yet"):
        run(Home(tmp_path))
