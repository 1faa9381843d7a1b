import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.homes import make_home
from tests.linking import BERLIN, fold_plainly, lines, outcome
from tests.whole import examples

from nightledger.domain.confidence import SHOWN_FROM, decayed
from nightledger.domain.errors import LinkIndexError
from nightledger.files import link_build
from nightledger.files.home import Home
from nightledger.files.link_index import LinkIndex, Stored, dump_current, open_index, parse_current
from nightledger.jobs import link as job
from nightledger.jobs.link import Options, link

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
TAGS = ("cron", "disk", "mail", "time_zone")


def index_of(home: Home, *stretches: list[dict[str, Any]]) -> LinkIndex:
    Path(home.outcomes).write_bytes(b"")
    for stretch in stretches:
        with Path(home.outcomes).open("ab") as stream:
            stream.write(lines(stretch))
        link(home, BERLIN, Options(view=False))
    index = open_index(home.link_index_dir)
    assert index is not None
    return index


def keys(found: Any) -> list[str]:
    return [item.link.key for item in found[0]]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return make_home(tmp_path / "home")


def worked(name: str, tags: list[str], times: int, day: int = 1) -> list[dict[str, Any]]:
    return [
        outcome(
            (name, n), tags, resolution=name, session=f"{name}{n}", timestamp=f"2026-01-{day:02}T12:00:00Z"
        )
        for n in range(times)
    ]


def test_one_tag_gives_its_links_from_the_threshold_up_the_surest_first(home: Home) -> None:
    index = index_of(
        home,
        worked("a", ["cron", "disk"], 3),
        worked("b", ["cron", "mail"], 5),
        worked("c", ["cron", "zfs"], 2),
    )
    found = index.recall(["cron"], 10)
    assert keys(found) == ["cron + mail", "cron + disk"]
    assert [item.confidence for item in found[0]] == [0.9797, 0.85]
    assert found[1] == 0


def test_several_tags_give_the_links_between_them(home: Home) -> None:
    index = index_of(home, worked("a", ["cron", "disk", "mail"], 3), worked("b", ["cron", "zfs"], 3))
    assert keys(index.recall(["cron", "disk", "zfs"], 10)) == ["cron + disk", "cron + zfs"]
    assert keys(index.recall(["disk", "zfs"], 10)) == []


def test_what_has_no_room_is_counted(home: Home) -> None:
    index = index_of(home, worked("a", ["cron", "disk", "mail", "zfs"], 3))
    found = index.recall(["cron"], 2)
    assert (keys(found), found[1]) == (["cron + disk", "cron + mail"], 1)


def test_confidence_fades_by_the_days_on_which_anything_was_recorded(home: Home) -> None:
    days = [
        outcome(n, ["zfs"], timestamp=f"2026-{m:02}-{d:02}T12:00:00Z")
        for n, (m, d) in enumerate((m, d) for m in (3, 4) for d in range(1, 14))
    ]
    index = index_of(home, worked("a", ["cron", "disk"], 3), days[:25])
    item = index.recall(["cron"], 9)[0][0]
    assert (item.idle_days, item.confidence, item.link.confidence(item.link.best)) == (25, 0.7011, 0.85)
    index = index_of(home, worked("a", ["cron", "disk"], 3), days)
    assert keys(index.recall(["cron"], 9)) == []


def test_an_empty_index_and_unknown_tags_give_nothing(home: Home) -> None:
    assert open_index(os.path.join(home.work_dir, "none")) is None
    link(home, BERLIN)
    index = open_index(home.link_index_dir)
    assert index is not None
    assert index.recall(["cron"], 5) == ([], 0)
    assert index.top_links(5) == ([], 0)
    assert index.link("a", "b") is None


records = st.builds(
    outcome,
    st.integers(0, 99),
    st.lists(st.sampled_from(TAGS), min_size=2, max_size=4),
    outcome=st.sampled_from(["success", "success", "success", "failure"]),
    resolution=st.sampled_from(["a", "b"]),
    session=st.sampled_from([None, "x", "y"]),
    timestamp=st.builds("2026-01-{:02}T12:00:00Z".format, st.integers(1, 28)),
)


