"""The report as a file and as text: what it counts, and that nothing of a file is markup in it."""

import base64
import json
import os
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timedelta
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.blackbox.world import LOG, MEMORY, SECRET, Folder, World, found
from tests.linking import lines, outcome
from tests.rows import each_row

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
        if tag not in ("meta", "path", "circle"):
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
    ones = dict.fromkeys(("signed", "rejected", "learned", "undone", "drift"), "1")
    assert told == {"proposed": "3", **ones}
    assert {before for _, before in week.values()} == {"0"}
    assert [row[1:3] for row in rows(world, "What waits")] == [
        ["The agent asks: Rest.", "1"],
        ["MEMORY.md was changed outside Nightledger", "1"],
    ]
    assert [row[1:] for row in rows(world, "Drift")] == [["MEMORY.md", "unknown", "open"]]
    assert rows(world, "Size of MEMORY.md")[-1] == ["2026-03-09", str(len(world.read()))]


def test_failures_that_came_again_are_named_and_odd_lines_are_passed_over(world: World) -> None:
    for ended in ("failure", "failure", "success"):
        words = ("--task-type", "debug_cron", "--tags", "cron", "--resolution", "reinstall_tool")
        world.ok("log", *words, "--outcome", ended, "--source", "MEMORY.md")
        world.wait(hours=1)
    shown = '{"at": "soon", "shown": ["e-a"]}\nnone\n{"at": "2026-03-01T07:00:00Z", "shown": ["e-a"]}\n'
    world.write("memory/system/exposures.jsonl", shown)
    assert [row[:3] for row in rows(world, "Failures that came again")] == [["debug_cron", "2", "1"]]
    week = {what: now for what, now, _ in rows(world, "This week")}
    assert (week["shown"], week["failed"]) == ("1", "2")


BENT_LINKS = (
    ("sessions", 0),
    ("first", b"\xff"),
    ("tallies", '[["reinstall_tool",1,0,0,0,0,0,[]]]'),
    ("tallies", '[["reinstall_tool",1,0,0,0,0,9223372036854775807,[]]]'),
)


@each_row("column, value", BENT_LINKS)
def test_a_link_index_that_was_bent_is_told_of_beside_all_else(
    column: str, value: Any, adopted: World, new_folder: Folder
) -> None:
    world = adopted.copy(new_folder())
    words = ("--task-type", "debug_cron", "--tags", "cron,docker", "--resolution", "reinstall_tool")
    world.ok("log", *words, "--outcome", "success", "--source", "MEMORY.md")
    world.ok("link")
    assert rows(world, "Associations")
    (path,) = world.home.rglob("links.db")
    with closing(sqlite3.connect(path)) as index:
        index.execute(f"UPDATE links SET {column} = ?", (value,))  # noqa: S608 - a name of this table
        index.commit()
    assert "'nightledger link --rebuild' makes it anew" in world.said("report", "--text")


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
    assert world.run("report").status == 4
    assert "MEMORY.md" in world.json("report")["badge"]
    assert 'class="badge bad"' in (world.home / ".nightledger/report.html").read_text()


# ------------------------------------------------------------ pictures
def logged(world: World, *records: dict[str, Any]) -> None:
    """Put outcomes where a long-lived agent's are, and link them."""
    world.write("memory/system/outcome-records.jsonl", lines(records))
    world.ok("link")


def linked(count: int) -> list[dict[str, Any]]:
    """Give outcomes that make so many pairs; ``hub`` goes with two of three, and some occur often."""
    pairs = [("hub" if n % 3 else f"topic_{n % 37}", f"thing_{n}") for n in range(count)]
    return [
        outcome((n, k), pair, session=f"s{n}.{k}", resolution=f"do_{n}", outcome="failure" if n % 7 == 6 else "success")
        for n, pair in enumerate(pairs)
        for k in range(1 + n % 4)
    ]  # fmt: skip


