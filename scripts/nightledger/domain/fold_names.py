"""Which ids entries keep through edits: part of the fold that gives the book.

Invariant: pure; what an apply names counts once that apply is done, and never before.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any


class NameFold:
    """The running state; lives only inside a fold.

    Attributes:
        names: For each id that an entry's text gives now, the id that it keeps; where these differ.
        edited_at: When an entry was last edited, by the id that it keeps.
    """

    __slots__ = ("_told", "edited_at", "names")

    def __init__(self) -> None:
        """Begin with nothing."""
        self._told: dict[str, list[Any]] = {}
        self.names: dict[str, str] = {}
        self.edited_at: dict[str, datetime] = {}

    def tell(self, fields: Mapping[str, Any], _: datetime) -> None:
        """Take what the entry beside an intent says."""
        self._told.setdefault(fields["apply"], []).extend(fields["names"])

    def apply(self, name: str, at: datetime) -> None:
        """Let edited entries keep their ids: all at once, for two may have changed places."""
        steps = self._told.pop(name, ())
        kept = [(new, self.names.get(old, old)) for old, new in steps]
        for old, _ in steps:
            self.names.pop(old, None)
        self.names |= {new: name for new, name in kept if new != name}
        self.edited_at |= {name: at for _, name in kept}
