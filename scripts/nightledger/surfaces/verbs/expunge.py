"""Remove a leaked text from every file of ours. It is signed, and nothing brings it back.

--text-from-stdin   the text, from standard input, so that no history of a shell keeps it
--line FILE:N       the text of one line of a file in the home
--sha256 HASH       a blob, proposal, decision or held-back text, by the SHA-256 of its bytes

Proposals, decisions, blobs and held-back texts that hold it are removed whole; in outcomes, run
ledgers and archives it is overwritten in place; in gated files a signed edit puts [expunged]
there, and is shown; so is the text that --line names, for that line may have changed since you read
it. What is folded from these is made anew. A proposal or decision that is not what was logged is
evidence of that, and stays unless you say --altered. It says where else the text is, and what it
cannot reach. An undo that needs the text says 'expunged'. The log keeps keyed hashes of its lines: no
night and nobody else proposes them again, and no search shows them, though the agent's files hold them.

Reads   every file of the home that may hold it
Writes  those files, audit/decisions/, the audit log
Changes memory where a gated file holds the text: the operator signs it here.
"""

import argparse
import re
import sys

from nightledger.domain.errors import UsageError
from nightledger.domain.needle import Needle, needle_of
from nightledger.domain.words import number_of
from nightledger.files.home import Home
from nightledger.files.reading import read_regular
from nightledger.surfaces.context import Context
from nightledger.surfaces.expunge import Asked, expunge, show

MAX_TEXT_BYTES = 1 << 20


def configure(parser: argparse.ArgumentParser) -> None:
    """Name the options of ``expunge``."""
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--text-from-stdin", action="store_true", help="read the text from standard input")
    what.add_argument("--line", metavar="FILE:N", help="a line of a file in the home, from 1")
    what.add_argument("--sha256", metavar="HASH", help="SHA-256 of a file's bytes, in hex")
    parser.add_argument(
        "--altered",
        action="store_true",
        help="also proposals and decisions that are not what was logged; 'verify' then tells it as a note",
    )
    parser.add_argument("--dry-run", action="store_true", help="say where it is, and change nothing")


def run(options: argparse.Namespace, context: Context) -> int:
    """Find it, have it signed, and remove it."""
    asked = Asked(
        what=_asked(options, context), by_line=options.line is not None, with_altered=options.altered
    )
    return show(context, asked) if options.dry_run else expunge(context, asked)


def _asked(options: argparse.Namespace, context: Context) -> str | Needle:
    if options.sha256:
        sha256: str = options.sha256.lower()
        if not re.fullmatch(r"[0-9a-f]{64}", sha256):
            raise UsageError(f"{options.sha256!r} is not a SHA-256", hint="64 hex digits")
        return sha256
    if options.line:
        return needle_of(_line(options.line, context))
    return needle_of(sys.stdin.buffer.read(MAX_TEXT_BYTES).decode("utf-8", "surrogateescape"))


def _line(place: str, context: Context) -> str:
    name, _, number = place.rpartition(":")
    if not name or not number.isdecimal():
        raise UsageError(f"{place!r} is no line", hint="write it as MEMORY.md:12")
    home = Home(context.home_path).require()
    lines = read_regular(home.path(name), 1 << 30, within=home.root).split(b"\n")
    if not 0 < number_of(number) <= len(lines):
        raise UsageError(
            f"{name} has {len(lines)} lines", hint="'nightledger expunge --text-from-stdin' takes the text"
        )
    return lines[int(number) - 1].decode("utf-8", "surrogateescape")
