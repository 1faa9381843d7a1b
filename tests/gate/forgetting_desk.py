"""Homes with old logs and closed entries, and the drafts that a pruner makes of them."""

import hashlib
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from tests.gate.homes import Desk, evidence

from nightledger.domain.judge import JOB
from nightledger.domain.outcome import Link, Tally
from nightledger.domain.proposal import Draft, Kind, Proposal
from nightledger.gate.proposing import Outcome, Submission, propose
from nightledger.gate.removals import Grounds, archival, compression, copy_path, unseen_link_deletion
from nightledger.text.forgetting import Marker, count_lines, marker_line
from nightledger.text.markdown.document import parse_markdown
from nightledger.text.markdown.entries import find_entries

DAY = date(2026, 3, 1)
LOG = "memory/2026-01-02.md"
COPY = "memory/archive/daily/2026-01-02.md"
ARCHIVE = "memory/archive/2026.md"
FULL = b"# 2026-01-02\n\n" + b"".join(
    b"- Step %d of the relay upgrade went as planned.\n" % n for n in range(40)
)
ODD = {
    "memory/2026-01-03.md": b"\xef\xbb\xbf# Day\r\n\r\n" + b"- A line with CRLF.\r\n" * 30,
    "memory/2026-01-04.md": b"- bytes \xff\xfe\x00 that are no text\n" * 20 + b"- and no end",
    "memory/daily/2026-01-02.md": b"\x00\x00" + b"- Another log of the same day.\n" * 20,
}
"""Logs whose bytes are anything but plain."""


def file(desk: Desk, path: str) -> Path:
    """Give a file of the home."""
    return Path(desk.home.path(path))


def put(desk: Desk, path: str, content: bytes) -> bytes:
    """Write a file of the home as its agent would."""
    file(desk, path).parent.mkdir(parents=True, exist_ok=True)
    file(desk, path).write_bytes(content)
    return content


def why(path: str, reason: str = "It is older than 30 days.") -> Grounds:
    """Give why something goes."""
    return Grounds(reason=reason, evidence=(evidence(path),))


def summary_of(log: str, content: bytes, copy: str) -> str:
    """Give a summary that points to its full text."""
    sha256 = hashlib.sha256(content).hexdigest()
    marker = Marker(copy=copy, lines=count_lines(content), sha256=sha256)
    return f"# Short\n\n- The relay was upgraded.\n\n{marker_line(log, marker)}\n"


def compress(desk: Desk, log: str, content: bytes = FULL, taken: Sequence[str] = ()) -> Draft:
    """Write a log and give the draft that compresses it."""
    put(desk, log, content)
    copy = copy_path(desk.home, log, hashlib.sha256(content).hexdigest(), taken)
    return compression(log, content, summary_of(log, content, copy), copy, why(log))


def archive(desk: Desk, *texts: str) -> list[Draft]:
    """Give the drafts that archive the entries with such a text."""
    entries = find_entries(parse_markdown(desk.text()))
    return [
        archival("MEMORY.md", entry, DAY, why("MEMORY.md", "Resolved on 2025-11-02."))
        for text in texts
        for entry in entries
        if text in entry.text
    ]


def forget(key: str = "cron + timezone") -> Draft:
    """Give the draft that deletes a link."""
    first, second = key.split(" + ")
    last = date(2026, 1, 2).toordinal()
    link = Link((first, second), co_occurrences=1, tallies=[Tally("x")], resolutions=1, last_day=last)
    return unseen_link_deletion(link, DAY)


def prune(desk: Desk, *drafts: Draft) -> Outcome:
    """Propose drafts as the pruner does."""
    submission = Submission(kind=Kind.PRUNE, lane=JOB, period="2026-01", title="Old things", drafts=drafts)
    return propose(desk.gate, desk.ledger(), submission, desk.moment)


def pruned(desk: Desk, *drafts: Draft) -> Proposal:
    """Propose drafts, of which some must fit."""
    outcome = prune(desk, *drafts)
    assert outcome.proposal is not None, outcome.unfit
    return outcome.proposal


def forgotten(desk: Desk, *drafts: Draft) -> Proposal:
    """Propose, approve, wait and apply."""
    proposal = pruned(desk, *drafts)
    desk.approve(proposal)
    desk.wait(hours=3)
    attempts = desk.apply(proposal)
    assert [a.changes for a in attempts] == [tuple(c.n for c in proposal.changes)], attempts
    return proposal


def snapshot(desk: Desk) -> dict[str, bytes]:
    """Give every file of the agent and of the archive, without our records."""
    root = Path(desk.home.root)
    found = [root / "MEMORY.md", *(root / "memory").rglob("*.md")]
    kept = (path for path in found if path.is_file() and "state" not in path.parts)
    return {str(path.relative_to(root)): path.read_bytes() for path in kept}
