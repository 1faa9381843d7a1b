"""The command of `make demo`: one walk, what was checked in it, and the files to look at.

Invariant: only folders that an earlier demo marked as its own are ever emptied; nothing of the user's is touched, their
key folder least of all.
"""

import argparse
import os
import shutil
import sys
from pathlib import Path

from nightledger.demo.shell import Narrator, Shell
from nightledger.demo.story import WORLD, Check, Story, check_key, load_story
from nightledger.demo.walk import Scene, walk
from nightledger.domain.errors import EXIT_REFUSED, NightledgerError, RefusedError
from nightledger.files.durable import make_dir

MARK = ".nightledger-demo"
_MARK_TEXT = "Made by 'make demo', which empties this folder at its next run.\n"


def main(argv: list[str] | None = None, world: Path = WORLD) -> int:
    """Run the demo and return its exit status: 0 only where everything holds.

    Args:
        argv: Words after the program's name; None reads them from the process.
        world: The folder of the recorded world.
    """
    parser = argparse.ArgumentParser(
        prog="demo", description=(__doc__ or "").partition("\n")[0], allow_abbrev=False
    )
    where = "where it is made; its keys go to DIR.keys"
    parser.add_argument("--home", type=Path, default=Path("demo-home"), metavar="DIR", help=where)
    options = parser.parse_args(argv)
    try:
        return _demo(load_story(world), options.home.resolve(), Narrator(sys.stdout))
    except NightledgerError as error:
        sys.stdout.flush()
        sys.stderr.write(f"error: {error}\n" + (f"hint: {error.hint}\n" if error.hint else ""))
        return error.exit_status


def _demo(story: Story, home: Path, narrator: Narrator) -> int:
    clear_stage(home)
    shell = Shell(home=home, keys=keys_beside(home))
    narrator.heading(f"Nightledger demo: ten recorded days of {story.agent}, the agent of {story.owner}")
    checks = walk(Scene(story=story, shell=shell, narrator=narrator))
    checks.append(check_key(story, contents(shell)))
    _tell_checks(narrator, checks)
    narrator.heading("Look at")
    narrator.say(_shown(home))
    for path, what in story.look_at.items():
        narrator.item(path, what)
    narrator.say("Ask it more; by the real clock many nights were missed since, and it will say so:")
    narrator.say(f"  export NIGHTLEDGER_KEYS={_shown(shell.keys)}")
    for verb in ("history", "verify", "status"):
        narrator.say(f"  .venv/bin/nightledger {verb} --home {_shown(home)}")
    return 0 if all(check.holds for check in checks) else EXIT_REFUSED


def _tell_checks(narrator: Narrator, checks: list[Check]) -> None:
    narrator.heading("What was checked")
    for check in checks:
        narrator.item(f"{'ok' if check.holds else 'FAILED':<7}{check.name}", check.seen)
        for line in check.details:
            narrator.item("", line, width=6)
    failed = sum(not check.holds for check in checks)
    narrator.say(f"{failed} of {len(checks)} checks failed." if failed else f"All {len(checks)} checks hold.")


def _shown(path: Path) -> str:
    """Name a path as the reader would: below the current folder where it is, else in full."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def contents(shell: Shell) -> dict[str, bytes]:
    """Return the bytes of every file of home and keys, and of all that the commands printed."""
    files = (path for folder in (shell.home, shell.keys) for path in folder.rglob("*") if path.is_file())
    found = {os.path.relpath(path, shell.home): path.read_bytes() for path in files}
    return found | {"the output of a command": "".join(shell.heard).encode()}


def keys_beside(home: Path) -> Path:
    """Return the folder of the demo's keys: ``demo-home.keys`` beside ``demo-home``."""
    return home.with_name(f"{home.name}.keys")


def clear_stage(home: Path) -> None:
    """Leave both folders empty but for their mark, made anew where they were missing.

    Raises:
        RefusedError: When a folder holds something that no demo made; nothing is removed then.
    """
    folders = (home, keys_beside(home))
    for folder in folders:
        _require_ours(folder)
    for folder in folders:
        if folder.is_dir():
            shutil.rmtree(folder)
        make_dir(str(folder))
        (folder / MARK).write_text(_MARK_TEXT, encoding="utf-8")


def _require_ours(folder: Path) -> None:
    empty = folder.is_dir() and not any(folder.iterdir())
    ours = not folder.exists() or empty or (folder / MARK).is_file()
    if folder.is_symlink() or not ours:
        where = "name another place with DEMO_HOME=dir"
        raise RefusedError(f"{folder} is not empty, or no folder, and no demo made it", hint=where)
