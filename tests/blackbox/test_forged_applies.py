"""What ``verify`` finds wrong with each entry of an apply that no operator's signature bears out, and with which line.

Whoever holds the log's key appends them beside decisions that an operator did sign; the file itself may stay as it is.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.blackbox.forge import append, event_named, logged_proposal, operator_signed, put_blob
from tests.blackbox.living import revoke
from tests.blackbox.test_applying import sign
from tests.blackbox.test_undoing import let_go
from tests.blackbox.test_undoing import signed as letting  # noqa: F401 - two logs and an entry to let go, as a fixture
from tests.blackbox.world import MEMORY, OUTCOMES, TEXT, Folder, World, sha256
from tests.rows import tables

APPLY = "a-" + "f" * 26
OTHER = "Count twice."


def decision_of(world: World, proposal: str) -> dict[str, Any]:
    """Give the newest decision about a proposal, as it was signed."""
    named = [one for one in world.named("decision.recorded") if one["proposal"] == proposal]
    return world.decision(named[-1]["decision"])


def targets_of(world: World, decision: dict[str, Any], **changed: str) -> list[dict[str, str]]:
    """Give the targets of an apply that does what a decision says; all bytes are kept."""
    now = put_blob(world, world.read().encode())
    after = put_blob(world, world.read().replace(f"{OTHER}\n", f"{OTHER}\n- {TEXT}\n").encode())
    bytes_then = {"before": now, "after": after}
    signed = [
        {"path": one["path"], "signed_base": one["base"], "signed_result": one["result"]}
        for one in decision["targets"]
    ]
    return [{**one, **bytes_then, **changed} for one in signed]


def begin(world: World, decision: dict[str, Any], **changed: Any) -> dict[str, Any]:
    """Give the entry with which an apply of a decision begins."""
    names = {"decision": decision["id"], "proposal": decision["proposal"], "changes": decision["changes"]}
    targets = [] if "targets" in changed else targets_of(world, decision)
    return {"event": "apply.intent", "apply": APPLY, **names, "targets": targets, **changed}


def carry_out(
    world: World, decision: dict[str, Any], *, after: tuple[dict[str, Any], ...] = (), **changed: Any
) -> None:
    """Log an apply of a decision, done."""
    begun = begin(world, decision, **changed)
    append(world, begun, *after, {"event": "apply.done", "apply": begun["apply"]})


@pytest.fixture(scope="module")
def signed(adopted: World, new_folder: Folder) -> World:
    """Give a home with a change that was applied, and one that is signed and waits."""
    world = adopted.copy(new_folder())
    world.applied(OTHER)
    sign(world, world.propose(TEXT))
    return world


def saying(world: World, text: str) -> dict[str, Any]:
    """Give what was decided about the proposal that adds a text."""
    name = next(p["id"] for p in world.proposals("--all") if text in p["changes"][0]["after"])
    return decision_of(world, name)


def waiting(world: World) -> dict[str, Any]:
    return saying(world, TEXT)


def applied(world: World) -> dict[str, Any]:
    return saying(world, OTHER)


def undo_signed(world: World, after: str, *changes: int) -> dict[str, Any]:
    """Have the operator sign, beside the gate, that what was applied last goes."""
    like = applied(world)
    now = sha256(world.read().encode())
    target = {**like["targets"][0], "base": now, "result": put_blob(world, after.encode())}
    less = list(changes) or like["changes"]
    return operator_signed(world, like, type="undo", targets=[target], changes=less)


def bytes_of(world: World, after: str, **members: str) -> dict[str, str]:
    """Give what a target says of a file that goes from its bytes of now to others."""
    now = put_blob(world, world.read().encode())
    return {"before": now, "after": put_blob(world, after.encode()), **members}


def other_result(world: World) -> dict[str, Any]:
    return {"targets": targets_of(world, waiting(world), after=put_blob(world, b"# Other\n"))}


def other_targets(world: World, **members: str) -> dict[str, Any]:
    return {"targets": targets_of(world, waiting(world), **members)}


def carried(world: World, **changed: Any) -> None:
    carry_out(world, waiting(world), **changed)


def begun_twice(world: World) -> None:
    carried(world, after=(begin(world, waiting(world)),))


def expired(world: World) -> None:
    decision = waiting(world)
    world.wait(days=8)
    carry_out(world, decision)


def signature_broken(world: World) -> None:
    decision = waiting(world)
    path = world.home / f"audit/decisions/{decision['id']}.json.sig"
    path.write_bytes(path.read_bytes()[:200])
    carry_out(world, decision)


def proposal_altered(world: World) -> None:
    decision, targets = waiting(world), other_result(world)
    (world.home / f"memory/state/proposals/{decision['proposal']}.json").write_bytes(b"{}")
    carry_out(world, decision, **targets)


def bytes_gone(world: World) -> None:
    carried(world, **other_result(world))
    world.blob(sha256(world.read().encode())).unlink()


def over_other_bytes(world: World) -> None:
    name = world.propose("Ask first.")
    like = {**waiting(world), "proposal": name, "proposal_sha256": "0" * 64}
    carry_out(world, operator_signed(world, like))


def does_not_fit(world: World) -> None:
    name = world.propose("Ninety.", "--entry", "Keep backups for 30 days.", section="Decisions")
    assert world.edit(lambda text: text.replace("- Keep backups for 30 days.", "- A month.")).status == 0
    made = next(one for one in world.events() if one.get("proposal") == name)
    target = {**waiting(world)["targets"][0], "base": sha256(world.read().encode()), "result": "1" * 64}
    like = {**waiting(world), "proposal": name, "proposal_sha256": made["sha256"], "targets": [target]}
    decision = operator_signed(world, like)
    carry_out(world, decision)


def undo_elsewhere(world: World) -> None:
    decision = undo_signed(world, MEMORY)
    carry_out(world, decision, targets=targets_of(world, decision, **bytes_of(world, "# Other\n")))


def undo_of_less(world: World) -> None:
    edit = lambda text: text.replace("30 days", "31 days").replace("Restart", "Start")  # noqa: E731
    before = world.read()
    assert world.edit(edit).status == 0
    like = decision_of(world, event_named(world, "apply.intent")["proposal"])
    now = sha256(world.read())
    target = {**like["targets"][0], "base": now, "result": put_blob(world, before.encode())}
    decision = operator_signed(world, like, type="undo", targets=[target])
    carry_out(world, decision, changes=[1], targets=targets_of(world, decision, **bytes_of(world, before)))


def key_revoked(world: World) -> None:
    decision = undo_signed(world, MEMORY)
    revoke(world)
    carry_out(world, decision, targets=targets_of(world, decision, **bytes_of(world, MEMORY)))


def after_a_reset(world: World) -> None:
    decision = undo_signed(world, MEMORY)
    world.ok("key", "reset", "--no-passphrase", "--passphrase-forgotten")
    world.wait(days=3)
    carry_out(world, decision, targets=targets_of(world, decision, **bytes_of(world, MEMORY)))


def outcomes_led_away(world: World) -> None:
    world.write("elsewhere.jsonl", b"{}\n" * 9)
    (world.home / "memory/system").mkdir(exist_ok=True)
    (world.home / OUTCOMES).symlink_to(world.home / "elsewhere.jsonl")
    carried(world, outcomes=5)


FORGERIES: dict[str, tuple[Callable[[World], None], str]] = {
    "once more": (lambda w: carry_out(w, applied(w)), "change 1 did not stand"),
    "begun twice": (begun_twice, "carried out before"),
    "of another proposal": (
        lambda w: carry_out(w, {**waiting(w), "id": applied(w)["id"]}),
        "no decision about that proposal",
    ),
    "no change": (lambda w: carried(w, changes=[]), "names no change"),
    "one change more": (lambda w: carried(w, changes=[1, 2]), "change 2 did not stand"),
    "outcomes that nobody recorded": (lambda w: carried(w, outcomes=5), "more outcomes of a link"),
    "outcomes of another file": (outcomes_led_away, "more outcomes of a link"),
    "after the keys were reset": (after_a_reset, "the keys had been reset since it was signed"),
    "a signature that was broken": (signature_broken, "its decision does not hold"),
    "a proposal of other bytes": (over_other_bytes, "other bytes of the proposal"),
    "something taken back": (lambda w: carried(w, taken_back=[1]), "takes back what is no drift"),
    "after its time": (expired, "had expired"),
    "another file": (lambda w: carried(w, **other_targets(w, path="memory/2026-01-01.md")), "other files"),
    "one file twice": (lambda w: carried(w, targets=targets_of(w, waiting(w)) * 2), "other files"),
    "no file": (lambda w: carried(w, targets=[]), "other files"),
    "another base": (lambda w: carried(w, **other_targets(w, signed_base="0" * 64)), "it says were signed"),
    "another result": (
        lambda w: carried(w, **other_targets(w, signed_result="0" * 64)),
        "it says were signed",
    ),
    "another start": (
        lambda w: carried(w, **other_targets(w, before=put_blob(w, b"# O\n"))),
        "it began with",
    ),
    "other bytes": (lambda w: carried(w, **other_result(w)), "does not lead"),
    "other accepted bytes": (
        lambda w: carried(
            w, **other_targets(w, accepted_before=sha256(w.read().encode()), accepted=put_blob(w, b"x"))
        ),
        "does not lead",
    ),
    "no accepted bytes before": (
        lambda w: carried(w, **other_targets(w, accepted=put_blob(w, b"x"))),
        "it began with",
    ),
    "a proposal that was altered": (proposal_altered, "proposal is not what was logged"),
    "bytes that are gone": (bytes_gone, "that it names are not there"),
    "a change that does not fit": (does_not_fit, "change 1 does not fit"),
    "an undo to other bytes": (undo_elsewhere, "did not put there what was signed"),
    "an undo of less": (undo_of_less, "other changes than were signed"),
    "a key that was revoked": (key_revoked, "had been revoked"),
}


def told_of(world: World) -> tuple[int, list[str]]:
    """Give how many applies hold, and what is wrong with each other one; its line is that of its entry."""
    seen = world.json("verify")
    begun = [one["event"] == "apply.intent" and one["apply"] == APPLY for one in world.events()]
    found = seen["applies"]["findings"]
    assert all(begun[one["line"] - 1] for one in found)
    assert seen["ok"] == (not found and not seen["altered"] and not seen["drift"])
    return seen["applies"]["checked"], [one["message"].split("was signed: ", 1)[1] for one in found]


def test_what_an_operator_signed_is_found_right(signed: World, tmp_path: Path) -> None:
    world = signed.copy(tmp_path)
    text = world.read().replace(f"{OTHER}\n", f"{OTHER}\n- {TEXT}\n")
    carried(world)
    world.write("MEMORY.md", text)
    assert told_of(world) == (2, [])
    decision = undo_signed(world, MEMORY.replace("upgrade.\n", f"upgrade.\n- {TEXT}\n"))
    after = MEMORY.replace("upgrade.\n", f"upgrade.\n- {TEXT}\n")
    targets = targets_of(world, decision, **bytes_of(world, after))
    carry_out(world, decision, apply="a-" + "e" * 26, targets=targets)
    world.write("MEMORY.md", after)
    assert told_of(world) == (3, [])
    assert world.second_look()[0] == 0


def test_each_way_in_which_an_apply_is_not_what_was_signed_is_named(signed: World, tmp_path: Path) -> None:
    wrong = []
    for n, (why, (forge, words)) in enumerate(FORGERIES.items()):
        world = signed.copy(tmp_path / str(n))
        forge(world)
        checked, told = told_of(world)
        if not told or words not in told[-1]:
            wrong.append((why, checked, told))
    assert wrong == []


def test_an_apply_whose_decision_was_expunged_is_counted_as_one_that_nobody_can_check(
    signed: World, tmp_path: Path
) -> None:
    world = signed.copy(tmp_path)
    nonce = applied(world)["nonce"]
    world.applied("A later lesson.")  # until then what stands in the file rests on that decision, which stays
    world.ok("expunge", "--text-from-stdin", stdin=nonce)
    seen = world.json("verify")
    assert (seen["altered"], seen["applies"]) == ([], {"checked": 2, "expired": 1, "findings": []})


def test_where_nobody_can_tell_who_may_sign_no_run_that_died_excuses_a_file(
    signed: World, tmp_path: Path
) -> None:
    world = signed.copy(tmp_path)
    append(world, begin(world, waiting(world)))
    after = world.write("MEMORY.md", world.read().replace(f"{OTHER}\n", f"{OTHER}\n- {TEXT}\n")).read_bytes()
    assert world.json("verify")["drift"] == []
    signers = world.home / "config/nightledger/allowed_signers"
    world.blob(sha256(signers.read_bytes())).unlink()
    signers.write_bytes(signers.read_bytes() + b"# x\n")
    assert world.json("verify")["drift"] == ["MEMORY.md"]
    world.tells("its bytes are not kept", "apply", status=4)
    assert (world.home / "MEMORY.md").read_bytes() == after


# ------------------------------------------------------------ settled drift
def drifted(world: World) -> tuple[str, str, dict[str, Any]]:
    """Have two places drift; give the file before and since, and what the operator's answer to the item begins as."""
    before = world.read()
    world.write("MEMORY.md", before.replace("30 days", "31 days").replace("- Restart", "- Start"))
    world.ok("guard")
    (item,) = [one for one in world.proposals() if one["kind"] == "drift"]
    made = next(one for one in world.events() if one.get("proposal") == item["id"])
    answer = {"type": "drift", "proposal": item["id"], "proposal_sha256": made["sha256"], "reason": ""}
    return before, world.read(), answer


