"""Cite the lines that a proposal of the pruner is about."""

import hashlib

from nightledger.domain.proposal import Evidence, Origin
from nightledger.text.changes.veil import veil
from nightledger.text.markdown.document import encode
from nightledger.text.scanners.scan import told_values


class Citable:
    """A file of which lines are cited; what it tells as secrets is looked for once."""

    def __init__(self, path: str, text: str) -> None:
        """Take a file's path, relative to the home, and its text (``surrogateescape``)."""
        self._path = path
        self._lines = text.split("\n")
        self._told = told_values(text)

    def cite(self, first: int, last: int, origin: Origin) -> Evidence:
        """Give the evidence of some lines, counted from 1; of secrets only their length is in its hash."""
        veiled = veil("\n".join(self._lines[first - 1 : last]), told=self._told)
        sha256 = hashlib.sha256(encode(veiled)).hexdigest()
        return Evidence(path=self._path, lines=(first, last), sha256=sha256, origin=origin)
