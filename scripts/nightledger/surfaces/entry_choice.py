"""Find the entries that an operator means: by id, by the beginning of one, by their place, or by some of their words.

Invariant: words alone never choose; they list what fits, with its ids.
"""

import re
from collections.abc import Collection, Mapping, Sequence

from nightledger.domain.errors import UsageError
from nightledger.gate.memory.naming import Placed, entries_at
from nightledger.gate.proposing.screening import told_at_home
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context
from nightledger.surfaces.session import Session
from nightledger.text.similar import fold

SHORT_ID = 10
"""Characters of an id that lists show: ``e-`` and eight, a chance in a million millions for two to be one."""
SHOWN = 20
_ID = re.compile(r"(?:e-)?([a-z2-7]{3,26})")


def choose_id(
    context: Context,
    session: Session,
    standing: Mapping[str, Placed],
    word: str,
    others: Collection[str] = (),
) -> str:
    """Give the one id that a word names.

    Args:
        context: The command's surroundings; what fits words is listed there.
        session: The home.
        standing: Its entries by id.
        word: An id, its beginning, a place as ``recall`` prints it, or words of an entry.
        others: Ids of what is no entry any more and may be named too.

    Raises:
        UsageError: It names no entry, or more than one; candidates were listed.
    """
    found = find_ids(word, [*standing, *others]) or entries_at(standing, word)
    if len(found) == 1:
        return found[0]
    candidates = found or fitting(standing, word)
    if not candidates:
        raise UsageError(
            f"no entry is called {word!r}, and none says so",
            hint="some of its words list the entries that fit; 'nightledger history' shows what was taken out",
        )
    known = [standing[name] for name in candidates[:SHOWN] if name in standing]
    context.print_lines(listing(session, known))
    more = f", the first {SHOWN} are shown" if len(candidates) > SHOWN else ""
    raise UsageError(
        f"{word!r} fits {count_of(len(candidates))}{more}",
        hint=f"name one by its id: nightledger {context.verb} {candidates[0][:SHORT_ID]}",
    )


def find_ids(word: str, ids: Collection[str]) -> list[str]:
    """Give the ids that begin so; none where it is no beginning of an id."""
    begin = _ID.fullmatch(word)
    return [name for name in dict.fromkeys(ids) if begin and name.startswith(f"e-{begin[1]}")]


def fitting(standing: Mapping[str, Placed], words: str) -> list[str]:
    """Give the ids of the entries that hold some words, whatever their case, marks and line ends."""
    wanted = fold(words)
    return [name for name, placed in standing.items() if wanted and wanted in fold(placed.entry.text)]


def listing(session: Session, entries: Sequence[Placed]) -> list[str]:
    """Give entries as lines: short id, place, and their text, every line of it as data."""
    told = told_at_home(session.gate.home, ())
    rows: list[str] = []
    for placed in entries:
        where = f"{placed.path}:{placed.entry.first_line}"
        rows += screen.wrap(f"{placed.entry.id[:SHORT_ID]}  {screen.shown(where)}")
        for line in placed.entry.text.rstrip("\n").split("\n"):
            rows += screen.wrap(screen.shown(line, told=told), indent="    ", first="    ")
    return rows


def count_of(entries: int) -> str:
    """Give ``1 entry``, ``2 entries``."""
    return f"{entries} entr{'y' if entries == 1 else 'ies'}"


def record(placed: Placed) -> dict[str, object]:
    """Give an entry as JSON output names it; its text stands in the file."""
    return {
        "id": placed.entry.id,
        "path": placed.path,
        "lines": [placed.entry.first_line, placed.entry.last_line],
    }
