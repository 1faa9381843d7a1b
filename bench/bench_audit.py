"""How many hostile snippets the code auditor catches, and how many benign ones it takes for hostile.

Prints both halves of a corpus; names what it got wrong in the development half only.
Run: ``python -m bench.bench_audit [--corpus FILE] [--set NAME] [--show-held-out]``
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from bench.audit_corpus import CORPUS, LABELS, Snippet, read_corpus

from nightledger.text.code_audit import audit
from nightledger.text.code_source import NOT_READ


def is_right(snippet: Snippet) -> bool:
    """Tell whether the auditor says of a snippet what its label says."""
    told = audit(snippet.text)
    if snippet.label == "benign":
        return told.clean
    if snippet.label == "unaudited":
        return not told.audited and told.language != "python"
    return any(finding.rule not in NOT_READ for finding in told.findings)


def report(
    snippets: tuple[Snippet, ...], judge: Callable[[Snippet], bool], *, show_held_out: bool
) -> list[str]:
    """Give the lines to print: a row for each half, then the misses that may be shown."""
    wrong = [snippet for snippet in snippets if not judge(snippet)]
    lines = []
    for held_out, half in ((False, "development"), (True, "held out")):
        counts = []
        for label in LABELS:
            of = [s for s in snippets if s.label == label and s.held_out is held_out]
            missed = sum(1 for s in wrong if s.label == label and s.held_out is held_out)
            share = f" ({(len(of) - missed) / len(of):.1%})" if of else ""
            counts.append(f"{label} {len(of) - missed} of {len(of)} right{share}")
        lines.append(f"{half}: {'; '.join(counts)}")
    shown = [snippet for snippet in wrong if show_held_out or not snippet.held_out]
    return [*lines, *(f"  {s.label}/{s.name}: {_told(s)}" for s in shown)]


def _told(snippet: Snippet) -> str:
    told = audit(snippet.text)
    found = ", ".join(f"{f.rule}:{f.line} {f.what}" for f in told.findings)
    return f"{told.language}; {found or 'nothing found'}"


def main(argv: list[str] | None = None) -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--corpus",
        type=Path,
        default=CORPUS,
        help="lines of set, label, name and text (tests/corpora/README.md)",
    )
    parser.add_argument("--set", default="first", help="which set of it")
    parser.add_argument("--show-held-out", action="store_true", help="name misses of the held-out half, too")
    options = parser.parse_args(argv)
    for line in report(
        read_corpus(options.corpus, options.set), is_right, show_held_out=options.show_held_out
    ):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
