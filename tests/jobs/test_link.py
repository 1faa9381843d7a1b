import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.homes import make_home
from tests.linking import BERLIN, day_of, fold_plainly, line, lines, outcome, outcome_id
from tests.whole import examples

from nightledger.codec.records import find_problems
from nightledger.domain.errors import FileChangedError, LinkIndexError
from nightledger.domain.outcome import SHOWN_FROM, decayed
from nightledger.files import link_index
from nightledger.files.home import Home
from nightledger.files.line_log import LineLog
from nightledger.files.link_index import FILE, LinkIndex, Rules, index_stamp, open_index
from nightledger.jobs.link import LinkReport, link

TAGS = ("backup", "cron", "disk", "übung", "time_zone", "日本")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return make_home(tmp_path / "home")


def write(home: Home, content: bytes) -> None:
    Path(home.outcomes).write_bytes(content)


def append(home: Home, content: bytes) -> None:
    with Path(home.outcomes).open("ab") as stream:
        stream.write(content)


def run(home: Home, *, rebuild: bool = False, **left_out: Any) -> LinkReport:
    return link(home, Rules(zone=BERLIN, **left_out), rebuild=rebuild)


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
    outcome=st.sampled_from(["success", "success", "success", "partial", "failure"]),
    resolution=st.sampled_from(["set_zone", "set_zone", "restart", "wait"]),
    session=st.sampled_from([None, "a", "b", "c"]),
    timestamp=moments,
    shown=st.sampled_from([None, ["set_zone"], ["cron + disk"], ["e-1"]]),
)
SURE = [
    outcome((day, n), (tag, "cron"), session=f"{day}-{n}", timestamp=f"2026-0{day}-02T12:00:00Z")
    for day, tag in enumerate(("backup", "disk", "time_zone"), 1)
    for n in range(3)
]
"""What is sure enough to be shown, until later days and failures speak against it."""
stretches = st.lists(st.lists(records, max_size=9), min_size=1, max_size=6).map(
    lambda some: [[*SURE, *some[0]], *some[1:]]
)


