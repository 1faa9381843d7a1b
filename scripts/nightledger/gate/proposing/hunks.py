"""From drafts to changes: hunks, and what a change does, to be read.

Invariant: whatever is new text is in a diff, every line of it; bytes that only move are named by place, number of lines
and hash. No change copies a secret.
"""

from collections.abc import Iterable, Mapping
from functools import cache

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.finding import Severity
from nightledger.domain.proposal import HOLE, Change, Draft, Hunk, Op, Origin
from nightledger.files.shipped import shipped_config
from nightledger.text.changes.place import Placed, Unplaced, make_hunk, place, put
from nightledger.text.changes.sections import SHOWN_SECTION
from nightledger.text.changes.veil import (
    readable_diff,
    repeats_secret,
    secrets_between,
    shows_secret,
    veil,
)
from nightledger.text.forgetting.traces import read_marker, told_with
from nightledger.text.markdown.document import parse_markdown, split_lines
from nightledger.text.scanners.scan import mask_secrets, scan, told_values
from nightledger.text.statements.sections import Language, Shelf, in_own_language

BESIDE = "a line with a secret tells its place, or it would repeat one; take the secret out of the file first"
"""Why a change is refused that no record can hold."""
NO_COPY = "it holds a secret, of which no copy is made: 'nightledger check' proposes its removal"
"""Why an entry is not archived."""


class Unfit(Struct, frozen=True, kw_only=True):
    """A draft that has no place in the file, and why."""

    draft: Draft
    reason: str


def line_at(document: str, place: int) -> int:
    """Give the number, from 1, of the line in which a character stands."""
    return document[:place].count("\n") + 1


def make_changes(document: str, drafts: Iterable[Draft]) -> tuple[list[Change], list[Unfit]]:
    """Turn drafts into numbered changes that fit the document, each alone and all together.

    No change copies a secret: what it takes out is veiled.

    Args:
        document: The gated file's text (``surrogateescape``).
        drafts: In the order in which they are to be shown.
    """
    changes: list[Change] = []
    unfit: list[Unfit] = []
    told = told_values(document)
    veiled, together = veil(document, told=told), document
    for draft in drafts:
        hunk = make_hunk(document, _in_own_language(document, draft))
        hunk = hunk if isinstance(hunk, Unplaced) else veil_hunk(document, veiled, hunk, told)
        why = hunk.reason if isinstance(hunk, Unplaced) else _why_not_copied(document, draft, hunk, told)
        if why or isinstance(hunk, Unplaced):
            unfit.append(Unfit(draft=draft, reason=why))
            continue
        alone, placed = place(document, hunk), place(together, hunk)
        if isinstance(alone, Unplaced) or isinstance(placed, Unplaced):
            unfit.append(Unfit(draft=draft, reason="it touches the same lines as an earlier change"))
            continue
        together = put(together, placed)
        diff = readable_diff(document, put(document, alone), path=draft.target, told=told)
        changes.append(change_of(len(changes) + 1, draft, hunk, diff))
    return changes, unfit


def veil_hunk(document: str, veiled: str, hunk: Hunk, told: frozenset[str]) -> Hunk | Unplaced:
    """Return a hunk with holes for the secrets in what it takes out and in its headings.

    Args:
        document: The target, in which the hunk has its place.
        veiled: The same with holes for its secrets (``veil``).
        hunk: The hunk.
        told: What the document tells as secrets.
    """
    placed = place(document, hunk)
    if isinstance(placed, Unplaced) or not hunk.removed:
        return placed if isinstance(placed, Unplaced) else hunk
    section = tuple(veil(title, told=told) for title in hunk.section)
    masked = replace(hunk, section=section, removed=veiled[placed.start : placed.end])
    return masked if place(document, masked) == placed else Unplaced(reason=BESIDE)


def _why_not_copied(document: str, draft: Draft, hunk: Hunk, told: frozenset[str]) -> str:
    """Say why no record may hold a change; empty where one may."""
    why = _why_no_copy(draft, hunk, told) if draft.op is Op.ARCHIVE else ""
    return why or (BESIDE if _copies_secret(document, draft, hunk, told) else "")


def _in_own_language(document: str, draft: Draft) -> Draft:
    """Return a draft whose section is named in the language of the file's headings, where it is one that we make."""
    if draft.op is not Op.ADD or draft.section[-1:] not in {(shelf.value,) for shelf in Shelf}:
        return draft
    return replace(draft, section=in_own_language(parse_markdown(document), draft.section, _languages()))


@cache
def _languages() -> tuple[Language, ...]:
    return msgspec.json.decode(shipped_config("section-headings.json"), type=tuple[Language, ...])


def _why_no_copy(draft: Draft, hunk: Hunk, told: frozenset[str]) -> str:
    """Say why an entry may not be archived, which makes a copy of it; empty where it may."""
    blocks = [part.hunk.added for part in draft.also]
    if HOLE in hunk.removed or any(shows_secret(block, told=told) for block in blocks):
        return NO_COPY
    held = {
        finding.rule for block in blocks for finding in scan(block) if finding.severity is not Severity.FLAG
    }
    if held:
        return f"scanners hold its text back ({', '.join(sorted(held))}): 'nightledger check' proposes its removal"
    if len(blocks) != 1 or told_with(blocks[0], hunk.removed) is None:
        return "what would go to the archive is not the entry as it stands"
    return ""


def _copies_secret(document: str, draft: Draft, hunk: Hunk, told: frozenset[str]) -> bool:
    texts = (hunk.removed, *hunk.section, draft.after, draft.reason)
    if any(shows_secret(text, told=told) for text in texts):
        return True
    placed = place(document, hunk) if HOLE in hunk.removed else None
    if not isinstance(placed, Placed):
        return False
    secrets = secrets_between(document[placed.start : placed.end], hunk.removed)
    return repeats_secret(draft.statement_key, secrets)


def change_of(n: int, draft: Draft, hunk: Hunk, diff: str) -> Change:
    """Give a draft as a change that has its place; none of its texts is looked at."""
    return Change(
        n=n,
        op=draft.op,
        target=draft.target,
        section=SHOWN_SECTION.join(hunk.section),
        before="" if draft.op is Op.ADD else hunk.removed if HOLE in hunk.removed else draft.before,
        after=draft.after,
        diff=diff,
        hunk=hunk,
        reason=draft.reason,
        evidence=draft.evidence,
        provenance=tuple(sorted({evidence.origin for evidence in draft.evidence} or {Origin.AGENT})),
        confidence=draft.confidence,
        key=draft.statement_key,
        scope=draft.scope,
        flags=draft.flags,
        entry=draft.entry,
        also=draft.also,
    )


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
