"""The search index at 10,000 and 100,000 chunks, beside plain FTS5: time to make it, size, queries, one day.

    python -m bench.bench_index [--chunks 10000 100000] [--queries 200] [--seed 1]

The logs are invented: sentences of words whose frequencies fall as a language's do (Zipf), so that
queries meet common and rare words. *Plain FTS5* is one table with the same chunks in their own words,
its answers by ``ORDER BY rank``. Times of queries are medians of a fresh mix of two
to eight words, each answered with ten hits; for our index that is the whole way: reading the query,
candidates, weighing, texts and lines. *As a process* is the command as a person runs it, Python's start included.
"""

import argparse
import os
import random  # noqa: TID251 - made-up logs come from a seed
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path

from bench.living import make_home

from nightledger.domain.decision import Moment
from nightledger.domain.search import Kind, Query
from nightledger.files.search_index import FileState, NewFile, building, index_path, open_store, writing
from nightledger.gate.opening import read_ledger
from nightledger.recall.indexing import refresh
from nightledger.recall.searching import find_scores, read_query, search, search_store
from nightledger.recall.sources import cut_prose
from nightledger.text.markdown.chunks import cut_markdown
from nightledger.text.tokens import index_text, match_any, query_terms

FIRST = date(2020, 1, 1)
CHUNKS_A_DAY = 50
VOCABULARY = 30_000
HITS = 10
COMMAND = Path(__file__).parents[1] / "scripts" / "command.py"


def invent_words(dice: random.Random) -> list[str]:
    """Give words of two to four syllables, each once; the first are the commonest."""
    syllables = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
    words: dict[str, None] = {}
    while len(words) < VOCABULARY:
        words["".join(dice.choices(syllables, k=dice.choice((2, 2, 3, 3, 4))))] = None
    return list(words)


def invent_day(dice: random.Random, words: Sequence[str], weights: Sequence[float]) -> str:
    """Give the log of one day: sections of list items, about 50 chunks."""
    lines: list[str] = []
    for section in range(10):
        lines += [f"## {dice.choice(words).title()} {section + 8:02}:00", ""]
        for _ in range(20):
            said = dice.choices(words, cum_weights=weights, k=dice.randint(10, 30))
            lines.append(f"- {' '.join(said).capitalize()}.")
        lines.append("")
    return "\n".join(lines)


def new_file(path: str, text: str, day: date) -> NewFile:
    """Give a log as the index takes it."""
    state = FileState(len(text), 0, "", settled=True)
    return NewFile(path=path, kind=Kind.DAILY, state=state, text=text, chunks=cut_prose(text, day).chunks)


def invent_logs(count: int, seed: int) -> tuple[list[NewFile], list[str]]:
    """Give logs of so many chunks, and the words in the order of their frequency."""
    dice = random.Random(seed)
    words = invent_words(dice)
    weights, total = [], 0.0
    for rank in range(1, len(words) + 1):
        total += 1 / rank
        weights.append(total)
    files: list[NewFile] = []
    made = 0
    while made < count:
        day = FIRST + timedelta(days=len(files))
        file = new_file(f"memory/{day}.md", invent_day(dice, words, weights), day)
        files.append(file)
        made += len(file.chunks)
    return files, words


def invent_queries(words: Sequence[str], count: int, seed: int) -> list[str]:
    """Give queries of two to eight words, from common to rare."""
    dice = random.Random(seed)
    ranks = [min(int(10 ** dice.uniform(1.3, 4.3)), len(words) - 1) for _ in range(count * 8)]
    picked = iter(words[rank] for rank in ranks)
    return [" ".join(next(picked) for _ in range(dice.randint(2, 8))) for _ in range(count)]


def timed(work: Callable[[], object]) -> float:
    """Give the processor's seconds that something took."""
    start = time.process_time()
    work()
    return time.process_time() - start


def median_ms(ask: Callable[[str], object], queries: Sequence[str]) -> float:
    """Give the median of a query, in milliseconds."""
    return statistics.median(timed(partial(ask, query)) for query in queries) * 1000


def show(name: str, *figures: str) -> None:
    """Print one row."""
    print(f"  {name:34}" + "".join(f"{figure:>14}" for figure in figures))


