"""How it is told that a home was put back to an older state."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nightledger.domain.states import Restored
    from nightledger.domain.trusting import TrustStep

TAKE_OVER = "nightledger restore --take-over"


def restored_text(one: "Restored") -> str:
    """Return what an operator signed for."""
    when = f"on {one.at:%Y-%m-%d %H:%M} UTC an operator signed ({one.decision})"
    if not one.lost:
        return f"{when} for the log of {one.size} entries that stood here: this machine had nothing to hold it against"
    return f"{when} that {one.lost} entries behind the first {one.size} are lost; the log that had them had the root {one.root}"


def loss_text(step: "TrustStep") -> str:
    """Return what the log tells for ever of a loss of all keys."""
    return (
        f"all keys were lost by {step.since.at:%Y-%m-%d %H:%M} UTC: behind entry {step.loss} the log is signed by other keys, "
        "and nobody signed for them"
    )
