"""Keep the quick index in step with the search index, where the home is large, its settings allow it and tantivy is there.

Invariant: nothing that goes wrong here changes the search index, or fails a search: FTS5 finds then.
"""

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress

from nightledger.domain.search.engines import Engine, wants_tantivy
from nightledger.files.quick_index import (
    QuickIndex,
    QuickIndexError,
    QuickWriter,
    Stems,
    is_installed,
    open_quick,
    quick_dir,
    remove_quick,
)
from nightledger.files.search_index import build_in_memory, open_store, writing
from nightledger.files.search_store import SearchStore
from nightledger.files.search_writing import HISTORY, SearchWriter
from nightledger.text.search.tokens import index_text


@contextmanager
def changing(path: str, engine: Engine) -> Iterator[SearchWriter]:
    """Change a search index that is there, as ``writing`` does, and its quick index with it, if that one is in step.

    The search index is committed first: a run that is killed between the two leaves a quick index of an earlier
    history, which nobody asks.

    Args:
        path: The search index.
        engine: What the settings ask for.

    Raises:
        SearchIndexError: As ``writing``.
    """
    with ExitStack() as opened, writing(path, index_text) as writer:
        before = writer.store.meta(HISTORY)
        follower = _follower(writer.store, engine, opened, before)
        writer.follower = follower
        yield writer
        writer.commit()
        history = writer.store.meta(HISTORY)
        if follower is not None and history != before:
            with suppress(QuickIndexError):  # it is of an earlier history now, and made anew
                follower.commit(history)


def open_attached(path: str, engine: Engine) -> tuple[SearchStore | None, tuple[str, ...]]:
    """Open a search index with its quick index, which is made where it is wanted and not in step.

    The caller holds the lock of the search index.

    Args:
        path: The search index.
        engine: What the settings ask for.

    Returns:
        The index, None where there is none, and what the asker should know.

    Raises:
        SearchIndexError: As ``open_store``.
    """
    store = open_store(path)
    if store is None:
        return None, ()
    try:
        return store, _attach(store, engine)
    except BaseException:
        store.close()
        raise


def _attach(store: SearchStore, engine: Engine) -> tuple[str, ...]:
    if not wants_tantivy(engine, store.count()):
        with suppress(OSError):
            remove_quick(quick_dir(store.path))
        return ()
    if not is_installed():
        missing = "tantivy is asked for and not installed (pip install 'nightledger[fast-search]')"
        return (f"{missing}: FTS5 found candidates",) if engine is Engine.TANTIVY else ()
    store.quick, notes = _opened(store)
    try:
        if store.quick is None:
            store.quick = _made(store)
    except QuickIndexError as error:
        return (f"{error}: FTS5 found candidates",)
    return notes


def _follower(store: SearchStore, engine: Engine, opened: ExitStack, history: str) -> QuickWriter | None:
    """Give what writes the quick index of a search index; None where there is none in step."""
    if not wants_tantivy(engine, store.count()) or not is_installed():
        return None
    try:
        quick = open_quick(quick_dir(store.path), history)
    except QuickIndexError:
        return None
    return QuickWriter(quick.directory, _stems(opened), history) if quick else None


def _stems(opened: ExitStack) -> Stems:
    """Give what FTS5 says of words; not the index that is written: asking it takes back what is not committed yet."""
    return opened.enter_context(closing(build_in_memory(index_text).store)).stems


def _opened(store: SearchStore) -> tuple[QuickIndex | None, tuple[str, ...]]:
    try:
        return open_quick(quick_dir(store.path), store.meta(HISTORY)), ()
    except QuickIndexError as error:
        return None, (f"{error}: it was made anew",)


def _made(store: SearchStore) -> QuickIndex | None:
    """Make a quick index of all that a search index holds.

    Raises:
        QuickIndexError: It cannot be written.
    """
    directory, history = quick_dir(store.path), store.meta(HISTORY)
    with ExitStack() as opened:
        writer = QuickWriter(directory, _stems(opened), None)
        for path in store.files():
            for number, (*said, day) in store.said(path):
                writer.put(number, "\n".join(map(index_text, said)), day)
            store.read_anew()
        writer.commit(history)
    return open_quick(directory, history)