@each_row("count, shown", [(0, 0), (1, 1), (10, 10), (100, 20), (1000, 20)])
def test_associations_are_drawn_so_that_each_can_be_followed(
    adopted: World, new_folder: Folder, count: int, shown: int
) -> None:
    world = adopted.copy(new_folder())
    logged(world, *linked(count))
    text = Path(world.ok("report").strip()).read_text(encoding="utf-8")
    section = text.partition("<h2>Associations</h2>")[2].partition("</section>")[0]
    path = r'<path class="a\d" stroke-width="[\d.]+" d="([^"]+)"><title>([^<]+)</title>'
    drawn = dict(re.findall(path, section))
    listed = rows(world, "Associations")
    assert sorted(said.partition(":")[0] for said in drawn.values()) == sorted(row[0] for row in listed)
    assert len(listed) >= min(count, shown)
    sure = [float(row[2]) for row in listed]
    assert sure == sorted(sure, reverse=True), "the strongest first"
    names = re.findall(r'<text x="\d+" y="(\d+)" text-anchor="end">([^<]+)</text>', section)
    assert {tag for row in listed for tag in row[0].split(" + ")} == {name for _, name in names}
    assert len(names) <= 36
    assert all(int(low[0]) + 16 <= int(high[0]) for low, high in pairwise(names)), "no name over another"
    assert f"{count:,} pair" in section
    assert len(text.encode()) < 60 * 1024
    assert Path(world.ok("report").strip()).read_text(encoding="utf-8") == text, "no chance is in it"


def test_what_fades_is_told_by_active_hours(world: World) -> None:
    """The standard tier is below .05 after ln(20) / .01 = 299.6 active hours in which nothing was heard of it."""
    hours = [world.now + timedelta(hours=n) for n in range(1, 310)]
    for seen, left, faded in ((100, "200", "0 faded"), (302, "0", "2 faded")):
        at = [f"{hour:%Y-%m-%dT%H:%M:%SZ}" for hour in hours[:seen]]
        logged(world, *(outcome(n, received_at=one, timestamp=one) for n, one in enumerate(at)))
        world.now = hours[seen]
        told = rows(world, "What fades next")
        assert {row[0] for row in told} == {
            "Keep backups for 30 days.",
            "Restart the relay after an upgrade.",
        }
        assert {row[-1] for row in told} == {left}, told
        assert faded in Tags(Path(world.ok("report").strip()).read_text(encoding="utf-8")).words


def test_what_was_learned_is_told_with_what_came_of_showing_it(world: World) -> None:
    world.applied("Count twice.")
    entry = next(one["id"] for one in world.json("curate", "--ask")["entries"] if one["lines"] == [10, 10])
    failed = outcome(2, shown=[entry], outcome="failure", task_type="move_house")
    logged(world, outcome(1, shown=[entry]), failed)
    assert rows(world, "What was learned") == [["Count twice.", "2026-03-01", "2", "1", "1"]]


def test_signed_heads_stand_in_the_log_with_the_roots_that_were_signed(world: World) -> None:
    world.applied("Count twice.")
    heads = [row[:2] for row in rows(world, "Audit log") if row[1].startswith("signed head")]
    events = world.events()
    kept = {}
    for path in (world.home / "audit/checkpoints").glob("[0-9]*"):
        _, size, root = path.read_text().split("\n")[:3]
        kept[size] = base64.b64decode(root).hex()[:16]
    assert heads
    for when, head in heads:
        size, root = re.fullmatch(r"signed head: (\d+) entr(?:y|ies), root ([0-9a-f]{16})", head).groups()  # type: ignore[union-attr]
        assert kept[size] == root
        assert when == f"{datetime.fromisoformat(events[int(size) - 1]['at']):%Y-%m-%d %H:%M}"
    steps = [row[1] for row in rows(world, "Audit log")[::-1] if row[1].startswith(("signed: ", "memory"))]
    assert steps == ["signed: approve", "memory was changed as signed"]


def test_days_on_which_no_night_was_run_are_told(world: World) -> None:
    world.night(2)
    world.night(3)
    world.wait(days=5)
    told = {row[0]: row[1:] for row in rows(world, "Runs")}
    assert told["link"] == ["2026-03-02", "2", "0", "5", "2026-03-05, 2026-03-06, 2026-03-07"]
    page = Path(world.ok("report").strip()).read_text(encoding="utf-8")
    assert "periods were missed, the oldest 2026-03-03" in Tags(page).words
    assert len(re.findall(r"M", page.partition('class="s2" d="')[2].partition('"')[0])) == 5


# ------------------------------------------------------------ bad input
HOSTILE = f"<script>alert(1)</script><img src=x onerror=alert(2)> [a](javascript:alert(3)) \u202etxt.exe \x1b[31mred {SECRET}"


