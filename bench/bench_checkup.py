"""Score the memory check-up against labelled lines of public workspaces, by the rules alone or with a model.

Usage: LABELS=dir WORKSPACES=dir [EXCHANGE=dir] python bench/bench_checkup.py
       WORKSPACES=dir [EXCHANGE=dir] python bench/bench_checkup.py        # prints each doubt, for an owner to read

LABELS holds ``dev-a.jsonl``, ``dev-b.jsonl`` and the ``score.py`` that counts; WORKSPACES
holds one folder a workspace, named ``owner+name``, each with its ``MEMORY.md`` and daily
logs. The check-up of a workspace is made on the date of its newest daily log: nothing
later is known to it. Prints the score of each half and of each workspace in it.

With EXCHANGE a model is asked too: whoever answers EXCHANGE/owner+name/HASH.md as HASH.json
(``bench_think.py``). A question that nobody has answered yet is written, and its memory left to the rules.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from pathlib import Path

from bench.exchange import ExchangeServer

from nightledger.domain.finding import Doubt
from nightledger.files.home import Home
from nightledger.jobs.check import gone_files
from nightledger.text.checkup.checkup import check_memory
from nightledger.text.markdown.document import parse_markdown
from nightledger.think.analyst import Analyst, read_prompt
from nightledger.think.checkup import Chosen, choose

_DAY = re.compile(r"20\d\d-\d\d-\d\d")
HALVES = ("dev-a", "dev-b")


def main() -> int:
    """Check every workspace and print its score.

    Returns:
        2 where a folder is missing, else 0.
    """
    labels, workspaces = (Path(os.environ.get(name, "")) for name in ("LABELS", "WORKSPACES"))
    if not os.environ.get("LABELS") and workspaces.is_dir():
        for root in sorted(path.parent for path in workspaces.glob("*/MEMORY.md")):
            _print_doubts(root)
        return 0
    if not (labels / "score.py").is_file() or not workspaces.is_dir():
        print("error: LABELS must hold score.py, WORKSPACES one folder a workspace", file=sys.stderr)
        print("hint: make bench-checkup LABELS=dir WORKSPACES=dir", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        for half in HALVES:
            rows = [json.loads(line) for line in (labels / f"{half}.jsonl").read_text("utf-8").splitlines()]
            repos = sorted({row["repo"] for row in rows if row["path"] == "MEMORY.md"})
            proposed = {repo: list(_proposals(workspaces, repo)) for repo in repos}
            _print_score(labels, Path(folder), half, rows, [one for repo in repos for one in proposed[repo]])
            for repo in repos:
                mine = [row for row in rows if row["repo"] == repo]
                _print_score(labels, Path(folder), f"{half}, {repo}", mine, proposed[repo])
    return 0


def _proposals(workspaces: Path, repo: str) -> Iterator[dict[str, object]]:
    for doubt in _doubts(workspaces / repo.replace("/", "+"))[0]:
        yield {"repo": repo, "path": "MEMORY.md", "lines": list(doubt.lines)}


def _doubts(root: Path) -> tuple[tuple[Doubt, ...], str]:
    """Return the doubts about a workspace's memory, and its text."""
    document = (root / "MEMORY.md").read_bytes().decode("utf-8", "surrogateescape")
    today = _newest_day(root)
    chosen = _ask(root, document, today).doubts if os.environ.get("EXCHANGE") else ()
    gone = gone_files(str(root), parse_markdown(document))
    return check_memory(document, today=today, chosen=chosen, gone=gone), document


def _ask(root: Path, document: str, today: date) -> Chosen:
    server = ExchangeServer(folder=os.path.join(os.environ["EXCHANGE"], root.name), wait_s=0)
    with tempfile.TemporaryDirectory() as home:
        analyst = Analyst(
            server=server,
            prompt=read_prompt(home, "checkup"),
            home=Home(home),
            at=datetime.combine(today, time(), UTC),
            key=bytes(32),
            dry_run=True,
        )
        asked = choose(analyst, parse_markdown(document), today, ())
    print(f"{root.name}: {asked.run}", file=sys.stderr)
    return asked


def _print_doubts(root: Path) -> None:
    doubts, document = _doubts(root)
    lines = document.split("\n")
    print(f"== {root.name} on {_newest_day(root)}: {dict(Counter(doubt.label.value for doubt in doubts))}")
    for doubt in sorted(doubts, key=lambda one: one.lines):
        who = "model" if "model" in doubt.signs else "rules"
        print(f"{doubt.lines[0]} {doubt.label.value} {doubt.confidence:.2f} {who}: {doubt.reason}")
        print(f"    {lines[doubt.lines[0] - 1].strip()[:300]}")


def _newest_day(root: Path) -> date:
    logs = [day[0] for path in root.glob("memory/**/20*.md") if (day := _DAY.match(path.name))]
    told = _DAY.findall((root / "MEMORY.md").read_text("utf-8", "replace"))
    return date.fromisoformat(max(logs or told or ["2026-04-01"]))


def _print_score(
    labels: Path, folder: Path, title: str, rows: list[dict[str, object]], proposed: list[dict[str, object]]
) -> None:  # fmt: skip
    paths = folder / "labels.jsonl", folder / "proposed.jsonl"
    for path, records in zip(paths, (rows, proposed), strict=True):
        path.write_text("".join(f"{json.dumps(record)}\n" for record in records), "utf-8")
    command = [
        sys.executable,
        str(labels / "score.py"),
        "checkup",
        str(paths[0]),
        "--proposed",
        str(paths[1]),
    ]
    print(f"== {title}")
    print(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


if __name__ == "__main__":
    sys.exit(main())
