from datetime import date
from pathlib import Path

from tests.gate.homes import Desk, addition
from tests.jobs.nights import SECRET, Nights
from tests.rows import corpus

from nightledger.domain.finding import DoubtLabel
from nightledger.domain.judge import OPERATOR
from nightledger.domain.proposal import Kind, Op
from nightledger.gate.removals import SETTLED_DAYS
from nightledger.jobs.check import Checkup, check

TODAY = date(2026, 3, 2)
COPIED = "The relay listens on port 8443 of atlas."
DOUBTFUL = corpus("jobs-check.txt").replace("SECRET", SECRET)


def look(desk: Desk, *, dry_run: bool = False) -> Checkup:
    return check(desk.gate, desk.ledger(), "MEMORY.md", TODAY, desk.moment, dry_run=dry_run)


def test_what_is_doubtful_is_proposed_in_whole_items_for_the_operator_who_asked(nights: Nights) -> None:
    nights.desk.memory.write_text(DOUBTFUL)
    found = look(nights.desk)
    assert found.outcome is not None
    proposal = found.outcome.proposal
    assert proposal is not None
    assert (proposal.kind, proposal.lane) == (Kind.PRUNE, OPERATOR)
    assert (proposal.period, proposal.title) == ("2026-03-02", "Check-up of MEMORY.md on 2026-03-02")
    assert [change.op for change in proposal.changes] == [Op.REPLACE, Op.REMOVE]
    assert proposal.changes[0].after == "- relay token [secret removed]\n"
    assert proposal.changes[1].before == "- Backups of the ledger are kept for 30 days on atlas.\n"
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


def test_what_was_signed_lately_is_not_doubted_for_thirty_days(nights: Nights) -> None:
    desk = nights.desk
    desk.applied(addition("Offer of the mill is valid until 2026-02-01"))
    assert look(desk, dry_run=True).doubts == ()
    desk.wait(days=SETTLED_DAYS + 1)
    assert [doubt.label for doubt in look(desk, dry_run=True).doubts] == [DoubtLabel.STALE]


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


def test_a_pointer_to_a_file_that_is_gone_is_doubted_only_inside_the_workspace(nights: Nights) -> None:
    root = Path(nights.desk.home.root)
    (root / "notes").mkdir()
    (root / "notes/here.md").write_text("x")
    (root / "out").symlink_to("/", target_is_directory=True)
    nights.desk.memory.write_text(
        "# M\n\n- [Roof](notes/gone.md) - what leaks\n- [Hall](notes/here.md) - who has the key\n"
        "- [Barn](elsewhere/gone.md) - what is in it\n- Shed: `../gone.md`\n- Mill: `out/gone.md`\n"
        "- Read `notes/gone.md` before each storm\n"
        "- Keys: `notes/keys.json`\n- Photos: `notes/photos/may.md`\n"
    )
    (root / "notes/photos").mkdir()
    (root / ".gitignore").write_text(
        "# stays here, not gone.md\n\n/*\n!notes/gone.md\n/notes/*.json\nphotos/\n"
    )
    found = look(nights.desk, dry_run=True)
    assert [(doubt.lines[0], doubt.reason) for doubt in found.doubts] == [
        (3, "the file that it points to is not there")
    ]
