"""What is proposed to be archived, compressed or forgotten: by jobs as links and entries fade, by the operator entry by entry.

Invariant: everything is a proposal; what fades is asked about once a month, in one proposal within the budget of what it
removes. An entry that is forgotten is taken out whole, and once that is signed it is not learned again (``forgotten.py``).
"""

import hashlib
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain import pruning
from nightledger.domain.decision import Moment
from nightledger.domain.errors import UsageError
from nightledger.domain.judge import JOB, MOST_DELETIONS, OPERATOR
from nightledger.domain.kept import ARCHIVE, ARCHIVE_DAILY, LINKS
from nightledger.domain.links import link_key
from nightledger.domain.proposal import Anchor, Draft, Evidence, Hunk, Kind, Op, Origin, Part
from nightledger.domain.retention import MOST_ARCHIVED, WEAK_BELOW, fades
from nightledger.files.configuration import home_zone
from nightledger.files.home import Home
from nightledger.files.link_index import Rules, folded_links
from nightledger.gate.forgetting.forgotten import tombstones
from nightledger.gate.gated import read_gated, read_target
from nightledger.gate.memory.naming import Placed, evidence_of, find_takers
from nightledger.gate.memory.remembering import Facts, Remembered, read_network
from nightledger.gate.opening import Gate, Ledger, read_ledger
from nightledger.gate.proposing.proposing import Outcome, Submission, propose
from nightledger.gate.stored import Stored
from nightledger.text.forgetting.traces import archive_block
from nightledger.text.markdown.document import decode
from nightledger.text.markdown.entries import Entry
from nightledger.text.similar import fold

if TYPE_CHECKING:
    from nightledger.files.link_index import Recalled

UNTOLD = "no outcome names what was shown before it, so nothing can have proved useful"
ASKED = "faded entries are asked about once a month"


class Grounds(Struct, frozen=True, kw_only=True):
    """Why something is to go, and how it is shown.

    Attributes:
        reason: One or two sentences.
        evidence: Where it comes from, strongest first.
        rank: Higher is shown earlier.
    """

    reason: str
    evidence: tuple[Evidence, ...] = ()
    rank: float = 0.0


def archival(target: str, entry: Entry, day: date, grounds: Grounds) -> Draft:
    """Return the draft that moves an entry of a gated file to the archive of a year.

    Args:
        target: The gated file.
        entry: As it stands there.
        day: The log day on which it goes; its year names the file.
        grounds: Why.
    """
    return moved(_of_entry(Op.ARCHIVE, target, entry, f"archive {entry.id}", grounds), day)


def _of_entry(op: Op, target: str, entry: Entry, key: str, grounds: Grounds) -> Draft:
    return replace(
        _draft(op, target, key, grounds),
        section=entry.section,
        before=entry.text,
        line=entry.first_line,
        entry=entry.id,
    )


def moved(draft: Draft, day: date) -> Draft:
    """Return the draft of a removal as one that moves its lines to the archive of a year."""
    block = archive_block(
        draft.before.lstrip("\r\n") if draft.entry is None else draft.before,
        section=draft.section,
        entry=draft.entry,
        target=draft.target,
        day=day,
        reason=draft.reason,
    )
    hunk = Hunk(anchor=Anchor.FILE_END, section=(), added=block)
    return replace(draft, op=Op.ARCHIVE, also=(Part(target=f"{ARCHIVE}/{day.year:04d}.md", hunk=hunk),))


def copy_path(home: Home, log: str, sha256: str, taken: Collection[str] = ()) -> str:
    """Return a path in the archive for the full text of a log: its own name, or with a number where that is taken.

    Args:
        home: Whose.
        log: The log, relative to the home.
        sha256: Hex SHA-256 of its bytes; a copy that holds them already is used.
        taken: Paths that other changes of the same proposal write.

    Raises:
        UnreadableError: What lies there cannot be read.
        RefusedError: What lies there is a link.
    """
    stem, end = os.path.splitext(log.rpartition("/")[2])
    n = 1
    while True:
        path = f"{ARCHIVE_DAILY}/{stem}{'' if n == 1 else f'-{n}'}{end}"
        content = read_target(home, path)
        if path not in taken and (not content or hashlib.sha256(content).hexdigest() == sha256):
            return path
        n += 1