@given(
    stretches=st.lists(st.lists(records, max_size=12), min_size=1, max_size=4),
    tags=st.lists(st.sampled_from(TAGS), min_size=1, max_size=3, unique=True),
    folded=st.sampled_from([1, 10, 10_000]),
)
@examples(80)
def test_recall_shows_what_the_plain_fold_says(
    tmp_path: Path, stretches: list[list[dict[str, Any]]], tags: list[str], folded: int
) -> None:
    home = make_home(tmp_path / "home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        patch.setattr(job, "FOLD_FROM", folded)
        patch.setattr(job, "GROWTH", 0)
        patch.setattr(link_build, "FOLD_FROM", folded)
        Path(home.link_index_dir).mkdir(parents=True, exist_ok=True)
        index = index_of(home, *stretches)
    known = [record for stretch in stretches for record in stretch]
    first = {record["id"]: record for record in reversed(known)}
    days = sorted({record["timestamp"][:10] for record in first.values()})
    expected = {}
    for key, found in fold_plainly(known).items():
        pair = key.split(" + ")
        asked = set(pair) <= set(tags) if len(tags) > 1 else tags[0] in pair
        idle = sum(day > found["last_active"] for day in days)
        now = decayed(found["confidence"], idle)
        if asked and now >= SHOWN_FROM:
            expected[key] = (
                now,
                found["resolution_pattern"],
                found["source_outcomes"],
                found["co_occurrences"],
            )
    shown, more = index.recall(tags, 99)
    assert more == 0
    assert {
        item.link.key: (
            item.confidence,
            item.link.best.resolution,
            list(item.link.best.sources),
            item.link.co_occurrences,
        )
        for item in shown
    } == expected
    assert [item.confidence for item in shown] == sorted((now for now, *_ in expected.values()), reverse=True)


def test_the_list_of_segments_comes_back() -> None:
    stored = [Stored("3c0-00ff00ff.links", 960, 0xFF00FF), Stored("x.links", 0, 0)]
    found = parse_current(dump_current(stored), "here")
    assert [(item.name, item.size_bytes, item.crc32) for item in found] == [
        ("3c0-00ff00ff.links", 960, 0xFF00FF),
        ("x.links", 0, 0),
    ]


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"nightledger-links 2\n",
        b"nightledger-links 1\na.links 1 ff",
        b"nightledger-links 1\na.links 1\n",
        b"nightledger-links 1\n../a.links 1 ff\n",
        b"nightledger-links 1\na.exe 1 ff\n",
        b"nightledger-links 1\na.links -1 ff\n",
        b"nightledger-links 1\na.links one ff\n",
        b"\xff\xfe",
    ],
)
def test_a_damaged_list_names_the_way_out(raw: bytes) -> None:
    with pytest.raises(LinkIndexError, match="is damaged, or of another version") as caught:
        parse_current(raw, "here")
    assert caught.value.hint == "make it again: nightledger link --rebuild"


def test_a_segment_of_another_size_is_damage(home: Home) -> None:
    index_of(home, worked("a", ["cron", "disk"], 3))
    path = next(Path(home.link_index_dir).glob("*.links"))
    path.write_bytes(path.read_bytes() + b"12345678")
    with pytest.raises(LinkIndexError, match="is damaged"):
        open_index(home.link_index_dir)


def test_recalling_loads_nothing_but_what_it_needs(home: Home) -> None:
    index_of(home, worked("a", ["cron", "disk"], 3))
    program = (
        "import sys; before = set(sys.modules); from nightledger.files.link_index import open_index;"
        f"print(open_index({home.link_index_dir!r}).recall(['cron'], 5)[0][0].link.key);"
        "print(*sorted({name.split('.')[0] for name in set(sys.modules) - before}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(SCRIPTS), "PATH": ""},
        capture_output=True,
        check=True,
        text=True,
    )
    key, loaded = done.stdout.splitlines()
    assert key == "cron + disk"
    assert set(loaded.split()) <= {"_bisect", "bisect", "itertools", "math", "mmap", "nightledger"}


@pytest.mark.parametrize("folded", [True, False])
def test_every_link_is_given_once_with_its_confidence_of_now(
    home: Home, monkeypatch: pytest.MonkeyPatch, *, folded: bool
) -> None:
    if not folded:
        monkeypatch.setattr(link_build, "load_bulk", lambda: None)
    index = index_of(
        home,
        worked("a", ["cron", "disk"], 3),
        [*worked("a", ["cron", "disk"], 5, day=2), *worked("b", ["mail", "zfs"], 1, day=9)],
    )
    found = sorted((item.link.key, item.confidence, item.idle_days) for item in index.every())
    ((strong,), _) = index.recall(["cron", "disk"], 1)
    assert found == [("cron + disk", strong.confidence, 1), ("mail + zfs", 0.4, 0)]


def test_every_link_agrees_with_the_view(home: Home) -> None:
    stretches = [
        worked(name, tags, times)
        for name, tags, times in [
            ("a", ["cron", "disk", "mail"], 3),
            ("b", ["cron", "zfs"], 1),
            ("c", ["disk", "x"], 2),
        ]
    ]
    index = index_of(home, *stretches)
    plain = {item.link.key: item.link.co_occurrences for item in index.every()}
    assert plain == {link.key: link.co_occurrences for link in index.top_links(100)[0]}


@pytest.mark.parametrize(
    "line",
    [
        "a.links +480 00000000",
        "a.links 4_80 00000000",
        "a.links 480 0x000000",
        "a.links 480 -0000001",
        "a.links ٤ 00000000",
        "é.links 4 00000000",
    ],
)
def test_a_line_that_nobody_writes_is_damage(line: str) -> None:
    good = dump_current([Stored("a.links", 480, 1)])
    assert dump_current(parse_current(good, "it")) == good
    with pytest.raises(LinkIndexError, match="damaged"):
        parse_current(f"nightledger-links 1\n{line}\n".encode(), "it")
