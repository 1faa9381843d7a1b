"""FTS5 and tantivy as what finds candidates: the same home, the same queries, one run.

    python -m bench.bench_engines [--chunks 100000 1000000] [--queries 200] [--locomo locomo10.json [--noise 100000]]

Needs the extra ``fast-search``. The logs are those of ``bench.bench_index``. A home is indexed with FTS5
alone and asked; then tantivy's index is made beside it and the same is asked again. Times are the processor's, threads included,
medians with means in brackets where they differ. *Candidates* is to find 100 numbers of chunks; *answer* the
whole way in an open index; *home* with bringing it up to date; *process* the command, Python's start included.
*Agreement* is how many of the ten hits are among the other's ten, with FTS5 as it is (in a large home the rarest
words of a query are looked for) and with FTS5 made to look for every word.

With ``--locomo`` the questions of ``bench.bench_recall`` are asked of each conversation alone, or with ``--noise`` of all ten
in one index among so many chunks of words drawn from theirs, by how often they are said there.
"""

import argparse
import os
import random  # noqa: TID251 - made-up logs come from a seed
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import accumulate
from pathlib import Path
from unittest.mock import patch

from bench.bench_index import (
    COMMAND,
    FIRST,
    HITS,
    invent_logs,
    invent_queries,
    new_file,
    process_s,
    timed,
)
from bench.bench_recall import report, searched, tally
from bench.living import make_home
from bench.locomo import Conversation, read_conversations
from bench.recall_rules import switched

from nightledger.domain.moment import Moment
from nightledger.domain.search.engines import Engine
from nightledger.domain.search.expansion import words_of
from nightledger.domain.search.rarity import telling_words
from nightledger.domain.search.values import Query
from nightledger.files.configuration import load_settings
from nightledger.files.quick_index import is_installed, quick_dir
from nightledger.files.search_index import building, index_path, open_store
from nightledger.files.search_store import Filter, SearchStore
from nightledger.files.search_writing import NewFile
from nightledger.gate.opening import Gate, Ledger, read_ledger
from nightledger.recall import quick
from nightledger.recall.candidates import Reach, find_candidates
from nightledger.recall.indexing import refresh
from nightledger.recall.searching import read_query, search, search_store
from nightledger.text.search.tokens import index_text

MOMENT = Moment(at=datetime(2026, 3, 1, tzinfo=UTC))
EVERY_WORD = 10**12
PROCESSES = 10


def spent(work: Callable[[str], object], queries: Sequence[str]) -> str:
    """Give median and mean of what queries take, in milliseconds."""
    took = [timed(lambda query=query: work(query)) * 1000 for query in queries]  # type: ignore[misc]
    return f"{statistics.median(took):.1f} ({statistics.fmean(took):.1f})"


def answers(store: SearchStore, queries: Sequence[str], today: date) -> list[list[int]]:
    """Give the hits of each query, by the numbers of their chunks."""
    found = (search_store(store, None, Query(text=query, limit=HITS), today) for query in queries)
    return [[hit.chunk.id for hit in one.hits] for one in found]


def agreement(one: Sequence[Sequence[int]], other: Sequence[Sequence[int]]) -> str:
    """Say how many hits two lists of answers share, and how often the first is the same."""
    shared = statistics.fmean(len({*a} & {*b}) / len(a) for a, b in zip(one, other, strict=True) if a)
    first = statistics.fmean(a[:1] == b[:1] for a, b in zip(one, other, strict=True))
    return f"{shared:.1%} of ten, the first {first:.1%}"


def use(gate: Gate, engine: Engine) -> Gate:
    """Have a home's settings name an engine."""
    Path(gate.home.settings).parent.mkdir(parents=True, exist_ok=True)
    Path(gate.home.settings).write_text(f"search_engine: {engine.value}\n")
    object.__setattr__(gate, "settings", load_settings(gate.home))
    return gate


def size_of(directory: str) -> int:
    """Give the bytes of a directory's files."""
    return sum(entry.stat().st_size for entry in os.scandir(directory))


