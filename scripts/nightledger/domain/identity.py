"""Who a home is: made once by ``init`` and never changed.

Invariant: plain slots instead of a dataclass, because every command reads it at start
(importing dataclasses costs as much again as an empty interpreter).
"""

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from typing import Final


VERSION = 2
"""Of a home; one of version 1 has proposals and decisions of another form, and is not read."""


class Identity:
    """A home's identity; ``config/nightledger/home.json``, ``schemas/home.schema.json``.

    Attributes:
        v: Version of the record, :data:`VERSION`.
        id: 128 random bits as 32 lower-case hex digits.
        origin: Name of the audit log, as its checkpoints carry it: ``nightledger/<id>``.
        created_at: RFC 3339, UTC, as it stands in the file.
        machine: The one machine that writes this home.
        zone: IANA name of the zone in which log days begin and end.
        host: Whose workspace it is: ``openclaw``, ``claude_code``, ``codex``, ``hermes``, ``generic``.
        simulated: Made with ``init --simulated``: ``--now`` works.
        gated: Gated files, relative to the home; the first one is the main memory file.
    """

    __slots__ = ("created_at", "gated", "host", "id", "machine", "origin", "simulated", "v", "zone")

    def __init__(  # noqa: PLR0913 - one argument a field of the record
        self,
        *,
        id: str,  # noqa: A002 - the record's own name
        origin: str,
        created_at: str,
        machine: str,
        zone: str,
        host: str,
        simulated: bool,
        gated: tuple[str, ...],
        v: int = VERSION,
    ) -> None:
        self.v: Final = v
        self.id: Final = id
        self.origin: Final = origin
        self.created_at: Final = created_at
        self.machine: Final = machine
        self.zone: Final = zone
        self.host: Final = host
        self.simulated: Final = simulated
        self.gated: Final = gated
