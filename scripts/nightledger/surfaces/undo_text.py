"""What an undo would do, to be read before it is signed: its diff; daily logs and the archive in one line where it is long.

Invariant: every line that comes into a gated file, or goes out of one, is printed.
"""

from collections.abc import Iterator, Sequence

from nightledger.domain.kept import is_copy
from nightledger.domain.proposal import Op
from nightledger.gate.apply.giving_back import link_back, undo_diff
from nightledger.gate.apply.undoing import Undo
from nightledger.gate.apply.writing import Write
from nightledger.surfaces import screen
from nightledger.text.markdown.document import decode, split_lines

MOST_ROWS = 60
"""Lines of a diff that are printed unasked: two screens. Of a longer one, full texts that return are summed up; ``--diff`` prints them."""


def undo_rows(undo: Undo, *, in_full: bool) -> Iterator[str]:
    """Give the rows for the terminal.

    Args:
        undo: As it was worked out.
        in_full: Print the whole diff, however long it is.
    """
    if in_full or undo.diff.count("\n") <= MOST_ROWS:
        yield from screen.diff_lines(undo.diff)
        return
    for text in _summed_up(undo):
        margin = "  " if text.startswith("  ") else ""
        yield from screen.wrap(screen.shown(text.strip()), indent=margin + "  ", first=margin)
    for diff in _in_full(undo):
        yield from screen.diff_lines(diff)


def _summed_up(undo: Undo) -> Iterator[str]:
    count = len(undo.changes)
    yield f"{count} {'change' if count == 1 else 'changes'} of {undo.stored.proposal.id}:"
    logs = [write for write in undo.writes if write.restores]
    copies = [write for write in undo.writes if is_copy(write.path)]
    if logs:
        lines = sum(len(split_lines(decode(write.after))) for write in logs)
        noun = _count(len(logs), "daily log")
        yield f"  {noun} again with the full text, {_count(lines, 'line')}: {_names(logs)}"
    if copies:
        yield f"  {_count(len(copies), 'full text')} out of the archive: {_names(copies)}"
    if logs or copies:
        yield "--diff shows every line."


def _in_full(undo: Undo) -> Iterator[str]:
    """Give the diffs that are never summed up: of whatever is no full text that returns."""
    for write in undo.writes:
        if not write.restores and not is_copy(write.path):
            yield undo_diff(write)
    for change in undo.stored.proposal.changes:
        if change.op is Op.DELETE_LINK and change.n in undo.changes:
            yield link_back(change)


def _names(writes: Sequence[Write]) -> str:
    paths = sorted(write.path for write in writes)
    return paths[0] if len(paths) == 1 else f"{paths[0]} to {paths[-1]}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
