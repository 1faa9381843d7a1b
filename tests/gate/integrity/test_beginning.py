"""An agent can write ``home.json``: what it says of the home holds only as far as the log says so, too."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.gate.homes import Desk, open_desk

from nightledger.domain.errors import IntegrityError


def rewrite(desk: Desk, **fields: Any) -> None:
    """Write other fields into a home's record, as anybody can who may write the home."""
    path = Path(desk.home.identity_file)
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("gated", ["NOTES.md"], "gated was ['MEMORY.md'] at init, and is ['NOTES.md']"),
        (
            "gated",
            ["MEMORY.md", "NOTES.md"],
            "gated was ['MEMORY.md'] at init, and is ['MEMORY.md', 'NOTES.md']",
        ),
        ("simulated", False, "simulated was true at init, and is false"),
        ("origin", f"nightledger/{'0123456789abcdef' * 2}", "origin was 'nightledger-simulated/"),
    ],
)
def test_nothing_is_opened_whose_record_differs(desk: Desk, field: str, value: Any, told: str) -> None:
    rewrite(desk, **{field: value})
    with pytest.raises(IntegrityError) as caught:
        open_desk(desk.root).ledger()
    assert f"ALTERED config/nightledger/home.json: {told}" in str(caught.value)
    assert "put config/nightledger/home.json back from a backup" in str(caught.value.hint)
