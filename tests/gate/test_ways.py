"""Archive, compress, forget: through the gate and back."""

from tests.gate.forgetting_desk import COPY, FULL, LOG, ODD, compress, file, forgotten, put, snapshot
from tests.gate.homes import Desk

from nightledger.gate.checking import find_altered


def test_logs_of_any_bytes_are_copied_and_given_back_as_they_were(desk: Desk) -> None:
    taken: list[str] = []
    drafts = []
    for path, content in {LOG: FULL, **ODD}.items():
        drafts.append(compress(desk, path, content, taken))
        taken.append(drafts[-1].also[0].target)
    before = snapshot(desk)
    proposal = forgotten(desk, *drafts)
    after = snapshot(desk)
    for path, content in ODD.items():
        copy = next(d.also[0].target for d in drafts if d.target == path)
        assert after[copy] == content
        assert after[path] != content
    assert "memory/archive/daily/2026-01-02-2.md" in after
    desk.undo(proposal)
    assert snapshot(desk) == before
    assert desk.ledger().book.copies == {}


def test_verify_tells_a_copy_that_is_missing_changed_or_unreadable(desk: Desk) -> None:
    forgotten(desk, compress(desk, LOG))
    assert find_altered(desk.home, desk.ledger(), desk.moment) == ()
    put(desk, COPY, FULL[:-1])
    (found,) = find_altered(desk.home, desk.ledger(), desk.moment)
    assert (found.path, found.message) == (COPY, f"it was changed: it is not the full text of {LOG} any more")
    file(desk, COPY).unlink()
    (found,) = find_altered(desk.home, desk.ledger(), desk.moment)
    assert found.message == f"it is missing: the full text of {LOG} was there"
    file(desk, COPY).symlink_to("/etc/hosts")
    (found,) = find_altered(desk.home, desk.ledger(), desk.moment)
    assert "link" in found.message


def test_a_copy_that_two_logs_share_stays_while_one_of_them_rests_on_it(desk: Desk) -> None:
    other = "memory/daily/2026-01-02.md"
    first, second = forgotten(desk, compress(desk, LOG)), forgotten(desk, compress(desk, other))
    assert file(desk, COPY).read_bytes() == FULL
    desk.undo(first)
    assert file(desk, LOG).read_bytes() == FULL
    assert file(desk, COPY).read_bytes() == FULL
    assert find_altered(desk.home, desk.ledger(), desk.moment) == ()
    desk.undo(second)
    assert file(desk, other).read_bytes() == FULL
