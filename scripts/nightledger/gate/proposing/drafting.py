"""From chosen drafts to changes that fit their files, all together and under the cap.

Invariant: what comes out passes, all together and now, the checks of CommonMark and scanners that ``apply`` makes
before it writes; what cannot is named with why, and is in nobody's way. The cap is no matter of fitting: a removal that
is approved with it may make room.
"""

import hashlib
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.errors import NightledgerError
from nightledger.domain.kept import why_forbidden
from nightledger.domain.lanes import Said, is_repeated
from nightledger.domain.proposal import Anchor, Change, Draft, Hunk, Op
from nightledger.files.home import Home
from nightledger.gate.apply.applying import check_text
from nightledger.gate.apply.writing import Write
from nightledger.gate.gated import is_gated, places_of, read_target
from nightledger.gate.opening import Gate
from nightledger.gate.proposing.hunks import Unfit, change_of, link_diff, make_changes, summary_diff
from nightledger.text.changes.place import NOT_UTF8, put_all
from nightledger.text.changes.veil import shows_secret
from nightledger.text.forgetting.traces import Marker, count_lines, read_marker
from nightledger.text.markdown.document import decode, encode, is_utf8
from nightledger.text.scanners.scan import told_values

WHOLE = frozenset({Op.COMPRESS, Op.DELETE_LINK})
"""What is about a whole file or a link, and has no place in a text."""
REPEATS = "its summary repeats a secret of the log"
NO_POINTER = "its summary does not point to its full text"
NOT_SHORTER = "its summary is not shorter than it is"
CHANGED = "it has changed since its summary was made"


class Base(Struct, frozen=True, kw_only=True):
    """A file as it is now.

    Attributes:
        path: Relative to the home.
        content: Its bytes.
        text: The same as text (``surrogateescape``).
        cap: How many characters its host shows; None where it shows all, or the file is none that it shows.
    """

    path: str
    content: bytes
    text: str
    cap: int | None


def read_base(gate: Gate, path: str) -> Base:
    """Read a file that changes may write."""
    content = read_target(gate.home, path)
    cap = gate.cap_characters if is_gated(gate.home, path) else None
    return Base(path=path, content=content, text=decode(content), cap=cap)


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
    placed, unfit = make_changes(base.text, drafts)
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
    kept = list(changes)
    while not _fits(base, kept) and any(change.op is Op.ADD for change in kept):
        last = max(at for at, change in enumerate(kept) if change.op is Op.ADD)
        del kept[last]
    return kept, len(changes) - len(kept)


def _fits(base: Base, changes: Sequence[Change]) -> bool:
    return base.cap is None or size_after(base, changes) <= max(base.cap, len(base.text))


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
