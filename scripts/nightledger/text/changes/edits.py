"""Turn a whole edited document into hunks, for an operator's edit, drift and reversals.

Invariant: the hunks, applied in order to the document before, give the document after.
"""

from nightledger.domain.proposal import Anchor, Hunk
from nightledger.text.changes.context import context_needed
from nightledger.text.changes.diff import changed_runs
from nightledger.text.changes.place import NOT_UTF8, Unplaced
from nightledger.text.markdown.document import BOM, is_utf8, parse_markdown, section_of, split_lines


def hunks_between(before: str, after: str) -> tuple[Hunk, ...] | Unplaced:
    """Give what was changed as exact hunks, one for each run of changed lines.

    Each hunk's context tells its place in the document as the hunks before it leave it.

    Args:
        before: The document before, decoded.
        after: The document after, decoded.
    """
    document = parse_markdown(before)
    old, new = split_lines(before), split_lines(after)
    hunks: list[Hunk] = []
    for run in changed_runs(old, new):
        lines = [*new[: run.new_start], *old[run.old_start :]]
        start, stop = run.new_start, run.new_start + run.old_stop - run.old_start
        # Without its byte order mark the first line may be the same as another.
        needed = context_needed([line.removeprefix(BOM) for line in lines[:1]] + lines[1:], start, stop)
        if needed is None:
            return Unplaced(
                reason=f"the lines around line {run.old_start + 1} repeat too often to tell its place"
            )
        hunk = Hunk(
            anchor=Anchor.EXACT,
            section=section_of(document, run.old_start + 1, run.old_stop).path,
            removed="".join(lines[start:stop]),
            added="".join(new[run.new_start : run.new_stop]),
            context_before="".join(lines[start - needed[0] : start]),
            context_after="".join(lines[stop : stop + needed[1]]),
        )
        if not is_utf8(
            "".join((hunk.removed, hunk.added, hunk.context_before, hunk.context_after, *hunk.section))
        ):
            return Unplaced(reason=NOT_UTF8)
        hunks.append(hunk)
    return tuple(hunks)
