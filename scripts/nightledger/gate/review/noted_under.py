"""Find the heading of the agent's notes under which the evidence of a change stands."""

from collections.abc import Sequence
from datetime import date

from nightledger.domain.errors import NightledgerError
from nightledger.domain.proposal import Evidence
from nightledger.files.home import Home
from nightledger.gate.forgetting.citing import cited
from nightledger.text.scanners.scan import mask_secrets
from nightledger.text.statements.daylog import read_daylog
from nightledger.text.visible import visible

NEVER = "never from this heading: "
"""Begins the reason of a signed rejection that is about all that stands under a heading; the heading follows."""


def heading_of(home: Home, evidence: Sequence[Evidence], *, title: bool = True) -> str:
    """Return the innermost heading with a word in it above the strongest evidence; empty where there is none.

    A gated file's headings are none: they are what the memory is sorted by, not where something was noted. One
    that holds a secret or hidden characters is none, for it would be signed.

    Args:
        home: Where the notes are.
        evidence: What a change rests on, the strongest first.
        title: Whether the one top heading of a file counts, which is the name of the whole file.
    """
    if not evidence or evidence[0].path in home.identity.gated:
        return ""
    try:
        text = cited(home, evidence[0]).content.decode("utf-8", "replace")
    except NightledgerError:
        return ""
    lines = read_daylog(evidence[0].path, text, date.min).lines[evidence[0].lines[0] - 1 :]
    found = innermost(lines[0].headings if lines else ())
    if not title and [found] == [line[2:].strip() for line in text.split("\n") if line.startswith("# ")]:
        return ""
    return found


def innermost(headings: Sequence[str]) -> str:
    """Return the innermost of some headings that has a word in it and could be signed; empty where there is none."""
    titles = [title for title in headings if any(map(str.isalpha, title))]
    return titles[-1] if titles and visible(mask_secrets(titles[-1])) == titles[-1] else ""
