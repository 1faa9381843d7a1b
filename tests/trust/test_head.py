"""The head of the log in the keys' directory, where something else was written there."""

import json
from pathlib import Path
from typing import Any

import pytest

from nightledger.domain.errors import IntegrityError
from nightledger.trust.head import FILE, read_head


@pytest.mark.parametrize(
    "fields", [{"size": 0.0}, {"size": False}, {"size": "0"}, {"offset": "0"}, {"offset": -1}, {"offset": None}]
)
def test_a_head_of_the_older_form_has_whole_numbers(tmp_path: Path, fields: dict[str, Any]) -> None:
    good = {"offset": 0, "peaks": [], "size": 0, "v": 1}
    (tmp_path / FILE).write_text(json.dumps(good))
    assert read_head(tmp_path) is not None
    (tmp_path / FILE).write_text(json.dumps({**good, **fields}))
    with pytest.raises(IntegrityError, match="is damaged"):
        read_head(tmp_path)
