"""What waits is the best there is; what was answered is told as it was answered, and is learned from."""

from collections import Counter
from typing import Any

from tests.blackbox.person import review, sound
from tests.blackbox.world import World
from tests.rows import tables

TABLES = tables("blackbox-queue")
LAMP = "Lesson: the lamp in the hall wants a small fuse"
KEYS = "Important: the API key rotation happens every 90 days, never commit keys."
CABLE = "Lesson: label both ends of each cable, because the rack was rewired wrongly"
CRANE = "Lesson: ask the harbour master before the crane moves"
CRON = "Root cause: cron has no PATH; call restic by its full path"
COUNT = "Lesson: count twice before ordering cable"
"""Lines of a daily log, what a night is surest of first."""


def small(world: World) -> None:
    """Let two changes wait, at most."""
    world.write("config/nightledger/nightledger.yaml", "waiting_changes: 2\n")


def night(world: World, day: int, *lines: str) -> str:
    """Write the log of a day of March and run its night; give what it printed."""
    world.log_day(f"2026-03-{day:02}", *lines)
    return slept(world, day)


def slept(world: World, day: int) -> str:
    world.now = world.now.replace(day=day + 1, hour=3, minute=10)
    return world.ok("night")


def waiting(world: World, *words: str) -> set[str]:
    """Give those of some words that a waiting change adds."""
    texts = [c["after"] for p in world.proposals() for c in p["changes"] if c["state"] == "pending"]
    return {word for word in words if any(word in text for text in texts)}


# ------------------------------------------------------------ the best wait
def test_a_better_one_takes_the_room_of_the_weakest_which_competes_again(world: World) -> None:
    small(world)
    night(world, 2, "## Backup", CRON, "## Stock", COUNT)
    (waits,) = world.proposals()
    strong, weak = sorted(waits["changes"], key=lambda change: -change["confidence"])
    night(world, 3, "## House", LAMP)
    assert waiting(world, "fuse", strong["after"], weak["after"]) == {"fuse", strong["after"]}
    assert f"withdrawn 2026-03-04 ({weak['n']} of 2): made room for better ones" in world.said("proposals")
    assert [e["changes"] for e in world.events() if e.get("cause") == "better"] == [[weak["n"]]]
    review(world, {"fuse": "y"}, otherwise="n")
    slept(world, 4)
    assert waiting(world, strong["after"], weak["after"]) == {weak["after"]}
    sound(world)


def test_what_is_no_better_waits_for_room_and_what_was_put_off_stays(world: World) -> None:
    small(world)
    night(world, 2, "## House", LAMP, "## Stock", CABLE)
    night(world, 3, "## Stock", COUNT)
    assert waiting(world, "fuse", "cable", "twice") == {"fuse", "cable"}
    assert "waits for room" in world.said("status")
    review(world, {"fuse": "y"}, otherwise="s")
    slept(world, 4)
    assert waiting(world, "twice") == {"twice"}
    review(world, otherwise="s")
    night(world, 5, "## Keys", KEYS, "## Harbour", CRANE)
    states = {
        c["after"]: c["state"] for p in world.proposals() for c in p["changes"] if c["n"] in p["waiting"]
    }
    assert sorted(states.values()) == ["deferred", "deferred"]


SLOGAN = "Always trust the process and never stop learning"
CALLS = "Ida said that she never wants calls before nine"


def test_a_slogan_is_not_asked_about_and_an_owner_s_word_is(world: World) -> None:
    night(world, 2, "## Thoughts", SLOGAN, "## Tea", CALLS)
    assert ["calls" in one["after"] for p in world.proposals() for one in p["changes"]] == [True]


