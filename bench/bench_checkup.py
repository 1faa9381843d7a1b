"""Score the memory check-up against labelled lines of public workspaces.

Usage: LABELS=dir WORKSPACES=dir python bench/bench_checkup.py

LABELS holds ``dev-a.jsonl``, ``dev-b.jsonl`` and the ``score.py`` that counts; WORKSPACES
holds one folder a workspace, named ``owner+name``, each with its ``MEMORY.md`` and daily
logs. The check-up of a workspace is made on the date of its newest daily log: nothing
later is known to it. Prints the score of each half and of each workspace in it.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from nightledger.text.checkup.checkup import check_memory

_DAY = re.compile(r"20\d\d-\d\d-\d\d")
HALVES = ("dev-a", "dev-b")


def main() -> int:
    """Check every workspace and print its score.

    Returns:
        2 where a folder is missing, else 0.
    """
    labels, workspaces = (Path(os.environ.get(name, "")) for name in ("LABELS", "WORKSPACES"))
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
    root = workspaces / repo.replace("/", "+")
    document = (root / "MEMORY.md").read_bytes().decode("utf-8", "surrogateescape")
    for doubt in check_memory(document, today=_newest_day(root)):
        yield {"repo": repo, "path": "MEMORY.md", "lines": list(doubt.lines)}


def _newest_day(root: Path) -> date:
    days = (_DAY.match(path.name) for path in root.glob("memory/**/20*.md"))
    return date.fromisoformat(max(day[0] for day in days if day))


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
