"""What search, the staged page and the hook take for the summary of an entry: of what a model said that is kept, else by the rules.

Invariant: no server is asked, and the same bytes give the same summaries.
"""

import hashlib
import os
from collections.abc import Iterable, Mapping

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.block import Said, SelfContext
from nightledger.domain.errors import NightledgerError
from nightledger.domain.search import Found
from nightledger.files.transcript import block_name, read_key, read_said
from nightledger.gate.opening import Gate
from nightledger.text.statements.block import is_long, process_block, summary_of, tags_in


class Blocks(Struct, frozen=True, kw_only=True):
    """What is kept of what a model said of blocks.

    Attributes:
        said: By the name of the block.
    """

    said: Mapping[str, Said]

    @property
    def version(self) -> str:
        """Another one where a summary may be another; the same home gives the same."""
        told = msgspec.json.encode(sorted(self.said.items()))
        return hashlib.sha256(told).hexdigest() if self.said else ""

    def said_of(self, block: str) -> Said | None:
        """Return what a model said of a block; None where nothing is kept."""
        return self.said.get(block_name(block)) if self.said else None

    def summary(self, block: str) -> str:
        """Return what is shown of a block; empty where that is all of it."""
        if not is_long(block):
            return ""
        told = summary_of(block, self.said_of(block))
        return "" if told == block else told

    def lent(self, block: str) -> str:
        """Return the tags that a model gave a block and that do not stand in it, with a blank between: it is found by them."""
        said = self.said_of(block)
        return " ".join(sorted({*said.tags}.difference(tags_in(block)))) if said else ""

    def with_each(self, found: Found, tags: Iterable[str]) -> Found:
        """Return what was found, each entry with its alignment, tags and summary.

        Args:
            found: Of a search.
            tags: Those of the home that may be told.
        """
        context = SelfContext(tags=frozenset(tags))
        hits = (
            replace(hit, block=process_block(hit.chunk.text, context, self.said_of(hit.chunk.text)))
            if hit.chunk.entry
            else hit
            for hit in found.hits
        )
        return replace(found, hits=tuple(hits))


def read_blocks(gate: Gate) -> Blocks:
    """Return what a model said of the blocks of a home; nothing where none was asked, or the transcript cannot be read."""
    home = gate.home
    try:
        key = read_key(os.fspath(gate.ring.home_dir(home.identity.id)))
        return Blocks(said=read_said(home, key) if key else {})
    except (NightledgerError, OSError):
        return Blocks(said={})
