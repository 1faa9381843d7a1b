import os
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.gate.homes import MEMORY, START, Desk, addition, make_desk, open_desk, removal

from nightledger.domain.errors import RefusedError, UnreadableError
from nightledger.domain.moment import Moment
from nightledger.domain.proposal import Proposal
from nightledger.files.blobs import BlobStore
from nightledger.gate.apply import writing
from nightledger.gate.apply.writing import Write
from nightledger.gate.deciding import sign
from nightledger.trust.keys import load_operator_key, operator_key_path

LESSON = "Set the zone in every timer."


def ready(desk: Desk, *texts: str) -> Proposal:
    """Propose additions, approve them, and let them cool."""
    proposal = desk.proposal(*(addition(text) for text in texts or (LESSON,)))
    desk.approve(proposal)
    desk.wait(hours=3)
    return proposal


@pytest.mark.parametrize("end", ["\r\n", "\n"])
def test_every_byte_outside_a_hunk_stays_as_it_was(tmp_path: Path, end: str) -> None:
    before = f"\ufeff# MEMORY.md  {end}{end}## Lessons{end}* one\t {end}* two{end}{end}## Lessons{end}{end}~~~{end}- code{end}~~~".encode()
    desk = make_desk(tmp_path, memory=before)
    desk.applied(removal("* two"))
    assert desk.memory.read_bytes() == before.replace(f"* two{end}".encode(), b"")


@pytest.mark.parametrize("memory", [None, b""])
def test_a_memory_file_that_is_missing_or_empty_is_begun_by_the_first_signed_change(
    tmp_path: Path, memory: bytes | None
) -> None:
    desk = make_desk(tmp_path, memory=memory)
    proposal = desk.proposal(addition(LESSON))
    assert desk.memory.exists() == (memory is not None)
    desk.approve(proposal)
    desk.wait(hours=3)
    assert desk.apply()[0].changes == (1,)
    assert desk.text().endswith(f"- {LESSON}\n")
    desk.undo(proposal)
    assert desk.memory.read_bytes() == b""


def test_a_file_that_appears_between_look_and_write_is_not_lost(tmp_path: Path) -> None:
    desk = make_desk(tmp_path, memory=None)
    write = Write(path="MEMORY.md", before=b"", after=b"new\n")
    desk.memory.write_bytes(b"rival\n")
    kept = writing.exchange(desk.gate, write)
    assert BlobStore(desk.home.blobs_dir).get(kept) == b"rival\n"
    assert desk.memory.read_bytes() == b"new\n"


def test_a_read_only_file_keeps_its_mode(desk: Desk) -> None:
    ready(desk)
    desk.memory.chmod(0o440)
    assert desk.apply()[0].changes == (1,)
    assert desk.memory.stat().st_mode & 0o777 == 0o440


def test_a_directory_that_may_not_be_written_is_named_before_anything_is_logged(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready(desk)
    before = desk.events()
    monkeypatch.setattr(os, "access", lambda _, mode: mode != os.W_OK)
    attempt = desk.apply()[0]
    assert attempt.reasons == (f"{desk.home.root} may not be written by this user",)
    assert desk.events() == before
    monkeypatch.undo()
    assert desk.apply()[0].changes == (1,)


def test_a_symlink_within_the_home_is_written_through_and_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "home" / "notes").mkdir(parents=True)
    (tmp_path / "home" / "notes" / "real.md").write_text(MEMORY)
    (tmp_path / "home" / "MEMORY.md").symlink_to("notes/real.md")
    desk = make_desk(tmp_path, memory=None)
    desk.applied(addition(LESSON))
    assert desk.memory.is_symlink()
    assert LESSON in (tmp_path / "home" / "notes" / "real.md").read_text()


def test_a_giant_file_is_refused_not_half_read(desk: Desk) -> None:
    ready(desk)
    with desk.memory.open("r+b") as stream:
        stream.truncate(50_000_000)
    with pytest.raises(UnreadableError, match="at most 4000000"):
        desk.apply()
    assert desk.memory.stat().st_size == 50_000_000


@pytest.mark.parametrize(
    ("moment", "wait_s"),
    [
        (Moment(at=START.at.replace(hour=12), boot="one", boot_s=160), 7140),  # wall set forward
        (Moment(at=START.at.replace(hour=5), boot="one", boot_s=9000), 10800),  # wall set back
        (Moment(at=START.at.replace(hour=5), boot="two", boot_s=9000), 10800),  # set back over a reboot
    ],
)
def test_no_clock_step_lets_a_change_in_early(desk: Desk, moment: Moment, wait_s: int) -> None:
    desk.moment = replace(START, boot="one", boot_s=100)
    desk.approve(desk.proposal(addition(LESSON)))
    desk.moment = moment
    assert desk.apply()[0].wait_s == wait_s
    assert desk.text() == MEMORY


def test_two_homes_share_nothing(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    other = make_desk(tmp_path / "b", home_id="f" * 32)
    proposal = desk.proposal(addition(LESSON))
    decisions, _ = desk.compose_all(proposal)
    other.proposal(addition(LESSON))
    signer = load_operator_key(operator_key_path(desk.ring, desk.home.identity.id))
    with pytest.raises(RefusedError, match="signed for another home"):
        other.accept_signed(sign(decisions[0], signer))
    assert open_desk(tmp_path / "b").text() == MEMORY
