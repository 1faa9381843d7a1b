"""Drafts of what is to be archived, compressed or forgotten, and their fit: as ``hunks.py`` for text.

Invariant: a draft that copies a secret, or whose summary does not point to the very bytes that it
stands for, becomes no change; the reason says what to do.
"""

import hashlib
import os
from collections.abc import Collection
from datetime import date
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.errors import NightledgerError
from nightledger.domain.kept import ARCHIVE, ARCHIVE_DAILY, LINKS, why_forbidden
from nightledger.domain.links import link_key
from nightledger.domain.proposal import Anchor, Change, Draft, Evidence, Flag, Hunk, Op, Part
from nightledger.domain.pruning import LinkUse
from nightledger.domain.retention import WEAK_BELOW
from nightledger.files.home import Home
from nightledger.gate.forgetting.fates import link_diff, summary_diff
from nightledger.gate.kept_files import places_of, read_target
from nightledger.gate.proposing.hunks import Unfit, change_of
from nightledger.text.changes.place import NOT_UTF8
from nightledger.text.changes.veil import shows_secret
from nightledger.text.forgetting.traces import Marker, archive_block, count_lines, read_marker
from nightledger.text.markdown.document import is_utf8
from nightledger.text.markdown.entries import Entry
from nightledger.text.scanners.scan import told_values

if TYPE_CHECKING:
    from nightledger.files.link_index import Recalled

REPEATS = "its summary repeats a secret of the log"
NO_POINTER = "its summary does not point to its full text"
NOT_SHORTER = "its summary is not shorter than it is"
CHANGED = "it has changed since its summary was made"


class Grounds(Struct, frozen=True, kw_only=True):
    """Why something is to go, and how it is shown.

    Attributes:
        reason: One or two sentences.
        evidence: Where it comes from, strongest first.
        flags: What rules say of it.
        rank: Higher is shown earlier.
    """

    reason: str
    evidence: tuple[Evidence, ...] = ()
    flags: tuple[Flag, ...] = ()
    rank: float = 0.0


def archival(target: str, entry: Entry, day: date, grounds: Grounds) -> Draft:
    """Return the draft that moves an entry of a gated file to the archive of a year.

    Args:
        target: The gated file.
        entry: As it stands there.
        day: The log day on which it goes; its year names the file.
        grounds: Why.
    """
    draft = replace(
        _draft(Op.ARCHIVE, target, f"archive {entry.id}", grounds),
        section=entry.section,
        before=entry.text,
        line=entry.first_line,
        entry=entry.id,
    )
    return moved(draft, day)


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


def link_deletion(key: str, co_occurrences: int, last_seen: date, grounds: Grounds) -> Draft:
    """Return the draft that forgets a link.

    Args:
        key: Its name: ``cron + timezone``.
        co_occurrences: In how many sessions both tags occurred.
        last_seen: Newest log day on which they did.
        grounds: Why.
    """
    noun = "co-occurrence" if co_occurrences == 1 else "co-occurrences"
    said = f"delete link {key} {co_occurrences} {last_seen}"
    return replace(
        _draft(Op.DELETE_LINK, LINKS, said, grounds),
        before=f"{key}: {co_occurrences} {noun}, last seen {last_seen}",
    )


def link_use(one: "Recalled") -> LinkUse:
    """Return how a link was used, as those judge it who let links go."""
    link = one.link
    return LinkUse(*link.pair, link.co_occurrences, link.last_day, one.confidence < WEAK_BELOW)


def unseen_link_deletion(
    link: LinkUse, today: date, *, why: str = "", evidence: tuple[Evidence, ...] = ()
) -> Draft:
    """Return the draft that forgets a link which was not seen for long.

    Args:
        link: Which.
        today: The date in the home's zone.
        why: What else speaks against it, to begin the reason with.
        evidence: Where it comes from.
    """
    last = date.fromordinal(link.last_day)
    days = (today - last).days
    times = "once" if link.co_occurrences == 1 else f"{link.co_occurrences} times"
    reason = f"{why}both tags occurred together {times}, last on {last}, {days} days ago"
    grounds = Grounds(reason=reason, evidence=evidence, rank=round(days / 100_000, 4))
    return link_deletion(link_key(*link.pair), link.co_occurrences, last, grounds)


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
        flags=grounds.flags,
    )


def fit_whole(home: Home, draft: Draft) -> Change | Unfit:
    """Turn the draft of a compression or of a link's deletion into change 1, or say why it cannot be.

    Args:
        home: Whose.
        draft: One that is not placed in a text.
    """
    made = _deletion(draft) if draft.op is Op.DELETE_LINK else _compression(home, draft)
    if isinstance(made, Unfit):
        return made
    reasons = why_forbidden(made, places_of(home))
    return Unfit(draft=draft, reason="; ".join(reasons)) if reasons else made


def _deletion(draft: Draft) -> Change:
    name = draft.before.partition(": ")[0]
    change = change_of(1, draft, Hunk(anchor=Anchor.LINK, section=(), removed=name), "")
    return replace(change, diff=link_diff(change))


def _compression(home: Home, draft: Draft) -> Change | Unfit:
    try:
        content = read_target(home, draft.target)
        copies = [read_target(home, part.target) for part in draft.also]
    except NightledgerError as error:
        return Unfit(draft=draft, reason=str(error))
    sha256 = hashlib.sha256(content).hexdigest()
    change = change_of(1, draft, Hunk(anchor=Anchor.WHOLE, section=(), removed=sha256, added=draft.after), "")
    text = content.decode("utf-8", "surrogateescape")
    why = _why_no_summary(change, content, told_values(text))
    if not why and any(copy and copy != content for copy in copies):
        why = f"{change.also[0].target} holds other bytes"
    if why:
        return Unfit(draft=draft, reason=why)
    return replace(change, diff=summary_diff(change, text))


def _why_no_summary(change: Change, content: bytes, told: frozenset[str]) -> str:
    """Return why a summary may not stand for a log; empty where it may."""
    summary, copy = change.hunk.added, change.also[0] if change.also else None
    if not is_utf8(summary):
        return NOT_UTF8
    if copy is None or copy.hunk.added != change.hunk.removed:
        return CHANGED
    if len(summary.encode()) >= len(content):
        return NOT_SHORTER
    if read_marker(summary) != Marker(
        copy=copy.target, lines=count_lines(content), sha256=change.hunk.removed
    ):
        return NO_POINTER
    return REPEATS if shows_secret(summary, told=told) else ""
