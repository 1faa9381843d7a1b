import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.gate.homes import Desk
from tests.gate.signers import seed
from tests.jobs.nights import Nights
from tests.jobs.pruning import answer, tally
from tests.linking import lines, outcome
from tests.recall.asking import ask, hits, places, put

from nightledger.domain.proposal import Op
from nightledger.domain.search import Kind
from nightledger.files.atomic import Lock
from nightledger.files.home import shipped_config
from nightledger.files.search_index import index_path
from nightledger.recall import indexing
from nightledger.recall.indexing import Refreshed, refresh


def fresh(desk: Desk, **fields: bool) -> Refreshed:
    refreshed = refresh(desk.gate, desk.ledger(), desk.moment, **fields)
    refreshed.store.close()
    return refreshed


def settle(desk: Desk) -> None:
    """Let all files be old: written in the last seconds they are read again, because time has steps."""
    for root, _, names in os.walk(desk.home.root):
        for name in names:
            os.utime(os.path.join(root, name), (1_700_000_000, 1_700_000_000))


def test_the_first_look_makes_the_index_and_the_second_does_nothing(desk: Desk) -> None:
    put(desk, "memory/2026-02-28.md", "- The lilac was cut.\n")
    settle(desk)
    first, second = fresh(desk), fresh(desk)
    assert first.changed == 2
    assert (second.changed, second.notes) == (0, ())


