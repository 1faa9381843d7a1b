import pytest
from msgspec.structs import replace
from tests.gate.homes import MEMORY, Desk, removal

from nightledger.domain.proposal import Op
from nightledger.gate.apply.applying import check_text
from nightledger.gate.apply.writing import Write
from nightledger.gate.proposing import drafting
from nightledger.gate.proposing.drafting import fit_for_apply
from nightledger.gate.proposing.hunks import make_changes


def test_of_two_changes_of_the_same_lines_the_first_is_kept(desk: Desk) -> None:
    (change,) = desk.dry_run_proposal(removal("- Keep backups for 30 days.")).changes
    kept, broken = fit_for_apply("MEMORY.md", MEMORY.encode(), [change, change])
    assert kept == [change]
    assert broken == [(change, "it touches the same lines as an earlier change")]


def test_one_of_many_that_does_not_fit_costs_a_few_looks(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []

    def counted(write: Write) -> list[str]:
        looks.append(1)
        return check_text(write)

    content = b"# M\n\n" + b"".join(b"- Item %d.\n" % n for n in range(64)) + b"\nOne\ntwo\n\n- Last.\n"
    desk.memory.write_bytes(content)
    changes = list(desk.dry_run_proposal(*(removal(f"- Item {n}.") for n in range(0, 64, 2))).changes)
    fence = replace(removal("two"), op=Op.REPLACE, after="```\nnever closed")
    (placed, *_), _ = make_changes(content.decode(), [fence])
    monkeypatch.setattr(drafting, "check_text", counted)
    kept, broken = fit_for_apply("MEMORY.md", content, [*changes[:20], placed, *changes[20:]])
    assert [change.hunk for change in kept] == [change.hunk for change in changes]
    assert [change.n for change in kept] == list(range(1, 33))
    assert [change for change, _ in broken] == [placed]
    assert len(looks) <= 2 * len(f"{len(changes):b}") + 1