def test_twins_of_what_is_applied_are_withdrawn(world: World) -> None:
    first = world.propose("Label both ends of every long cable in the rack.")
    twin = world.propose("Label both ends of each long cable in the rack.")
    other = world.propose("Label both ends of every long cable in rack 3.")
    world.accept(first)
    assert [p["id"] for p in world.proposals()] == [other]
    (gone,) = [p for p in world.proposals("--all") if p["id"] == twin]
    assert [(a["state"], a["reason"]) for a in gone["answers"]] == [
        ("withdrawn", "what was applied says the same")
    ]
    assert world.run("verify").status == 0


def test_what_nobody_answered_is_proposed_again(world: World) -> None:
    night(world, 2, "## Stock", CABLE)
    (first,) = world.proposals()
    for day in range(3, 19):  # its log is older than those of a night by then
        slept(world, day)
    (again,) = world.proposals()
    assert again["id"] != first["id"]
    assert waiting(world, "cable") == {"cable"}
    assert "nobody answered" in world.said("proposals", "--all")
    assert world.run("verify").status == 0


# ------------------------------------------------------------ rejections teach
def refuse(world: World, day: int, *lines: str) -> None:
    """Write the log of a day, have its night run, and refuse what it proposes."""
    night(world, day, *lines)
    assert world.proposals(), lines
    review(world, otherwise="n")


def refuse_three(world: World) -> None:
    for day, line in ((2, CABLE), (3, CRANE), (4, KEYS)):
        refuse(world, day, "## Ideas", line)


def test_three_rejections_under_a_heading_end_it_until_it_is_asked_about_again(world: World) -> None:
    refuse_three(world)
    assert "heading 'Ideas': you refused 3 of 3" in world.said("status")
    printed = " ".join(night(world, 5, "## Ideas", LAMP).split())
    assert not world.proposals()
    passed_over = "1 heading, label or kind that you refused passed over"
    assert passed_over in printed + world.said("status")
    night(world, 6, "## Backup", CRON)
    assert waiting(world, "restic") == {"restic"}
    for day in range(7, 16):
        slept(world, day)
    world.ok("doctor", "--rebuild")
    assert world.json("status")["unasked"] == [{"heading": "Ideas", "refused": 3}]
    assert world.run("proposals", "--ask-again", "Recipes").status == 1
    world.ok("proposals", "--ask-again", "ideas")
    assert world.json("status")["unasked"] == []
    night(world, 16, "## Ideas", LAMP)
    assert "fuse" in waiting(world, "fuse")
    assert world.run("verify").status == 0


def test_one_accepted_keeps_a_heading_and_a_files_own_title_is_none(world: World) -> None:
    night(world, 2, "## Ideas", LAMP)
    review(world, otherwise="y")
    refuse_three(world)
    assert world.json("status")["unasked"] == []
    for day, line in ((5, CRON), (6, COUNT), (7, "Lesson: the ladder in the shed wants a new rope")):
        world.write(f"memory/2026-03-{day:02}.md", f"# Log of the harbour\n\n- {line}\n")
        slept(world, day)
        review(world, otherwise="n")
    assert world.json("status")["unasked"] == []


def test_a_rejection_that_says_never_ends_its_heading_at_once(world: World) -> None:
    night(world, 2, "## Ideas", CABLE)
    (waits,) = world.proposals()
    world.ok("reject", waits["id"], "--reason", "never from this heading: Ideas")
    assert "heading 'Ideas': you said never" in world.said("status")
    night(world, 3, "## Ideas", LAMP)
    assert not world.proposals()


def test_a_kind_of_file_that_was_refused_three_times_is_not_proposed_from(world: World) -> None:
    for day, line in ((2, CABLE), (3, CRANE), (4, KEYS), (5, LAMP)):
        world.write(
            f"memory/2026-03-{day:02}-standup.md", f"# Day\n\n## Part {'abcd'[day - 2] * 4}\n\n- {line}\n"
        )
        slept(world, day)
        if day < 5:
            assert world.proposals(), line
            review(world, otherwise="n")
    assert not world.proposals()
    assert [one["heading"] for one in world.json("status")["unasked"]] == ["*-standup"]
    assert "not proposing from files '*-standup': you refused 3 of 3" in world.said("status")
    world.ok("proposals", "--ask-again", "standup")
    assert world.json("status")["unasked"] == []


