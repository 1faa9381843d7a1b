"""The two maxima of our code: a module of 500 lines, a function of 50; and its lock files say the same."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MOST_MODULE_LINES = 500
"""Tests mirror modules and are longer than these; only programs and the package are held to it."""
MOST_FUNCTION_LINES = 50
"""From ``def`` to the last line, the docstring included."""


def too_long(path: str, source: str) -> Iterator[str]:
    """Name the module, and each of its functions, that goes over its maximum."""
    lines = source.count("\n")
    if lines > MOST_MODULE_LINES and not path.startswith("tests/"):
        yield f"{path}: {lines} lines"
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > MOST_FUNCTION_LINES:
                yield f"{path}:{node.lineno}: {node.name} has {lines} lines"


@pytest.mark.parametrize("folder", ["scripts", "bench", "tests"])
def test_no_module_and_no_function_is_longer_than_one_can_hold(folder: str) -> None:
    sources = sorted((ROOT / folder).rglob("*.py"))
    assert sources
    long = [
        line
        for path in sources
        for line in too_long(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))
    ]
    assert not long, "too long:\n" + "\n".join(long)


def test_a_package_has_one_version_in_every_lock_file() -> None:
    pin = re.compile(r"(?m)^([\w.-]+==\S+)( ; .+)? \\$")
    locks = [pin.findall(path.read_text()) for path in ROOT.glob("requirements*.lock")]
    said = {(name.partition("==")[0], "<" in where): name for lock in locks for name, where in lock}
    assert not {name for lock in locks for name, _ in lock}.difference(said.values())
    assert len(said) > 50
