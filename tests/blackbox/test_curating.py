"""What months of use do to memory: what is reinforced, what fades, what is asked about, and how a frame weighs it."""

import json
import math
from pathlib import Path

import pytest
from tests.blackbox.living import known, live
from tests.blackbox.person import review
from tests.blackbox.world import Folder, World, copied, found

SUBJECTS = ("fern", "relay", "backup", "invoice", "printer", "garden", "tunnel", "siren", "lamp")
MEMORY = "# MEMORY.md\n\n## Lessons\n\n" + "".join(f"- First look after the {one}.\n" for one in SUBJECTS)
LEDGER = "memory/system/reinforcements.jsonl"
_TEN = "balance care connection curiosity economy feedback focus identity reflection uncertainty"
PRINCIPLES = [f"constitution#{name}" for name in _TEN.split()]


@pytest.fixture(scope="module")
def seeded(new_folder: Folder) -> World:
    """Give a home of nine entries and ten principles; nobody writes to it."""
    return found(new_folder(), memory=MEMORY, seeded=True)


home = copied("seeded")


def names(world: World) -> dict[str, str]:
    return {word: entry["id"] for word, entry in known(world).items()}


def ledger(world: World) -> list[tuple[str, int, list[str]]]:
    """Give period, active hours and the entries of each line; principles are in each, or in none."""
    found: list[tuple[str, int, list[str]]] = []
    for line in world.read(LEDGER).splitlines():
        row = json.loads(line)
        assert (row["v"], row["kind"]) == (1, "curate")
        assert [one for one in row["ids"] if not one.startswith("e-")] == PRINCIPLES
        assert row["ids"] == sorted(row["ids"])
        found.append((row["period"], row["active_hours"], [o for o in row["ids"] if o.startswith("e-")]))
    return found


def nothing(reason: str) -> dict[str, object]:
    """Give what a pass says that did nothing."""
    counts = ("constitutional_reinforced", "faded", "kept", "reinforced", "weak_links")
    return {**dict.fromkeys(counts, 0), "periods": [], "proposals": [], "reason": reason, "analyst": None}


def test_five_that_helped_most_in_forty_active_hours_are_reinforced_once_and_counted(home: World) -> None:
    name = names(home)
    for n, word in enumerate(SUBJECTS[:7]):
        live(home, range(9 - n), name[word], context_tags=sorted(["mast", word]))
    live(home, range(9, 12), name["siren"])
    live(home, range(12, 15), name["siren"], outcome="failure")
    live(home, range(15, 25), name["lamp"], session="loop", timestamp="2026-03-01T07:00:00Z")
    live(home, range(25, 26), name["lamp"], outcome="partial")
    live(home, range(26, 39), "e-unknown", "mast + relay")
    assert home.json("curate") == nothing("39 of 40 active hours since the last pass")
    assert not (home.home / LEDGER).exists()
    live(home, range(39, 40))
    before = home.files()
    done = {**nothing(""), "periods": [40], "reinforced": 5, "constitutional_reinforced": 10}
    assert home.json("curate", "--dry-run") == done
    assert home.files() == before
    assert home.json("curate") == done
    assert ledger(home) == [("40", 40, sorted(name[word] for word in SUBJECTS[:5]))]
    assert home.json("curate") == nothing("0 of 40 active hours since the last pass")
    assert len(ledger(home)) == 1
    counted = {word: (one["shown"], one["useful"], one["harmful"]) for word, one in known(home).items()}
    first = {word: (9 - n, 9 - n, 0) for n, word in enumerate(SUBJECTS[:7])}
    assert counted == {**first, "siren": (6, 3, 3), "lamp": (11, 1, 0)}
    told = home.json("hygiene")
    assert (told["active_hours"], told["outcomes_naming_entries"]) == (40, 42 + 6 + 10 + 1 + 13)
    assert [one["shown"] for one in told["entries"]] == [9, 8, 7, 6, 5, 4, 3, 6, 11]
    assert told["odd"] == {"ahead": 0, "bad_lines": 0, "impossible": [], "twice": [], "undated": 9}