@pytest.fixture(params=[1, 5, 50_000])
def small(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """So little memory that small logs fill it; and no waiting for a disk."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setattr(link_index, "MAX_WAITING", request.param)


@pytest.mark.usefixtures("small")
@given(
    stretches=stretches,
    cuts=st.lists(st.sampled_from(["append", "append", "rotate", "cut", "torn"]), min_size=6, max_size=6),
    deleted=st.none() | st.integers(0, 12),
    tags=st.lists(st.sampled_from(TAGS), min_size=1, max_size=3, unique=True),
)
@examples(150)
def test_however_the_log_is_split_rotated_cut_and_torn_the_view_is_that_of_the_plain_fold(
    tmp_path: Path,
    stretches: list[list[dict[str, Any]]],
    cuts: list[str],
    deleted: int | None,
    tags: list[str],
) -> None:
    home = make_home(tmp_path / "home")
    forgotten: dict[tuple[str, str], int] = {}
    if deleted is not None:
        forgotten = {("cron", "disk"): deleted, ("disk", "time_zone"): 1, ("no", "such"): 5}
    known: list[dict[str, Any]] = []
    torn = b""
    write(home, b"")
    run(home, rebuild=True, forgotten=forgotten)
    for stretch, cut in zip(stretches, cuts, strict=False):
        if cut == "rotate":
            os.rename(home.outcomes, f"{home.outcomes}.1")
            known, torn = [], b""
        elif cut == "cut":
            known, torn = known[: len(known) // 2], b""
            Path(f"{home.outcomes}.new").write_bytes(lines(known))
            os.rename(f"{home.outcomes}.new", home.outcomes)
        append(home, (b"\n" if torn else b"") + lines(stretch))
        known += stretch
        torn = b'{"half' if cut == "torn" else b""
        append(home, torn)
        report, expected = run(home, forgotten=forgotten), fold_plainly(known, forgotten=forgotten)
        assert view(home) == expected
        assert (report.links, report.torn_bytes) == (len(expected), len(torn))
        assert report.outcomes == len({record["id"] for record in known})
    stepwise = Path(home.links).read_bytes()
    assert run(home, rebuild=True, forgotten=forgotten).mode == "rebuilt"
    assert Path(home.links).read_bytes() == stepwise
    assert find_problems("hebbian-links", view(home)) == ()
    check_recall(home, known, tags)


def check_recall(home: Home, known: list[dict[str, Any]], tags: list[str]) -> None:
    """Hold what is shown of the links of some tags to the plain fold, faded by the days on which anything was recorded."""
    first = {record["id"]: record for record in reversed(known)}
    days = {day_of(record, BERLIN).isoformat() for record in first.values()}
    expected = {}
    for key, one in view(home).items():
        pair = key.split(" + ")
        sure = decayed(one["confidence"], sum(day > one["last_active"] for day in days))
        if sure >= SHOWN_FROM and (set(pair) <= set(tags) if len(tags) > 1 else tags[0] in pair):
            expected[key] = (sure, one["resolution_pattern"])
    with opened(home) as index:
        found, more = index.recall(tags, 99)
        shown = {one.link.key: (one.confidence, one.link.best.resolution) for one in found}
    assert (shown, more) == (expected, 0)
    assert [one.confidence for one in found] == sorted((sure for sure, _ in shown.values()), reverse=True)


def opened(home: Home) -> LinkIndex:
    index = open_index(home.link_index_dir)
    assert index is not None
    return index


# ---------------------------------------------------------------- new bytes only


def test_a_second_run_reads_nothing_and_writes_nothing(home: Home) -> None:
    write(home, line(outcome(1)))
    assert run(home).mode == "rebuilt"
    before = {path: os.stat(path).st_mtime_ns for path in tree(home)}
    report = run(home)
    assert (report.mode, report.added, report.outcomes) == ("unchanged", 0, 1)
    assert {path: os.stat(path).st_mtime_ns for path in tree(home)} == before


def rotate(home: Home) -> None:
    content = Path(home.outcomes).read_bytes()
    os.rename(home.outcomes, f"{home.outcomes}.1")
    write(home, content)


def swapped(path: str | Path, old: bytes, new: bytes) -> None:
    """Put other bytes of the same length into a file, which stays the one it is."""
    content = Path(path).read_bytes()
    with Path(path).open("r+b") as stream:
        stream.write(content.replace(old, new, 1) if old else content[:-1] + bytes([content[-1] ^ 1]))


CHANGES: dict[str, Callable[[Home], object]] = {
    "edit": lambda home: swapped(home.outcomes, b"debug_cron", b"DEBUG_cron"),
    "cut": lambda home: os.truncate(home.outcomes, 10),
    "rotate": rotate,
    "confuse": lambda home: Path(home.cursors).write_bytes(b"\0\xff["),
    "damage": lambda home: swapped(index_file(home), b"", b""),
    "clear": lambda home: index_file(home).unlink(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_does_not_fit_is_folded_anew_and_said(home: Home, change: str) -> None:
    write(home, lines(outcome(n, session=str(n)) for n in range(4)))
    run(home)
    CHANGES[change](home)
    report = run(home)
    assert report.mode == "rebuilt"
    assert report.reason.startswith(("the index is not of this log", "there is no index yet"))
    left = Path(home.outcomes).read_bytes() if Path(home.outcomes).exists() else b""
    whole = [json.loads(text) for text in left.split(b"\n")[:-1]]
    assert view(home) == fold_plainly(whole)
    assert run(home).mode == "unchanged"


# ---------------------------------------------------------------- a damaged index


@pytest.mark.parametrize("stored", ["", "[]", "{}", '[["r", "many"]]', '[["r", 1, 0, 0, 0, 0, 1, [7]]]'])
def test_a_row_that_nobody_writes_is_damage(home: Home, stored: str) -> None:
    write(home, lines(outcome(n, session=f"s{n}") for n in range(3)))
    run(home)
    with opened(home) as index:
        index.connection.execute("UPDATE links SET tallies = ?", (stored,))
        with pytest.raises(LinkIndexError, match="cannot be used"):
            index.link("cron", "time_zone")
        with pytest.raises(LinkIndexError, match="cannot be used"):
            [*index.every()]


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


@pytest.mark.parametrize("rebuild", [True, False])
@pytest.mark.parametrize("step", ["files.link_index.fold", "jobs.link.replace_file", "codec.links.dump_view"])
def test_a_run_that_dies_anywhere_costs_a_run_and_no_outcome(
    home: Home, monkeypatch: pytest.MonkeyPatch, step: str, *, rebuild: bool
) -> None:
    write(home, lines(outcome(n, session=str(n)) for n in range(3)))
    run(home)
    append(home, line(outcome(3, session="3")))

    def die(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(f"nightledger.{step}", die)
        with pytest.raises(OSError, match="No space left"):
            run(home, rebuild=rebuild)
    run(home)
    assert view(home) == fold_plainly([outcome(n, session=str(n)) for n in range(4)])
    assert run(home).mode == "unchanged"


# ---------------------------------------------------------------- bad input


def test_bad_lines_are_named_and_the_others_count(home: Home) -> None:
    good = outcome(1)
    wrong = [{"outcome": "maybe"}, {"timestamp": "0001-01-01T00:00:00+14:00"}, {"note": "x" * (1 << 20)}]
    others = [
        b"\n",
        b"{nope\n",
        b"\0" * 40 + b"\n",
        b'{"id":"\xff"}\n',
        b"[" * 100_000 + b"\n",
        line({"v": 1}),
    ]
    bad = [*others, *(line({**good, **fields}) for fields in wrong)]
    write(home, b"\xef\xbb\xbf" + line(good) + b"".join(bad) + line(outcome(2)))
    report = run(home)
    assert report.outcomes == 2
    assert [number for number, _ in report.problems] == list(range(3, 2 + len(bad)))
    assert report.bad_lines == len(bad) - 1  # an empty line is none
    assert all(problem for _, problem in report.problems)


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
