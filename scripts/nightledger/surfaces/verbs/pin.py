"""Pin entries of memory: no policy lets them go. Or tag them.

An entry is named by its id, the beginning of it, or its place as 'recall'
prints it (MEMORY.md:15, MEMORY.md:15-16). Without an entry what is pinned or
tagged is listed. A pin is signed and counts at once; it changes no bytes. --off
takes the pin, or with --tag the tag, away again.

--tag self/value, self/constraint, self/goal   durable: fades ten times slower
--tag self/style, self/context                 says what it is; fades as before
--tag observation                              ephemeral: fades five times
                                               faster

Reads   the gated files, audit/
Writes  audit/decisions/, the audit log
Changes no memory.
"""

import argparse
import re
from collections.abc import Collection, Mapping, Sequence
from functools import partial

from nightledger.domain.decision import DecisionTarget, DecisionType
from nightledger.domain.errors import FileChangedError, RefusedError, UsageError
from nightledger.domain.periods import log_day
from nightledger.domain.proposal import Proposal
from nightledger.domain.retention import ENTRY_TAGS, tier_of
from nightledger.domain.words import count_of
from nightledger.files.configuration import home_zone
from nightledger.gate import naming
from nightledger.gate.gated import read_gated
from nightledger.gate.removals import forget
from nightledger.gate.screening import told_at_home
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context
from nightledger.surfaces.screen import say, wrap_hint
from nightledger.surfaces.session import Session, reading, writing
from nightledger.surfaces.signing import key_at_hand, require_signed, sign_proposals, sign_unproposed
from nightledger.text.changes.sections import around, text_of_spans
from nightledger.text.markdown.document import parse_markdown


def run(options: argparse.Namespace, context: Context) -> int:
    """List, or sign that entries are pinned or tagged, or not any more.

    Raises:
        UsageError: No such entry or tag, or it is so already.
        FileChangedError: An entry was changed while it was shown.
    """
    if not options.entry:
        return show_marks(context)
    tag, off = options.tag, options.off
    if tag and tag not in ENTRY_TAGS:
        raise UsageError(f"{tag!r} is no tag of an entry", hint=f"one of {', '.join(ENTRY_TAGS)}")
    with reading(context, person=True) as seen:
        names = _names(context, seen, options.entry, tag, off=off)
        standing = naming.find_standing(seen.gate.home, seen.ledger.book).entries
        context.print_lines(entry_lines(seen, [standing[name] for name in names if name in standing]))
    kind = DecisionType.UNPIN if off else DecisionType.PIN
    accepted, session = sign_unproposed(context, seen, kind, partial(_targets, names=names), reason=tag)
    context.emit({"decision": accepted.id, "type": kind.value, "tag": tag, "entries": list(names)})
    which = count_of(len(names), "entry", "entries")
    if tag:
        given = f"{which} tagged {tag}; fades as {tier_of([tag]).name}."
        say(context, f"{tag} taken from {which}." if off else given)
    elif off:
        say(context, f"Unpinned {which}.")
    else:
        stays = "no policy lets it go, and nothing takes it out but a change that you sign by itself"
        say(context, f"Pinned {which}: {stays}.")
        for proposal, n, state in naming.find_takers(session.gate, session.ledger, names):
            told = (
                f"! change {n} of {proposal} would take it out ({state.value}); a pin does not stop it: "
                f"nightledger reject {proposal} --only {n} --reason pinned"
            )
            context.note("\n".join(wrap_hint(context.short(told), indent="  ", first="")))
    return 0


def _names(context: Context, session: Session, words: Sequence[str], tag: str, *, off: bool) -> list[str]:
    """Return the ids of the named entries for which it is not so already."""
    standing = naming.find_standing(session.gate.home, session.ledger.book).entries
    marks = naming.read_marks(session.gate, session.ledger)
    gone = [name for name in marks if name not in standing] if off else []
    found = [choose_id(context, session, standing, word, gone) for word in words]
    states = {name: marks.get(name, naming.NO_MARK) for name in found}
    names = [name for name, mark in states.items() if (tag in mark.tags if tag else mark.pinned) is off]
    if not names:
        raise UsageError(f"it is so already: {_state(states[found[0]])}", hint="'nightledger pin' lists them")
    return names


