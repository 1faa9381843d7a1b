"""One target under a coverage-guided fuzzer (atheris, which is libFuzzer); ``command.py`` runs it.

``python -m tests.faults.fuzz.guided MODULE TARGET FOLDER LIBFUZZER_ARGUMENT...``. A finding is kept in the
folder, once for each kind of error and place, and the search goes on. Beside the parser stand two
copies of it with a planted fault; when one of them is found, standard error says so.
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

from tests.faults.fuzz.packages import PACKAGES


class Findings:
    """What was found: the shortest input for each kind of error and place."""

    def __init__(self, folder: Path) -> None:
        """Keep findings in a folder."""
        self._folder = folder
        self._sizes: dict[str, int] = {}

    def keep(self, raw: bytes, error: BaseException) -> None:
        """Keep an input and its error, unless as short a one shows the same."""
        frames = traceback.extract_tb(error.__traceback__)
        ours = [frame for frame in frames if "nightledger" in frame.filename] or frames
        kind = f"{type(error).__name__} at {os.path.basename(ours[-1].filename)}:{ours[-1].lineno}"
        if len(raw) >= self._sizes.get(kind, len(raw) + 1):
            return
        self._sizes[kind] = len(raw)
        path = self._folder / f"crash-{hashlib.sha256(kind.encode()).hexdigest()[:16]}"
        path.write_bytes(raw)
        trace = "".join(traceback.format_exception(error)[-6:])
        path.with_suffix(".json").write_text(json.dumps({"kind": kind, "trace": trace}, indent=1))


def load(module: str, name: str, atheris: Any) -> Any:
    """Import a target, and no others, so that the branches of what it tries are counted; its seeds import the rest."""
    packages = ["nightledger", *PACKAGES.get(name, ())]
    with atheris.instrument_imports(include=packages):
        for package in packages:
            importlib.import_module(package)
        targets = importlib.import_module(module).TARGETS
        target = next(target for target in targets if target.name == name)
        for seed in target.seeds():
            escaped(target, seed)
    return target


def escaped(target: Any, raw: bytes) -> Exception | None:
    """Run one input and give what escaped."""
    from tests.faults.fuzz.target import try_one

    try:
        try_one(target, raw)
    except Exception as error:  # noqa: BLE001 - whatever escapes is what is looked for
        return error
    return None


def searching(target: Any, findings: Findings, rare: Callable[[bytes], bool]) -> Callable[[bytes], None]:
    """Give what the fuzzer calls with each input; it tells of each planted fault once.

    Args:
        target: What is searched.
        findings: Where to keep what escapes from it.
        rare: Which inputs a planted error escapes for; its branches are counted.
    """
    from tests.faults.fuzz import planted

    escaping = planted.with_escape(target, rare)
    damaging = planted.with_damage(target, planted.often)
    left = set(planted.KINDS)

    def tell(kind: str) -> None:
        left.discard(kind)
        print(f"PLANTED {kind}", file=sys.stderr, flush=True)

    def run(raw: bytes) -> None:
        error = escaped(target, raw)
        if error is not None:
            findings.keep(raw, error)
            return
        if rare(raw) and "escape" in left and isinstance(escaped(escaping, raw), planted.PlantedError):
            tell("escape")
        if "damage" in left and escaped(damaging, raw) is not None:
            tell("damage")

    return run


def main() -> None:
    """Search until libFuzzer's time is over."""
    module, name, folder, *arguments = sys.argv[1:]
    atheris = importlib.import_module("atheris")
    target = load(module, name, atheris)
    from tests.faults.fuzz import planted

    rare = atheris.instrument_func(planted.step_by_step)
    atheris.Setup([sys.argv[0], *arguments], searching(target, Findings(Path(folder)), rare))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
