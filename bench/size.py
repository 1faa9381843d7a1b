"""Count code lines by room, and hold each room to its ceiling.

A code line is neither blank, comment nor docstring. A room is a folder of ``scripts/nightledger``; what stands in
``scripts/`` beside it counts as one more, and so do the tests. Ceilings stand in ``pyproject.toml``
(``[tool.nightledger.ceilings]``); one is lowered when its room shrinks.

Run: ``python -m bench.size [--check]``; ``--check`` prints only what is over its ceiling, and ends with 1 then.
"""

import argparse
import ast
import io
import sys
import tokenize
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
    tokenize.ENCODING,
}


def code_lines(source: str) -> int:
    """Count the lines of a module that are neither blank, comment nor docstring."""
    written = (
        line
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type not in _NO_CODE
        for line in range(token.start[0], token.end[0] + 1)
    )
    return len(set(written).difference(_docstrings(ast.parse(source))))


def _docstrings(tree: ast.Module) -> Iterator[int]:
    """Give the lines of docstrings; a text behind a constant, which says what it is, counts as one too."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            yield from range(node.lineno, (node.end_lineno or node.lineno) + 1)


def rooms(root: Path = ROOT) -> dict[str, tuple[int, int]]:
    """Give code lines and modules of each room."""
    found: defaultdict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for path in sorted([*root.glob("scripts/**/*.py"), *root.glob("tests/**/*.py")]):
        parts = path.relative_to(root).parts
        room = parts[0] if parts[1] != "nightledger" else parts[2] if len(parts) > 3 else "nightledger"
        lines, modules = found[room]
        found[room] = (lines + code_lines(path.read_text(encoding="utf-8")), modules + 1)
    return dict(found)


def main(argv: list[str] | None = None) -> int:
    """Print the table, or what is over."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="print only what is over its ceiling")
    options = parser.parse_args(argv)
    ceilings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["nightledger"]["ceilings"]
    counted = rooms()
    over = [room for room, (lines, _) in counted.items() if lines > ceilings.get(room, 0)]
    for room, (lines, modules) in sorted(counted.items(), key=lambda item: (item[0] == "tests", -item[1][0])):
        if not options.check or room in over:
            told = f"ceiling {ceilings.get(room, 0):>7,}" + ("  OVER" if room in over else "")
            print(f"{room:<12} {lines:>7,} code lines {modules:>5} modules  {told}")
    if not options.check:
        package = [counts for room, counts in counted.items() if room != "tests"]
        lines, modules = (sum(column) for column in zip(*package, strict=True))
        print(f"{'without tests':<12} {lines:>6,} code lines {modules:>5} modules")
    if over:
        print(
            "error: over the ceiling in pyproject.toml; see docs/decisions/0020-size-and-tests.md",
            file=sys.stderr,
        )
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
