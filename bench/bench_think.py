"""Live through a workspace night by night while a model chooses what is proposed; its owner signs all of it.

The model is whoever answers the questions: each is put into EXCHANGE/question-N.md, with the schema of the answer beside it,
and waited for as EXCHANGE/answer-N.json. So a person, or a model that no server here runs, can be measured; and an
exchange that is kept answers the same run again by itself. `--rules` runs the rules alone, to compare.

Reads   WORKSPACE/**/memory/**, EXCHANGE/answer-*.json
Writes  EXCHANGE/question-*.md, EXCHANGE/schema.json, PROPOSED.jsonl

Usage: bench_think.py --workspace DIR (--exchange DIR | --rules) [--out PROPOSED.jsonl] [--first DATE] [--last DATE]
"""

import argparse
import hashlib
import json
import time
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from bench.bench_consolidate import daily_logs, run_nights

from nightledger.think.analyst import AnalystError, Reply

PATIENCE_S = 3600


class Exchange:
    """A model that reads questions from files and writes its answers there."""

    name = "exchange"
    tokens_a_night = 1_000_000

    def __init__(self, folder: Path, patience_s: float = PATIENCE_S) -> None:
        """Take the folder, made where it is missing, and how long an answer is waited for."""
        self._folder, self._patience_s = folder, patience_s
        folder.mkdir(parents=True, exist_ok=True)
        self._known = {self._digest(path.read_text()): path.stem for path in folder.glob("question-*.md")}

    def complete(self, prompt: str, schema: Mapping[str, Any], most_tokens: int) -> Reply:  # noqa: ARG002 - as any server
        """Put a question and wait for its answer."""
        stem = self._known.get(self._digest(prompt))
        if stem is None:
            stem = f"question-{len(self._known) + 1:03}"
            self._known[self._digest(prompt)] = stem
            (self._folder / "schema.json").write_text(json.dumps(schema, indent=1))
            (self._folder / f"{stem}.md").write_text(prompt)
        answer = self._folder / f"{stem.replace('question', 'answer')}.json"
        until = time.monotonic() + self._patience_s
        while not answer.exists():
            if time.monotonic() > until:
                raise AnalystError("nobody answered")
            time.sleep(0.2)
        return Reply(text=answer.read_text(), tokens=0)

    @staticmethod
    def _digest(text: str) -> str:
        return hashlib.sha256(text.encode()).hexdigest()


def main() -> None:
    """Run the nights and print each proposal."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--workspace", required=True, type=Path)
    who = parser.add_mutually_exclusive_group(required=True)
    who.add_argument("--exchange", type=Path)
    who.add_argument("--rules", action="store_true")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--first", type=date.fromisoformat, default=date.min)
    parser.add_argument("--last", type=date.fromisoformat, default=date.max)
    options = parser.parse_args()
    server = None if options.rules else Exchange(options.exchange)
    logs = frozenset(
        path for day, path in daily_logs(options.workspace) if options.first <= day <= options.last
    )
    repo = options.workspace.name.replace("+", "/")
    rows = []
    for record, change in run_nights(options.workspace, repo, logs, server):
        rows.append({**record, "op": change.op.value, "after": change.after, "before": change.before})
        place = f"{record['path']}:{record['lines']}"
        print(f"[{record['night']}] {change.confidence:.2f} {change.op.value} {place} under {change.section}")
        print(f"{change.after or change.before}\n", flush=True)
    print(f"{len(rows)} changes proposed")
    if options.out:
        options.out.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    main()
