"""What an undo would do, to be read before it is signed: its diff, or one line a file where that is long."""

from collections.abc import Iterator, Sequence

from nightledger.domain.kept import is_copy
from nightledger.gate.apply.undoing import Undo
from nightledger.gate.apply.writing import Write
from nightledger.surfaces import screen
from nightledger.text.changes.diff import changed_runs
from nightledger.text.markdown.document import split_lines

MOST_ROWS = 60
"""Lines of a diff that are printed unasked: two screens. A longer one is summed up; ``--diff`` prints it."""
_NAMED = 3


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


def _summed_up(undo: Undo) -> Iterator[str]:
    count = len(undo.changes)
    yield f"{count} {'change' if count == 1 else 'changes'} of {undo.stored.proposal.id}:"
    logs = [write for write in undo.writes if write.restores]
    copies = [write for write in undo.writes if is_copy(write.path)]
    for write in undo.writes:
        if not write.restores and not is_copy(write.path):
            back, out = _changed(write)
            yield f"  {write.path}: {_count(back, 'line')} in, {_count(out, 'line')} out"
    if logs:
        lines = sum(len(split_lines(_text(write.after))) for write in logs)
        noun = _count(len(logs), "daily log")
        yield f"  {noun} again with the full text, {_count(lines, 'line')}: {_names(logs)}"
    if copies:
        yield f"  {_count(len(copies), 'full text')} out of the archive: {_names(copies)}"
    if undo.brings_links and not undo.writes:
        yield f"  {_count(count, 'link')} again with what was recorded before"
    yield "--diff shows every line."


def _changed(write: Write) -> tuple[int, int]:
    """Give how many lines come in and how many go out."""
    old, new = split_lines(_text(write.before)), split_lines(_text(write.after))
    runs = list(changed_runs(old, new))
    return sum(run.new_stop - run.new_start for run in runs), sum(
        run.old_stop - run.old_start for run in runs
    )


def _names(writes: Sequence[Write]) -> str:
    paths = sorted(write.path for write in writes)
    if len(paths) <= _NAMED:
        return ", ".join(paths)
    return f"{paths[0]} to {paths[-1]}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")
