"""The independent verifier in this process, for sweeps that ask it after thousands of points.

It is the script's own code, read by its path; only what it asks again and again about the same bytes is remembered:
a signature that held once holds, whatever became of the home around it.
"""

import contextlib
import functools
import importlib.util
import io
import re
from collections.abc import Sequence
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
    verifies = functools.cache(module.ssh_verifies)
    module.ed25519_holds = functools.cache(module.ed25519_holds)
    module.ssh_verifies = lambda files, *others: verifies(tuple(files), *others)
    return module


def second_look(root: Path, *words: str, keys: Path | None = None) -> tuple[int, str]:
    """Check the home at ``root/home`` with the keys at ``root/keys``; return exit status and output."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        status = program().main([str(root / "home"), "--keys", str(keys or root / "keys"), *words])
    return status, said.getvalue()


def classes(text: str) -> set[str]:
    """Return the classes of damage that a verifier's output names."""
    return set(re.findall(r"^([A-Z]{4,}(?:-[A-Z]+)?) ", text, re.MULTILINE))


def disagreement(root: Path, status: int, *words: str, keys: Path | None = None) -> Sequence[str]:
    """Name what the second verifier says otherwise than ``verify`` did, which ended with ``status``."""
    theirs, said = second_look(root, *words, keys=keys)
    return (
        []
        if theirs == status
        else [f"verify ends with {status}, the independent verifier with {theirs}: {said}"]
    )
