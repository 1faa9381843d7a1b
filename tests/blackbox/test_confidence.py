"""What is said of how sure a proposal is: a chance that was measured, and what became of such proposals in this home."""

from collections import Counter
from typing import Any

from tests.blackbox.person import review
from tests.blackbox.world import World

THINGS = (
    ("the south crane", "must not lift more than 900 kg"), ("the hull", "must never be painted below 8 degrees"),
    ("the pump", "must always be drained before frost"), ("the radio", "must always be charged at the north pier"),
    ("restic", "always needs its full path"), ("the gate code", "must never stand in the diary"),
    ("the ferry", "must never dock before the master was called"), ("the winch", "must never turn under load"),
)  # fmt: skip


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
        assert all(0.24 < one["confidence"] < 0.75 for one in waits), (
            "elsewhere two of five were worth signing"
        )
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
