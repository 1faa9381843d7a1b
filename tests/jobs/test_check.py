import json
from datetime import date
from pathlib import Path

import pytest
from tests.gate.homes import Desk, addition, make_desk
from tests.jobs.nights import SECRET, Nights

from nightledger.domain.doubt import DoubtLabel
from nightledger.domain.errors import RefusedError, UnreadableError
from nightledger.domain.lanes import OPERATOR
from nightledger.domain.proposal import Kind, Op
from nightledger.jobs.check import SETTLED_DAYS, Checkup, check, counts, examine

TODAY = date(2026, 3, 2)
DOUBTFUL = """# MEMORY.md

## Decisions

- Backups of the ledger are kept for 30 days on atlas.
- Backups of the ledger are kept for 30 days on atlas.
- The relay listens on port 8443.

## Keys

- relay token SECRET
""".replace("SECRET", SECRET)


def look(desk: Desk, *, dry_run: bool = False, path: str = "MEMORY.md") -> Checkup:
    return check(desk.gate, desk.ledger(), path, TODAY, desk.moment, dry_run=dry_run)


def test_a_file_without_doubts_gives_no_proposal(nights: Nights) -> None:
    found = look(nights.desk)
    assert (found.doubts, found.outcome) == ((), None)
    assert found.meter.after_characters == found.meter.before_characters


def test_what_is_doubtful_is_proposed_in_whole_items_for_the_operator_who_asked(nights: Nights) -> None:
    nights.desk.memory.write_text(DOUBTFUL)
    found = look(nights.desk)
    assert found.outcome is not None
    proposal = found.outcome.proposal
    assert proposal is not None
    assert (proposal.kind, proposal.lane) == (Kind.PRUNE, OPERATOR)
    assert (proposal.period, proposal.title) == ("2026-03-02", "Check-up of MEMORY.md on 2026-03-02")
    assert [change.op for change in proposal.changes] == [Op.REMOVE]
    assert proposal.changes[0].before == "- Backups of the ledger are kept for 30 days on atlas.\n"
    assert nights.desk.text() == DOUBTFUL


def test_a_secret_is_named_by_line_and_kind_and_copied_nowhere(nights: Nights) -> None:
    nights.desk.memory.write_text(DOUBTFUL)
    before = nights.files()
    found = look(nights.desk)
    (secret,) = [doubt for doubt in found.doubts if doubt.label is DoubtLabel.SECRET]
    assert secret.lines == (11, 11)
    assert SECRET not in repr(found)
    written = nights.written_in(before)
    assert written
    assert not any(SECRET.encode() in content for content in written.values())


def test_a_line_that_only_a_secret_beside_it_tells_apart_is_not_proposed(nights: Nights) -> None:
    same = "- Backups of the ledger are kept for 30 days on atlas.\n"
    nights.desk.memory.write_text(f"# M\n\n- token {SECRET}\n{same}- token {SECRET}\n{same}")
    before = nights.files()
    look(nights.desk)
    assert not any(SECRET.encode() in content for content in nights.written_in(before).values())


def test_the_same_check_up_is_proposed_once(nights: Nights) -> None:
    nights.desk.memory.write_text(DOUBTFUL)
    look(nights.desk)
    again = look(nights.desk)
    assert again.outcome is not None
    assert (again.outcome.proposal, again.outcome.suppressed) == (None, 1)


def test_a_dry_run_finds_the_same_and_writes_nothing(nights: Nights) -> None:
    nights.desk.memory.write_text(DOUBTFUL)
    before = nights.files()
    tried = look(nights.desk, dry_run=True)
    assert nights.files() == before
    assert tried == look(nights.desk)


def test_the_cap_is_the_hosts_and_the_meter_says_what_would_be_left(nights: Nights) -> None:
    nights.desk.memory.write_text(DOUBTFUL)
    nights.desk.set(cap_characters={"generic": 100})
    meter = look(nights.desk, dry_run=True).meter
    assert (meter.before_characters, meter.cap_characters) == (len(DOUBTFUL), 100)
    assert 0 <= meter.after_characters < meter.before_characters


def test_accepting_all_of_a_check_up_takes_out_what_it_says_and_leaves_the_rest(tmp_path: Path) -> None:
    desk = make_desk(tmp_path, memory=DOUBTFUL.encode())
    found = look(desk)
    assert found.outcome is not None
    assert found.outcome.proposal is not None
    desk.approve(found.outcome.proposal)
    desk.wait(hours=3)
    desk.apply(found.outcome.proposal)
    assert sorted(desk.text().splitlines()) == sorted(
        [line for line in DOUBTFUL.splitlines() if "Backups" not in line]
        + ["- Backups of the ledger are kept for 30 days on atlas."]
    )