def bench_home(root: Path, count: int, queries_wanted: int, seed: int) -> None:
    """Make a home of so many chunks and ask it with both engines."""
    files, words = invent_logs(count, seed)
    queries = invent_queries(words, queries_wanted, seed + 1)
    gate = make_home(root / "home", root / "keys", FIRST)
    for file in files:
        path = Path(gate.home.path(file.path))
        path.parent.mkdir(exist_ok=True)
        path.write_text(file.text, encoding="utf-8")
        os.utime(path, (1_700_000_000, 1_700_000_000))  # long ago: what is young is read again
    text_bytes = sum(len(file.text.encode()) for file in files)
    chunks = sum(len(file.chunks) for file in files)
    print(
        f"\n{chunks:,} chunks, {len(files):,} days, {text_bytes / 1e6:.1f} MB of text; {len(queries)} queries"
    )
    ledger, today = read_ledger(gate), FIRST + timedelta(days=len(files))
    for engine in (Engine.FTS5, Engine.TANTIVY):
        ask_home(use(gate, engine), ledger, queries, today, root)
        if engine is Engine.TANTIVY:
            compare(use(gate, engine), ledger, queries, today, text_bytes)
        changes = [_written_on(gate, ledger, at) for at in range(10)]
        print(
            f"    a line in one day {statistics.median(changes) * 1000:.0f} ms, at most {max(changes) * 1000:.0f}",
            flush=True,
        )


def compare(gate: Gate, ledger: Ledger, queries: Sequence[str], today: date, text_bytes: int) -> None:
    """Say how much the engines' answers have in common, and how large each is."""
    index = index_path(gate.home)
    sizes = os.path.getsize(index) / text_bytes, size_of(quick_dir(index)) / text_bytes
    print("    size / text: index {:.3f}, tantivy's {:.3f}".format(*sizes))
    quickened, plain = refresh(gate, ledger, MOMENT).store, open_store(index)
    assert plain
    with closing(quickened), closing(plain):
        given, own = answers(quickened, queries, today), answers(plain, queries, today)
        with switched([(telling_words, "__kwdefaults__", {"most": EVERY_WORD})]):
            found = spent(lambda q: _fresh(plain, lambda: _candidates(plain, q, today)), queries[:50])
            print(f"    FTS5 with every word: candidates {found} ms")
            every = answers(plain, queries, today)
    print(f"    tantivy and FTS5: {agreement(own, given)}")
    print(f"    tantivy and FTS5 with every word: {agreement(every, given)}")
    print(f"    FTS5 and FTS5 with every word: {agreement(every, own)}")


def ask_home(gate: Gate, ledger: Ledger, queries: Sequence[str], today: date, root: Path) -> None:
    """Bring a home's index up to date and ask it in every way."""

    def look() -> None:
        refresh(gate, ledger, MOMENT).store.close()

    def told(query: str) -> object:
        return search_store(store, None, Query(text=query, limit=HITS), today)

    made, again = timed(look), timed(look)
    store = refresh(gate, ledger, MOMENT).store
    print(
        f"  {gate.settings.search_engine.value}: made in {made:.1f} s; nothing changed {again * 1000:.0f} ms"
    )
    with closing(store):
        print(
            f"    candidates {spent(lambda q: _fresh(store, lambda: _candidates(store, q, today)), queries)} ms"
        )
        print(f"    answer {spent(lambda q: _fresh(store, lambda: told(q)), queries)} ms")
        in_time = [f"{query} last month" for query in queries[:50]]
        print(
            f"    answer of what tells a time {spent(lambda q: _fresh(store, lambda: told(q)), in_time)} ms"
        )
    print(f"    home {spent(lambda q: search(gate, ledger, Query(text=q), MOMENT), queries[:40])} ms")
    keys = {"NIGHTLEDGER_KEYS": str(root / "keys"), "PATH": os.environ.get("PATH", "")}
    ask = [
        sys.executable,
        str(COMMAND),
        "recall",
        "--home",
        gate.home.root,
        "--now",
        "2026-03-01T00:00:00Z",
        "--",
    ]
    took = [process_s([*ask, query], keys) * 1000 for query in queries[:PROCESSES]]
    print(f"    process {statistics.median(took):.0f} ({statistics.fmean(took):.0f}) ms")


def _candidates(store: SearchStore, query: str, today: date) -> list[int]:
    asked = read_query(store, None, Query(text=query), today)
    return find_candidates(store, words_of(asked.groups), Reach(wanted=Filter(), tags=()))


def _fresh(store: SearchStore, ask: Callable[[], object]) -> object:
    """Ask as a new process would: nothing was counted or unpacked."""
    store.read_anew()
    return ask()


