"""Call the real command line in this process, as a user would call it in theirs.

Invariant: a call sees only its own standard streams and the demo's key folder; both
are put back afterwards, so that nothing of the user's is read or changed.
"""

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from nightledger.surfaces import cli


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """One finished command.

    Attributes:
        words: The verb and its arguments, without ``--home`` and ``--now``.
        status: Exit status.
        out: Standard output.
        err: Standard error.
    """

    words: tuple[str, ...]
    status: int
    out: str
    err: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shell:
    """A home and its keys, and the way to call ``nightledger`` on them."""

    home: Path
    keys: Path

    def run(self, *words: str, now: datetime, stdin: str = "") -> Ran:
        """Run one command at the simulated time ``now`` and give what it said."""
        argv = [*words, "--home", str(self.home), "--now", now.isoformat()]
        with _streams(stdin) as (out, err), _environment("NIGHTLEDGER_KEYS", str(self.keys)):
            try:
                status = cli.main(argv)
            except SystemExit as leaving:  # argparse ends so on a wrong option
                status = leaving.code if isinstance(leaving.code, int) else 1
            sys.stdout.flush()
            sys.stderr.flush()
            return Ran(words=words, status=status, out=_text(out), err=_text(err))

    def on(self, home: Path) -> "Shell":
        """Give the shell of another home with the same keys."""
        return Shell(home=home, keys=self.keys)


@contextlib.contextmanager
def _streams(stdin: str) -> Iterator[tuple[io.BytesIO, io.BytesIO]]:
    before = sys.stdin, sys.stdout, sys.stderr
    out, err = io.BytesIO(), io.BytesIO()
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
    sys.stdout = io.TextIOWrapper(out, encoding="utf-8", write_through=True)
    sys.stderr = io.TextIOWrapper(err, encoding="utf-8", write_through=True)
    try:
        yield out, err
    finally:
        sys.stdin, sys.stdout, sys.stderr = before


@contextlib.contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def _text(stream: io.BytesIO) -> str:
    return stream.getvalue().decode("utf-8", "replace")
