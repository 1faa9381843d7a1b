"""A deleted link is gone from the view at once, stays gone, and comes back byte for byte."""

import json
from pathlib import Path

from tests.gate.forgetting_desk import forget, pruned
from tests.linking import lines, outcome
from tests.surfaces.console import Console

CRON = [outcome(n, ("cron", "timezone"), session=f"s{n}") for n in range(2)]
DISK = [outcome(f"d{n}", ("disk", "backup"), session=f"d{n}") for n in range(3)]


def log(console: Console, *records: dict[str, object]) -> None:
    with open(console.desk.home.outcomes, "ab") as stream:
        stream.write(lines(records))


def view(console: Console) -> bytes:
    return Path(console.desk.home.links).read_bytes()


def keys(console: Console) -> set[str]:
    return set(json.loads(view(console))) - {"v"}


def delete(console: Console, key: str = "cron + timezone") -> str:
    proposal = pruned(console.desk, forget(key))
    console.out("approve", proposal.id)
    console.desk.wait(hours=3)
    console.out("apply")
    return proposal.id


def test_a_deleted_link_is_gone_at_once_and_comes_back_byte_for_byte(console: Console) -> None:
    log(console, *CRON, *DISK)
    console.out("link")
    before = view(console)
    name = delete(console)
    assert keys(console) == {"backup + disk"}
    assert console.out("rebuild", "--check") == ""
    console.out("link")
    assert keys(console) == {"backup + disk"}
    console.out("undo", name)
    assert view(console) == before
    console.out("rebuild", "--check")


def test_later_outcomes_start_a_deleted_link_anew(console: Console) -> None:
    log(console, *CRON, *DISK)
    delete(console)
    log(console, outcome("late", ("cron", "timezone"), session="late"))
    console.out("link")
    link = json.loads(view(console))["cron + timezone"]
    assert link["co_occurrences"] == 1
    console.out("rebuild")
    assert json.loads(view(console))["cron + timezone"] == link


def test_the_night_and_a_rebuild_know_what_was_deleted(console: Console) -> None:
    log(console, *CRON, *DISK)
    delete(console)
    Path(console.desk.home.links).unlink()
    console.out("rebuild")
    assert keys(console) == {"backup + disk"}
    console.desk.wait(days=1)
    log(console, outcome("more", ("disk", "backup"), session="more"))
    console.out("night")
    assert keys(console) == {"backup + disk"}
