"""The quick index: a second, disposable list of words beside the search index, kept by tantivy, for large homes.

Optional (the extra ``fast-search``). It gives numbers of chunks and nothing else; what stands in them, who may see
it and how much it weighs is the search index's to say. Words stand in it as hashes of their stems, the very stems that
FTS5 has: so both mean the same by a word, and nobody reads in it what was taken out of a file.

Invariant: it is asked only while it was made of the very words of the search index: it carries that one's history
(``search_writing.py``) in the same commit as the words. Whatever is wrong with it is a ``QuickIndexError`` or None.
"""

import os
import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from hashlib import blake2b
from typing import Any

from nightledger.domain.errors import NightledgerError
from nightledger.files.durable import make_dir

_FORMAT = "1"
"""Of the fields, and of how words are written in them: another one is another index."""
_WORDS, _CHUNK, _DAY, _MADE_OF = "words", "chunk", "day", "made_of"
_RUN = re.compile(r"[0-9A-Za-z\x80-\U0010ffff]+")
"""What no word of FTS5's ``unicode61`` reaches beyond: of ASCII it takes letters and digits alone."""
_MOST_KNOWN = 500_000
"""Words whose stems are remembered while one index is written: about 100 MB. Our choice."""
_MOST_SAID = 200
"""Letters of what tantivy says of a failure."""
_AT_ONCE = 500
"""Chunks whose words are stemmed together."""
MAKING_BYTES, CHANGING_BYTES = 128_000_000, 15_000_000
"""Memory that tantivy may fill before it writes: its own default for all of an index, little for a day of it."""

Stems = Callable[[Sequence[str]], list[list[str]]]
"""Gives the stems of each word: ``Reader.stems``."""


class QuickIndexError(NightledgerError):
    """The quick index cannot be used; FTS5 finds without it."""

    hint = "nothing needs to be done: FTS5 finds without it, and it is made anew"


def quick_dir(index_path: str) -> str:
    """Give the directory of the quick index beside a search index."""
    return os.path.join(os.path.dirname(index_path), "tantivy")


def is_installed() -> bool:
    """Tell whether the extra ``fast-search`` is there, without importing it."""
    import importlib.util

    return importlib.util.find_spec("tantivy") is not None


def remove_quick(directory: str) -> None:
    """Take a quick index away, if there is one.

    Raises:
        OSError: It cannot be removed.
    """
    if os.path.isdir(directory) and not os.path.islink(directory):
        import shutil

        shutil.rmtree(directory)
    elif os.path.lexists(directory):
        os.unlink(directory)


class QuickIndex:
    """A quick index that stands for its search index, open for reading.

    Attributes:
        directory: Where it lies.
    """

    __slots__ = ("_index", "_searcher", "_tantivy", "directory")

    def __init__(self, directory: str, tantivy: Any, index: Any) -> None:
        self.directory = directory
        self._tantivy, self._index = tantivy, index
        self._searcher = index.searcher()

    def find(
        self, stems: Sequence[str], limit: int, *, since: date | None = None, until: date | None = None
    ) -> list[int]:
        """Give the numbers of the chunks that match best, the best first; equals in no order that is promised.

        BM25 over all words of a chunk, as FTS5 reckons it (k1 1.2, b .75), but for lengths, which tantivy keeps in one byte.

        Args:
            stems: Of which one at least is said.
            limit: At most so many.
            since: Only chunks of this day and later; None is unbounded.
            until: Only chunks of this day and earlier; None is unbounded.

        Raises:
            QuickIndexError: It cannot.
        """
        query, occur = self._tantivy.Query, self._tantivy.Occur
        with _telling(self.directory):
            schema = self._index.schema
            any_of = [
                (occur.Should, query.term_query(schema, _WORDS, _hashed(stem), index_option="freq"))
                for stem in dict.fromkeys(stems)
            ]
            asked = query.boolean_query(any_of)
            if since is not None or until is not None:
                days = query.range_query(
                    schema,
                    _DAY,
                    self._tantivy.FieldType.Unsigned,
                    (since or date.min).toordinal(),
                    (until or date.max).toordinal(),
                )
                asked = query.boolean_query([(occur.Must, days), (occur.Must, asked)])
            found = self._searcher.search(asked, limit, count=False)
            numbers = self._searcher.fast_field_values(_CHUNK, [place for _, place in found.hits])
        return [number for number in numbers if number is not None]

    def is_made_of(self, history: str) -> bool:
        """Tell whether it was made of the words of a search index with that history.

        Raises:
            QuickIndexError: It cannot be told.
        """
        with _telling(self.directory):
            query = self._tantivy.Query.term_query(
                self._index.schema, _MADE_OF, _made_of(history), index_option="basic"
            )
            return bool(self._searcher.search(query, 1, count=False).hits)


def open_quick(directory: str, history: str) -> QuickIndex | None:
    """Open a quick index; None where there is none, or one that was made of other words.

    Args:
        directory: Where it lies.
        history: Of the search index beside it.

    Raises:
        QuickIndexError: It is damaged, or tantivy cannot be loaded.
    """
    if not os.path.isfile(os.path.join(directory, "meta.json")):
        return None
    with _telling(directory):
        tantivy = _load()
        quick = QuickIndex(directory, tantivy, _open_index(tantivy, directory))
    return quick if quick.is_made_of(history) else None


