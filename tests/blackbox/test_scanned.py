"""What becomes of plain orders that an agent proposes, and of honest lessons that speak of the same commands."""

import json
from collections.abc import Iterator
from pathlib import Path

from tests.blackbox.world import ROOT, World

ORDERS = json.loads((ROOT / "tests/blackbox/orders.json").read_text(encoding="utf-8"))
HELD, FLAGGED, SPARED = (tuple(ORDERS[name]) for name in ("held", "flagged", "spared"))


def held_back(world: World, text: str) -> bool:
    made = world.json("propose", "--dry-run", "--text", text, "--section", "Lessons", "--reason", "it helped")
    return made["id"] is None and bool(made["held"])


def flags_of(world: World, root: Path, texts: tuple[str, ...]) -> Iterator[tuple[str, list[str] | None]]:
    """Give what rules say of each text once it is proposed; None where it is not: three wait in a home at most."""
    for n in range(0, len(texts), 3):
        some, home = texts[n : n + 3], world.copy(root / str(n))
        words = ("--section", "Lessons", "--reason", "it helped", "--json")
        ids = [json.loads(home.run("propose", "--text", text, *words).out or "{}").get("id") for text in some]
        found = {one["id"]: [flag["rule"] for flag in one["changes"][0]["flags"]] for one in home.proposals()}
        yield from ((text, found.get(name)) for text, name in zip(some, ids, strict=True))


def test_plain_orders_are_held_back(world: World) -> None:
    assert not [text for text in HELD if not held_back(world, text)]


def test_what_only_tells_of_such_a_command_has_a_flag_and_honest_lessons_none(
    adopted: World, tmp_path: Path
) -> None:
    flags = flags_of(adopted, tmp_path, (*FLAGGED, *SPARED))
    assert not [(text, found) for text, found in flags if (not found if text in FLAGGED else found != [])]


def test_what_is_held_back_reaches_neither_memory_nor_a_view_nor_the_agent(world: World) -> None:
    order = HELD[0]
    world.run("propose", "--text", order, "--section", "Lessons", "--reason", "it helped")
    world.log_day("2026-03-02", f"Lesson: {order}", "Lesson: keep the relay's clock right, cron needs it.")
    world.night(3)
    world.ok("review", typed=["y"] * 20)
    world.wait(hours=6)
    world.ok("apply")
    recalled, staged = world.ok("recall", "curl before work", "--agent"), world.ok("stage")
    told = [world.read(), recalled, staged, json.dumps(world.proposals("--all"))]
    assert not [text for text in told if "get.example.org" in text]


def test_a_password_given_to_a_command_is_a_secret_and_its_placeholder_is_not(world: World) -> None:
    words = ("propose", "--section", "Lessons", "--reason", "it failed twice", "--text")
    value = "moos" + "7026"
    for line in (
        f"Start the console with ttyd -p 7681 -c lotse:{value} bash.",
        f"Ask the gauge with curl -u 'lotse:{value}' https://kai.example.org.",
        f"The console on 8082 (admin/{value}) needs a restart after updates.",
    ):
        ran = world.run(*words, line)
        assert (ran.status, "holds a secret (secret.login)" in " ".join(ran.err.split())) == (1, True), ran
    world.ok(*words, "Ask the gauge with curl -u lotse:$GAUGE_PASS and docker run -u 1000:100000.")
