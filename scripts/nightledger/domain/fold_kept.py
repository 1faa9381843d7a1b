"""What the log says of daily logs and the archive: part of the fold that gives the book.

Invariant: pure; a file stands here only once an apply of the gate has written it.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from nightledger.domain.kept import is_copy


class KeptFold:
    """The running state; lives only inside a fold.

    Attributes:
        files: For each daily log or file of the archive, hex SHA-256 of what was put there last.
        copies: For each compressed log, the file that holds its full text.
    """

    __slots__ = ("copies", "files")

    def __init__(self) -> None:
        """Begin with nothing."""
        self.files: dict[str, str] = {}
        self.copies: dict[str, str] = {}

    def apply(self, targets: Sequence[Mapping[str, Any]]) -> None:
        """Remember what an apply put there, and which log has its full text where."""
        self.files |= {target["path"]: target["after"] for target in targets}
        full: dict[str, list[str]] = defaultdict(list)
        for target in targets:
            if is_copy(target["path"]):
                full[target["after"]].append(target["path"])
        for target in targets:
            self.copies.pop(target["path"], None)
            if not is_copy(target["path"]) and target["before"] in full:
                name = target["path"].rpartition("/")[2]
                held = full[target["before"]]  # logs of one text have a copy each, under their own names
                self.copies[target["path"]] = next(
                    (c for c in held if c.rpartition("/")[2] == name), held[-1]
                )

    def expunge(self, places: Iterable[Mapping[str, Any]]) -> None:
        """What a leaked text was overwritten in stands so from then on."""
        self.files |= {place["path"]: place["sha256"] for place in places if place["path"] in self.files}
