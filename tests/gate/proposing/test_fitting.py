from tests.gate.homes import MEMORY, Desk, removal

from nightledger.gate.proposing.drafting import fit_for_apply


def test_of_two_changes_of_the_same_lines_the_first_is_kept(desk: Desk) -> None:
    (change,) = desk.dry_run_proposal(removal("- Keep backups for 30 days.")).changes
    kept, broken = fit_for_apply("MEMORY.md", MEMORY.encode(), [change, change])
    assert kept == [change]
    assert broken == [(change, "it touches the same lines as an earlier change")]


