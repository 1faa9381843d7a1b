from pathlib import Path
from typing import Any

import pytest
from tests.rows import from_corpus

from nightledger.codec import records
from nightledger.codec.records import find_problems, read_schema
from nightledger.domain.errors import ConfigurationError


def example(name: str, **changes: Any) -> dict[str, Any]:
    properties = read_schema(name)["properties"]
    return {key: described["examples"][0] for key, described in properties.items()} | changes


def test_a_missing_schema_says_that_the_checkout_is_incomplete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "SCHEMA_DIRECTORY", str(tmp_path))
    with pytest.raises(ConfigurationError, match=r"run\.schema\.json is missing"):
        read_schema("run")


@from_corpus("codec-schema")
def test_a_problem_says_where_and_what_and_repeats_little(changes: dict[str, Any], problem: str) -> None:
    assert any(found.startswith(problem) for found in find_problems("run", example("run", **changes)))
