"""Undo of what was compressed or forgotten: the full text returns byte for byte, and no later line is lost.

Invariant: what returns has the hash that was signed, whether it comes from the blob or from the
archive; a copy that somebody changed since is left as it is.
"""

import hashlib

from nightledger.domain.errors import NightledgerError
from nightledger.domain.kept import is_copy
from nightledger.domain.proposal import Change
from nightledger.domain.states import AppliedTarget, Book
from nightledger.files.blobs import BlobStore
from nightledger.gate.apply.placing import bytes_of, text_of
from nightledger.gate.apply.writing import Write
from nightledger.gate.kept_files import read_target
from nightledger.gate.opening import Gate
from nightledger.gate.proposing.hunks import readable_diff
from nightledger.text.changes.diff import changed_runs
from nightledger.text.changes.merge import Merged, merge3
from nightledger.text.changes.whole import EMPTY_SHA256
from nightledger.text.markdown.document import split_lines
from nightledger.text.scanners.scan import mask_secrets, told_values


def give_back(gate: Gate, book: Book, target: AppliedTarget, change: Change) -> Write | str | None:
    """Give what becomes of one file of a compression that is taken back; or why it cannot be.

    Args:
        gate: The home.
        book: What its log adds up to.
        target: What the apply did to it.
        change: The compression.

    Returns:
        None where the file stays as it is: a copy that was there before, that was changed since, or that holds
            the full text of another log, too.
    """
    if is_copy(target.path):
        if any(copy == target.path and log != change.target for log, copy in book.copies.items()):
            return None
        content = _read_copy(gate, target.path, target.after) if target.before == EMPTY_SHA256 else None
        return Write(path=target.path, before=content, after=b"") if content else None
    current = read_target(gate.home, target.path)
    full = _full_text(gate, change)
    if full is None:
        return f"the full text of {target.path} is not in the archive as it was"
    after = _with_later(full, change.hunk.added, current)
    return Write(path=target.path, before=current, after=after, restores=True)


def _full_text(gate: Gate, change: Change) -> bytes | None:
    """Find the bytes that were compressed: the blob, or the copy in the archive, whichever has their hash."""
    blobs = BlobStore(gate.home.blobs_dir)
    sha256 = change.hunk.removed
    if blobs.holds(sha256):
        return blobs.get(sha256)
    found = (_read_copy(gate, part.target, sha256) for part in change.also)
    return next((content for content in found if content is not None), None)


def _read_copy(gate: Gate, path: str, sha256: str) -> bytes | None:
    """Give the bytes of a file of the archive; None where it is missing, changed, or cannot be read."""
    try:
        content = read_target(gate.home, path)
    except NightledgerError:
        return None
    return content if hashlib.sha256(content).hexdigest() == sha256 else None


def _with_later(full: bytes, summary: str, current: bytes) -> bytes:
    """Give the full text, with whatever came into the summary since; lines that overlap come at its end."""
    whole, now = text_of(full), text_of(current)
    merged = merge3(summary, now, whole, theirs_first=True)
    if isinstance(merged, Merged):
        return bytes_of(merged.text)
    old, new = split_lines(summary), split_lines(now)
    later = "".join("".join(new[run.new_start : run.new_stop]) for run in changed_runs(old, new))
    gap = "" if whole.endswith("\n") else "\n"
    return bytes_of(whole + gap + later)


def undo_diff(write: Write) -> str:
    """Give what an undo does to a file, to be read; a full text that returns is named, not repeated."""
    before, after = text_of(write.before), text_of(write.after)
    if is_copy(write.path):
        sha256 = hashlib.sha256(write.before).hexdigest()
        return f"--- a/{write.path}\n+++ /dev/null\n@@ its copy in the archive goes, SHA-256 {sha256}\n"
    if not write.restores:
        return readable_diff(before, after, path=write.path)
    old, new = split_lines(before), split_lines(after)
    sha256 = hashlib.sha256(write.after).hexdigest()
    head = f"@@ -1,{len(old)} +1,{len(new)} @@ its full text returns, SHA-256 {sha256}"
    gone = mask_secrets("".join(f"-{line}" for line in old), told=told_values(before))
    end = "" if gone.endswith("\n") else "\n\\ No newline at end of file\n"
    return f"--- a/{write.path}\n+++ b/{write.path}\n{head}\n{gone}{end}"


def link_back(change: Change) -> str:
    """Give what the undo of a link's deletion does, to be read."""
    line = mask_secrets(change.before)
    return (
        f"--- a/{change.target}\n+++ b/{change.target}\n@@ what was recorded before counts again\n+{line}\n"
    )
