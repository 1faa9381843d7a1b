"""Read what is proposed, answer, sign once.

Reads   memory/state/proposals/, the gated files, audit/
Writes  audit/decisions/ and the audit log, after one signature
Changes no memory: 'nightledger apply' does, when the cooling period is over.
"""

import argparse
from typing import TYPE_CHECKING

from nightledger.surfaces.context import Context

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nightledger.domain.decision import Decision
    from nightledger.gate.review.reviewing import Answer, Item
    from nightledger.surfaces.session import Session

KEYS = "y sign  n reject  e edit  s later  d whole diff  v evidence  q quit"
DRIFT_KEYS = "y keep  n take back  s later  d whole diff  v evidence  q quit"
ALIKE_KEYS = "y sign all  n reject all  s all later  b back, one by one"
EDITS_AT_MOST = 20


def configure(parser: argparse.ArgumentParser) -> None:
    """Name the options of ``review``."""
    parser.add_argument("id", nargs="?", help="only this proposal")
    parser.add_argument(
        "--remote",
        metavar="NAME",
        help="what waits on another machine ('channel peer list' names those known)",
    )


def run(options: argparse.Namespace, context: Context) -> int:
    """Show what waits; on a terminal ask for answers and sign them."""
    if options.remote:
        from nightledger.surfaces.channel.remote_review import review_remote

        return review_remote(context, options.remote)
    from nightledger.gate.review.reviewing import list_items, read_documents
    from nightledger.surfaces import session as sessions
    from nightledger.surfaces.listing import item_record

    if context.json or not context.interactive():
        with sessions.reading(context) as session:
            documents = read_documents(session.gate)
            items = _wanted(options, list_items(session.gate, session.ledger, documents), session)
            context.emit([item_record(item) for item in items])
            _show_all(context, session, items)
        return 0
    with sessions.reading(context, person=True) as session:
        return _ask_and_sign(options, context, session)


def _wanted(options: argparse.Namespace, items: "list[Item]", session: "Session") -> "list[Item]":
    from nightledger.gate.stored import find_status

    if options.id is None:
        return items
    wanted = find_status(session.ledger.book, options.id).id
    return [item for item in items if item.stored.proposal.id == wanted]


def _show_all(context: Context, session: "Session", items: "list[Item]") -> None:
    from nightledger.surfaces import screen

    _opening(context, session, items)
    for at, item in enumerate(items, 1):
        for line in screen.item_lines(item, at, len(items)):
            context.print(line)
        context.print(f"  id: {item.stored.proposal.id}#{item.change.n}")
        context.print()
    if items:
        context.print("To answer, run 'nightledger review' on a terminal, or 'nightledger approve ID'.")


def _opening(context: Context, session: "Session", items: "list[Item]") -> None:
    from nightledger.surfaces import screen

    for text in _notices(session, items):
        for line in screen.wrap(screen.shown(text), indent=screen.INSIDE, first=""):
            context.print(line)
    proposals = {item.stored.proposal.id: item.stored.proposal for item in items}
    for name, proposal in proposals.items():
        which = f"{name[:8]}, " if len(proposals) > 1 else "Size: "
        if sizes := screen.meter(proposal):
            for line in screen.wrap(which + sizes, indent="    ", first="  "):
                context.print(line)
    if items:
        context.print()


