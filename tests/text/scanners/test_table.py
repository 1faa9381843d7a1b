"""One walk over the whole table: every row finds its examples and leaves the others alone."""

import pytest

from nightledger.domain.finding import Severity
from nightledger.text.scanners.rule import Row, Rule
from nightledger.text.scanners.scan import scan
from nightledger.text.scanners.table import CLASSES, TABLE

_ORDER = (Severity.FLAG, Severity.QUARANTINE, Severity.BLOCK)


def _id(row: Row, number: int) -> str:
    return f"{row.name}-{number}"


@pytest.mark.parametrize("row", TABLE, ids=[_id(row, n) for n, row in enumerate(TABLE)])
def test_every_row_finds_its_examples_and_leaves_the_others_alone(row: Row) -> None:
    worst = []
    for text in row.catches:
        found = [_ORDER.index(f.severity) for f in scan(text, snippets=True) if f.rule == row.name]
        assert found, f"{row.name} misses {text!r}"
        worst.append(max(found))
    assert _ORDER[max(worst)] is row.severity
    for text in row.spares:
        seen = [
            f for f in scan(text, snippets=True) if f.rule == row.name and f.message.startswith(row.message)
        ]
        assert not seen, f"{row.name} finds {text!r}"


def test_every_row_has_both_kinds_of_examples_a_class_and_a_line_for_the_operator() -> None:
    for row in TABLE:
        assert row.catches, row.name
        assert row.spares, row.name
        assert row.name.partition(".")[0] in CLASSES
        assert row.message
        assert not row.message.endswith(".")
        if isinstance(row, Rule):
            assert all(anchor == anchor.lower() for anchor in row.anchors)


def test_only_a_secret_blocks_and_a_secret_never_waits_in_quarantine() -> None:
    for row in TABLE:
        secret = row.name.startswith("secret.")
        assert (row.severity is Severity.BLOCK) <= secret
        assert not (secret and row.severity is Severity.QUARANTINE)


def test_about_forty_kinds_of_secrets_are_told_apart() -> None:
    assert len({row.name for row in TABLE if row.name.startswith("secret.")}) >= 40


def test_no_finding_has_a_name_that_is_not_in_the_table() -> None:
    names = {row.name for row in TABLE}
    assert {
        f.rule for row in TABLE for text in (*row.catches, *row.spares) for f in scan(text, snippets=True)
    } == names
