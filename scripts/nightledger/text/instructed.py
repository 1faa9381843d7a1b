"""Which lines of an agent's instructions tell it to write its memory itself, past the gate.

A heuristic for the operator's eye: a line that names a gated file and a verb of writing and denies nothing. What a
line means by the lines around it is not seen.
"""

from collections.abc import Iterable
from posixpath import basename

from nightledger.text.patterns import pattern
from nightledger.text.similar import is_denied


def lines_that_edit(text: str, gated: Iterable[str]) -> tuple[int, ...]:
    """Return the numbers, from 1, of the lines that tell the agent to write a gated file.

    Args:
        text: The instructions.
        gated: The gated files, relative to the home.
    """
    names, writes = {basename(path) for path in gated}, pattern("claim-words", "writes")
    return tuple(
        number
        for number, line in enumerate(text.split("\n"), start=1)
        if any(name in line for name in names) and writes.search(line) and not is_denied(line)
    )