def _targets(session: Session, *, names: Sequence[str]) -> tuple[DecisionTarget, ...]:
    """Return what is signed of each entry as it stands now; of one that is gone nothing of its text."""
    standing = naming.find_standing(session.gate.home, session.ledger.book).entries
    empty, path = "0" * 64, session.gate.home.identity.gated[0]
    lost = (
        DecisionTarget(path=f"{path}#{name}", base=empty, result=empty, hunks_sha256=empty)
        for name in names
        if name not in standing
    )
    return (*naming.pin_targets([standing[name] for name in names if name in standing]), *lost)


def show_marks(context: Context) -> int:
    """List what is pinned or tagged; nothing is signed."""
    with reading(context) as seen:
        standing = naming.find_standing(seen.gate.home, seen.ledger.book).entries
        marks = naming.read_marks(seen.gate, seen.ledger)
        context.emit(
            [
                {
                    "id": name,
                    "path": standing[name].path if name in standing else None,
                    "pin": found.pinned,
                    "tags": list(found.tags),
                    "tier": tier_of(found.tags).name,
                }
                for name, found in marks.items()
            ]
        )
        if not marks:
            context.print("No entry is pinned or tagged.")
        for name, mark in marks.items():
            gone = [f"{name[:SHORT_ID]}  stands in no file any more"]
            context.print_lines(entry_lines(seen, [standing[name]]) if name in standing else gone)
            context.print(f"    {_state(mark)}")
    return 0


def _state(mark: naming.Mark) -> str:
    words = [*(["pinned"] if mark.pinned else []), *mark.tags]
    return ", ".join(words) if words else "neither pinned nor tagged"


SHORT_ID = 10
"""Characters of an id that lists show: ``e-`` and eight, a chance in a million millions for two to be one."""
_ID = re.compile(r"(?:e-)?([a-z2-7]{3,26})")


def choose_id(
    context: Context,
    session: Session,
    standing: Mapping[str, naming.Placed],
    word: str,
    others: Collection[str] = (),
) -> str:
    """Give the one id that a word names.

    Args:
        context: The command's surroundings; where it names several, they are listed there.
        session: The home.
        standing: Its entries by id.
        word: An id, its beginning, or a place as ``recall`` prints it.
        others: Ids of what is no entry any more and may be named too.

    Raises:
        UsageError: It names no entry, or more than one; candidates were listed.
    """
    found = find_ids(word, [*standing, *others]) or naming.entries_at(standing, word)
    if len(found) == 1:
        return found[0]
    if not found:
        raise UsageError(
            f"no entry is called {word!r}",
            hint="'nightledger recall' finds its place; 'nightledger history' shows what was taken out",
        )
    context.print_lines(entry_lines(session, [standing[name] for name in found if name in standing]))
    raise UsageError(
        f"{word!r} fits {count_of(len(found), 'entry', 'entries')}",
        hint=f"name one by its id: nightledger {context.verb} {found[0][:SHORT_ID]}",
    )


def find_ids(word: str, ids: Collection[str]) -> list[str]:
    """Give the ids that begin so; none where it is no beginning of an id."""
    begin = _ID.fullmatch(word)
    return [name for name in dict.fromkeys(ids) if begin and name.startswith(f"e-{begin[1]}")]


def entry_lines(session: Session, entries: Sequence[naming.Placed]) -> list[str]:
    """Give entries as lines: short id, place, and their text, every line of it as data."""
    told = told_at_home(session.gate.home, ())
    rows: list[str] = []
    for placed in entries:
        where = f"{placed.path}:{placed.entry.first_line}"
        rows += screen.wrap(f"{placed.entry.id[:SHORT_ID]}  {screen.shown(where)}")
        for line in placed.entry.text.rstrip("\n").split("\n"):
            rows += screen.wrap(screen.shown(line, told=told), indent="    ", first="    ")
    return rows


def entry_record(placed: naming.Placed) -> dict[str, object]:
    """Give an entry as JSON output names it; its text stands in the file."""
    return {
        "id": placed.entry.id,
        "path": placed.path,
        "lines": [placed.entry.first_line, placed.entry.last_line],
    }