def test_a_frame_weighs_likeness_use_freshness_links_and_reinforcement(home: World) -> None:
    name = names(home)
    live(home, range(30), name["relay"], context_tags=["mast", "relay"])
    live(home, range(30, 32), name["fern"], outcome="failure", context_tags=["mast", "sail"])
    live(home, range(32, 40), context_tags=["hall"])
    home.ok("curate")
    home.ok("link")
    told = home.json("recall", "relay", "--frame", "task")
    measured = {one["id"]: (one["score"], one["measures"]) for one in told["shown"]}
    fresh = round(math.exp(-0.39), 4)  # the hour in which the home was made counts, too
    principle = {"similarity": 0.0, "confidence": 1.0, "recency": 1.0, "centrality": 0.0}
    principle["reinforcement"] = 0.25
    relay = {**principle, "similarity": 1.0, "confidence": round(31 / 32, 4), "centrality": 1.0}
    untold = {**principle, "confidence": 0.5, "recency": fresh, "reinforcement": 0.0}
    order = [name["relay"], "constitution#curiosity", name["backup"], name["invoice"], name["printer"]]
    shown = [one["id"] for one in told["shown"]]
    assert [one if one.startswith("e-") else "constitution#curiosity" for one in shown] == order
    assert measured[name["relay"]] == (round(0.2 * (1 + 31 / 32 + 1 + 1 + 0.25), 4), relay)
    assert measured[shown[1]] == (0.45, principle)
    assert measured[name["backup"]] == (round(0.2 * (0.5 + math.exp(-0.39)), 4), untold)
    dropped = {one["id"]: (one["score"], one["why"]) for one in told["dropped"]}
    assert dropped[name["fern"]] == (round(0.2 * (0.25 + math.exp(-0.39)), 4), "below_places")
    assert sum(why == "over_cap" for _, why in dropped.values()) == 9
    assert (told["dropped_in_all"], told["budget_tokens"]) == (14, 800)
    assert sum(one["tokens"] for one in told["shown"]) == told["tokens"]
    assert told["withheld"] == {"forgotten": 0, "quarantined": 0, "unsigned": 0}
    relay_entry = told["shown"][0]
    assert (relay_entry["path"], relay_entry["section"]) == ("MEMORY.md", ["MEMORY.md", "Lessons"])
    assert (relay_entry["kind"], relay_entry["text"]) == ("entry", "- First look after the relay.")


def test_each_forty_active_hours_other_principles_come_first(home: World) -> None:
    seen = []
    for period in range(6):
        if period:
            live(home, range(40 * period - 40, 40 * period))
        told = home.json("recall", "--frame", "self")
        seen.append(tuple(one["id"] for one in told["shown"]))
        assert (told["outside"], len(told["shown"]), told["places"]) == (9, 2, 5)
    assert {one for both in seen for one in both} == set(PRINCIPLES)
    assert seen[0] == seen[5]
    assert len(set(seen)) == 5


def test_tags_that_were_signed_slow_fading_and_open_the_frame_of_self(home: World) -> None:
    name = names(home)
    for word, tag in (("fern", "self/value"), ("relay", "self/style"), ("backup", "observation")):
        home.ok("pin", name[word], "--tag", tag, typed=lambda _: "y")
    home.ok("pin", name["invoice"], typed=lambda _: "y")
    live(home, range(100), name["tunnel"])
    told = known(home)
    assert {word: (one["tier"], one["tags"], one["pin"]) for word, one in told.items() if word < "k"} == {
        "fern": ("durable", ["self/value"], False),
        "backup": ("ephemeral", ["observation"], False),
        "invoice": ("standard", [], True),
        "garden": ("standard", [], False),
    }
    judged = {one["id"]: (one["status"], one["utility"]) for one in home.json("hygiene")["entries"]}
    assert judged[name["fern"]] == ("ACTIVE", round(math.exp(-0.099), 4))
    assert judged[name["backup"]] == ("PENDING_DECAY", round(math.exp(-4.95), 4))
    assert judged[name["garden"]] == ("ACTIVE", round(math.exp(-0.99), 4))
    shown = home.json("recall", "--frame", "self")["shown"]
    entries = [(one["id"], one["tags"]) for one in shown if one["kind"] == "entry"]
    assert entries == [(name["fern"], ["self/value"]), (name["relay"], ["self/style"])]
    home.ok("unpin", name["fern"], "--tag", "self/value", typed=lambda _: "y")
    home.ok("unpin", name["invoice"], typed=lambda _: "y")
    told = known(home)
    assert (told["fern"]["tier"], told["fern"]["tags"], told["invoice"]["pin"]) == ("standard", [], False)
    assert [told["relay"]["tags"], told["backup"]["tags"]] == [["self/style"], ["observation"]]


