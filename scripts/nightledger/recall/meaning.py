"""Meaning beside words: embeddings of chunks, kept in the index, and how near a query is to each.

Optional. What makes an embedding comes from outside (``Encoder``): a server that the operator named. Its failure takes meaning away and nothing else.

Invariant: an embedding stands for the very words that were embedded, by the encoder that is in use; secrets
are masked before anything is handed to one.
"""

import math
from array import array
from collections.abc import Sequence
from contextlib import suppress
from operator import mul
from typing import Protocol

from nightledger.domain.errors import LockedError, NightledgerError
from nightledger.files.atomic import Lock
from nightledger.files.home import Home
from nightledger.files.search_index import Filter, SearchStore, SearchWriter, index_path, writing
from nightledger.files.search_reader import SearchIndexError
from nightledger.text.scanners.scan import mask_secrets
from nightledger.text.tokens import index_text

Vector = Sequence[float]
LEARNED_AT_ONCE = 32
"""Chunks that one search learns: about a second where a model takes 28 ms for each. Later ones learn the rest."""
_BATCH = 32
_MODEL = "meaning"
"""Key of the index's notes that names the encoder."""


class EncoderError(NightledgerError):
    """No embedding came; search goes on with words alone."""


class Encoder(Protocol):
    """What gives texts their embeddings."""

    @property
    def name(self) -> str:
        """Which it is, and of what version: another name is another space."""

    def encode(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Give an embedding for each text, of any length but zero.

        Raises:
            EncoderError: It cannot.
        """


def learn(
    home: Home | None,
    store: SearchStore,
    encoder: Encoder,
    *,
    most: int = LEARNED_AT_ONCE,
) -> int:
    """Give chunks without an embedding theirs, and keep it in the index; gives how many are left.

    Args:
        home: The home; another run that writes its index is waited for, not for long. None for an index that no file holds.
        store: Its index, open for reading.
        encoder: What makes embeddings.
        most: Chunks at most.

    Raises:
        EncoderError: None came.
    """
    missing = _missing(store, encoder.name)
    wanted = missing[:most]
    done = 0
    for at in range(0, len(wanted), _BATCH):
        texts = _texts(store, wanted[at : at + _BATCH])
        batch = list(texts)
        vectors = encoder.encode([mask_secrets(texts[number]) for number in batch])
        rows = [
            (number, texts[number], _packed(vector)) for number, vector in zip(batch, vectors, strict=True)
        ]
        if not _keep(home, store, encoder.name, rows):
            break
        done += len(batch)
    return len(missing) - done


def learn_new(home: Home, store: SearchStore, encoder: Encoder) -> tuple[str, ...]:
    """Learn some of what is new before a search; gives what the asker should know of it."""
    try:
        left = learn(home, store, encoder)
    except EncoderError as error:
        return (f"{error}: what is new has no embedding yet",)
    if not left:
        return ()
    return (
        f"{left:,} of {store.count():,} chunks have no embedding yet; 'nightledger doctor --rebuild' makes them all",
    )


def near(store: SearchStore, encoder: Encoder, text: str, wanted: Filter) -> dict[int, float]:
    """Give for each chunk that has an embedding how near it is to a text: the cosine, -1..1, 4 decimals.

    Args:
        store: The index.
        encoder: The one that made the embeddings; those of another count as none.
        text: The query.
        wanted: Which chunks count.

    Raises:
        EncoderError: The query has no embedding.
    """
    if store.meta(_MODEL) != encoder.name:
        return {}
    where, values = wanted.sql()
    rows = store.ask(
        "SELECT v.chunk, v.vector FROM vectors v JOIN chunks c ON c.id = v.chunk JOIN files f ON f.id = c.file"  # noqa: S608 - our own words and question marks
        f" WHERE 1{where} ORDER BY v.chunk",
        values,
    )
    if not rows:
        return {}
    query = _packed(encoder.encode([mask_secrets(text)])[0])
    same = ((number, array("f", packed)) for number, packed in rows if len(packed) == len(query))
    return {number: round(math.fsum(map(mul, one, array("f", query))), 4) for number, one in same}


def _missing(store: SearchStore, name: str) -> list[int]:
    known = " WHERE id NOT IN (SELECT chunk FROM vectors)" if store.meta(_MODEL) == name else ""
    # what was written last is asked for first
    return [row[0] for row in store.ask(f"SELECT id FROM chunks{known} ORDER BY id DESC")]  # noqa: S608 - our own words


def _texts(store: SearchStore, ids: Sequence[int]) -> dict[int, str]:
    return {
        number: f"{chunk.prefix} {chunk.lent}".rstrip() + f"\n{chunk.summary or chunk.text}"
        for number, chunk in store.chunks(ids).items()
    }


def _packed(vector: Vector) -> bytes:
    """Give a vector of length 1, in four bytes a number: only its direction counts."""
    length = math.hypot(*vector) or 1.0
    return array("f", [number / length for number in vector]).tobytes()


def _keep(home: Home | None, store: SearchStore, name: str, rows: Sequence[tuple[int, str, bytes]]) -> bool:
    """Keep embeddings of chunks that still say the same; False where the index cannot be written now."""
    if home is None:
        writer = SearchWriter(store, index_text)
        _put(writer, name, rows)
        writer.commit()  # else the next search takes them back with its own temporary rows
        return True
    with suppress(LockedError, SearchIndexError, OSError), Lock(home.lock_path("search"), timeout_s=0.5):
        with writing(index_path(home), index_text) as writer:
            _put(writer, name, rows)
        return True
    return False


def _put(writer: SearchWriter, name: str, rows: Sequence[tuple[int, str, bytes]]) -> None:
    connection = writer.store.connection
    if writer.store.meta(_MODEL) != name:
        connection.execute("DELETE FROM vectors")
        writer.note(_MODEL, name)
    now = _texts(writer.store, [number for number, _, _ in rows])
    connection.executemany(
        "INSERT OR REPLACE INTO vectors(chunk, vector) VALUES (?, ?)",
        [(number, packed) for number, text, packed in rows if now.get(number) == text],
    )