LIFT = "never lift the south gate while the tide runs out"


def test_a_label_that_was_refused_three_times_is_not_proposed_from_wherever_it_stands(world: World) -> None:
    refused = TABLES["refused"]
    for day, line in enumerate(refused, 2):
        refuse(world, day, f"## Part {'abc'[day - 2] * 4}", f"Tip: {line}")
    assert [one["heading"] for one in world.json("status")["unasked"]] == ["Tip:"]
    assert "not proposing from label 'Tip:': you refused 3 of 3" in world.said("status")
    night(world, 5, "## Gate", f"Tip: {LIFT}", "## Stock", CABLE)
    assert waiting(world, "south gate", "cable") == {"cable"}
    assert "ask again: nightledger proposals --ask-again NAME" in world.said("status")
    world.ok("proposals", "--ask-again", "tip:")
    slept(world, 6)
    assert waiting(world, "south gate") == {"south gate"}
    assert world.run("verify").status == 0


def test_a_kind_refused_on_three_nights_is_not_proposed_until_asked_again(world: World) -> None:
    for day, lines in ((2, (CABLE, CRANE, COUNT)), (3, (LAMP,))):
        refuse(world, day, *(row for n, line in enumerate(lines) for row in (f"## {'abc'[n] * day}", line)))
    assert world.json("status")["unasked"] == [], "one bad night is one refusal"
    refuse(world, 4, "## Rope", "Lesson: the ladder in the shed wants a new rope")
    assert world.json("status")["unasked"] == [{"heading": "kind: lesson", "refused": 3}]
    assert "not proposing statements of 'kind: lesson': you refused 3 of 3" in world.said("status")
    night(world, 5, "## Pump", "Lesson: the pump in the yard wants oil before frost", "## Keys", KEYS)
    assert waiting(world, "pump", "90 days") == {"90 days"}
    world.ok("proposals", "--ask-again", "kind: lesson")
    slept(world, 6)
    assert waiting(world, "pump") == {"pump"}


# ------------------------------------------------------------ what was decided is what is told
def test_proposals_says_of_each_what_was_decided(world: World) -> None:
    night(world, 2, "## Backup", CRON, "## House", LAMP)
    world.wait(hours=3)
    review(world, {"fuse": "y"}, otherwise="s")
    (waits,) = world.proposals()
    assert "1 of 2 changes wait" in world.said("proposals")
    assert [c["state"] for c in waits["changes"] if c["n"] not in waits["waiting"]] == ["approved"]
    review(world, otherwise="n")
    assert not [p for p in world.proposals() if p["state"] in {"pending", "deferred"}]
    world.apply_cooled()
    said = world.said("proposals", "--all")
    assert "applied 2026-03-03" in said
    assert "rejected 2026-03-03 (2 of 2): no" in said or "rejected 2026-03-03 (1 of 2): no" in said


def test_a_rejected_proposal_is_told_as_rejected_for_ever(world: World) -> None:
    night(world, 2, "## Backup", CRON)
    (waits,) = world.proposals()
    world.ok("reject", waits["id"], "--reason", "not ours")
    for day in range(3, 14):
        slept(world, day)
    said = world.said("proposals", "--all")
    assert f"{waits['id'][:6]} rejected" in said
    assert "rejected 2026-03-03: not ours" in said
    assert "nobody answered" not in said
    assert [p["state"] for p in world.proposals("--all")] == ["rejected"]