def test_what_faded_is_asked_about_once_a_month_and_pins_and_use_speak_for_the_rest(home: World) -> None:
    name = names(home)
    home.ok("pin", name["relay"], typed=lambda _: "y")
    live(home, range(299), name["fern"])
    assert (home.json("curate", "--dry-run")["faded"], home.read()) == (0, MEMORY)
    live(home, range(299, 320), name["fern"])
    dry = home.json("curate", "--dry-run")
    assert (dry["faded"], len(dry["proposals"]), home.proposals()) == (7, 1, [])
    done = home.json("curate")
    assert (done["faded"], done["kept"], done["reason"], done["periods"]) == (7, 0, "", [320])
    (proposal,) = home.proposals()
    assert [proposal["id"]] == done["proposals"]
    assert (proposal["kind"], proposal["lane"]) == ("prune_stale_memory", "job")
    assert proposal["title"] == "Archive what faded of MEMORY.md"
    lines = [change["before"] for change in proposal["changes"]]
    assert lines == ["- First look after the backup.\n", "- First look after the invoice.\n"]
    assert sum(map(len, lines)) <= len(MEMORY) / 4
    for change in proposal["changes"]:
        assert (change["op"], change["after"], change["confidence"]) == ("archive", "", 1.0)
        assert "319 active hours" in change["reason"]
        assert "standard" in change["reason"]
        assert [flag["rule"] for flag in change["flags"]] == ["budget.split"]
        assert [(e["path"], e["origin"]) for e in change["evidence"]] == [("MEMORY.md", "unknown")]
    assert [c["evidence"][0]["lines"] for c in proposal["changes"]] == [[7, 7], [8, 8]]
    view = json.loads(home.read("memory/state/tc-prune-request.json"))
    one = {"type": "memory_entry", "proposal": proposal["id"], "section": "MEMORY.md > Lessons"}
    asked = zip((1, 2), proposal["changes"], ("backup", "invoice"), strict=True)
    assert view["prune_candidates"] == [
        {**one, "n": n, "reason": change["reason"], "entry_id": name[word], "proposed_action": "archive"}
        for n, change, word in asked
    ]
    refuse_and_ask_next(home, name, proposal["id"])


def refuse_and_ask_next(home: World, name: dict[str, str], refused: str) -> None:
    """Refuse what was asked; next month the next are asked about, and go by a signature."""
    live(home, range(320, 360), name["fern"])
    again = home.json("curate")
    assert (again["faded"], again["proposals"]) == (7, [])
    assert again["reason"] == "faded entries are asked about once a month"
    home.ok("reject", refused, "--reason", "no")
    live(home, range(24 * 40, 24 * 40 + 40), name["fern"])
    (next_one,) = home.json("curate")["proposals"]
    (proposal,) = [one for one in home.proposals() if one["id"] == next_one]
    assert [change["before"].split()[-1] for change in proposal["changes"]] == ["printer.", "garden."]
    review(home, otherwise="y")
    home.apply_cooled()
    year = home.read("memory/archive/2026.md")
    assert all(f"First look after the {word}." in year for word in ("printer", "garden"))
    gone = ("printer", "garden")
    left = [line for line in MEMORY.splitlines(keepends=True) if not any(word in line for word in gone)]
    assert home.read() == "".join(left)


def test_where_no_outcome_names_what_was_shown_nothing_that_faded_is_asked_about(home: World) -> None:
    live(home, range(320))
    done = home.json("curate")
    assert (done["faded"], done["proposals"]) == (9, [])
    assert "no outcome names what was shown" in done["reason"]


def test_what_the_graph_blocks_and_what_many_links_name_is_not_asked_about(tmp_path: Path) -> None:
    memory = "# M\n\n- Never open the garage: open-garage is for people.\n- Toggle lights at dusk.\n"
    world = found(tmp_path, memory=f"{memory}- Sweep the hall.\n- Water the fern.\n- Feed the cat.\n")
    name = names(world)
    live(world, range(320), name["cat"], context_tags=["hall", "stairs"])
    world.ok("link")
    done = world.json("curate")
    assert (done["faded"], done["kept"]) == (3, 1)
    (proposal,) = world.proposals()
    assert [change["before"] for change in proposal["changes"]] == ["- Toggle lights at dusk.\n"]
    assert done["constitutional_reinforced"] == 0


