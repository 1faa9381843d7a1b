"""At a prompt: the few lines of memory that it has to do with, as reference notes.

The query is the prompt with the last three before it and the topic; asked are entries, principles,
open items of the handoff, and associations whose resolution the operator accepted.

Invariant: only what an agent may see is shown, nothing that was shown at the last ten showings, and
nothing whose file is not the one that was indexed. What is shown is in the exposure ledger before it
is printed. Of a prompt nothing is kept but words that stand in what the agent may see anyway.
"""

import os
from itertools import pairwise

from nightledger.domain.exposure import Exposure, session_name
from nightledger.domain.relevance import Asked, weigh
from nightledger.files.exposures import append_exposure
from nightledger.files.hook_settings import HookSettings, read_hook_settings
from nightledger.files.prompt_state import read_state, write_state
from nightledger.files.search_reader import Line, Reader, open_reader
from nightledger.surfaces.hook.notes import Note, fence
from nightledger.surfaces.hook.payload import prompt_of, text_of
from nightledger.text.search.tokens import match_any, query_terms

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from nightledger.files.home import Home

KINDS = ("memory", "principle", "handoff")
"""What is asked: entries, principles and open items. Daily logs the agent may look into itself."""
ITSELF = "{head body}: "
"""A chunk is indexed with the item before it, too, which is no part of it (sqlite.org/fts5.html, column filters)."""
EARLIER_PROMPTS = 3
MOST_OWN_WORDS = 64
MOST_EARLIER_WORDS = 48
"""More words of one prompt say no more about which memory it needs, and each costs a look. Our choice."""
MOST_HITS = 3_000
MOST_LOOKED_AT = 24
"""Lines that are read for their keys: what was shown lately, and what changed, is passed over."""
NEAR = 0.6
"""A second line is shown from this share of the first one's score up; docs/decisions/0048-prompt-hook.md."""


def prompted(home: "Home", host: str, payload: "dict[str, Any]", now: str) -> str:
    """Give what is added to a prompt; empty for nothing. It is recorded before this returns.

    Args:
        home: Whose.
        host: As records name it.
        payload: What the host sent.
        now: ``2026-03-01T06:00:00Z``.

    Raises:
        NightledgerError: The index or the ledger cannot be used.
        OSError: The system refuses something.
    """
    session = session_name(payload.get("session_id"))
    state = read_state(home, session)
    own = _ends(query_terms(prompt_of(payload)), MOST_OWN_WORDS)
    if not own:
        return ""
    topic = _topic(home, payload)
    earlier = query_terms(" ".join((*state.prompts[-EARLIER_PROMPTS:], topic)))[:MOST_EARLIER_WORDS]
    settings = read_hook_settings(home)
    reader = open_reader(os.path.join(home.search_dir, "index.db"))
    try:
        found = Answering(home, reader, state.was_shown(), settings)
        notes, kept = found.answer(own, earlier)
    finally:
        reader.close()
    text, told = fence(notes, settings.tokens)
    shown = [name for note in told for name in note.shown]
    if told:
        places = [note.place for note in told if note.place is not None]
        append_exposure(
            home, Exposure(at=now, shown=shown, host=host, event="prompt", session=session, places=places)
        )
    write_state(home, session, state.after(kept, tuple(note.key for note in told)))
    return text


class Answering:
    """One look into an index for one prompt.

    Attributes:
        home: Whose.
        reader: Its index.
        shown: Keys of what was shown lately.
        settings: How relevant a line must be.
    """

    __slots__ = ("home", "reader", "settings", "shown")

    def __init__(self, home: "Home", reader: Reader, shown: frozenset[str], settings: HookSettings) -> None:
        self.home = home
        self.reader = reader
        self.shown = shown
        self.settings = settings

    def answer(self, own: "Sequence[str]", earlier: "Sequence[str]") -> tuple[list[Note], str]:
        """Give the notes for a prompt, the best first, and which of its words are kept.

        Args:
            own: Its words.
            earlier: Words of what came before it.
        """
        holding = self.reader.frequencies([*own, *(word for word in earlier if word not in own)])
        asked = weigh(own, earlier, holding, self.reader.count())
        hits, standing = self._hits(asked)
        kept = " ".join(sorted(word for word in own if word in standing))
        notes = [*self._associations(own, earlier), *self._lines(asked, hits)]
        return notes[: self.settings.lines], kept

    def _hits(self, asked: Asked) -> "tuple[dict[int, list[str]], set[str]]":
        """Give which of the words each chunk holds that may be shown, and which words stand in any."""
        may = self.reader.may_be_shown(KINDS)
        hits: dict[int, list[str]] = {}
        standing = set()
        if may:
            first, last = min(may), max(may)
            for word in asked.words:
                for number in self.reader.with_words(f"{ITSELF}{match_any([word])}", first, last, MOST_HITS):
                    if number in may:
                        hits.setdefault(number, []).append(word)
                        standing.add(word)
        return hits, standing

    def _lines(self, asked: Asked, hits: "dict[int, list[str]]") -> "Iterator[Note]":
        scores = {number: asked.score(words) for number, words in hits.items()}
        best = sorted(
            (n for n in scores if scores[n] >= self.settings.relevance), key=lambda n: (-scores[n], n)
        )
        most = 0.0
        left = self.settings.lines
        for line in self.reader.lines(best[:MOST_LOOKED_AT]):
            note = Note.of_line(line.path, line.first, line.last, line.entry, line.text)
            if left and note.key not in self.shown and self._is_current(line):
                most = most or scores[line.id]
                if scores[line.id] < NEAR * most:
                    return
                left -= 1
                yield note

    def _associations(self, own: "Sequence[str]", earlier: "Sequence[str]") -> "Iterator[Note]":
        """Give the surest association whose two tags are both asked about, one of them by the prompt itself."""
        tags = _tags(own)
        every = [*tags, *_tags(earlier)]
        for first, second, resolution in self.reader.associations(every):
            note = Note.of_association(first, second, resolution)
            if (first in tags or second in tags) and note.key not in self.shown:
                yield note
                return

    def _is_current(self, line: Line) -> bool:
        """Tell whether a line's file is still the one that was indexed and judged."""
        try:
            status = os.stat(self.home.path(line.path))
        except OSError:
            return False
        return (status.st_size, status.st_mtime_ns) == (line.size_bytes, line.mtime_ns)


def _ends(words: "Sequence[str]", most: int) -> "Sequence[str]":
    """Give the words at both ends: what is asked stands at the beginning or at the end."""
    if len(words) <= most:
        return words
    half = most // 2
    return [*words[:half], *words[-half:]]


def _topic(home: "Home", payload: "dict[str, Any]") -> str:
    """Give what the session is about as far as the host tells: its title, and the folder it works in."""
    folder = text_of(payload, "cwd").rstrip("/")
    if not folder or folder == home.root:
        folder = ""
    return f"{text_of(payload, 'session_title')} {os.path.basename(folder)}"


def _tags(words: "Sequence[str]") -> list[str]:
    """Give what a prompt may mean as tags: each word, and each two that follow each other, as tags are written."""
    pairs = [f"{first}_{second}" for first, second in pairwise(words)]
    return [*words, *pairs]
