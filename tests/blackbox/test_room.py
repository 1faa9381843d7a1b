"""A memory over its host's cap: what the agent never sees, a plan of a few items, and nights that go on."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.blackbox.person import review
from tests.blackbox.world import Folder, World, found

CAP = 3_000
CONFIG = f"{{ agents: {{ defaults: {{ bootstrapMaxChars: {CAP}, }} }} }} // by hand\n"
STANDING = "## Rules\n\n- Always ask before a restart of the relay.\n\n"
REPEATED = (
    "## How the harbour works\n\n- The harbour desk answers by radio on channel nine.\n- "
    + "Ships that wait are listed by the pier. " * 12
    + "\n\n"
)
LESSON = "**Lesson:** Never set the beacon clock by hand, because it drifts by an hour afterwards."


FACTS = {
    "2025-10-02": "The copper gasket of the winch came from the yard in Bergen",
    "2025-10-05": "A walnut rudder was traded against two sacks of barley",
    "2025-11-02": "The granite anchor weighs ninety kilograms without its chain",
    "2025-11-05": "Velvet awnings are kept in the loft behind the chandlery",
}


def session(day: str, fact: str) -> str:
    """Give a dated section of a thousand characters."""
    lines = "".join(f"- Step {n} of {day} went through the pier desk as it was planned.\n" for n in range(15))
    return f"## Session {day}\n\n- {fact}.\n{lines}\n"


def old_sessions(most: int = len(FACTS)) -> str:
    return "".join(session(day, fact) for day, fact in [*FACTS.items()][:most])


def memory() -> str:
    return f"# MEMORY.md\n\n{STANDING}{REPEATED}{old_sessions()}{REPEATED}## Lessons\n\n- Restart the relay after an upgrade.\n"


def openclaw(root: Path, raw: bytes) -> World:
    """Give an adopted OpenClaw workspace whose memory is over the cap that openclaw.json says."""
    (root / "state").mkdir()
    (root / "state/openclaw.json").write_text(CONFIG)
    made = found(root, memory=raw, words=("--host", "openclaw"))
    made.environment["OPENCLAW_STATE_DIR"] = str(root / "state")
    return made


@pytest.fixture(scope="module")
def full(new_folder: Folder) -> World:
    """A workspace that nobody writes to."""
    return openclaw(new_folder(), memory().encode())


@pytest.fixture
def world(full: World, tmp_path: Path) -> World:
    """A copy of it."""
    copied = full.copy(tmp_path)
    copied.environment["OPENCLAW_STATE_DIR"] = str(tmp_path / "state")
    return copied


def plan(world: World) -> list[dict[str, object]]:
    pieces: list[dict[str, object]] = world.json("check", "--dry-run")["room"]["pieces"]
    return pieces


def accept_plan(world: World) -> str:
    """Have the plan that a check-up makes signed and applied; give its proposal."""
    made = str(world.json("check")["proposal"])
    world.accept(made)
    return made


def archived(world: World) -> str:
    return "".join(
        path.read_bytes().decode("latin-1") for path in (world.home / "memory/archive").glob("*.md")
    )


def after(world: World, cap: int = CAP) -> int:
    size = len((world.home / "MEMORY.md").read_bytes().decode("utf-8", "surrogateescape"))
    assert size <= cap, size
    return size


def test_a_check_up_shows_what_the_agent_never_sees_and_names_the_setting(world: World) -> None:
    out = world.said("check", "--dry-run")
    size = len(memory())
    assert f"{size:,} characters of the 3,000 that its host shows the agent" in out
    named = f"agents.defaults.bootstrapMaxChars in {world.root / 'state' / 'openclaw.json'}"
    assert named.replace(" ", "") in out.replace(" ", "")
    hidden = len(memory().rstrip()) - 2_100 - 600
    assert f"The agent never sees {hidden:,} of them" in out
    unseen = world.json("check", "--dry-run")["room"]["unseen"]
    assert sum(one["characters"] for one in unseen) == hidden
    assert ["MEMORY.md", "Rules"] not in [one["section"] for one in unseen]


def test_the_plan_gets_the_file_under_the_cap_in_a_few_items_the_largest_first(world: World) -> None:
    out = world.ok("check", "--dry-run")
    pieces = plan(world)
    sizes = [int(str(piece["characters"])) for piece in pieces]
    assert len(pieces) <= 4
    assert sizes == sorted(sizes, reverse=True)
    assert f"after these: {len(memory()) - sum(sizes):,} of 3,000" in out
    assert len(memory()) - sum(sizes) <= CAP
    dated = all("Session" in str(piece["title"]) for piece in pieces)
    assert dated or any(not piece["moves"] for piece in pieces)


def test_of_sections_that_say_the_same_the_one_that_the_agent_sees_stays(tmp_path: Path) -> None:
    gate = "## Gate policy\n\n" + "- Never open the gate without the word of the harbour master.\n" * 7
    text = f"# MEMORY.md\n\n{wharf('Sheds', 44)}\n{gate}\n{wharf('Hoists', 8)}\n{gate}"
    assert CAP < len(text) < CAP + 300
    world = openclaw(tmp_path, text.encode())
    (repeat,) = (piece for piece in plan(world) if "word for word" in str(piece["reason"]))
    lines = text.splitlines()
    last = len(lines) - lines[::-1].index("## Gate policy")
    assert f"at line {last}" in str(repeat["reason"]), repeat


def test_what_is_signed_of_a_plan_gets_under_and_recall_still_finds_what_moved(world: World) -> None:
    accept_plan(world)
    after(world)
    assert "Always ask before a restart" in world.read()
    assert "## Session 2025-1" in archived(world)
    gone = next(fact for fact in FACTS.values() if fact not in world.read())
    assert gone in archived(world)
    assert gone in world.said("recall", gone)
    assert "memory/archive/2026.md" in world.ok("recall", gone, "--agent")
    assert world.run("verify").status == 0


def test_every_item_of_a_plan_can_be_undone(world: World) -> None:
    before = (world.home / "MEMORY.md").read_bytes()
    made = accept_plan(world)
    assert (world.home / "MEMORY.md").read_bytes() != before
    count = len(next(one for one in world.proposals("--all") if one["id"] == made)["changes"])
    assert count > 1
    for n in range(1, count + 1):
        size = len(world.read())
        world.ok("undo", f"{made}#{n}")
        assert len(world.read()) > size
    assert (world.home / "MEMORY.md").read_bytes() == before
    assert not list((world.home / "memory/archive").glob("*.md"))
    assert world.run("verify").status == 0


def test_what_was_rejected_is_not_planned_again(world: World) -> None:
    first = plan(world)
    world.ok("check")
    review(world)
    assert not {str(piece["title"]) for piece in plan(world)} & {str(piece["title"]) for piece in first}


def test_a_night_without_room_proposes_what_is_good_with_what_goes_for_it(world: World) -> None:
    world.log_day("2026-02-28", LESSON)
    (made,) = proposed(world, LESSON)
    assert [change["op"] for change in made["changes"]] in (["remove", "add"], ["archive", "add"])
    size = len(world.read())
    world.accept(made["id"])
    assert "drifts by an hour" in world.read()
    assert len(world.read()) < size


def test_a_no_stands_where_what_was_said_yes_to_beside_it_has_no_room(world: World) -> None:
    world.log_day("2026-03-01", LESSON)
    world.next_night()
    person = review(world, {"drifts by an hour": "y"})
    assert [answer for shown, answer in person.seen if shown.rstrip().endswith("quit >")] == ["n", "y"]
    (made,) = world.proposals()
    states = [(one["op"], one["state"]) for one in made["changes"]]
    assert states == [("remove", "rejected"), ("add", "pending")]


def proposed(world: World, *lines: str) -> list[dict[str, Any]]:
    """Give what a night proposes of a day's log."""
    world.log_day("2026-03-01", *lines)
    world.next_night()
    return world.proposals()


