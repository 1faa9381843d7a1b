"""Deleted links and expunged texts, for a job that does not open the gate: where there never was one, that costs a look.

Invariant: what it says is what ``tombstones.py`` says; a log that names no deletion has none.
"""

from nightledger.files.reading import read_optional

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from nightledger.domain.event import Actor
    from nightledger.domain.links import Pair
    from nightledger.files.home import Home
    from nightledger.text.phrases import HashedPhrases

MAX_LOG_BYTES = 1 << 31
"""Centuries of entries; a larger log is none of ours."""
MARK = b'"outcomes":'
"""What every entry has, as it stands in the log, that deletes a link."""
EXPUNGED = b'"withheld":'
"""What every entry has that withholds an expunged text."""


def deleted_links(home: "Home", keys_dir: str, actor: "Actor") -> "dict[Pair, int]":
    """Give the links that are deleted now, and how many outcomes there were when each was.

    Args:
        home: Whose.
        keys_dir: Where its private keys and its pin live.
        actor: Who called.

    Raises:
        IntegrityError: The log or its signatures are not what was signed.
    """
    if not _is_named(home, MARK):
        return {}
    from nightledger.gate.forgetting.tombstones import tombstones
    from nightledger.gate.opening import open_gate, read_ledger

    gate = open_gate(home.root, keys_dir, actor=actor)
    return tombstones(gate, read_ledger(gate))


def expunged_texts(home: "Home", keys_dir: str, actor: "Actor") -> "HashedPhrases | None":
    """Return the hashes of what was expunged, None where nothing was.

    Args:
        home: Whose.
        keys_dir: Where its private keys and its pin live.
        actor: Who called.

    Raises:
        IntegrityError: The log or its signatures are not what was signed.
        KeyFileError: The log's key is missing.
    """
    if not _is_named(home, EXPUNGED):
        return None
    from nightledger.gate.forgetting.forgotten import read_forgotten
    from nightledger.gate.opening import open_gate, read_ledger

    gate = open_gate(home.root, keys_dir, actor=actor)
    return read_forgotten(gate, (), read_ledger(gate).book).expunged


def _is_named(home: "Home", mark: bytes) -> bool:
    return mark in (read_optional(home.audit_log, MAX_LOG_BYTES, within=home.root) or b"")