class QuickWriter:
    """A quick index that is open for writing; what is not committed was never there.

    The caller holds the lock of the search index. What goes wrong is kept until ``commit``, so that nothing
    of it reaches whoever writes the search index.

    Args:
        directory: Where it lies.
        stems: The search index's own.
        before: History of the search index that it stands for; None makes it anew.
    """

    __slots__ = (
        "_before",
        "_directory",
        "_failed",
        "_known",
        "_schema",
        "_stems",
        "_tantivy",
        "_waiting",
        "_writer",
    )

    def __init__(self, directory: str, stems: Stems, before: str | None) -> None:
        self._directory, self._stems, self._before = directory, stems, before
        self._known: dict[str, str] = {}
        self._waiting: list[tuple[int, str, int | None]] = []
        self._failed: QuickIndexError | None = None
        self._tantivy: Any = None
        self._writer: Any = None
        self._schema: Any = None

    def put(self, number: int, text: str, day: int | None) -> None:
        """Add a chunk: all that the search index has of it, in its spelling, and its day as an ordinal."""
        self._waiting.append((number, text, day))
        if len(self._waiting) >= _AT_ONCE:
            self._carry_out(self._write)

    def take_out(self, number: int) -> None:
        """Take a chunk out."""
        self._carry_out(self._write)  # what takes its number is put after it went
        self._carry_out(lambda: self._forget(_CHUNK, number))

    def commit(self, history: str) -> None:
        """Make all of it last, as made of the words of a search index with that history, and close; nothing where nothing changed.

        Raises:
            QuickIndexError: Something could not be written.
        """
        self._carry_out(self._write)
        if self._before is None or self._writer is not None:
            self._carry_out(lambda: self._finish(history))
        if self._failed is not None:
            raise self._failed

    def _carry_out(self, step: Callable[[], object]) -> None:
        if self._failed is None:
            try:
                with _telling(self._directory):
                    step()
            except QuickIndexError as error:
                self._failed = error

    def _open(self) -> Any:
        if self._writer is None:
            self._tantivy = _load()
            if self._before is None:
                remove_quick(self._directory)
                make_dir(self._directory, ignored_by_git=True)
                index = self._tantivy.Index(_schema(self._tantivy), path=self._directory)
            else:
                index = _open_index(self._tantivy, self._directory)
            self._schema = index.schema
            heap = MAKING_BYTES if self._before is None else CHANGING_BYTES
            self._writer = index.writer(heap_size=heap, num_threads=1)
        return self._writer

    def _forget(self, name: str, value: int | str) -> None:
        """Take out what has a value: by a query, because a number given as a term is taken for a signed one and found nowhere."""
        writer = self._open()
        term = self._tantivy.Query.term_query(self._schema, name, value, index_option="basic")
        writer.delete_documents_by_query(term)

    def _finish(self, history: str) -> None:
        writer = self._open()
        if self._before is not None:
            self._forget(_MADE_OF, _made_of(self._before))
        document = self._tantivy.Document()
        document.add_text(_MADE_OF, _made_of(history))
        writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()

    def _write(self) -> None:
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        writer = self._open()
        runs = [_RUN.findall(text) for _, text, _ in waiting]
        self._learn({run for found in runs for run in found})
        known = self._known
        for (number, _, day), found in zip(waiting, runs, strict=True):
            document = self._tantivy.Document()
            document.add_text(_WORDS, " ".join([known[run] for run in found]))
            document.add_unsigned(_CHUNK, number)
            if day is not None:
                document.add_unsigned(_DAY, day)
            writer.add_document(document)

    def _learn(self, runs: set[str]) -> None:
        if len(self._known) > _MOST_KNOWN:
            self._known.clear()
        new = sorted(runs.difference(self._known))
        for run, stems in zip(new, self._stems(new) if new else (), strict=True):
            self._known[run] = " ".join(map(_hashed, stems))


def _open_index(tantivy: Any, directory: str) -> Any:
    """Open an index that holds files only: tantivy waits for a FIFO, whatever interrupts it."""
    with os.scandir(directory) as entries:
        for entry in entries:
            if not entry.is_file(follow_symlinks=False):
                raise QuickIndexError(
                    f"the quick index {directory} cannot be used ({entry.name} is not a regular file)"
                )
    return tantivy.Index.open(directory)


def _schema(tantivy: Any) -> Any:
    fields = tantivy.SchemaBuilder()
    fields.add_text_field(_WORDS, tokenizer_name="whitespace", index_option="freq")
    fields.add_unsigned_field(_CHUNK, indexed=True, fast=True)
    fields.add_unsigned_field(_DAY, fast=True)
    fields.add_text_field(_MADE_OF, tokenizer_name="raw", index_option="basic")
    return fields.build()


def _hashed(stem: str) -> str:
    """Give what stands for a stem: 48 bits of BLAKE2b (RFC 7693), in 8 letters.

    Two stems that share it, one pair in 3e14, find each other's chunks, which are weighed by their texts.
    """
    return b64encode(blake2b(stem.encode("utf-8", "surrogateescape"), digest_size=6).digest()).decode()


def _made_of(history: str) -> str:
    return f"{_FORMAT} {history}"


def _load() -> Any:
    import importlib

    return importlib.import_module("tantivy")


@contextmanager
def _telling(directory: str) -> Iterator[None]:
    """Turn whatever tantivy says into one error; what it panics at is no ``Exception`` (pyo3's ``PanicException``).

    Raises:
        QuickIndexError: With what it said.
    """
    try:
        yield
    except QuickIndexError:
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        said = str(error).split("\n", 1)[0][:_MOST_SAID] or type(error).__name__
        raise QuickIndexError(f"the quick index {directory} cannot be used ({said})") from error