def asked(world: World) -> list[tuple[str, str]]:
    """Give what waits, as operation and text."""
    changes = (one for proposal in world.proposals() for one in proposal["changes"])
    return [(one["op"], one["before"] or one["after"]) for one in changes if one["state"] == "pending"]


@pytest.fixture
def kept(world: World) -> World:
    """A memory without room, for which the operator kept what was to go for a lesson, and left the lesson."""
    (made,) = proposed(world, LESSON)
    world.ok("reject", made["id"], "--only", "1", "--reason", "we still need it")
    return world


def test_who_keeps_what_was_to_go_is_not_asked_for_something_else_each_morning(kept: World) -> None:
    for day in range(3, 10):
        kept.night(day)
        assert not asked(kept), day


def test_an_addition_asks_again_for_something_else_once_a_later_day_says_it_anew(kept: World) -> None:
    gone = next(change["before"] for one in kept.proposals() for change in one["changes"] if change["before"])
    for day in (3, 9, 15, 20):
        kept.night(day)
    assert not asked(kept)
    kept.log_day("2026-03-20", LESSON)
    kept.night(21)
    (went, text), (came, lesson) = asked(kept)
    assert (went, came) == ("archive", "add")
    assert "beacon clock" in lesson
    assert text != gone


def test_an_addition_returns_alone_once_there_is_room(kept: World) -> None:
    kept.night(3)
    kept.edit(lambda text: text.replace(REPEATED, "").replace(old_sessions(2), ""))
    for day in (4, 5):
        kept.night(day)
    assert [op for op, _ in asked(kept)] == ["add"]


