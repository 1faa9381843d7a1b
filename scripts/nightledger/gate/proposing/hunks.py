"""From drafts to changes: hunks, diffs and what they are hashed as.

Invariant: the bytes that ``hunks_sha256`` covers are the bytes that ``apply`` places.
"""

import hashlib
from collections.abc import Iterable, Sequence
from functools import cache

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from nightledger.codec.canonical import canonical
from nightledger.codec.records import to_plain
from nightledger.domain.finding import Severity
from nightledger.domain.proposal import Change, Draft, Hunk, Op, Origin
from nightledger.files.shipped import shipped_config
from nightledger.text.changes.diff import unified_diff
from nightledger.text.changes.place import Placed, Unplaced, make_hunk, place, put
from nightledger.text.changes.veil import HOLE, repeats_secret, secrets_between, shows_secret, veil
from nightledger.text.forgetting.traces import told_with
from nightledger.text.markdown.document import parse_markdown, readable
from nightledger.text.scanners.scan import mask_secrets, scan, told_values
from nightledger.text.statements.sections import Language, Shelf, in_own_language

SHOWN_SECTION = " > "
BESIDE = "a line with a secret tells its place, or it would repeat one; take the secret out of the file first"
"""Why a change is refused that no record can hold."""
NO_COPY = "it holds a secret, of which no copy is made: 'nightledger check' proposes its removal"
"""Why an entry is not archived."""


class Unfit(Struct, frozen=True, kw_only=True):
    """A draft that has no place in the file, and why."""

    draft: Draft
    reason: str


def hunks_sha256(hunks: Sequence[Hunk]) -> str:
    """Give the hex SHA-256 of the canonical JSON of hunks, in their order."""
    return hashlib.sha256(canonical([to_plain(hunk) for hunk in hunks])).hexdigest()


def line_at(document: str, place: int) -> int:
    """Give the number, from 1, of the line in which a character stands."""
    return document[:place].count("\n") + 1


def readable_diff(before: str, after: str, *, path: str, told: frozenset[str] | None = None) -> str:
    r"""Give the unified diff of two documents, to be read.

    Bytes that are no UTF-8 stand in it as ``\\xe9``. Secrets are masked, because it is stored
    and shown, and the lines around a change are whatever stands in the file; so are values that
    only a line further away tells.

    Args:
        before: The document before.
        after: The document after.
        path: What it is called.
        told: What the documents tell as secrets, where it is known already.
    """
    values = told_values(before) | told_values(after) if told is None else told
    diff = mask_secrets(unified_diff(before, after, path=path), told=values)
    return readable(diff)


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