def compression(log: str, content: bytes, summary: str, copy: str, grounds: Grounds) -> Draft:
    """Return the draft that moves the full text of a daily log to the archive and leaves a summary.

    Args:
        log: The log, relative to the home.
        content: Its bytes, of which the summary was made.
        summary: What it is to hold; one of its lines is ``marker_line`` for the copy.
        copy: Where its full text goes (``copy_path``).
        grounds: Why.
    """
    sha256 = hashlib.sha256(content).hexdigest()
    return replace(
        _draft(Op.COMPRESS, log, f"compress {log} {sha256}", grounds),
        after=summary,
        also=(Part(target=copy, hunk=Hunk(anchor=Anchor.COPY, section=(), added=sha256)),),
    )


def link_use(one: "Recalled") -> pruning.LinkUse:
    """Return how a link was used, as those judge it who let links go."""
    link = one.link
    return pruning.LinkUse(*link.pair, link.co_occurrences, link.last_day, one.confidence < WEAK_BELOW)


def unseen_link_deletion(link: pruning.LinkUse, today: date, *, why: str = "") -> Draft:
    """Return the draft that forgets a link which was not seen for long.

    Args:
        link: Which.
        today: The date in the home's zone.
        why: What else speaks against it, to begin the reason with.
    """
    last = date.fromordinal(link.last_day)
    days = (today - last).days
    times = "once" if link.co_occurrences == 1 else f"{link.co_occurrences} times"
    reason = f"{why}both tags occurred together {times}, last on {last}, {days} days ago"
    grounds = Grounds(reason=reason, evidence=(), rank=round(days / 100_000, 4))
    name, noun = link_key(*link.pair), "co-occurrence" if link.co_occurrences == 1 else "co-occurrences"
    draft = _draft(Op.DELETE_LINK, LINKS, f"delete link {name} {link.co_occurrences} {last}", grounds)
    return replace(draft, before=f"{name}: {link.co_occurrences} {noun}, last seen {last}")


def _draft(op: Op, target: str, key: str, grounds: Grounds) -> Draft:
    return Draft(
        op=op,
        target=target,
        section=(),
        after="",
        reason=grounds.reason,
        evidence=grounds.evidence,
        confidence=1.0,
        rank=grounds.rank,
        statement_key=key,
    )


class LetGo(Struct, frozen=True, kw_only=True):
    """What was found, and what was proposed of it.

    Attributes:
        found: How many there are.
        kept: How many of them stay: entries that speak of what the consent graph blocks.
        proposals: Ids of the proposals made.
        reason: Why nothing was proposed; empty where something was, or there was nothing.
    """

    found: int = 0
    kept: int = 0
    proposals: tuple[str, ...] = ()
    reason: str = ""


class Known(Struct, frozen=True, kw_only=True):
    """What a pass knows of a home's entries.

    Attributes:
        facts: Of every entry.
        signed: Those that stand as they were signed.
        stored: All proposals.
    """

    facts: Facts
    signed: Sequence[Remembered]
    stored: Sequence[Stored]


def propose_weak(
    gate: Gate, ledger: Ledger, known: Known, moment: Moment, day: date, *, dry_run: bool
) -> LetGo:
    """Propose to delete links whose confidence is under a tenth; the caller holds the home's lock.

    However often one occurred: the pruner asks about what occurred once, this about what is believed no
    more; neither closes what the other asked.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        known: What is known of it.
        moment: The clocks.
        day: The date in the home's zone.
        dry_run: Count, and propose nothing.
    """
    zone = home_zone(gate.home, gate.settings)
    with folded_links(gate.home, Rules(zone=zone, forgotten=tombstones(gate, ledger))) as index:
        faint = sorted(
            filter(lambda link: pruning.is_faint(link, day), map(link_use, index.every())), key=pruning.by_age
        )
    drafts = [unseen_link_deletion(link, day, why="its confidence is under a tenth; ") for link in faint]
    said = {change.key for item in known.stored for change in item.proposal.changes}
    made: list[str] = []
    for draft in [draft for draft in drafts if draft.statement_key not in said][:MOST_DELETIONS]:
        name = draft.before.partition(": ")[0]
        made += _submit(gate, [draft], day.isoformat(), f"Forget the link {name}", moment, dry_run=dry_run)
    return LetGo(found=len(drafts), proposals=tuple(made))


