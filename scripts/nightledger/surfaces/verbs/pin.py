"""Pin entries of memory: no policy lets them go. Or tag them, so that they fade at another rate.

An entry is named by its id, the beginning of it, or its place as 'recall' prints it
(MEMORY.md:15, MEMORY.md:15-16); some of its words list the entries that fit.
Without an entry what is pinned or tagged is listed. A pin is signed and counts at once; it
changes no bytes. --off takes the pin, or with --tag the tag, away again.

--tag self/value, self/constraint, self/goal   durable: fades ten times slower
--tag self/style, self/context                 says what it is; fades as before
--tag observation                              ephemeral: fades five times faster

Reads   the gated files, audit/
Writes  audit/decisions/, the audit log
Changes no memory.
"""

import argparse
from collections.abc import Sequence
from functools import partial

from nightledger.domain.decision import DecisionTarget, DecisionType
from nightledger.domain.errors import UsageError
from nightledger.domain.retention import ENTRY_TAGS, tier_of
from nightledger.gate.memory.naming import NO_MARK, Mark, find_standing, find_takers, pin_targets, read_marks
from nightledger.surfaces import entry_choice
from nightledger.surfaces.context import Context
from nightledger.surfaces.hints import say, wrap_hint
from nightledger.surfaces.session import Session, reading
from nightledger.surfaces.settling import sign_unproposed

OPTIONS = {
    "entry": {
        "nargs": "*",
        "help": "its id, the beginning of it, its place (MEMORY.md:15), or some of its words",
    },
    "--tag": {"metavar": "TAG", "default": "", "help": "give it a tag instead"},
    "--off": "take the pin, or the tag, away",
}


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
        standing = find_standing(seen.gate.home, seen.ledger.book).entries
        context.print_lines(
            entry_choice.listing(seen, [standing[name] for name in names if name in standing])
        )
    kind = DecisionType.UNPIN if off else DecisionType.PIN
    accepted, session = sign_unproposed(context, seen, kind, partial(_targets, names=names), reason=tag)
    context.emit({"decision": accepted.id, "type": kind.value, "tag": tag, "entries": list(names)})
    which = entry_choice.count_of(len(names))
    if tag:
        given = f"{which} tagged {tag}; fades as {tier_of([tag]).name}."
        say(context, f"{tag} taken from {which}." if off else given)
    elif off:
        say(context, f"Unpinned {which}.")
    else:
        stays = "no policy lets it go, and nothing takes it out but a change that you sign by itself"
        say(context, f"Pinned {which}: {stays}.")
        for proposal, n, state in find_takers(session.gate, session.ledger, names):
            told = (
                f"! change {n} of {proposal} would take it out ({state.value}); a pin does not stop it: "
                f"nightledger reject {proposal} --only {n} --reason pinned"
            )
            context.note("\n".join(wrap_hint(context.short(told), indent="  ", first="")))
    return 0


def _names(context: Context, session: Session, words: Sequence[str], tag: str, *, off: bool) -> list[str]:
    """Return the ids of the named entries for which it is not so already."""
    standing = find_standing(session.gate.home, session.ledger.book).entries
    marks = read_marks(session.gate, session.ledger)
    gone = [name for name in marks if name not in standing] if off else []
    found = [entry_choice.choose_id(context, session, standing, word, gone) for word in words]
    states = {name: marks.get(name, NO_MARK) for name in found}
    names = [name for name, mark in states.items() if (tag in mark.tags if tag else mark.pinned) is off]
    if not names:
        raise UsageError(f"it is so already: {_state(states[found[0]])}", hint="'nightledger pin' lists them")
    return names


def _targets(session: Session, *, names: Sequence[str]) -> tuple[DecisionTarget, ...]:
    """Return what is signed of each entry as it stands now; of one that is gone nothing of its text."""
    standing = find_standing(session.gate.home, session.ledger.book).entries
    empty, path = "0" * 64, session.gate.home.identity.gated[0]
    known = pin_targets([standing[name] for name in names if name in standing])
    lost = [
        DecisionTarget(path=f"{path}#{name}", base=empty, result=empty, hunks_sha256=empty)
        for name in names
        if name not in standing
    ]
    return (*known, *lost)


def show_marks(context: Context) -> int:
    """List what is pinned or tagged; nothing is signed."""
    with reading(context) as seen:
        standing = find_standing(seen.gate.home, seen.ledger.book).entries
        marks = read_marks(seen.gate, seen.ledger)
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
            gone = [f"{name[: entry_choice.SHORT_ID]}  stands in no file any more"]
            context.print_lines(entry_choice.listing(seen, [standing[name]]) if name in standing else gone)
            context.print(f"    {_state(mark)}")
    return 0


def _state(mark: Mark) -> str:
    words = [*(["pinned"] if mark.pinned else []), *mark.tags]
    return ", ".join(words) if words else "neither pinned nor tagged"