def test_only_changed_files_are_read(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in range(1, 9):
        put(desk, f"memory/2026-02-0{n}.md", f"- Lilac {n}.\n")
    settle(desk)
    fresh(desk)
    put(desk, "memory/2026-02-03.md", "- Tulip.\n")
    Path(desk.home.path("memory/2026-02-04.md")).unlink()
    read: list[str] = []

    def reading(path: str, *_: object, **__: object) -> tuple[bytes, int]:
        read.append(path)
        content = Path(path).read_bytes()
        return content, len(content)

    monkeypatch.setattr("nightledger.recall.sources.read_lines", reading)
    refreshed = fresh(desk)
    assert refreshed.changed == 2
    assert read == [desk.home.path("memory/2026-02-03.md")]
    assert places(desk, "tulip") == ["memory/2026-02-03.md:1"]
    assert "memory/2026-02-04.md:1" not in places(desk, "lilac")


def test_a_change_that_leaves_size_and_time_is_seen_while_the_file_is_young(desk: Desk) -> None:
    path = put(desk, "memory/2026-02-28.md", "- lilac\n")
    status = path.stat()
    assert places(desk, "lilac") == ["memory/2026-02-28.md:1"]
    path.write_text("- tulip\n")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert places(desk, "lilac") == []


def test_principles_in_force_are_searched_and_those_on_disk_are_not(desk: Desk) -> None:
    seed(desk)
    path = put(desk, "memory/system/constitution.json", shipped_config("constitution.json"))
    wanted = frozenset({Kind.PRINCIPLE})
    (hit,) = hits(desk, "least force", scope=wanted, agent=True)
    assert hit.chunk.entry == "constitution#economy"
    assert hit.lines == (1, 1)
    path.write_bytes(path.read_bytes().replace(b"least force", b"sledgehammer"))
    assert hits(desk, "least force", scope=wanted)
    assert hits(desk, "sledgehammer", scope=wanted) == ()


def test_a_damaged_index_is_made_anew_and_said_so(desk: Desk) -> None:
    put(desk, "memory/2026-02-28.md", "- lilac\n")
    fresh(desk)
    Path(index_path(desk.home)).write_bytes(b"damaged" * 1000)
    found = ask(desk, "lilac")
    assert found.hits
    assert "it was made anew" in found.notes[0]
    assert ask(desk, "lilac").notes == ()


def set_version(path: str, version: int) -> None:
    with closing(sqlite3.connect(path)) as index:
        index.execute(f"PRAGMA user_version={version}")


def test_an_older_index_is_replaced_and_a_newer_one_left_alone(desk: Desk) -> None:
    put(desk, "memory/2026-02-28.md", "- lilac\n")
    fresh(desk)
    path = index_path(desk.home)
    set_version(path, 0)
    assert ask(desk, "lilac").notes == ()
    set_version(path, 99)
    found = ask(desk, "lilac")
    assert found.hits
    assert "a newer version" in found.notes[0]
    assert "it was left alone; a copy in memory was searched" in found.notes[0]
    with closing(sqlite3.connect(path)) as index:
        assert index.execute("PRAGMA user_version").fetchone() == (99,)


def test_while_another_run_writes_search_answers(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    put(desk, "memory/2026-02-28.md", "- lilac\n")
    monkeypatch.setattr(indexing, "WAIT_S", 0.0)
    with Lock(desk.home.lock_path("search")):
        found = ask(desk, "lilac")
    assert found.hits
    assert found.notes == ("another run is bringing the index up to date; a copy in memory was searched",)


def test_where_the_index_cannot_be_written_search_answers(desk: Desk) -> None:
    put(desk, "memory/2026-02-28.md", "- lilac\n")
    put(desk, ".nightledger/search", "in the way")
    found = ask(desk, "lilac")
    assert found.hits
    assert "a copy in memory was searched" in found.notes[0]


def test_another_machine_writes_nothing(desk: Desk) -> None:
    put(desk, "memory/2026-02-28.md", "- lilac\n")
    refreshed = refresh(desk.gate, desk.ledger(), desk.moment, may_write=False)
    with refreshed.store.connection:
        assert refreshed.store.count() > 0
    refreshed.store.close()
    assert "another machine writes this home" in refreshed.notes[0]
    assert not os.path.lexists(index_path(desk.home))


def test_a_file_that_cannot_be_read_is_named_and_the_rest_is_searched(desk: Desk) -> None:
    put(desk, "memory/2026-02-27.md", "- lilac\n")
    put(desk, "memory/2026-02-28.md", "- lilac\n".encode("utf-16"))
    Path(desk.home.path("memory/2026-02-26.md")).symlink_to("/etc/hostname")
    Path(desk.home.path("memory/2026-02-25.md")).mkdir()
    Path(desk.home.path("memory/2026-02-24.md")).symlink_to("nowhere")
    found = ask(desk, "lilac")
    assert [hit.chunk.path for hit in found.hits] == ["memory/2026-02-27.md"]
    said = "\n".join(found.notes)
    for day, why in (("28", "UTF-16"), ("26", "outside"), ("25", "directory"), ("24", "cannot be read")):
        assert f"2026-02-{day}.md" in said
        assert why in said


def test_the_newest_outcomes_are_searched_and_the_rest_is_named(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nightledger.recall.sources.NEWEST", 2)
    raw = lines([outcome(1, ("lilac", "x")), outcome(2, ("tulip", "x")), outcome(3, ("rose", "x"))])
    put(desk, "memory/system/outcome-records.jsonl", raw)
    found = ask(desk, "lilac")
    assert found.hits == ()
    assert found.notes == ("1 older outcomes are not searched; associations know them",)
    assert hits(desk, "rose")[0].lines == (3, 3)


def test_a_compressed_log_is_searched_by_its_full_text_and_by_its_summary_once_that_is_gone(
    desk: Desk,
) -> None:
    nights = Nights(desk=desk)
    lamps = [f"- Looked at lamp {n} in the long corridor" for n in range(40)]
    lesson = "- Lesson: water the lilac in the morning, or mildew comes by the evening"
    nights.write("2025-12-03.md", "\n".join(["# Greenhouse", "", lesson, "", *lamps, ""]))
    answer(nights, tally(nights, Op.COMPRESS))
    log, copy = "memory/2025-12-03.md", "memory/archive/daily/2025-12-03.md"
    assert "lilac" in Path(desk.home.path(log)).read_text()
    assert places(desk, "lilac") == [f"{copy}:3"]
    settle(desk)
    assert (fresh(desk).changed, fresh(desk).changed) == (0, 0)
    full = Path(desk.home.path(copy)).read_bytes()
    Path(desk.home.path(copy)).unlink()
    found = hits(desk, "lilac mildew")
    assert any(hit.chunk.path == log and "mildew" in hit.chunk.text for hit in found)
    put(desk, copy, full)
    assert [hit.chunk.path for hit in hits(desk, "lilac mildew") if "mildew" in hit.chunk.text] == [copy]
