"""Attack memory with public corpora, through the path that promotes text into it.

Nothing may reach MEMORY.md without its own approval, whatever the scanners make of it; how many
attacks they notice is printed beside it, and is no boundary. Harmless texts must not be held back.

Run with ``make test-corpora CORPORA=dir`` (``bench/poison_corpora.py`` says what it holds).
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.poison_benchmark import Graded, grade
from bench.poison_corpora import Corpus, missing, read_attacks, read_harmless
from bench.poison_paths import Carried, carry, make_template

from nightledger.domain.finding import Severity
from nightledger.domain.proposal import Origin
from nightledger.text.scanners.scan import scan


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """What the scanners say of some texts, told by the agent and by a web page.

    Attributes:
        texts: How many.
        noticed: Of these, with any finding.
        held: Of these, held back when the agent says it.
        held_web: Of these, held back when a tool or a web page said it.
        blocked: Of these, taken for a secret.
    """

    texts: int
    noticed: int
    held: int
    held_web: int
    blocked: int


def rate(texts: Sequence[str]) -> Rate:
    """Scan texts and count."""
    own = [{finding.severity for finding in scan(text, origin=Origin.AGENT)} for text in texts]
    web = [{finding.severity for finding in scan(text, origin=Origin.WEB)} for text in texts]
    return Rate(
        texts=len(texts),
        noticed=sum(map(bool, own)),
        held=sum(map(_holds, own)),
        held_web=sum(map(_holds, web)),
        blocked=sum(Severity.BLOCK in seen for seen in own),
    )


def _holds(seen: set[Severity]) -> bool:
    return bool(seen - {Severity.FLAG})


def attack(corpus: Corpus, folder: Path) -> list[Carried]:
    """Carry every attack of a corpus down every path, each in a home of its own."""
    template = make_template(folder)
    carried = []
    for n, text in enumerate(corpus.texts):
        context = corpus.contexts[n % len(corpus.contexts)] if corpus.contexts else ""
        carried.append(carry(template, folder / str(n), text, context))
        if sys.stderr.isatty():
            print(f"\r{corpus.name}: {n + 1} of {len(corpus.texts)}", end="\r", file=sys.stderr)
    return carried


def main(words: Sequence[str] | None = None) -> int:
    """Print the figures; 1 when one of them is not as promised, 2 when the folder holds nothing."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--corpora", type=Path, required=True, help="the folder with the checkouts")
    options.add_argument("--only", choices=["attacks", "harmless", "benchmark"], help="one part of it")
    chosen = options.parse_args(words)
    parts = {"attacks": _all_attacks, "harmless": _all_harmless, "benchmark": _all_grades}
    found = [part(chosen.corpora) for name, part in parts.items() if chosen.only in (None, name)]
    if not any(count for count, _ in found):
        print(f"{chosen.corpora} holds none of the corpora")
        return 2
    attacks, harmless = (chosen.only in (None, part) for part in ("attacks", "harmless"))
    if left_out := missing(chosen.corpora, attacks=attacks, harmless=harmless):
        print(f"left out, because not in {chosen.corpora}: {', '.join(left_out)}")
    wrong = [line for _, lines in found for line in lines]
    for line in wrong:
        print(f"NOT AS PROMISED: {line}")
    return 1 if wrong else 0


def _all_attacks(corpora: Path) -> tuple[int, list[str]]:
    found = [_attacks(corpus) for corpus in read_attacks(corpora)]
    return len(found), [line for lines in found for line in lines]


def _all_harmless(corpora: Path) -> tuple[int, list[str]]:
    found = [_harmless(corpus) for corpus in read_harmless(corpora)]
    return len(found), [line for lines in found for line in lines]


def _all_grades(corpora: Path) -> tuple[int, list[str]]:
    found = grade(corpora)
    if not found:
        print(f"agent-memory-guard: not in {corpora}, so its benchmark did not run")
    return len(found), [line for one in found for line in _benchmark(one)]


def _attacks(corpus: Corpus) -> list[str]:
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="nightledger-poison-") as folder:
        carried = attack(corpus, Path(folder))
    seen = rate(corpus.texts)
    print(
        f"{corpus.name}: {len(carried)} attacks, {sum(bool(one.reached) for one in carried)} reached memory without their own approval; "
        f"in {sum(one.held > 0 for one in carried)} runs something was held back, in {sum(one.told for one in carried)} a direct edit was told, "
        f"in {sum(one.kept for one in carried)} the harmless lesson beside it was kept\n"
        f"  scanners: {seen.noticed} noticed ({seen.noticed / max(1, seen.texts):.0%}), {seen.held} held back, "
        f"{seen.held_web} from a web page ({time.monotonic() - started:.0f} s)"
    )
    return failures(corpus, carried, seen)


def failures(corpus: Corpus, carried: Sequence[Carried], seen: Rate) -> list[str]:
    """Say which promises did not hold for a corpus of attacks, a line each."""
    reached = sum(bool(one.reached) for one in carried)
    wrong = [f"{corpus.name}: {reached} attacks reached memory"] if reached else []
    if corpus.hidden and seen.noticed < seen.texts:
        wrong.append(f"{corpus.name}: {seen.texts - seen.noticed} of {seen.texts} were not flagged")
    return wrong


def _harmless(corpus: Corpus) -> list[str]:
    seen = rate(corpus.texts)
    print(
        f"{corpus.name}: {seen.texts} texts, {seen.blocked} blocked, {seen.held} held back, "
        f"{seen.held_web} when a web page says it, {seen.noticed} flagged"
    )
    return [f"{corpus.name}: {seen.held} were held back"] if seen.held else []


def _benchmark(graded: Graded) -> list[str]:
    print(
        f"Agent Memory Security Benchmark, {graded.operator} operator: grade {graded.grade} ({graded.score:.1f}), "
        f"{graded.critical} critical breaches, {graded.false_positives} of {graded.harmless} false positives; "
        f"recalled: {', '.join(graded.breached) or 'none'}"
    )
    promised = graded.grade == "A" and not graded.critical and not graded.false_positives
    careful = graded.operator == "careful"
    return [f"the benchmark grades the careful operator {graded.grade}"] if careful and not promised else []


if __name__ == "__main__":
    sys.exit(main())
