"""Show the lines that a change rests on, from the files as they are now, or from the archive."""

from nightledger.domain.errors import NightledgerError
from nightledger.domain.proposal import Change, Evidence, Op
from nightledger.files.home import Home
from nightledger.gate.forgetting.citing import cited, values_of
from nightledger.gate.proposing.screening import NOTHING
from nightledger.surfaces import screen
from nightledger.text.phrases import NO_PHRASES, HashedPhrases


def lines(
    home: Home,
    change: Change,
    *,
    told: frozenset[str] = NOTHING,
    expunged: HashedPhrases = NO_PHRASES,
    whole_logs: bool = True,
) -> list[str]:
    """Give the evidence of a change, each place with its lines, and whether they still are what they were.

    Args:
        home: Where the files are.
        change: The change.
        told: Values told as secrets elsewhere: masked, as is what the files of the evidence tell.
        expunged: What was expunged: its lines are left blank.
        whole_logs: Whether to give every line of a log that is to be compressed; else only its place.
    """
    brief = change.op is Op.COMPRESS and not whole_logs
    shown = []
    for evidence in change.evidence:
        title, *rows = _one(home, evidence, told, expunged)
        shown += [title] if brief else [title, *rows]
    return shown


def _one(home: Home, evidence: Evidence, told: frozenset[str], expunged: HashedPhrases) -> list[str]:
    head = f"{screen.place(evidence)} ({evidence.origin.value})"
    try:
        found = cited(home, evidence, told=told)
    except NightledgerError as error:
        return screen.wrap(f"{head}: {screen.shown(str(error))}", indent="      ", first="  in: ")
    first, last = evidence.lines
    values = told | values_of(found.content)
    rows = [
        row
        for line in expunged.without(found.content.decode("utf-8", "replace")).split("\n")[first - 1 : last]
        for row in screen.text_lines(line, indent=screen.INSIDE, told=values)
    ]
    if found.path != evidence.path:
        head = f"{head}, now in {screen.shown(found.path)}"
    title = head if found.same else f"{head}: these lines have changed since"
    return [*screen.wrap(title, indent="      ", first="  in: "), *rows]
