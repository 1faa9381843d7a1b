"""Many rows, one test: a corpus or a table is tried whole, and each row that fails is named."""

import functools
import inspect
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

Test = Callable[..., None]
_CORPORA = Path(__file__).with_name("corpora")


def each_row(
    names: str | Sequence[str], rows: Iterable[Any], *, ids: Callable[[Any], object] = repr
) -> Callable[[Test], Test]:
    """Return a decorator as ``pytest.mark.parametrize`` is one, whose rows are tried in one test.

    For rows that share no fixture which a row changes: an item for each would cost more than the row.

    Args:
        names: The arguments that a row gives, with commas between them or in a sequence.
        rows: A value for each test, or as many as there are names.
        ids: Returns what a value is called where it failed.
    """
    split = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    listed = [(row,) if len(split) == 1 else tuple(row) for row in rows]

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def whole(**fixtures: Any) -> None:
            failed = []
            for row in listed:
                try:
                    test(**fixtures, **dict(zip(split, row, strict=True)))
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - told below, whatever it is
                    failed.append(
                        f"{', '.join(str(ids(value)) for value in row)}: {type(error).__name__}: {error}"
                    )
            assert listed
            assert not failed, f"{len(failed)} of {len(listed)} rows\n" + "\n".join(failed)

        known = inspect.signature(test)
        left = [given for name, given in known.parameters.items() if name not in split]
        whole.__signature__ = known.replace(parameters=left)  # type: ignore[attr-defined]  # pytest reads it
        return whole

    return decorate


def corpus(name: str) -> str:
    """Return a text of ``corpora``."""
    return _CORPORA.joinpath(name).read_bytes().decode()


def from_corpus(name: str, *, tuples: bool = False) -> Callable[[Test], Test]:
    """Return a decorator that tries a test with each row of the table of its name in ``corpora/NAME.json``.

    The first row of a table names the arguments (of one argument, rows are the values), and ``{"bytes": text}``
    stands for bytes (Latin-1), ``{"joined": ["a", ["b", 9]]}`` for ``"a" + "b" * 9``. Where the test takes fixtures
    beside them, each row is a test; else all rows are one (:func:`each_row`).

    Args:
        name: Which file.
        tuples: Whether sequences within rows are tuples.
    """
    tables = json.loads(corpus(f"{name}.json"), object_hook=plain)

    def decorate(test: Test) -> Test:
        names, *rows = tables[test.__name__]
        rows = [_frozen(row, inside=False) for row in rows] if tuples else rows
        if set(inspect.signature(test).parameters) == set(names):
            return each_row(names, rows)(test)
        found: Test = pytest.mark.parametrize(",".join(names), rows)(test)
        return found

    return decorate


def tables(name: str, **given: str) -> dict[str, Any]:
    """Return the tables of ``corpora/NAME.json`` by their own names.

    Args:
        name: Which file.
        given: What stands for ``{NAME}`` in its texts.
    """
    text = corpus(f"{name}.json")
    for word, meant in given.items():
        text = text.replace(f"{{{word}}}", json.dumps(meant)[1:-1])
    found: dict[str, Any] = json.loads(text, object_hook=plain)
    return found


def _frozen(value: Any, *, inside: bool = True) -> Any:
    if isinstance(value, list):
        return (tuple if inside else list)(map(_frozen, value))
    return {key: _frozen(one) for key, one in value.items()} if isinstance(value, dict) else value


def plain(value: dict[str, Any]) -> Any:
    """Return what an object of a corpus stands for: bytes, a joined text, or itself."""
    if value.keys() == {"bytes"}:
        return _joined(value["bytes"]).encode("latin-1")
    return _joined(value["joined"]) if value.keys() == {"joined"} else value


def _joined(parts: str | list[str | tuple[str, int]]) -> str:
    if isinstance(parts, str):
        return parts
    return "".join(part if isinstance(part, str) else part[0] * part[1] for part in parts)