def _notices(session: "Session", items: "list[Item]") -> "Iterator[str]":
    from nightledger.gate.gated import why_unreadable
    from nightledger.gate.integrity.checking import find_drift
    from nightledger.gate.stored import find_set_aside
    from nightledger.surfaces import held_back

    home, book = session.gate.home, session.ledger.book
    if home.identity.simulated:
        yield "This is a simulated home: its clock is whatever --now says."
    for name in find_set_aside(home, book):
        yield (
            f"! {name} was altered after it was proposed and is set aside; 'nightledger verify' names its file. "
            f"Put it back from a backup, or close it: nightledger reject {name[:10]} --reason ..."
        )
    yield from held_back.notices(home, session.ledger.log.events)
    drifted, unseen = find_drift(home, book), False
    for path in home.identity.gated:
        if why := why_unreadable(home, path):
            yield f"! {path} cannot be read, and nothing about it can be signed: {why}"
        elif path in drifted and book.open_drift(path) is None:
            unseen = True
            yield (
                f"Drift: {path} is not as it was last signed, and no item asks about it yet: 'nightledger guard' "
                "makes one, and 'nightledger review' on a terminal does while no other run is at work."
            )
        elif path in drifted and items:
            yield f"Drift: {path} is not as it was last signed: what was changed outside the gate comes first."
    if not items:
        yield "Nothing else waits for you." if unseen else "Nothing waits for you."
        return
    proposals = {item.stored.proposal.id for item in items}
    yield f"{len(items)} change(s) in {len(proposals)} proposal(s) wait for you."


def _ask_and_sign(options: argparse.Namespace, context: Context, session: "Session") -> int:
    from nightledger.gate.review.reviewing import list_items, read_documents
    from nightledger.surfaces import screen
    from nightledger.surfaces.settling import settle

    answers: list[Answer] = []
    documents = read_documents(session.gate)
    items = _wanted(options, list_items(session.gate, session.ledger, documents), session)
    _opening(context, session, items)
    at = 0
    while at < len(items):
        given = _ask(context, session, items, at)
        if given is None:
            break
        answers += given
        at += max(1, len(given))
    settled = settle(context, session, items, answers)
    for refusal in settled.refusals:
        told = f"not signed: {refusal.proposal}: {screen.shown(refusal.reason)}"
        for line in screen.wrap(told, indent=screen.INSIDE, first=""):
            context.print(line)
    report_signed(context, settled.decisions)
    return 1 if settled.refusals else 0


def report_signed(context: Context, decisions: "Sequence[Decision]") -> None:
    """Say what was signed and when it can be applied."""
    from nightledger.domain.decision import DecisionType
    from nightledger.surfaces import screen

    for decision in decisions:
        if decision.type is DecisionType.DRIFT:
            path = screen.shown(decision.targets[0].path)
            for line in screen.wrap(f"Settled {path}: {_kept(decision)}.", indent=screen.INSIDE, first=""):
                context.print(line)
    approved = [decision for decision in decisions if decision.type is DecisionType.APPROVE]
    rejected = sum(len(d.changes) for d in decisions if d.type is DecisionType.REJECT)
    if rejected:
        context.print(f"Rejected {rejected} change(s).")
    if approved:
        count = sum(len(decision.changes) for decision in approved)
        when = max(decision.not_before for decision in approved)
        told = f"Signed {count} change(s). They cool until {when:%Y-%m-%d %H:%M} UTC; 'nightledger apply' then applies them."
        for line in screen.wrap(told, indent="  ", first=""):
            context.print(line)


def _kept(decision: "Decision") -> str:
    """Say what was kept of what had drifted in one file, and what was not."""
    if not decision.changes:
        return "took back every change that you answered"
    took = decision.targets[0].base != decision.targets[0].result
    return f"kept {len(decision.changes)} change(s){', the rest you answered was taken back' if took else ''}"


def _ask(context: Context, session: "Session", items: "list[Item]", at: int) -> "list[Answer] | None":
    """Ask until there is an answer; none for a change reworded, several for a month, None to stop asking."""
    from nightledger.surfaces import screen

    item, alike = items[at], _alike(items, at)
    for line in screen.item_lines(item, at + 1, len(items)):
        context.print(line)
    while True:
        key = input("\n".join(screen.wrap(_keys(item, alike), indent="  ")) + " > ").strip().lower()
        if key == "q":
            return None
        if key == "e" and _can_word(item) and _edit(context, item):
            return []
        given = _answer_alike(context, items, at) if key == "a" and alike else _answer(item, key)
        if given:
            return given
        for line in _more(session, item, key):
            context.print(line)


