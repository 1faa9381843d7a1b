"""The exposure ledger: what was shown to the agent, appended before it is shown.

Invariant: one line a showing, whole and on disk when this returns; a torn line of an earlier
crash is closed, never cut. Standard library only and cheap: hooks append at each prompt.
"""

import json

from nightledger.files.append import append_records

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from nightledger.domain.exposure import Exposure
    from nightledger.files.home import Home


def append_exposure(home: "Home", exposure: "Exposure") -> None:
    """Append one showing to ``memory/system/exposures.jsonl``.

    Raises:
        NotDurableError: The disk took only a part, or could not confirm.
        ConfigurationError: The ledger's directory is missing.
        UnreadableError: The ledger's name is taken by something that is no regular file.
    """
    append_records(home.exposures, dump_exposure(exposure))


def dump_exposure(exposure: "Exposure") -> bytes:
    r"""Give its line: JSON in ASCII, keys sorted, with its ``\n``."""
    record = {
        "v": exposure.v,
        "at": exposure.at,
        "shown": list(exposure.shown),
        "host": exposure.host,
        "event": exposure.event,
        "session": exposure.session,
        "places": [{"path": place.path, "lines": list(place.lines)} for place in exposure.places],
    }
    return json.dumps(record, sort_keys=True, separators=(",", ":")).encode("ascii") + b"\n"