def nearly_full(root: Path) -> World:
    """Give a workspace whose memory has room for no lesson."""
    text = f"# MEMORY.md\n\n## Rules\n\n- No.\n\n{wharf('Gotchas', 6)}\n{wharf('Hoists', 7)}"
    text = text.replace("- No.\n", "- Pier nine is closed in a storm.\n" * ((CAP - len(text) - 40) // 34))
    return openclaw(root, text.encode())


@pytest.mark.parametrize("signed", ["", "Ask first."])
def test_neither_its_own_section_nor_what_was_signed_goes_for_an_addition(
    tmp_path: Path, signed: str
) -> None:
    world = nearly_full(tmp_path)
    if signed:
        world.applied(signed, section="Hoists")
    world.log_day("2026-03-01", "## Beacon", LESSON)
    world.next_night()
    changes = [change for one in world.proposals() for change in one["changes"] if one["state"] != "applied"]
    made = [(one["op"], one["section"].rpartition(" > ")[2]) for one in changes]
    assert made == ([] if signed else [("archive", "Hoists"), ("add", "Gotchas")])


def test_an_addition_waits_while_what_goes_for_it_is_signed_and_cools(tmp_path: Path) -> None:
    world = nearly_full(tmp_path)
    (made,) = proposed(world, "## Beacon", LESSON)
    assert world.approve(made["id"], "--only", "1").status == 0
    world.ok("consolidate")
    (same,) = world.proposals()
    assert [one["state"] for one in same["changes"]] == ["approved", "pending"]
    world.apply_cooled()
    world.accept(made["id"], "--only", "2")
    assert "drifts by an hour" in world.read()


def test_an_addition_alone_is_refused_over_the_cap_and_the_error_names_the_setting(world: World) -> None:
    words = ("propose", "--text", "Ask twice.", "--section", "Lessons", "--reason", "it helped")
    world.tells("agents.defaults.bootstrapMaxChars", *words, status=1)


def test_where_nothing_says_so_openclaw_shows_20000(world: World) -> None:
    (world.root / "state/openclaw.json").unlink()
    assert "of the 20,000 that its host shows" in world.said("check", "--dry-run")
    named = world.root / "other.json5"
    named.write_text("{agents:{defaults:{bootstrapMaxChars:5000}}}")
    world.environment["OPENCLAW_CONFIG_PATH"] = str(named)
    assert "of the 5,000 that its host shows" in world.said("check", "--dry-run")
    named.write_text("{ broken")
    assert "of the 20,000 that its host shows" in world.said("check", "--dry-run")


@pytest.mark.parametrize(
    "bent",
    [
        pytest.param(lambda raw: raw.replace(b"\n", b"\r\n"), id="CRLF"),
        pytest.param(lambda raw: b"\xef\xbb\xbf" + raw, id="BOM"),
        pytest.param(lambda raw: raw.replace(b"The harbour desk", b"The caf\xe9 desk", 1), id="Latin-1"),
    ],
)
def test_a_plan_keeps_every_byte_of_an_odd_file(tmp_path: Path, bent: Callable[[bytes], bytes]) -> None:
    raw = bent(memory().encode())
    world = openclaw(tmp_path, raw)
    out = world.ok("check")
    assert out.count("no UTF-8") == (b"\xe9" in raw)
    made = next(one["id"] for one in world.proposals())
    world.accept(made)
    after(world)
    left = (world.home / "MEMORY.md").read_bytes() + archived(world).encode("latin-1")
    lost = [line for line in raw.splitlines(keepends=True) if line.strip() and line not in left]
    assert not lost
    world.ok("undo", made)
    assert (world.home / "MEMORY.md").read_bytes() == raw


def test_a_plan_is_readable_in_40_columns(world: World) -> None:
    world.environment["COLUMNS"] = "40"
    out = world.ok("check", "--dry-run")
    assert all(len(line) <= 40 for line in out.splitlines()), out
    assert "after these: " in out


def test_where_nothing_old_makes_room_what_is_doubtful_is_proposed(tmp_path: Path) -> None:
    berth = "- Berth {} is for ships of {} metres, by the order of the harbour desk.\n"
    pilot = "- Ask the pilot first.\n"
    facts = "".join(berth.format(n, n * 7) for n in range(60))
    world = openclaw(tmp_path, f"# MEMORY.md\n\n## Berths\n\n{facts}\n## Lessons\n\n{pilot * 2}".encode())
    world.ok("check")
    changes = [one for proposal in world.proposals() for one in proposal["changes"]]
    assert [one["before"] for one in changes] == [pilot]


def wharf(name: str, lines: int) -> str:
    return f"## {name}\n\n" + "".join(
        f"- {name} {n}: the pier keeps {n} crates for it.\n" for n in range(lines)
    )


def test_a_section_whose_heading_tells_the_day_from_which_it_holds_is_not_old(tmp_path: Path) -> None:
    rule = "## Visitors (established 2025-09-01)\n\n- Strangers wait at the gate until the pilot has seen them.\n\n"
    world = openclaw(tmp_path, f"# MEMORY.md\n\n{rule}{old_sessions()}{REPEATED}{REPEATED}".encode())
    pieces = plan(world)
    assert pieces
    assert not any("Visitors" in str(piece) for piece in pieces)


def lately() -> str:
    """Give a memory in which nothing is old: notes of a week ago beside rules, and sections without a date."""
    week = wharf("Work of 2026-02-20", 20) + "\n### Decisions\n\n- The winch is greased on Mondays.\n\n"
    plain = "".join(wharf(name, 14) + "\n" for name in ("Sheds", "Hoists", "Ferries", "Buoys"))
    young = wharf("Work of 2026-02-28", 6)
    return f"# MEMORY.md\n\n{STANDING}{week}{plain}{young}\n## Lessons\n\n- Ask the pilot first.\n"


def test_where_nothing_is_old_whole_sections_get_it_under_the_largest_first(tmp_path: Path) -> None:
    world = openclaw(tmp_path, lately().encode())
    out = world.said("check")
    assert "A plan that gets it under:" in out
    assert "and it may still hold" in out
    sizes = [int(str(piece["characters"])) for piece in plan(world)]
    assert sizes == sorted(sizes, reverse=True)
    (made,) = world.proposals()
    world.accept(made["id"])
    after(world)
    for stays in ("Always ask before", "greased on Mondays", "Work of 2026-02-28 5", "Ask the pilot"):
        assert stays in world.read()
    gone = next(line for line in lately().splitlines() if line.startswith("- ") and line not in world.read())
    assert gone in archived(world)


def test_a_plan_that_was_rejected_is_told_of_in_one_line_and_not_called_nothing(tmp_path: Path) -> None:
    world = openclaw(tmp_path, lately().encode())
    while world.json("check")["room"]["pieces"]:
        review(world)
    out = world.said("check")
    assert "that could go were rejected or taken back, and are not offered again." in out
    assert world.json("check", "--dry-run")["room"]["refused"] > 0


def test_where_there_is_room_for_one_addition_a_night_proposes_that_one(tmp_path: Path) -> None:
    rules = "## Rules\n\n" + "".join(f"- Rule {n}: pier {n} is closed in a storm.\n" for n in range(90))
    world = openclaw(tmp_path, f"# MEMORY.md\n\n{rules}\n{wharf('Sheds', 4)}".encode())
    other = "**Lesson:** Always oil both hinges of the crane gate in autumn, or else they freeze by November."
    world.log_day("2026-03-01", "## Beacon", LESSON, "## Crane", other)
    world.wait(days=1)
    told = world.said("night")
    assert "2 proposed" in told
    assert "1 addition would take the file over" in told
    (made,) = world.proposals()
    assert [change["op"] for change in made["changes"]] == ["archive", "add"]


def test_a_prompt_is_told_what_a_signed_plan_moved_and_no_other_archive(world: World) -> None:
    accept_plan(world)
    gone = next(fact for fact in FACTS.values() if fact not in world.read())
    archive = world.home / "memory/archive/2026.md"
    foreign = "The gatekeeper whispers quetzal to the heron"
    archive.write_text(f"{archive.read_text()}\n## Session\n\n- {foreign}.\n")
    world.ok("stage")
    at = archive.read_text().split("\n").index(f"- {gone}.") + 1
    assert f"\\n- {gone}. (memory/archive/2026.md:{at})\\n" in world.prompted(gone)
    assert world.prompted(foreign) == ""
    assert gone in world.ok("recall", gone, "--agent")
    assert foreign not in world.ok("recall", foreign, "--agent")
    (applied,) = {event["decision"] for event in world.named("apply.intent")}
    (world.home / f"audit/decisions/{applied}.json.sig").write_text("no signature\n")
    archive.write_text(f"{archive.read_text()}\n")
    world.run("stage")
    assert "archive" not in world.prompted(f"again: {gone}"), "the log alone says that it was signed"
    assert gone not in world.run("recall", gone.partition(" ")[2], "--agent").out


def test_what_the_agent_does_not_see_may_go_however_young_it_is(tmp_path: Path) -> None:
    """A young file whose every section is a lesson of these days still gets a plan, of what its host cuts out."""
    painted = "- The pier number {} was painted and the paint held well.\n"
    days = "".join(f"## Lessons of 2026-02-{20 + n}\n\n{painted.format(n) * 9}\n" for n in range(9))
    world = openclaw(tmp_path, f"# MEMORY.md\n\n{days}".encode())
    told = world.said("check")
    assert "A plan that gets it under" in told
    assert "the agent does not see it, and it may still hold" in told
    (made,) = world.proposals()
    world.accept(made["id"])
    assert len(world.read()) < CAP
    assert "2026-02-20" in world.read()
    assert made["changes"][0]["before"].splitlines()[-1] in archived(world)


def test_a_plan_that_is_not_enough_says_what_comes_after_it(tmp_path: Path) -> None:
    """Many sections: the next check-up plans the rest. Nothing more that could go: the operator shortens it."""
    names = ("North", "East", "South", "West")
    kinds = ("shed", "quay", "lock", "dock", "yard")
    sheds = "".join(wharf(f"{name} {kind}", 14) + "\n" for name in names for kind in kinds)
    for name in ("many", "few"):
        (tmp_path / name).mkdir()
    world = openclaw(tmp_path / "many", f"# MEMORY.md\n\n{STANDING}{sheds}".encode())
    told = world.said("check", "--dry-run")
    pieces, room = plan(world), world.json("check", "--dry-run")["room"]
    assert "A plan, which is not enough yet:" in told
    assert f"{len(pieces)} saves" in told
    assert f"{len(pieces) + 1} saves" not in told
    assert "When these are answered, 'nightledger check' plans the rest." in told
    assert "The rest is yours" not in told
    last = max(room["unseen"], key=lambda one: int(one["line"]))
    first = min(int(one["line"]) for one in room["unseen"])
    more = len(room["unseen"]) - 6
    assert more > 0
    named = f"and {more} more, from line {first} to {last['section'][-1]}, line {last['line']}"
    assert named in told
    rules = "".join(f"- Always ask the harbour desk before berth {n} is used.\n" for n in range(90))
    text = f"# MEMORY.md\n\n## Rules\n\n{rules}\n{wharf('Sheds', 6)}"
    told = openclaw(tmp_path / "few", text.encode()).said("check", "--dry-run")
    assert "The rest is yours to shorten: 'nightledger edit'." in told
    assert "When these are answered" not in told
