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
from nightledger.text.veil import veil

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
    values = told | _told(content)
    text = b"\n".join(cited)
    veiled = veil(text.decode("utf-8", "surrogateescape"), told=values).encode("utf-8", "surrogateescape")
    same = evidence.sha256 in {hashlib.sha256(one).hexdigest() for one in (text, veiled)}
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
