"""Which entries stand in the gated files as the operator signed them.

Invariant: an entry counts when its section and wording stand in the bytes accepted last; what
drifted, and what nobody ever accepted, does not.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from nightledger.domain.states import Book
from nightledger.files.home import Home
from nightledger.gate.apply.placing import read_accepted
from nightledger.gate.gated import read_gated
from nightledger.gate.memory.naming import Placed
from nightledger.text.markdown.document import parse_markdown
from nightledger.text.markdown.entries import Wording, find_entries, wording


@dataclass(frozen=True, slots=True)
class SignedEntries:
    """What the accepted bytes say.

    Attributes:
        wordings: What stands in each file; None where the file is as it was accepted, all of it.
    """

    wordings: Mapping[str, frozenset[Wording] | None]

    def __contains__(self, placed: Placed) -> bool:
        """Tell whether an entry stands in the accepted bytes of its file."""
        known = self.wordings[placed.path]
        return known is None or wording(placed.entry) in known


def signed_entries(home: Home, book: Book) -> SignedEntries:
    """Read the accepted bytes of every gated file.

    Raises:
        UnreadableError: A gated file cannot be read.
    """
    wordings: dict[str, frozenset[Wording] | None] = {}
    for path in home.identity.gated:
        accepted = read_accepted(home, book, path)
        if accepted is not None and accepted == read_gated(home, path):
            wordings[path] = None
            continue
        text = (accepted or b"").decode("utf-8", "surrogateescape")
        wordings[path] = frozenset(map(wording, find_entries(parse_markdown(text))))
    return SignedEntries(wordings=wordings)
