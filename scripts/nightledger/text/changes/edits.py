"""Turn a whole edited document into hunks, for an operator's own edit.

Invariant: the hunks, applied in order to the document before, give the document after.
"""

from nightledger.domain.proposal import Anchor, Hunk
from nightledger.text.changes.diff import changed_runs
from nightledger.text.changes.place import NOT_UTF8, Unplaced
from nightledger.text.markdown.document import is_utf8, parse_markdown, readable, section_of, split_lines


def hunks_between(before: str, after: str) -> tuple[Hunk, ...] | Unplaced:
    """Return what was changed, one hunk for each run of changed lines, over the file as those before it leave it.

    Args:
        before: The document before, decoded.
        after: The document after, decoded.
    """
    document = parse_markdown(before)
    old, new = split_lines(before), split_lines(after)
    hunks: list[Hunk] = []
    for run in changed_runs(old, new):
        section = section_of(document, run.old_start + 1, run.old_stop).path
        hunk = Hunk(
            anchor=Anchor.FILE_LINES,
            section=tuple(map(readable, section)),
            line=run.new_start,
            removed="".join(old[run.old_start : run.old_stop]),
            added="".join(new[run.new_start : run.new_stop]),
        )
        if not is_utf8(hunk.removed + hunk.added):
            return Unplaced(reason=NOT_UTF8)
        hunks.append(hunk)
    return tuple(hunks)
