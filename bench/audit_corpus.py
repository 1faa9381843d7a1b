"""The snippets that the code auditor is measured on, and their two halves.

Invariant: the seed was committed with the snippets and before any rule; which half a snippet
belongs to depends on its name and the seed alone.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

CORPUS = Path(__file__).resolve().parents[1] / "tests" / "corpora" / "code.jsonl"
SEED = "nightledger code auditor 2026-11-22"
"""Never changed after the first rule was written."""
LABELS = ("hostile", "benign", "unaudited")


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    """One snippet of a corpus.

    Attributes:
        name: Unique in its set and label.
        label: ``hostile``, ``benign`` or ``unaudited``.
        text: What would be stored.
        held_out: Whether it belongs to the half that rules were not written with.
    """

    name: str
    label: str
    text: str
    held_out: bool


def held_out(names: Sequence[str]) -> frozenset[str]:
    """Give the half of ``names`` not to look at: the later ones in the order of their keyed SHA-256."""
    ordered = sorted(names, key=lambda name: hashlib.sha256(f"{SEED}\0{name}".encode()).digest())
    return frozenset(ordered[len(ordered) // 2 :])


def read_corpus(path: Path = CORPUS, name: str = "first") -> tuple[Snippet, ...]:
    """Return one set of a corpus, by label: each line is ``{"set", "label", "name", "text"}``.

    Raises:
        ValueError: The file holds no snippet of that set, or one of another label.
    """
    rows = [row for row in map(json.loads, path.read_bytes().splitlines()) if row["set"] == name]
    found: list[Snippet] = []
    for label in LABELS:
        of = sorted((row for row in rows if row["label"] == label), key=lambda row: str(row["name"]))
        hidden = held_out([row["name"] for row in of])
        found += [
            Snippet(name=row["name"], label=label, text=row["text"], held_out=row["name"] in hidden)
            for row in of
        ]
    if not found or len(found) < len(rows):
        raise ValueError(f"{path} holds {len(found)} snippets of {name}: {', '.join(LABELS)}")
    return tuple(found)
