from tests.gate.homes import MEMORY, Desk, addition, removal

from nightledger.gate.fitting import fit_for_apply


def test_no_changes_fit_and_none_is_broken() -> None:
    assert fit_for_apply("MEMORY.md", MEMORY.encode(), []) == ([], [])


def test_changes_that_fit_are_numbered_in_their_order(desk: Desk) -> None:
    changes = desk.dry_run_proposal(addition("One.", rank=0.9), addition("Two.")).changes
    kept, broken = fit_for_apply("MEMORY.md", MEMORY.encode(), list(reversed(changes)))
    assert [(change.n, change.after) for change in kept] == [(1, "- Two."), (2, "- One.")]
    assert broken == []


def test_of_two_changes_of_the_same_lines_the_first_is_kept(desk: Desk) -> None:
    (change,) = desk.dry_run_proposal(removal("- Keep backups for 30 days.")).changes
    kept, broken = fit_for_apply("MEMORY.md", MEMORY.encode(), [change, change])
    assert kept == [change]
    assert broken == [(change, "it touches the same lines as an earlier change")]
