"""Remove a leaked text from every file of ours: signed, and for ever.

--text-from-stdin   the text, from standard input, so that no history of a shell
                    keeps it
--line FILE:N       the text of one line of a file in the home

Proposals, decisions, blobs and held-back texts that hold it are removed whole;
in outcomes, run ledgers and archives it is overwritten in place; in gated files
a signed edit puts [expunged] there, and is shown; so is the text that --line
names, for that line may have changed since you read it. What is folded from
these is made anew. A proposal or decision that is not what was logged is
evidence of that, and stays until it is closed. It says where else the text
is, and what it cannot reach. An undo that needs the text says 'expunged'.
The log keeps keyed hashes of its lines: no night and nobody else proposes them
again, and no search shows them, though the agent's files hold them.

Reads   every file of the home that may hold it
Writes  those files, audit/decisions/, the audit log
Changes memory where a gated file holds the text: the operator signs it here.
"""

import argparse
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from nightledger.domain.decision import DecisionType
from nightledger.domain.errors import FileChangedError, RefusedError, UsageError
from nightledger.domain.finding import Needle, needle_of
from nightledger.files.durable import read_regular
from nightledger.files.home import Home
from nightledger.gate import expunging
from nightledger.gate.deciding import make_unproposed
from nightledger.gate.forgotten import hash_expunged
from nightledger.gate.gated import read_gated, watched
from nightledger.surfaces import screen, signing
from nightledger.surfaces.context import Context, read_input, read_lines
from nightledger.surfaces.screen import say, sentences
from nightledger.surfaces.session import Session, reading, writing
from nightledger.surfaces.verbs.edit import apply_edit
from nightledger.text.changes.diff import trace
from nightledger.text.phrases import telling_lines
from nightledger.trust.sshsig import Signer

MAX_TEXT_BYTES = 1 << 20


MARK = b"[expunged]"
"""What stands in a gated file where the text stood."""
MAX_BYTES = 1 << 32
SHOWN_LINES = 5
SETTLE = "'nightledger review' settles what changed; then run this again with the text"


def run(options: argparse.Namespace, context: Context) -> int:
    """Find it, have it signed, and remove it.

    Invariant: the text itself is never logged or written anywhere, keyed hashes of it are. It is printed only where a line
    was named by its number and a gated file is to lose what stands there: whoever writes files chooses what that is.

    Returns:
        1 where it was in no file of the home.

    Raises:
        RefusedError: A gated file holds it and cannot be edited now.
        FileChangedError: The lines of a gated file that it would change are not those that were shown.
    """
    what = _asked(options, context)
    with reading(context, person=not options.dry_run) as seen:
        found = expunging.find_held(seen.gate, seen.ledger, what)
        why = expunging.why_not_now(seen.gate, seen.ledger, what, MARK)
        if why and not options.dry_run:
            raise RefusedError(f"{why}; nothing was signed or removed", hint=SETTLE)
        record, cuts = _record(seen.gate.home, found, what), _cuts(seen, what)
        context.print_lines(_lines(record, cuts))
        if options.line is not None and any(cuts.values()):
            text = min(what.forms, key=len).decode("utf-8", "surrogateescape")
            told = f"what goes: {screen.shown(text)}"
            context.print_lines(screen.wrap(told, indent=screen.INSIDE, first=""))
        if options.dry_run:
            told = f"It would be refused now: {why}." if why else ""
            say(context, told, "Nothing was changed (--dry-run).")
        if options.dry_run or not (found.anything or found.elsewhere):
            context.emit({**record, "decisions": []})
            return 0 if options.dry_run else 1
        _require_consent(context)
        signer = signing.unlock(seen, context)
    decisions = _remove(context, what, signer, found, cuts)
    context.emit({**record, "decisions": decisions})
    told = "What names it says 'expunged' from now on; nothing brings it back, and nobody proposes it."
    say(context, f"Removed. {told}")
    return 0


def _require_consent(context: Context) -> None:
    if context.interactive() and screen.ask("Remove it for ever? [y/N]").lower() != "y":
        raise RefusedError("nothing was removed")


def _remove(
    context: Context, what: Needle, signer: Signer, shown: expunging.Found, cuts: Mapping[str, str]
) -> list[str]:
    """Remove it, where all is as it was shown; return the ids of the decisions."""
    with writing(context, keep_head=True, person=True, answered=True) as session:
        now = expunging.find_held(session.gate, session.ledger, what)
        if why := expunging.why_not_now(session.gate, session.ledger, what, MARK):
            raise RefusedError(f"{why}; nothing was signed or removed", hint=SETTLE)
        # what went by itself since it was shown is no matter
        fresh = {*now.removed, *now.rewritten} - {*shown.removed, *shown.rewritten}
        if fresh or _cuts(session, what) != cuts:
            raise FileChangedError("what it would change is not what was shown any more; nothing was signed")
        for path in watched(session.gate.home, session.ledger.book):
            content = read_gated(session.gate.home, path)
            if what.held_by(content):  # first, by signed edits; what these record goes with the rest
                apply_edit(session, path, what.cut_from(content, MARK), signer)
                session.reread()
        return _sign(session, what, signer)


