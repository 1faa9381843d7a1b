"""Proofs of transparency-dev/merkle: each says whether it must hold."""

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nightledger.trust.merkle import ProofError, verify_consistency, verify_inclusion

pytestmark = pytest.mark.vectors
Find = Callable[[str], Path]


def probes(folder: Path) -> list[tuple[str, dict[str, Any]]]:
    return [(str(path), json.loads(path.read_text())) for path in sorted(folder.rglob("*.json"))]


def raw(text: str | None) -> bytes:
    return base64.b64decode(text or "")


def holds(check: Callable[[], None]) -> bool:
    try:
        check()
    except ProofError:
        return False
    return True


def inclusion(probe: dict[str, Any]) -> Callable[[], None]:
    proof = [raw(part) for part in probe["proof"] or ()]
    leaf, root = raw(probe["leafHash"]), raw(probe["root"])
    return lambda: verify_inclusion(leaf, probe["leafIdx"], probe["treeSize"], proof, root)


def consistency(probe: dict[str, Any]) -> Callable[[], None]:
    proof = [raw(part) for part in probe["proof"] or ()]
    roots = raw(probe["root1"]), raw(probe["root2"])
    return lambda: verify_consistency(probe["size1"], probe["size2"], proof, *roots)


# The only probe that must hold there and is refused here: its roots are 12 bytes of ASCII, and we
# refuse hashes that are not 32 bytes before anything else.
STRICTER = {"sizes-are-equal-one-and-proof-is-empty.json"}


@pytest.mark.parametrize(("kind", "check"), [("inclusion", inclusion), ("consistency", consistency)])
def test_every_probe_holds_or_fails_as_published(
    kind: str, check: Callable[[dict[str, Any]], Callable[[], None]], vectors: Find
) -> None:
    found = probes(vectors("transparency-dev+merkle") / "testdata" / kind)
    wrong = {Path(path).name for path, probe in found if holds(check(probe)) == bool(probe["wantErr"])}
    bad = sum(bool(probe["wantErr"]) for _, probe in found)
    print(f"{kind}: {len(found)} probes, {bad} of them must fail")
    assert wrong <= STRICTER
    assert len(found) >= 98
    assert 0 < bad < len(found)