def _alike(items: "list[Item]", at: int) -> "list[Item]":
    """Give what a proposal archives or compresses from here on, where that is more than one and all has a place."""
    from itertools import takewhile

    from nightledger.domain.proposal import Op

    name = items[at].stored.proposal.id
    rest = list(takewhile(lambda item: item.stored.proposal.id == name, items[at:]))
    whole = all(item.change.op in (Op.ARCHIVE, Op.COMPRESS) and not item.unplaced for item in rest)
    return rest if whole and len(rest) > 1 else []


def _answer_alike(context: Context, items: "list[Item]", at: int) -> "list[Answer]":
    """Show the others too and ask once about all; nothing where they are to be answered one by one."""
    from nightledger.gate.review.reviewing import Answer, Verb
    from nightledger.surfaces import screen

    alike = _alike(items, at)
    for n, other in enumerate(alike[1:], at + 2):
        for line in screen.item_lines(other, n, len(items)):
            context.print(line)
    keys = screen.wrap(f"all {len(alike)}: {ALIKE_KEYS}", indent="  ")
    key = input("\n".join(keys) + " > ").strip().lower()
    verb = {"y": Verb.APPROVE, "n": Verb.REJECT, "s": Verb.LATER}.get(key)
    if verb is None:
        return []
    reason = input("  reason > ").strip() if verb is Verb.REJECT else ""
    return [
        Answer(proposal=item.stored.proposal.id, n=item.change.n, verb=verb, reason=reason) for item in alike
    ]


def _is_drift(item: "Item") -> bool:
    from nightledger.domain.proposal import Kind

    return item.stored.proposal.kind is Kind.DRIFT


def _can_word(item: "Item") -> bool:
    """Tell whether a change has words that the operator may put otherwise."""
    from nightledger.domain.kept import LETTING_GO

    return not _is_drift(item) and item.change.op not in LETTING_GO


def _keys(item: "Item", alike: "list[Item]") -> str:
    if _is_drift(item):
        return DRIFT_KEYS
    whole = f"a all {len(alike)} at once  " if alike else ""
    return KEYS if _can_word(item) else KEYS.replace("e edit  ", whole)


def _answer(item: "Item", key: str) -> "list[Answer]":
    from nightledger.gate.review.reviewing import Answer, Verb

    name, n = item.stored.proposal.id, item.change.n
    if key == "y" and not item.unplaced and not item.unread:
        return [Answer(proposal=name, n=n, verb=Verb.APPROVE)]
    if key == "n" and not (_is_drift(item) and item.unplaced):
        reason = "" if _is_drift(item) else input("  reason > ").strip()
        return [Answer(proposal=name, n=n, verb=Verb.REJECT, reason=reason)]
    if key == "s":
        return [Answer(proposal=name, n=n, verb=Verb.LATER)]
    return []


def _edit(context: Context, item: "Item") -> bool:
    from nightledger.surfaces.editing import revise_change

    proposal = revise_change(context, item)
    if proposal is not None:
        context.print(f"  your wording waits as {proposal}; run 'nightledger review' to see it with its diff")
    return proposal is not None


def _more(session: "Session", item: "Item", key: str) -> list[str]:
    from nightledger.gate.forgetting.forgotten import read_forgotten
    from nightledger.surfaces import evidence, screen

    if key == "d":
        return screen.diff_lines(item.diff or item.change.diff, told=item.told)
    if key == "v":
        expunged = read_forgotten(session.gate, (), session.ledger.book).expunged
        return evidence.lines(session.gate.home, item.change, told=item.told, expunged=expunged)
    if key in ("y", "n"):
        doing = "signed" if item.unplaced else "kept"
        why = screen.shown(item.unplaced or item.unread)
        return screen.wrap(why, indent=screen.INSIDE, first=f"  it cannot be {doing}: ")
    return []