TABLES = tables("blackbox-forged_applies", MEMORY=MEMORY)
SETTLEMENTS: dict[str, tuple[dict[str, str], str]] = TABLES["settlements"]


def shown_otherwise(item: dict[str, Any]) -> None:
    item["changes"][0]["hunk"]["added"] = "- Keep backups for 32 days.\n"


def test_a_settlement_accepts_what_was_kept_and_nothing_else(adopted: World, tmp_path: Path) -> None:
    wrong = []
    for n, (why, (changed, words)) in enumerate(SETTLEMENTS.items()):
        world = adopted.copy(tmp_path / str(n))
        before, since, answer = drifted(world)
        if why == "shown otherwise":
            forged = logged_proposal(world, answer["proposal"], shown_otherwise)
            append(world, {**event_named(world, "drift.found"), "proposal": forged})
            answer |= {
                "proposal": forged,
                "proposal_sha256": event_named(world, "proposal.created")["sha256"],
            }
        name = world.propose(TEXT)
        sign(world, name)
        like = decision_of(world, name)
        kept, settled = before.replace("30 days", "31 days"), since.replace("- Start", "- Restart")
        target = {**like["targets"][0], "base": sha256(since.encode()), "result": sha256(settled.encode())}
        decision = operator_signed(world, like, **answer, changes=[1], targets=[target])
        texts = {"before": since, "after": settled, "accepted_before": before, "accepted": kept, **changed}
        hashes = {name: put_blob(world, text.encode()) for name, text in texts.items()}
        carry_out(world, decision, taken_back=[2], targets=targets_of(world, decision, **hashes))
        world.write("MEMORY.md", texts["after"])
        checked, told = told_of(world)
        if (checked, [words in one for one in told]) != ((0, [True]) if words else (1, [])):
            wrong.append((why, checked, told))
    assert wrong == []