def test_links_of_which_nothing_good_came_are_asked_about_one_by_one_and_stay_gone(tmp_path: Path) -> None:
    world = found(tmp_path)
    for hour, tags in enumerate((["mast", "sail"], ["oar", "sail"], ["mast", "sail"])):
        live(world, range(hour * 24, hour * 24 + 1), context_tags=tags, outcome="failure")
    live(world, range(24 * 3, 24 * 3 + 1), context_tags=["anchor", "rope"])
    live(world, range(24 * 60, 24 * 60 + 40), context_tags=["hull", "keel"])
    assert world.json("curate")["weak_links"] == 0  # the newest of them was seen sixty days ago
    live(world, range(24 * 70, 24 * 70 + 40), context_tags=["hull", "keel"])
    dry = world.json("curate", "--dry-run")
    assert (dry["weak_links"], len(dry["proposals"]), world.proposals()) == (2, 2, [])
    done = world.json("curate")
    assert (done["weak_links"], done["kept"]) == (2, 0)
    asked = {one["changes"][0]["before"]: one for one in world.proposals()}
    assert [one["id"] for one in world.proposals()] == done["proposals"]
    assert list(asked) == [
        "oar + sail: 1 co-occurrence, last seen 2026-03-02",
        "mast + sail: 2 co-occurrences, last seen 2026-03-03",
    ]
    titles = [one["title"] for one in world.proposals()]
    assert titles == ["Forget the link oar + sail", "Forget the link mast + sail"]
    assert [len(one["changes"]) for one in world.proposals()] == [1, 1]
    reasons = [one["changes"][0]["reason"] for one in world.proposals()]
    assert "once, last on 2026-03-02, 70 days ago" in reasons[0]
    assert "2 times, last on 2026-03-03, 69 days ago" in reasons[1]
    view = json.loads(world.read("memory/state/tc-prune-request.json"))["prune_candidates"]
    assert [(one["type"], one["key"], one["proposed_action"]) for one in view] == [
        ("hebbian_link", "oar + sail", "delete"),
        ("hebbian_link", "mast + sail", "delete"),
    ]
    live(world, range(24 * 72, 24 * 72 + 40), context_tags=["hull", "keel"])
    assert world.json("curate")["proposals"] == []
    forget_mast_and_sail(world, asked["mast + sail: 2 co-occurrences, last seen 2026-03-03"]["id"])


def forget_mast_and_sail(world: World, name: str) -> None:
    """Sign that deletion; look what becomes of the link, when it occurs again, when the deletion is undone."""
    world.ok("link")
    assert set(links(world)) == {"mast + sail", "oar + sail", "anchor + rope", "hull + keel"}
    world.accept(name)
    world.ok("link")
    assert set(links(world)) == {"oar + sail", "anchor + rope", "hull + keel"}
    live(world, range(24 * 74, 24 * 74 + 1), context_tags=["mast", "sail"])
    world.ok("link")
    assert links(world)["mast + sail"] == 1
    assert world.run("doctor", "--rebuild", "--dry-run").status == 0
    world.ok("undo", name)
    world.ok("link")
    assert links(world)["mast + sail"] == 3
    assert world.run("verify").status == 0


def links(world: World) -> dict[str, int]:
    view = json.loads(world.read("memory/system/hebbian-links.json"))
    return {key: link["co_occurrences"] for key, link in view.items()}


def test_what_is_pinned_while_it_is_asked_about_stays(tmp_path: Path) -> None:
    world = found(tmp_path, memory=MEMORY[: MEMORY.index("- First look after the backup.")])
    live(world, range(330))
    pins = iter([("pin", "MEMORY.md:5")])

    def typed(_shown: str) -> str:
        for words in pins:
            world.ok(*words, typed=lambda _: "y")
        return "y"

    assert "1 left pending" in world.ok("curate", "--ask", typed=typed)
    world.apply_cooled()
    assert world.read().split("\n\n")[2] == "- First look after the fern.\n"