def propose_faded(
    gate: Gate,
    known: Known,
    moment: Moment,
    day: date,
    *,
    dry_run: bool,
    choose: Callable[[Sequence[Remembered]], Mapping[str, str]] | None = None,
) -> LetGo:
    """Propose to archive entries that faded, the most faded first; the caller holds the home's lock.

    Args:
        gate: The home.
        known: What is known of its entries.
        moment: The clocks.
        day: The date in the home's zone.
        dry_run: Count, and propose nothing.
        choose: Says of which of them more speaks for it, by their ids, and what; the others stay. None takes all.
    """
    signed, facts = known.signed, known.facts
    network = read_network(gate.home)
    degrees = [network.degree(fold(one.placed.entry.text).split()) for one in signed]
    words = pruning.blocked_words(gate.consent)
    faded = [signed[at] for at in fades([one.memory for one in signed], degrees, facts.now_hour)]
    free = [one for one in faded if not pruning.names_blocked(one.placed.entry.text, words)]
    found = LetGo(found=len(faded), kept=len(faded) - len(free))
    if not free:
        return found
    changes = [(item.proposal, change) for item in known.stored for change in item.proposal.changes]
    asked = [(proposal, change) for proposal, change in changes if change.op is Op.ARCHIVE]
    if any((p.kind, p.lane, p.period) == (Kind.PRUNE, JOB, pruning.month_of(day)) for p, _ in asked):
        return replace(found, reason=ASKED)  # one a month is what a person reads
    if not facts.named:
        return replace(found, reason=UNTOLD)
    before = {change.entry for _, change in asked}
    free.sort(key=lambda one: one.memory.id in before)  # what was refused stands behind what was not asked
    made: list[str] = []
    few = free[:MOST_ARCHIVED]
    said = choose(few) if choose else dict.fromkeys((one.memory.id for one in few), "")
    found = replace(found, kept=found.kept + sum(one.memory.id not in said for one in few))
    few = [one for one in few if one.memory.id in said]
    for path in dict.fromkeys(one.placed.path for one in few):
        drafts = _archivals(gate, [one for one in few if one.placed.path == path], facts, day, said)
        made += _submit(
            gate, drafts, pruning.month_of(day), f"Archive what faded of {path}", moment, dry_run=dry_run
        )
    return replace(found, proposals=tuple(made))


def _archivals(
    gate: Gate, faded: Sequence[Remembered], facts: Facts, day: date, said: Mapping[str, str]
) -> list[Draft]:
    """Return the drafts of one file, as many as one proposal may remove of it."""
    path = faded[0].placed.path
    size = len(decode(read_gated(gate.home, path)))
    drafts = []
    for at, one in enumerate(faded):
        entry, memory = one.placed.entry, one.memory
        idle = facts.now_hour - max(memory.created_hour, memory.used_hour)
        grounds = Grounds(
            reason=f"It was of no use for {idle} active hours ({memory.tier.name} memories fade so fast){said[memory.id]}.",
            evidence=(evidence_of(one.placed, Origin.UNKNOWN),),
            rank=-float(at),
        )
        drafts.append(archival(path, entry, day, grounds))
    return list(next(pruning.in_portions(drafts, size))[0])


def _submit(
    gate: Gate, drafts: Sequence[Draft], period: str, title: str, moment: Moment, *, dry_run: bool
) -> list[str]:
    submission = Submission(kind=Kind.PRUNE, lane=JOB, period=period, title=title, drafts=drafts)
    outcome = propose(gate, read_ledger(gate), submission, moment, dry_run=dry_run)
    return [outcome.proposal.id] if outcome.proposal else []


def forget(gate: Gate, ledger: Ledger, placed: Placed, moment: Moment, *, period: str) -> Outcome:
    """Propose that an entry is forgotten; the caller holds the home's lock.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        placed: The entry.
        moment: The clocks.
        period: The log day.

    Raises:
        UsageError: Its forgetting waits already, for an answer or to be applied.
    """
    takers = (name for name, _, _ in find_takers(gate, ledger, [placed.entry.id]))
    waiting = next((name for name in takers if ledger.book.proposals[name].kind is Kind.FORGET), "")
    if waiting:
        raise UsageError(
            f"to forget this entry was proposed already, as {waiting}",
            hint=f"'nightledger proposals {waiting[:10]}' says what it waits for",
        )
    entry = placed.entry
    grounds = Grounds(
        reason="The operator has it forgotten: it is not learned again.",
        evidence=(evidence_of(placed, Origin.OWNER),),
        rank=1.0,
    )
    submission = Submission(
        kind=Kind.FORGET,
        lane=OPERATOR,
        period=period,
        title=f"Forget one entry of {placed.path}",
        drafts=[_of_entry(Op.REMOVE, placed.path, entry, f"forget {entry.id}", grounds)],
    )
    return propose(gate, ledger, submission, moment)
