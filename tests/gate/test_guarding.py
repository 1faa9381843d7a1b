import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from tests.gate.homes import MEMORY, Desk, make_desk
from tests.whole import examples

from nightledger.domain.decision import EventName
from nightledger.files.atomic import BlobStore


def founds(desk: Desk) -> list[dict[str, object]]:
    return [dict(e.fields) for e in desk.ledger().log.events if e.event == EventName.DRIFT_FOUND]


def test_bytes_that_are_no_utf8_are_settled_like_any_others(desk: Desk) -> None:
    other = MEMORY.encode() + b"- caf\xe9\n"
    for kept, left in (([], MEMORY.encode()), ([1], other)):
        desk.memory.write_bytes(other)
        desk.guard()
        assert desk.drift().changes[0].after == "- caf\\xe9\n"
        desk.settle(keep=kept, take_back=[] if kept else [1])
        assert desk.memory.read_bytes() == left
    assert desk.guard() == ()


def test_a_raced_edit_of_lines_that_were_signed_otherwise_is_told_and_kept(desk: Desk) -> None:
    blobs = BlobStore(desk.home.blobs_dir)
    before = blobs.put(MEMORY.replace("30 days", "10 days").encode())
    rival = blobs.put(MEMORY.replace("30 days", "20 days").encode())
    targets = [{"path": "MEMORY.md", "before": before, "after": desk.ledger().book.gated["MEMORY.md"]}]
    about = {"decision": "d-" + "a" * 26, "proposal": "p-" + "a" * 26, "changes": [1], "targets": targets}
    desk.record("apply.intent", apply="a-1", **about)
    desk.record("apply.raced", apply="a-1", replaced=[{"path": "MEMORY.md", "sha256": rival}])
    (sighting,) = desk.guard()
    assert (sighting.proposal, sighting.new) == ("", True)
    assert founds(desk)[0]["blob"] == rival


PIECES = (
    b"%%YC\xff x = open('f')\n", b"%load_\xff x\n", b"```python\n", b"```\xff\nid\n```\n", b"```\n", b"\xff",
    b"\xed\xa0\x80", b"os.system('\xe9')\n", b"import caf\xe9\n", b"getattr(os, '\xff')\n", b"`eval('\xff')`\n",
    b'python -c "import \xff"\n', b"## Heading \xff\n", b"- Keep backups for 30 days.\n", b"<!-- \xff -->",
    b"[x]: http://\xff\n", b"\r\n", b"\x00",
)  # fmt: skip


@examples(25)
@given(
    before=st.lists(st.sampled_from(PIECES), max_size=6),
    after=st.lists(st.sampled_from(PIECES), min_size=1, max_size=9),
)
def test_no_bytes_in_a_file_keep_the_guard_from_looking_after_it(
    before: list[bytes], after: list[bytes]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        desk = make_desk(Path(folder), memory=MEMORY.encode() + b"".join(before))
        present = MEMORY.encode() + b"".join(after)
        desk.memory.write_bytes(present)
        desk.guard()
        told = desk.events()
        desk.guard()
        assert desk.events() == told
        if after != before:
            blobs = BlobStore(desk.home.blobs_dir)
            assert [blobs.get(str(leaf["sha256"])) for leaf in founds(desk)] in ([present], [])
