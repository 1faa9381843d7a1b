"""Public corpora of attacks through the promotion path, where ``CORPORA`` names a folder that holds them."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from bench.poison_benchmark import grade
from bench.poison_corpora import missing, read_attacks, read_harmless
from bench.poisoning import attack, failures, rate
from tests.faults.sweep_report import report

FOLDER = os.environ.get("CORPORA", "")

pytestmark = pytest.mark.skipif(
    not FOLDER, reason="CORPORA names no folder with public corpora (make test-corpora)"
)


def skip_unless_whole(names: Sequence[str]) -> None:
    """Say behind the checks what they were not about."""
    if names:
        pytest.skip(f"not in the folder that CORPORA names: {', '.join(names)}")


def test_no_attack_of_a_public_corpus_reaches_memory_without_its_own_approval(tmp_path: Path) -> None:
    wrong = []
    for n, corpus in enumerate(read_attacks(Path(FOLDER))):
        folder = tmp_path / str(n)
        folder.mkdir()
        carried = attack(corpus, folder)
        said = failures(corpus, carried, rate(corpus.texts))
        report("poisoning, public corpora", corpus.name, points=len(carried), failed=len(said))
        wrong += said
    assert wrong == []
    skip_unless_whole(missing(Path(FOLDER), harmless=False))


def test_no_harmless_text_of_a_public_corpus_is_held_back() -> None:
    for corpus in read_harmless(Path(FOLDER)):
        seen = rate(corpus.texts)
        report("harmless texts, public corpora", corpus.name, points=seen.texts, failed=seen.held)
        assert seen.held == 0, corpus.name
    skip_unless_whole(missing(Path(FOLDER), attacks=False))


def test_the_memory_security_benchmark_gives_an_a() -> None:
    found = grade(Path(FOLDER))
    skip_unless_whole(() if found else ("agent-memory-guard",))
    for graded in found:
        if graded.operator == "careful":
            assert (graded.grade, graded.critical, graded.false_positives) == ("A", 0, 0)
