"""The snippets that the code auditor is measured on, and their two halves.

Invariant: the seed was committed with the snippets and before any rule; which half a snippet
belongs to depends on its name and the seed alone.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

CORPUS = Path(__file__).resolve().parents[1] / "tests" / "corpora" / "code"
SEED = "nightledger code auditor 2026-11-22"
"""Never changed after the first rule was written."""
LABELS = ("hostile", "benign", "unaudited")


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    """One snippet of a corpus.

    Attributes:
        name: File name without its ending, unique in its folder.
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


def read_corpus(folder: Path = CORPUS) -> tuple[Snippet, ...]:
    """Read the three folders of a corpus; one that is missing holds nothing.

    Raises:
        FileNotFoundError: None of the folders is there.
    """
    found: list[Snippet] = []
    for label in LABELS:
        paths = sorted((folder / label).glob("*.txt"))
        hidden = held_out([path.stem for path in paths])
        found += [
            Snippet(
                name=path.stem,
                label=label,
                text=path.read_bytes().decode("utf-8"),
                held_out=path.stem in hidden,
            )
            for path in paths
        ]
    if not found:
        raise FileNotFoundError(f"{folder} holds no snippets: {', '.join(LABELS)} with *.txt")
    return tuple(found)
