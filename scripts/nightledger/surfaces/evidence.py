"""Show the lines that a change rests on, from the files as they are now."""

import hashlib

from nightledger.domain.errors import NightledgerError
from nightledger.domain.proposal import Change, Evidence
from nightledger.files.home import Home
from nightledger.files.reading import read_regular
from nightledger.surfaces import screen

MAX_BYTES = 64_000_000


def lines(home: Home, change: Change) -> list[str]:
    """Give the evidence of a change, each place with its lines, and whether they still are what they were."""
    shown = []
    for evidence in change.evidence:
        shown += _one(home, evidence)
    return shown


def _one(home: Home, evidence: Evidence) -> list[str]:
    head = f"{screen.place(evidence)} ({evidence.origin.value})"
    try:
        content = read_regular(home.path(evidence.path), MAX_BYTES, within=home.root)
    except NightledgerError as error:
        return screen.wrap(f"{head}: {screen.shown(str(error))}", indent="    ", first="  ")
    first, last = evidence.lines
    cited = content.split(b"\n")[first - 1 : last]
    same = hashlib.sha256(b"\n".join(cited)).hexdigest() == evidence.sha256
    rows = [
        row for line in cited for row in screen.text_lines(line.decode("utf-8", "replace"), indent="    ")
    ]
    title = head if same else f"{head}: these lines have changed since"
    return [*screen.wrap(title, indent="    ", first="  "), *rows]
