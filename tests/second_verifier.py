"""The independent verifier in this process, for sweeps that ask it after thousands of points.

It is the script's own code, read by its path; only what it asks again and again about the same bytes is remembered:
a signature that held once holds, whatever became of the home around it.
"""

import contextlib
import functools
import importlib.util
import io
from pathlib import Path
from types import ModuleType

SCRIPT = Path(__file__).resolve().parents[1] / "scripts" / "independent_verifier.py"


@functools.cache
def program() -> ModuleType:
    """Return the script as a module, its two checks of signatures with a memory."""
    spec = importlib.util.spec_from_file_location("independent_verifier", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    names = vars(module)
    verifies = functools.cache(names["ssh_verifies"])
    names["ed25519_holds"] = functools.cache(names["ed25519_holds"])
    names["ssh_verifies"] = lambda files, *others: verifies(tuple(files), *others)
    return module


def second_look(home: Path | str, keys: Path, *words: str) -> tuple[int, str]:
    """Check a home; return exit status and output."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        status = program().main([str(home), "--keys", str(keys), *words])
    return status, said.getvalue()


def disagreement(root: Path, status: int, *words: str) -> list[str]:
    """Name what the second verifier says of ``root/home`` otherwise than ``verify``, which ended with ``status``."""
    theirs, said = second_look(root / "home", root / "keys", *words)
    return [] if theirs == status else [f"verify: {status}, the independent verifier: {theirs} {said}"]