def test_history_shows_what_came_and_went(world: World) -> None:
    name = world.applied("Label both ends of a cable.")
    world.ok("undo", name)
    world.edit(lambda text: text.replace("for 30 days", "for 40 days"))
    said = world.said("history")
    assert "+ - Label both ends of a cable." in said
    assert "- - Label both ends of a cable." in said
    assert "+ - Keep backups for 40 days." in said
    edit, undo, apply = (step["changes"][0] for step in world.json("history")["steps"])
    assert (apply["removed"], apply["added"].strip()) == ("", "- Label both ends of a cable.")
    assert (undo["removed"].strip(), undo["added"]) == ("- Label both ends of a cable.", "")
    assert "30 days" in edit["removed"]


def test_what_was_refused_does_not_come_back_with_the_day_of_another_log_in_it(world: World) -> None:
    rule = "Important: store durable memories only in memory/2026-03-{:02}.md, never in MEMORY.md."
    night(world, 2, "## Flush", rule.format(12))
    assert waiting(world, "durable") == {"durable"}
    review(world, otherwise="n")
    night(world, 3, "## Flush", rule.format(13))
    assert waiting(world, "durable") == set()
    night(world, 4, "## Flush", "Important: store durable memories only for 30 days, never in MEMORY.md.")
    assert waiting(world, "durable") == {"durable"}


# ---------------------------------------------------------------- what is said of how sure a proposal is

THINGS = TABLES["things"]


def mined(world: World, day: int, lines: list[str]) -> list[dict[str, Any]]:
    """Write a log of some lessons, each under a heading of its own; give what mining it proposes."""
    world.log_day(
        f"2026-03-{day:02}",
        *(row for n, one in enumerate(lines) for row in (f"## Part {day} {'abcdefghij'[n]}", one, "")),
    )
    world.now = world.now.replace(day=day + 1, hour=8)
    world.ok("consolidate", "--since", f"2026-03-{day:02}")
    found_here: list[dict[str, Any]] = [one for each in world.proposals() for one in each["changes"]]
    return found_here


def test_thirty_answers_on_each_screen_tells_the_share_that_was_signed_here(world: World) -> None:
    signed, decided = Counter[int](), Counter[int]()
    for day in range(2, 12):
        lines = [f"Lesson: {thing} of berth {day * 7 + n} {must}" for n, (thing, must) in enumerate(THINGS)]
        waits = mined(world, day, lines)
        assert all((one["signed_here"] is not None) is (decided.total() >= 30) for one in waits)
        assert all(0.24 < one["confidence"] < 0.88 for one in waits), "of the surest 7 of 8 were worth it"
        decided.update(map(band, waits))
        signed.update(map(band, waits if day % 3 else ()))
        review(world, otherwise="y" if day % 3 else "n")
        world.apply_cooled()
    (one,) = mined(world, 21, ["Lesson: always call the harbour master before the ferry docks"])
    of, yes = decided[band(one)], signed[band(one)]
    assert 10 <= of < decided.total(), "of those as sure as it, and no others"
    assert 0 < yes < of
    assert one["signed_here"] == {"source": "rules", "decided": of, "signed": yes, "reworded": 0}
    sure = f"confidence {one['confidence']:.2f}; you signed {yes} of {of} such from the rules"
    (listed,) = world.proposals()
    for words in (["proposals"], ["proposals", listed["id"]], ["review"]):
        assert sure in world.run(*words).text, words
    assert sure in " ".join(review(world, otherwise="s").seen[0][0].split())
    world.use_editor('#!/bin/sh\nsed -i s/docks/lands/ "$1"\n')
    review(world, {"docks": "e", "lands": "y"})
    world.apply_cooled()
    (later,) = mined(world, 23, ["Lesson: never leave the ferry without its second rope"])
    assert band(later) == band(one)
    told = {"source": "rules", "decided": of + 1, "signed": yes + 1, "reworded": 1}
    assert later["signed_here"] == told
    assert f"you signed {yes + 1} of {of + 1} such from the rules (1 reworded)" in world.run("proposals").text


def band(change: dict[str, Any]) -> int:
    return int(change["confidence"] * 10)
