"""Show the lines that a change rests on, from the files as they are now."""

import hashlib

from nightledger.domain.errors import NightledgerError
from nightledger.domain.proposal import Change, Evidence
from nightledger.files.home import Home
from nightledger.files.reading import read_regular
from nightledger.gate.told import NOTHING
from nightledger.surfaces import screen
from nightledger.text.scan import told_values
from nightledger.text.scan_secret_places import telling

MAX_BYTES = 64_000_000


def lines(home: Home, change: Change, *, told: frozenset[str] = NOTHING) -> list[str]:
    """Give the evidence of a change, each place with its lines, and whether they still are what they were.

    Args:
        home: Where the files are.
        change: The change.
        told: Values told as secrets elsewhere: masked, as is what the files of the evidence tell.
    """
    shown = []
    for evidence in change.evidence:
        shown += _one(home, evidence, told)
    return shown


def _one(home: Home, evidence: Evidence, told: frozenset[str]) -> list[str]:
    head = f"{screen.place(evidence)} ({evidence.origin.value})"
    try:
        content = read_regular(home.path(evidence.path), MAX_BYTES, within=home.root)
    except NightledgerError as error:
        return screen.wrap(f"{head}: {screen.shown(str(error))}", indent="    ", first="  ")
    first, last = evidence.lines
    cited = content.split(b"\n")[first - 1 : last]
    same = hashlib.sha256(b"\n".join(cited)).hexdigest() == evidence.sha256
    values = told | _told(content)
    rows = [
        row
        for line in cited
        for row in screen.text_lines(line.decode("utf-8", "replace"), indent="    ", told=values)
    ]
    title = head if same else f"{head}: these lines have changed since"
    return [*screen.wrap(title, indent="    ", first="  "), *rows]


def _told(content: bytes) -> frozenset[str]:
    """Give what a file tells as secrets; only the lines that may tell are looked at."""
    text = content.decode("utf-8", "replace").split("\n")
    return told_values("\n".join(text[at] for at in sorted(telling(text))))
