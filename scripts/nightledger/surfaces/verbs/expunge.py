"""Remove a leaked text from every file of ours. It is signed, and nothing brings it back.

--text-from-stdin   the text, from standard input, so that no history of a shell keeps it
--line FILE:N       the text of one line of a file in the home
--sha256 HASH       a blob, proposal, decision or held-back text, by the SHA-256 of its bytes

Proposals, decisions, blobs and held-back texts that hold it are removed whole; in outcomes, run
ledgers and archives it is overwritten in place; in gated files a signed edit puts [expunged]
there, and is shown; so is the text that --line names, for that line may have changed since you read
it. What is folded from these is made anew. A proposal or decision that is not what was logged is
evidence of that, and stays unless you say --altered. It says where else the text is, and what it
cannot reach. An undo that needs the text says 'expunged'. The log keeps keyed hashes of its lines: no
night and nobody else proposes them again, and no search shows them, though the agent's files hold them.

Reads   every file of the home that may hold it
Writes  those files, audit/decisions/, the audit log
Changes memory where a gated file holds the text: the operator signs it here.
"""

import argparse
import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from nightledger.domain.decision import DecisionType
from nightledger.domain.errors import FileChangedError, RefusedError, UsageError
from nightledger.domain.needle import Needle, needle_of
from nightledger.domain.words import number_of
from nightledger.files.home import Home
from nightledger.files.reading import read_regular
from nightledger.gate.forgetting.expunging import (
    Found,
    Plan,
    carry_out,
    has_second_name,
    parts,
    plan_expunge,
    why_not_now,
)
from nightledger.gate.forgetting.forgotten import hash_expunged
from nightledger.gate.gated import read_gated
from nightledger.gate.proposing.unproposed import make_unproposed
from nightledger.surfaces import screen, signing
from nightledger.surfaces.context import Context
from nightledger.surfaces.editing import apply_edit
from nightledger.surfaces.session import Session, reading, writing
from nightledger.text.changes.course import trace
from nightledger.text.phrases import telling_lines
from nightledger.trust.sshsig import Signer

MAX_TEXT_BYTES = 1 << 20


