"""Append a record with a kept descriptor, beside a bare write(2) and fdatasync(2).

Run with ``PYTHONPATH=scripts .venv/bin/python -m bench.bench_append [APPENDS] [DIRECTORY]``;
the directory decides which disk is measured.
"""

import os
import sys
import tempfile
from pathlib import Path

from bench import measure
from nightledger.files.append import Appender, append_records

APPENDS = 500
LINE = b'{"context_tags":["cron","time_zone"],"note":"' + b"x" * 250 + b'"}\n'


def main() -> None:
    """Print the ratios."""
    appends = int(sys.argv[1]) if len(sys.argv) > 1 else APPENDS
    directory = sys.argv[2] if len(sys.argv) > 2 else None
    with tempfile.TemporaryDirectory(dir=directory) as folder:
        bare = os.open(Path(folder) / "bare", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

        def write_bare() -> None:
            for _ in range(appends):
                os.write(bare, LINE)
                os.fdatasync(bare)

        with Appender(f"{folder}/kept") as kept:

            def append_kept() -> None:
                for _ in range(appends):
                    kept.append(LINE)

            def append_anew() -> None:
                for _ in range(appends):
                    append_records(f"{folder}/anew", LINE)

            measured = measure.compare(
                {
                    "write(2) + fdatasync(2)": write_bare,
                    "Appender.append, descriptor kept": append_kept,
                    "append_records, opened each time": append_anew,
                },
                rounds=9,
            )
        os.close(bare)
    measure.report(f"{appends} durable appends of {len(LINE)} bytes", measured, aim="descriptor kept <= 2x")


if __name__ == "__main__":
    main()
