"""Pin entries of memory: no policy lets them go. Or tag them, so that they fade at another rate.

An entry is named by its id, the beginning of it, or its place as 'recall' prints it
(MEMORY.md:15, MEMORY.md:15-16); some of its words list the entries that fit.
Without an entry what is pinned or tagged is listed. A pin is signed and counts at once; it
changes no bytes.

--tag self/value, self/constraint, self/goal   durable: fades ten times slower
--tag self/style, self/context                 says what it is; fades as before
--tag observation                              ephemeral: fades five times faster

Reads   the gated files, audit/
Writes  audit/decisions/, the audit log
Changes no memory.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

from nightledger.domain.decision import Decision, DecisionTarget, DecisionType
from nightledger.domain.errors import FileChangedError, UsageError
from nightledger.domain.retention import ENTRY_TAGS, tier_of
from nightledger.gate.memory.naming import Placed, find_standing
from nightledger.gate.memory.pinning import NO_MARK, Mark, entry_named, find_takers, pin_targets, read_marks
from nightledger.gate.proposing.unproposed import make_unproposed
from nightledger.surfaces import entry_choice, screen, signing
from nightledger.surfaces.context import Context
from nightledger.surfaces.session import Session, reading, writing

OPTIONS = {
    "entry": {
        "nargs": "*",
        "help": "its id, the beginning of it, its place (MEMORY.md:15), or some of its words",
    },
    "--tag": {"metavar": "TAG", "default": "", "help": "give it a tag instead"},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is to be signed.

    Attributes:
        kind: pin or unpin.
        words: What the operator named.
        tag: The tag that is given or taken; empty for the pin itself.
    """

    kind: DecisionType
    words: Sequence[str]
    tag: str = ""


def run(options: argparse.Namespace, context: Context) -> int:
    """List, or sign that entries are pinned or tagged, or for ``unpin`` not any more."""
    if not options.entry:
        return show_marks(context)
    return mark(context, Asked(kind=DecisionType(context.verb), words=options.entry, tag=options.tag))


def mark(context: Context, asked: Asked) -> int:
    """Show the entries, have it signed, and say what holds from now on.

    Raises:
        UsageError: No such entry or tag, or it is so already.
        FileChangedError: An entry was changed while it was shown.
    """
    if asked.tag and asked.tag not in ENTRY_TAGS:
        raise UsageError(f"{asked.tag!r} is no tag of an entry", hint=f"one of {', '.join(ENTRY_TAGS)}")
    with reading(context, person=True) as seen:
        targets = _targets(context, seen, asked)
        signer = signing.unlock(seen, context)
    with writing(context, keep_head=True, person=True, answered=True) as session:
        if not _stand_still(session, targets):
            raise FileChangedError("an entry was changed meanwhile; nothing was signed", hint="run it again")
        shared = signing.prepare(session)
        decision = make_unproposed(session.gate, asked.kind, targets, shared, reason=asked.tag)
        (accepted,) = signing.sign_all(session, [decision], signer)
        names = [entry_named(target) for target in targets]
        pins = asked.kind is DecisionType.PIN and not asked.tag
        takers = find_takers(session.gate, session.ledger, names) if pins else ()
    _report(context, asked, accepted)
    for proposal, n, state in takers:
        told = (
            f"! change {n} of {proposal} would take it out ({state.value}); a pin does not stop it: "
            f"nightledger reject {proposal[:10]} --only {n} --reason pinned"
        )
        for line in screen.wrap(told, indent="  ", first=""):
            context.note(line)
    return 0


def _targets(context: Context, session: Session, asked: Asked) -> tuple[DecisionTarget, ...]:
    standing = find_standing(session.gate.home, session.ledger.book).entries
    marks = read_marks(session.gate, session.ledger)
    gone = [name for name in marks if name not in standing] if asked.kind is DecisionType.UNPIN else []
    names = [
        entry_choice.choose_id(context, session, standing, word, gone) for word in dict.fromkeys(asked.words)
    ]
    changing = [name for name in dict.fromkeys(names) if _changes(marks.get(name, NO_MARK), asked)]
    if not changing:
        raise UsageError(
            f"it is so already: {_state(marks.get(names[0], NO_MARK))}", hint="'nightledger pin' lists them"
        )
    known = [standing[name] for name in changing if name in standing]
    context.print_lines(entry_choice.listing(session, known))
    lost = [name for name in changing if name not in standing]
    return (*pin_targets(known), *(_lost_target(session, name) for name in lost))


def _lost_target(session: Session, name: str) -> DecisionTarget:
    """Give what is said of an entry that is gone: nothing of its text."""
    empty = "0" * 64
    path = session.gate.home.identity.gated[0]
    return DecisionTarget(path=f"{path}#{name}", base=empty, result=empty, hunks_sha256=empty)


def _changes(mark: Mark, asked: Asked) -> bool:
    has = asked.tag in mark.tags if asked.tag else mark.pinned
    return has is (asked.kind is DecisionType.UNPIN)


def _stand_still(session: Session, targets: Sequence[DecisionTarget]) -> bool:
    standing = find_standing(session.gate.home, session.ledger.book).entries
    known = [standing.get(entry_named(target)) for target in targets]
    return all(
        placed is None or pin_targets([placed]) == (target,)
        for placed, target in zip(known, targets, strict=True)
    )


def _report(context: Context, asked: Asked, accepted: Decision) -> None:
    names = [entry_named(target) for target in accepted.targets]
    context.emit({"decision": accepted.id, "type": asked.kind.value, "tag": asked.tag, "entries": names})
    which = entry_choice.count_of(len(names))
    pins = asked.kind is DecisionType.PIN
    if asked.tag:
        fades = f"fades as {tier_of([asked.tag]).name}"
        told = f"{which} tagged {asked.tag}; {fades}." if pins else f"{asked.tag} taken from {which}."
    else:
        told = (
            f"Pinned {which}: no policy lets it go, and nothing takes it out but a change that you sign by itself."
            if pins
            else f"Unpinned {which}."
        )
    context.print_lines(screen.wrap(told, indent="  ", first=""))


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
        for name, found in marks.items():
            context.print_lines(_marked_lines(seen, name, found, standing.get(name)))
    return 0


def _marked_lines(session: Session, name: str, mark: Mark, placed: Placed | None) -> list[str]:
    rows = (
        entry_choice.listing(session, [placed])
        if placed
        else [f"{name[: entry_choice.SHORT_ID]}  stands in no file any more"]
    )
    return [*rows, f"    {_state(mark)}"]


def _state(mark: Mark) -> str:
    words = [*(["pinned"] if mark.pinned else []), *mark.tags]
    return ", ".join(words) if words else "neither pinned nor tagged"