def bench_own(directory: Path, files: Sequence[NewFile], queries: Sequence[str], text_bytes: int) -> None:
    """Make, ask and update our index."""
    path = str(directory / "search" / "index.db")

    def make() -> None:
        with building(path, index_text) as writer:
            for file in files:
                writer.put(file)

    made_s = timed(make)
    size = os.path.getsize(path)
    store = open_store(path)
    assert store is not None
    today = FIRST + timedelta(days=len(files))
    whole = median_ms(lambda q: search_store(store, Query(text=q, limit=HITS), today), queries)
    bare = median_ms(
        lambda q: find_scores(store, Query(text=q), read_query(store, Query(text=q), today)), queries
    )
    store.close()
    cut_s = timed(lambda: [list(cut_markdown(file.text)) for file in files])
    show("ours", f"{made_s:.2f} s", f"{size / text_bytes:.2f}", f"{bare:.2f} ms", f"{whole:.2f} ms")
    show("cutting a chunk", f"{cut_s / sum(len(file.chunks) for file in files) * 1e6:.0f} us", "", "", "")
    middle = files[len(files) // 2]
    changed = new_file(
        middle.path,
        f"{middle.text}\n## Later\n\n- One more line that nobody had written.\n",
        date(2026, 1, 1),
    )
    changed_s = timed(lambda: _update(path, changed))
    show("one changed day", f"{changed_s * 1000:.1f} ms", f"{changed_s / made_s:.2%}", "", "")


def bench_home(directory: Path, files: Sequence[NewFile], queries: Sequence[str], text_bytes: int) -> None:
    """Bring the index of a home up to date: at first, when nothing changed, after one day was written on."""
    gate = make_home(directory / "home", directory / "keys", FIRST)
    for file in files:
        path = Path(gate.home.path(file.path))
        path.parent.mkdir(exist_ok=True)
        path.write_text(file.text, encoding="utf-8")
        os.utime(path, (1_700_000_000, 1_700_000_000))  # long ago: what is young is read again
    ledger, moment = read_ledger(gate), Moment(at=datetime(2026, 3, 1, tzinfo=UTC))

    def look() -> None:
        refresh(gate, ledger, moment).store.close()

    made_s, again_s = timed(look), timed(look)
    with open(gate.home.path(files[len(files) // 2].path), "a", encoding="utf-8") as log:
        log.write("\n- One more line that nobody had written.\n")
    changed_s = timed(look)
    size = os.path.getsize(index_path(gate.home))
    show("a home: all of it", f"{made_s:.2f} s", f"{size / text_bytes:.2f}", "", "")
    show("a home: nothing changed", f"{again_s * 1000:.1f} ms", f"{again_s / made_s:.2%}", "", "")
    show("a home: a line in one day", f"{changed_s * 1000:.1f} ms", f"{changed_s / made_s:.2%}", "", "")
    asked = median_ms(lambda q: search(gate, ledger, Query(text=q), moment), queries[:20])
    show("a home: recall, brought up to date", "", "", "", f"{asked:.2f} ms")
    keys = {"NIGHTLEDGER_KEYS": str(directory / "keys"), "PATH": os.environ.get("PATH", "")}
    ask = [sys.executable, str(COMMAND), "recall", "--home", gate.home.root, "--now", "2026-03-01T00:00:00Z"]
    spent = statistics.median(process_s([*ask, "--", query], keys) for query in queries[:10])
    start = statistics.median(process_s([sys.executable, "-c", "pass"], keys) for _ in range(5))
    show("a home: recall as a process", "", "", "", f"{spent * 1000:.0f} ms")
    show("python -c pass", "", "", "", f"{start * 1000:.0f} ms")


def process_s(command: Sequence[str], environment: Mapping[str, str]) -> float:
    """Give the processor's seconds of a process that does what it was asked."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _update(path: str, file: NewFile) -> None:
    with writing(path, index_text) as writer:
        writer.put(file)


def bench_plain(directory: Path, files: Sequence[NewFile], queries: Sequence[str], text_bytes: int) -> None:
    """Make and ask one FTS5 table that keeps its own texts."""
    path = str(directory / "plain.db")
    connection = sqlite3.connect(path)
    connection.execute("CREATE VIRTUAL TABLE words USING fts5(head, body, tokenize='porter unicode61')")

    def make() -> None:
        connection.executemany("INSERT INTO words VALUES (?, ?)", _texts(files))
        connection.commit()

    made_s = timed(make)
    ask = "SELECT rowid, body FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?"
    asked = median_ms(
        lambda q: connection.execute(ask, (match_any(query_terms(q)), HITS)).fetchall(), queries
    )
    connection.close()
    show("plain FTS5", f"{made_s:.2f} s", f"{os.path.getsize(path) / text_bytes:.2f}", f"{asked:.2f} ms", "")


def _texts(files: Sequence[NewFile]) -> Iterator[tuple[str, str]]:
    for file in files:
        for chunk in file.chunks:
            yield f"{chunk.day} {chunk.heading}", file.text[chunk.start : chunk.end]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--chunks", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for count in options.chunks:
        files, words = invent_logs(count, options.seed)
        queries = invent_queries(words, options.queries, options.seed + 1)
        text_bytes = sum(len(file.text.encode()) for file in files)
        chunks = sum(len(file.chunks) for file in files)
        print(
            f"{chunks:,} chunks, {len(files):,} days, {text_bytes / 1e6:.1f} MB of text; {len(queries)} queries"
        )
        show("", "to make", "size / text", "candidates", "answer")
        with tempfile.TemporaryDirectory() as directory:
            for bench in (bench_own, bench_home, bench_plain):
                bench(Path(directory), files, queries, text_bytes)


if __name__ == "__main__":
    main()
