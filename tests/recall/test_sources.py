import json
from datetime import date
from pathlib import Path
from zoneinfo import ZoneInfo

from tests.gate.homes import Desk
from tests.recall.asking import put

from nightledger.domain.frames import Constitution, Principle
from nightledger.domain.search import Kind
from nightledger.recall import sources


def texts(cut: sources.Cut) -> list[str]:
    return [cut.text[one.start : one.end] for one in cut.chunks]


def test_every_layout_of_logs_and_the_archive_is_a_source(desk: Desk) -> None:
    for path in (
        "memory/2026-02-28.md",
        "memory/2026-02-28-late.md",
        "memory/daily/2026-02-27.md",
        "memory/archive/2025.md",
        "memory/archive/daily/2025-01-01.md",
        "memory/state/session-handoff.md",
        "memory/state/tc-restore-pending.md",
        "memory/system/outcome-records.jsonl",
        "memory/system/constitution.json",
        "memory/notes.md",
        "memory/archive/picture.png",
        "notes.md",
    ):
        put(desk, path, "x")
    found = [(one.path, one.kind, one.day) for one in sources.find_sources(desk.home)]
    assert found == [
        ("MEMORY.md", Kind.MEMORY, None),
        ("memory/2026-02-28-late.md", Kind.DAILY, date(2026, 2, 28)),
        ("memory/2026-02-28.md", Kind.DAILY, date(2026, 2, 28)),
        ("memory/archive/2025.md", Kind.ARCHIVE, None),
        ("memory/archive/daily/2025-01-01.md", Kind.ARCHIVE, date(2025, 1, 1)),
        ("memory/daily/2026-02-27.md", Kind.DAILY, date(2026, 2, 27)),
        ("memory/state/session-handoff.md", Kind.HANDOFF, None),
        ("memory/system/constitution.json", Kind.PRINCIPLE, None),
        ("memory/system/outcome-records.jsonl", Kind.OUTCOME, None),
    ]


def test_an_archived_entry_is_dated_by_itself() -> None:
    text = (
        "## Projects\n\n- Moved on 2025-05-01.\n\nArchived 2025-11-30 from MEMORY.md, entry e-x: closed\n\n"
        "## Lessons\n\n- Undated.\n\nArchived 2025-12-01 from MEMORY.md, entry e-y: faded\n"
    )
    assert [one.day for one in sources.cut_archive(text).chunks] == [date(2025, 5, 1), date(2025, 12, 1)]


def test_each_line_of_a_handoff_is_a_chunk() -> None:
    cut = sources.cut_handoff(
        "# Next 2026-03-01\n\n- [ ] Feed the marmot\n  - twice\n\n- [x] Wound the clock\n"
    )
    assert texts(cut) == ["# Next 2026-03-01", "- [ ] Feed the marmot", "  - twice", "- [x] Wound the clock"]
    assert [(one.first_line, one.last_line) for one in cut.chunks] == [(1, 1), (3, 3), (4, 4), (6, 6)]
    assert {one.day for one in cut.chunks} == {date(2026, 3, 1)}


def test_principles_stand_in_the_one_line_of_their_file() -> None:
    principles = tuple(
        Principle(name=name, tags=("self/constitutional", "self/value"), text=f"I am {name}.")
        for name in ("calm", "kind")
    )
    cut = sources.cut_principles(Constitution(v=1, principles=principles))
    assert texts(cut) == ["I am calm.", "I am kind."]
    assert [(one.entry, one.first_line, one.held) for one in cut.chunks] == [
        ("constitution#calm", 1, ""),
        ("constitution#kind", 1, ""),
    ]
    assert sources.cut_principles(None).chunks == ()


def test_outcome_lines_that_search_can_make_nothing_of_hide_no_others(tmp_path: Path) -> None:
    good = {"id": "o-1", "task_type": "t", "context_tags": ["a"], "resolution": "r", "outcome": "success"}
    good["timestamp"] = "2026-03-01T12:00:00Z"
    odd: tuple[dict[str, object], ...] = (
        {"id": []},
        {"timestamp": "0001-01-01T00:00:00Z"},
        {"resolution": "\ud800"},
        {"id": "o-2", "note": "\ud800"},
    )
    path = tmp_path / "outcomes"
    path.write_text(
        "".join(json.dumps({**good, **one}) + "\n" for one in odd) + "\r \n" + json.dumps(good) + "\n"
    )
    cut, _, _ = sources.cut_outcomes(str(path), ZoneInfo("America/New_York"))
    assert [chunk.first_line for chunk in cut.chunks] == [4, 6]
    assert cut.text.encode().split(b"\n") == [b"t [a]: r: success"] * 2
