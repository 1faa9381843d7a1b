"""An agent that lives some active hours: what its own ledgers hold then, and what the home says of its entries."""

import base64
import hashlib
import json
from datetime import timedelta
from typing import Any

from tests.blackbox.world import OUTCOMES, START, World


def live(world: World, hours: range, *shown: str, **fields: Any) -> None:
    """Append one outcome in each of some hours since the home began, and let the clock go on.

    Args:
        world: The home.
        hours: Which.
        shown: What had been shown before each: ids of entries and principles.
        fields: Fields that matter to the test.
    """
    rows = []
    for hour in hours:
        at = f"{START + timedelta(hours=hour):%Y-%m-%dT%H:30:00Z}"
        row: dict[str, Any] = {"v": 1, "received_at": at, "timestamp": at, "task_type": "deploy"}
        row |= {"context_tags": ["hall"], "resolution": "swept_it", "outcome": "success"}
        row |= {"source_file": f"memory/{at[:10]}.md", "session": f"s{hour}"}
        row |= {**({"shown": sorted(shown)} if shown else {}), **fields}
        name = base64.b32encode(hashlib.sha256(json.dumps(row).encode()).digest()).decode()
        rows.append(
            json.dumps({"id": f"o-{name[:26].lower()}", **row}, sort_keys=True, separators=(",", ":"))
        )
    path = world.home / OUTCOMES
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as stream:
        stream.write("".join(f"{row}\n" for row in rows))
    world.now = max(world.now, START + timedelta(hours=hours[-1] + 1))


def known(world: World) -> dict[str, dict[str, Any]]:
    """Give what ``entries.json`` says of each entry, by the last word of its line."""
    world.ok("doctor", "--rebuild")
    found = {}
    for entry in json.loads(world.read("memory/system/entries.json"))["entries"]:
        first = world.read(entry["path"]).splitlines()[entry["lines"][0] - 1]
        found[first.split()[-1].strip(".")] = entry
    return found


def two_lessons(world: World) -> None:
    """Have a night of 2026-03-03 propose two lessons."""
    world.log_day(
        "2026-03-02",
        "## Backup",
        "09:40 Lesson: cron has no PATH; call restic by its full path",
        "## Relay",
        "10:40 Lesson: the relay was out of disk because of old captures; delete them weekly",
    )
    world.night(3)


def log_old_outcome(world: World) -> None:
    """Log one success of June 2025, which nothing has confirmed since."""
    told = {"outcome": "success", "source": "memory/2025-06-01.md", "session": "s1"}
    ran = world.log("debug", "printer,spool", "clear_spool", **told, timestamp="2025-06-01T10:00:00Z")
    assert ran.status == 0, ran


def revoke(world: World) -> None:
    """Let a second key in, and the operator's own go."""
    second = world.root / "second.pub"
    second.write_bytes((world.own_keys / "machine-ed25519.pub").read_bytes())
    world.ok("key", "add", str(second), "--principal", "second")
    mine = next(
        one["fingerprint"] for one in world.json("key", "list")["signers"] if one["principal"] == "operator"
    )
    world.ok("key", "revoke", mine, "--reason", "lost")
