from pathlib import Path
from typing import Any

import pytest

from nightledger.codec import schema
from nightledger.codec.schema import find_problems, read_schema
from nightledger.domain.errors import ConfigurationError


def example(name: str, **changes: Any) -> dict[str, Any]:
    properties = read_schema(name)["properties"]
    return {key: described["examples"][0] for key, described in properties.items()} | changes


def test_a_missing_schema_says_that_the_checkout_is_incomplete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "SCHEMAS", str(tmp_path))
    with pytest.raises(ConfigurationError, match=r"run\.schema\.json is missing"):
        read_schema("run")


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"attempt": 1.0}, "attempt: 1.0 is not of type integer"),
        ({"attempt": True}, "attempt: True is not of type integer"),
        ({"v": 3}, "v: 3 is not one of 2"),
        ({"outcome": "x" * 99}, "outcome: '" + "x" * 40 + "'... (99 characters) is not one of done, failed"),
        ({"started_at": "2026-02-30T00:00:00Z"}, "started_at: '2026-02-30T00:00:00Z' does not exist"),
        (
            {"started_at": "2026-02-28T00:00:00.5Z"},
            "started_at: '2026-02-28T00:00:00.5Z' breaks the rule pattern",
        ),
        ({"job": "Two Words"}, "job: 'Two Words' breaks the rule pattern"),
        ({"counts": {"a": -1}}, "counts.a: -1 breaks the rule minimum 0"),
    ],
)
def test_a_problem_says_where_and_what_and_repeats_little(changes: dict[str, Any], problem: str) -> None:
    assert any(found.startswith(problem) for found in find_problems("run", example("run", **changes)))