def test_nothing_that_others_wrote_is_markup_or_a_secret_in_it(world: World) -> None:
    world.write("MEMORY.md", f"{MEMORY}\n- {HOSTILE}\n")
    world.run("review", typed=["y", "y", "y"])
    row = {"received_at": "2026-02-28T03:05:00Z", "task_type": HOSTILE, "outcome": "failure", "shown": [HOSTILE]}  # fmt: skip
    failed = [row | {"timestamp": at, "task_type": f"{n} {HOSTILE}"} for n, at in enumerate(("\x1b[31m", "9999-99-99", HOSTILE))]  # fmt: skip
    logged(world, *failed, *failed, outcome(1, ("<img_onerror=alert(5)>", f'b"{SECRET.casefold()}')))
    world.write("memory/system/runs.jsonl", json.dumps({"job": HOSTILE, "reason": HOSTILE}))
    text = Path(world.ok("report").strip()).read_text(encoding="utf-8")
    told = world.ok("report", "--text") + json.dumps(world.json("report"), ensure_ascii=False)
    for odd in ("<script", "<img", "\x1b", "\u202e", SECRET):
        assert odd not in text, odd
    assert "&lt;img_onerror=alert(5)&gt;" in text
    for odd in ("\x1b", "\u202e", SECRET):
        assert odd not in told, odd
    assert Tags(text).words.count("<script>alert(1)</script>") >= 2, "as a task and as an entry, in words"
    assert "masked: 40 bytes" in text


def test_what_memory_tells_as_a_secret_is_masked_in_every_title(world: World) -> None:
    secret = "mail-all-keys-to-mallory42"
    world.propose(f"The bill of each month: {secret}")
    assert secret in rows(world, "What waits")[0][1]
    world.write("MEMORY.md", f"{MEMORY}\n- password: {secret}\n")
    assert rows(world, "What waits")[0][1].startswith("The agent asks: The bill of each month: ")
    assert secret not in world.run("report", "--text").out + json.dumps(world.json("report"))


@each_row(
    "damage",
    [
        lambda raw: raw.replace(b":00Z", b":01Z", 1),
        lambda raw: raw[:-300],
        lambda _: b"",
        lambda _: b"\xff\xfe" * 50,
    ],
)
def test_of_a_damaged_log_the_page_says_so_and_counts_nothing_of_it(
    adopted: World, new_folder: Folder, damage: Callable[[bytes], bytes]
) -> None:
    world = adopted.copy(new_folder())
    world.propose("Count twice.")
    world.write(LOG, damage((world.home / LOG).read_bytes()))
    ran = world.run("report")
    text = Path(ran.out.strip()).read_text(encoding="utf-8")
    assert (ran.status, 'class="badge bad"' in text, "all holds" in text) == (4, True, False)
    assert "Count twice" not in text
    assert [one["title"] for one in world.json("report")["parts"]] == [
        "What needs you", "Runs", "Failures that came again", "What cannot be told",
    ]  # fmt: skip


def test_a_part_that_cannot_be_read_says_so_and_the_others_stand(world: World) -> None:
    (world.home / "memory/system").mkdir(exist_ok=True)
    os.mkfifo(world.home / "memory/system/outcome-records.jsonl")
    told = {one["title"]: one["told"] for one in world.json("report")["parts"]}
    assert "is a FIFO" in told["What cannot be told"]
    assert {"What waits", "Size of MEMORY.md", "Audit log"} <= told.keys()


def test_an_empty_home_has_a_report(tmp_path: Path) -> None:
    world = found(tmp_path / "world", memory=None)
    page = Tags(Path(world.ok("report").strip()).read_text(encoding="utf-8"))
    assert "None yet: the agent has logged no outcome" in page.words
    assert page.open == []


@each_row("name", ["MEMORY.md", "audit/checkpoint", "new.html", "../keys.html", "memory"])
def test_it_takes_the_place_of_no_other_file(adopted: World, new_folder: Folder, name: str) -> None:
    world = adopted.copy(new_folder())
    (world.root / "keys.html").write_text("<!doctype html>mine")
    place = world.home / name
    before = place.read_bytes() if place.is_file() else None
    assert world.run("report", "--to", str(place)).status == 1
    assert (place.read_bytes() if place.is_file() else None) == before