# ------------------------------------------------------------ files that others may write
def test_a_log_and_its_copy_are_what_was_signed_or_told_of(letting: World, tmp_path: Path) -> None:  # noqa: F811 - the fixture
    plain = letting.copy(tmp_path / "plain")
    plain.ok("apply")
    compression, archival = let_go(letting)
    intents = {one["proposal"]: one for one in plain.named("apply.intent")}
    cases: dict[str, tuple[str, int, dict[str, bytes], list[int] | None, str]] = {
        "a compression": (compression, 0, {}, None, ""),
        "an archival": (archival, 0, {}, None, ""),
        "another copy": (compression, 0, {"after": b"x"}, None, "does not lead"),
        "another summary": (compression, 2, {"after": b"x"}, None, "does not lead"),
        "another log before": (compression, 2, {"before": b"x"}, None, "does not fit"),
        "one of two": (compression, 0, {}, [1], "does not lead"),
        "another archive": (archival, 0, {"after": b"x"}, None, "does not lead"),
        "another memory": (archival, 1, {"after": b"# M\n"}, None, "does not lead"),
    }
    wrong = []
    for why, (name, at, changed, changes, words) in cases.items():
        world = letting.copy(tmp_path / why)
        intent = intents[name]
        targets = [dict(one) for one in intent["targets"]]
        for one in targets:
            for side in ("before", "after"):
                put_blob(world, plain.blob(one[side]).read_bytes())
        targets[at] |= {side: put_blob(world, content) for side, content in changed.items()}
        carry_out(world, decision_of(world, name), targets=targets, changes=changes or intent["changes"])
        found_there = world.json("verify")["applies"]
        told = [one["message"] for one in found_there["findings"]]
        if (found_there["checked"], [words in one for one in told]) != ((0, [True]) if words else (1, [])):
            wrong.append((why, found_there))
    assert wrong == []


