"""What holds on this machine, and what an agent with a shell could do all the same.

Invariant: nothing here is claimed that is not built; the longer list is of what is not proved.
"""

from dataclasses import dataclass

from nightledger.surfaces.doctor.keys import Protection

NOT_BUILT = ("a model behind the consolidator",)
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


_UNMARKED = "clear the mark of its host from the environment, so that an operator's verb does not refuse"
_STILL = {
    Protection.PASSPHRASE: "; it has still no passphrase",
    Protection.HARDWARE: "; it has still no touch",
    Protection.OTHER_MACHINE: "; it has still no key",
    Protection.MISSING: "; it has still no key",
}
"""What stands between it and a signature then; nothing where a key is usable here."""
_ALWAYS = (
    "write to MEMORY.md directly, where no lock holds: the guard keeps it and 'review' asks, but until then it is read",
    "change this program, or the files that start it, and so what the next review shows or signs",
    "delete the home, its keys, or both",
    "put home and keys together back to an older state: a witness, or a copy of audit/checkpoint kept elsewhere, shows it",
    "append false events with the log's key, which cron can read; none of them makes the gate accept a change",
    "begin a reset of the keys: a key of its own counts after 24 hours unless a signature ends it; all lists tell of it",
    _UNMARKED,
    "set the clock forward across a reboot, and so shorten cooling that no witness measures",
    "set the clock ahead over a night and a reboot, so that a day is read before it is over; later nights read it again",
)
_BY_PROTECTION = {
    Protection.NONE: "read the operator's key and sign in your name; nothing would show that it was not you",
    Protection.PASSPHRASE: "wait in your terminal, your editor or the memory of a review for the passphrase, and then "
    "sign in your name",
    Protection.AGENT: "ask the agent that holds the key for a signature: it gets one, unless the agent asks you each time",
    Protection.HARDWARE: "show you one text and have your touch sign another: the touch proves that somebody was there, "
    "not what they had read",
    Protection.OTHER_MACHINE: "hold back what waits, or tell the other machine of evidence that is none: what is signed "
    "there is what was shown there, and whether it is true it does not say",
    Protection.MISSING: "make the home anew with keys of its own; the pin of the old one is then missing",
}
_NAMES = {
    Protection.NONE: "one user on one machine, operator's key without passphrase",
    Protection.PASSPHRASE: "one user on one machine, operator's key with a passphrase",
    Protection.AGENT: "one user on one machine, operator's key in an agent",
    Protection.HARDWARE: "one user on one machine, operator's key on hardware, a touch for each signature",
    Protection.OTHER_MACHINE: "two machines: the operator signs on the other one, this one holds public keys only",
    Protection.MISSING: "no operator's key here: this machine can look, and not sign",
}
RAISED_BY = {
    Protection.NONE: "a passphrase (ssh-keygen -p), a key on hardware, or a user of its own for the agent",
    Protection.PASSPHRASE: "a key on hardware, or a user of its own for the agent",
    Protection.AGENT: "an agent that asks for each signature (ssh-add -c), or a key on hardware",
    Protection.HARDWARE: "signing on another machine ('nightledger channel'), which no agent's program can change",
    Protection.OTHER_MACHINE: "a witness on a third machine",
    Protection.MISSING: "the operator's key: restore it from a backup",
}
"""What would raise each level."""


def level_of(protection: Protection) -> Level:
    """Give the level that holds with an operator's key that is so protected."""
    always = (point + _STILL.get(protection, "") if point is _UNMARKED else point for point in _ALWAYS)
    return Level(name=_NAMES[protection], could_still=(_BY_PROTECTION[protection], *always))
