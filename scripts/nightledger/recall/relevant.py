"""Which lines of memory a prompt has to do with, and whether they may still be said.

One look into the index, with the rarest words of the prompt. The index notes the head of the log that it rests on. Most
events change nothing of who may see what; a decision or a quarantine may, and then nothing is said until the index was
brought up to date (at the end of most verbs that append, else by ``stage``, every half hour and at a session's start).

Cheap to import: the prompt hook begins with it. Nothing is verified here; whoever can rewrite the log can write to the
index, too. ``bench/calibrating.py`` asks the same, so that a threshold is measured on what the hook really does.

Invariant: only chunks are scored that may be shown to an agent; an event that is not known here silences everything.
"""

import json
import os

from nightledger.domain.exposure import weigh
from nightledger.recall.names import ITSELF, read_forms
from nightledger.text.tokens import match_any, query_terms, words_in

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from nightledger.files.home import Home
    from nightledger.files.search_reader import Line, Reader

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
EARLIER_PROMPTS = 3
MOST_OWN_WORDS = 64
MOST_EARLIER_WORDS = 48
"""More words of one prompt say no more about which memory it needs, and each costs a look. Our choice."""
MOST_HITS = 3_000
"""Chunks looked at for one word; a word that stands in more tells next to nothing."""
NEAR = 0.6
"""A second line is shown from this share of the first one's score up; docs/decisions/0023-what-an-agent-is-shown.md."""


class Looked:
    """What one look gave.

    Attributes:
        scores: Of each chunk that shares a word with the prompt, by its number.
        standing: Words of the prompt that stand in what may be shown, sorted.
    """

    __slots__ = ("scores", "standing")

    def __init__(self, scores: "dict[int, float]", standing: "Sequence[str]") -> None:
        self.scores = scores
        self.standing = standing

    def best(self, least: float) -> list[int]:
        """Give the chunks with a score from ``least`` up, the best first."""
        found = [number for number, score in self.scores.items() if score >= least]
        return sorted(found, key=lambda number: (-self.scores[number], number))

    def narrowed(self, line: "Line") -> "Line":
        """Return a chunk as it is quoted: of several archived items the line that shares the most words with the prompt."""
        if line.kind == ARCHIVE:
            rows = line.text.split("\n")
            at = max(range(len(rows)), key=lambda n: len(set(words_in(rows[n])).intersection(self.standing)))
            line.text, line.first, line.last = rows[at], line.first + at, line.first + at
        return line


def own_words(prompt: str) -> "Sequence[str]":
    """Give the words of a prompt; of a long one those at both ends, where what is asked stands."""
    words = query_terms(prompt)
    half = MOST_OWN_WORDS // 2
    return words if len(words) <= MOST_OWN_WORDS else [*words[:half], *words[-half:]]


def earlier_words(prompts: "Sequence[str]", topic: str) -> "Sequence[str]":
    """Give the words of the last prompts and of the topic."""
    return query_terms(" ".join((*prompts[-EARLIER_PROMPTS:], topic)))[:MOST_EARLIER_WORDS]


def look(
    reader: "Reader", own: "Sequence[str]", earlier: "Sequence[str]" = (), kinds: "Sequence[str]" = KINDS
) -> Looked:
    """Score the chunks that share words with a prompt.

    Args:
        reader: The index.
        own: Words of the prompt (:func:`own_words`).
        earlier: Words of what came before it (:func:`earlier_words`).
        kinds: Which kinds of lines count.

    Raises:
        SearchIndexError: The index cannot be used.
    """
    forms = read_forms(reader, [*dict.fromkeys((*own, *earlier))], agent=True, kinds=kinds)
    asked = weigh(own, earlier, forms.counts, reader.count(), forms.names)
    may = reader.may_be_shown(kinds)

    def holding(match: str) -> "Sequence[int]":
        found = reader.with_words(f"{ITSELF}({match})", min(may), max(may), MOST_HITS) if may else ()
        return [number for number in found if number in may]

    shared: dict[int, list[str]] = {}
    for word in asked.words:
        for number in holding(forms.match(word)):
            shared.setdefault(number, []).append(word)
    met = {word for words in shared.values() for word in words}
    standing = {word for word in met if word not in forms.others or holding(match_any([word]))}
    scores = {number: asked.score(words) for number, words in shared.items()}
    return Looked(scores, sorted(standing.intersection(own)))


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
