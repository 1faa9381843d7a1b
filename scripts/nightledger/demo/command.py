"""The command of `make demo`: one walk, told, with its score and the files to look at."""

import argparse
import os
import sys
import time
from pathlib import Path

from nightledger.demo.generate import DAY_COUNT, generate
from nightledger.demo.narrator import Narrator
from nightledger.demo.score import make_score, tell_planted, tell_score
from nightledger.demo.shell import Shell
from nightledger.demo.stage import clear_stage, keys_beside
from nightledger.demo.walk import Walk
from nightledger.domain.errors import EXIT_REFUSED, NightledgerError

DEFAULT_SEED = 7
_PROGRAM = ".venv/bin/nightledger"
_LOOK_AT = (
    ("MEMORY.md", "what the agent remembers now"),
    ("memory/", "the days; system/ and state/ hold what came of them"),
    ("memory/state/proposals/", "every proposal, one file each"),
    ("audit/*.jsonl", "every event, one line each"),
    ("audit/checkpoint", "the signed head of that log"),
    ("audit/decisions/", "what the operator signed, with signatures"),
)


def main(argv: list[str] | None = None) -> int:
    """Run the demo and give its exit status.

    Args:
        argv: Words after the program's name; None reads them from the process.
    """
    options = _parser().parse_args(argv)
    narrator = Narrator(sys.stdout)
    try:
        return _demo(options.seed, options.home.resolve(), options.nights, narrator)
    except NightledgerError as error:
        sys.stdout.flush()
        sys.stderr.write(f"error: {error}\n" + (f"hint: {error.hint}\n" if error.hint else ""))
        return error.exit_status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="demo", description=__doc__, allow_abbrev=False)
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED, help="which home; any whole number")
    parser.add_argument(
        "--home",
        type=Path,
        default=Path("demo-home"),
        metavar="DIR",
        help="where it is made; its keys go to DIR.keys",
    )
    parser.add_argument(
        "--nights",
        type=int,
        choices=range(1, DAY_COUNT + 1),
        default=DAY_COUNT,
        metavar="N",
        help="run only the last N nights; the days before them are there from the start",
    )
    return parser


def _demo(seed: int, home: Path, nights: int, narrator: Narrator) -> int:
    began = time.perf_counter()
    clear_stage(home)
    sample = generate(seed)
    narrator.heading(f"Nightledger demo, seed {seed}")
    narrator.say(
        f"{DAY_COUNT} simulated days of {sample.agent}, the agent of {sample.owner}. What was planted "
        "in its logs and its memory, and what an honest night should do with it:"
    )
    tell_planted(narrator, sample.planted)
    shell = Shell(home=home, keys=keys_beside(home))
    changes = Walk(sample=sample, shell=shell, narrator=narrator, nights=nights).run()
    narrator.heading("Planted and found")
    score = make_score(sample.planted, changes, contents(shell))
    tell_score(narrator, score)
    narrator.heading("Look at")
    narrator.say(_shown(home))
    for path, what in _LOOK_AT:
        narrator.item(path, what)
    narrator.say("Ask it more; by the real clock many nights were missed since, and it will say so:")
    narrator.say(f"  export NIGHTLEDGER_KEYS={_shown(shell.keys)}")
    for verb in ("history", "verify", "status"):
        narrator.say(f"  {_PROGRAM} {verb} --home {_shown(home)}")
    narrator.say(f"All of it took {time.perf_counter() - began:.0f} s.")
    return 0 if score.safe else EXIT_REFUSED


def _shown(path: Path) -> str:
    """Name a path as the reader would: below the current folder where it is, else in full."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def contents(shell: Shell) -> dict[str, bytes]:
    """Give the bytes of every file of home and keys, and of all that the commands printed."""
    folders = (shell.home, shell.keys)
    files = (path for folder in folders for path in folder.rglob("*") if path.is_file())
    contents = {os.path.relpath(path, shell.home): path.read_bytes() for path in files}
    return contents | {"the output of a command": "".join(shell.heard).encode()}
