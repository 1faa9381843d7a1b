"""One walk over the whole table: every row finds its examples and leaves the others alone."""

from tests.rows import each_row
from tests.text.scanners.examples import Examples, examples, of_code

from nightledger.domain.finding import Severity
from nightledger.text.scanners.scan import scan
from nightledger.text.scanners.secrets import CLASSES, secrets

TABLE = (*examples("characters", "markup", "instructions", "secrets"), *of_code())
_ORDER = (Severity.FLAG, Severity.QUARANTINE, Severity.BLOCK)


@each_row("row", TABLE, ids=lambda row: row.name)
def test_every_row_finds_its_examples_and_leaves_the_others_alone(row: Examples) -> None:
    worst = set[Severity]()
    assert row.spares
    for text in row.catches:
        found = {f.severity for f in scan(text, snippets=True) if f.rule == row.name}
        assert found, f"misses {text!r}"
        worst |= found
    assert max(worst, key=_ORDER.index) is row.severity
    for text in row.spares:
        spared = [f for f in scan(text, snippets=True) if f.rule == row.name]
        assert not any(f.message.startswith(row.message) for f in spared), f"finds {text!r}"


@each_row("row", TABLE, ids=lambda row: row.name)
def test_every_row_has_a_class_a_line_for_the_operator_and_blocks_for_secrets_only(row: Examples) -> None:
    kind = row.name.partition(".")[0]
    assert kind in CLASSES
    assert row.message
    assert not row.message.endswith(".")
    assert row.severity is not (Severity.QUARANTINE if kind == "secret" else Severity.BLOCK)


def test_the_head_of_a_token_alone_or_before_a_mask_is_none() -> None:
    for row in (row for row in secrets().rules if row.message.startswith("looks like")):
        for anchor in row.anchors:
            for text in (f"the prefix {anchor} alone", anchor + "*" * 20):
                assert row.name not in {finding.rule for finding in scan(text)}, text


def test_no_finding_has_a_name_that_is_not_in_the_table() -> None:
    texts = [text for row in TABLE for text in (*row.catches, *row.spares)]
    assert {f.rule for text in set(texts) for f in scan(text, snippets=True)} == {row.name for row in TABLE}
