"""Tell whoever reviews what the scanners held back since the operator answered last, and why.

Invariant: the text itself is not shown. It steers whoever reads it, or shows what is not there;
its file is named.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice

from nightledger.domain.errors import NightledgerError
from nightledger.domain.event import Event, EventName
from nightledger.files.home import Home
from nightledger.files.reading import read_optional
from nightledger.text.markdown.document import decode
from nightledger.text.scanners.scan import scan

SHOWN = 2
"""Texts that are named one by one."""
MAX_TEXT_BYTES = 1 << 16
"""What is longer is named by its rules alone."""
_DIGITS = 12
"""Hex digits by which a shell finds a text; the whole name is wider than most terminals."""


def notices(home: Home, events: Iterable[Event]) -> Iterator[str]:
    """Name what was held back since the last answer, the newest first; nothing where nothing was.

    Args:
        home: Where the texts are kept.
        events: Of the audit log, in its order.
    """
    held = since_answered(events)
    if not held:
        return
    texts = "1 text was" if len(held) == 1 else f"{len(held)} texts were"
    reworded = " What one says can enter in other words: 'nightledger edit'."
    # a text that was blocked for a secret enters in no words
    secret = [any(rule.startswith("secret.") for rule in event.fields["rules"]) for event in held]
    says = "" if all(secret) else reworded
    yield f"{texts} held back by the scanners since you last answered.{says}"
    for event in islice(reversed(held), SHOWN):
        yield f"! {_where(event)}: {_why(home, event)}"
    if len(held) > SHOWN:
        yield f"! and {len(held) - SHOWN} more: nightledger status --held"


def since_answered(events: Iterable[Event]) -> list[Event]:
    """Give what was held back after the operator's last signed answer, in the log's order."""
    held: list[Event] = []
    for event in events:
        if event.event == EventName.DECIDED:
            held.clear()
        elif event.event == EventName.QUARANTINED:
            held.append(event)
    return held


def _where(event: Event) -> str:
    path, line = event.fields["path"], event.fields["line"]
    return f"{path}:{line}" if line else path or "a proposal"


def _why(home: Home, event: Event) -> str:
    """Say what each rule saw, from the text where it is kept as it was; a secret is kept nowhere."""
    rules: list[str] = event.fields["rules"]
    path = os.path.join(home.quarantine_dir, f"{event.fields['sha256']}.txt")
    raw = b""
    with suppress(NightledgerError, OSError):  # a link, or longer than we read: anybody can put it there
        raw = read_optional(path, MAX_TEXT_BYTES, within=home.root) or b""
    if hashlib.sha256(raw).hexdigest() != event.fields["sha256"]:
        return ", ".join(rules)
    findings = scan(decode(raw))
    told = dict.fromkeys(f"{one.message} ({one.rule})" for one in findings if one.rule in rules)
    return f"{', '.join(told) or ', '.join(rules)}; the text: {home.relative(home.quarantine_dir)}/{event.fields['sha256'][:_DIGITS]}*.txt"