def test_an_undo_of_a_log_puts_back_what_was_signed_or_is_told_of(letting: World, tmp_path: Path) -> None:  # noqa: F811 - the fixture
    for n, text in enumerate(("", "x")):
        world = letting.copy(tmp_path / str(n))
        world.ok("apply")
        compression, _ = let_go(world)
        twin = world.copy(tmp_path / f"twin{n}")
        twin.ok("undo", compression)
        intent, like = event_named(twin, "apply.intent"), decision_of(twin, compression)
        signed = operator_signed(world, like)
        targets = [dict(one) for one in intent["targets"]]
        for one in targets:
            for side in ("before", "after"):
                put_blob(world, twin.blob(one[side]).read_bytes())
        if text:
            log = next(one for one in targets if "/archive/" not in one["path"])
            log["after"] = put_blob(world, text.encode())
        a_run_that_died(world.copy(tmp_path / f"died{n}"), signed, targets, intent["changes"])
        carry_out(world, signed, targets=targets, changes=intent["changes"])
        told = [one["message"] for one in world.json("verify")["applies"]["findings"]]
        assert ["did not put there what was signed" in one for one in told] == [True] * n, told


def a_run_that_died(
    world: World, decision: dict[str, Any], targets: list[dict[str, str]], changes: list[int]
) -> None:
    """Have an undo of logs begin and remove their full texts: the next run finishes it, and nothing is called missing."""
    append(world, begin(world, decision, targets=targets, changes=changes))
    for one in targets:
        if "/archive/" in one["path"]:
            (world.home / one["path"]).unlink()
    assert world.json("verify")["altered"] == []
