"""A reading of the clocks: what cooling counts with."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """Wall clock and boot-time clock, read together.

    Attributes:
        at: Wall clock; aware, UTC.
        boot: Names this boot of the machine; empty where the machine does not tell.
        boot_s: Whole seconds since that boot, suspend included; 0 where ``boot`` is empty.
    """

    at: datetime
    boot: str = ""
    boot_s: int = 0
