"""Pairs of RFC 8785 from its author's repository."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from nightledger.codec.canonical import canonical

pytestmark = pytest.mark.vectors


def test_every_pair_holds(vectors: Callable[[str], Path]) -> None:
    folder = vectors("cyberphone+json-canonicalization") / "testdata"
    names = sorted(path.name for path in (folder / "input").glob("*.json"))
    for name in names:
        value = json.loads((folder / "input" / name).read_bytes())
        assert canonical(value, floats=True) == (folder / "output" / name).read_bytes()
    print(f"RFC 8785: {len(names)} pairs")
    assert len(names) >= 6
