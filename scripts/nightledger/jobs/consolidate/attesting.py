"""Whether the evidence that outcomes name is there: whoever logs an outcome can name any file and any hash.

Invariant: a night reads a bounded number of bytes for it, however much is named.
"""

import hashlib
import os
from collections.abc import Mapping

from nightledger.domain.errors import NightledgerError
from nightledger.domain.outcome import OutcomeEvidence
from nightledger.files.home import Home
from nightledger.files.reading import read_regular

MAX_FILE_BYTES = 16 << 20
"""As much as the logger reads of a file to hash its lines."""
MAX_BYTES = 256 << 20
"""What a night looks through in all: a log of 20 KB for each of 12,800 lessons. What is beyond is not looked at, and said not to be."""


class Attester:
    """Looks at the lines that outcomes name."""

    def __init__(self, home: Home, copies: Mapping[str, str]) -> None:
        """Begin with nothing read.

        Args:
            home: Whose files.
            copies: Full texts in the archive, by the path of the log that was compressed.
        """
        self._home = home
        self._copies = copies
        self._left = MAX_BYTES

    def holds(self, evidence: OutcomeEvidence) -> bool | None:
        """Tell whether the lines that evidence names are there with the hash that it names; None where the night has read enough.

        Args:
            evidence: As the outcome has it.
        """
        paths = [evidence.path, *([self._copies[evidence.path]] if evidence.path in self._copies else [])]
        found = [self._has(path, evidence) for path in paths]
        return True if True in found else None if None in found else False

    def _has(self, path: str, evidence: OutcomeEvidence) -> bool | None:
        try:
            if self._left < os.stat(self._home.path(path)).st_size <= MAX_FILE_BYTES:
                return None
            content = read_regular(
                self._home.path(path), min(MAX_FILE_BYTES, self._left), within=self._home.root
            )
        except (NightledgerError, OSError, ValueError):  # no file, or a name that none can have
            return False
        self._left -= len(content)
        first, last = evidence.lines
        lines = content.removesuffix(b"\n").split(b"\n", last)[:last]
        cited = b"\n".join(lines[first - 1 :])
        return len(lines) == last and hashlib.sha256(cited).hexdigest() == evidence.sha256