def _asked(options: argparse.Namespace, context: Context) -> Needle:
    """Return the text."""
    if bool(options.line) + options.text_from_stdin != 1:
        raise UsageError("say what is to go: --text-from-stdin or --line, one of them")
    if options.line:
        _, (first, last), content = read_lines(Home(context.home_path).require(), options.line, "--line")
        if first != last:
            raise UsageError("--line takes one line", hint="a text of several: --text-from-stdin")
        return needle_of(content.split(b"\n")[first - 1].decode("utf-8", "surrogateescape"))
    return needle_of(read_input(MAX_TEXT_BYTES).decode("utf-8", "surrogateescape"))


def _sign(session: Session, what: Needle, signer: Signer) -> list[str]:
    found = expunging.find_held(session.gate, session.ledger, what)
    if held := (*found.gated, *found.accepted):
        raise RefusedError(f"{held[0]} still holds it; nothing else was removed", hint=SETTLE)
    accepted = []
    hashes = " ".join(hash_expunged(session.gate, what.lines))
    for targets in tuple(expunging.parts(found)) or ((),):  # where only the agent's own files hold it
        shared = signing.prepare(session)
        decision = make_unproposed(session.gate, DecisionType.EXPUNGE, targets, shared, reason=hashes)
        accepted += signing.sign_all(session, [decision], signer)
        hashes = ""
    expunging.carry_out(session.gate.home, found, what)
    return [decision.id for decision in accepted]


def _cuts(session: Session, what: Needle) -> dict[str, str]:
    """Return the lines of each gated file as they would be afterwards; they tell all to who knows the text."""
    cuts: dict[str, str] = {}
    for path in watched(session.gate.home, session.ledger.book):
        before = read_gated(session.gate.home, path)
        texts = (text.decode("utf-8", "surrogateescape") for text in (before, what.cut_from(before, MARK)))
        course = trace(*texts)
        cuts[path] = "".join(map(course.added, range(1, len(course.runs) + 1)))
    return cuts


def _record(home: Home, found: expunging.Found, what: Needle) -> dict[str, Any]:
    lines = what.lines
    known = telling_lines(lines)

    def places(paths: tuple[str, ...]) -> list[dict[str, Any]]:
        """Return files with the lines that hold it."""
        contents = {path: read_regular(home.path(path), MAX_BYTES, within=home.root) for path in paths}
        return [{"path": path, "lines": list(what.lines_in(raw))} for path, raw in contents.items()]

    return {
        "removed": list(found.removed),
        "overwritten": list(found.rewritten),
        "made_anew": list(found.derived),
        "edited": places(found.gated),
        "accepted": list(found.accepted),
        "altered": list(found.altered),
        "kept": list(found.trust),
        "elsewhere": places(found.elsewhere),
        "withheld": list(map(len, known)),
        "not_withheld": sorted(map(len, set(lines) - set(known)), reverse=True),
        "beyond_reach": [*_second_names(home, found), *_git(home), *sentences("expunge")["beyond"]],
    }


def _second_names(home: Home, found: expunging.Found) -> Iterator[str]:
    for path in (*found.removed, *found.derived, *found.gated):
        if expunging.has_second_name(home.path(path)):
            yield f"the second name of {path} (a hard link), wherever that is"


def _git(home: Home) -> Iterator[str]:
    for directory in (Path(home.root), *Path(home.root).parents):
        if os.path.lexists(directory / ".git"):
            yield f"the history of the git repository {directory}, and every clone of it"
            return


def _lines(record: dict[str, Any], cuts: Mapping[str, str]) -> Iterator[str]:
    """Return where it is, what the lines of gated files become, and what is left."""
    found, left = sentences("expunge")["found"], sentences("expunge")["left"]
    for name, text in found.items():
        for place in record[name]:
            yield text.format(_where(place))
            edited = cuts[place["path"]].removesuffix("\n").split("\n") if name == "edited" and cuts else ()
            for line in edited:
                yield from screen.text_lines(line, indent=screen.INSIDE)
    if not any(record[name] for name in (*found, "accepted")):
        yield "It is in no file of ours."
    for name, text in left.items():
        for one in record[name]:
            yield from screen.wrap(text.format(_where(one)), indent=screen.INSIDE, first="")


def _where(place: Any) -> str:
    """Return a path, or a number, as it is; a file with its lines as ``notes.md:1,2 and 3 more``."""
    if not isinstance(place, dict):
        return str(place)
    lines = place["lines"]
    more = f" and {len(lines) - SHOWN_LINES} more" if len(lines) > SHOWN_LINES else ""
    return f"{place['path']}{':' * bool(lines)}{','.join(map(str, lines[:SHOWN_LINES]))}{more}"
