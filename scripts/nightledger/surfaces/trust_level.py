"""What holds on this machine, and what an agent with a shell could do all the same.

Invariant: nothing here is claimed that is not built; the longer list is of what is not proved.
"""

from dataclasses import dataclass

from nightledger.surfaces.doctor_keys import Protection

NOT_BUILT = (
    "the guard, which would settle changes made outside the gate; they are shown, not taken back",
    "locks of the operating system on gated files",
    "decisions signed on another machine",
    "rotation and revocation of keys",
    "the refusal of an operator's verbs in an agent's environment",
)
"""What the design has and this version has not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """How much a signature proves here.

    Attributes:
        name: The level, in a few words.
        could_still: What an agent with a shell, running as this user, could do.
    """

    name: str
    could_still: tuple[str, ...]


_ALWAYS = (
    "write to MEMORY.md directly: 'status' and 'verify' show it, nothing prevents it",
    "change this program, or the files that start it, and so what the next review shows or signs",
    "delete the home, its keys, or both",
    "put home and keys together back to an older state: a witness, or a copy of audit/checkpoint kept elsewhere, shows it",
    "append false events with the log's key, which cron can read; none of them makes the gate accept a change",
    "set the clock forward across a reboot, and so shorten cooling that no witness measures",
)
_BY_PROTECTION = {
    Protection.NONE: "read the operator's key and sign in your name; nothing would show that it was not you",
    Protection.PASSPHRASE: "wait in your terminal or editor for the passphrase, and then sign in your name",
    Protection.ELSEWHERE: "ask the hardware or agent for a signature; without a touch for each, it gets one",
    Protection.MISSING: "make the home anew with keys of its own; the pin of the old one is then missing",
}
_NAMES = {
    Protection.NONE: "one user on one machine, operator's key without passphrase",
    Protection.PASSPHRASE: "one user on one machine, operator's key with a passphrase",
    Protection.ELSEWHERE: "one user on one machine, operator's key on hardware or in an agent",
    Protection.MISSING: "no operator's key here: this machine can look, and not sign",
}
RAISED_BY = {
    Protection.NONE: "a passphrase (ssh-keygen -p), a key on hardware, or a user of its own for the agent",
    Protection.PASSPHRASE: "a key on hardware, or a user of its own for the agent",
    Protection.ELSEWHERE: "a user of its own for the agent",
    Protection.MISSING: "the operator's key: restore it from a backup",
}
"""What would raise each level."""


def level_of(protection: Protection) -> Level:
    """Give the level that holds with an operator's key that is so protected."""
    return Level(name=_NAMES[protection], could_still=(_BY_PROTECTION[protection], *_ALWAYS))