def _written_on(gate: Gate, ledger: Ledger, at: int) -> float:
    day = FIRST + timedelta(days=100 + at)
    with open(gate.home.path(f"memory/{day}.md"), "a", encoding="utf-8") as log:
        log.write(f"\n- One more line that nobody had written, {time.monotonic_ns()}.\n")

    def look() -> None:
        refresh(gate, ledger, MOMENT).store.close()

    return timed(look)


@contextmanager
def indexed(files: Sequence[NewFile]) -> Iterator[tuple[SearchStore, SearchStore]]:
    """Index logs; gives the index twice, the second with tantivy's, however small it is."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "index.db")
        with building(path, index_text) as writer:
            for file in files:
                writer.put(file)
        with patch.object(quick, "wants_tantivy", lambda *_: True):
            quickened, notes = quick.open_attached(path, Engine.TANTIVY)
        plain = open_store(path)
        assert plain
        assert quickened
        assert not notes
        with closing(plain), closing(quickened):
            yield plain, quickened


def bench_locomo(path: str, noise: int, every: int, seed: int) -> None:
    """Ask LoCoMo's questions with both engines: of each conversation alone, and of all among noise."""
    conversations = [_apart(one, every) for one in read_conversations(path)]
    logs = {one.id: [new_file(log.path, log.text, log.day) for log in one.logs] for one in conversations}
    if noise:
        files = [file for several in logs.values() for file in several]
        with indexed([*files, *_noise(files, noise, seed)]) as stores:
            _report(f"all ten among {noise:,} chunks", [(one, stores) for one in conversations])
        return
    with ExitStack() as opened:
        pairs = [(one, opened.enter_context(indexed(logs[one.id]))) for one in conversations]
        _report("each conversation alone", pairs)


def _report(name: str, pairs: Sequence[tuple[Conversation, tuple[SearchStore, SearchStore]]]) -> None:
    plain = [(conversation, stores[0]) for conversation, stores in pairs]
    report(f"FTS5, {name}", tally(plain, searched))
    with switched([(telling_words, "__kwdefaults__", {"most": EVERY_WORD})]):
        report(f"FTS5 with every word, {name}", tally(plain, searched))
    report(f"tantivy, {name}", tally([(conversation, stores[1]) for conversation, stores in pairs], searched))


def _apart(conversation: Conversation, every: int) -> Conversation:
    """Give a conversation its own folder, so that several fit into one index, and some of its questions."""
    logs = [replace(log, path=f"memory/{conversation.id}/{log.day}.md") for log in conversation.logs]
    moved = dict(zip((log.path for log in conversation.logs), (log.path for log in logs), strict=True))
    questions = [
        replace(one, evidence=frozenset((moved[path], line) for path, line in one.evidence))
        for one in conversation.questions[::every]
    ]
    return replace(conversation, logs=logs, questions=questions)


def _noise(files: Sequence[NewFile], count: int, seed: int) -> Iterator[NewFile]:
    """Give logs of words drawn by how often they are said, in lines of 10 to 30."""
    said = Counter(word for file in files for word in file.text.split() if word.isalpha())
    dice, made, at = random.Random(seed), 0, 0
    words, weights = list(said), list(accumulate(said.values()))
    while made < count:
        day = FIRST + timedelta(days=at)
        lines = [
            " ".join(dice.choices(words, cum_weights=weights, k=dice.randint(10, 30))) for _ in range(200)
        ]
        text = "".join(f"- {line}\n" for line in lines)
        file = new_file(f"memory/noise/{day}.md", f"## {day}\n\n{text}", day)
        yield file
        made, at = made + len(file.chunks), at + 1


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--chunks", type=int, nargs="*", default=[100_000])
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--locomo", help="data/locomo10.json of github.com/snap-research/locomo")
    parser.add_argument("--noise", type=int, default=0, help="LoCoMo among so many chunks")
    parser.add_argument("--every", type=int, default=1, help="every n-th question of a conversation")
    options = parser.parse_args()
    if not is_installed():
        sys.exit("tantivy is not installed: pip install -r requirements-tantivy.lock")
    for count in options.chunks:
        with tempfile.TemporaryDirectory() as directory:
            bench_home(Path(directory), count, options.queries, options.seed)
    if options.locomo:
        bench_locomo(options.locomo, options.noise, options.every, options.seed)


if __name__ == "__main__":
    main()
