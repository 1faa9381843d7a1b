"""One target under a coverage-guided fuzzer (atheris, which is libFuzzer); ``command.py`` runs it.

``python -m tests.faults.fuzz.guided MODULE TARGET FOLDER LIBFUZZER_ARGUMENT...``. A finding is kept in the
folder, once for each kind of error and place, and the search goes on. Beside the parser stands a copy of it
with a planted error; when that is found, standard error says so.
"""

import hashlib
import importlib
import json
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.faults.fuzz.target import PlantedError, Target, try_one, with_escape

PLANTED = "PLANTED error found\n"
OTHERS = {"yaml": ("yaml",), "rule-files": ("tomllib",)}
"""Packages of others whose branches also guide the search."""


def keep(folder: Path, raw: bytes, error: BaseException) -> None:
    """Keep an input and its error, unless as short a one shows the same."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "nightledger" in frame.filename] or frames
    kind = f"{type(error).__name__} at {os.path.basename(ours[-1].filename)}:{ours[-1].lineno}"
    path = folder / f"crash-{hashlib.sha256(kind.encode()).hexdigest()[:16]}"
    if path.exists() and len(raw) >= path.stat().st_size:
        return
    path.write_bytes(raw)
    trace = "".join(traceback.format_exception(error)[-6:])
    path.with_suffix(".json").write_text(json.dumps({"kind": kind, "trace": trace}, indent=1))


def load(module: str, name: str, atheris: Any) -> Target:
    """Import a target, and no others, so that the branches of what it tries are counted; its seeds import the rest."""
    packages = ["nightledger", *OTHERS.get(name, ())]
    with atheris.instrument_imports(include=packages):
        for package in packages:
            importlib.import_module(package)
        targets: tuple[Target, ...] = importlib.import_module(module).TARGETS
        target = next(target for target in targets if target.name == name)
        for seed in target.inputs():
            escaped(target, seed)
    return target


def escaped(target: Target, raw: bytes) -> Exception | None:
    """Run one input and return what escaped."""
    try:
        try_one(target, raw)
    except Exception as error:  # noqa: BLE001 - whatever escapes is what is looked for
        return error
    return None


def twice(raw: bytes) -> bool:
    """Tell a rare byte twice: a search that sees each branch taken keeps the first and doubles it."""
    if b"~" in raw:  # noqa: SIM102 - each comparison is a branch of its own
        if raw.count(b"~") > 1:
            return True
    return False


def searching(target: Target, folder: Path, rare: Callable[[bytes], bool]) -> Callable[[bytes], None]:
    """Return what the fuzzer calls with each input; it tells of the error that is planted for ``rare`` inputs once."""
    escaping = with_escape(target, rare)
    told: list[bool] = []

    def run(raw: bytes) -> None:
        error = escaped(target, raw)
        if error is not None:
            keep(folder, raw, error)
        elif not told and rare(raw) and isinstance(escaped(escaping, raw), PlantedError):
            told.append(True)
            print(PLANTED, end="", file=sys.stderr, flush=True)

    return run


def main() -> None:
    """Search until libFuzzer's time is over."""
    module, name, folder, *arguments = sys.argv[1:]
    atheris = importlib.import_module("atheris")
    target = load(module, name, atheris)
    atheris.Setup([sys.argv[0], *arguments], searching(target, Path(folder), atheris.instrument_func(twice)))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
