"""What a run of the pruner judges by, and what became of each kind of candidates.

Invariant: whatever was old enough is counted once: proposed, waiting, left alone with its reason, or
for another run.
"""

import hashlib
import posixpath
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from zoneinfo import ZoneInfo

from nightledger.codec.outcome_rows import read_outcome_rows
from nightledger.domain.outcome import Outcome
from nightledger.domain.proposal import Draft, Evidence, Op, Origin, Proposal
from nightledger.domain.pruning import Kept
from nightledger.files.home import Home
from nightledger.files.line_log import LineLog
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.stored import Stored
from nightledger.text.changes.veil import veil
from nightledger.text.markdown.document import encode
from nightledger.text.scanners.scan import told_values


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What the outcomes say, in one reading.

    Attributes:
        sure: Ids of the outcomes on which links with a confidence of .7 or more rest.
        places: The files that they name, relative to the home, each with the
            anchors in it ("" for the file as a whole).
        cited: Evidence for the outcomes that were asked for, by id.
    """

    sure: frozenset[str]
    places: Mapping[str, frozenset[str]]
    cited: Mapping[str, Evidence]


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """What a run judges by.

    Attributes:
        gate: The home.
        ledger: Its log, as checked.
        stored: Everything that was ever proposed.
        told: What the outcomes say.
        today: The date in the home's zone.
        zone: The home's zone.
    """

    gate: Gate
    ledger: Ledger
    stored: Sequence[Stored]
    told: Told
    today: date
    zone: ZoneInfo


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """Something that is old enough and stays as it is.

    Attributes:
        what: A link, a place in a gated file or a log.
        kept: Why.
        detail: One sentence where there is more to say.
    """

    what: str
    kept: Kept
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What is to become one proposal.

    Attributes:
        period: The month that it is about, or the day of the run.
        title: One line for lists.
        drafts: Its changes.
    """

    period: str
    title: str
    drafts: tuple[Draft, ...]


@dataclass(slots=True, kw_only=True)
class Tally:
    """Counts of one run for one kind; added up while it goes.

    Attributes:
        op: What is proposed for this kind.
        looked: How many there are.
        old: How many are old enough.
        waiting: How many of these wait for an answer already.
        proposals: What was proposed, or would be.
        suppressed: How many were answered before.
        no_room: How many wait for another run.
        months_left: Months with candidates that this run did not come to.
        closed: How many proposed changes were closed because they hold no longer.
        left: What stays, and why.
        unfit: Why candidates could not be proposed.
    """

    op: Op
    looked: int = 0
    old: int = 0
    waiting: int = 0
    proposals: list[Proposal] = field(default_factory=list)
    suppressed: int = 0
    no_room: int = 0
    months_left: int = 0
    closed: int = 0
    left: list[Left] = field(default_factory=list)
    unfit: list[str] = field(default_factory=list)

    @property
    def proposed(self) -> int:
        """How many changes were proposed."""
        return sum(len(proposal.changes) for proposal in self.proposals)

    @property
    def kept(self) -> dict[str, int]:
        """How many stay, by reason."""
        found = Counter(item.kept for item in self.left)
        return {kept.value: found[kept] for kept in Kept if found[kept]}

    def leave(self, what: str, kept: Kept, detail: str = "") -> None:
        """Count something that stays."""
        self.left.append(Left(what=what, kept=kept, detail=detail))


class Citable:
    """A file of which lines are cited; what it tells as secrets is looked for once."""

    def __init__(self, path: str, text: str) -> None:
        """Take a file's path, relative to the home, and its text (``surrogateescape``)."""
        self._path = path
        self._lines = text.split("\n")
        self._told = told_values(text)

    def cite(self, first: int, last: int, origin: Origin) -> Evidence:
        """Give the evidence of some lines, counted from 1; of secrets only their length is in its hash."""
        veiled = veil("\n".join(self._lines[first - 1 : last]), told=self._told)
        sha256 = hashlib.sha256(encode(veiled)).hexdigest()
        return Evidence(path=self._path, lines=(first, last), sha256=sha256, origin=origin)


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
