"""What of the index may still be said, now that the audit log may have grown since it was judged.

The index notes the head of the log that its verdicts rest on. Most events change no verdict; a decision
or a quarantine may, and then nothing is said until the index was brought up to date (at the end of most
verbs that append, else by ``stage``, every half hour and at a session's start).

Cheap to import: the prompt hook asks at each prompt, and reads the log's last lines only where it grew.
Nothing is verified here; whoever can rewrite the log can write to the index, too.

Invariant: an event that is not known here silences everything.
"""

import json
import os

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from typing import Any

    from nightledger.files.home import Home
    from nightledger.files.search_reader import Reader

MEMORY, PRINCIPLE, HANDOFF, ARCHIVE = "memory", "principle", "handoff", "archive"
KINDS = (MEMORY, PRINCIPLE, HANDOFF, ARCHIVE)
"""What the hook says: entries, also archived ones, principles, where open items stand. Logs the agent may look into itself."""
HARMLESS = frozenset({
    "apply.aborted", "apply.done", "apply.intent", "apply.raced", "blobs.removed", "change.stale", "consent.blocked",
    "drift.found", "entries.named", "heading.asked_again", "heartbeat", "lock.cleared", "lock.repaired", "lock.set",
    "log.tail_closed", "message.received", "proposal.closed", "proposal.created", "proposal.deferred", "protected.seen",
    "run.finished",
})  # fmt: skip
"""Events after which each verdict is what it was: what they change in a file shows by its size and time."""
MAX_TAIL_BYTES = 1 << 16
"""Some hundred events; a log that grew by more than that silences everything."""
_FIRST_LOOK_BYTES = 1 << 12
_DIGITS = 18
"""No log has more events; somebody wrote into the index."""


def kinds_to_say(home: "Home", reader: "Reader") -> tuple[str, ...]:
    """Give the kinds of which lines may be shown now; none where that cannot be told.

    Args:
        home: Whose.
        reader: Its index.

    Raises:
        SearchIndexError: The index cannot be used.
    """
    size = reader.meta("head").partition(" ")[0] or "0"
    if not (size.isascii() and size.isdigit()):
        return ()
    judged = int(size[:_DIGITS])
    newest = _last_records(home, 1, _FIRST_LOOK_BYTES) or _last_records(home, 1, MAX_TAIL_BYTES)
    if newest is None:
        return KINDS if not judged and not os.path.lexists(home.audit_log) else ()
    grown = newest[0]["seq"] + 1 - judged
    if not grown:
        return KINDS
    records = _last_records(home, grown, MAX_TAIL_BYTES)
    events = {record["event"] for record in records or ()} - HARMLESS
    return KINDS if records and not events else ()


def _last_records(home: "Home", count: int, most: int) -> "list[dict[str, Any]] | None":
    """Give the last records of the log; None where they do not stand whole in its last bytes."""
    try:
        lines = _read_end(home.audit_log, most).split(b"\n")
        if lines.pop() or not 0 < count <= len(lines):
            return None
        records = [json.loads(line) for line in lines[-count:]]
    except (OSError, ValueError, RecursionError):
        return None
    return records if all(map(_is_event, records)) else None


def _is_event(record: object) -> bool:
    return isinstance(record, dict) and type(record.get("seq")) is int and type(record.get("event")) is str


def _read_end(path: str, most: int) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        size = os.fstat(descriptor).st_size
        return os.pread(descriptor, most, max(0, size - most))
    finally:
        os.close(descriptor)
