"""The two folders of a demo: its home and, beside it, its keys.

Invariant: only folders that an earlier demo marked as its own are ever emptied; nothing
of the user's is touched, their key folder least of all.
"""

import shutil
from pathlib import Path

from nightledger.domain.errors import RefusedError
from nightledger.files.durable import make_dir

MARK = ".nightledger-demo"
_MARK_TEXT = "Made by 'make demo', which empties this folder at its next run.\n"


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
