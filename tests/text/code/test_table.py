import pytest

from nightledger.text.code.audit import audit
from nightledger.text.code.rule import CodeRow
from nightledger.text.code.table import CODE_TABLE, NOT_READ, ROWS


@pytest.mark.parametrize("row", CODE_TABLE, ids=[row.name for row in CODE_TABLE])
def test_every_row_catches_its_examples_and_spares_the_others(row: CodeRow) -> None:
    assert row.catches
    assert row.spares
    assert not row.why.endswith(".")
    worst = set()
    for text in row.catches:
        told = audit(text)
        found = {f.severity for f in (*told.findings, *told.notes) if f.rule == row.name}
        assert found, f"{row.name} misses {text[:80]!r}"
        worst |= found
    assert row.severity in worst
    for text in row.spares:
        told = audit(text)
        assert row.name not in {f.rule for f in (*told.findings, *told.notes)}, (
            f"{row.name} finds {text[:80]!r}"
        )


def test_names_are_distinct_and_of_one_class() -> None:
    assert len(ROWS) == len(CODE_TABLE)
    assert all(name.startswith("code.") for name in ROWS)
    assert set(ROWS) >= NOT_READ
