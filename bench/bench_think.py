"""Live through days night by night while a model chooses what is proposed; its owner signs all of it.

The model is whoever answers the questions: its answers lie in a folder, each by its question. Without a workspace the
days are ours: invented ones of thirteen agents below `bench/days`, and those of `make demo`, and what the rules propose of each
stands beside what the model does. `--record` puts each question without an answer beside the place where that
belongs and waits for it: HASH.md, and HASH.json of schemas/analyst-draft.schema.json. So a person, or a model
that no server here runs, can be measured; answers that are kept answer the same run again by themselves.

Reads   bench/days/, config/demo/, or WORKSPACE/**/memory/** and EXCHANGE/*.json
Writes  PROPOSED.jsonl; with `--record` questions into the folders of the answers

Usage: bench_think.py [--record]
       bench_think.py --workspace DIR (--exchange DIR | --rules) [--out PROPOSED.jsonl] [--first DATE] [--last DATE]
"""

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

from bench.bench_consolidate import daily_logs, run_nights
from bench.exchange import PATIENCE_S, ExchangeServer
from bench.living import live_night, make_home
from msgspec import Struct

from nightledger.demo.story import load_story
from nightledger.domain.consolidation import AnalystRun
from nightledger.domain.proposal import Change
from nightledger.think.analyst import RecordedServer

DAYS = Path(__file__).parent / "days"
NOTE = (
    "These days are invented, by the hand that wrote rules and prompt; the answers are of a large model that had seen "
    "the days and not what the rules propose of them. They show of which kind the proposals are and measure nothing."
)


class World(Struct, frozen=True):
    """Notes that are read in one night.

    Attributes:
        name: Whose they are.
        files: Memory and daily logs, by their path in the home.
        answers: Where the model's answer lies.
        day: The night's log day.
    """

    name: str
    files: dict[str, str]
    answers: Path
    day: date


def worlds() -> Iterator[World]:
    """Yield the days that ship with us."""
    for folder in sorted(path for path in DAYS.iterdir() if path.is_dir()):
        files = {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*.md")}
        files = {path: text for path, text in files.items() if path == "MEMORY.md" or "/" in path}
        yield World(folder.name, files, folder, max(day for day, _ in daily_logs(folder)))
    story = load_story()
    day = max(story.days)
    files = {"MEMORY.md": story.text("start/MEMORY.md"), **story.logs(day)}
    yield World("demo", files, story.folder / "answers", day)


def night_of(world: World, server: RecordedServer | None) -> tuple[Sequence[Change], AnalystRun | None]:
    """Give what one night proposes of a world, and what came of asking."""
    with tempfile.TemporaryDirectory(prefix="nightledger-nights-") as temporary:
        root = Path(temporary) / "home"
        for path, text in world.files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        done = live_night(make_home(root, Path(temporary) / "keys", world.day), world.day, server)
    return done.proposal.changes if done.proposal else (), done.record.analyst


def _server(folder: str, wait_s: int | None) -> RecordedServer:
    return RecordedServer(folder=folder) if wait_s is None else ExchangeServer(folder=folder, wait_s=wait_s)


def side_by_side(wait_s: int | None) -> None:
    """Print what rules and model propose of each world."""
    counts = {"rules": 0, "model": 0}
    for world in worlds():
        print(f"\n== {world.name}, {world.day}")
        # The model first: whoever answers has not seen what the rules propose.
        by_model, run = night_of(world, _server(str(world.answers), wait_s))
        by_rules, _ = night_of(world, None)
        for left in world.answers.glob("?" * 16 + ".md"):
            left.unlink()
        for who, changes in (("rules", by_rules), ("model", by_model)):
            counts[who] += len(changes)
            for change in changes:
                _print_change(f"{who} {change.confidence:.2f}", change)
        if run and (run.problem or run.refused):
            print(f"  model: {run.problem or run.refused}")
    print(f"\n{counts['rules']} changes by the rules, {counts['model']} by the model. {NOTE}")


def _print_change(title: str, change: Change) -> None:
    text = " / ".join((change.after or change.before).strip().splitlines())
    instead = f"   instead of {change.before.strip()}" if change.after and change.before else ""
    print(f"  {title} {change.op.value} under {change.section}\n    {text}{instead}")


def _nights_of_a_workspace(options: argparse.Namespace) -> None:
    server = None if options.rules else ExchangeServer(folder=str(options.exchange), wait_s=PATIENCE_S)
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


def main() -> None:
    """Run the nights and print each proposal."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--workspace", type=Path)
    who = parser.add_mutually_exclusive_group()
    who.add_argument("--exchange", type=Path)
    who.add_argument("--rules", action="store_true")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--first", type=date.fromisoformat, default=date.min)
    parser.add_argument("--last", type=date.fromisoformat, default=date.max)
    options = parser.parse_args()
    if options.workspace is None:
        side_by_side(PATIENCE_S if options.record else None)
    elif options.exchange or options.rules:
        _nights_of_a_workspace(options)
    else:
        parser.error("--workspace needs --exchange or --rules")


if __name__ == "__main__":
    main()
