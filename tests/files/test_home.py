import json
from pathlib import Path

import pytest

from nightledger.codec.home_record import dump_home
from nightledger.domain.errors import ConfigurationError, IntegrityError, UnreadableError
from nightledger.domain.identity import Identity
from nightledger.files.home import Home

IDENTITY = Identity(
    id="3f1d0c5a9b7e42688c1f0a2b3c4d5e6f",
    origin="nightledger/3f1d0c5a9b7e42688c1f0a2b3c4d5e6f",
    created_at="2026-02-28T03:05:00Z",
    machine="desk",
    zone="Europe/Berlin",
    host="openclaw",
    simulated=False,
    gated=("MEMORY.md", "docs/RULES.md"),
)
AN_ID = "p-qygk77v7yviucnh5dahsec22w6"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path)
    Path(made.config_dir).mkdir(parents=True)
    Path(made.identity_file).write_bytes(dump_home(IDENTITY))
    return made


def test_every_path_of_the_contract_is_named() -> None:
    home = Home("/h")
    assert {
        "memory/daily": home.daily_dir,
        "memory/system/outcome-records.jsonl": home.outcomes,
        "memory/system/hebbian-links.json": home.links,
        "memory/system/consolidation-log.jsonl": home.consolidation_log,
        "memory/system/runs.jsonl": home.runs,
        "memory/system/exposures.jsonl": home.exposures,
        "memory/system/cursors.json": home.cursors,
        "memory/system/entries.json": home.entries,
        "memory/system/constitution.json": home.constitution,
        f"memory/state/proposals/{AN_ID}.json": home.proposal(AN_ID),
        "memory/state/tc-consolidate-pending.json": home.pending_view,
        "memory/state/tc-prune-request.json": home.prune_view,
        "memory/state/tc-restore-pending.md": home.staged_context,
        "memory/state/session-handoff.md": home.handoff,
        "memory/state/ATTENTION.md": home.attention,
        "memory/archive/2026.md": home.archive(2026),
        "memory/archive/daily": home.archive_daily_dir,
        "audit/trusted-channel-audit.jsonl": home.audit_log,
        "audit/checkpoint": home.checkpoint,
        "audit/checkpoints": home.checkpoints_dir,
        "audit/cosigned": home.cosigned,
        f"audit/decisions/{AN_ID}.json": home.decision(AN_ID),
        "audit/blobs/sha256": home.blobs_dir,
        "audit/quarantine": home.quarantine_dir,
        "config/nightledger/home.json": home.identity_file,
        "config/nightledger/nightledger.yaml": home.settings,
        "config/nightledger/consent-graph.json": home.consent_graph,
        "config/nightledger/staging-rules.json": home.staging_rules,
        "config/nightledger/allowed_signers": home.allowed_signers,
        "config/nightledger/revoked_keys": home.revoked_keys,
        "config/nightledger/policy": home.policy,
        ".nightledger/locks/home.lock": home.lock_path(),
        ".nightledger/locks/link.lock": home.lock_path("link"),
        ".nightledger/next-due": home.next_due,
        ".nightledger/links": home.link_index_dir,
    } == {path: f"/h/{path}" for path in EXPECTED}


EXPECTED = [
    "memory/daily",
    "memory/system/outcome-records.jsonl",
    "memory/system/hebbian-links.json",
    "memory/system/consolidation-log.jsonl",
    "memory/system/runs.jsonl",
    "memory/system/exposures.jsonl",
    "memory/system/cursors.json",
    "memory/system/entries.json",
    "memory/system/constitution.json",
    "memory/state/proposals/p-qygk77v7yviucnh5dahsec22w6.json",
    "memory/state/tc-consolidate-pending.json",
    "memory/state/tc-prune-request.json",
    "memory/state/tc-restore-pending.md",
    "memory/state/session-handoff.md",
    "memory/state/ATTENTION.md",
    "memory/archive/2026.md",
    "memory/archive/daily",
    "audit/trusted-channel-audit.jsonl",
    "audit/checkpoint",
    "audit/checkpoints",
    "audit/cosigned",
    "audit/decisions/p-qygk77v7yviucnh5dahsec22w6.json",
    "audit/blobs/sha256",
    "audit/quarantine",
    "config/nightledger/home.json",
    "config/nightledger/nightledger.yaml",
    "config/nightledger/consent-graph.json",
    "config/nightledger/staging-rules.json",
    "config/nightledger/allowed_signers",
    "config/nightledger/revoked_keys",
    "config/nightledger/policy",
    ".nightledger/locks/home.lock",
    ".nightledger/locks/link.lock",
    ".nightledger/next-due",
    ".nightledger/links",
]


def test_a_directory_that_is_no_home_yet_names_both_ways_to_make_it_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="is not a home yet") as caught:
        _ = Home(tmp_path).identity
    assert "nightledger init --home" in caught.value.hint
    assert "--adopt" in caught.value.hint


def test_a_home_of_another_user_is_not_called_no_home(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str) -> None:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr("nightledger.files.home.os.stat", refuse)
    with pytest.raises(PermissionError) as caught:
        home.require()
    assert caught.value.filename == home.identity_file


def test_a_damaged_identity_is_named_and_not_guessed(home: Home) -> None:
    record = json.loads(Path(home.identity_file).read_bytes())
    Path(home.identity_file).write_text(json.dumps({**record, "zone": 5}))
    with pytest.raises(IntegrityError, match="zone: must be the IANA name") as caught:
        _ = home.identity
    assert "backup" in caught.value.hint


def test_an_identity_that_is_a_link_out_of_the_home_is_refused(home: Home, tmp_path: Path) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}-outside.json"
    Path(home.identity_file).rename(outside)
    Path(home.identity_file).symlink_to(outside)
    with pytest.raises(IntegrityError, match="outside"):
        _ = home.identity
    outside.unlink()


def test_a_gated_link_is_resolved_inside_the_home_and_refused_outside(home: Home, tmp_path: Path) -> None:
    (tmp_path / "real.md").write_text("x")
    (tmp_path / "MEMORY.md").symlink_to("real.md")
    assert home.resolve("MEMORY.md") == str(tmp_path / "real.md")
    (tmp_path / "RULES.md").symlink_to("/etc/hostname")
    with pytest.raises(UnreadableError, match="outside the home"):
        home.resolve("RULES.md")
    assert home.resolve("none.md") == str(tmp_path / "none.md")


@pytest.mark.parametrize("relative", ["", "/etc/passwd", "../x", "a/../../x", "a\0b"])
def test_a_name_that_leads_out_of_the_home_is_refused(home: Home, relative: str) -> None:
    with pytest.raises(UnreadableError, match="not a path inside the home"):
        home.path(relative)


def test_paths_become_relative_and_back(home: Home) -> None:
    assert home.relative(home.outcomes) == "memory/system/outcome-records.jsonl"
    assert home.path(home.relative(home.outcomes)) == home.outcomes
    for outside in ("/etc/passwd", home.root + "-2/x", str(Path(home.root).parent)):
        with pytest.raises(UnreadableError, match="outside the home"):
            home.relative(outside)
    assert home.relative(f"{home.root}/..hidden") == "..hidden"


@pytest.mark.parametrize("name", ["", "p-", "../../etc/passwd", "p-" + "A" * 26, AN_ID + "\n", AN_ID + "/x"])
def test_only_an_id_names_a_record(home: Home, name: str) -> None:
    with pytest.raises(UnreadableError, match="is not an id"):
        home.proposal(name)
    with pytest.raises(UnreadableError, match="is not an id"):
        home.decision(name)
