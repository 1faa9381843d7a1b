"""The operator of the demo: signs what was planted as true, rejects the rest.

Invariant: it decides by what was planted, never by what the machine thinks of its own
proposals, so that a wrong proposal is not waved through.
"""

from collections.abc import Sequence

from nightledger.demo.compare import LET_GO, Proposed, wanted_by
from nightledger.demo.sample import Planted

SIGN = "y"
REJECT = "n"
REASON = "true that day, no use later"


def answers(waiting: Sequence[Proposed], planted: Sequence[Planted]) -> list[bool]:
    """Say for each waiting change, in order, whether it is signed; what is old may go.

    Of several changes that say the same planted thing the first is signed.
    """
    said: set[str] = set()
    signed = []
    for change in waiting:
        names = {plant.name for plant in wanted_by(planted, change)}
        signed.append(bool(names - said) or change.op in LET_GO)
        said |= names
    return signed


def keystrokes(signed: Sequence[bool]) -> list[str]:
    """Give what the operator types into ``review`` for these answers, the last one before they are signed."""
    lines = []
    for yes in signed:
        lines += [SIGN] if yes else [REJECT, REASON]
    return [*lines, SIGN] if lines else []