def test_what_drifted_and_was_kept_is_not_doubted_at_once(nights: Nights) -> None:
    nights.desk.memory.write_text(DOUBTFUL)
    assert len(look(nights.desk, dry_run=True).doubts) > 1
    nights.desk.guard()
    nights.desk.settle(keep=[change.n for change in nights.desk.drift().changes])
    assert [doubt.label for doubt in look(nights.desk, dry_run=True).doubts] == [DoubtLabel.SECRET]


COPIED = "The relay listens on port 8443 of atlas."


def test_what_was_signed_lately_is_not_doubted_for_thirty_days(nights: Nights) -> None:
    desk = nights.desk
    desk.applied(addition("Offer of the mill is valid until 2026-02-01"))
    assert look(desk, dry_run=True).doubts == ()
    desk.wait(days=SETTLED_DAYS + 1)
    assert [doubt.label for doubt in look(desk, dry_run=True).doubts] == [DoubtLabel.STALE]


def test_neither_it_nor_what_says_the_same_in_the_same_words_is_doubted(nights: Nights) -> None:
    desk = nights.desk
    desk.applied(addition(COPIED, section="Projects"))
    desk.memory.write_text(f"- {COPIED}\n\n{desk.text()}")
    assert look(desk, dry_run=True).doubts == ()
    desk.memory.write_text(f"- A relay listens on port 8443 of atlas.\n\n{desk.text()}")
    assert [doubt.lines[0] for doubt in look(desk, dry_run=True).doubts] == [1]


def test_an_entry_in_the_words_of_an_approval_that_still_cools_is_not_doubted(nights: Nights) -> None:
    text = "Offer of the mill is valid until 2026-02-01"
    nights.desk.memory.write_text(f"# MEMORY.md\n\n## Lessons\n\n- {text}\n\n## Projects\n")
    assert look(nights.desk, dry_run=True).doubts
    nights.desk.approve(nights.desk.proposal(addition(text, section="Projects")))
    assert look(nights.desk, dry_run=True).doubts == ()


def test_what_was_rejected_or_undone_or_altered_protects_nothing(nights: Nights) -> None:
    nights.desk.memory.write_text("# MEMORY.md\n\n## Lessons\n\n## Projects\n")
    nights.desk.reject(nights.desk.proposal(addition(COPIED)))
    proposal = nights.desk.proposal(addition("Lamps last a year.", section="Projects"))
    nights.desk.approve(proposal)
    Path(nights.desk.home.proposal(proposal.id)).write_text("{}")
    nights.desk.memory.write_text(
        f"# M\n\n## Lessons\n\n- {COPIED}\n- {COPIED}\n- Lamps last a year.\n- Lamps last a year.\n"
    )
    assert [doubt.lines[0] for doubt in look(nights.desk, dry_run=True).doubts] == [6, 8]


def test_an_empty_file_and_a_missing_one_have_no_doubts(tmp_path_factory: pytest.TempPathFactory) -> None:
    for memory in (b"", None):
        found = look(make_desk(tmp_path_factory.mktemp("home"), memory=memory))
        assert (found.doubts, found.meter.before_characters) == ((), 0)


def test_only_a_gated_file_that_can_be_read_is_checked(nights: Nights) -> None:
    with pytest.raises(RefusedError, match=r"SOUL\.md is not a gated file"):
        look(nights.desk, path="SOUL.md")
    nights.desk.memory.unlink()
    nights.desk.memory.mkdir()
    with pytest.raises(UnreadableError, match="is a directory"):
        look(nights.desk)


def test_bytes_that_are_no_utf8_do_not_stop_a_check_up(nights: Nights) -> None:
    nights.desk.memory.write_bytes(DOUBTFUL.encode() + b"\n- caf\xe9 \xff\n\0\0\0\n")
    found = look(nights.desk)
    assert found.outcome is not None
    assert found.outcome.proposal is not None
    json.dumps(found.outcome.proposal.changes[0].diff).encode("utf-8")


def test_an_archive_is_a_removal_as_long_as_there_is_no_archive() -> None:
    document = (
        "# M\n\n## Done\n\n- [x] Moved the relay to atlas (closed 2024-01-05).\n- The relay is on atlas.\n"
    )
    _, drafts = examine(document, "MEMORY.md", today=TODAY, cap_characters=None)
    assert Op.ARCHIVE not in {draft.op for draft in drafts}


def test_doubts_are_counted_by_what_is_wrong_the_gravest_first() -> None:
    doubts = examine(DOUBTFUL, "MEMORY.md", today=TODAY, cap_characters=None)[0].doubts
    assert list(counts(doubts).items()) == sorted(
        counts(doubts).items(), key=lambda c: list(DoubtLabel).index(c[0])
    )
    assert sum(counts(doubts).values()) == len(doubts)
    assert counts(()) == {}
