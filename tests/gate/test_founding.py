import hashlib
import os
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.gate.homes import HOME_ID, MEMORY, START, Desk, addition, make_founding
from tests.gate.killing import Killer, dies
from tests.whole import WHOLE

from nightledger.domain.errors import ConfigurationError, NightledgerError, RefusedError, UnreadableError
from nightledger.domain.event import Actor
from nightledger.domain.trusting import EMPTY_SHA256
from nightledger.files.blobs import BlobStore
from nightledger.files.home import Home
from nightledger.gate.founding import NEW_MEMORY, found, plan
from nightledger.gate.opening import open_gate, read_ledger
from nightledger.trust.keys import needs_passphrase, operator_key_path


def workspace(root: Path) -> Path:
    (root / "home").mkdir()
    (root / "home" / "MEMORY.md").write_text(MEMORY)
    return root / "home"


def listing(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


def test_adopting_changes_none_of_the_workspaces_bytes_and_lists_what_it_makes(tmp_path: Path) -> None:
    home = workspace(tmp_path)
    (home / "notes").mkdir()
    (home / "notes" / "a.md").write_bytes(b"\xff\x00")
    before = listing(home)
    planned = plan(make_founding(tmp_path))
    identity = found(make_founding(tmp_path), None, START)
    after = listing(home)
    assert {name: after[name] for name in before} == before
    ignored = {name for name in after if name.endswith(".gitignore")}
    made = set(after) - set(before) - ignored
    in_listed_folders = {n for n in after if "leaves" in n or n.startswith("audit/blobs/sha256/")}
    assert made <= {*planned, "audit/checkpoints/1", "audit/leaves"} | in_listed_folders
    assert {name for name in planned if os.path.isfile(home / name)} <= made
    assert "MEMORY.md" not in planned
    assert all(after[name] == b"*\n" for name in ignored)
    assert ignored
    assert (identity.id, identity.origin, identity.zone, identity.gated) == (
        HOME_ID,
        f"nightledger-simulated/{HOME_ID}" if "simulated" in identity.origin else f"nightledger/{HOME_ID}",
        "UTC",
        ("MEMORY.md",),
    )
    assert identity.created_at == "2026-03-01T06:00:00Z"
    assert plan(make_founding(tmp_path)) == []


def test_the_genesis_names_trust_files_gated_files_and_simulation(desk: Desk) -> None:
    (genesis,) = desk.ledger().log.events
    assert (genesis.event, genesis.actor) == ("genesis", Actor.HUMAN)
    assert genesis.fields["simulated"] is True
    assert [item["name"] for item in genesis.fields["trust"]] == [
        *("allowed_signers", "constitution", "peers", "policy", "revoked_keys")
    ]
    for item in genesis.fields["trust"]:
        kept = BlobStore(desk.home.blobs_dir).holds(item["sha256"])
        assert kept or (item["name"] in ("constitution", "peers") and item["sha256"] == EMPTY_SHA256)
    assert [item["path"] for item in genesis.fields["gated"]] == ["MEMORY.md"]
    assert genesis.fields["origin"] == desk.home.identity.origin
    assert "quorum none" in Path(desk.home.policy).read_text()
    assert Path(desk.home.allowed_signers).read_text().startswith("operator namespaces=")


def test_every_key_is_made_once_outside_the_home_for_its_owner_only(desk: Desk) -> None:
    made = {path.name: path.stat().st_mode & 0o777 for path in desk.ring.home_dir(HOME_ID).iterdir()}
    assert {"log-ed25519", "machine-ed25519", "operator", "operator.pub"} <= set(made)
    assert {mode for name, mode in made.items() if not name.endswith(".pub")} == {0o600}


def test_a_second_call_changes_nothing(desk: Desk) -> None:
    before, keys = listing(Path(desk.home.root)), listing(desk.ring.directory)
    found(make_founding(desk.root, home_id="f" * 32), b"other", START)
    assert listing(Path(desk.home.root)) == before
    assert listing(desk.ring.directory) == keys


def test_a_new_home_gets_a_memory_file_with_the_sections_in_use(tmp_path: Path) -> None:
    founding = make_founding(tmp_path, adopt=False)
    assert "MEMORY.md" in plan(founding)
    found(founding, None, START)
    home = Path(founding.home.root)
    assert (home / "MEMORY.md").read_text() == NEW_MEMORY
    assert not list(home.rglob(".gitignore")) or not (home / "memory" / ".gitignore").exists()
    assert (home / "MEMORY.md").stat().st_mode & 0o777 == 0o600
    assert home.stat().st_mode & 0o777 == 0o700


def test_an_adopted_home_that_was_missing_is_itself_not_ignored(tmp_path: Path) -> None:
    found(make_founding(tmp_path), None, START)
    home = tmp_path / "home"
    assert not (home / ".gitignore").exists()
    assert (home / "audit" / ".gitignore").exists()


def test_a_log_of_several_entries_without_its_checkpoint_is_not_begun_anew(desk: Desk) -> None:
    desk.proposal(addition("Water the fern."))
    Path(desk.home.checkpoint).unlink()
    before = listing(Path(desk.home.root))
    found(make_founding(desk.root), None, START)
    assert listing(Path(desk.home.root)) == before


def test_a_tracked_home_ignores_nothing(tmp_path: Path) -> None:
    home = workspace(tmp_path)
    found(make_founding(tmp_path, track=True), None, START)
    assert not (home / "audit" / ".gitignore").exists()


def test_a_passphrase_locks_the_operators_key_and_only_that(tmp_path: Path) -> None:
    workspace(tmp_path)
    founding = make_founding(tmp_path)
    found(founding, b"correct horse", START)
    assert needs_passphrase(operator_key_path(founding.ring, HOME_ID))


@pytest.mark.parametrize("name", ["audit/x.log", "config/nightledger/x", "memory/system/x", "memory/state/x"])
def test_a_directory_of_another_tool_is_refused(tmp_path: Path, name: str) -> None:
    home = workspace(tmp_path)
    (home / name).parent.mkdir(parents=True)
    (home / name).write_text("theirs")
    before = listing(home)
    with pytest.raises(RefusedError, match="which Nightledger did not make"):
        plan(make_founding(tmp_path))
    assert listing(home) == before


def test_a_readme_in_our_places_is_no_other_tool(tmp_path: Path) -> None:
    home = workspace(tmp_path)
    (home / "audit").mkdir()
    (home / "audit" / "README.md").write_text("ours")
    (home / "audit" / ".gitignore").write_text("*")
    assert plan(make_founding(tmp_path))


@pytest.mark.parametrize("name", ["memory", "audit", "config/nightledger"])
def test_a_directory_that_leads_out_of_the_home_is_refused_before_anything_is_written(
    tmp_path: Path, name: str
) -> None:
    home = workspace(tmp_path)
    other = tmp_path / "other disk"
    other.mkdir()
    (home / name).parent.mkdir(exist_ok=True)
    (home / name).symlink_to(other)
    with pytest.raises(ConfigurationError, match=f"{name}.* leads to {other}"):
        plan(make_founding(tmp_path))
    assert not list(other.iterdir())


def test_a_directory_that_is_another_of_the_home_is_taken(tmp_path: Path) -> None:
    home = workspace(tmp_path)
    (home / "vault").mkdir()
    (home / "memory").symlink_to(home / "vault")
    assert plan(make_founding(tmp_path))


def giant(path: Path) -> None:
    with path.open("wb") as stream:
        stream.truncate(50_000_000)


@pytest.mark.parametrize(
    ("fields", "prepare", "kind"),
    [
        ({"gated": ("SOUL.md",)}, lambda _: None, RefusedError),
        ({"gated": ("AGENTS.md",)}, lambda _: None, RefusedError),
        ({"gated": ("audit/decisions/x.json",)}, lambda _: None, RefusedError),
        ({"gated": ("config/nightledger/nightledger.yaml",)}, lambda _: None, RefusedError),
        ({"gated": (".nightledger/x",)}, lambda _: None, RefusedError),
        ({"gated": ("../x.md",)}, lambda _: None, RefusedError),
        ({"gated": ("/etc/x.md",)}, lambda _: None, RefusedError),
        ({"gated": ("a\x1bb.md",)}, lambda _: None, RefusedError),
        ({"gated": ("BIG.md",)}, lambda home: giant(home / "BIG.md"), UnreadableError),
        ({"gated": ("dir",)}, lambda home: (home / "dir").mkdir(), UnreadableError),
        ({"gated": ("pipe",)}, lambda home: os.mkfifo(home / "pipe"), UnreadableError),
        ({"gated": ("out.md",)}, lambda home: (home / "out.md").symlink_to("/etc/hosts"), RefusedError),
    ],
)
def test_what_cannot_be_gated_is_refused_before_anything_is_made(
    tmp_path: Path, fields: dict[str, Any], prepare: Any, kind: type[NightledgerError]
) -> None:
    home = workspace(tmp_path)
    prepare(home)
    with pytest.raises(kind):
        plan(make_founding(tmp_path, **fields))
    assert not (home / "config").exists()
    assert not (tmp_path / "keys").exists()


def test_a_home_whose_keys_are_elsewhere_says_so(desk: Desk) -> None:
    desk.ring.directory.rename(desk.root / "moved")
    with pytest.raises(ConfigurationError, match="its keys are not in"):
        found(make_founding(desk.root), None, START)


@pytest.mark.parametrize("cut", ["audit.log", "checkpoint", "pin", "operator.pub"])
def test_an_init_that_was_cut_short_is_completed(
    tmp_path: Path, cut: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = workspace(tmp_path)
    names = {
        "audit.log": "start_log",
        "checkpoint": "start_log",
        "pin": "_write_trust_files",
        "operator.pub": "create_operator_key",
    }
    from nightledger.gate import founding as module

    def dies(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, names[cut], dies)
    with pytest.raises(KeyboardInterrupt):
        found(make_founding(tmp_path), None, START)
    monkeypatch.undo()
    identity = found(make_founding(tmp_path, home_id="f" * 32), None, START)
    assert identity.id == HOME_ID
    gate = open_gate(str(home), str(tmp_path / "keys"), actor=Actor.HUMAN)
    assert read_ledger(gate).log.size == 1


def test_a_kill_at_any_step_of_init_is_completed_by_the_next_one(tmp_path: Path) -> None:
    dead, step = True, 1
    while dead:
        root = tmp_path / str(step)
        root.mkdir()
        home = workspace(root)
        dead = dies(partial(killed_init, root, step))
        begun = (root / "keys" / HOME_ID / "operator.pub").exists()
        identity = found(make_founding(root), None, START)
        gate = open_gate(str(home), str(root / "keys"), actor=Actor.HUMAN)
        ledger = read_ledger(gate)
        assert [event.event for event in ledger.log.events] == ["genesis"]
        assert ledger.log.size == 1
        assert ledger.book.gated["MEMORY.md"] == hashlib.sha256(MEMORY.encode()).hexdigest()
        assert identity.id == HOME_ID
        assert (home / "MEMORY.md").read_text() == MEMORY
        # once keys are made, every step is tried (every fourth in 'make test'): the log is begun, acknowledged, pinned, signed
        step += (1 if WHOLE else 4) if begun else 8
    assert step > 40


def killed_init(root: Path, step: int) -> None:
    Killer(step).arm()
    found(make_founding(root), None, START)


def test_a_directory_that_is_no_home_is_not_opened(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="is not a home yet"):
        open_gate(str(tmp_path), str(tmp_path), actor=Actor.HUMAN)
    assert Home(str(tmp_path)).root == str(tmp_path)
