"""What a home says of an entry beside its use: what its proposal stated, reinforcements, its links.

Invariant: nothing is written; a link index that is missing or damaged says nothing, and is no error.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from nightledger.codec.links import VIEW_LINKS
from nightledger.domain.errors import LinkIndexError
from nightledger.domain.measures import Network, network_of
from nightledger.domain.proposal import Op
from nightledger.domain.states import Book, ChangeState
from nightledger.files.home import Home
from nightledger.files.link_index import open_index
from nightledger.gate.memory.reinforcing import read_reinforcements
from nightledger.gate.stored import Stored
from nightledger.text.similar import fold


@dataclass(frozen=True, slots=True, kw_only=True)
class Reinforced:
    """Reinforcements of one entry or principle.

    Attributes:
        times: How many.
        hour: Count of active hours at the newest.
    """

    times: int = 0
    hour: int = 0


def read_network(home: Home) -> Network:
    """Give the links that occurred in most sessions, as many as the view has."""
    with suppress(LinkIndexError):
        index = open_index(home.link_index_dir)
        if index is not None:
            with index:
                return network_of(link.pair for link in index.top_links(VIEW_LINKS)[0])
    return network_of(())


def read_reinforced(home: Home, book: Book) -> dict[str, Reinforced]:
    """Give the reinforcements by the id that each entry keeps."""
    found: dict[str, Reinforced] = {}
    for line in read_reinforcements(home):
        for name in line.ids:
            kept = book.names.get(name, name)
            old = found.get(kept, Reinforced())
            found[kept] = Reinforced(times=old.times + 1, hour=max(old.hour, line.active_hours))
    return found


def stated_confidence(book: Book, stored: Iterable[Stored]) -> dict[str, float]:
    """Give for each wording that came through the gate, folded, the confidence that its newest change stated."""
    stated: dict[str, float] = {}
    for item in stored:
        status = book.proposals[item.proposal.id]
        for change in item.proposal.changes:
            if status.state_of(change.n) is ChangeState.APPLIED and change.op in (Op.ADD, Op.REPLACE):
                stated[fold(change.hunk.added)] = change.confidence
    return stated
