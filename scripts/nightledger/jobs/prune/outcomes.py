"""What outcomes say to the pruner: which files sure links rest on.

Invariant: the file is read once, in pieces; only the lines that were asked for are decoded.
"""

import hashlib
import posixpath
import re
from collections.abc import Collection, Iterator

from nightledger.codec.outcome_rows import read_outcome_rows
from nightledger.domain.outcome import Outcome
from nightledger.domain.proposal import Evidence, Origin
from nightledger.files.home import Home
from nightledger.files.line_log import LineLog
from nightledger.jobs.prune.tally import Told

_ID = re.compile(rb'"id":"(o-[a-z2-7]{26})"')


def read_told(home: Home, sure: frozenset[str], asked: Collection[str]) -> Told:
    """Read the outcomes of a home.

    Args:
        home: Whose.
        sure: Ids of outcomes that sure links rest on.
        asked: Ids of outcomes that are to be cited.

    Raises:
        UnreadableError: When the outcome log is a link, a directory, a FIFO or a device.
        FileChangedError: When it was cut while it was read.
    """
    places: dict[str, set[str]] = {}
    cited: dict[str, Evidence] = {}
    path = home.relative(home.outcomes)
    for number, line in _lines(home):
        found = _ID.search(line)
        name = found[1].decode("ascii") if found else ""
        outcome = _decode(line) if name in sure or name in asked else None
        if outcome and name in sure:
            for place, anchor in _places(outcome):
                places.setdefault(place, set()).add(anchor)
        if outcome and name in asked:
            cited[name] = _cite(path, number, line, outcome)
    frozen = {place: frozenset(anchors) for place, anchors in places.items()}
    return Told(sure=sure, places=frozen, cited=cited)


def _lines(home: Home) -> Iterator[tuple[int, bytes]]:
    with LineLog(home.outcomes) as log:
        lines = (line for chunk in log.chunks(0) for line in chunk.split(b"\n")[:-1])
        yield from enumerate(lines, 1)


def _decode(line: bytes) -> Outcome | None:
    return next(iter(read_outcome_rows(line).rows), None)


def _places(outcome: Outcome) -> Iterator[tuple[str, str]]:
    """Give the files that an outcome names, each with the anchor in it."""
    for text in (outcome.source_file, *(evidence.path for evidence in outcome.evidence)):
        path, _, anchor = text.partition("#")
        yield posixpath.normpath(path), anchor


def _cite(path: str, number: int, line: bytes, outcome: Outcome) -> Evidence:
    return Evidence(
        path=path,
        lines=(number, number),
        sha256=hashlib.sha256(line).hexdigest(),
        origin=outcome.origin or Origin.AGENT,
        outcome=outcome.id,
    )
