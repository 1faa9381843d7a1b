"""Print what the sweeps and attacks of ``make test-faults`` tried, and put it into docs/threat-model.md.

Reads the rows that ``tests/faults/sweep_report.py`` keeps; rows of one name are added up.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "threat-model.md"
BEGIN, END = "<!-- faults: make report-faults -->", "<!-- /faults -->"
HEAD = "| sweep or attack | tried | did not hold | planted faults found |\n|---|---|---|---|\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What one sweep found.

    Attributes:
        sweep: Its name.
        points: How many states, kills, errors or attacks were tried.
        failed: After how many of them something was not as it must be.
        controls: How many faults were planted.
        controls_caught: How many of those were found.
    """

    sweep: str
    points: int
    failed: int = 0
    controls: int = 0
    controls_caught: int = 0

    @property
    def holds(self) -> bool:
        """Whether nothing failed and every planted fault was found."""
        return not self.failed and self.controls == self.controls_caught


def add_up(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Give one row a sweep, by name."""
    sums: dict[str, Row] = {}
    for row in rows:
        old = sums.get(row.sweep, Row(sweep=row.sweep, points=0))
        sums[row.sweep] = Row(
            sweep=row.sweep,
            points=old.points + row.points,
            failed=old.failed + row.failed,
            controls=old.controls + row.controls,
            controls_caught=old.controls_caught + row.controls_caught,
        )
    return tuple(sums[name] for name in sorted(sums))


def read_rows(folder: Path) -> tuple[Row, ...]:
    """Read every row in a folder; none where it is missing."""
    return tuple(
        Row(**json.loads(path.read_text(encoding="utf-8"))) for path in sorted(folder.glob("*.json"))
    )


def table(rows: Sequence[Row]) -> str:
    """Give the rows as a Markdown table."""
    lines = [
        f"| {row.sweep} | {row.points:,} | {row.failed} | "
        f"{f'{row.controls_caught} of {row.controls}' if row.controls else ''} |\n"
        for row in rows
    ]
    return HEAD + "".join(lines)


def put_in(document: str, new: str) -> str:
    """Give a document with another table between its marks.

    Raises:
        ValueError: It has no marks.
    """
    before, begin, rest = document.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"{BEGIN} and {END} are not in the document")
    return f"{before}{BEGIN}\n{new}{END}{after}"


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table and rewrite the document; 1 when something did not hold, or nothing was run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=Path, required=True, help="the folder of rows")
    parser.add_argument("--document", type=Path, default=DOCUMENT)
    options = parser.parse_args(argv)
    rows = add_up(read_rows(options.rows))
    if not rows:
        sys.stderr.write(f"error: no rows in {options.rows}\nhint: make test-faults\n")
        return 1
    sys.stdout.write(table(rows))
    document = options.document.read_text(encoding="utf-8")
    options.document.write_text(put_in(document, table(rows)), encoding="utf-8")
    return 0 if all(row.holds for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