def run_forget(options: argparse.Namespace, context: Context) -> int:
    """Forget one entry of memory: it is taken out, and not learned again.

    ID is an entry's id or the beginning of it, or its place as 'recall' prints it
    (MEMORY.md:15). The removal is proposed and signed in one go where your key is at
    hand; else it waits for 'nightledger review'. It cools like any other change and
    can be undone for a week. From the signature on, what says the same in other
    words is held back, whatever new evidence it has, until the forgetting is undone.

    What must not stay anywhere, a leaked secret for example, is for 'nightledger
    expunge'.

    Reads   the gated files, audit/
    Writes  memory/state/proposals/, audit/decisions/, the audit log
    Changes no memory: 'nightledger apply' does, when the cooling period is over.
    """
    with reading(context, person=True) as seen:
        placed, section = _show_entry(context, seen, options.id)
    record: dict[str, object] = {"entry": entry_record(placed), "proposal": None, "decision": None}
    if options.dry_run:
        context.emit(record)
        context.print("Nothing was proposed (--dry-run).")
        return 0
    if context.interactive() and screen.ask("Forget it for good? [y/N]").lower() != "y":
        raise RefusedError("nothing was proposed")
    proposal = _propose(context, placed, section)
    record["proposal"] = proposal.id
    if not key_at_hand(seen, context):
        context.emit(record)
        say(context, f"Proposed as {proposal.id}; it waits for your signature: 'nightledger review'.")
        return 0
    settled = sign_proposals(context, [proposal])
    require_signed(settled)
    (decision,) = settled.decisions
    record |= {"decision": decision.id, "not_before": f"{decision.not_before:%Y-%m-%dT%H:%M:%SZ}"}
    context.emit(record)
    say(
        context,
        f"Signed. It cools until {decision.not_before:%Y-%m-%d %H:%M} UTC, then 'nightledger apply' takes it out; "
        f"'nightledger undo {proposal.id}' brings it back within the undo window.",
    )
    return 0


def _show_entry(context: Context, seen: Session, named: str) -> tuple[naming.Placed, str]:
    """Show the entry that is to go; return it, and the text of its section.

    Raises:
        UsageError: No such entry.
        RefusedError: It is pinned.
    """
    standing = naming.find_standing(seen.gate.home, seen.ledger.book).entries
    placed = standing[choose_id(context, seen, standing, named)]
    context.print_lines(entry_lines(seen, [placed]))
    under = screen.shown(" > ".join(placed.entry.section) or "no heading")
    context.print_lines(screen.wrap(f"under {under}", first="    "))
    if naming.read_marks(seen.gate, seen.ledger).get(placed.entry.id, naming.NO_MARK).pinned:
        name = placed.entry.id[:SHORT_ID]
        raise RefusedError(f"{name} is pinned", hint=f"'nightledger pin --off {name}' first")
    return placed, _section(seen, placed)


def _section(session: Session, placed: naming.Placed) -> str:
    """Give the text of the section in which an entry stands."""
    text = read_gated(session.gate.home, placed.path).decode("utf-8", "surrogateescape")
    document = parse_markdown(text)
    return text_of_spans(document, around(document, placed.entry.first_line - 1, placed.entry.last_line))


def _propose(context: Context, shown: naming.Placed, section: str) -> Proposal:
    with writing(context, person=True) as session:
        gate = session.gate
        standing = naming.find_standing(gate.home, session.ledger.book).entries
        placed = standing.get(shown.entry.id)
        same = placed is not None and naming.text_sha256(placed) == naming.text_sha256(shown)
        if placed is None or not same or _section(session, placed) != section:
            raise FileChangedError(
                "the entry was changed meanwhile, or what it stands under; nothing was proposed",
                hint="run it again",
            )
        period = log_day(session.moment.at, home_zone(gate.home, gate.settings)).isoformat()
        outcome = forget(gate, session.ledger, placed, session.moment, period=period)
    if outcome.proposal is None:
        why = outcome.unfit[0].reason if outcome.unfit else "the scanners hold it back"
        raise RefusedError(
            f"it cannot be proposed: {why}", hint="'nightledger edit' changes the file by hand"
        )
    return outcome.proposal
