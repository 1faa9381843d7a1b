"""What becomes of what a change takes away: in a diff, in one or two plain lines, and in ``tc-prune-request.json``.

Invariant: whatever is new text is in the diff, every line of it; bytes that only move are named by
place, number of lines and hash.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from nightledger.domain.proposal import Change, Op, Proposal
from nightledger.gate.proposing.hunks import readable_diff
from nightledger.text.forgetting.traces import read_marker, told_with
from nightledger.text.markdown.document import split_lines
from nightledger.text.scanners.scan import mask_secrets, told_values

LET_GO = frozenset({Op.ARCHIVE, Op.COMPRESS, Op.DELETE_LINK})
"""What stands in the view of the pruner; all else stands in that of consolidation."""


def change_diff(
    before: Mapping[str, str], after: Mapping[str, str], change: Change, *, told: frozenset[str]
) -> str:
    """Return the diff of one change, to be read.

    Args:
        before: The text of every file that it writes.
        after: The text of each of them afterwards.
        change: The change.
        told: What the texts tell as secrets.
    """
    if change.op is Op.DELETE_LINK:
        return link_diff(change)
    if change.op is Op.COMPRESS:
        return summary_diff(change, before[change.target])
    shown = [change.target]
    if change.op is not Op.ARCHIVE or _archived_as_it_was(change) is None:
        shown += [part.target for part in change.also]
    return "".join(readable_diff(before[path], after[path], path=path, told=told) for path in shown)


def link_diff(change: Change) -> str:
    """Return the diff of a link's deletion; a tag that looks like a secret is masked."""
    path, line = change.target, mask_secrets(change.before)
    return f"--- a/{path}\n+++ b/{path}\n@@ -1 +0,0 @@\n-{line}\n"


def summary_diff(change: Change, full: str) -> str:
    """Return the diff of a compression: the summary in full; the text that moves is named, not repeated."""
    told = told_values(full)
    path, lines, moved = change.target, split_lines(change.hunk.added), len(split_lines(full))
    copies = ", ".join(part.target for part in change.also)
    head = f"@@ -1,{moved} +1,{len(lines)} @@ its {moved} lines move to {copies}"
    text = mask_secrets("".join(f"+{line}" for line in lines), told=told)
    end = "" if text.endswith("\n") else "\n\\ No newline at end of file\n"
    return f"--- a/{path}\n+++ b/{path}\n{head}\n{text}{end}"


def fate_lines(change: Change) -> list[str]:
    """Return what goes where, in one or two plain lines; none for a change of text."""
    if change.op is Op.DELETE_LINK:
        name, colon, seen = change.before.partition(": ")
        return [f"the link {name} is forgotten{colon}{seen}; later outcomes start it anew"]
    places = ", ".join(part.target for part in change.also)
    if change.op is Op.ARCHIVE:
        line = _archived_as_it_was(change)
        if line is None:
            return [f"archived to {places}; what is written there is in the diff"]
        return [f"archived to {places}, as it stands here; below it is written:", line]
    if change.op is not Op.COMPRESS:
        return []
    marker = read_marker(change.hunk.added)
    size = f"{marker.lines} lines, " if marker else ""
    kept = len(split_lines(change.hunk.added))
    return [
        f"full text moves to {places}: {size}SHA-256 {change.hunk.removed}",
        f"the log keeps these {kept} lines:",
    ]


def _archived_as_it_was(change: Change) -> str | None:
    """Return the line that is added to an archived entry; None where something else would be written."""
    return told_with(change.also[0].hunk.added, change.hunk.removed) if len(change.also) == 1 else None


def prune_view(waiting: Iterable[tuple[Proposal, Change]], told: frozenset[str]) -> dict[str, Any]:
    """Return the view of what waits to be archived, compressed or deleted.

    Args:
        waiting: What waits for an answer, in the order in which it was proposed.
        told: Values that the home tells as secrets.
    """
    return {
        "v": 1,
        "prune_candidates": [
            {
                "proposal": proposal.id,
                "n": change.n,
                "reason": mask_secrets(change.reason, told=told),
                **_candidate(change, told),
            }
            for proposal, change in waiting
            if change.op in LET_GO
        ],
    }


def _candidate(change: Change, told: frozenset[str]) -> dict[str, Any]:
    if change.op is Op.DELETE_LINK:
        key = mask_secrets(change.hunk.removed, told=told)
        return {"type": "hebbian_link", "key": key, "proposed_action": "delete"}
    if change.op is Op.COMPRESS:
        return {"type": "daily_log", "path": change.target, "proposed_action": "compress"}
    section = mask_secrets(change.section, told=told)
    return {
        "type": "memory_entry",
        "section": section,
        "entry_id": change.entry,
        "proposed_action": "archive",
    }