MARK = b"[expunged]"
"""What stands in a gated file where the text stood."""
MAX_BYTES = 1 << 32
SHOWN_LINES = 5
BEYOND = (
    "backups of this home",
    "logs, transcripts and search indexes of the agent's host, and the context of running sessions",
    "other machines, and whoever has read it",
)
"""What no file of a home shows."""
SETTLE = "'nightledger review' settles what changed; then run this again with the text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is to go.

    Attributes:
        what: The text, or the hex SHA-256 of a file's bytes.
        by_line: It was named by its line: whoever asks may not have read what stands there now.
        with_altered: Take proposals and decisions that are not what was logged, too.
    """

    what: Needle | str
    by_line: bool = False
    with_altered: bool = False


def configure(parser: argparse.ArgumentParser) -> None:
    """Name the options of ``expunge``."""
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--text-from-stdin", action="store_true", help="read the text from standard input")
    what.add_argument("--line", metavar="FILE:N", help="a line of a file in the home, from 1")
    what.add_argument("--sha256", metavar="HASH", help="SHA-256 of a file's bytes, in hex")
    parser.add_argument(
        "--altered",
        action="store_true",
        help="also proposals and decisions that are not what was logged; 'verify' then tells it as a note",
    )
    parser.add_argument("--dry-run", action="store_true", help="say where it is, and change nothing")


def run(options: argparse.Namespace, context: Context) -> int:
    """Find it, have it signed, and remove it."""
    asked = Asked(
        what=_asked(options, context), by_line=options.line is not None, with_altered=options.altered
    )
    return show(context, asked) if options.dry_run else expunge(context, asked)


def _asked(options: argparse.Namespace, context: Context) -> str | Needle:
    if options.sha256:
        sha256: str = options.sha256.lower()
        if not re.fullmatch(r"[0-9a-f]{64}", sha256):
            raise UsageError(f"{options.sha256!r} is not a SHA-256", hint="64 hex digits")
        return sha256
    if options.line:
        return needle_of(_line(options.line, context))
    return needle_of(sys.stdin.buffer.read(MAX_TEXT_BYTES).decode("utf-8", "surrogateescape"))


def _line(place: str, context: Context) -> str:
    name, _, number = place.rpartition(":")
    if not name or not number.isdecimal():
        raise UsageError(f"{place!r} is no line", hint="write it as MEMORY.md:12")
    home = Home(context.home_path).require()
    lines = read_regular(home.path(name), 1 << 30, within=home.root).split(b"\n")
    if not 0 < number_of(number) <= len(lines):
        raise UsageError(
            f"{name} has {len(lines)} lines", hint="'nightledger expunge --text-from-stdin' takes the text"
        )
    return lines[int(number) - 1].decode("utf-8", "surrogateescape")


def show(context: Context, asked: Asked) -> int:
    """Say where it is; nothing is changed.

    Invariant, here and where it goes: the text itself is never logged or written anywhere, keyed hashes of it are. It is
    printed only where a line was named by its number and a gated file is to lose what stands there: whoever writes
    files chooses what that is.
    """
    with reading(context) as seen:
        plan = _plan(seen, asked)
        record = _record(seen.gate.home, plan, asked)
        cuts = _cuts(seen.gate.home, asked)
        why = why_not_now(seen.gate, seen.ledger, plan, MARK)
    context.emit({**record, "decisions": []})
    _tell(context, record, asked, cuts)
    if why:
        context.print(f"It would be refused now: {why}.")
    context.print("Nothing was changed (--dry-run).")
    return 0


def expunge(context: Context, asked: Asked) -> int:
    """Sign it and remove it.

    Returns:
        1 where it was in no file of the home.

    Raises:
        RefusedError: A gated file holds it and cannot be edited now, or only a hash was given for it.
        FileChangedError: The lines of a gated file that it would change are not those that were shown.
    """
    with reading(context, person=True) as seen:
        plan = _plan(seen, asked)
        _require_free(seen, plan)
        record = _record(seen.gate.home, plan, asked)
        cuts = _cuts(seen.gate.home, asked)
        _tell(context, record, asked, cuts)
        if not plan.found.anything and not plan.found.elsewhere:
            context.emit({**record, "decisions": []})
            return 1
        _require_consent(context)
        signer = signing.unlock(seen, context)
    with writing(context, keep_head=True, person=True, answered=True) as session:
        now = _plan(session, asked)
        _require_free(session, now)
        if _cuts(session.gate.home, asked) != cuts or not _is_shown(now, plan):
            raise FileChangedError("what it would change is not what was shown any more; nothing was signed")
        if isinstance(asked.what, Needle):
            _edit_gated(session, asked.what, signer)
        decisions = _sign(session, asked, signer)
    context.emit({**record, "decisions": decisions})
    context.print(
        "Removed. What names it says 'expunged' from now on; nothing brings it back, and nobody proposes it."
    )
    return 0


def _plan(session: Session, asked: Asked) -> Plan:
    return plan_expunge(session.gate, session.ledger, asked.what, with_altered=asked.with_altered)


def _is_shown(now: Plan, shown: Plan) -> bool:
    """Tell whether nothing is to go that was not shown; what went by itself since is no matter."""
    return set(now.found.removed) <= set(shown.found.removed) and set(now.found.rewritten) <= set(
        shown.found.rewritten
    )


def _require_free(session: Session, plan: Plan) -> None:
    """Refuse, before anything is signed, what gated files would hold still.

    Raises:
        RefusedError: One would.
    """
    if why := why_not_now(session.gate, session.ledger, plan, MARK):
        raise RefusedError(f"{why}; nothing was signed or removed", hint=SETTLE)


def _require_consent(context: Context) -> None:
    if context.interactive() and screen.ask("Remove it for ever? [y/N]").lower() != "y":
        raise RefusedError("nothing was removed")


def _edit_gated(session: Session, needle: Needle, signer: Signer) -> None:
    """Take it out of gated files first, by signed edits; what these record goes with the rest."""
    for path in session.gate.home.identity.gated:
        content = read_gated(session.gate.home, path)
        if needle.held_by(content):
            apply_edit(session, path, needle.cut_from(content, MARK), signer)
            session.reread()


def _sign(session: Session, asked: Asked, signer: Signer) -> list[str]:
    plan = _plan(session, asked)
    if held := (*plan.found.gated, *plan.found.accepted):
        raise RefusedError(f"{held[0]} still holds it; nothing else was removed", hint=SETTLE)
    accepted = []
    hashes = " ".join(hash_expunged(session.gate, asked.what.lines)) if isinstance(asked.what, Needle) else ""
    for targets in tuple(parts(plan)) or ((),):  # where only the agent's own files hold it
        shared = signing.prepare(session)
        decision = make_unproposed(session.gate, DecisionType.EXPUNGE, targets, shared, reason=hashes)
        accepted += signing.sign_all(session, [decision], signer)
        hashes = ""
    carry_out(session.gate.home, plan)
    return [decision.id for decision in accepted]


def _cuts(home: Home, asked: Asked) -> dict[str, str]:
    """Give the lines of each gated file as they would be afterwards; they tell all to who knows the text."""
    cuts: dict[str, str] = {}
    if not isinstance(asked.what, Needle):
        return cuts
    for path in home.identity.gated:
        before = read_gated(home, path)
        texts = (
            text.decode("utf-8", "surrogateescape") for text in (before, asked.what.cut_from(before, MARK))
        )
        course = trace(*texts)
        cuts[path] = "".join(map(course.added, range(1, len(course.runs) + 1)))
    return cuts


def _record(home: Home, plan: Plan, asked: Asked) -> dict[str, Any]:
    found = plan.found
    lines = asked.what.lines if isinstance(asked.what, Needle) else ()
    known = telling_lines(lines)
    return {
        "removed": list(found.removed),
        "overwritten": list(found.rewritten),
        "made_anew": list(found.derived),
        "edited": _places(home, found.gated, asked),
        "accepted": list(found.accepted),
        "altered": list(found.altered),
        "kept": list(found.trust),
        "elsewhere": _places(home, found.elsewhere, asked),
        "withheld": list(map(len, known)),
        "not_withheld": sorted(map(len, set(lines) - set(known)), reverse=True),
        "beyond_reach": [*_second_names(home, found), *_git(home), *BEYOND],
    }


def _places(home: Home, paths: tuple[str, ...], asked: Asked) -> list[dict[str, Any]]:
    """Give files with the lines that hold it."""
    places = []
    for path in paths:
        content = read_regular(home.path(path), MAX_BYTES, within=home.root)
        lines = asked.what.lines_in(content) if isinstance(asked.what, Needle) else ()
        places.append({"path": path, "lines": list(lines)})
    return places


def _second_names(home: Home, found: Found) -> Iterator[str]:
    for path in (*found.removed, *found.derived, *found.gated):
        if has_second_name(home.path(path)):
            yield f"the second name of {path} (a hard link), wherever that is"


def _git(home: Home) -> Iterator[str]:
    directory = home.root
    while True:
        if os.path.lexists(os.path.join(directory, ".git")):
            yield f"the history of the git repository {directory}, and every clone of it"
            return
        parent = os.path.dirname(directory)
        if parent == directory:
            return
        directory = parent


def _tell(context: Context, record: dict[str, Any], asked: Asked, cuts: Mapping[str, str]) -> None:
    """Print what is found, and what stood in the line that was named, where a gated file is to lose it."""
    context.print_lines(_lines(record, cuts))
    if asked.by_line and isinstance(asked.what, Needle) and any(cuts.values()):
        text = min(asked.what.forms, key=len).decode("utf-8", "surrogateescape")
        context.print_lines(screen.wrap(f"what goes: {screen.shown(text)}", indent=screen.INSIDE, first=""))


def _lines(record: dict[str, Any], cuts: Mapping[str, str]) -> Iterator[str]:
    counts = (
        ("removed", "to be removed whole"),
        ("overwritten", "to be overwritten in place"),
        ("made_anew", "to be removed and made anew"),
    )
    for name, what in counts:
        for path in record[name]:
            yield f"{path}: {what}"
    yield from _edited(record, cuts)
    if not any(record[name] for name in ("removed", "overwritten", "made_anew", "edited", "accepted")):
        yield "It is in no file of ours."
    yield from _not_removed(record)
    for place in record["elsewhere"]:
        yield f"not ours, remove it there yourself: {_where(place)}"
    yield from _known_again(record)
    for text in record["beyond_reach"]:
        yield f"not reached: {text}"


def _not_removed(record: dict[str, Any]) -> Iterator[str]:
    for path in record["altered"]:
        yield f"not removed: {path}, which was altered after it was recorded, which 'verify' tells: look, then --altered"
    for path in record["kept"]:
        yield f"not removed: {path}, on which it rests who may sign"


def _edited(record: dict[str, Any], cuts: Mapping[str, str]) -> Iterator[str]:
    """Give each gated file that is to be edited, with what its lines become."""
    for place in record["edited"]:
        yield f"{_where(place)}: a signed edit is to put {MARK.decode()} there"
        for line in cuts.get(place["path"], "").removesuffix("\n").split("\n"):
            yield from screen.text_lines(line, indent=screen.INSIDE)


def _known_again(record: dict[str, Any]) -> Iterator[str]:
    """Give how long the lines are by which the text is known again, and those that are too common for it."""
    for name, what in (
        ("withheld", "withheld from now on, wherever it stands"),
        ("not_withheld", "not withheld, because it is a heading or holds common words alone"),
    ):
        for size in record[name]:
            yield f"{what}: a line of {size} characters"


def _where(place: dict[str, Any]) -> str:
    lines = place["lines"]
    if not lines:
        return str(place["path"])
    more = f" and {len(lines) - SHOWN_LINES} more" if len(lines) > SHOWN_LINES else ""
    return f"{place['path']}:{','.join(map(str, lines[:SHOWN_LINES]))}{more}"
