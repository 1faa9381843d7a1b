"""The constitution in force, and what may become one.

Invariant: what is given here is what an operator signed, or what the home began with; a file on
disk that differs is named by ``find_altered`` and read by nobody.
"""

from nightledger.codec.constitution import decode_constitution, parse_constitution
from nightledger.domain.constitution import Constitution
from nightledger.domain.errors import RecordError
from nightledger.domain.finding import Severity
from nightledger.domain.moment import Moment
from nightledger.domain.trusting import TRUST_FILES
from nightledger.files.home import Home
from nightledger.files.shipped import shipped_config
from nightledger.gate.integrity.trusting import Trust
from nightledger.gate.opening import Ledger
from nightledger.text.scanners.scan import scan

NAME = "constitution"
WHERE = TRUST_FILES[NAME]
_HELD = frozenset({Severity.BLOCK, Severity.QUARANTINE})


def read_principles(home: Home, ledger: Ledger, at: Moment) -> Constitution | None:
    """Return the constitution in force; None where the home has none.

    Raises:
        IntegrityError: The bytes that the log names are kept nowhere, or a decision was altered.
    """
    raw = Trust(home, ledger).content(NAME, at)
    return decode_constitution(raw, where=WHERE) if raw else None


def shipped_principles() -> Constitution:
    """Return the constitution that ships, ``config/constitution.json``."""
    return parse_constitution(shipped_config("constitution.json"), where="config/constitution.json")


def require_sound(constitution: Constitution, *, where: str = "the constitution") -> Constitution:
    """Return a constitution that may be signed for: every agent will read it in every session.

    Raises:
        RecordError: Scanners find a secret, hidden characters or steering in it.
    """
    held = [
        f"{principle.name}: {finding.message} ({finding.rule})"
        for principle in constitution.principles
        for finding in scan(principle.text)
        if finding.severity in _HELD
    ]
    if held:
        raise RecordError(where, tuple(held), hint="word it without that")
    return constitution


def parse_new(raw: bytes) -> Constitution | None:
    """Return the constitution that bytes may become; none at all take it away.

    Raises:
        RecordError: Naming every problem.
    """
    return require_sound(parse_constitution(raw, where=WHERE), where=WHERE) if raw else None
