"""The drafts of what is to be archived, compressed or forgotten; and what the operator has forgotten, entry by entry.

Invariant: everything is a proposal. An entry that is forgotten is taken out whole, and once that is signed it is not learned again (``forgotten.py``).
"""

import hashlib
import os
from collections.abc import Collection
from datetime import date

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.decision import Moment
from nightledger.domain.errors import UsageError
from nightledger.domain.judge import OPERATOR
from nightledger.domain.kept import ARCHIVE, ARCHIVE_DAILY, LINKS
from nightledger.domain.links import Link
from nightledger.domain.proposal import Anchor, Draft, Evidence, Hunk, Kind, Op, Origin, Part
from nightledger.files.home import Home
from nightledger.gate.gated import read_target
from nightledger.gate.memory.naming import Placed, evidence_of, find_takers
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.proposing.proposing import Outcome, Submission, propose
from nightledger.text.forgetting import archive_block
from nightledger.text.markdown.entries import Entry


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


def unseen_link_deletion(link: Link, today: date, *, why: str = "") -> Draft:
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
    name, noun = link.key, "co-occurrence" if link.co_occurrences == 1 else "co-occurrences"
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
