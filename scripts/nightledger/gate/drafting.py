"""From chosen drafts to changes that fit their files, all together and under the cap; and what a change does, to be read.

Invariant: what comes out passes, all together and now, the checks of CommonMark and scanners that ``apply`` makes
before it writes; what cannot is named with why, and is in nobody's way. The cap is no matter of fitting: a removal that
is approved with it may make room. Whatever is new text is in a diff, every line of it; bytes that only move are named by
place, number of lines and hash. No change copies a secret.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.errors import NightledgerError
from nightledger.domain.finding import Severity
from nightledger.domain.judge import Said, is_repeated
from nightledger.domain.kept import why_forbidden
from nightledger.domain.proposal import HOLE, Anchor, Change, Draft, Hunk, Op, Origin
from nightledger.files.home import Home, shipped_config
from nightledger.gate.applying import check_text
from nightledger.gate.gated import places_of, read_target
from nightledger.gate.opening import Gate
from nightledger.gate.writing import Write
from nightledger.hosts.daylogs import preset
from nightledger.text.changes.place import NOT_UTF8, Placed, Unplaced, make_hunk, place, put, put_all
from nightledger.text.changes.sections import SHOWN_SECTION
from nightledger.text.forgetting import Marker, count_lines, read_marker, told_with
from nightledger.text.markdown.document import decode, encode, is_utf8, parse_markdown, split_lines
from nightledger.text.scanners import scan as scanning
from nightledger.text.statements.sections import Language, Shelf, in_own_language

WHOLE = frozenset({Op.COMPRESS, Op.DELETE_LINK})
"""What is about a whole file or a link, and has no place in a text."""
REPEATS = "its summary repeats a secret of the log"
NO_POINTER = "its summary does not point to its full text"
NOT_SHORTER = "its summary is not shorter than it is"
CHANGED = "it has changed since its summary was made"


BESIDE = "a line with a secret tells its place, or it would repeat one; take the secret out of the file first"
"""Why a change is refused that no record can hold."""


NO_COPY = "it holds a secret, of which no copy is made: 'nightledger check' proposes its removal"
"""Why an entry is not archived."""


class Unfit(Struct, frozen=True, kw_only=True):
    """A draft that has no place in the file, and why."""

    draft: Draft
    reason: str


class Base(Struct, frozen=True, kw_only=True):
    """A file as it is now.

    Attributes:
        path: Relative to the home.
        content: Its bytes.
        text: The same as text (``surrogateescape``).
        cap: How many characters its host shows; None where it shows all, or the file is none that it shows.
        divided: Whether its host divides its entries by lines of ``§``.
    """

    path: str
    content: bytes
    text: str
    cap: int | None
    divided: bool


def read_base(gate: Gate, path: str) -> Base:
    """Read a file that changes may write."""
    content = read_target(gate.home, path)
    cap = gate.most_characters(path)
    divided = path in preset(gate.home.identity.host).divided
    return Base(path=path, content=content, text=decode(content), cap=cap, divided=divided)


class Fitted(Struct, frozen=True, kw_only=True):
    """What drafts became as changes of some files, and what fell away on the way.

    Attributes:
        bases: The files that are changed.
        changes: Numbered from 1.
        repeated: How many do what was asked before.
        unfit: What has no place.
        over_cap: How many additions would take a file over its cap.
    """

    bases: tuple[Base, ...] = ()
    changes: Sequence[Change] = ()
    repeated: int = 0
    unfit: tuple[Unfit, ...] = ()
    over_cap: int = 0


def fit_drafts(gate: Gate, drafts: Sequence[Draft], said: Sequence[Said], *, asked: bool) -> Fitted:
    """Fit drafts of several files, file by file in the order of their best.

    Args:
        gate: The home.
        drafts: Those that may be proposed, best first.
        said: What was proposed before.
        asked: Whether the operator asked for these very changes.
    """
    fitted = []
    for path in dict.fromkeys(draft.target for draft in drafts):
        own = [draft for draft in drafts if draft.target == path]
        texts = [draft for draft in own if draft.op not in WHOLE]
        if texts:
            fitted.append(_fit(read_base(gate, path), texts, said, asked=asked))
        fitted += [_fit_one(gate, draft, said, asked=asked) for draft in own if draft.op in WHOLE]
    kept = [one for one in fitted if one.changes]
    changes = [change for one in kept for change in one.changes]
    return Fitted(
        bases=tuple({base.path: base for one in kept for base in one.bases}.values()),
        changes=[replace(change, n=n) for n, change in enumerate(changes, 1)],
        repeated=sum(one.repeated for one in fitted),
        unfit=tuple(lost for one in fitted for lost in one.unfit),
        over_cap=sum(one.over_cap for one in fitted),
    )


def _fit_one(gate: Gate, draft: Draft, said: Sequence[Said], *, asked: bool) -> Fitted:
    """Fit a draft that is about a whole file, or a link."""
    made = fit_whole(gate.home, draft)
    if isinstance(made, Unfit):
        return Fitted(unfit=(made,))
    if is_repeated(made, said, asked=asked):
        return Fitted(repeated=1)
    return Fitted(bases=(read_base(gate, draft.target),), changes=[made])


def _fit(base: Base, drafts: Sequence[Draft], said: Sequence[Said], *, asked: bool) -> Fitted:
    placed, unfit = make_changes(base.text, drafts, divided=base.divided)
    new = [change for change in placed if not is_repeated(change, said, asked=asked)]
    under_cap, over_cap = _under_cap(base, new)
    changes, broken = fit_for_apply(base.path, base.content, under_cap)
    if broken:  # what stood in the way of others, or took their room, goes, and they are tried again
        gone = tuple(_unfit(drafts, change, reason) for change, reason in broken)
        left = [draft for draft in drafts if all(draft is not lost.draft for lost in gone)]
        rest = _fit(base, left, said, asked=asked)
        return replace(rest, unfit=(*gone, *rest.unfit))
    repeated = len(placed) - len(new)
    return Fitted(bases=(base,), changes=changes, repeated=repeated, unfit=tuple(unfit), over_cap=over_cap)


def _unfit(drafts: Sequence[Draft], change: Change, reason: str) -> Unfit:
    draft = next(d for d in drafts if (d.statement_key, d.after) == (change.key, change.after))
    return Unfit(draft=draft, reason=reason)


def _under_cap(base: Base, changes: list[Change]) -> tuple[list[Change], int]:
    """Drop the last additions until the file is under its cap, or no larger than it was."""
    kept, most = list(changes), max(base.cap or 0, len(base.text))
    while base.cap is not None and any(change.op is Op.ADD for change in kept):
        if size_after(base, kept) <= most:
            break
        last = max(at for at, change in enumerate(kept) if change.op is Op.ADD)
        del kept[last]
    return kept, len(changes) - len(kept)


def size_after(base: Base, changes: Sequence[Change]) -> int:
    """Give the characters of a file with changes placed in it; as it is where they have no place."""
    result = put_all(base.text, [change.hunk for change in changes])
    return len(result) if isinstance(result, str) else len(base.text)


def fit_for_apply(
    path: str, content: bytes, changes: Sequence[Change]
) -> tuple[list[Change], list[tuple[Change, str]]]:
    """Part placed changes of one file into those that may be applied, numbered anew, and the others.

    All are looked at together first, which is nearly always well; where it is not, one after another.

    Args:
        path: The file.
        content: Its bytes now.
        changes: Changes that have a place in it, in the order in which they are to be shown.

    Returns:
        The changes that fit, and the others with why.
    """
    kept: list[Change] = []
    broken: list[tuple[Change, str]] = []
    if not _reasons(path, content, changes):
        kept = [*changes]
    else:
        for change in changes:
            reasons = _reasons(path, content, [*kept, change])
            kept += [] if reasons else [change]
            broken += [(change, "; ".join(reasons))] if reasons else []
    return [replace(change, n=n) for n, change in enumerate(kept, 1)], broken


def _reasons(path: str, content: bytes, changes: Sequence[Change]) -> list[str]:
    placed = put_all(decode(content), [change.hunk for change in changes])
    if not isinstance(placed, str):
        return ["it touches the same lines as an earlier change"]
    return check_text(Write(path=path, before=content, after=encode(placed)))


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
    text = decode(content)
    why = _why_no_summary(change, content, scanning.told_values(text))
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
    return REPEATS if scanning.shows_secret(summary, told=told) else ""


def line_at(document: str, place: int) -> int:
    """Give the number, from 1, of the line in which a character stands."""
    return document[:place].count("\n") + 1


def make_changes(
    document: str, drafts: Iterable[Draft], *, divided: bool = False
) -> tuple[list[Change], list[Unfit]]:
    """Turn drafts into numbered changes that fit the document, each alone and all together.

    No change copies a secret: what it takes out is veiled.

    Args:
        document: The gated file's text (``surrogateescape``).
        drafts: In the order in which they are to be shown.
        divided: As of its :class:`Base`.
    """
    changes: list[Change] = []
    unfit: list[Unfit] = []
    told = scanning.told_values(document)
    veiled, together = scanning.veil(document, told=told), document
    for draft in drafts:
        hunk = make_hunk(document, _in_own_language(document, draft), divided=divided)
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
        diff = scanning.readable_diff(document, put(document, alone), path=draft.target, told=told)
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
    section = tuple(scanning.veil(title, told=told) for title in hunk.section)
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
    if HOLE in hunk.removed or any(scanning.shows_secret(block, told=told) for block in blocks):
        return NO_COPY
    held = {
        finding.rule
        for block in blocks
        for finding in scanning.scan(block)
        if finding.severity is not Severity.FLAG
    }
    if held:
        return f"scanners hold its text back ({', '.join(sorted(held))}): 'nightledger check' proposes its removal"
    if len(blocks) != 1 or told_with(blocks[0], hunk.removed) is None:
        return "what would go to the archive is not the entry as it stands"
    return ""


def _copies_secret(document: str, draft: Draft, hunk: Hunk, told: frozenset[str]) -> bool:
    texts = (hunk.removed, *hunk.section, draft.after, draft.reason)
    if any(scanning.shows_secret(text, told=told) for text in texts):
        return True
    placed = place(document, hunk) if HOLE in hunk.removed else None
    if not isinstance(placed, Placed):
        return False
    secrets = scanning.secrets_between(document[placed.start : placed.end], hunk.removed)
    return scanning.repeats_secret(draft.statement_key, secrets)


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
    return "".join(scanning.readable_diff(before[path], after[path], path=path, told=told) for path in shown)


def link_diff(change: Change) -> str:
    """Return the diff of a link's deletion; a tag that looks like a secret is masked."""
    path, line = change.target, scanning.mask_secrets(change.before)
    return f"--- a/{path}\n+++ b/{path}\n@@ -1 +0,0 @@\n-{line}\n"


def summary_diff(change: Change, full: str) -> str:
    """Return the diff of a compression: the summary in full; the text that moves is named, not repeated."""
    told = scanning.told_values(full)
    path, lines, moved = change.target, split_lines(change.hunk.added), len(split_lines(full))
    copies = ", ".join(part.target for part in change.also)
    head = f"@@ -1,{moved} +1,{len(lines)} @@ its {moved} lines move to {copies}"
    text = scanning.mask_secrets("".join(f"+{line}" for line in lines), told=told)
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
