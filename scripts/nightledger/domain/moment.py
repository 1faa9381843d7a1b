"""A reading of the clocks: what cooling counts with."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct


class Moment(Struct, frozen=True, kw_only=True):
    """Wall clock and boot-time clock, read together.

    Attributes:
        at: Wall clock; aware, UTC.
        boot: Names this boot of the machine; empty where the machine does not tell.
        boot_s: Whole seconds since that boot, suspend included; 0 where ``boot`` is empty.
    """

    at: datetime
    boot: str = ""
    boot_s: int = 0

    @classmethod
    def of_entry(cls, fields: Mapping[str, Any], at: datetime) -> "Moment":
        """Give the clocks of an entry of the audit log: of one of an older version its time alone.

        Args:
            fields: Of the entry.
            at: When it was written; aware, UTC.
        """
        return cls(at=at, boot=fields.get("boot", ""), boot_s=fields.get("boot_s", 0))
