"""One run of the pruner: what it judges by, how it proposes, and what became of each kind of candidates.

Invariant: whatever was old enough is counted once: proposed, waiting, left alone with its reason, or
for another run.
"""

import hashlib
import posixpath
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import date

from msgspec import Struct, field
from msgspec.structs import replace

from nightledger.codec.rows import read_outcome_rows
from nightledger.domain.decision import Moment
from nightledger.domain.judge import JOB
from nightledger.domain.proposal import Change, Draft, Evidence, Kind, Op, Origin, Proposal
from nightledger.domain.pruning import MOST_MONTHS, Kept
from nightledger.domain.states import OPEN_STATES, ChangeState
from nightledger.files.home import Home
from nightledger.files.line_log import LineLog
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.proposing.proposing import Submission, propose, supersede
from nightledger.gate.stored import Stored
from nightledger.text.markdown.document import encode
from nightledger.text.scanners.scan import told_values, veil


class Left(Struct, frozen=True, kw_only=True):
    """Something that is old enough and stays as it is.

    Attributes:
        what: A link, a place in a gated file or a log.
        kept: Why.
        detail: One sentence where there is more to say.
    """

    what: str
    kept: Kept
    detail: str = ""


class Tally(Struct, kw_only=True):
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


class Run(Struct, frozen=True, kw_only=True):
    """One run over one home: what it judges by, what waits already, and how it proposes.

    Attributes:
        gate: The home.
        ledger: Its log, as checked.
        today: The date in the home's zone by which ages are told.
        dry_run: Say what would be proposed and write nothing.
        moment: The clocks.
        stored: Everything that was ever proposed.
        places: Names of the files that outcomes of sure links come from, whatever folder these gave.
    """

    gate: Gate
    ledger: Ledger
    today: date
    dry_run: bool
    moment: Moment
    stored: Sequence[Stored]
    places: Collection[str]

    def states(self, op: Op, states: Collection[ChangeState]) -> list[tuple[Stored, Change]]:
        """Return the changes of a kind that stand so, whoever made them."""
        return [
            (item, change)
            for item in self.stored
            for change in item.proposal.changes
            if change.op is op and self.ledger.book.proposals[item.proposal.id].state_of(change.n) in states
        ]

    def waiting(self, op: Op) -> list[tuple[Stored, Change]]:
        """Return the changes of a kind, made by the pruner, that wait for an answer."""
        found = self.states(op, OPEN_STATES)
        return [one for one in found if (one[0].proposal.kind, one[0].proposal.lane) == (Kind.PRUNE, JOB)]

    def close(self, tally: Tally, is_over: Callable[[Change], bool]) -> list[tuple[Stored, Change]]:
        """Close what waits and holds no longer; return what still waits."""
        found = self.waiting(tally.op)
        over = [(item, change) for item, change in found if is_over(change)]
        tally.closed = len(over)
        if not self.dry_run:
            supersede(self.gate, [(item.proposal.id, change.n) for item, change in over], self.moment)
        return [one for one in found if one not in over]

    def submission(self, period: str, title: str, drafts: Sequence[Draft]) -> Submission:
        """Return what is to become one proposal: of a month, or of the day of the run."""
        return Submission(kind=Kind.PRUNE, lane=JOB, period=period, title=title, drafts=list(drafts))

    def submit(self, submissions: Iterable[Submission], tally: Tally, most: int) -> None:
        """Put submissions before the operator, so many at most; the rest competes again."""
        waiting = {change.key for _, change in self.waiting(tally.op)}
        for submission in submissions:
            drafts = [draft for draft in submission.drafts if draft.statement_key not in waiting]
            if len(tally.proposals) >= most:
                tally.no_room += len(drafts)
                return
            one = replace(submission, drafts=drafts)
            outcome = propose(self.gate, self.ledger, one, self.moment, dry_run=self.dry_run)
            tally.proposals += [outcome.proposal] if outcome.proposal else []
            tally.suppressed += outcome.suppressed
            tally.no_room += outcome.no_room
            tally.unfit += [f"{one.draft.target}: {one.reason}" for one in outcome.unfit]
            tally.unfit += [
                f"{one.path}: scanners hold it back ({', '.join(one.rules)})" for one in outcome.held
            ]


def room(waiting: Iterable[tuple[Stored, Change]]) -> int:
    """Return how many more proposals of a kind may wait for an answer."""
    return MOST_MONTHS - len({item.proposal.id for item, _ in waiting})


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


def read_places(home: Home, sure: Collection[str]) -> frozenset[str]:
    """Return the names of the files that outcomes name, whatever folder these gave.

    Args:
        home: Whose.
        sure: Ids of the outcomes.

    Raises:
        UnreadableError: When the outcome log is a link, a directory, a FIFO or a device.
        FileChangedError: When it was cut while it was read.
    """
    places: set[str] = set()
    with LineLog(home.outcomes) as log:
        for line in (line for chunk in log.chunks(0) for line in chunk.split(b"\n")[:-1]):
            found = _ID.search(line)
            if found and found[1].decode("ascii") in sure:
                for outcome in read_outcome_rows(line).rows:
                    named = (outcome.source_file, *(evidence.path for evidence in outcome.evidence))
                    places |= {posixpath.basename(name.partition("#")[0]) for name in named}
    return frozenset(places)
