"""The report as a file and as text: what it counts, and that nothing of a file is markup in it."""

import re
from html.parser import HTMLParser
from pathlib import Path

from tests.blackbox.world import MEMORY, World, found

ODD = 'Boat <b>fast</b> & "co" &lt; five'


class Tags(HTMLParser):
    """The tags of a page, and its words."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.open: list[str] = []
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # type: ignore[explicit-override]
        del attrs
        self.seen.append(tag)
        if tag not in ("meta", "rect", "line", "path", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:  # type: ignore[explicit-override]
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_data(self, data: str) -> None:  # type: ignore[explicit-override]
        self.words += f" {data}"


def rows(world: World, part: str) -> list[list[str]]:
    found_parts = {one["title"]: one["rows"] for one in world.json("report")["parts"]}
    told: list[list[str]] = found_parts[part]
    return told


def test_it_counts_what_was_proposed_signed_learned_and_undone(world: World) -> None:
    world.wait(days=8)
    name = world.applied("Count twice.")
    world.ok("undo", name)
    world.run("reject", world.propose("Label cables."), "--reason", "no")
    world.propose("Rest.")
    world.write("MEMORY.md", world.read() + "\n- Boat.\n")
    world.run("guard")
    week = {what: (now, before) for what, now, before in rows(world, "This week")}
    told = {what: now for what, (now, _) in week.items() if now != "0"}
    assert told == {
        "proposed": "3",
        "signed": "1",
        "rejected": "1",
        "learned": "1",
        "undone": "1",
        "drift": "1",
    }
    assert {before for _, before in week.values()} == {"0"}
    assert [row[1:3] for row in rows(world, "What waits")] == [
        ["The agent asks: Rest.", "1"],
        ["MEMORY.md was changed outside Nightledger", "1"],
    ]
    assert [row[1:] for row in rows(world, "Drift")] == [["MEMORY.md", "unknown", "open"]]
    assert rows(world, "Size of MEMORY.md")[-1] == ["2026-03-09", str(len(world.read()))]


def test_failures_that_came_again_are_named_and_odd_lines_are_passed_over(world: World) -> None:
    for outcome in ("failure", "failure", "success"):
        words = ("--task-type", "debug_cron", "--tags", "cron", "--resolution", "reinstall_tool")
        world.ok("log", *words, "--outcome", outcome, "--source", "MEMORY.md")
        world.wait(hours=1)
    exposures = world.home / "memory/system/exposures.jsonl"
    exposures.write_text(
        '{"at": "soon", "shown": ["e-a"]}\nnone\n{"at": "2026-03-01T07:00:00Z", "shown": ["e-a"]}\n'
    )
    assert [row[:3] for row in rows(world, "Failures that came again")] == [["debug_cron", "2", "1"]]
    week = {what: now for what, now, _ in rows(world, "This week")}
    assert (week["shown"], week["failed"]) == ("1", "2")


def test_the_file_loads_nothing_runs_nothing_and_shows_text_of_others_as_data(tmp_path: Path) -> None:
    world = found(tmp_path / "world", words=("--host", "openclaw"))
    world.applied("Count twice.")
    world.propose(ODD)
    path = Path(world.ok("report").strip())
    text = path.read_text(encoding="utf-8")
    page = Tags(text)
    assert path == world.home / ".nightledger/report.html"
    assert path.stat().st_mode & 0o777 == 0o600
    assert {"script", "img", "link", "iframe", "form"}.isdisjoint(page.seen)
    assert page.open == []
    assert not re.search(r"(?:href|src)=|url\(", text)
    assert "default-src 'none'; style-src 'sha256-" in text
    assert ODD in page.words
    assert f"{len(world.read())} characters of the 20,000 that its host shows." in page.words
    assert (page.seen.count("svg"), page.seen.count("table")) == (6, 9)  # USER.md is gated, too
    assert "verify: all holds" in page.words


def test_as_text_it_writes_nothing_and_another_place_can_be_named(world: World) -> None:
    assert "Nothing waits for you." in world.ok("report", "--text")
    assert not (world.home / ".nightledger/report.html").exists()
    assert world.ok("report", "--to", str(world.root / "out.html")).strip() == str(world.root / "out.html")
    assert (world.root / "out.html").stat().st_size < 60 * 1024


def test_what_verify_finds_is_the_badge_and_the_exit_status(world: World) -> None:
    world.write("MEMORY.md", MEMORY + "\n- Boat.\n")
    ran = world.run("report")
    assert (ran.status, "MEMORY.md" in world.json("report")["badge"]) == (4, True)
    assert 'class="badge bad"' in (world.home / ".nightledger/report.html").read_text()
