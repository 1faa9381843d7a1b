"""Sum up the long entries of workspaces, by rules or with a model, and hold each summary against its block.

Blocks are the entries of each MEMORY.md that are longer than is shown, then of daily logs, in an order that their hashes give, up to
--count; none in which a secret is seen. Held against the block, by other means than those that made it: that each number, date, path
and name of a summary stands in it, and that nothing stands in the summary but whole sentences.
With --exchange a model answers through files, as in bench_think.py, many blocks in one question.

Reads   WORKSPACE/MEMORY.md, WORKSPACE/memory/*.md, EXCHANGE/HASH.json
Writes  EXCHANGE/HASH.md

Usage: bench_blocks.py WORKSPACE ... [--count 200] [--exchange DIR --asked 40] [--logs-only] [--show 50]
"""

import argparse
import hashlib
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from bench.exchange import PATIENCE_S, ExchangeServer

from nightledger.domain.consolidation import AnalystRun, Said, SelfContext
from nightledger.files.home import Home
from nightledger.text.markdown.document import parse_markdown
from nightledger.text.markdown.entries import find_entries
from nightledger.text.scanners.scan import scan_secrets
from nightledger.text.statements.block import is_long, limits, process_block
from nightledger.text.statements.cues import find_cues
from nightledger.think.analyst import Analyst, block_name, read_prompt, read_said
from nightledger.think.checkup import ask_blocks

KEY = bytes(32)
_FACTS = {
    "number": re.compile(r"\d[\d.,:/-]*\d|\d"),
    "path": re.compile(r"[\w.~-]*/[\w./~-]+"),
    "name": re.compile(r"\b[A-Z][\w-]+"),
}
_END = re.compile(r"[.!?\u3002\uff01\uff1f][\"'`)\]\u201d*_]*$")
_MARK = re.compile(r"^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX~-]\]\s+)?|>\s*)?")


def main() -> None:
    """Print what was counted, and some blocks with their summaries."""
    options = read_options()
    blocks = read_blocks(options.workspaces, options.count, logs_only=options.logs_only)
    answers: dict[str, Said] = {}
    if options.exchange:
        blocks = blocks[: options.asked]
        answers = ask_all(options.exchange, blocks)
    counts = Counter[str]()
    lengths: list[tuple[int, int]] = []
    for number, block in enumerate(blocks, 1):
        said = answers.get(block_name(block))
        found = process_block(block, SelfContext(), said)
        lengths.append((len(block), len(found.summary)))
        problems = list(problems_of(found.summary, block))
        counts.update(problems)
        counts["summaries that are the block"] += found.summary == block
        counts["shown whole on the page"] += len(found.summary) <= limits().limit_characters
        counts["by the model"] += said is not None
        counts["that only their speaker can say"] += "self" in find_cues(found.summary)
        if number <= options.show or problems:
            print(f"[{number}] {found.alignment_score} {', '.join(found.tags)} {problems or ''}")
            print(f"{block}\n  =>\n{found.summary}\n")
    before, after = (sum(column) for column in zip(*lengths, strict=True))
    print(f"{len(blocks)} blocks of {before:,} characters, summed up in {after:,}")
    for name in ("number", "path", "name", "part of a sentence"):
        print(f"summaries with a {name} that the block does not have: {counts.pop(name, 0)}")
    for name, count in sorted(counts.items()):
        print(f"{name}: {count}")


def read_options() -> argparse.Namespace:
    """Return what is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("workspaces", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--exchange", type=Path)
    parser.add_argument("--asked", type=int, default=40)
    parser.add_argument("--logs-only", action="store_true")
    parser.add_argument("--show", type=int, default=0)
    return parser.parse_args()


def read_blocks(workspaces: Sequence[Path], count: int, *, logs_only: bool) -> list[str]:
    """Return long blocks: of memory files, then of daily logs."""
    of_memory = [one for folder in workspaces for one in entries_of(folder / "MEMORY.md")]
    of_logs = [
        one
        for folder in workspaces
        for path in sorted(folder.glob("memory/2*.md"))
        for one in entries_of(path)
    ]
    of_logs.sort(key=lambda text: hashlib.sha256(text.encode()).hexdigest())
    return list(dict.fromkeys(([] if logs_only else of_memory) + of_logs))[:count]


def entries_of(path: Path) -> Iterator[str]:
    """Yield the long entries of a file in which no secret is seen."""
    text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    for entry in find_entries(parse_markdown(text)):
        block = entry.text.strip()
        if is_long(block) and not scan_secrets(block):
            yield block


def ask_all(folder: Path, blocks: Sequence[str]) -> dict[str, Said]:
    """Ask about blocks and return what is kept; print what it cost."""
    with tempfile.TemporaryDirectory() as root:
        home = Home(root)
        Path(home.system_dir).mkdir(parents=True)
        server = ExchangeServer(folder=str(folder), wait_s=PATIENCE_S)
        analyst = Analyst(server=server, prompt="", home=home, at=datetime(2026, 3, 1, tzinfo=UTC), key=KEY)
        run = ask_blocks(
            analyst, read_prompt(root, "blocks"), blocks, SelfContext(), AnalystRun(model="exchange")
        )
        print(
            f"{run.calls} questions for alignment, tags and summary of {len(blocks)} blocks; two for each would be {2 * len(blocks)}"
        )
        print(f"of these: {dict(run.blocks)}")
        return read_said(home, KEY)


def problems_of(summary: str, block: str) -> Iterator[str]:
    """Yield what a summary has that its block does not have; each kind once."""
    plain = " ".join(block.replace("**", "").split())
    for name, fact in _FACTS.items():
        there = Counter(fact.findall(plain))
        if any(
            count > there[one]
            for one, count in Counter(fact.findall(" ".join(summary.replace("**", "").split()))).items()
        ):
            yield name
    if summary != block and not all(_is_whole(line, block) for line in summary.split("\n")):
        yield "part of a sentence"


def _is_whole(line: str, block: str) -> bool:
    """Tell whether a line is made of stretches of the block that begin and end where a sentence or a line does."""
    rest = " ".join(_MARK.sub("", line).split())
    lines = [" ".join(_MARK.sub("", one.replace("**", "")).split()) for one in block.expandtabs().split("\n")]
    text, borders = "", {0}
    for one in filter(None, lines):
        text = f"{text} {one}".strip()
        borders.add(len(text))
    borders |= {at for at in range(1, len(text)) if text[at] == " " and _END.search(text[:at])}
    while rest:
        size = next(
            (
                size
                for size in range(len(rest), 0, -1)
                if any(
                    (at in borders or at - 1 in borders) and at + size in borders
                    for at in _places(text, rest[:size])
                )
            ),
            0,
        )
        if not size:
            return False
        rest = rest[size:].strip()
    return True


def _places(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


if __name__ == "__main__":
    main()
