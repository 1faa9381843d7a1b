"""Which entries stand in the gated files as the operator signed them.

Invariant: an entry counts when its section and wording stand in the bytes accepted last; what
drifted, and what nobody ever accepted, does not.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from nightledger.domain.states import Book
from nightledger.files.home import Home
from nightledger.gate.around import read_accepted
from nightledger.gate.naming import Placed
from nightledger.text.entries import Wording, find_entries, wording
from nightledger.text.markdown import parse_markdown


@dataclass(frozen=True, slots=True)
class SignedEntries:
    """What the accepted bytes say.

    Attributes:
        wordings: What stands in each file.
    """

    wordings: Mapping[str, frozenset[Wording]]

    def __contains__(self, placed: Placed) -> bool:
        """Tell whether an entry stands in the accepted bytes of its file."""
        return wording(placed.entry) in self.wordings[placed.path]


def signed_entries(home: Home, book: Book) -> SignedEntries:
    """Read the accepted bytes of every gated file."""
    wordings = {}
    for path in home.identity.gated:
        text = (read_accepted(home, book, path) or b"").decode("utf-8", "surrogateescape")
        wordings[path] = frozenset(map(wording, find_entries(parse_markdown(text))))
    return SignedEntries(wordings=wordings)
