from tests.gate.homes import Desk, addition

from nightledger.gate.memory.naming import find_standing
from nightledger.gate.memory.signed_entries import signed_entries


def signed(desk: Desk) -> dict[str, bool]:
    book = desk.ledger().book
    known = signed_entries(desk.home, book)
    entries = find_standing(desk.home, book).entries.values()
    return {placed.entry.text.strip("- \n"): placed in known for placed in entries}


def test_what_a_home_began_with_and_what_was_signed_since_is_signed(desk: Desk) -> None:
    desk.applied(addition("Set the zone."))
    assert signed(desk) == {
        "Keep backups for 30 days.": True,
        "Restart the relay after an upgrade.": True,
        "Set the zone.": True,
    }


def test_where_the_accepted_bytes_were_lost_nothing_is_signed(desk: Desk) -> None:
    from pathlib import Path

    from nightledger.files.blobs import BlobStore

    sha256 = desk.ledger().book.gated["MEMORY.md"]
    Path(BlobStore(desk.home.blobs_dir).path(sha256)).unlink()
    assert set(signed(desk).values()) == {False}
